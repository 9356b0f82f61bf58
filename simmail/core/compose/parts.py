"""
The parts of a message being written: transfer encodings, parameters, delimiters.

Every octet is a function of what goes in.  Source: RFC 2045, RFC 2046, RFC
2183, RFC 2231.
"""

from __future__ import annotations

import re
from binascii import b2a_base64, b2a_qp
from collections.abc import Callable, Sequence
from typing import NamedTuple

from simmail.core.message.mail import Attachment

#: Octets of a line: what RFC 5322 section 2.1.1 allows, and what it recommends.
LONGEST_LINE, USUAL_LINE = 998, 76

#: Characters of a parameter value that are not split up.
_ONE_PIECE = 60
_SIMPLE = re.compile(r"[A-Za-z0-9!#$&+^_`{|}~ .,()@=-]*")
_BARE = re.compile(r"[A-Za-z0-9!#$&+^_`{|}~.-]+")
_ATTRIBUTE_CHARS = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$&+-.^_`{|}~")


class Entity(NamedTuple):
    """Content header fields (name, folded value) and a body with CRLF lines."""

    fields: tuple[tuple[str, str], ...]
    body: bytes

    def octets(self) -> bytes:
        """As a part of a multipart."""
        head = "".join([f"{name}: {value}\r\n" for name, value in self.fields])
        return head.encode("utf-8") + b"\r\n" + self.body


def text_part(subtype: str, text: str, eight_bit: bool, charset: str, bare: bool = False) -> Entity:
    """
    A text part, in 7bit where it can be, else 8bit if allowed, else whichever of the two encodings is shorter.

    @param charset: how UTF-8 is spelled; bare: C{us-ascii} where that is enough.
    """
    octets = text.replace("\r\n", "\n").replace("\r", "\n").encode("utf-8").replace(b"\n", b"\r\n")
    if not octets.endswith(b"\n"):
        octets += b"\r\n"
    ascii_only = octets.isascii()
    short = max(map(len, octets.split(b"\r\n"))) <= LONGEST_LINE - 8 and b"\0" not in octets
    if ascii_only and short:
        encoding = "7bit"
    elif eight_bit and short:
        encoding = "8bit"
    elif len(octets.translate(None, _ASCII)) * 3 > len(octets):
        encoding, octets = "base64", base64_lines(octets)
    else:
        encoding, octets = "quoted-printable", quoted_printable(octets)
    label = "us-ascii" if ascii_only and bare else charset
    kind = f"text/{subtype}; charset={label if bare else quoted(label)}"
    return Entity((("Content-Type", kind), ("Content-Transfer-Encoding", encoding)), octets)


_ASCII = bytes(range(128))


def attachment_part(attachment: Attachment, inline: bool) -> Entity:
    """
    An attachment, in base64; an enclosed message as it is where it may be (RFC 2046 section 5.2.1).

    @param inline: it belongs to the HTML beside it.
    """
    kind, octets = attachment.content_type, attachment.octets
    encoding = "base64"
    if kind.lower().startswith("message/"):
        if _is_lines(octets):
            encoding = "7bit" if octets.isascii() else "8bit"
        else:
            kind = "application/octet-stream"
    given = [kind]
    disposition = ["inline" if inline else "attachment"]
    if attachment.filename:
        given += parameter("name", attachment.filename) if _SIMPLE.fullmatch(attachment.filename) else []
        disposition += parameter("filename", attachment.filename)
    fields = [("Content-Type", ";\r\n\t".join(given)), ("Content-Disposition", ";\r\n\t".join(disposition)),
              ("Content-Transfer-Encoding", encoding)]
    content_id = attachment.content_id.strip("<>")
    if content_id:
        fields.append(("Content-ID", f"<{content_id}>"))
    return Entity(tuple(fields), base64_lines(octets) if encoding == "base64" else octets)


def form_part(form: Attachment) -> Entity:
    """Another form of what a message says, as it is where its lines may be, else in base64; no file."""
    as_it_is = form.octets.isascii() and _is_lines(form.octets)
    octets = form.octets if as_it_is else base64_lines(form.octets)
    return Entity((("Content-Type", form.content_type),
                   ("Content-Transfer-Encoding", "7bit" if as_it_is else "base64")), octets)


def multipart(subtype: str, parts: Sequence[Entity], boundary: Callable[[int], str], extra: str = "") -> Entity:
    """
    A multipart.

    @param boundary: the n-th proposal for the delimiter; the first that no part holds is taken.
    @param extra: further parameters, such as the C{type} of multipart/related.
    """
    bodies = [part.octets() for part in parts]
    n = 0
    mark = boundary(n)
    while any(b"--" + mark.encode("ascii") in body for body in bodies):
        n += 1
        mark = boundary(n)
    delimiter = b"--" + mark.encode("ascii")
    body = b"".join([delimiter + b"\r\n" + one + b"\r\n" for one in bodies]) + delimiter + b"--\r\n"
    return Entity((("Content-Type", f"multipart/{subtype};\r\n\t{extra}boundary={quoted(mark)}"),), body)


def quoted(value: str) -> str:
    """A parameter value in quotes; it holds neither quotes nor backslashes."""
    return f'"{value}"'


def parameter(name: str, value: str) -> list[str]:
    """A parameter, as several numbered ones where it is long or not plain ASCII (RFC 2231)."""
    if len(value) <= _ONE_PIECE and _SIMPLE.fullmatch(value):
        return [f"{name}={value if _BARE.fullmatch(value) else quoted(value)}"]
    pieces: list[str] = []
    current: list[str] = []
    used = 0
    for character in value:
        piece = "".join(
            chr(octet) if octet in _ATTRIBUTE_CHARS else f"%{octet:02X}" for octet in character.encode("utf-8"))
        if used + len(piece) > _ONE_PIECE:
            pieces.append("".join(current))
            current, used = [], 0
        current.append(piece)
        used += len(piece)
    pieces.append("".join(current))
    pieces[0] = "utf-8''" + pieces[0]
    if len(pieces) == 1:
        return [f"{name}*={pieces[0]}"]
    return [f"{name}*{n}*={piece}" for n, piece in enumerate(pieces)]


def base64_lines(octets: bytes) -> bytes:
    """Base64 in lines of 76."""
    encoded = b2a_base64(octets, newline=False)
    return b"".join([encoded[at:at + USUAL_LINE] + b"\r\n" for at in range(0, len(encoded), USUAL_LINE)])


def quoted_printable(octets: bytes) -> bytes:
    """Quoted-printable of lines that end with CRLF; a lone dot never stands on a line."""
    return b2a_qp(octets, istext=True)


def _is_lines(octets: bytes) -> bool:
    """Whether octets are lines of a bearable length that end with CRLF."""
    if b"\0" in octets:
        return False
    without = octets.replace(b"\r\n", b"")
    return b"\r" not in without and b"\n" not in without and (
        max(map(len, octets.split(b"\r\n"))) <= LONGEST_LINE)
