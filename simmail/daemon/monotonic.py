"""
Real time for a running service: the wall clock's when it starts, a monotonic clock's from then on.

Somebody may set the wall clock at any time.  Everything here goes by the seconds of the reactor: timers,
time-outs, rates and the clocks of universes; with these in their place none of them stops or leaps.  The next
start goes by the wall clock again.  Source: decisions, section 7.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Any

from twisted.internet.task import LoopingCall
from twisted.logger import Logger

from simmail.universe.clock import WallClock

#: Real seconds between two looks at the wall clock, and by how much it must be elsewhere to have jumped.
LOOK, LEAST = 1.0, 1.0


def monotonic() -> Callable[[], float]:
    """Return a clock that nobody can set; where there is one, it goes on while the machine sleeps."""
    boot = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic if boot is None else partial(time.clock_gettime, boot)


class SteadyTime:
    """
    Unix time that goes on evenly.

    @param wall: the wall clock's Unix time; even: seconds of a clock that nobody sets.
    @ivar seconds: the time.
    """

    log = Logger()

    def __init__(self, wall: Callable[[], float] = time.time, even: Callable[[], float] | None = None) -> None:
        clock = even or monotonic()
        # Asked for several times by each piece of work: one call that runs no Python of ours, C{zero + clock()}.
        self.seconds: Callable[[], float] = map((wall() - clock()).__add__, iter(clock, None)).__next__
        self._wall = wall
        self._offset = 0.0
        self._jumps = 0
        self._seen: datetime | None = None

    def install(self, reactor: Any) -> Callable[[], None]:
        """Have the reactor go by it, and look at the wall clock from time to time; the answer ends both."""
        before, reactor.seconds = reactor.seconds, self.seconds
        looking = LoopingCall(self.look)
        looking.clock = reactor
        looking.start(LOOK, now=False)

        def uninstall() -> None:
            looking.stop()
            reactor.seconds = before

        return uninstall

    def look(self) -> None:
        """See whether the wall clock has jumped, and say so."""
        now = self.seconds()
        offset = self._wall() - now
        if abs(offset - self._offset) < LEAST:
            return
        self.log.warn("the wall clock jumped by {jump:+.3f} s; universes and time-outs go on without it",
                      jump=offset - self._offset)
        self._offset = offset
        self._jumps += 1
        self._seen = datetime.fromtimestamp(now, UTC)

    def wall_clock(self) -> WallClock | None:
        """Return what was seen of the wall clock; None when it did not jump."""
        return None if self._seen is None else WallClock(self._jumps, round(self._offset, 3), self._seen)
