"""
Days and times in a sentence: dates, deadlines, proposed appointments, when something is promised for.

One pass over the sentence's tokens; a date may be written in figures, with a
month's name, as a weekday, as "tomorrow" or as "in two days", a time with or
without am and pm.  The words are the language's.
"""

from __future__ import annotations

import re
from calendar import isleap
from collections.abc import Collection, Sequence
from datetime import date, datetime, time, timedelta, timezone, tzinfo
from functools import cache
from typing import NamedTuple

from msgspec import Struct

from simmail.core.language.tables import Language, meaning, merged
from simmail.core.language.tables import language as known_language

_TOKEN = re.compile(r"[0-9]+|[^\W\d_]+|[^\w\s]|_")
_FIGURE = re.compile(r"[0-9]")
_TOKENS = 400

#: The hour by which something promised for a day is expected.
END_OF_DAY = 17
#: A deadline further ahead than this was meant otherwise.
_LONGEST_SPAN = timedelta(days=90)
_HOUR, _DAY, _WEEK = timedelta(hours=1), timedelta(days=1), timedelta(weeks=1)
#: Without a year, a day so long past is next year's, where it lies ahead for certain.
_JUST_PAST = timedelta(days=60)
#: So far ahead lies what a bare weekday may mean, and so near to another day one of the same month.
_AHEAD, _NEAR = timedelta(days=50), timedelta(days=15)
#: A number before one of these is no day.
_NO_DAY = frozenset((":", "%", "/", "€", "$", "£"))


class Slot(Struct, frozen=True):
    """A proposed appointment; C{start} is in the zone it was written in. C{timed}: it names a time, not only a day."""

    start: datetime
    timed: bool
    halves: bool = False


class Dates(NamedTuple):
    """
    What one sentence says about days: appointments, dates that are deadlines, other dates, in order.

    @ivar impossible: dates that there are none of, as written: "31 February", a Monday that is a Wednesday.
    """

    slots: tuple[Slot, ...] = ()
    deadlines: tuple[date, ...] = ()
    dates: tuple[date, ...] = ()
    impossible: tuple[str, ...] = ()


class Span(NamedTuple):
    """So far ahead, in days when the C{unit} is the day, said in so many tokens."""

    ahead: timedelta
    unit: timedelta
    tokens: int


@cache
def _zones() -> re.Pattern[str]:
    named = "|".join(sorted(merged("zones"), key=len, reverse=True)).upper()
    return re.compile(rf"(?:[0-9](?: ?[aApP]\.?[mM]\.?|h| ?Uhr)? ?\(?|\()({named})(?![\w-])")


def stated_zone(text: str) -> tzinfo | None:
    """Return the zone of all times of a text, the one that stands behind a time or in brackets; None for no one."""
    named = {found.group(1) for found in _zones().finditer(text)}
    return timezone(timedelta(minutes=merged("zones")[named.pop().lower()])) if len(named) == 1 else None


def due(sentence: str, base: datetime, language: Language) -> datetime | None:
    """
    Return the instant that a sentence says something will be done by, None if it names none.

    A named day means its end (17:00) unless an hour is said; what is past already means as soon as can be.

    @param base: now, aware; its zone is that of the times, unless one is named.
    """
    reader = _Reader(sentence, base, language, ahead=True)
    day: date | None = None
    at: time | None = None
    ends = False
    evening = END_OF_DAY
    position = 0
    while position < len(reader.low):
        evening = language.day_ends.get(reader.low[position], evening)
        span = reader.span(position) if day is None else None
        if span is not None and span.unit < _DAY:
            return base + span.ahead
        if span is not None:
            day, length = (base + span.ahead).astimezone(reader.zone).date(), span.tokens
        elif (period := reader.period(position)) is not None:
            # "By the end of day Thursday": the day may follow.
            ends = ends or period[0] is None
            day, length = day or period[0], period[1]
        elif (named := reader.day(position)) is not None:
            day, length = day or named[0], named[1]
        elif (clock := reader.time(position)) is not None:
            at, length = at or time(*clock[0][:2]), clock[1]
        else:
            length = 1
        position += length
    if day is None and at is None and not ends:
        return None
    promised = datetime.combine(day or reader.today, at or time(evening), reader.zone)
    if promised > base:
        return promised
    return promised + timedelta(days=1) if day is None and not ends else base + timedelta(hours=1)


