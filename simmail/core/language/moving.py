"""
What moves people in a mail: a birth, a death, an accident, an exam, a joke, sympathy.

The words are data, C{moved} and C{kin} of C{templates/<code>/kinds.yaml}; a language that has none is read with none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

from msgspec import Struct, convert

from simmail.core.language.phrases import words
from simmail.core.language_data import read_optional

#: Sentences that are looked at.
_SENTENCES = 8
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


class _Cue(NamedTuple):
    """Beginnings of words: of each group one stands in the sentence; C{last}: those of the last without blanks."""

    what: str
    groups: tuple[tuple[str, ...], ...]
    last: tuple[str, ...]


@cache
def _kin(code: str) -> frozenset[str]:
    return convert(read_optional(code, "kinds.yaml") or {}, _Words).kin


@cache
def _cues(code: str) -> tuple[_Cue, ...]:
    known = convert(read_optional(code, "kinds.yaml") or {}, _Words)
    return tuple(
        _Cue(what, tuple(tuple(map(_beginning, group.split("|"))) for group in cue.split()),
             tuple(one.strip("_.").replace("_", " ") for one in cue.split()[-1].split("|")))
        for what, cues in known.moved.items() for cue in cues)


@cache
def _by_key(code: str) -> Mapping[str, tuple[int, ...]]:
    """The places of the cues by how the words of their last group begin."""
    found: dict[str, dict[int, None]] = {}
    for place, cue in enumerate(_cues(code)):
        for one in cue.last:
            found.setdefault(one.partition(" ")[0][:_KEY], {})[place] = None
    return MappingProxyType({key: tuple(places) for key, places in found.items()})


def _beginning(cue: str) -> str:
    words = cue.replace("_", " ")
    return f" {words} " if len(words.rpartition(" ")[2]) in range(1, _WHOLE + 1) else f" {words}"


def moving(sentences: Sequence[str], code: str) -> Moving:
    """Return the first of the kinds of C{kinds.yaml}, in its order, that one of the first sentences tells."""
    low = [one.lower().translate(_PARTED) for one in sentences[:_SENTENCES]]
    said, index, folded = " ".join(low).split(), _by_key(code), list[str]()
    whole, cues = " ".join(said), _cues(code)
    begun = index.keys() & {word.lstrip(_OPENED)[:_KEY] for word in said}
    for what, groups, last in (cues[place] for place in sorted({place for key in begun for place in index[key]})):
        if not any(map(whole.__contains__, last)):
            continue
        folded = folded or [f" {' '.join(filter(str.isalnum, words(one)))} . " for one in low]
        told = next((one for one in folded if all(any(map(one.__contains__, group)) for group in groups)), "")
        if told:
            return Moving(what, next((word for word in told.split() if word in _kin(code)), ""))
    return Moving()
