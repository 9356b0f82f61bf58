"""
FETCH from large messages: read from the file as the client takes it.

What a client does not read costs one window of octets.  Content without its
transfer encoding is the exception: it is decoded once for all who fetch it.
Source: RFC 3501 section 6.4.5, RFC 3516; promises, R14.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NoReturn

from simmail.core.mime.headers import HEADER, header_end
from simmail.core.mime.structure import Part, parse
from simmail.imap.connection import ImapConnection
from simmail.imap.fetch.sections import Span, UNKNOWN, chosen, cut, decoded, is_plain, span_of, within
from simmail.imap.wire.fetch_items import Item
from simmail.imap.wire.replies import ClientGone, No

#: Messages over so many octets are read from their files while they are sent.
STREAMED = 256 * 1024

#: Octets read at once.
WINDOW = 256 * 1024


class Stream:
    """
    The sections of one large message on their way to a client.

    @param opened: the message (C{IOpened}).
    @ivar refused: what was wrong with an item, None for nothing.
    """

    def __init__(self, imap: ImapConnection, opened: Any) -> None:
        self.refused: No | None = None
        self._imap = imap
        self._opened = opened
        self._body: int | None = None
        self._structure: Part | None = None

    async def send(self, before: bytes, items: Sequence[Item]) -> None:
        """
        Send the row of the message.

        @param before: its beginning.
        @raise ClientGone: the client has left, or was hung up on because the rest cannot be had.
        @raise Refusal: the message cannot be read, and nothing was sent.
        """
        try:
            for item in items:
                await self._item(before, item)
                before = b" "
            await self._imap.send(b")\r\n")
        except ClientGone:
            raise
        except Exception as error:
            if before != b" ":
                raise
            self._cannot_go_on(error)

    def _cannot_go_on(self, error: Exception) -> NoReturn:
        # There is no other way to take back a row that has begun, or octets that are promised.
        self._imap.log.error("a message could not be sent to its end: {error}", error=error)
        self._imap.drop()
        raise ClientGone

    async def _item(self, before: bytes, item: Item) -> None:
        before += item.label + b" "
        if item.kind == "BODY[]":
            found: Span | bytes | None = await self._section(item)
        else:
            try:
                found = await self._content(item)
            except No as error:
                self.refused, found = error, None
        if item.kind == "BINARY.SIZE":
            size = 0 if found is None else len(found) if isinstance(found, bytes) else found[1] - found[0]
            await self._imap.send(before + b"%d" % size)
        elif found is None:
            await self._imap.send(before + b"NIL")
        elif isinstance(found, bytes):
            await self._send_octets(before, cut(found, item), item.kind)
        else:
            await self._send_span(before, within(found, item), item.kind)

    async def _send_octets(self, before: bytes, octets: bytes, kind: str) -> None:
        nul = b"\0" in octets
        if nul and kind == "BODY[]":
            octets = octets.replace(b"\0", b"\x80")
        await self._imap.send(_beginning(before, len(octets), nul, kind))
        await self._imap.send(octets)

    async def _send_span(self, before: bytes, span: Span, kind: str) -> None:
        begin, end = span
        nul = kind != "BODY[]" and await self._holds_nul(begin, end)
        await self._imap.send(_beginning(before, end - begin, nul, kind))
        for at in range(begin, end, WINDOW):
            try:
                octets = await self._opened.read(at, min(WINDOW, end - at))
            except Exception as error:
                self._cannot_go_on(error)
            if not nul and b"\0" in octets:
                octets = octets.replace(b"\0", b"\x80")
            await self._imap.send(octets)

    async def _holds_nul(self, begin: int, end: int) -> bool:
        for at in range(begin, end, WINDOW):
            if b"\0" in await self._opened.read(at, min(WINDOW, end - at)):
                return True
        return False

    async def _understood(self, item: Item) -> tuple[Part | None, int]:
        """The structure of the message if a part of it is asked for, and where its body begins if that matters."""
        if item.path:
            if self._structure is None:
                self._structure = await self._opened.derive("structure", parse, self._imap.context.in_thread)
            return self._structure, 0
        if self._body is None and item.section:
            self._body = header_end(await self._opened.read(0, HEADER))
        return None, self._body or 0

    async def _section(self, item: Item) -> Span | bytes | None:
        structure, body = await self._understood(item)
        span = span_of(item, structure, body, self._opened.size)
        if span is None or not item.section.startswith("HEADER"):
            return span
        return chosen(await self._opened.read(span[0], span[1] - span[0]), item)

    async def _content(self, item: Item) -> Span | bytes | None:
        """@raise No: the transfer encoding is not known, or not what it says."""
        structure, _ = await self._understood(item)
        if structure is None:
            return 0, self._opened.size
        part = structure.find(item.path)
        if part is None:
            return None
        if is_plain(part):
            return part.body, part.end

        found: bytes | str = await self._opened.derive(
            ("decoded", item.path), partial(_decode, part), self._imap.context.in_thread)
        if isinstance(found, str):
            raise No(found, UNKNOWN)
        return found


def _decode(part: Part, octets: bytes) -> bytes | str:
    """The content of a part, or what is wrong with it."""
    try:
        return decoded(octets, part)
    except No as error:
        return str(error)


def _beginning(before: bytes, size: int, nul: bool, kind: str) -> bytes:
    """Up to the octets of a literal, which is a literal8 only for content with NUL (RFC 3516 section 4.2)."""
    return before + (b"~{%d}\r\n" if nul and kind != "BODY[]" else b"{%d}\r\n") % size
