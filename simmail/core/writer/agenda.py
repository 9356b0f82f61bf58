"""
The persona's days: when it works, which day it can promise, how it names a day.

Source: API contract, C{timing.hours}; decisions, section 23 ("no C{hours}
means any hour").  A person without hours still promises things for weekdays.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta, timezone, tzinfo

from msgspec import UNSET

from simmail.core.language.dates import Slot
from simmail.core.language.tables import Language
from simmail.core.records.conversation import USUAL, Appointment, taken
from simmail.core.records.persona import Hours, Persona
from simmail.core.time.instant import parse_days, zone
from simmail.core.time.working_hours import is_open
from simmail.core.writer.sources.limits import OwnLimits
from simmail.errors import Invalid

_WEEKDAYS = frozenset(range(5))
_NINE, _FIVE = time(9), time(17)
#: So long before its hours, or behind them, somebody comes where it is asked to.
_NEAR = (timedelta(), timedelta(hours=1), -timedelta(hours=1))


class Calendar:
    """One persona's days, seen from C{now}."""

    def __init__(
        self, persona: Persona, now: datetime, appointments: Sequence[Appointment] = (), limits: OwnLimits | None = None
    ) -> None:
        """
        Read the persona's hours.

        @param appointments: the times that are given away, but for what is spoken about; limits: what it keeps to.
        """
        self._appointments = appointments
        timing = persona.timing
        hours = timing.hours if timing is not UNSET else UNSET
        self.hours: Hours | None = hours if hours is not UNSET else None
        self.zone: tzinfo = timezone.utc
        self._days, self._from, self._to = _WEEKDAYS, _NINE, _FIVE
        if self.hours is not None:
            # Stored personas were validated; a record that was not must not keep a mail from being written.
            try:
                if self.hours.tz is not UNSET:
                    self.zone = zone(self.hours.tz)
                if self.hours.days is not UNSET:
                    self._days = parse_days(self.hours.days) or _WEEKDAYS
                if self.hours.from_ is not UNSET:
                    self._from = time.fromisoformat(self.hours.from_)
                if self.hours.to is not UNSET:
                    self._to = time.fromisoformat(self.hours.to)
                is_open(self.hours, now)
            except (Invalid, ValueError):
                self.hours = None
        if self._to <= self._from:
            # Over midnight: the promised end of the day is the last minute of it.
            self._to = time(23, 59)
        self.now = now.astimezone(self.zone)
        self._limits = limits
        if limits is not None and not any(self.working(self.today + timedelta(days=ahead)) for ahead in range(372)):
            self._limits = None  # nobody keeps all days for itself

    @property
    def today(self) -> date:
        """Return the date where the persona is."""
        return self.now.date()

    def workday(self, count: int) -> date:
        """Return the C{count}-th working day from now; today is number 0 while two hours of it are left."""
        day = self.today
        left = datetime.combine(day, self._to, self.zone) - self.now
        if self.working(day) and count == 0 and left >= timedelta(hours=2):
            return day
        for _ in range(max(count, 1)):
            day += timedelta(days=1)
            while not self.working(day):
                day += timedelta(days=1)
        return day

    def working(self, day: date) -> bool:
        """Return whether the persona works on a day."""
        return day.weekday() in self._days and (self._limits is None or self._limits.works(day))

    def close(self, day: date) -> datetime:
        """Return the end of a working day."""
        return datetime.combine(day, self._to, self.zone)

    def suits(self, slot: Slot, span: timedelta = USUAL) -> bool:
        """Return whether an appointment of a length lies ahead, in the persona's hours or near, and is not taken."""
        if not slot.timed:
            day = slot.start.date()
            return day >= self.today and self.working(day) and any(
                at > self.now and self.free(at) for at in self._hours(day))
        if slot.start <= self.now or not self.free(slot.start, span):
            return False
        return self.hours is None or any(is_open(self.hours, slot.start + one) for one in _NEAR)

    def free(self, start: datetime, span: timedelta = USUAL) -> bool:
        """Return whether nothing else is agreed for a time, and it is none that the persona keeps for itself."""
        return not taken(self._appointments, start, start + span) and (
            self._limits is None or self._limits.free(start.astimezone(self.zone), span))

    def _hours(self, day: date) -> list[datetime]:
        """The full and half hours of a day at which something may begin."""
        start, end = self._from.hour * 60 + self._from.minute, self._to.hour * 60 + self._to.minute
        first = -(-start // 30) * 30
        return [datetime.combine(day, time(*divmod(minutes, 60)), self.zone)
                for minutes in range(first, max(end, first + 1), 30)]

    def at_work(self, day: date, share: float) -> datetime:
        """Return a full or half hour of a working day, C{share} (0 to 1) of the way through it or near, and free."""
        start, end = self._from.hour * 60 + self._from.minute, self._to.hour * 60 + self._to.minute
        first = -(-start // 30) * 30
        minutes = max(int(start + (end - start) * share) // 30 * 30, first) % (24 * 60)
        wanted = datetime.combine(day, time(*divmod(minutes, 60)), self.zone)
        if self.free(wanted):
            return wanted
        return min((at for at in self._hours(day) if self.free(at)), key=lambda at: abs(at - wanted), default=wanted)

    def name(self, day: date, language: Language) -> str:
        """Return a day as it follows "by": C{tomorrow}, C{Thursday}, C{Thursday 12 March}."""
        ahead = (day - self.today).days
        if ahead == 0:
            return language.day.today
        if ahead == 1:
            return language.day.tomorrow
        weekday = language.weekdays[day.weekday()]
        if 1 < ahead < 6:
            return language.day.near.format(weekday=weekday)
        return language.day.date.format(
            weekday=weekday, day=numbered(day, language), month=language.months[day.month - 1])

    def when(self, day: date, language: Language) -> str:
        """Return a day as it answers "when": C{tomorrow}, C{on Thursday}."""
        ahead = (day - self.today).days
        if ahead == 0:
            return language.day.on_today
        if ahead == 1:
            return language.day.on_tomorrow
        return language.day.on.format(day=self.name(day, language))

    def appointment(self, slot: Slot, language: Language, dated: bool = False) -> str:
        """
        Return a slot as its proposer wrote its time, with the persona's own clock where that differs.

        @param dated: with its date, however near it is.
        """
        weekday = language.weekdays[slot.start.weekday()]
        ahead = (slot.start.date() - self.today).days
        form = language.day.date if dated or ahead < 0 or ahead > 5 else (
            language.day.near if ahead else language.day.today)
        day = form.format(
            weekday=weekday, day=numbered(slot.start, language), month=language.months[slot.start.month - 1])
        if not slot.timed:
            return day
        here = slot.start.astimezone(self.zone)
        told = language.day.slot.format(day=day, time=clock(slot.start, slot.halves, language))
        if here.utcoffset() != slot.start.utcoffset():
            told += language.day.elsewhere.format(time=clock(here, slot.halves, language))
        return told


def plain_date(day: date, language: Language) -> str:
    """Return C{14 February}."""
    return language.day.plain_date.format(day=numbered(day, language), month=language.months[day.month - 1])


def full_date(day: date, language: Language) -> str:
    """Return C{14 February 2026}."""
    return language.day.year.format(date=plain_date(day, language), year=day.year)


def numbered(day: date, language: Language) -> str:
    """Return the number of a day in its month: C{14}, and C{1er} in French."""
    return language.day.first if day.day == 1 and language.day.first else str(day.day)


def clock(instant: datetime, halves: bool, language: Language) -> str:
    """Return a time of day, C{14:30} or C{2:30 pm}."""
    if halves:
        hour = instant.hour % 12 or 12
        half = "pm" if instant.hour >= 12 else "am"
        if not instant.minute:
            return f"{hour} {half}"
        return language.day.half_clock.format(hour=hour, minute=f"{instant.minute:02d}", half=half)
    return language.day.clock.format(hour=instant.hour, minute=f"{instant.minute:02d}")
