"""
What a mail puts right: "green, not blue".

The words are data, C{right_not_wrong} and C{wrong_is} of C{templates/<code>/kinds.yaml}; "_" is a blank in them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from msgspec import Struct, convert

from simmail.core.language.phrases import say
from simmail.core.language_data import read_optional

#: Sentences that are looked at, and words of each side at most.
_SENTENCES, _RIGHT, _WRONG = 6, 5, 4


class _Words(Struct, frozen=True):
    right_not_wrong: tuple[str, ...] = ()
    wrong_is: tuple[str, ...] = ()


@cache
def _pattern(code: str) -> re.Pattern[str] | None:
    known = convert(read_optional(code, "kinds.yaml") or {}, _Words)
    if not known.right_not_wrong:
        return None
    heads, joints = ("|".join(re.escape(one.replace("_", " ")) for one in some)
                     for some in (known.wrong_is, known.right_not_wrong))
    word = r"[^\s,;:.?!]{1,24}"
    # The last word that may stand before it counts.
    return re.compile(
        rf".*(?:^|[\s])(?:{heads})\s(?P<item>{word}(?: {word}){{0,{_RIGHT - 1}}}(?:{joints}){word}"
        rf"(?: {word}){{0,{_WRONG - 1}}})[.!]*$", re.IGNORECASE)


def correction(sentences: Sequence[str], code: str) -> str:
    """Return what is right and what is not as it is written, "green, not blue"; C{""} where nothing is put right."""
    pattern = _pattern(code)
    if pattern is None:
        return ""
    found = (pattern.match(sentence[:200]) for sentence in sentences[:_SENTENCES])
    return next((say(one["item"], 80) for one in found if one is not None), "")
