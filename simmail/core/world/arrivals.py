"""
When the mail of a stream arrives: a Poisson process whose rate follows hour and day of the week (UTC).

Every profile brings C{per_day} mails a day on the average of a week.  The n-th gap is drawn by the stream and by C{n}
alone, so what else happens changes no arrival.  Source: decisions, section 13; the method is that of inversion (Cinlar,
"Introduction to Stochastic Processes", 1975, section 4.5).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime, timedelta
from types import MappingProxyType

from simmail.core.records.world import Profile
from simmail.core.rng import Dice
from simmail.core.time.instant import UTC

_HOUR = timedelta(hours=1)
_DAY = timedelta(days=1)
_WEEK_HOURS = 7 * 24
#: Nothing is planned for later; calendars end a little after.
_LAST = datetime(9999, 12, 1, tzinfo=UTC)

# Weights of the hours of a day: offices begin at eight, go to lunch, and have sent most of their mail by six.
_WORKING_DAY = (0.01, 0.01, 0.01, 0.01, 0.01, 0.02, 0.08, 0.4, 1.0, 1.5, 1.5, 1.2, 0.7, 1.0, 1.3, 1.2, 1.0, 0.6, 0.2,
                0.1, 0.05, 0.03, 0.02, 0.01)
_DAY_OFF = tuple(0.04 * weight for weight in _WORKING_DAY)
# People at home write after dinner, and somewhat more when they are off.
_EVENING = (0.15, 0.05, 0.02, 0.02, 0.02, 0.02, 0.05, 0.1, 0.15, 0.2, 0.2, 0.2, 0.3, 0.25, 0.2, 0.25, 0.4, 0.8, 1.3,
            1.6, 1.8, 1.6, 1.0, 0.5)
_EVENING_OFF = tuple(1.25 * weight for weight in _EVENING)


def _week(working: tuple[float, ...], off: tuple[float, ...]) -> tuple[float, ...]:
    """Shares of a week's mail by its hours, from Monday on."""
    hours = working * 5 + off * 2
    whole = sum(hours)
    return tuple(weight / whole for weight in hours)


#: By profile, the share of a week's mail that comes in each of its 168 hours.
SHARES: Mapping[Profile, tuple[float, ...]] = MappingProxyType({
    "office": _week(_WORKING_DAY, _DAY_OFF),
    "evening": _week(_EVENING, _EVENING_OFF),
    "flat": (1 / _WEEK_HOURS,) * _WEEK_HOURS,
})


def gap(dice: Dice, n: int) -> float:
    """Return the n-th gap of a stream, in mails to be expected: exponential, with mean 1."""
    # The open interval: the logarithm of 0 is not defined.
    return -math.log(1.0 - dice.uniform("gap", n))


def arrival(after: datetime, expected: float, per_day: float, profile: Profile) -> datetime:
    """
    Return the instant by which so many mails are to be expected, to the millisecond.

    @param after: where the count begins; per_day: over 0.
    """
    shares, weekly = SHARES[profile], 7.0 * per_day
    whole, left = divmod(expected, weekly)
    if whole > 52 * 5000:
        return _LAST
    try:
        at = after.astimezone(UTC) + timedelta(weeks=whole)
        while True:
            end = at.replace(minute=0, second=0, microsecond=0) + _HOUR
            rate = weekly * shares[at.weekday() * 24 + at.hour]
            mass = rate * ((end - at) / _HOUR)
            if left < mass:
                at += _HOUR * (left / rate)
                break
            left -= mass
            at = end
    except OverflowError:
        return _LAST
    at = at.replace(microsecond=at.microsecond // 1000 * 1000) + timedelta(milliseconds=1)
    return min(at, _LAST)


def next_day(at: datetime) -> datetime:
    """Return the beginning of the next day (UTC)."""
    return at.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0) + _DAY
