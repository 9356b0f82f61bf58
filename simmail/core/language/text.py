"""
Text from outside: without what nobody sees, and made fit to be said again.
"""

from __future__ import annotations

import re
from functools import lru_cache

#: Characters of new text that are read; a person skims the rest as well.
READ = 12_000
_CONTROLS = dict.fromkeys((
    *range(9), 11, 12, *range(14, 32), 127, *range(0x200B, 0x2010), *range(0x202A, 0x202F), 0x2060, 0xFEFF,
))
#: What was made fit to be said is kept of so many texts, of at most so many characters.
_MOST_KEPT, _LONGEST_KEPT = 4096, 200
#: So many words in a row in capitals are shouted, and no name.
_SHOUTED = 3
#: Two letters beside each other of which none is a small one of those that Latin has: without them nothing is shouted.
_CAPITALS = re.compile(r"[^\W\d_a-zß-öø-ÿ]{2}")
_NO_SIGNS = {ord(sign): " " for sign in "{}[]<>|\u2028\u2029"}


def clean(text: str) -> str:
    """Return text without control and direction characters, line ends as LF."""
    text = text[: READ * 4]
    if text.isascii():
        if text.isprintable():
            return text
    else:
        text = text.encode("utf-8", "replace").decode("utf-8").replace("\xa0", " ")
    return text.replace("\r\n", "\n").replace("\r", "\n").translate(_CONTROLS)


def capital(text: str) -> str:
    """Return a text with its first letter as a capital."""
    return text[:1].upper() + text[1:]


def calm(text: str) -> str:
    """Return a text without shouting: where many words in a row are in capitals, they are written small."""
    if not _CAPITALS.search(text):
        return text
    words = text.split(" ")
    start = 0
    while start < len(words):
        end = start
        while end < len(words) and not any(map(str.islower, words[end])):
            end += 1
        run = words[start:end]
        if sum(len(one) > 1 and one.isalpha() for one in (word.strip(",.;:!?\"'()") for word in run)) >= _SHOUTED:
            words[start:end] = [word if word.strip(",.;:!?") == "I" else word.lower() for word in run]
        start = end + 1
    calmed = " ".join(words)
    return calmed if calmed == text else capital(calmed)


def say(text: str, longest: int = 120) -> str:
    """Return foreign text made fit to be said again: one line, no markup, no signs of templates."""
    return (_said_again if len(text) <= _LONGEST_KEPT else _said)(text, longest)


def _said(text: str, longest: int) -> str:
    line = " ".join(clean(text[: 4 * longest]).translate(_NO_SIGNS).split())
    return line if len(line) <= longest else line[:longest].rsplit(" ", 1)[0].rstrip(" ,;:-") + "…"


#: The same names, subjects and sentences are said again and again.
_said_again = lru_cache(_MOST_KEPT)(_said)
