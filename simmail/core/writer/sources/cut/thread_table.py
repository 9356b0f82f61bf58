"""
What holds in a thread now: when, where and how many, each with what it is of, as it was changed last.

The sentences of a thread are read once, in their order; a value that takes the place of another keeps the words that
were said of it, so that it is found by them.  What somebody only asked says nothing, and of several times that were
offered none holds before one of them is agreed to.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from datetime import date, datetime, time, tzinfo
from functools import cache, cached_property
from itertools import groupby
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from simmail.core.language import dates
from simmail.core.language.clause.question_types import asking, mentions_any
from simmail.core.language.dates import Slot, standing
from simmail.core.language.questions import MailQuestion
from simmail.core.language.shifts import time_shift
from simmail.core.language.tables import Language
from simmail.core.language.tables import language as known
from simmail.core.records.conversation import Remark
from simmail.core.writer.sources.cut.piece import piece
from simmail.core.writer.sources.cut.words import cutting
from simmail.core.writer.sources.cut.fitting import fits
from simmail.core.writer.sources.marks import MONEY
from simmail.core.writer.sources.said_words import content, kin, shared
from simmail.core.writer.sources.sentence import asks_only

_PAIR = re.compile(r"(?<![\w.,:/-])([0-9]{1,6}|[^\W\d_]{2,12})\s+(?=([^\W\d_]{3,}))")
_WORD = re.compile(r"[^\W\d_]{3,}")
#: With so few words of its own a sentence may speak of what was spoken of before.
_FEW = 2
#: So far behind "we will be" stands how many.
_BEHIND = 4
_NUMBER = re.compile(r"(?<![\w.,:/-])([0-9]{1,6})(?![\w:/-]|[.,][0-9])")


class _Number(NamedTuple):
    number: int
    text: str
    at: datetime


class Timed(Struct):
    """
    Something that has a time.

    @ivar words: what was said of it; last: when it was changed last; before: the days and times that it had.
    """

    words: frozenset[str]
    last: datetime
    day: date | None = None
    at: time | None = None
    before: list[tuple[date | None, time | None]] = []
    agreed: bool = False

    def change(self, day: date | None, at: time | None, words: frozenset[str], when: datetime) -> None:
        """Let it be at another time, of which what is not said stays."""
        old = self.day, self.at
        if any(old) and (day or self.day, at or self.at) != old:
            self.before.append(old)
        self.day, self.at = day or self.day, at or self.at
        self.words, self.last = self.words | words, when

    def changed(self, hour: bool, day: bool) -> bool:
        """Return whether its hour or its day, or either of them where both or neither are asked for, were others."""
        return any((day == hour or day) and one[0] != self.day or (day == hour or hour) and one[1] != self.at
                   for one in self.before)

    def slot(self, zone: tzinfo, first: bool = False) -> Slot | None:
        """Return its time, the one that it had at first if that is asked; None without a day and an hour."""
        day, at = self.before[0] if first and self.before else (self.day, self.at)
        return None if day is None and at is None else Slot(datetime.combine(
            day or self.last.date(), at or time(9), zone), at is not None)


class ThreadTable:
    """What holds in one thread."""

    def __init__(self, remarks: Sequence[Remark], subject: str, language: Language, zone: tzinfo) -> None:
        """
        Remember what was said.

        @param subject: what the thread is about; zone: where its reader is.
        """
        self._remarks, self._subject, self._language, self._zone = remarks, subject, language, zone

    @cached_property
    def _mails(self) -> list[tuple[bool, list[Remark]]]:
        """The remarks of each mail, and whether it changes something."""
        how = asking(self._language.code)
        cues = (*how.moving, *self._language.sorry_words, *self._language.called_off)
        mails = [list(some) for _, some in groupby(self._remarks, lambda one: (one.at, one.by))]
        return [(any(one.kind == "said" and mentions_any(one.value, cues) for one in mail), mail) for mail in mails]

    def words(self, text: str) -> frozenset[str]:
        """Return the words of a text that are its own, without days and figures."""
        return content(text, self._language.code) - _timely(self._language.code)

    # When

    @cached_property
    def _said(self) -> list[tuple[bool, Remark]]:
        """The sentences that say something, and whether their mail changes something."""
        return [(moves, one) for moves, mail in self._mails for one in mail if one.kind == "said" and not asks_only(
            one.value, self._language)]

    @cached_property
    def events(self) -> list[Timed]:
        """Return what has a time, in the order in which it was spoken of first."""
        found: list[Timed] = []
        offered: tuple[frozenset[str], bool] = frozenset(), True
        for moves, mail in self._mails:
            for one in mail:
                if one.kind == "agreed" and one.when is not None:
                    when = one.when.astimezone(self._zone)
                    event = self._event(found, when.date(), *offered, one.at)
                    event.change(when.date(), when.time() if one.timed else None, offered[0], one.at)
                    event.agreed = True
            if mail[0].by == "correspondent":
                self._hear(found, mail, moves)
                words = self.words(" ".join(one.value for one in mail if one.kind == "said"))
                offered = words, moves or len(words) < _FEW
        return found

    def _hear(self, found: list[Timed], mail: Sequence[Remark], moves: bool) -> None:
        """Take the times of a mail that came."""
        agreed = {one.when.astimezone(self._zone).date() for one in mail if one.kind == "agreed" and one.when}
        before = {event.day for event in found if event.day is not None}
        claims = asking(self._language.code).claiming
        told = [(one, *self._times(one, before)) for one in mail if one.kind == "said" and not asks_only(
            one.value, self._language) and not (claims and mentions_any(one.value, claims))]
        days = {day for _, some, _ in told for day, _ in some}
        # "Friday instead of Thursday": what is new counts; of several new ones none holds before it is chosen.
        new = days - before or days
        # "On Thursday my husband is at work.  Friday at nine?"
        moves = moves or new != days
        for one, some, hours in told:
            words = self.words(one.value)
            for day, at in some:
                if day not in new or agreed and day not in agreed:
                    continue
                if len(new) > 1 and _offers(one.value, self._language):
                    continue
                # "Friday at nine?", but not "could you switch off the water on Monday evening?"
                event = self._event(found, day, words, moves or not words or (
                    len(found) == 1 and one.value.endswith("?") and len(words) <= _FEW), one.at)
                event.change(day, at, words, one.at)
                moves = False  # what is named besides is another matter
            if hours and not some:
                event = self._event(found, None, words, True, one.at)
                if not (event.at is None or moves or len(words) < _FEW or shared(words, event.words)):
                    found.append(event := Timed(words, one.at))
                event.change(None, hours[-1], words, one.at)

    def _event(
        self, found: list[Timed], day: date | None, words: frozenset[str], moves: bool, at: datetime
    ) -> Timed:
        """The one that is spoken of: with that day, with most of the words, or the last; else a new one."""
        same = [(len(shared(words, one.words)) + 2 * (day is not None and one.day == day), place)
                for place, one in enumerate(found)]
        most, place = max(same, default=(0, 0))
        if most or found and moves:
            return found[place] if most else max(found, key=lambda one: one.last)
        found.append(Timed(words | (frozenset() if found else self.words(self._subject)), at))
        return found[-1]

    def _times(self, one: Remark, known: Collection[date]) -> tuple[list[tuple[date, time | None]], list[time]]:
        """The days that a sentence names that are still to come, with their hours, and its hours without a day."""
        said = one.at.astimezone(self._zone)
        read = dates.find(one.value, said, self._language)
        slots = {slot.start.date(): slot.start.time() if slot.timed else None for slot in read.slots}
        days = {standing(day, known, one.value, self._language): slots.get(day) for day in read.dates
                if day >= said.date() and day not in read.deadlines}
        return list(days.items()), [] if days else dates.hours(one.value, said, self._language)

    def when(self, asked: str) -> Timed | None:
        """Return what a question for a time speaks of, None for nothing; the last where it names none."""
        words = self.words(asked)
        # Of what has more words in common with the question, then of what was changed last.
        some = [(len(shared(words, one.words)), one.agreed or one.at is not None, one.last, place)
                for place, one in enumerate(self.events)]
        return self.events[max(some)[-1]] if some else None

    def by(self, asked: str) -> Slot | None:
        """Return the last day that stands in a sentence with words of a question that nothing with a time has."""
        words, event = self.words(asked), self.when(asked)
        if not words or event is not None and shared(words, event.words):
            return None
        found: tuple[int, int, date] | None = None
        for place, (_, one) in enumerate(self._said):
            same = len(shared(words, self.words(one.value)))
            if same and (found is None or (same, place) > found[:2]):
                read = dates.find(one.value, one.at.astimezone(self._zone), self._language)
                day = max((*read.deadlines, *read.dates), default=None)
                found = found if day is None else (same, place, day)
        return None if found is None else Slot(datetime.combine(found[2], time(9), self._zone), False)

    def only_moved(self) -> bool:
        """Return whether one thing alone has a time, and that was moved: whoever asks for a time means it."""
        return len(self.events) == 1 and bool(self.events[0].before)

    def span(self) -> tuple[Slot, Slot] | None:
        """Return the days from which and until which something is to be, as they were named last."""
        known, found = set[date](), None
        for one in self._remarks:
            if one.kind != "said" or asks_only(one.value, self._language):
                continue
            said = one.at.astimezone(self._zone)
            read = dates.find(one.value, said, self._language)
            days = sorted({standing(day, known, one.value, self._language) for day in (*read.dates, *read.deadlines)})
            if len(days) == 2 and days[0].day < days[1].day and one.by == "correspondent":
                # "From the 9th to the 12th of October" names the month but once.
                days = [days[1].replace(day=days[0].day), days[1]]
                found = [Slot(datetime.combine(day, time(9), self._zone), False) for day in days]
            known.update(days)
        return None if found is None else (found[0], found[1])

    # Where, and which

    def place(self, question: MailQuestion, first: bool) -> tuple[str, bool]:
        """
        Return the place that a question asks for, as its writer has it, C{""} for none, and whether it was changed.

        @param first: the one that it was before it was changed.
        """
        wanted = self.words(question.text)
        found: list[tuple[bool, str]] = []
        for moves, one in self._said:
            cut = piece(question, one.value, self._language)
            cut = cut if kin("where", cut, self._language) else self._room(one.value) or cut
            sure = kin("where", cut, self._language) is True
            if not cut or not fits(question, cut, self._language) or not (
                    sure or any(word[0].isupper() for word in cut.split()[1:])):
                continue
            words = content(one.value, self._language.code)
            changed = bool(found) and (moves or bool(shared(content(found[-1][1], self._language.code), words)))
            if changed or shared(wanted, words) or not found or sure and not found[-1][0]:
                found.append((sure or changed, cut))
        holding = [one for one in found if one[0]] or found
        text = (found[0] if first else holding[-1])[1] if found else ""
        return text, bool(found) and found[0][1] != found[-1][1]

    def _room(self, sentence: str) -> str:
        """What is known as a place, from its article on: "the village hall"."""
        words = [match for match in re.finditer(r"[^\W_]+", sentence)]
        for at, match in enumerate(words):
            if kin("where", match.group(), self._language):
                start = next((one for one in words[max(0, at - 4):at][::-1] if one.group().lower(
                    ) in self._language.definite), None)
                return "" if start is None else sentence[start.start():match.end()]
        return ""

    def chosen(self, asked: str) -> str:
        """Return the word of a family that a question asks for as it was chosen last, C{red} for a colour; C{""}."""
        told, before, at = "", set[str](), None
        for moves, one in self._said:
            low = one.value.lower()
            some = [word for word in _WORD.findall(one.value) if kin(asked, word, self._language)]
            liked = [match[1] for cue in asking(self._language.code).rather for match in _behind(cue).finditer(low)]
            some += [word for word in _WORD.findall(one.value) if word.lower() in liked and word not in some and (
                moves or not before or told and told.lower() in low)]
            # "White rather than grey": what is new counts, and of one mail what stands first.
            new = [word for word in some if word.lower() not in before]
            if (new or moves and len(some) == 1) and (at != one.at or liked):
                told, at = (new or some)[0], one.at
            before |= {word.lower() for word in some}
        return told

    def speaks_of(self, thing: str) -> bool:
        """Return whether a thing was spoken of."""
        words = content(thing, self._language.code)
        return any(shared(words, content(one.value, self._language.code)) for _, one in self._said)

    # How many

    def number(self, asked: str, known: str, first: bool) -> tuple[str, bool]:
        """
        Return how many there are now of what a question counts, C{"9 bikes, 2 trailers"}, and whether that was changed.

        @param known: how many there were to be before anything was said, C{""} for nothing known.
        @param first: how many there were before it was changed.
        """
        usual = content(" ".join(cutting(self._language.code).now), self._language.code)
        wanted, held = self.words(asked) - usual, dict[str, list[_Number]]()
        if not wanted or mentions_any(f" {asked.lower()}", cutting(self._language.code).being):
            wanted = _people(self._language.code)
        number = _NUMBER.search(known)
        if number is not None:
            held[""] = [_Number(int(number[1]), "", datetime.min.replace(tzinfo=self._zone))]
        for moves, mail in self._mails:
            if mail[0].by == "correspondent":
                for one in mail:
                    if one.kind == "said" and not asks_only(one.value, self._language):
                        self._count(held, one, wanted, moves)
        last = max((some[-1].at for some in held.values()), default=None)
        found = [some for some in held.values() if some[-1].at == last and some[-1].text]
        changed = any(len({one.number for one in some}) > 1 for some in held.values())
        return ", ".join(dict.fromkeys((some[0] if first else some[-1]).text for some in found)), changed

    def _count(self, held: dict[str, list[_Number]], one: Remark, wanted: frozenset[str], moves: bool) -> None:
        """Take the numbers of one sentence."""
        hits, low = set[str](), f" {one.value.lower()} "
        number, text = self._people(low) if shared(wanted, _people(self._language.code)) else (0, "")
        if number:
            held.setdefault(next(reversed(held), ""), []).append(_Number(number, text, one.at))
            return
        so = next((low.index(f" {cue} ") for cue in cutting(self._language.code).so if f" {cue} " in low), len(low))
        for number, noun, text in self._pairs(one.value):
            if low.find(text.lower()) < so < len(low) and held and _NUMBER.search(low[so:]):
                continue  # "we have lost two stalls, so 24 now"
            for word in shared(wanted, content(noun, self._language.code)) - hits:  # "11 tables, not 8 tables"
                held.setdefault(word, []).append(_Number(number, text, one.at))
                hits.add(word)
        how = cutting(self._language.code)
        if hits or not held or any(self._times(one, ())) or not how.kept.isdisjoint(low.split()):
            return  # "between 9 and 11"
        # "So ten now": of what was counted before.
        last = max(held.values(), key=lambda some: some[-1].at)
        cue = next((f" {cue} " for cue in how.so if f" {cue} " in low), "")
        behind = one.value[low.find(cue):] if cue else one.value
        numbers = [number for number, *_ in self._pairs(behind)] + [int(found) for found in _NUMBER.findall(
            MONEY.sub(" ", behind))]
        new = [number for number in numbers if number != last[-1].number]
        about = bool(shared(wanted, content(one.value, self._language.code)))
        few = len(self.words(one.value)) <= _FEW
        if new and (last[-1].number in numbers or about or cue and moves or few and (
                cue or moves and bool(self._pairs(behind)))):
            noun = last[-1].text.partition(" ")[2]
            last.append(_Number(new[0], f"{new[0]} {noun}".strip(), one.at))

    def _people(self, low: str) -> tuple[int, str]:
        """How many people a sentence says there will be, as a number and as it is told: "we will be 72"."""
        counts = self._language.counts
        for cue in cutting(self._language.code).being:
            for word in low.partition(f" {cue} ")[2].replace(".", " ").replace(",", " ").split()[:_BEHIND]:
                if word.isdecimal() and word.isascii():
                    return int(word), word
                if counts.get(word, 0) > 1:
                    return counts[word], next(name for name in counts if counts[name] == counts[word])
        return 0, ""

    def _pairs(self, sentence: str) -> list[tuple[int, str, str]]:
        """The numbers of a sentence with the word behind each, and both as they stand there."""
        language, found = self._language, list[tuple[int, str, str]]()
        for match in _PAIR.finditer(MONEY.sub(" ", sentence)):
            count, noun = match[1].lower(), match[2].lower()
            number = int(count) if count.isdecimal() else language.counts.get(count, 0)
            if number > (0 if count.isdecimal() else 1) and not (
                    noun in language.spans or noun in language.month_forms or noun in language.hour_words or (
                        noun in language.of_words)):
                found.append((number, noun, f"{match[1]} {match[2]}"))
        return found


def as_agreed(
    slots: Sequence[Slot], text: str, remarks: Sequence[Remark], language: Language, zone: tzinfo | None
) -> tuple[Slot, ...]:
    """
    Return the times of a mail in a thread: "Friday at nine, then" is the Friday that was agreed, "an hour later" one
    later than what was agreed or proposed last.

    @param zone: where its reader is.
    """
    known = [one for one in remarks if one.kind in ("agreed", "proposed") and one.when is not None]
    if not known:
        return tuple(slots)
    days = [one.when.date() for one in known if one.when is not None]
    before = next((one.when for one in reversed(known) if one.timed), None)
    same = before is not None and mentions_any(text, language.same_time)
    shift = time_shift(text, language) if before is not None and not any(slot.timed for slot in slots) else None
    if shift is not None and before is not None and not slots:
        return (Slot(before.astimezone(zone) + shift, timed=True),)
    same, before = same or shift is not None, before if shift is None or before is None else before + shift
    found = []
    for slot in slots:
        start = datetime.combine(standing(slot.start.date(), days, text, language), slot.start.timetz())
        if same and before is not None and not slot.timed:
            here = before.astimezone(start.tzinfo)  # "Tuesday, same time?"
            slot, start = replace(slot, timed=True), start.replace(hour=here.hour, minute=here.minute)
        found.append(replace(slot, start=start))
    return tuple(found)


@cache
def _people(code: str) -> frozenset[str]:
    """The words that count people."""
    return content(" ".join(asking(code).people), code)


@cache
def _timely(code: str) -> frozenset[str]:
    """The words of days and hours, and those that ask for them."""
    language, how = known(code), asking(code)
    some = (*language.weekday_forms, *language.month_forms, *language.near_days, *language.hour_words, *language.spans,
            *language.halves, *how.types.get("when", ()), *how.nouns.get("when", ()), *how.clock, *how.moving,
            *map(str, range(60)))
    return frozenset[str]().union(*(content(one, code) for one in some))


@cache
def _behind(cue: str) -> re.Pattern[str]:
    """The word behind a cue, whatever small words stand between."""
    return re.compile(rf"(?<!\w){re.escape(cue)}(?: [^\W\d_]{{1,3}}){{0,2}} ([^\W\d_]{{4,}})")


def _offers(sentence: str, language: Language) -> bool:
    """Whether a sentence offers several things."""
    return f" {language.or_} " in sentence.lower() or sentence.rstrip().endswith("?")
