"""Real time that goes on evenly while somebody sets the wall clock."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

from twisted.internet.task import Clock
from twisted.logger import LogPublisher
from twisted.trial.unittest import SynchronousTestCase

from simmail.daemon.monotonic import LOOK, SteadyTime
from simmail.universe.clock import WallClock


class SteadyTimeTests(SynchronousTestCase):
    """Two clocks that are told the time."""

    start = 1_700_000_000.0

    def setUp(self) -> None:
        self.wall, self.even = self.start, 5.0
        self.steady = SteadyTime(lambda: self.wall, lambda: self.even)
        self.lines: list[float] = []
        self.patch(SteadyTime, "log", type(SteadyTime.log)(
            observer=LogPublisher(lambda event: self.lines.append(event["jump"]))))

    def go(self, seconds: float, jump: float = 0.0) -> None:
        """Time goes by, and the wall clock is set."""
        self.even += seconds
        self.wall += seconds + jump
        self.steady.look()

    def test_even(self) -> None:
        """It begins with the wall clock and is not told to jump while that goes on as it does."""
        self.assertEqual(self.steady.seconds(), self.start)
        for _ in range(100):
            self.go(1.0, 0.005)
        self.assertAlmostEqual(self.steady.seconds(), self.start + 100)
        self.assertEqual((self.lines, self.steady.wall_clock()), ([], None))

    def test_jumps(self) -> None:
        """Back and forth: said once each, told with how far off the wall clock is, and not followed."""
        self.go(10, -3600)
        self.go(10)
        self.assertEqual(self.steady.seconds(), self.start + 20)
        at = datetime.fromtimestamp(self.start, UTC)
        self.assertEqual(self.steady.wall_clock(), WallClock(1, -3600.0, at + timedelta(seconds=10)))
        self.go(10, 5000)
        self.assertEqual(self.steady.wall_clock(), WallClock(2, 1400.0, at + timedelta(seconds=30)))
        self.assertEqual([round(jump) for jump in self.lines], [-3600, 5000])

    def test_real(self) -> None:
        """With the clocks of the machine."""
        steady = SteadyTime()
        self.assertLess(abs(steady.seconds() - time.time()), 0.5)
        self.assertGreaterEqual(steady.seconds(), steady.seconds() - 1e-3)

    def test_installed(self) -> None:
        """A reactor goes by it, and it looks at the wall clock once a second, until it is told to end."""
        reactor = Clock()
        seconds = reactor.seconds
        uninstall = self.steady.install(reactor)
        self.assertEqual(reactor.seconds(), self.start)
        self.even += 10
        self.assertEqual(reactor.seconds(), self.start + 10)
        self.wall -= 3600
        reactor.advance(LOOK)
        self.assertEqual([round(jump) for jump in self.lines], [-3610])
        uninstall()
        self.assertEqual((reactor.seconds, reactor.getDelayedCalls()), (seconds, []))
