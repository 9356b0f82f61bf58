"""Tests for C{simmail.core.time.histogram}."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.time.histogram import BUCKETS, Histogram, lines


class HistogramTests(SynchronousTestCase):
    """In Prometheus's exposition format."""

    def test_lines(self) -> None:
        """A bound belongs to its own bucket, each bucket counts those below as well, and all have their labels."""
        took, other = Histogram(), Histogram()
        for seconds in (0.0005, BUCKETS[1], 99.0):
            took.observe(seconds)
        found = list(lines("a_seconds", {'x="1"': took, "": other}))
        self.assertEqual(found[:9], [
            "# TYPE a_seconds histogram",
            'a_seconds_bucket{x="1",le="0.001"} 1', 'a_seconds_bucket{x="1",le="0.005"} 2',
            'a_seconds_bucket{x="1",le="0.02"} 2', 'a_seconds_bucket{x="1",le="0.05"} 2',
            'a_seconds_bucket{x="1",le="0.1"} 2', 'a_seconds_bucket{x="1",le="0.5"} 2',
            'a_seconds_bucket{x="1",le="2"} 2', 'a_seconds_bucket{x="1",le="+Inf"} 3'])
        self.assertEqual(found[9:12], [
            'a_seconds_sum{x="1"} 99.005500', 'a_seconds_count{x="1"} 3', 'a_seconds_bucket{le="0.001"} 0'])
        self.assertEqual(found[-1], "a_seconds_count 0")
