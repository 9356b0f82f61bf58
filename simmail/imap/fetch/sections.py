"""
Sections of a message: each a slice of its raw octets.

Source: RFC 3501 section 6.4.5, RFC 3516.
"""

from __future__ import annotations

from binascii import a2b_base64

from simmail.core.mime.bodystructure import literal
from simmail.core.mime.headers import fields, header_end, lines
from simmail.core.mime.structure import Part, parse
from simmail.core.mime.encodings import unquoted
from simmail.imap.wire.fetch_items import Item
from simmail.imap.wire.replies import No

#: First octet, and the one behind the last.
Span = tuple[int, int]

#: The response code for an encoding that cannot be undone (RFC 3516 section 4.3).
UNKNOWN = "UNKNOWN-CTE"

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
        if not item.path and not item.section:
            return octets
        structure = self.understand() if item.path else None
        span = span_of(item, structure, 0 if item.path else header_end(octets), len(octets))
        if span is None:
            return None
        found = octets[span[0]:span[1]]
        return chosen(found, item) if item.section.startswith("HEADER") else found

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
        return decoded(self.octets, part)


def span_of(item: Item, structure: Part | None, body: int, size: int) -> Span | None:
    """
    Where a section is in the octets of a message (a HEADER section: what it is C{chosen} from), None for nowhere.

    @param structure: of the message, for an item with a path; body: where its body begins, for one without.
    """
    if not item.path:
        return (0 if item.section != "TEXT" else body), (body if item.section.startswith("HEADER") else size)
    part = structure.find(item.path) if structure is not None else None
    if part is None:
        return None
    if not item.section:
        return part.body, part.end
    if item.section == "MIME":
        return part.start, part.body
    if not part.is_message:
        return None
    inner = part.parts[0]
    return (inner.body, inner.end) if item.section == "TEXT" else (inner.start, inner.body)


def is_plain(part: Part) -> bool:
    """Whether a part is its own content, without a transfer encoding."""
    return part.head.encoding in _PLAIN


def decoded(octets: bytes, part: Part) -> bytes:
    """
    The content of a part of a message without its transfer encoding.

    @raise No: the encoding is not known, or not what it says (RFC 3516 section 4.3).
    """
    found = octets[part.body:part.end]
    if part.head.encoding == b"quoted-printable":
        return unquoted(found)
    try:
        if part.head.encoding == b"base64":
            return a2b_base64(found)
    except ValueError:
        raise No("The part is not base 64 as it says", UNKNOWN) from None
    if not is_plain(part):
        raise No("The encoding of the part is not known", UNKNOWN)
    return found


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


def within(span: Span, item: Item) -> Span:
    """The same of octets that are somewhere."""
    if item.partial is None:
        return span
    begin, end = span
    start, count = item.partial
    begin = min(begin + start, end)
    return begin, min(begin + count, end)
