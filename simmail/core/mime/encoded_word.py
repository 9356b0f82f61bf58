"""
Encoded words: non-ASCII text in header fields (RFC 2047), read leniently, written strictly.

Decoded text never holds a line break or another control character, whatever
was encoded, so nothing decoded here can add a header field.
"""

from __future__ import annotations

import re
from base64 import b64encode
from binascii import a2b_qp

from simmail.core.mime import encodings

#: RFC 2047 section 2.
LONGEST_WORD = 75

# Each run stops at the next "?", so every character is looked at once or twice.  Words longer than the RFC allows and
# blanks inside Q are common and read.
_WORD = re.compile(r"=\?([^?\s]{1,64})\?([bBqQ])\?([^?\r\n]*)\?=")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_SAFE = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!*+-/")


def clean(text: str) -> str:
    """Text with every run of control characters and line ends as one blank."""
    return text if text.isprintable() else _CONTROLS.sub(" ", text)


def decode(text: str) -> str:
    """Header text with its encoded words decoded; neighbours in one charset are joined before decoding."""
    if "=?" not in text:
        return clean(text)
    out: list[str] = []
    gathered: list[bytes] = []
    charset = ""
    end = 0
    for match in _WORD.finditer(text):
        between = text[end:match.start()]
        label = match[1].lower()
        # White space between two encoded words is not shown (section 6.2).
        if gathered and (label != charset or between.strip(" \t\r\n")):
            out.append(encodings.decode(b"".join(gathered), charset))
            gathered.clear()
        if between.strip(" \t\r\n") or not end:
            out.append(between)
        charset = label
        gathered.append(_octets(match[2], match[3]))
        end = match.end()
    if gathered:
        out.append(encodings.decode(b"".join(gathered), charset))
    out.append(text[end:])
    return clean("".join(out))


def _octets(encoding: str, encoded: str) -> bytes:
    raw = encoded.encode("utf-8", "replace")
    if encoding in "qQ":
        return a2b_qp(raw, header=True)
    return encodings.base64_octets(raw)


def plain(text: str) -> bool:
    """Whether text may stand in a header as it is: ASCII, single blanks, no controls, foldable, no look of a word."""
    return (
        text.isascii() and text.isprintable() and "=?" not in text
        and text == " ".join(text.split())
        and (len(text) < 900 or max(map(len, text.split())) < 900)
    )


def encode(text: str) -> list[str]:
    """
    Text as encoded words of at most 75 characters in UTF-8, each of whole characters, to be joined by blanks.

    Q where at least half is ASCII, else B; only what may stand in a phrase is left bare (section 5 (3)).
    """
    octets = text.encode("utf-8")
    use_q = sum(octet in _SAFE or octet == 0x20 for octet in octets) * 2 >= len(octets)
    room = LONGEST_WORD - len("=?utf-8?q??=")
    words: list[str] = []
    if use_q:
        current: list[str] = []
        used = 0
        for character in text:
            piece = _q(character)
            if used + len(piece) > room:
                words.append("".join(current))
                current, used = [], 0
            current.append(piece)
            used += len(piece)
        words.append("".join(current))
        return [f"=?utf-8?q?{word}?=" for word in words]
    start = 0
    per_word = room // 4 * 3
    while start < len(octets):
        end = min(start + per_word, len(octets))
        while end < len(octets) and octets[end] & 0xC0 == 0x80:
            end -= 1
        words.append(b64encode(octets[start:end]).decode("ascii"))
        start = end
    return [f"=?utf-8?b?{word}?=" for word in words]


def _q(character: str) -> str:
    if character == " ":
        return "_"
    octets = character.encode("utf-8")
    return character if octets[0] in _SAFE and len(octets) == 1 else "".join(f"={octet:02X}" for octet in octets)
