"""
Working hours and absences on the wall clock of somebody's zone: open or not at an instant, and when next.

Source: decisions, section 23 ("Hours may cross midnight; C{ooo} dates are inclusive in C{hours.tz}, else UTC").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

from msgspec import UnsetType

from simmail.core.records.persona import Hours, OutOfOffice
from simmail.core.time.instant import EVERY_DAY, MINUTES_A_DAY, UTC, parse_clock, parse_date, parse_days, zone

#: Days of windows whose openings are remembered: many people keep the same hours.
_MOST_DAYS = 2048


class Window(NamedTuple):
    """
    Working hours, read: minutes of the local day, C{start <= t < end}; C{end <= start} crosses midnight.

    C{days} are those on which a window begins.
    """

    zone: ZoneInfo
    days: frozenset[int]
    start: int
    end: int

    def open(self, instant: datetime) -> bool:
        """Whether the wall clock, read at an instant, is inside."""
        local = instant.astimezone(self.zone)
        minute = local.hour * 60 + local.minute
        today = local.weekday()
        if self.start < self.end:
            return today in self.days and self.start <= minute < self.end
        return (today in self.days and minute >= self.start) or ((today - 1) % 7 in self.days and minute < self.end)

    @property
    def length(self) -> timedelta:
        """How long one window is open, on a day without a change of the clocks."""
        return timedelta(minutes=(self.end - self.start) % MINUTES_A_DAY or MINUTES_A_DAY)

    def close(self, instant: datetime) -> datetime:
        """The end of the window that an instant is inside of, in UTC, and later than the instant in any case."""
        local = instant.astimezone(self.zone)
        today = local.date()
        if self.start >= self.end and local.hour * 60 + local.minute >= self.start:
            today += timedelta(days=1)
        if self.end == MINUTES_A_DAY:
            today, minutes = today + timedelta(days=1), 0
        else:
            minutes = self.end
        end = datetime.combine(today, time(*divmod(minutes, 60)), self.zone).astimezone(UTC)
        # A change of the clocks may swallow the end.
        return end if end > instant else instant.astimezone(UTC) + timedelta(minutes=1)


@lru_cache(256)
def window(hours: Hours) -> Window:
    """
    Working hours, read.  What is not set does not narrow: no days are all days, no times the whole day, no zone UTC.

    @raise Invalid: naming the field, C{timing.hours...}.
    """
    return Window(
        zone(hours.tz) if isinstance(hours.tz, str) else ZoneInfo("UTC"),
        parse_days(hours.days) if isinstance(hours.days, str) else EVERY_DAY,
        parse_clock(hours.from_, "timing.hours.from") % MINUTES_A_DAY if isinstance(hours.from_, str) else 0,
        parse_clock(hours.to, "timing.hours.to") if isinstance(hours.to, str) else MINUTES_A_DAY,
    )


def is_open(hours: Hours | UnsetType | None, now: datetime) -> bool:
    """Whether an instant is inside working hours, by the wall clock of their zone; no hours are always open."""
    return not isinstance(hours, Hours) or window(hours).open(now)


def next_open(hours: Hours | UnsetType | None, now: datetime) -> datetime:
    """
    The first instant from C{now} on that is inside working hours: C{now} itself when it is.

    An opening time that a change of the clocks skips opens at the change;
    one that comes twice opens both times.
    """
    if not isinstance(hours, Hours):
        return now
    wanted = window(hours)
    if wanted.open(now):
        return now
    today = now.astimezone(wanted.zone).date()
    # A week holds every window; one more because a change of the clocks may swallow the only one.
    for ahead in range(16):
        found = [at for at in _openings(wanted, today + timedelta(days=ahead)) if at >= now and wanted.open(at)]
        if found:
            return min(found).astimezone(now.tzinfo)
    return now  # pragma: no cover - no zone has skipped the same hour twice in a fortnight


@lru_cache(_MOST_DAYS)
def _openings(wanted: Window, day: date) -> tuple[datetime, ...]:
    """Instants of a local day at which a window may begin to be open."""
    return tuple(_found_openings(wanted, day))


def _found_openings(wanted: Window, day: date) -> Iterator[datetime]:
    opening = datetime.combine(day, time(wanted.start // 60, wanted.start % 60), wanted.zone)
    yield opening.astimezone(UTC)
    yield opening.replace(fold=1).astimezone(UTC)
    # The wall clock may also jump into the window.
    low = datetime.combine(day, time(), wanted.zone).astimezone(UTC)
    high = datetime.combine(day + timedelta(days=1), time(), wanted.zone).astimezone(UTC)
    before = low.astimezone(wanted.zone).utcoffset()
    if before != high.astimezone(wanted.zone).utcoffset():
        span = int((high - low).total_seconds())
        under, over = 0, max(span, 0)
        while over - under > 1:
            middle = (under + over) // 2
            if (low + timedelta(seconds=middle)).astimezone(wanted.zone).utcoffset() == before:
                under = middle
            else:
                over = middle
        yield low + timedelta(seconds=over)


def away(
    ooo: Sequence[OutOfOffice] | UnsetType | None, hours: Hours | UnsetType | None, now: datetime
) -> tuple[OutOfOffice, datetime, datetime] | None:
    """
    The out-of-office period that C{now} is in, the instant it began and the instant of the return (midnight after its
    last day), or None.  The first listed wins.
    """
    if isinstance(ooo, UnsetType) or not ooo:
        return None
    tz = zone(hours.tz) if isinstance(hours, Hours) and isinstance(hours.tz, str) else ZoneInfo("UTC")
    today = now.astimezone(tz).date()
    for period in ooo:
        first, last = parse_date(period.from_, "timing.ooo.from"), parse_date(period.to, "timing.ooo.to")
        if first <= today <= last:
            start = datetime.combine(first, time(), tz).astimezone(UTC)
            try:
                end = datetime.combine(last + timedelta(days=1), time(), tz).astimezone(UTC)
            except OverflowError:
                end = datetime.max.replace(tzinfo=UTC)
            return period, start, end
    return None
