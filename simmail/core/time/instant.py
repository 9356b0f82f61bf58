"""
Instants, durations and working hours, as people and headers write them.

Everything here is arithmetic on values: no clock is read.  Source: RFC 3339,
RFC 5322 section 3.3; decisions, "Durations" and section 23 ("Hours may cross
midnight; C{ooo} dates are inclusive in C{hours.tz}, else UTC").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta, timezone
from email.utils import parsedate_tz
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

from msgspec import UnsetType

from simmail.core.records.persona import Hours, OutOfOffice
from simmail.errors import Invalid

UTC = timezone.utc
DAYS: tuple[str, ...] = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
EVERY_DAY: frozenset[int] = frozenset(range(7))

#: No duration is longer: a hundred years.
LONGEST = timedelta(days=36525)

_DAY_NAMES = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MINUTES_A_DAY = 24 * 60

# Every repetition is bounded and no two neighbours can match the same character, so none of these backtracks.
_INSTANT = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})"
    r"(?:\.([0-9]{1,12}))?(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))"
)
_DURATION = re.compile(
    r"(?:([0-9]{1,9})w)?(?:([0-9]{1,9})d)?(?:([0-9]{1,9})h)?(?:([0-9]{1,9})m(?!s))?"
    r"(?:([0-9]{1,9})s)?(?:([0-9]{1,9})ms)?"
)
_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_CLOCK = re.compile(r"([0-9]{2}):([0-9]{2})")
_ZONE = re.compile(r"[A-Za-z][A-Za-z0-9_+-]{0,31}(?:/[A-Za-z][A-Za-z0-9_+-]{0,31}){0,2}")

#: Files of the zone database that are no zones of their own, or differ from machine to machine.
_NO_ZONES = frozenset({"localtime", "posixrules", "Factory", "leapseconds", "posix", "right"})


def parse_instant(text: str, field: str = "") -> datetime:
    """
    An RFC 3339 date-time as an aware datetime in UTC.

    The offset is required; digits past the microsecond are dropped.

    @raise Invalid: anything else, leap seconds included (no datetime holds one).
    """
    match = _INSTANT.fullmatch(text)
    if match is None:
        raise Invalid(field, "must be an RFC 3339 time with an offset, such as 2026-03-01T09:00:00Z")
    year, month, day, hour, minute, second, fraction, sign, off_hour, off_minute = match.groups()
    try:
        local = datetime(int(year), int(month), int(day), int(hour), int(minute), int(second),
                         int((fraction or "0")[:6].ljust(6, "0")), UTC)
        if sign is None:
            return local
        if int(off_hour) > 23 or int(off_minute) > 59:
            raise ValueError("the offset must be below 24:00")
        offset = timedelta(hours=int(off_hour), minutes=int(off_minute))
        return local - offset if sign == "+" else local + offset
    except (ValueError, OverflowError) as error:
        raise Invalid(field, f"no such time: {error}") from None


def format_instant(instant: datetime) -> str:
    """RFC 3339 in UTC, C{2026-03-01T09:00:00Z}; microseconds only when there are any."""
    if instant.tzinfo is None:
        raise ValueError("an instant must be aware")
    return instant.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"


def parse_duration(text: str, field: str = "") -> timedelta:
    """
    A duration: C{250ms}, C{90s}, C{45m}, C{2h}, C{3d}, C{1w}, or a sum from large to small such as C{1h30m}.

    @raise Invalid: anything else, and more than L{LONGEST}.
    """
    match = _DURATION.fullmatch(text)
    if match is None or not text:
        raise Invalid(field, "must be a duration such as 250ms, 90s, 45m, 2h, 3d, 1w or 1h30m")
    weeks, days, hours, minutes, seconds, milliseconds = (int(group or 0) for group in match.groups())
    duration = timedelta(
        weeks=weeks, days=days, hours=hours, minutes=minutes, seconds=seconds, milliseconds=milliseconds
    ) if max(weeks, days) <= LONGEST.days else LONGEST * 2
    if duration > LONGEST:
        raise Invalid(field, f"must not be longer than {LONGEST.days}d")
    return duration


def format_duration(duration: timedelta) -> str:
    """
    What L{parse_duration} reads back, to the millisecond: C{45m}, C{1h30m}, C{0s}; whole weeks as C{2w}.

    @raise ValueError: a negative duration.
    """
    left = round(duration / timedelta(milliseconds=1))
    if left < 0:
        raise ValueError("a duration is not negative")
    week = 7 * 86_400_000
    if left and left % week == 0:
        return f"{left // week}w"
    parts = []
    for unit, size in (("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1)):
        count, left = divmod(left, size)
        if count:
            parts.append(f"{count}{unit}")
    return "".join(parts) or "0s"


@lru_cache(256)
def zone(name: str, field: str = "timing.hours.tz") -> ZoneInfo:
    """
    The zone of an IANA name.

    Keys of C{zoneinfo} are paths below its tables, so only names made of
    words are looked up.

    @raise Invalid: unknown, or not a name.
    """
    if _ZONE.fullmatch(name) is None or name.partition("/")[0] in _NO_ZONES:
        raise Invalid(field, "must be an IANA time zone name such as Europe/Berlin")
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise Invalid(field, f"unknown time zone {name}") from None


@lru_cache(256)
def parse_days(text: str, field: str = "timing.hours.days") -> frozenset[int]:
    """
    Days of the week, Monday 0: C{mon-fri}, C{sat}, C{fri-mon} (over the weekend), C{mon,wed,fri}, C{mon-wed,sat}.

    @raise Invalid: anything else.
    """
    found: set[int] = set()
    if len(text) > 64:
        raise Invalid(field, "must be days such as mon-fri")
    for part in text.lower().split(","):
        first, dash, last = part.strip().partition("-")
        try:
            start = DAYS.index(first.strip())
            end = DAYS.index(last.strip()) if dash else start
        except ValueError:
            raise Invalid(field, "must be days such as mon-fri or mon,wed,fri") from None
        found.update((start + i) % 7 for i in range((end - start) % 7 + 1))
    return frozenset(found)


def parse_clock(text: str, field: str = "") -> int:
    """
    A time of day C{HH:MM} in minutes, C{24:00} included.

    @raise Invalid: anything else.
    """
    match = _CLOCK.fullmatch(text)
    minutes = int(match[1]) * 60 + int(match[2]) if match and int(match[2]) < 60 else _MINUTES_A_DAY + 1
    if minutes > _MINUTES_A_DAY:
        raise Invalid(field, "must be a time of day HH:MM")
    return minutes


@lru_cache(256)
def parse_date(text: str, field: str = "") -> date:
    """
    A date C{YYYY-MM-DD}.

    @raise Invalid: anything else, and days that are not in the calendar.
    """
    match = _DATE.fullmatch(text)
    try:
        if match is None:
            raise ValueError
        return date(int(match[1]), int(match[2]), int(match[3]))
    except ValueError:
        raise Invalid(field, "must be a date YYYY-MM-DD") from None


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


@lru_cache(256)
def window(hours: Hours) -> Window:
    """
    Working hours, read.  What is not set does not narrow: no days are all days, no times the whole day, no zone UTC.

    @raise Invalid: naming the field, C{timing.hours...}.
    """
    return Window(
        zone(hours.tz) if isinstance(hours.tz, str) else ZoneInfo("UTC"),
        parse_days(hours.days) if isinstance(hours.days, str) else EVERY_DAY,
        parse_clock(hours.from_, "timing.hours.from") % _MINUTES_A_DAY if isinstance(hours.from_, str) else 0,
        parse_clock(hours.to, "timing.hours.to") if isinstance(hours.to, str) else _MINUTES_A_DAY,
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


def _openings(wanted: Window, day: date) -> Iterator[datetime]:
    """Instants of a local day at which a window may begin to be open."""
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


def email_date(instant: datetime) -> str:
    """
    An RFC 5322 date-time in the zone the datetime carries: C{Tue, 3 Mar 2026 09:00:00 +0100}.

    @raise ValueError: a naive datetime.
    """
    # Mail comes many times a second.
    return _date_of(instant.replace(microsecond=0), instant.utcoffset())


@lru_cache(64)
def _date_of(instant: datetime, offset: timedelta | None) -> str:
    # Instants are equal whatever zone they are told in.
    if offset is None:
        raise ValueError("an instant must be aware")
    minutes = round(offset.total_seconds() / 60)
    return "%s, %d %s %04d %02d:%02d:%02d %s%02d%02d" % (
        _DAY_NAMES[instant.weekday()], instant.day, _MONTHS[instant.month - 1], instant.year,
        instant.hour, instant.minute, instant.second, "-" if minutes < 0 else "+", *divmod(abs(minutes), 60),
    )


def read_date(text: str) -> datetime | None:
    """A Date header as an aware datetime in the sender's zone (UTC where it names none); None when it is unreadable."""
    try:
        # The library splits and joins without a bound of its own.
        parts = parsedate_tz(text[:200])
        if parts is None:
            return None
        offset = timezone(timedelta(seconds=parts[9])) if parts[9] else UTC
        read = datetime(*parts[:5], min(parts[5], 59), tzinfo=offset)
        read.astimezone(UTC)  # an instant that cannot be told in UTC is none
        return read
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
