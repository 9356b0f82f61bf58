"""
What somebody keeps to, by the notes it was given: hours and days that are not for others, and sums it does not exceed.

The words stand in C{templates/<code>/kinds.yaml}; notes are read in every language, for who wrote them need not have
known in which one mail would come.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date, datetime, time, timedelta
from functools import cache, lru_cache

from msgspec import Struct, convert

from simmail.core.language.tables import language
from simmail.core.language_data import WRITTEN, read_optional
from simmail.core.writer.sources.marks import MONEY, amount_of
from simmail.core.writer.sources.said_words import content, shared

#: Notes whose reading is kept.
_KEPT = 4096
#: Until then somebody is busy who is so in the morning, from then on who is so in the afternoon or in the evening.
_NOON, _EVENING = time(12), time(17)
_CLOCK = r"(?:{cues}) (?:the |las? |les? )?([0-9]{{1,2}})(?:(?:[:.]| ?[hu] ?)([0-5][0-9]))? ?(am|pm)?(?![0-9/%])"


class LimitWords(Struct, frozen=True, forbid_unknown_fields=True):
    """How notes of one language set limits; pieces of lower-case text, the data files say what each is for."""

    no: tuple[str, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]
    first: tuple[str, ...]
    away: tuple[str, ...]
    to: tuple[str, ...]
    most: tuple[str, ...]
    free: tuple[str, ...]
    taken: tuple[str, ...]
    all_day: tuple[str, ...]
    forenoon: tuple[str, ...]
    afternoon: tuple[str, ...]
    evening: tuple[str, ...]
    bound_below: tuple[str, ...]
    bound_behind: tuple[str, ...]
    bound_most: tuple[str, ...]
    bound_above: tuple[str, ...]
    bound_least: tuple[str, ...]
    lowest: frozenset[str]
    highest: frozenset[str]
    beyond: tuple[str, ...]
    early: tuple[str, ...]
    middle: tuple[str, ...]
    late: tuple[str, ...]


class Limit(Struct, frozen=True):
    """
    What one note keeps to.

    @ivar days: of the week, all where none is named; numbers: in the month, all where none is named.
    @ivar first, last: no time before the one or from the other on; free: it is not kept, but best for others.
    @ivar away: first and last day, each as month and day; most: a sum, 0 for none, and what it is for.
    """

    days: frozenset[int] = frozenset()
    numbers: frozenset[int] = frozenset()
    free: bool = False
    first: time = time.min
    last: time = time.max
    away: tuple[tuple[int, int], tuple[int, int]] | None = None
    most: float = 0.0
    about: str = ""

    def bears(self, day: date) -> bool:
        """Return whether it speaks of a day."""
        return (not self.days or day.weekday() in self.days) and (not self.numbers or day.day in self.numbers)


class OwnLimits:
    """What somebody keeps to; C{times}: whether that is any time, and not only sums."""

    def __init__(self, notes: Iterable[str] = ()) -> None:
        """Read the notes that were given; what a person noted itself begins with a date, and sets none."""
        read = [one for note in notes if not note[:1].isdigit() for one in _read(note[:600])]
        self._limits = [one for one in read if not one.free]
        self._free = [one for one in read if one.free]
        self.times = any(not one.most for one in self._limits)

    def free(self, start: datetime, span: timedelta) -> bool:
        """Return whether a time, in the person's zone, is none that it keeps for itself."""
        return self.works(start.date()) and not any(
            one.bears(start.date()) and (
                start.time() < one.first or (start + span - timedelta(minutes=1)).time() >= one.last)
            for one in self._limits)

    def prefers(self, day: date) -> bool:
        """Return whether a day is named as one that suits."""
        return any(one.bears(day) for one in self._free)

    def works(self, day: date) -> bool:
        """Return whether a day is one for others."""
        for one in self._limits:
            if one.away is not None:
                begin, end = one.away
                at = (day.month, day.day)
                if begin <= at <= end if begin <= end else at >= begin or at <= end:
                    return False
            if one.days and one.bears(day) and (one.first, one.last) == (time.min, time.max):
                return False
        return True

    def most(self, text: str, code: str) -> float:
        """Return the sum that is not exceeded for what a text speaks of, 0 for none."""
        named = content(text, code)
        return next((one.most for one in self._limits if one.most and (
            not (about := content(one.about, code)) or shared(about, named))), 0.0)


def caps(note: str) -> bool:
    """Return whether a note sets a sum that is not exceeded, which nobody tells who offers."""
    return any(one.most for one in _read(note[:600]))


@lru_cache(_KEPT)
def _read(note: str) -> tuple[Limit, ...]:
    # "From 9. to 13." is one sentence; "Monday is taken, Wednesday is fine" is two.
    return tuple(limit for sentence in re.split(r"(?<![0-9])[.;!]\s|\n", note) for limit in next(
        filter(None, (_limits(sentence, code) for code in WRITTEN)), ()))


