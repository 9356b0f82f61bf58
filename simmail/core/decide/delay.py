"""
When a persona acts: delays, working hours, absences, reading.

Source: decisions, section 8 (steps 5 and 9); temperaments give what a persona
does not set.  All answers are whole seconds, so that a date in a header says
exactly when a thing was due.
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone, tzinfo
from typing import NamedTuple

from msgspec import UNSET

from simmail.core.records.persona import Hours, OutOfOffice, Persona, SPREAD, Timing, temperament_named
from simmail.core.records.settings import Pace
from simmail.core.rng import Dice
from simmail.core.time.instant import format_duration, parse_duration, zone
from simmail.core.time.working_hours import away, is_open, next_open, window

#: No delay is longer, whatever the draw.
LONGEST = timedelta(days=400)

#: So long after the day has begun somebody who checks mail late comes to what waited; how much that differs from day
#: to day.  Neither is more than a part of the day.
LATE, MORNING = timedelta(minutes=60), timedelta(minutes=20)
_PART_OF_DAY = 4
_DAY = timedelta(days=1)
#: Who works one day a week does not take ten weeks for what others do in two.
_LONGEST_DETOUR = timedelta(days=14)

#: Nobody answers within this of having read.
TYPING = timedelta(seconds=20)

#: Nothing is planned for later; calendars end a little after.
_LAST = datetime(9999, 12, 1, tzinfo=timezone.utc)


class Due(NamedTuple):
    """When, and why then, as a sentence."""

    at: datetime
    why: str


def timing(persona: Persona) -> Timing:
    """The persona's timing; all unset when it has none."""
    return persona.timing if isinstance(persona.timing, Timing) else Timing()


def hours(persona: Persona) -> Hours | None:
    """Its working hours, None for any hour."""
    own = timing(persona).hours
    return own if isinstance(own, Hours) else None


def zone_of(persona: Persona) -> tzinfo:
    """The zone the persona lives in, UTC where it names none."""
    own = hours(persona)
    return zone(own.tz) if own is not None and isinstance(own.tz, str) else timezone.utc


def reply_rate(persona: Persona) -> tuple[float, str]:
    """The chance of a reply before anything raises or lowers it, and where it is from, such as C{flaky 0.50}."""
    own = timing(persona).reply_rate
    if own is not UNSET:
        return own, f"its own {own:.2f}"
    temperament = temperament_named(persona.temperament)
    return temperament.reply_rate, f"{temperament.name} {temperament.reply_rate:.2f}"


def median_and_spread(persona: Persona) -> tuple[timedelta, float]:
    """Median and geometric standard deviation of its delays."""
    delay = timing(persona).delay
    median, spread = temperament_named(persona.temperament).median_delay, SPREAD
    if delay is not UNSET:
        median = median if delay.median is UNSET else parse_duration(delay.median)
        spread = spread if delay.spread is UNSET else delay.spread
    return median, spread


def delay(persona: Persona, pace: Pace, dice: Dice) -> timedelta:
    """How long this persona takes this time: log-normal, times pace, in whole seconds."""
    median, spread = median_and_spread(persona)
    return drawn(median, spread, pace, dice, "delay")


def drawn(median: timedelta, spread: float, pace: Pace, dice: Dice, purpose: str) -> timedelta:
    """A log-normal delay times pace, in whole seconds."""
    seconds = dice.lognormal(median.total_seconds(), spread, purpose) * pace.scale
    return timedelta(seconds=round(min(seconds, LONGEST.total_seconds())))


def absence(persona: Persona, now: datetime) -> tuple[OutOfOffice, datetime, datetime] | None:
    """The out-of-office period C{now} is in, its beginning and the instant of the return, or None."""
    return away(timing(persona).ooo, hours(persona), min(now, _LAST))


def period_key(period: OutOfOffice) -> str:
    """What tells one absence from another: its dates (a changed message is the same absence)."""
    return f"{period.from_}/{period.to}"