def find(sentence: str, base: datetime, language: Language) -> Dates:
    """
    Return the days and times of a sentence.

    @param base: when it was written, aware; its zone is that of the times, unless one is named.
    """
    reader = _Reader(sentence, base, language)
    low, zone, begins = reader.low, reader.zone, _beginnings(language.code)
    if begins.isdisjoint(low) and not _FIGURE.search(sentence):
        return Dates(deadlines=reader.within())
    slots: list[Slot] = []
    deadlines: list[date] = []
    dates: list[date] = []
    day: date | None = None
    day_at = -100
    waiting: tuple[int, int, bool] | None = None  # a time that stood before its day
    unused = False  # the day has got no time yet
    deadline = begun = False  # a day by which, and one from which on something is
    position = 0

    def leave() -> None:
        if day is not None and unused and not deadline and not begun:
            slots.append(_slot(day, None, zone))

    while position < len(low):
        if low[position] not in begins and not low[position][0].isdigit():
            position += 1
            continue
        got_day = reader.day(position)
        if got_day is not None:
            leave()
            day, length = got_day
            before = [word for word in low[max(0, position - 3):position] if word.isalpha() or word == "-"]
            deadline = any(word in language.due_words for word in before)
            begun = not sentence.rstrip().endswith("?") and not language.since_words.isdisjoint(before)
            dates.append(day)
            reader.named.append(day)
            unused = True
            if deadline:
                deadlines.append(day)
            if waiting is not None and position - day_at < 6 and not deadline:
                slots.append(_slot(day, waiting, zone))
                unused = False
            waiting = None
            day_at = position
            position += length
            reader.day_end = position
            continue
        got_time = reader.time(position)
        if got_time is not None:
            at, length = got_time
            ranged = position > 0 and low[position - 1] in language.range_words and not unused and bool(slots)
            if day is None:
                second = waiting is not None and low[position - 1] in language.range_words and position - day_at < 4
                waiting, day_at = waiting if second else at, position
            elif not ranged and not deadline:
                if unused and slots and not slots[-1].timed and language.or_ in low[:position]:
                    slots[-1] = _slot(slots[-1].start.date(), at, zone)  # "Monday or Tuesday at 8"
                slots.append(_slot(day, at, zone))
            unused = False
            position += length
            continue
        position += 1
    leave()
    return Dates(
        slots=tuple(slots[:12]), deadlines=(*deadlines[:4], *reader.within()), dates=tuple(dates[:12]),
        impossible=tuple(reader.impossible))


def standing(day: date, known: Collection[date], sentence: str, language: Language) -> date:
    """
    Return the day that a bare weekday, or a bare number, of a sentence means, where others are spoken of already.

    @param known: those: "on Friday, then" is the Friday that was agreed, "the 16th" is one of the same month.
    """
    low = sentence.lower()
    ahead = [one for one in known if _DAY < one - day < _AHEAD]
    if str(day.day) not in sentence:
        return next((one for one in ahead if one.weekday() == day.weekday()), day)
    if any(word in low for word in (*language.month_forms, *language.weekday_forms) if len(word) > 3) or re.search(
            rf"{day.day}[./] ?[0-9]", low):
        return day
    months = [one.replace(day=day.day) for one in ahead if one.month != day.month and day.day < 29]
    return next((one for one in months if min(abs(one - other) for other in ahead) < _NEAR), day)


def hours(sentence: str, base: datetime, language: Language) -> list[time]:
    """Return the times of day of a sentence, whatever day they are for."""
    reader, found, position = _Reader(sentence, base, language), list[time](), 0
    while position < len(reader.low):
        length = 1
        if (day := reader.day(position)) is not None:
            length = day[1]
        elif (read := reader.time(position)) is not None:
            found.append(time(*read[0][:2]))
            length = read[1]
        position += length
    return found


