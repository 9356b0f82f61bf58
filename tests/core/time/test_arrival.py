"""When a mail's "tomorrow" is meant from."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.time.instant import local_arrival
from tests.core.scenes import NOW

BERLIN = ZoneInfo("Europe/Berlin")
OFFSETS = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


class ArrivalTests(SynchronousTestCase):
    """The universe's instant, the writer's wall."""

    @given(offset=OFFSETS, year=st.integers(1971, 2090))
    def test_offset_alone(self, offset: timezone, year: int) -> None:
        """Of a Date the offset counts and nothing else."""
        found = local_arrival(NOW, datetime(year, 5, 6, 7, 8, tzinfo=offset), BERLIN)
        self.assertEqual((found, found.utcoffset()), (NOW, offset.utcoffset(None)))

    def test_without_date(self) -> None:
        """A mail without a date is of the reader's zone, whatever time of the year it is there."""
        self.assertEqual(local_arrival(NOW, None, BERLIN).utcoffset(), timedelta(hours=1))
        self.assertEqual(local_arrival(NOW + timedelta(days=60), None, BERLIN).utcoffset(), timedelta(hours=2))
