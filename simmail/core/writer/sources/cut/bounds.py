"""
Whether a figure that is asked about keeps to what is known, where one of them is a limit: "under 1,500", "by the 20th".

Every figure is a range; what is asked is so where it meets the one that is known.  The words stand in
C{templates/<code>/kinds.yaml}.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Mapping
from datetime import date, datetime
from functools import cache, lru_cache
from math import inf
from typing import NamedTuple

from msgspec import Struct

from simmail.core.language.tables import Language
from simmail.core.language.tables import language as known_language
from simmail.core.writer.sources.limits import limit_words
from simmail.core.writer.sources.marks import amount_of, marks

#: A limit holds for what stands so many words behind it.
_REACH = 5
#: Texts whose figures are kept: each fact is held against each question of a mail.
_KEPT = 1024
#: Noon and night, in minutes: an hour without "am" before the first is meant as one of the afternoon.
_MORNING, _HALF_DAY = 7 * 60, 12 * 60
_NUMBER = re.compile(r"(?<![\w.,:-])([0-9]{1,3}(?:[., '][0-9]{3})+|[0-9]{1,7}(?:[.,][0-9]{1,2})?)(?![\w:]|[.,][0-9])")
_CLOCK = re.compile(r"(?<![\w.,:-])([0-9]{1,2})(?:[:.h]([0-5][0-9]))?( ?(?:am|a\.m\.|pm|p\.m\.|uhr|h|o'clock)(?!\w))"
                    r"|(?<![\w.,:-])([0-9]{1,2})[:h]([0-5][0-9])(?![\w:])")


class Range(NamedTuple):
    """From the lowest to the highest value; C{limits}: it was named as a limit, and is no value of its own."""

    low: float
    high: float
    limits: bool = False


class Ranges(Struct, frozen=True):
    """The figures of a text by what they are: C{day}, C{time} (minutes), C{sum}, C{share}, C{number}."""

    kinds: Mapping[str, list[Range]]

    @property
    def limited(self) -> bool:
        """Whether one of them is a limit."""
        return any(one.limits for some in self.kinds.values() for one in some)


def ranges(text: str, base: datetime, language: Language, label: str = "") -> Ranges:
    """
    Return the figures of a text as ranges.

    @param base: when it was said, aware.
    @param label: what they are called, which may be a limit as well: "lowest price".
    """
    return _ranges(text, base, language.code, label)


@lru_cache(_KEPT)
def _ranges(text: str, base: datetime, code: str, label: str) -> Ranges:
    found: dict[str, list[Range]] = {}
    language, how = known_language(code), limit_words(code)
    if not any(map(str.isdigit, text)) and {*language.weekday_forms, *language.near_days}.isdisjoint(
            one.strip(".,;:!?") for one in text.lower().split()) and not _month_parts(code).search(text):
        return Ranges(found)
    named = {word for word in re.findall(r"[^\W\d_]+", label.lower())}
    plain = "least" if named & how.lowest else "most" if named & how.highest else ""
    last = ""
    for sign, piece in _pieces(" ".join(text[:400].replace("\u2019", "'").split()), language.code):
        figures = _figures(piece, base, language)
        if sign.startswith("behind") and not figures and last:
            found[last][-1] = _bounded(found[last][-1].low, found[last][-1].high, "most")  # "Thursday at the latest"
        for last, low, high in figures:
            found.setdefault(last, []).append(_bounded(low, high, sign.replace("behind", "most") or plain))
    return Ranges(found)


def compared(asked: Ranges, known: Ranges) -> tuple[str, bool]:
    """Return by what two texts can be compared, C{""} where neither is a limit, and whether they agree in all of it."""
    so: dict[str, bool] = {}
    for kind, some in asked.kinds.items():
        others = known.kinds.get(kind)
        if others is None and kind == "number" and "sum" not in asked.kinds:
            others = known.kinds.get("sum")  # named without its currency
        if others and any(one.limits for one in (*some, *others)):
            so[kind] = all(any(one.low <= other.high and other.low <= one.high for other in others) for one in some)
    days = {day.high for some in (asked, known) for day in some.kinds.get("day", ())}
    if "time" in so and so.get("day") and len(days) > 1:
        del so["time"]  # the day before, whatever the hour
    return next(iter(so), ""), all(so.values())


def _bounded(low: float, high: float, sign: str) -> Range:
    match sign:
        case "below":
            return Range(-inf, high - 0.001, True)
        case "most":
            return Range(-inf, high, True)
        case "above":
            return Range(high + 0.001, inf, True)
        case "least":
            return Range(low, inf, True)
    return Range(low, high)


@cache
def _cues(code: str) -> re.Pattern[str]:
    how = limit_words(code)
    signs = ("below", "behind", "most", "above", "least")
    some = [(cue, sign) for sign in signs for cue in getattr(how, f"bound_{sign}")]
    return re.compile("|".join(f"(?P<{sign}{at}>(?<!\\w){re.escape(cue)}(?!\\w))" for at, (cue, sign) in sorted(
        enumerate(some), key=lambda one: -len(one[1][0]))), re.IGNORECASE)


def _pieces(text: str, code: str) -> list[tuple[str, str]]:
    """A text cut where a limit begins and where it ends, with what the limit is."""
    pieces, start = list[tuple[str, str]](), 0
    for cue in _cues(code).finditer(text):
        behind = re.match(rf"\s*(?:[^\s,;?!]+(?:,[0-9]+)?\s*){{0,{_REACH}}}", text[cue.end():])
        end = cue.end() + (behind.end() if behind is not None else 0)
        following = _cues(code).search(text, cue.end(), end)
        end = following.start() if following is not None else end
        if cue.start() >= start:
            pieces += [("", text[start:cue.start()]), ((cue.lastgroup or "").rstrip("0123456789"), text[cue.end():end])]
            start = end
    return [*pieces, ("", text[start:])]


@cache
def _month_parts(code: str) -> re.Pattern[str]:
    parts = "|".join(f"(?P<{name}>{'|'.join(map(re.escape, getattr(limit_words(code), name)))})" for name in (
        "early", "middle", "late"))
    months = "|".join(sorted(known_language(code).month_forms, key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?:{parts}) (?P<month>{months})(?!\w)", re.IGNORECASE)


def _figures(piece: str, base: datetime, language: Language) -> list[tuple[str, float, float]]:
    """Each figure of a piece: what it is, its lowest and its highest value."""
    found = list[tuple[str, float, float]]()
    for part in _month_parts(language.code).finditer(piece):
        month = language.month_forms[part["month"].lower()]
        year = base.year + (month < base.month)
        last = monthrange(year, month)[1]
        first, end = (1, 10) if part["early"] else (11, 20) if part["middle"] else (21, last)
        found.append(("day", date(year, month, first).toordinal(), date(year, month, end).toordinal()))
    known = marks(piece, base, language)
    found += [("day", day.toordinal(), day.toordinal()) for day in known.days]
    found += [("sum", one, one) for one in known.sums] + [("share", one, one) for one in known.shares]
    times = known.times or {_minutes(clock) for clock in _CLOCK.finditer(piece.lower())}
    found += [("time", one, one) for one in map(_by_day, times)]
    if not found:
        found = [("number", one, one) for one in map(amount_of, _NUMBER.findall(piece))]
    return found


def _minutes(clock: re.Match[str]) -> int:
    hour, half = int(clock[1] or clock[4]), (clock[3] or "").strip()[:1]
    return (hour + 12 * (half == "p" and hour < 12)) * 60 + int(clock[2] or clock[5] or 0) - (
        _HALF_DAY * (half == "a" and hour == 12)) + (24 * 60) * (half == "a")


def _by_day(minutes: int) -> int:
    # "4:30" is in the afternoon; what is said to be in the morning was marked by a day more.
    return minutes % (24 * 60) if minutes >= 24 * 60 else minutes + _HALF_DAY * (minutes < _MORNING)