@cache
def _beginnings(code: str) -> frozenset[str]:
    # Words that a day or a time may begin with; the others begin with a digit.
    known = known_language(code)
    return frozenset[str]().union(
        known.weekday_forms, known.near_days, known.month_forms, known.said_times, known.counts,
        (phrase.partition(" ")[0] for phrase in known.before_hour))


def tells_past(low: Sequence[str], language: Language) -> bool:
    """Return whether the lower-case words of a sentence tell of what was: "it happened on Thursday"."""
    return not language.not_past.intersection(low) and bool(language.past_words.intersection(low))


def _slot(day: date, at: tuple[int, int, bool] | None, zone: tzinfo) -> Slot:
    hour, minute, halves = at if at is not None else (9, 0, False)
    start = datetime(day.year, day.month, day.day, hour, minute, tzinfo=zone)
    return Slot(start=start, timed=at is not None, halves=halves)


class _Reader:
    # Reads one day or one time at a position of the lower-case tokens.

    def __init__(self, sentence: str, base: datetime, language: Language, ahead: bool = False) -> None:
        self._tokens: Sequence[str] = _TOKEN.findall(sentence[:2000])[:_TOKENS]
        self.low: list[str] = [token.lower() for token in self._tokens]
        self._base, self._language, self._ahead = base, language, ahead
        self._past = not ahead and tells_past(self.low, language)
        self.impossible: dict[str, None] = {}
        #: Where the day ends that was read last.
        self.day_end = -2
        self.named: list[date] = []
        self.zone: tzinfo = base.tzinfo or timezone.utc
        zones = merged("zones")
        if not zones.keys().isdisjoint(self.low):
            named = (low for token, low in zip(self._tokens, self.low) if low in zones and token.isupper())
            self.zone = next((timezone(timedelta(minutes=zones[low])) for low in named), self.zone)
        self.today = base.astimezone(self.zone).date() if ahead else base.date()

    def _at(self, position: int) -> str:
        return self.low[position] if 0 <= position < len(self.low) else ""

    def _number(self, position: int, lowest: int, highest: int) -> int | None:
        token = self._at(position)
        if token.isascii() and token.isdigit() and len(token) <= 4 and lowest <= int(token) <= highest:
            return int(token)
        return None

    def day(self, position: int) -> tuple[date, int] | None:
        """Return a date at a position, and how many tokens it takes."""
        language, word = self._language, self.low[position]
        if word[0].isdigit():
            if self._at(position - 1) in language.at_words and self._at(position + 1) == "." and len(
                    self._at(position + 2)) == len("10") and (self._at(position + 3) != "." or not language.inflected):
                return None  # "at 11.10" is an hour
            return self._figures(position) or self._day_first(position) or self._day_alone(position)
        if word in language.weekday_forms and (
            len(word) > 4 or len(word) > 2 and (
                self._tokens[position][0].isupper() or self._at(position - 1) in language.day_openers)
            or self._dated_after(position)
            or len(word) > 2 and self._at(position + 1) in language.at_words and self._at(position + 2)[:1].isdigit()
        ):
            return self._weekday(position)
        if word in language.near_days:
            before = self._at(position - 1)
            # "The day after tomorrow", "pasado mañana", "après-demain".
            ahead = language.near_days.get(f"{before} {word}" if before != "-" else f"{self._at(position - 2)}-{word}")
            if ahead is None and before in language.no_day_after:
                return None
            return self.today + timedelta(days=language.near_days[word] if ahead is None else ahead), 1
        if word in language.month_forms:
            return self._month_first(position)
        return None

    def span(self, position: int) -> Span | None:
        """Read how far ahead lies what is said to be done: "in two hours", "within the next 3 business days"."""
        return self._span(position) if self.low[position] in self._language.ahead else None

    def _span(self, position: int, counted: bool = False) -> Span | None:
        """
        Read a span of time behind the preposition at a position.

        @param counted: "within the hour", without a number, is none.
        """
        language, count, last = self._language, None, ""
        for after in range(position + 1, min(position + 9, len(self.low))):
            word = self.low[after]
            minutes = language.spans.get(word)
            if minutes is not None:
                if counted and not count:
                    return None
                return Span(timedelta(minutes=minutes * (1 if count is None else count)),
                            timedelta(minutes=minutes), after + 1 - position)
            number = language.counts.get(word)
            if number is None:
                number = self._number(after, 0, 999)
            if number is not None:
                # "3-5 days" are three; of "a couple" the later word says how many.
                count = count if last in language.range_words else number
            elif word not in language.span_fillers and word not in language.range_words:
                return None
            last = word
        return None

    def within(self) -> tuple[date, ...]:
        """Read the deadline of "within two working days" or "valid for 48 hours": one or none."""
        language = self._language
        if language.spans.keys().isdisjoint(self.low):
            return ()
        for position, word in enumerate(self.low):
            valid = word in language.within_valid
            if word in language.within or valid and any(one.startswith(language.valid_words) for one in self.low):
                span = self._span(position, counted=True)
                if span is not None and _HOUR <= span.unit <= _WEEK and span.ahead <= _LONGEST_SPAN:
                    return ((self._base + span.ahead).date(),)
        return ()

    def period(self, position: int) -> tuple[date | None, int] | None:
        """Read the end of a day (None), of this week or of the next: its last working day, and how many tokens."""
        period = meaning(self._language, "periods", self.low, position)
        if period is None:
            return None
        friday = 4 - self.today.weekday()
        ahead = {"day": None, "week": friday % 7 or 7, "next_week": friday + 7, "next_month": 30}[period[0]]
        return None if ahead is None else self.today + timedelta(days=ahead), period[1]

    def _dated_after(self, position: int) -> bool:
        # "Di 10.3.", "Mo., 9. März": two letters are a day of the week only before a date.
        after = position + 1
        while self._at(after) in (".", ","):
            after += 1
        return self._figures(after) is not None or self._day_first(after) is not None

    def _weekday(self, position: int) -> tuple[date, int]:
        after = position + 1
        while self._at(after) in (".", ",") or self._at(after) in self._language.weekday_marks:
            after += 1
        dated = self._figures(after) or self._day_first(after)
        if dated is None and self._at(after) in self._language.month_forms:
            dated = self._month_first(after)
        if dated is None:
            dated = self._day_of_month(position, after)
        if dated is not None:
            length = after - position + dated[1]
            fits = dated[0].weekday() == self._language.weekday_forms[self._at(position)]
            if not fits and not self._past and dated[0] >= self.today:
                self._note_impossible(position, length)
            return dated[0], length
        weekday = self._language.weekday_forms[self._at(position)]
        today = self.today
        ahead = (weekday - today.weekday()) % 7 or 7
        language = self._language
        same = next((one for one in self.named if one.weekday() == weekday and one > today), None)
        if same is not None:
            return same, 1  # "she will be six on the 19th, and we have a party on the Saturday"
        if (
            self._at(position - 1) in language.following - language.this_coming
            or self._at(position - 1) in language.week_words and self._at(position - 2) in language.following
            or self._at(position + 1) in language.following and self._at(position + 2) in language.week_words
            or self._phrase(position + 1, language.next_week_behind)
        ):
            if ahead + today.weekday() < 7:
                ahead += 7  # "next Thursday", said on a Monday, is not this week's
        elif self._past:
            ahead -= 7
        behind = self._phrase(position + 1, language.week_behind)
        if behind or self._before(position, language.week_before):
            # "Thursday week", "a week on Thursday", "mardi en huit"
            ahead += 7
        return today + timedelta(days=ahead), 1 + behind

    def _phrase(self, position: int, phrases: Collection[str]) -> int:
        """How many words one of some phrases has that stands at a position; 0 for none."""
        return next((len(phrase.split()) for phrase in phrases if self.low[position:position + len(
            phrase.split())] == phrase.split()), 0)

    def _before(self, position: int, phrases: Collection[str]) -> bool:
        """Whether one of some phrases stands right before a position."""
        return any(self.low[max(0, position - len(phrase.split())):position] == phrase.split() for phrase in phrases)

    def _day_of_month(self, position: int, after: int) -> tuple[date, int] | None:
        """Read "Saturday 19th", "viernes 18": the day of that number, in this month or the next, that is one."""
        number, next_to = self._number(after, 1, 31), self._at(after + 1)
        language = self._language
        if number is None or next_to in language.halves or next_to in language.hour_words or next_to in _NO_DAY or (
                next_to == "." and self._at(after + 2).isdigit()) or next_to[:1].isalnum() and not (
                    next_to in language.day_marks or self._goes_on(next_to)):
            return None  # "Friday 13 people come"
        for found in self._numbered(number):
            if found.weekday() == language.weekday_forms[self.low[position]]:
                return found, 2 if next_to in language.day_marks else 1
        return None

    def _day_alone(self, position: int) -> tuple[date, int] | None:
        """Read "the 21st", "am 26.", "el 26": the next day of that number, where nothing follows that it is one of."""
        number, next_to = self._number(position, 1, 31), self._at(position + 1)
        language = self._language
        before = self._at(position - 1)
        ranged = before in language.range_words and bool(self.named) and self._number(position - 2, 1, 31) is not None
        if number is None or not (ranged or before in language.dated_by):
            return None
        if next_to in language.halves or next_to in _NO_DAY:
            return None
        marked = next_to in language.day_marks or next_to == "." and language.inflected
        if not marked and (language.inflected or "st" in language.day_marks) or next_to == "." and self._at(
                position + 2).isdigit():
            return None
        behind = position + 1 + marked
        follows = self._at(behind)
        if follows[:1].isalpha() and (self._tokens[behind][0].isupper() if language.inflected else not self._goes_on(
                follows)):
            return None  # "the 21st century", "am 3. Tag", "le 12 rue"
        day = None if self._past else next(iter(self._numbered(number)), None)
        return None if day is None else (day, 1 + marked)

    def _goes_on(self, word: str) -> bool:
        """Return whether a word behind a number is none that is counted."""
        language = self._language
        return word in language.common_words or word in language.at_words or word in language.range_words or (
            word in language.after_hour)

    def _numbered(self, number: int) -> list[date]:
        """Return the days of that number, in this month and the two that follow, that are still to come."""
        found, month = list[date](), self.today.replace(day=1)
        for _ in range(3):
            try:
                found.append(month.replace(day=number))
            except ValueError:
                pass
            month = (month + timedelta(days=31)).replace(day=1)
        return [day for day in found if day >= self.today]

    def _figures(self, position: int) -> tuple[date, int] | None:
        # 2026-03-10, 10.3.2026, 10.03., 10/03/2026
        year = self._number(position, 1990, 2100)
        if year is not None and self._at(position + 1) == "-" and self._at(position + 3) == "-":
            return self._made(
                year, self._number(position + 2, 1, 12), self._number(position + 4, 1, 31), position, 5)
        one = self._number(position, 1, 31)
        mark = self._at(position + 1)
        two = self._number(position + 2, 1, 31)
        if one is None or two is None or mark not in ("/", "."):
            return None
        before = self._at(position - 1)
        if before in self._language.numbered or before == "." and self._at(position - 2).isdigit():
            return None  # the rest of a version
        year = self._number(position + 4, 1990, 2100)
        if mark == ".":
            if self._at(position + 3) != ".":
                return None
            if year is None and len(self._at(position + 4)) == 1 and self._at(position + 4).isdigit() and not (
                    self._at(position + 5) in self._language.hour_words or self.time(position + 4)):
                return None  # a version: "4.18.2"
            return self._made(year, two, one, position, 5 if year is not None else 4)
        if self._at(position + 3) != "/" or year is None:
            return None
        # Day first, unless only the other order is a date.
        return self._made(year, two, one, position, 5) if two <= 12 else self._made(year, one, two, position, 5)

    def _day_first(self, position: int) -> tuple[date, int] | None:
        number = self._number(position, 1, 31)
        if number is None:
            return None
        after = position + 1
        while self._at(after) == "." or self._at(after) in self._language.day_marks:
            after += 1
        month = self._language.month_forms.get(self._at(after))
        if month is None:
            return None
        return self._with_year(month, number, position, after + 1)

    def _month_first(self, position: int) -> tuple[date, int] | None:
        after = position + 2 if self._at(position + 1) == "." else position + 1
        number = self._number(after, 1, 31)
        if number is None:
            return None
        month = self._language.month_forms[self._at(position)]
        after += 1
        if self._at(after) in self._language.day_marks:
            after += 1
        elif self._at(after) in (":", "%"):
            return None
        return self._with_year(month, number, position, after)

    def _with_year(self, month: int, day: int, start: int, after: int) -> tuple[date, int] | None:
        skip = after
        while self._at(skip) in (",", "."):
            skip += 1
        year = self._number(skip, 1990, 2100)
        return self._made(year, month, day, start, (skip + 1 if year is not None else after) - start, named=True)

    def _made(
        self, year: int | None, month: int | None, day: int | None, start: int, length: int, named: bool = False
    ) -> tuple[date, int] | None:
        if month is None or day is None:
            return None
        today = self.today
        try:
            if year is not None:
                return date(year, month, day), length
            near = date(today.year, month, day)
            if self._ahead:
                return (near if near > today - _JUST_PAST else date(today.year + 1, month, day)), length
            if (today - near).days > 200:
                near = date(today.year + 1, month, day)
            elif (near - today).days > 200:
                near = date(today.year - 1, month, day)
            return near, length
        except ValueError:
            if year is None and (month, day) == (2, 29) and today.month > 8 and isleap(today.year + 1):
                return date(today.year + 1, month, day), length
            # "2.31." may be a number of something, unless a word says that a day follows.
            if 1 <= month <= 12 and (named or year is not None or self._at(start - 1) in self._language.day_openers):
                self._note_impossible(start, length)
            return None

    def _note_impossible(self, start: int, length: int) -> None:
        said = " ".join(self._tokens[start:start + length])
        self.impossible[re.sub(r" ?([./-]) ?(?=[0-9]|$)|(?<=[0-9]) (?=st|nd|rd|th)| (?=[.,])", r"\1", said)] = None

    def time(self, position: int) -> tuple[tuple[int, int, bool], int] | None:
        """Return a time of day (hour, minute, said with am or pm) at a position, and how many tokens it takes."""
        language, word = self._language, self.low[position]
        spoken = self._spoken(position)
        if spoken is not None:
            return spoken
        if not word[0].isdigit():
            named = language.said_times.get(word)
            return ((int(named[:2]), int(named[3:]), False), 1) if named else None
        hour = self._number(position, 0, 23)
        if hour is None or self._at(position - 1) in ("/", ":", "€", "$", "£", "eur", "usd", "gbp", "chf", "#"):
            return None
        minute, after = 0, position + 1
        marked = False
        if self._at(after) in (":", ".") and len(self._at(after + 1)) == 2:
            number = self._number(after + 1, 0, 59)
            if number is not None:
                # "At 9.40", which is no sum of money.
                marked = self._at(after) == ":" or self._at(after + 2) not in _NO_DAY and (
                    self._opens_hour(position - 1) or self._dated(position))
                minute, after = number, after + 2
        joint = after
        ranged = self._at(after) in language.range_words and self._number(after + 1, 0, 23) is not None
        if ranged and self._at(after + 2) in (*language.hour_words, *language.halves):
            joint = after + 2  # "between 14 and 15 Uhr", "2 to 3pm": what both are stands behind the second
        half = language.halves.get(self._at(joint))
        length = 1
        if half is None and self._at(after) in ("a", "p") and self._at(after + 1) == "." and self._at(after + 2) == "m":
            half, length = (12 if self._at(after) == "p" else 0), 3
        if half is not None and 1 <= hour <= 12:
            return (hour % 12 + half, minute, True), (after + length if joint == after else after) - position
        if joint != after and self._at(joint) in language.hour_words:
            return (self._of_day(hour, position), minute, False), after - position
        if self._at(after) in language.hour_words:
            # "14h30".
            if self._at(after) == "h" and len(self._at(after + 1)) == 2 and self._at(after + 1) < "60":
                return (hour, int(self._at(after + 1)), False), after + 2 - position
            return (self._of_day(hour, position), minute, False), after + 1 - position
        other = self._at(after) == language.or_ and after == position + 1 and self._number(after + 1, 1, 23) is not None
        if other and (self._at(after + 2) in language.halves or self._at(after + 2) in language.hour_words):
            return (self._of_day(hour, position), 0, False), 1  # "10 or 2 o'clock"
        following = self._at(after)
        bare = not marked and after == position + 1 and 1 <= hour <= 20
        if bare and self._opens_hour(position - 1) and (
            not following[:1].isalnum() and following not in ("%", "/", "-", "–") or following in language.after_hour
            or following in language.range_words and ranged
        ):
            # "Tomorrow at 3": in the afternoon.
            return (self._of_day(hour, position), 0, False), 1
        if marked and self._at(position + 1) == ".":
            hour = self._of_day(hour, position)
        return ((hour, minute, False), after - position) if marked else None

    def _spoken(self, position: int) -> tuple[tuple[int, int, bool], int] | None:
        """Read "half past ten", "viertel nach elf", "ocho y media", "at three"."""
        language, low = self._language, self.low
        lead = next((phrase for phrase in language.before_hour if low[position] == phrase.partition(" ")[0] and (
            " ".join(low[position:position + len(phrase.split())]) == phrase)), "")
        at = position + len(lead.split())
        hour = language.counts.get(self._at(at)) if not self._at(at).isdigit() else self._number(at, 1, 23)
        behind = at + 1 + (self._at(at + 1) in language.hour_words)
        tail = next((phrase for phrase in language.behind_hour if " ".join(
            low[behind:behind + len(phrase.split())]) == phrase), "")
        # "At three on Friday", and not "about three people".
        follows = self._at(at + 1)
        told = not self._at(at).isdigit() and self._at(position - 1) in language.at_words and (
            behind > at + 1 or not follows[:1].isalnum() or follows in language.after_hour)
        if hour is None or not 1 <= hour <= 23 or not (lead or tail or told) or self._at(at) in (
                language.determiners) and self._at(at + 1) in language.spans:
            return None
        hour = self._of_day(hour, position, spoken=not self._at(at).isdigit() or bool(lead or tail))
        minutes = 60 * hour + language.before_hour.get(lead, 0) + language.behind_hour.get(tail, 0)
        return (minutes // 60, minutes % 60, False), (behind + len(tail.split()) if tail else (
            behind if behind > at + 1 else at + 1)) - position

    def _opens_hour(self, position: int) -> bool:
        """Whether an hour may stand behind a word: "at", and behind a day "from" or "after"."""
        word, language = self._at(position), self._language
        return word in language.at_words or word in language.hours_from and self._dated(position)

    def _dated(self, position: int) -> bool:
        """Whether a day ends right before a position."""
        return 0 <= position - self.day_end <= (self._at(position - 1) == ",")

    def _of_day(self, hour: int, position: int, spoken: bool = False) -> int:
        """
        An hour as one says it where the day is halved: two o'clock is in the afternoon, eight this evening at 20:00.

        @param spoken: in words, of which there are twelve everywhere.
        """
        beside = f' {" ".join(self.low[max(0, position - 3):position + 5])} '
        late = 0 < hour < 7 and (spoken or bool(self._language.halves)) and not any(
            map(beside.__contains__, self._language.mornings))
        return hour + 12 if late or 0 < hour < 12 and any(
            f" {word} " in beside for word in self._language.evenings) else hour
