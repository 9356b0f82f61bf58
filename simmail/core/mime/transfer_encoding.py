"""
Content transfer encodings undone (RFC 2045 section 6).
"""

from __future__ import annotations

import re
from binascii import Error as Base64Error
from binascii import a2b_base64, a2b_qp

from simmail.core.mime import structure

_BASE64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_NOT_BASE64 = bytes(octet for octet in range(256) if octet not in _BASE64)
# Looked at from where the blanks begin only, so that a long row of them is gone through once.
_BLANKS = re.compile(rb"(?<![ \t])[ \t]++(?=\r?\n|\Z)")


def unquoted(octets: bytes) -> bytes:
    """
    What quoted-printable stands for.

    Blanks at the end of a line were put there on the way and are none of it, also behind the C{=} of a soft break
    (section 6.7 (3)); what is no encoding stays as it is.
    """
    if b" \r" in octets or b" \n" in octets or b"\t\r" in octets or b"\t\n" in octets or octets[-1:] in (b" ", b"\t"):
        octets = _BLANKS.sub(b"", octets)
    return a2b_qp(octets)


def base64_octets(encoded: bytes) -> bytes:
    """What base64 stands for, as far as it goes: cut off, without padding, or with anything in between."""
    try:
        return a2b_base64(encoded)
    except Base64Error:
        pure = encoded.translate(None, _NOT_BASE64)
        whole = len(pure) // 4 * 4
        rest = pure[whole:]
        return a2b_base64(pure[:whole] + (rest + b"=" * (4 - len(rest)) if len(rest) > 1 else b""))


def content_of(octets: bytes, part: structure.Part) -> bytes:
    """The content of a part of a message with its transfer encoding undone."""
    content = octets[part.body:part.end]
    if part.head.encoding == b"base64":
        return base64_octets(content)
    if part.head.encoding == b"quoted-printable":
        return unquoted(content)
    return content
