"""
APPEND, of one message or several: all are filed or none.

Source: RFC 3501 section 6.3.11, RFC 3502 (MULTIAPPEND), RFC 4315 (APPENDUID), RFC 7889 (APPENDLIMIT);
decisions, section 23 (an APPEND to Sent of what is there answers that copy).
"""

from __future__ import annotations

from datetime import datetime
from functools import partial

from simmail.core.compose.binary import without_nul
from simmail.core.message.parse import read_headers
from simmail.errors import Unavailable
from simmail.imap.command.catenate import catenated
from simmail.imap.command.copymove import note_filed
from simmail.imap.command.quota import check_room
from simmail.imap.command.upload import Upload, parse_upload
from simmail.imap.connection import ImapConnection
from simmail.imap.untagged.mailbox_data import find_folder
from simmail.imap.wire.parser import Arguments
from simmail.imap.wire.replies import No
from simmail.imap.wire.sequence import show_set
from simmail.interfaces import IFolder

#: Newest copies in Sent among which that of a message appended twice is looked for.
_COPIES = 200
#: A larger message is looked at in a thread.
LARGE = 256 * 1024


async def append(imap: ImapConnection, arguments: Arguments) -> bytes:
    """APPEND."""
    arguments.space()
    name = arguments.mailbox()
    given, imap.messages = imap.messages, []
    coming = iter(given)
    uploads = [parse_upload(imap, arguments, coming)]
    while arguments.rest().strip(b" "):
        uploads.append(parse_upload(imap, arguments, coming))
    # What is wrong with the mailbox was told before, unless the message came unasked.
    folder = await find_folder(imap, name, "TRYCREATE")
    check_room(imap)
    now = imap.now()
    messages = [await filed_as(imap, upload, now) for upload in uploads]
    try:
        if len(messages) == 1:
            uids = [await _append(imap, folder, *messages[0], now)]
        else:
            uids = await folder.append_all(messages, now)
    except Unavailable as error:
        raise No(str(error), "UNAVAILABLE") from None
    note_filed(imap, folder, uids)
    return b"[APPENDUID %d %b] APPEND completed" % (folder.uidvalidity, show_set(uids))


async def filed_as(
    imap: ImapConnection, upload: Upload, now: datetime
) -> tuple[bytes, tuple[str, ...], datetime]:
    """
    The octets, flags and date that a message is filed with.

    @param now: the simulated instant: what is dated by it needs no other note of when it was put there.
    @raise No: there is nothing in it, or what no message can hold.
    """
    first = upload.pieces[0]
    given = first if len(upload.pieces) == 1 and isinstance(first, bytes) else await catenated(imap, upload.pieces)
    if not given:
        raise No("A message cannot be empty", "CANNOT")
    octets = _lines(given, upload.binary) if len(given) <= LARGE else await imap.context.in_thread(
        partial(_lines, given, upload.binary))
    if octets is None:
        raise No("NUL can only be in the content of a part" if upload.binary else "A message cannot hold NUL",
                 "UNKNOWN-CTE" if upload.binary else "CANNOT")
    return octets, upload.flags, upload.date or now


async def _append(
    imap: ImapConnection, folder: IFolder, octets: bytes, flags: tuple[str, ...], date: datetime, now: datetime
) -> int:
    uid = await copy_in_sent(imap, folder, octets)
    if uid is None:
        uid = await folder.append(octets, flags, date, now)
    return uid


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


async def copy_in_sent(imap: ImapConnection, folder: IFolder, octets: bytes) -> int | None:
    """The UID of the copy that submission kept, if this is that message."""
    if folder.special_use != "\\Sent":
        return None
    wanted = await imap.context.in_thread_if(len(octets) > LARGE, lambda: read_headers(octets).message_id)
    if not wanted:
        return None
    found = await folder.digested(list(folder.uids[-_COPIES:]), ("message_id",))
    return next((uid for uid, (message_id,) in sorted(found.items(), reverse=True) if message_id == wanted), None)
