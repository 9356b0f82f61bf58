"""Tests for C{simmail.core.world.arrivals}: a Poisson process that keeps office hours."""

from __future__ import annotations

import math
from collections import Counter
from datetime import datetime, timedelta

from hypothesis import given
from hypothesis.strategies import datetimes, floats, sampled_from, timezones
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.world import Profile
from simmail.core.rng import Dice
from simmail.core.time.instant import UTC
from simmail.core.world.arrivals import SHARES, arrival, gap, next_day

MONDAY = datetime(2026, 3, 2, tzinfo=UTC)


def arrivals(profile: Profile, per_day: float, days: int, seed: str = "main") -> list[datetime]:
    """The arrivals of some days from a Monday on."""
    dice, found, at, n = Dice(seed), list[datetime](), MONDAY, 0
    while True:
        n += 1
        at = arrival(at, gap(dice, n), per_day, profile)
        if at >= MONDAY + timedelta(days=days):
            return found
        found.append(at)


class ArrivalTests(SynchronousTestCase):
    """How many, and when."""

    def test_as_many_as_wanted(self) -> None:
        """Four weeks bring what they should within four standard deviations, whatever the profile."""
        for profile in SHARES:
            for per_day in (0.5, 40.0, 400.0):
                wanted = 28 * per_day
                self.assertLess(abs(len(arrivals(profile, per_day, 28)) - wanted), 4 * math.sqrt(wanted), profile)

    def test_poisson(self) -> None:
        """Days of the flat profile vary as a Poisson number does: their variance is their mean."""
        counts = Counter(one.date() for one in arrivals("flat", 40, 200))
        mean = sum(counts.values()) / 200
        variance = sum((counts[day] - mean) ** 2 for day in counts) / 199
        self.assertLess(abs(variance / mean - 1), 4 * math.sqrt(2 / 199))

    def test_office(self) -> None:
        """Nearly all mail of an office comes on weekdays between seven and seven; at noon there is less."""
        found = arrivals("office", 100, 28)
        inside = [one for one in found if one.weekday() < 5 and 7 <= one.hour < 19]
        self.assertGreater(len(inside) / len(found), 0.93)
        weekend = [one for one in found if one.weekday() >= 5]
        self.assertTrue(0 < len(weekend) < 0.05 * len(found), len(weekend))
        hours = Counter(one.hour for one in found)
        self.assertLess(hours[12], hours[10])

    def test_evening(self) -> None:
        """Most mail of people at home comes after five, at the weekend too."""
        found = arrivals("evening", 100, 28)
        self.assertGreater(sum(one.hour >= 17 for one in found) / len(found), 0.6)
        self.assertGreater(sum(one.weekday() >= 5 for one in found) / len(found), 2 / 7)

    def test_repeated(self) -> None:
        """The same seed has the same arrivals, another seed others."""
        self.assertEqual(arrivals("office", 5, 7), arrivals("office", 5, 7))
        self.assertNotEqual(arrivals("office", 5, 7), arrivals("office", 5, 7, "other"))

    def test_seldom(self) -> None:
        """A stream that brings next to nothing plans for the end of all calendars at most."""
        self.assertEqual(arrival(MONDAY, 1.0, 1e-9, "office").year, 9999)
        self.assertEqual(arrival(datetime(9999, 11, 30, tzinfo=UTC), 30.0, 1.0, "flat").year, 9999)

    @given(at=datetimes(timezones=timezones(), min_value=datetime(1990, 1, 1), max_value=datetime(2100, 1, 1)),
           expected=floats(0, 50), per_day=floats(0.01, 10_000), profile=sampled_from(sorted(SHARES)))
    def test_later(self, at: datetime, expected: float, per_day: float, profile: Profile) -> None:
        """An arrival comes after what was before, in whole milliseconds."""
        found = arrival(at, expected, per_day, profile)
        self.assertGreater(found, at)
        self.assertEqual(found.microsecond % 1000, 0)

    def test_day(self) -> None:
        """The next day begins at midnight."""
        self.assertEqual(next_day(MONDAY + timedelta(hours=23, minutes=59)), MONDAY + timedelta(days=1))
        self.assertEqual(next_day(MONDAY), MONDAY + timedelta(days=1))
