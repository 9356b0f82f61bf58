"""Tests for C{simmail.universe.clock} and C{simmail.universe.clock}."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.commit import Commit
from simmail.errors import Invalid
from simmail.testing.universe import START, now
from simmail.universe.clock import FASTEST, SLOWEST, Timeline, UniverseClock


class TimelineTests(SynchronousTestCase):
    """Simulated time as a line."""

    @given(st.floats(SLOWEST, FASTEST), st.floats(0, 1e6))
    def test_there_and_back(self, speed: float, seconds: float) -> None:
        """The real time at which an instant is reached is the real time that has it."""
        line = Timeline(sim=START, real=100.0, speed=speed)
        sim = line.at(100.0 + seconds)
        back = line.real_at(sim)
        assert back is not None
        # Instants are whole microseconds.
        self.assertLessEqual(abs(back - 100.0 - seconds), 2e-6 / speed + 1e-6)

    def test_frozen(self) -> None:
        """A frozen line stands, and reaches nothing later."""
        line = Timeline(sim=START, real=0.0).changed(START, 0.0, frozen=True)
        self.assertEqual(line.at(1e9), START)
        self.assertIsNone(line.real_at(START + timedelta(seconds=1)))

    def test_resumed(self) -> None:
        """An untouched clock follows real time across a stop, any other stands still."""
        untouched = Timeline(sim=START, real=0.0)
        self.assertEqual(untouched.resumed(START, 3600.0).at(3600.0), START + timedelta(hours=1))
        # Where real time was set back meanwhile, it goes on from where it stood.
        back = untouched.resumed(START + timedelta(hours=2), 3600.0)
        self.assertEqual((back.at(3600.0), back.at(3660.0), back.touched),
                         (START + timedelta(hours=2), START + timedelta(hours=2, minutes=1), False))
        touched = untouched.changed(START, 0.0, speed=2.0)
        last = START + timedelta(minutes=5)
        self.assertEqual(touched.resumed(last, 9999.0).at(9999.0), last)

    def test_speed_out_of_range(self) -> None:
        """Speeds out of range are refused by name."""
        for speed in (0.0, -1.0, FASTEST * 2):
            error = self.assertRaises(Invalid, Timeline(START, 0.0).changed, START, 0.0, speed)
            self.assertEqual(error.field, "speed")


class UniverseClockTests(SynchronousTestCase):
    """The universe's clock."""

    def setUp(self) -> None:
        """A clock over a reactor that is told the time."""
        self.reactor = Clock()
        self.earliest: Any = None
        self.commits: list[Commit] = []
        self.clock = UniverseClock(Timeline(START, 0.0), self.reactor, self._commit)
        self.clock.owed = lambda: None, lambda: self.earliest

    async def _commit(self, commit: Commit) -> None:
        self.commits.append(commit)

    def test_lags_behind_what_is_owed(self) -> None:
        """The clock never passes the due time of an undone job."""
        self.earliest = START + timedelta(seconds=3)
        self.reactor.advance(10)
        self.assertEqual(self.clock.now(), START + timedelta(seconds=3))
        self.earliest = None
        self.assertEqual(self.clock.now(), START + timedelta(seconds=10))

    def test_never_back(self) -> None:
        """Something that becomes due in the past does not turn the clock back."""
        self.reactor.advance(10)
        self.assertEqual(self.clock.now(), START + timedelta(seconds=10))
        self.earliest = START
        self.assertEqual(self.clock.now(), START + timedelta(seconds=10))

    def test_set_commits_its_event(self) -> None:
        """A change of pace is one commit with a C{clock} event that has the contract's fields."""
        now(self.clock.set(speed=60.0))
        self.reactor.advance(1)
        self.assertEqual(self.clock.now(), START + timedelta(seconds=60))
        (event,) = self.commits[0].events
        self.assertEqual((event.type, set(event.data)), ("clock", {"now", "speed", "frozen", "real"}))

    def test_only_forward(self) -> None:
        """An instant in the past is refused and changes nothing."""
        self.reactor.advance(10)
        error = self.assertRaises(Invalid, now, self.clock.set(now=START, speed=5.0))
        self.assertEqual(error.field, "now")
        self.assertEqual((self.clock.timeline.speed, self.commits), (1.0, []))

    def test_steps(self) -> None:
        """While it is moved the clock is where it was put, and goes on from there."""
        now(self.clock.begin_steps())
        self.clock.step(START + timedelta(days=1))
        self.reactor.advance(5)
        self.assertEqual(self.clock.now(), START + timedelta(days=1))
        now(self.clock.end_steps())
        self.reactor.advance(5)
        self.assertEqual(self.clock.now(), START + timedelta(days=1, seconds=5))
        self.assertTrue(self.clock.timeline.touched)