def _limits(sentence: str, code: str) -> list[Limit]:
    """What a sentence keeps to, in one language, clause by clause where one of them says what suits."""
    parts = [one for one in re.split(r", (?![0-9]|den )", sentence) if _days(one.lower(), code)]
    if len(parts) > 1 and any(f" {cue}" in f" {sentence.lower()} " for cue in limit_words(code).free):
        return [limit for one in parts for limit in _limit(one, code)]
    return _limit(sentence, code)


def _days(low: str, code: str) -> frozenset[int]:
    return frozenset(at for at, day in enumerate(language(code).weekdays) if day.lower() in low)


def _limit(sentence: str, code: str) -> list[Limit]:
    """What a sentence keeps to, in one language."""
    words, known, low = limit_words(code), language(code), f" {sentence.lower()} ".replace("\u2019", "'")
    sums = [amount_of(one or other) for one, other in MONEY.findall(sentence)] or [
        amount_of(one) for one in _bare_sum(code).findall(low)]
    if sums and any(f" {cue}" in low for cue in words.most):
        rest = MONEY.sub(" ", low)
        for cue in sorted(words.most, key=len, reverse=True):
            rest = rest.replace(f" {cue}", " ")
        return [Limit(most=sums[0], about=rest.strip())]
    away = _span(code).search(low) if any(f" {cue}" in low for cue in words.away) else None
    if away is not None:
        months = [month.lower() for month in known.months]
        ends = months.index(away["last_month"]) + 1
        begins = months.index(away["first_month"]) + 1 if away["first_month"] else ends
        return [Limit(away=((begins, int(away["first"])), (ends, int(away["last"]))))]
    denied = any(f" {cue} " in low for cue in words.no)
    days = _days(low, code)
    numbers = frozenset(map(int, _numbered(code).findall(low)))
    if days and any(f" {cue}" in low for cue in words.taken):
        return [Limit(days, numbers)]
    first, late = (_clock(cues, low) for cues in (words.first + words.before * denied, words.after * denied))
    if first or late:
        return [Limit(days, first=first or time.min, last=late or time.max)]
    if days and any(f" {cue}" in low for cue in words.free) and not denied:
        return [Limit(days, numbers, free=True)]
    if days:
        # "Is in Bristol all day on Thursday", "operates on Tuesday afternoons"
        if any(f" {cue}" in low for cue in words.all_day):
            return [Limit(days)]
        for cues, start, end in ((words.forenoon, _NOON, time.max), (words.afternoon, time.min, _NOON),
                                 (words.evening, time.min, _EVENING)):
            if any(cue in low for cue in cues):
                return [Limit(days, first=start, last=end)]
    dated = any(map(str.isdigit, low)) or any(month.lower() in low for month in known.months)
    return [Limit(days)] if denied and days and not dated else []


def _clock(cues: tuple[str, ...], low: str) -> time | None:
    """The time of day behind one of some cues."""
    found = re.search(_CLOCK.format(cues="|".join(map(re.escape, cues))), low) if cues else None
    hour = int(found[1]) + (12 if found[3] == "pm" and int(found[1]) < 12 else 0) if found is not None else 24
    return time(hour, int(found[2] or 0)) if found is not None and hour < 24 else None


@cache
def _numbered(code: str) -> re.Pattern[str]:
    """The number of a day behind its name: "Monday 14th"."""
    days = "|".join(day.lower() for day in language(code).weekdays)
    return re.compile(rf"(?:{days}),? (?:the |den |le |el )?([0-9]{{1,2}})(?![0-9:]|[.,][0-9]| ?(?:h|uhr|am|pm)\b)")


@cache
def _bare_sum(code: str) -> re.Pattern[str]:
    """A sum without its currency: "at most 2900"."""
    return re.compile(rf" (?:{'|'.join(map(re.escape, limit_words(code).most))}) ([0-9][0-9.,]*[0-9]{{2}})(?![0-9:%])")


@cache
def limit_words(code: str) -> LimitWords:
    """Return how notes of a language set limits."""
    return convert((read_optional(code, "kinds.yaml") or {})["limits"], LimitWords)


@cache
def _span(code: str) -> re.Pattern[str]:
    """A span of days: "from 24 December to 6 January"."""
    months = "|".join(month.lower() for month in language(code).months)
    to = "|".join(map(re.escape, limit_words(code).to))
    day = r"(?:the |le |el |dem |den )?(?P<{0}>[0-9]{{1,2}})(?:\.|st|nd|rd|th|er)?"
    return re.compile(rf"{day.format('first')} ?(?:(?:of |de |d')?(?P<first_month>{months}))? ?(?:{to}) "
                      rf"?{day.format('last')} ?(?:of |de |d')?(?P<last_month>{months})")
