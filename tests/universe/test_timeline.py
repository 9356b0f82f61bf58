"""The arithmetic of simulated time."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.errors import Invalid
from simmail.universe.clock import FASTEST, SLOWEST, Timeline

SIM = datetime(2026, 3, 1, 9, tzinfo=timezone.utc)
LINE = Timeline(SIM, 1000.0)


class TimelineTests(SynchronousTestCase):
    """A line through an anchor."""

    def test_frozen(self) -> None:
        """Frozen it stands still, and no later instant is ever reached."""
        line = Timeline(SIM, 1000.0, frozen=True)
        self.assertEqual(line.at(5000.0), SIM)
        self.assertIsNone(line.real_at(SIM + timedelta(seconds=1)))
        self.assertEqual(line.real_at(SIM), 1000.0)

    def test_never_before_the_anchor(self) -> None:
        """Real time that was set back takes nothing back."""
        self.assertEqual(LINE.at(0.0), SIM)
        self.assertEqual(LINE.real_at(SIM - timedelta(days=1)), 1000.0)

    @given(st.floats(SLOWEST, FASTEST), st.integers(1, 10**6))
    def test_there_and_back(self, speed: float, seconds: int) -> None:
        """The real time at which an instant is reached shows that instant, at any speed."""
        line = LINE.changed(SIM, 1000.0, speed=speed)
        real = line.real_at(SIM + timedelta(seconds=seconds))
        assert real is not None
        self.assertLess(abs(line.at(real) - SIM - timedelta(seconds=seconds)), timedelta(seconds=1e-6 * speed + 1e-3))

    def test_changed(self) -> None:
        """Another pace goes on from where it was; what is not said stays; the clock is touched from then on."""
        faster = LINE.changed(LINE.at(1060.0), 1060.0, speed=60)
        self.assertEqual(faster.at(1061.0), SIM + timedelta(minutes=2))
        frozen = faster.changed(faster.at(1061.0), 1061.0, frozen=True)
        self.assertEqual((frozen.speed, frozen.frozen, frozen.touched, LINE.touched), (60.0, True, True, False))
        for speed in (0, -1, SLOWEST / 2, FASTEST * 2, float("nan")):
            self.assertEqual(self.assertRaises(Invalid, LINE.changed, SIM, 0.0, speed).field, "speed")

    def test_resumed(self) -> None:
        """After a stop an untouched clock shows real time; one that was touched stood still."""
        self.assertIs(LINE.resumed(SIM, 2000.0), LINE)
        touched = LINE.changed(SIM, 1000.0, speed=2)
        last = SIM + timedelta(seconds=10)
        self.assertEqual(touched.resumed(last, 2000.0).at(2001.0), last + timedelta(seconds=2))
        # Real time was set back while the service was down.
        self.assertEqual(LINE.resumed(SIM + timedelta(hours=1), 500.0).at(500.0), SIM + timedelta(hours=1))
