"""
The arithmetic of simulated time: real seconds to a simulated instant and back.

A timeline is a value; freezing, speeding and moving make a new one.  Who may
call which, and what is due on the way, is the universe clock's matter.
Source: decisions, section 7.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from msgspec import Struct
from msgspec.structs import replace

from simmail.errors import Invalid

SLOWEST, FASTEST = 0.001, 100_000.0


class Timeline(Struct, frozen=True):
    """
    Simulated time as a line through an anchor.

    @ivar sim: the simulated instant at the anchor; real: its Unix time.
    @ivar speed: simulated seconds in a real second, while not frozen.
    @ivar touched: it was ever set, moved or sped up, so it stands still while the service is down.
    """

    sim: datetime
    real: float
    speed: float = 1.0
    frozen: bool = False
    touched: bool = False

    def at(self, real: float) -> datetime:
        """The simulated instant at a real one; never before the anchor."""
        if self.frozen or real <= self.real:
            return self.sim
        return self.sim + timedelta(seconds=(real - self.real) * self.speed)

    def real_at(self, sim: datetime) -> float | None:
        """The real time at which a simulated instant is reached; None while frozen."""
        if sim <= self.sim:
            return self.real
        if self.frozen:
            return None
        return self.real + (sim - self.sim).total_seconds() / self.speed

    def changed(
        self, now: datetime, real: float, speed: float | None = None, frozen: bool | None = None
    ) -> Timeline:
        """
        Another pace from C{now} on.

        @raise Invalid: speed out of range.
        """
        if speed is not None and not SLOWEST <= speed <= FASTEST:
            raise Invalid("speed", f"must be from {SLOWEST:g} to {FASTEST:g}")
        return Timeline(
            sim=now,
            real=real,
            speed=self.speed if speed is None else float(speed),
            frozen=self.frozen if frozen is None else frozen,
            touched=True,
        )

    def resumed(self, last: datetime, real: float) -> Timeline:
        """
        After a stop: real time went on for an untouched clock; any other stood still at C{last}.

        Real time that was set back meanwhile takes nothing back: the clock goes on from C{last}.
        """
        if not self.touched and self.at(real) >= last:
            return self
        return replace(self, sim=max(self.sim, last), real=real)


def begun(real: float, clock: datetime | None = None, speed: float = 1.0, frozen: bool | None = None) -> Timeline:
    """
    Return the timeline of a universe that is made now.

    @param real: real Unix time.  @param clock: where it begins, and stands unless C{frozen} is false; None: at that.
    @raise Invalid: speed out of range.
    """
    now = datetime.fromtimestamp(real, UTC)
    line = Timeline(sim=now, real=real)
    if clock is not None:
        return line.changed(clock, real, speed, True if frozen is None else frozen)
    return line.changed(now, real, speed, frozen) if frozen or speed != 1.0 else line
