"""
Mailbox names on the wire: modified UTF-7, or UTF-8 where a client may use it.

Source: RFC 3501 section 5.1.3, RFC 6855 section 3.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from binascii import Error as Base64Error

from simmail.errors import Invalid

LONGEST = 1000

_SHIFTED = re.compile(r"&([A-Za-z0-9+,]*)-")
_FOREIGN = re.compile(r"[^\x20-\x7e]+")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def decode_name(octets: bytes, utf8: bool = False) -> str:
    """
    The name that octets mean.

    8-bit octets are read as UTF-8 in any case: nothing else can be meant.

    @param utf8: whether C{&} is an ordinary character (RFC 6855).
    @raise Invalid: bad modified UTF-7 or UTF-8, control characters, too long.
    """
    if len(octets) > LONGEST:
        raise Invalid("", "is too long")
    try:
        text = octets.decode("utf-8")
    except UnicodeDecodeError:
        raise Invalid("", "is not valid UTF-8") from None
    if not utf8 and text.isascii() and "&" in text:
        text = _unshifted(text)
    if _CONTROL.search(text):
        raise Invalid("", "holds control characters")
    return text


def _unshifted(text: str) -> str:
    pieces: list[str] = []
    at = 0
    while True:
        start = text.find("&", at)
        if start < 0:
            return "".join(pieces) + text[at:]
        pieces.append(text[at:start])
        match = _SHIFTED.match(text, start)
        if match is None:
            raise Invalid("", "is not valid modified UTF-7")
        at = match.end()
        if not match[1]:
            pieces.append("&")
            continue
        coded = match[1].replace(",", "/")
        try:
            pieces.append(b64decode(coded + "=" * (-len(coded) % 4), validate=True).decode("utf-16-be"))
        except (Base64Error, UnicodeDecodeError):
            raise Invalid("", "is not valid modified UTF-7") from None


def encode_name(name: str, utf8: bool = False) -> bytes:
    """A name for the wire, without quotes."""
    if utf8:
        return name.encode("utf-8", "replace")
    if name.isascii() and "&" not in name:
        return name.encode("ascii")
    return _FOREIGN.sub(_shifted, name.replace("&", "&-")).encode("ascii")


def _shifted(match: re.Match[str]) -> str:
    coded = b64encode(match[0].encode("utf-16-be", "replace")).decode("ascii")
    return "&" + coded.rstrip("=").replace("/", ",") + "-"


def quoted_name(name: str, utf8: bool = False) -> bytes:
    """A name for the wire as an astring."""
    octets = encode_name(name, utf8)
    if _ATOM.fullmatch(octets):
        return octets
    return b'"%b"' % octets.replace(b"\\", b"\\\\").replace(b'"', b'\\"')


_ATOM = re.compile(rb"[A-Za-z0-9&+,./:=_-]++")
