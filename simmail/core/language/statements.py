"""
What a mail states that is answered by itself: what moves people (a birth, a death, an accident, an exam, a joke,
sympathy), and what it puts right ("green, not blue").

The words are data of C{templates/<code>/kinds.yaml}: C{moved} and C{kin}, C{right_not_wrong} and C{wrong_is}, in which
"_" is a blank; a language that has none is read with none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

from msgspec import Struct, convert

from simmail.core.language.phrases import words
from simmail.core.language.text import say
from simmail.core.language_data import read_optional

#: Sentences that are looked at for what moves people, and for what is put right; words of each side of that at most.
_SENTENCES, _CORRECTING = 8, 6
_RIGHT, _WRONG = 5, 4
#: Words of so many letters stand for themselves, not for a beginning.
_WHOLE = 3
#: Letters of a word by which cues are looked up, and what may stand before them.
_KEY, _OPENED = 3, "¡¿(\"„“«‚"
#: What parts words that are said as one: "I'm", "l'hôpital".
_PARTED = str.maketrans("'’-", "   ")


class Moving(NamedTuple):
    """What somebody tells that moves people, C{""} for nothing, and which of its kin it is about."""

    what: str = ""
    kin: str = ""


class _Words(Struct, frozen=True):
    moved: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    kin: frozenset[str] = frozenset()
    unmoved: tuple[str, ...] = ()
    right_not_wrong: tuple[str, ...] = ()
    wrong_is: tuple[str, ...] = ()


class _Cue(NamedTuple):
    """Beginnings of words: of each group one stands in the sentence; C{last}: those of the last without blanks."""

    what: str
    groups: tuple[tuple[str, ...], ...]
    last: tuple[str, ...]


@cache
def _known(code: str) -> _Words:
    return convert(read_optional(code, "kinds.yaml") or {}, _Words)


@cache
def _cues(code: str) -> tuple[_Cue, ...]:
    return tuple(
        _Cue(what, tuple(tuple(map(_beginning, group.split("|"))) for group in cue.split()),
             tuple(one.strip("_.").replace("_", " ") for one in cue.split()[-1].split("|")))
        for what, cues in _known(code).moved.items() for cue in cues)


@cache
def _by_key(code: str) -> Mapping[str, tuple[int, ...]]:
    """The places of the cues by how the words of their last group begin."""
    found: dict[str, dict[int, None]] = {}
    for place, cue in enumerate(_cues(code)):
        for one in cue.last:
            found.setdefault(one.partition(" ")[0][:_KEY], {})[place] = None
    return MappingProxyType({key: tuple(places) for key, places in found.items()})


@cache
def _unmoved(code: str) -> tuple[str, ...]:
    return tuple(map(_beginning, _known(code).unmoved))


def _beginning(cue: str) -> str:
    words = cue.replace("_", " ")
    return f" {words} " if len(words.rpartition(" ")[2]) in range(1, _WHOLE + 1) else f" {words}"


def moving(sentences: Sequence[str], code: str) -> Moving:
    """Return the first of the kinds of C{kinds.yaml}, in its order, that one of the first sentences tells."""
    low = [one.lower().translate(_PARTED) for one in sentences[:_SENTENCES] if not one.endswith("?")]
    said, index, folded = " ".join(low).split(), _by_key(code), list[str]()
    whole, cues = " ".join(said), _cues(code)
    begun = index.keys() & {word.lstrip(_OPENED)[:_KEY] for word in said}
    for what, groups, last in (cues[place] for place in sorted({place for key in begun for place in index[key]})):
        if not any(map(whole.__contains__, last)):
            continue
        folded = folded or [one for one in (f" {' '.join(filter(str.isalnum, words(one)))} . " for one in low)
                            if not any(map(one.__contains__, _unmoved(code)))] or [""]
        told = next((one for one in folded if all(any(map(one.__contains__, group)) for group in groups)), "")
        if told:
            return Moving(what, next((word for word in told.split() if word in _known(code).kin), ""))
    return Moving()


@cache
def _pattern(code: str) -> re.Pattern[str] | None:
    known = _known(code)
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
    found = (pattern.match(sentence[:200]) for sentence in sentences[:_CORRECTING])
    return next((say(one["item"], 80) for one in found if one is not None), "")
