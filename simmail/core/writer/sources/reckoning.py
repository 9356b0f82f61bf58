"""
What can be reckoned from what was said: totals, differences, what is left to pay, spans, the later of two dates.

Nothing is reckoned but what is asked for, from figures that stand in the thread, and how is told beside the result.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from functools import cache
from typing import NamedTuple

from simmail.core.language import dates
from simmail.core.language.clause.question_types import asking
from simmail.core.language.questions import MailQuestion
from simmail.core.language.tables import Language, merged
from simmail.core.records.conversation import Remark
from simmail.core.writer.agenda import plain_date
from simmail.core.writer.sources.marks import MONEY
from simmail.core.writer.sources.said_words import Priced, content, counts, prices, shared

_TIME = re.compile(r"(?<![0-9.:])([01]?[0-9]|2[0-3])[:h.]([0-5][0-9])(?![0-9:])")
_CENTS = re.compile(r"([.,])[0-9]{1,2}$")
#: More figures of a thread are not reckoned with.
_MOST = 12
_MINUTES = 60


class _Dated(NamedTuple):
    """A day, or a time of a day, of the thread, and the words around it."""

    at: datetime
    timed: bool
    words: frozenset[str]


@cache
def _sum_cues(code: str) -> Mapping[str, tuple[str, ...]]:
    return {kind: tuple(f" {cue}" for cue in cues) for kind, cues in asking(code).sums.items()}


def reckoned(question: MailQuestion, remarks: Sequence[Remark], language: Language) -> str:
    """Return what a question wants reckoned, with how, C{""} where nothing is or the thread has no figures for it."""
    text = f" {question.text.lower()} "
    kinds = {kind for kind, cues in _sum_cues(language.code).items() if any(map(text.__contains__, cues))}
    said = [one for one in remarks if one.kind == "said"]
    if "days" in kinds and any(f" {cue} " in text for cue in asking(language.code).apart):
        return _span(question, said, language)
    if kinds & {"later", "earlier"} and question.type in ("what", "when", "choice", "who"):
        return _later(question, said, language, "later" in kinds)
    if question.type not in ("much", "what", "many", "how", "request", "yes_no") or question.behind:
        return ""
    if "share" in kinds or question.type == "much" and not kinds:
        found = _shared_out(question, said, language, "share" in kinds)
        if found or "share" in kinds:
            return found
    if kinds & {"left", "total", "difference"}:
        off = [content(one.what, language.code) for one in remarks if one.kind == "called_off" and one.when is None]
        return _money(question, said, language, kinds, off)
    return ""


def _money(
    question: MailQuestion, said: Sequence[Remark], language: Language, kinds: set[str], off: Sequence[frozenset[str]],
) -> str:
    """A total, a difference, or what is left; what was called off costs nothing."""
    how = asking(language.code)
    known = [one for one in priced(said, language) if not any(shared(words, one.words) for words in off)]
    asked = content(question.text, language.code)
    named = _named(asked, known)
    if "left" in kinds:
        paid = [one for one in known if any(content(cue, language.code) & one.words for cue in how.sums["deposit"])]
        rest = [one for one in known if one not in paid]
        if len(paid) == 1 and len(rest) == 1:
            return _told(rest[0].value - paid[0].value, f"{rest[0].text} - {paid[0].text}", [*rest, *paid])
        if paid or not off or not rest:
            return ""
        return rest[0].text if len(rest) == 1 else _total([(one, 1) for one in rest])
    if "difference" in kinds:
        two = named if len(named) == 2 else known
        if len(two) != 2 or two is not named and question.type == "yes_no":
            return ""  # "is that dearer?": than what, nobody says
        more, less = sorted(two, key=lambda one: -one.value)
        return _told(more.value - less.value, f"{more.text} - {less.text}", two)
    low = f" {question.text.lower()} "
    if any(f" {cue} " in low for cue in how.without):
        return _total([(one, _times(one, question, known, said, language)) for one in known if one not in named])
    known = _wanted(question, known, said, language)
    times = {one: _times(one, question, known, said, language) for one in known}
    counted = [one for one in known if times[one] > 1]
    chosen = known
    if counted and not named and counts(question.text, language):
        chosen = counted  # "for all twelve", of one price each
    elif len(named) > 1 or named and (counted or times[named[0]] > 1):
        chosen = [one for one in known if one in named or one in counted]
    return _total([(one, times[one]) for one in chosen])


def _shared_out(question: MailQuestion, said: Sequence[Remark], language: Language, share: bool) -> str:
    """What each of so many has to pay, or so many of a thing that has a price: "four tickets"."""
    numbers = counts(question.text, language)
    known = _named(content(question.text, language.code), priced(said, language)) or priced(said, language)
    if len(numbers) != 1 or not known or share and len(known) > 1:
        return ""
    number, noun = numbers[0]
    if share:
        return "" if known[0].each else _told(known[0].value / number, f"{known[0].text} / {number}", known)
    named = [one for one in known if noun and shared({noun}, one.words)]
    if len(named) != 1 or any(count == number for one in said for count, _ in counts(one.value, language)):
        return ""
    return _told(named[0].value * number, f"{number} × {named[0].text}", named)


def _wanted(
    question: MailQuestion, known: list[Priced], said: Sequence[Remark], language: Language
) -> list[Priced]:
    """Of several prices for each that of what so many were wanted of: "for all twelve", of "12 of the oak chairs"."""
    each = [one for one in known if one.each]
    numbers = {number for number, _ in counts(question.text, language)}
    if len(each) < 2 or len(numbers) != 1:
        return known
    about = [content(one.value, language.code) for one in said if numbers & {
        number for number, _ in counts(one.value, language)}]
    chosen = [one for one in each if any(shared(one.words, words) for words in about)]
    usual = frozenset[str]().union(*(one.words for one in each)) if len(chosen) > 1 else frozenset[str]()
    for one in chosen if usual else ():
        usual &= one.words
    chosen = [one for one in chosen if any(shared(one.words - usual, words) for words in about)] if usual else chosen
    return chosen if len(chosen) == 1 else known


def _total(parts: Sequence[tuple[Priced, int]]) -> str:
    """A total of several sums, or of one many times."""
    if len(parts) < 2 and not any(times > 1 for _, times in parts):
        return ""
    how = " + ".join(f"{times} × {one.text}" if times > 1 else one.text for one, times in parts)
    return _told(sum(one.value * times for one, times in parts), how, [one for one, _ in parts])


def priced(said: Sequence[Remark], language: Language) -> list[Priced]:
    """Return the sums of money of a thread: of what is said again, or changed, the last."""
    found: list[tuple[Priced, Remark]] = []
    for remark in said:
        if remark.kind != "said":
            continue
        for one in prices(remark.value, language):
            older = [entry for entry in found if entry[1] is not remark and _is_same(one, entry[0], found)]
            found = [entry for entry in found if entry not in older]
            words = one.words.union(*(old.words for old, _ in older))
            found.append((Priced(one.text, one.value, words, one.each), remark))
    return [one for one, _ in found][:_MOST]


def _is_same(new: Priced, old: Priced, among: Sequence[tuple[Priced, Remark]]) -> bool:
    """Whether a sum is one that was named before: the same, or the price of the same thing."""
    if new.each != old.each:
        return False
    if new.each and sum(one.each for one, _ in among) == 1:
        return True  # "I can let you have them for £110 each now"
    common = shared(new.words, old.words)
    return bool(common) and (new.value == old.value or new.each or len(common) > 1)


def _named(asked: frozenset[str], among: Sequence[Priced]) -> list[Priced]:
    """Those that a question names by a word that stands beside them, and only beside some."""
    hits = {one: shared(asked, one.words) for one in among}
    usual = {word for word in asked if all(word in hit for hit in hits.values())} if len(hits) > 1 else set[str]()
    return [one for one, hit in hits.items() if hit - usual]


def _times(
    one: Priced, question: MailQuestion, known: Sequence[Priced], said: Sequence[Remark], language: Language
) -> int:
    """How many of something there are that has a price for each: as asked, else as was said last."""
    if not one.each:
        return 1
    asked = [number for number, _ in counts(question.text, language)]
    if len(asked) == 1 and sum(other.each for other in known) == 1:
        return asked[0]
    spans = content(" ".join(merged("spans")), language.code)
    numbers = [number for remark in said for number, noun in counts(remark.value, language)
               if noun and noun not in spans and shared({noun}, one.words)]
    return numbers[-1] if numbers else 1


def _told(value: float, how: str, like: Sequence[Priced]) -> str:
    """A sum as those are written that it comes from, and what it comes from."""
    given = next((one.text for one in like if MONEY.fullmatch(one.text)), like[0].text)
    match = MONEY.search(given)
    if match is None:
        return ""
    figures = match.group(1) or match.group(2)
    cents = any(one.value != int(one.value) for one in like) or round(value, 2) != int(value)
    ends = [match[1] for one in like if (match := _CENTS.search(_figures(one.text)))]
    marks = [sign for one in like for sign in (" ", ".", ",", "'") if _grouped(_figures(one.text), sign)]
    point = ends[0] if ends else "," if "." in marks else "."
    thousand = marks[0] if marks else "" if value < 10_000 else {".": ",", ",": "."}[point]
    whole, _, part = f"{round(value, 2):.2f}".partition(".")
    grouped = f"{int(whole):,}".replace(",", thousand) if thousand else whole
    total = given.replace(figures, f"{grouped}{point}{part}" if cents else grouped)
    return f"{total} ({how})"


def _figures(text: str) -> str:
    match = MONEY.search(text)
    return (match.group(1) or match.group(2)) if match is not None else ""


def _grouped(figures: str, sign: str) -> bool:
    """Whether a sign stands before three figures, as that of thousands does."""
    head, found, tail = figures.rpartition(sign)
    return bool(found) and head[-1:].isdigit() and len(tail.partition("," if sign != "," else ".")[0]) == 3


def _dated(said: Sequence[Remark], language: Language) -> list[_Dated]:
    found: dict[tuple[datetime, bool], _Dated] = {}
    for remark in said:
        words = content(remark.value, language.code)
        days = dates.find(remark.value, remark.at, language)
        for slot in days.slots:
            found[(slot.start, slot.timed)] = _Dated(slot.start, slot.timed, words)
        named = [slot.start.date() for slot in days.slots]
        for day in (*days.deadlines, *days.dates):
            if day not in named:
                at = datetime.combine(day, remark.at.timetz())
                found[(datetime(day.year, day.month, day.day, tzinfo=remark.at.tzinfo), False)] = _Dated(
                    at, False, words)
    return list(found.values())[:_MOST]


def _two_days(question: MailQuestion, said: Sequence[Remark], language: Language) -> list[date]:
    """The two days that a question speaks of, or the only two of the thread."""
    asked, known = content(question.text, language.code), _dated(said, language)
    named = sorted({one.at.date() for one in known if shared(asked, one.words)})
    every = sorted({one.at.date() for one in known})
    return named if len(named) == 2 else every if len(every) == 2 else []


def _span(question: MailQuestion, said: Sequence[Remark], language: Language) -> str:
    days = _two_days(question, said, language)
    units = asking(language.code).units
    if len(days) == 2 and "day" in units:
        count = (days[1] - days[0]).days
        return f"{count} {units['day'][count != 1]} ({plain_date(days[0], language)} – {plain_date(days[1], language)})"
    times = _two_times(question, said, language)
    if len(times) != 2 or "hour" not in units:
        return ""
    whole, part = divmod(times[1] - times[0], _MINUTES)
    told = [f"{number} {units[unit][number != 1]}" for number, unit in ((whole, "hour"), (part, "minute")) if number]
    return f"{' '.join(told)} ({_clock(times[0])} – {_clock(times[1])})"


def _two_times(question: MailQuestion, said: Sequence[Remark], language: Language) -> list[int]:
    """The two times of day, in minutes, that sentences name which a question speaks of."""
    asked = content(question.text, language.code)
    found = [int(hour) * _MINUTES + int(minute) for one in said if shared(asked, content(one.value, language.code))
             for hour, minute in _TIME.findall(one.value)]
    return sorted(set(found)) if len(set(found)) == 2 else []


def _clock(minutes: int) -> str:
    return f"{minutes // _MINUTES}:{minutes % _MINUTES:02d}"


def _later(question: MailQuestion, said: Sequence[Remark], language: Language, later: bool) -> str:
    days = _two_days(question, said, language)
    return plain_date(days[later], language) if len(days) == 2 else ""