def due(persona: Persona, pace: Pace, now: datetime, after: timedelta, dice: Dice) -> Due:
    """
    C{after} of working time from now, or from the return of who is away.

    Of each day of C{after} as many hours count as the working day has; what is longer lasts into the next.  Never in an
    absence; outside working hours only with C{pace.ignore_hours}.
    """
    gone = absence(persona, now)
    start = min(gone[2], _LAST) if gone else now
    wanted = _whole(_plus(available(persona, pace, start) if gone else start, after))
    at = _whole(_worked(persona, pace, start, after, dice))
    why = f"after {format_duration(after)}"
    if gone:
        why += f" from the return on {gone[2].astimezone(timezone.utc):%Y-%m-%d}"
    # Who is back comes to what waited in the morning, which is no move.
    if at > (_plus(wanted, min((LATE + MORNING) * pace.scale, _DAY)) if gone else wanted):
        why += ", moved into working hours" if absence(persona, wanted) is None else ", moved past an absence"
    return Due(at.astimezone(timezone.utc), why)


def morning(persona: Persona, pace: Pace, dice: Dice) -> timedelta:
    """How long after the day has begun the persona comes to what waited: its habit, and how the day is."""
    habit = LATE * Dice(persona.id).uniform("checks mail")
    return (habit + MORNING * dice.uniform("morning")) * pace.scale


def _worked(persona: Persona, pace: Pace, start: datetime, after: timedelta, dice: Dice) -> datetime:
    """The instant at which the persona has been at work for so long."""
    own = None if pace.ignore_hours else hours(persona)
    if own is None:
        at = _plus(start, after)
        free = available(persona, pace, at)
        return at if free == at else _begun(persona, pace, free, _DAY, dice)
    day = window(own)
    left = day.length * (after // _DAY) + min(after % _DAY, day.length)
    at, latest, waited = start, _plus(start, after + _LONGEST_DETOUR), False
    while at < latest:
        opening = available(persona, pace, at)
        if opening >= latest:
            return opening
        if opening > at:
            at = opening if waited else _begun(persona, pace, opening, day.length, dice)
            waited = True
        room = day.close(at) - at
        if left < room:
            done = at + left
            # An absence begins with its day, also in the middle of a night's work.
            return available(persona, pace, done)
        left -= room
        at += room
    return available(persona, pace, max(at, latest))


def _begun(persona: Persona, pace: Pace, opening: datetime, length: timedelta, dice: Dice) -> datetime:
    """When the persona comes to what waited for a window of a length to open."""
    at = _plus(opening, min(morning(persona, pace, dice), length / _PART_OF_DAY))
    return at if available(persona, pace, at) == at else opening


def available(persona: Persona, pace: Pace, at: datetime) -> datetime:
    """The first instant from C{at} on at which the persona is neither away nor off work."""
    own = None if pace.ignore_hours else hours(persona)
    periods = timing(persona).ooo or ()
    # Each turn leaves one absence or one night behind.
    for _ in range(2 * len(periods) + 2):
        gone = absence(persona, at) if periods else None
        if gone is not None:
            at = min(gone[2], _LAST)
        elif own is None or is_open(own, at):
            break
        else:
            at = next_open(own, at)
    return at


def reading(persona: Persona, pace: Pace, now: datetime, latest: datetime | None, dice: Dice) -> datetime:
    """
    When a mail is read: part of the way to the reply, or to when one would have come.

    Never later than C{latest}, the reply's due time, and a little before it where that is possible.
    """
    after = delay(persona, pace, dice) * dice.uniform("reading")
    at = due(persona, pace, now, timedelta(seconds=round(after.total_seconds())), dice.on("reading")).at
    if latest is None:
        return at
    before = max(latest - TYPING, min(latest, _whole(now)))
    return min(at, before if available(persona, pace, before) == before else latest)


def later(now: datetime, after: timedelta) -> datetime:
    """C{after} from now whatever the hour, in whole seconds: what machines do."""
    return _whole(_plus(now, after))


def _plus(at: datetime, delta: timedelta) -> datetime:
    return _LAST if delta > _LAST - at else at + delta


def _whole(at: datetime) -> datetime:
    """Up to the next whole second."""
    return at if not at.microsecond else at.replace(microsecond=0) + timedelta(seconds=1)
