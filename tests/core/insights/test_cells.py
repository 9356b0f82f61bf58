"""Tests for C{simmail.core.insights.cells}."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.insights.cells import DAY, TIMES, WIDTH, key, merged, percentile, seconds_of, time_slot


class CellTests(SynchronousTestCase):
    """Counts by key."""

    @settings(max_examples=300, deadline=None)
    @given(st.integers(0, 400 * DAY), st.integers(0, 400 * DAY))
    def test_times(self, one: int, other: int) -> None:
        """A slot stands for times within a fiftieth, a longer time for no earlier slot, and each fits a key."""
        slot = time_slot(one)
        self.assertTrue(TIMES <= slot < 1 << WIDTH)
        self.assertTrue(seconds_of(slot) <= one <= seconds_of(slot) * 1.02)
        self.assertEqual(time_slot(seconds_of(slot)), slot)
        self.assertEqual(time_slot(one) <= time_slot(other), seconds_of(slot) <= seconds_of(time_slot(other)))

    def test_exact(self) -> None:
        """Times of the first hour are kept to the second; a negative one is none."""
        self.assertEqual([seconds_of(time_slot(one)) for one in (-3, 0, 1, 3599)], [0, 0, 1, 3599])

    @settings(max_examples=100, deadline=None)
    @given(st.lists(st.integers(0, 511), max_size=30), st.sampled_from((0.5, 0.9)))
    def test_percentile(self, times: list[int], share: float) -> None:
        """The least time within which that share came."""
        found = percentile(Counter(map(time_slot, times)), share)
        within = [one for one in sorted(times) if sum(other <= one for other in times) >= share * len(times)]
        self.assertEqual(found, within[0] if within else None)

    def test_merged(self) -> None:
        """Days are merged by adding."""
        self.assertEqual(merged([{1: 2, 3: 4}, {}, {3: 1}]), {1: 2, 3: 5})
        self.assertNotEqual(key(1, 0), key(0, 1))
