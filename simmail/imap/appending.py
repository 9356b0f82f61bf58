"""
APPEND.

Source: RFC 3501 section 6.3.11, RFC 4315 (APPENDUID), RFC 7889 (APPENDLIMIT), RFC 3516, RFC 6855;
decisions, section 23 (an APPEND to Sent of what is there answers that copy).
"""

from __future__ import annotations

import re
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from simmail.core.nuls import without_nul
from simmail.core.reading import read_headers
from simmail.errors import Unavailable
from simmail.imap.quota import check_room
from simmail.imap.replies import Bad, No
from simmail.imap.selecting import find_folder
from simmail.imap.tokens import Arguments
from simmail.interfaces import IFolder

if TYPE_CHECKING:
    from simmail.imap.server import ImapServer

_BEGINNING = re.compile(rb"[^ ]{1,200} APPEND ", re.IGNORECASE)
_MARKER = re.compile(rb"~?\{\d{1,12}\+?\}\r\n")
#: Newest copies in Sent among which that of a message appended twice is looked for.
_COPIES = 200
#: A larger message is looked at in a thread.
LARGE = 256 * 1024


def awaits_message(octets: bytes) -> bool:
    """Whether what is gathered of a command is an APPEND past the name of the mailbox: its message comes next."""
    match = _BEGINNING.match(octets)
    return match is not None and match.end() < len(octets)


async def admit(imap: ImapServer, octets: bytes) -> None:
    """
    Look at an APPEND before its message is sent.

    @param octets: the command up to where the message begins.
    @raise No: it could not be filed.  @raise Bad: the command is wrong already.
    """
    match = _BEGINNING.match(octets)
    assert match is not None
    arguments = Arguments(octets, imap.utf8)
    arguments.at = match.end() - 1
    name, _, _ = _options(arguments)
    if arguments.skip(b"UTF8 ("):
        _check_utf8(imap)
    arguments.skip(b"~")
    if not arguments.at_end():
        raise Bad("Expected a literal")
    await find_folder(imap, name, "TRYCREATE")
    check_room(imap)


def _check_utf8(imap: ImapServer) -> None:
    if b"UTF8=ACCEPT" not in imap.enabled:
        raise Bad("UTF8=ACCEPT is not enabled")


def _options(arguments: Arguments) -> tuple[str, tuple[str, ...], datetime | None]:
    arguments.space()
    name = arguments.mailbox()
    arguments.space()
    flags: tuple[str, ...] = ()
    date: datetime | None = None
    if arguments.peek() == b"(":
        flags = arguments.flags()
        arguments.space()
    if arguments.peek() == b'"':
        date = arguments.date_time()
        arguments.space()
    return name, flags, date


async def append(imap: ImapServer, arguments: Arguments) -> bytes:
    """APPEND."""
    name, flags, date = _options(arguments)
    utf8 = arguments.skip(b"UTF8 (")
    marker = _MARKER.match(arguments.octets, arguments.at)
    if marker is None:
        raise Bad("Expected a literal")
    arguments.at = marker.end()
    if utf8:
        # RFC 6855 section 4.
        arguments.expect(b")")
    arguments.end()
    if utf8:
        _check_utf8(imap)
    given, imap.message = imap.message, b""
    if not given:
        raise No("A message cannot be empty", "CANNOT")
    # What is wrong with the mailbox was told before, unless the message came unasked.
    folder = await find_folder(imap, name, "TRYCREATE")
    check_room(imap)
    binary = marker[0].startswith(b"~")
    octets = await imap.factory.in_thread_if(len(given) > LARGE, partial(_lines, given, binary))
    if octets is None:
        raise No("NUL can only be in the content of a part" if binary else "A message cannot hold NUL",
                 "UNKNOWN-CTE" if binary else "CANNOT")
    uid = await _copy_in_sent(imap, folder, octets)
    if uid is None:
        try:
            uid = await folder.append(octets, flags, date or imap.login.universe.clock.now())
        except Unavailable as error:
            raise No(str(error), "UNAVAILABLE") from None
    return b"[APPENDUID %d %d] APPEND completed" % (folder.uidvalidity, uid)


def _lines(octets: bytes, binary: bool) -> bytes | None:
    """A message with CRLF line ends, of a literal8 with binary parts encoded; None when it holds NUL all the same."""
    if binary:
        encoded = without_nul(octets)
        if encoded is None:
            return None
        octets = encoded
    if b"\0" in octets:
        return None
    if octets.count(b"\n") == octets.count(b"\r\n"):
        return octets
    pieces, at = [], 0
    while at < len(octets):
        # In pieces, so that the reactor has its turns meanwhile; none ends between CR and LF.
        end = octets.find(b"\n", at + LARGE) + 1 or len(octets)
        pieces.append(octets[at:end].replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))
        at = end
    return b"".join(pieces)


async def _copy_in_sent(imap: ImapServer, folder: IFolder, octets: bytes) -> int | None:
    """The UID of the copy that submission kept, if this is that message."""
    if folder.special_use != "\\Sent":
        return None
    wanted = await imap.factory.in_thread_if(len(octets) > LARGE, lambda: read_headers(octets).message_id)
    if not wanted:
        return None
    found = await folder.digested(list(folder.uids[-_COPIES:]), ("message_id",))
    return next((uid for uid, (message_id,) in sorted(found.items(), reverse=True) if message_id == wanted), None)
