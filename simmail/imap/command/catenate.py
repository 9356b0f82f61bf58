"""
Messages put together from what the client sends and from parts of messages that are in its mailboxes.

Source: RFC 4469 (CATENATE), RFC 5092 (IMAP URLs, of which only those of the client's own mailboxes mean anything).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from simmail.errors import NotFound
from simmail.imap.connection import ImapConnection
from simmail.imap.fetch.sections import Sections, cut
from simmail.imap.wire.fetch_items import Item, parse_items
from simmail.imap.wire.parser import Arguments
from simmail.imap.wire.replies import Bad, No
from simmail.interfaces import IFolder

#: Parts of one message.
MOST = 100
#: A larger message is looked into in a thread.
_LARGE = 256 * 1024

_URL = re.compile(
    r"(?:/(?P<mailbox>[^;]+?)(?:;UIDVALIDITY=(?P<uidvalidity>[1-9][0-9]{0,9}))?)?/?;UID=(?P<uid>[1-9][0-9]{0,9})"
    r"(?:/;SECTION=(?P<section>[^;]+?))?(?:/;PARTIAL=(?P<start>[0-9]{1,10})(?:\.(?P<count>[1-9][0-9]{0,9}))?)?",
    re.IGNORECASE | re.ASCII)


class Url(NamedTuple):
    """A part of a message in a mailbox; C{mailbox} C{""}: the selected one."""

    text: str
    mailbox: str
    uidvalidity: int
    uid: int
    item: Item

    def bad(self) -> No:
        """It names nothing."""
        return bad_url(self.text)


Pieces = Sequence["bytes | Url"]


def bad_url(text: str) -> No:
    """The refusal of a URL."""
    plain = "".join(one if " " <= one <= "~" and one not in "[]\\" else "?" for one in text[:500])
    return No("The URL names no part of a message in these mailboxes", f"BADURL {plain}")


def parse_url(octets: bytes) -> Url:
    """@raise No: it is none that means anything here."""
    text = octets.decode("latin-1")
    match = _URL.fullmatch(text)
    if match is None:
        raise bad_url(text)
    try:
        mailbox = Arguments(b"", True).named(unquote_to_bytes(match["mailbox"])) if match["mailbox"] else ""
        section = Arguments(b"BODY.PEEK[%b]" % unquote_to_bytes(match["section"] or ""))
        item, = parse_items(section)
        section.end()
    except (Bad, ValueError):
        raise bad_url(text) from None
    if match["start"] is not None:
        item = item._replace(partial=(int(match["start"]), int(match["count"] or 1 << 32)))
    return Url(text, mailbox, int(match["uidvalidity"] or 0), int(match["uid"]), item)


async def catenated(imap: ImapConnection, pieces: Pieces) -> bytes:
    """
    A message from its pieces.

    @raise No: one of them is not there, or it is too large.
    """
    most = imap.config.limits.message
    found: list[bytes] = []
    last: tuple[object, int, Sections] | None = None
    room = most
    for piece in pieces:
        if isinstance(piece, bytes):
            octets = piece
        else:
            folder = await _folder(imap, piece)
            if last is None or last[:2] != (folder, piece.uid):
                last = folder, piece.uid, await _message(folder, piece)
            part = await imap.context.in_thread_if(len(last[2].octets) > _LARGE, partial(last[2].find, piece.item))
            if part is None:
                raise piece.bad()
            octets = cut(part, piece.item)
        room -= len(octets)
        if room < 0:
            raise No(f"The message is over {most} octets", "TOOBIG")
        found.append(octets)
        await imap.yield_to_reactor()
    return b"".join(found)


async def _folder(imap: ImapConnection, url: Url) -> IFolder:
    if not url.mailbox:
        if imap.selected is None:
            raise url.bad()
        return imap.selected.folder
    try:
        folder: IFolder = await imap.store.folder(imap.address, url.mailbox)
    except NotFound:
        raise url.bad() from None
    if url.uidvalidity not in (0, folder.uidvalidity):
        raise url.bad()
    return folder


async def _message(folder: IFolder, url: Url) -> Sections:
    try:
        return Sections(await folder.read(url.uid))
    except NotFound:
        raise url.bad() from None
