"""
C{/api/clock}: the simulated clock.

Source: decisions, section 7.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated

from msgspec import Meta

from simmail.core.time.instant import parse_duration, parse_instant
from simmail.errors import Invalid
from simmail.rest.route import Body, Call, Route
from simmail.universe.clock import Advanced, ClockStatus, FASTEST, LONGEST_SETTLE, MOST_JOBS, SLOWEST

HEADING = "Clock and jobs"


#: Checked where it is set.
Speed = Annotated[float, Meta(extra_json_schema={"minimum": SLOWEST, "maximum": FASTEST})]


class ClockChange(Body, frozen=True):
    """
    What to change of the clock; what is left out stays.

    @ivar now: instant of simulated time to go to, only forward; speed: simulated seconds a real second.
    @ivar frozen: whether it stands.
    """

    now: str | None = None
    speed: Speed | None = None
    frozen: bool | None = None


class Advance(Body, frozen=True):
    """
    How far to move: exactly one of C{by}, C{to}, C{until}.

    @ivar by: a duration of simulated time, such as C{2h}; to: an instant of simulated time.
    @ivar until: C{next_job}, C{idle} (nothing is pending) or C{event:<type>}; max_jobs: stop after so many jobs.
    @ivar settle: how long to hold after mail reached the application, until nothing was accepted: a duration of real
        time, at most 30s.
    """

    by: str | None = None
    to: str | None = None
    until: str | None = None
    max_jobs: Annotated[int, Meta(ge=1, le=MOST_JOBS)] | None = None
    settle: str = "0s"


def settle_seconds(text: str) -> float:
    """Read a duration.  @raise Invalid: it is none, or over 30 s."""
    seconds = parse_duration(text, "settle").total_seconds()
    if seconds > LONGEST_SETTLE:
        raise Invalid("settle", f"at most {LONGEST_SETTLE:g}s")
    return seconds


async def read_clock(call: Call) -> ClockStatus:
    return call.universe.clock_status()


async def change_clock(call: Call) -> ClockStatus:
    change: ClockChange = call.body
    now = None if change.now is None else parse_instant(change.now, "now")
    universe = call.universe

    async def advance(to: datetime) -> None:
        # One clock event in all: the change of pace announces itself.
        await universe.scheduler.advance(to=to, announce=change.speed is None and change.frozen is None)

    if (now, change.speed, change.frozen) != (None, None, None):
        await universe.clock.set(now, change.speed, change.frozen, advance)
    return await read_clock(call)


async def advance_clock(call: Call) -> Advanced:
    asked: Advance = call.body
    by: timedelta | None = None if asked.by is None else parse_duration(asked.by, "by")
    to = None if asked.to is None else parse_instant(asked.to, "to")
    return await call.universe.scheduler.advance(
        by=by, to=to, until=asked.until, max_jobs=asked.max_jobs, settle=settle_seconds(asked.settle))


_STATUS = {
    "now": "2026-03-01T09:00:00Z", "real": "2025-11-21T08:12:00Z", "speed": 1.0, "frozen": True,
    "next_job": {"id": "j_5t2k8w", "kind": "reply", "due": "2026-03-01T09:45:00Z"}, "pending": 1,
}

ROUTES: tuple[Route, ...] = (
    Route("GET", "/api/clock", read_clock, "Read the simulated clock", ClockStatus, answer_example=_STATUS),
    Route("PUT", "/api/clock", change_clock, "Freeze, speed up or move the clock; what is left out stays",
          ClockStatus, role="member", body=ClockChange, example={"frozen": True}, answer_example=_STATUS),
    Route("POST", "/api/clock/advance", advance_clock,
          "Move the clock, running each due job at its own time", Advanced, role="member", body=Advance,
          example={"by": "1d"},
          answer_example={"from": "2026-03-01T09:00:00Z", "to": "2026-03-02T09:00:00Z", "jobs_run": 1,
                          "events": [14, 17], "stopped_by": "to"}),
)
