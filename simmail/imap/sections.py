"""
Sections of a message: each a slice of its raw octets.

Source: RFC 3501 section 6.4.5, RFC 3516.
"""

from __future__ import annotations

from binascii import a2b_base64

from simmail.core.envelope import literal
from simmail.core.headers import fields, header_end, lines
from simmail.core.mime import Part, parse
from simmail.core.transfer import unquoted
from simmail.imap.fetch_items import Item
from simmail.imap.replies import No

_PLAIN = (b"7bit", b"8bit", b"binary")


class Sections:
    """The sections of one message; its structure is worked out when a part is asked for."""

    __slots__ = ("octets", "_structure")

    def __init__(self, octets: bytes) -> None:
        self.octets = octets
        self._structure: Part | None = None

    def understand(self) -> Part:
        """The structure of the message."""
        if self._structure is None:
            self._structure = parse(self.octets)
        return self._structure

    def shown(self, item: Item) -> bytes:
        """The answer to a section item: its label and what it holds."""
        found = self.find(item)
        if found is None:
            return item.label + b" NIL"
        return item.label + b" " + literal(cut(found, item))

    def find(self, item: Item) -> bytes | None:
        """The octets of a section, None when the message has no such part."""
        octets = self.octets
        if not item.path:
            if not item.section:
                return octets
            body = header_end(octets)
            if item.section == "TEXT":
                return octets[body:]
            return chosen(octets[:body], item)
        part = self.understand().find(item.path)
        if part is None:
            return None
        if not item.section:
            return octets[part.body:part.end]
        if item.section == "MIME":
            return octets[part.start:part.body]
        if not part.is_message:
            return None
        inner = part.parts[0]
        if item.section == "TEXT":
            return octets[inner.body:inner.end]
        return chosen(octets[inner.start:inner.body], item)

    def binary(self, item: Item) -> bytes | None:
        """
        The content of a part without its transfer encoding, None when the message has no such part.

        @raise No: the encoding is not known, or not what it says (RFC 3516 section 4.3).
        """
        if not item.path:
            return self.octets
        part = self.understand().find(item.path)
        if part is None:
            return None
        octets = self.octets[part.body:part.end]
        if part.head.encoding == b"quoted-printable":
            return unquoted(octets)
        try:
            if part.head.encoding == b"base64":
                return a2b_base64(octets)
        except ValueError:
            raise No("The part is not base 64 as it says", "UNKNOWN-CTE") from None
        if part.head.encoding not in _PLAIN:
            raise No("The encoding of the part is not known", "UNKNOWN-CTE")
        return octets


def binary(octets: bytes) -> bytes:
    """A string; only as a literal8 when it holds NUL (RFC 3516 section 4.2)."""
    if b"\0" in octets:
        return b"~{%d}\r\n%b" % (len(octets), octets)
    return literal(octets)


def chosen(header: bytes, item: Item) -> bytes:
    """A header section, or those of its fields that were asked for, with the blank line."""
    if item.section == "HEADER":
        return header
    if item.fields is not None:
        found = b"".join(item.fields.findall(header))
        return found + (b"\r\n" if not found or found.endswith(b"\n") else b"\r\n\r\n")
    if item.section == "HEADER.FIELDS":
        return b"".join([raw for name, raw in fields(header) if name in item.names]) + b"\r\n"
    # All that is not named, also what is no field.
    return b"".join([raw for name, raw in lines(header) if name not in item.names]) + b"\r\n"


def cut(octets: bytes, item: Item) -> bytes:
    """The partial that was asked for."""
    if item.partial is None:
        return octets
    start, count = item.partial
    return octets[start:start + count]
