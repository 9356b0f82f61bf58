"""
Instants, durations, dates, days, times of day and zones, as people and headers write them.

Everything here is arithmetic on values: no clock is read.  Source: RFC 3339,
RFC 5322 section 3.3; decisions, "Durations" and section 23 ("The simulated clock is the only clock people have").
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta, timezone, tzinfo
from email.utils import parsedate_tz
from functools import lru_cache
from zoneinfo import ZoneInfo

from simmail.errors import Invalid

UTC = timezone.utc
_EPOCH, _MICROSECOND = datetime(1970, 1, 1, tzinfo=UTC), timedelta(microseconds=1)
DAYS: tuple[str, ...] = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
EVERY_DAY: frozenset[int] = frozenset(range(7))

#: No duration is longer: a hundred years.
LONGEST = timedelta(days=36525)

_DAY_NAMES = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
MINUTES_A_DAY = 24 * 60

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
    minutes = int(match[1]) * 60 + int(match[2]) if match and int(match[2]) < 60 else MINUTES_A_DAY + 1
    if minutes > MINUTES_A_DAY:
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


def local_arrival(arrived: datetime, dated: datetime | None, home: tzinfo) -> datetime:
    """
    Return when a mail arrived, by the clock on its writer's wall: the instant from which its "tomorrow" is meant.

    A universe has one clock.  The C{Date} that a program stamps is of another one and counts for its offset alone.

    @param arrived: by the universe's clock, aware; dated: the mail's C{Date}, aware, None for none.
    @param home: the reader's zone, which a mail without a date is taken to be of.
    """
    offset = dated.utcoffset() if dated is not None else None
    return arrived.astimezone(home if offset is None else timezone(offset))


def microseconds(at: datetime) -> int:
    """Return an instant as the mail store keeps it: microseconds since 1970.  @raise Invalid: it has no time zone."""
    if at.tzinfo is None:
        raise Invalid("date", "must have a time zone")
    return (at - _EPOCH) // _MICROSECOND


def of_microseconds(since: int) -> datetime:
    """Return the instant, in UTC."""
    return _EPOCH + timedelta(microseconds=since)
