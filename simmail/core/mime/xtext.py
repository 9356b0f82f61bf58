"""
xtext: how DSN parameters of SMTP carry text (RFC 3461 section 4), and its sister for UTF-8 (RFC 6533 section 3).
"""

from __future__ import annotations

import re

#: A character that an address of the type C{utf-8} holds in ASCII.
_EMBEDDED = re.compile(r"\\x\{([0-9A-F]{2,6})\}", re.IGNORECASE)

_HEX = "0123456789ABCDEF"


def decode(value: str) -> str | None:
    """
    The text that an xtext stands for; None for bad xtext and one that hides a control character or non-ASCII.

    A bare C{=}, which many clients do not encode, is let through.
    """
    if not value.isascii() or not value.isprintable() or " " in value:
        return None
    first, *others = value.split("+")
    text = [first]
    for part in others:
        if len(part) < 2 or part[0] not in _HEX or part[1] not in _HEX:
            return None
        character = chr(int(part[:2], 16))
        if not " " <= character < "\x7f":
            return None
        text += character, part[2:]
    return "".join(text)


def is_unicode(value: str, utf8: bool) -> bool:
    """
    Whether an address of the type C{utf-8} is well formed; a backslash begins an embedded character and nothing else.

    @param utf8: characters beyond ASCII may stand for themselves.
    """
    if not value.isprintable() or " " in value or not (utf8 or value.isascii()) or "\\" in _EMBEDDED.sub("", value):
        return False
    return all(int(one, 16) <= 0x10FFFF and chr(int(one, 16)).isprintable() for one in _EMBEDDED.findall(value))
