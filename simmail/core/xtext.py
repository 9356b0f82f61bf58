"""
xtext: how DSN parameters of SMTP carry text (RFC 3461 section 4).
"""

from __future__ import annotations

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


def encode(text: str) -> str:
    """Printable ASCII as xtext."""
    return "".join(c if "!" <= c <= "~" and c not in "+=" else f"+{ord(c):02X}" for c in text)
