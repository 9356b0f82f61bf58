"""
Text as searches compare it: whoever searches in capitals, without accents put together or in full width finds the same.

Source: Unicode, chapter 3.13 (compatibility caseless matching).  What two texts have in common by i;unicode-casemap
(RFC 5051), which titlecases each character by itself, they have in common by this, and C{ß} is C{ss} besides.
"""

from __future__ import annotations

from unicodedata import normalize


def fold(text: str) -> str:
    """The same for all texts that differ in case only; decomposed (NFKD), and without NUL, in whose place is U+FFFD."""
    if "\0" in text:
        text = text.replace("\0", "\ufffd")
    # Some characters fold to what others do only by way of their capitals.
    return text.lower() if text.isascii() else normalize("NFKD", text).upper().casefold()
