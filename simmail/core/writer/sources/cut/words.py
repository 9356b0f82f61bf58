"""
The words of a sentence that was said, and what each may be to an answer that is cut out of it.

How a language cuts is data, C{templates/<code>/cutting.yaml}; out of one without that file nothing is cut.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Literal, NamedTuple

from msgspec import Struct, convert

from simmail.core.language.clause.tables import restating
from simmail.core.language.tables import Language
from simmail.core.language_data import read_optional
from simmail.core.writer.sources.marks import MONEY
from simmail.core.writer.sources.said_words import content, shared

_TOKEN = re.compile(
    r"[€$£]?[^\W_]+(?:['’.:/&+-][^\W_]+|,(?=[0-9])[0-9]+)*(?: ?[€%])?|[€$£]|[,;:()!?…]|(?<= )[–—-](?= )")
_CLOCK = re.compile(r"(?:[01]?[0-9]|2[0-3])(?:[:.h][0-5][0-9]|h|am|pm)")
_ORDINAL = re.compile(r"[0-9]{1,2}(?:st|nd|rd|th|er)")
_STOPS = frozenset(",;:()!?…–—-")
#: More words of a sentence are not looked at, nor longer phrases for.
_WORDS, _PHRASE = 60, 3

Role = Literal["stop", "joint", "skip", "verb", "asked", "place", "kept", "time", "money", "word"]


class Cutting(Struct, frozen=True, forbid_unknown_fields=True):
    """How pieces are cut out of the sentences of one language; the data files say what each field is for."""

    joints: frozenset[str] = frozenset()
    because: tuple[str, ...] = ()
    so: tuple[str, ...] = ()
    skip: frozenset[str] = frozenset()
    verbs: frozenset[str] = frozenset()
    places: frozenset[str] = frozenset()
    kept: frozenset[str] = frozenset()
    inside: frozenset[str] = frozenset()
    moments: frozenset[str] = frozenset()
    quarters: frozenset[str] = frozenset()
    quarter_joins: frozenset[str] = frozenset()
    refusing: tuple[str, ...] = ()
    former: tuple[str, ...] = ()
    phones: tuple[str, ...] = ()
    about: frozenset[str] = frozenset()
    called: tuple[str, ...] = ()
    same: frozenset[str] = frozenset()
    days: tuple[str, ...] = ()
    being: tuple[str, ...] = ()
    spanning: tuple[str, ...] = ()
    trouble: tuple[str, ...] = ()
    unnamed: frozenset[str] = frozenset()
    toward: frozenset[str] = frozenset()
    going: tuple[str, ...] = ()
    ambiguous: frozenset[str] = frozenset()
    measured: tuple[str, ...] = ()
    now: tuple[str, ...] = ()
    still: frozenset[str] = frozenset()
    gone: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    own_address: frozenset[str] = frozenset()
    measures: Mapping[str, frozenset[str]] = {}
    pointing: frozenset[str] = frozenset()
    clausal: tuple[str, ...] = ()
    asked_by: frozenset[str] = frozenset()
    company: Mapping[str, str] = {}
    persons: frozenset[str] = frozenset()
    mine: tuple[str, ...] = ()
    yours: tuple[str, ...] = ()
    turned: Mapping[str, str] = {}
    objects: Mapping[str, str] = {}
    thanking: frozenset[str] = frozenset()
    agreeing: Mapping[str, str] = {}
    unturned: frozenset[str] = frozenset()
    tells_sentences: bool = False


class Word(NamedTuple):
    """A word or a mark of a sentence, where it stands, and what it may be to an answer."""

    text: str
    start: int
    end: int
    role: Role

    @property
    def low(self) -> str:
        """Return it in lower case."""
        return self.text.lower().replace("\u2019", "'")


@cache
def cutting(code: str) -> Cutting:
    """Return how one language cuts."""
    return convert(read_optional(code, "cutting.yaml") or {}, Cutting, strict=False)


def read(sentence: str, asked: Collection[str], language: Language) -> list[Word]:
    """
    Return the words and marks of a sentence.

    @param asked: the words of the question that are its own: what has them is no answer.
    """
    how, found = cutting(language.code), list[Word]()
    matches = list(_TOKEN.finditer(sentence))[:_WORDS]
    sums = [match.span() for match in MONEY.finditer(sentence)]
    low = [match.group().lower().replace("\u2019", "'") for match in matches]
    place = 0
    while place < len(matches):
        start, end = matches[place].span()
        inside = next((one for one in sums if one[0] <= start < one[1]), None)
        if inside is not None:
            size = sum(inside[0] <= one.start() < inside[1] for one in matches[place:])
            found.append(Word(sentence[inside[0]:inside[1]], *inside, "money"))
            place += max(size, 1)
            continue
        role, size = _role(low, place, asked, language, how)
        end = matches[place + size - 1].end()
        if role == "verb" and start and sentence[start].isupper():
            role = "word"  # "Harrow Books"
        found.append(Word(sentence[start:end], start, end, role))
        place += size
    return found


def is_verb(word: str, language: Language) -> bool:
    """Return whether a lower-case word is a verb."""
    return word in _verbs(language.code)


def _role(
    low: Sequence[str], place: int, asked: Collection[str], language: Language, how: Cutting
) -> tuple[Role, int]:
    word = low[place]
    if word in _STOPS:
        return "stop", 1
    if word not in how.kept and _is_time(low, place, language, how):
        return "time", 1
    for size in range(min(_PHRASE, len(low) - place), 0, -1):
        phrase = " ".join(low[place:place + size])
        if phrase in how.kept:
            return "kept", size
        if phrase in how.joints:
            return "joint", size
        if phrase in how.skip:
            return "skip", size
        if phrase in how.places:
            return "place", size
    if word == language.and_:
        return "word", 1
    if asked and shared(asked, content(word, language.code)):
        return "asked", 1
    # "A photo book": behind a noun some verbs are none.
    noun = word in how.ambiguous and bool(place) and low[place - 1] not in how.skip | how.joints | _STOPS
    return ("verb" if word in _verbs(language.code) and not noun else "word"), 1


@cache
def _verbs(code: str) -> frozenset[str]:
    # Those of the language, and of English all that are known, however they end.
    known = restating(code)
    plain = known.verbs if known.base else frozenset[str]()
    return cutting(code).verbs.union((f"{verb}s" for verb in plain), known.past.values())


def _is_time(low: Sequence[str], place: int, language: Language, how: Cutting) -> bool:
    word = low[place]
    behind = next((one for one in low[place + 1:place + 3] if one not in language.day_marks), "")
    if word[0].isdigit():
        return bool(_CLOCK.fullmatch(word) or _ORDINAL.fullmatch(word)) or word.isdecimal() and (
            behind in language.month_forms or behind in language.hour_words or behind in ("am", "pm")
            or len(word) < 5 and any(one in language.month_forms for one in low[max(0, place - 2):place] if one not in (
                language.day_marks)))
    if word in language.counts and place and low[place - 1] in language.at_words and (
            not behind or behind not in language.spans):
        return True  # "dinner is at eight"
    if word in language.counts and place and (low[place - 1] in how.quarters or low[
            place - 1] in how.quarter_joins and not how.quarters.isdisjoint(low[max(0, place - 2):place - 1])):
        return True  # "half past ten", "viertel nach elf"
    if word in language.month_forms:
        # "May" is a month beside a number.
        return len(word) > 3 or any(one[:1].isdigit() for one in low[max(0, place - 2):place + 2])
    return len(word) > 3 and word in language.weekday_forms or word in language.near_days or word in how.moments


def is_clock(token: Word, language: Language) -> bool:
    """Return whether a word is an hour: "10:30", "noon", "eight"."""
    return bool(_CLOCK.match(token.low)) or token.role == "time" and (
        token.low in language.said_times or token.low in language.hour_words or token.low in language.counts)


def is_day(token: Word, language: Language) -> bool:
    """Return whether a word is a day: "Sunday", "20th", "tomorrow"."""
    return token.role == "time" and (
        token.low in language.weekday_forms or token.low in language.month_forms or token.low in language.near_days
        or token.low.rstrip("s") in language.weekday_forms or token.low[0].isdigit() and not is_clock(token, language))


def times(tokens: Sequence[Word], how: Cutting) -> list[tuple[int, int]]:
    """Return where the days and times of a sentence stand, each as the first word and the one behind the last."""
    found: list[tuple[int, int]] = []
    anchors = [at for at, one in enumerate(tokens) if one.role == "time"]
    for at in anchors:
        between = tokens[found[-1][1]:at] if found else ()
        if found and len(between) < 4 and all(
                one.low in how.inside | how.kept | how.quarter_joins or one.text == "," for one in between):
            found[-1] = found[-1][0], at + 1
            continue
        start = at
        while start and (tokens[start - 1].role == "kept" or tokens[start - 1].low in how.inside and tokens[
                start - 2:start - 1] and tokens[start - 2].role == "kept"):
            start -= 1
        found.append((start, at + 1))
    return found
