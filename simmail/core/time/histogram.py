"""
How long things took, counted; and told in Prometheus's exposition format.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from itertools import accumulate

#: Upper bounds of the buckets, seconds.
BUCKETS = (0.001, 0.005, 0.02, 0.05, 0.1, 0.5, 2.0)


class Histogram:
    """
    Durations of one kind.

    @ivar buckets: how many were in each of L{BUCKETS}, and above; seconds: all of them together.
    """

    __slots__ = ("buckets", "seconds")

    def __init__(self) -> None:
        self.buckets = [0] * (len(BUCKETS) + 1)
        self.seconds = 0.0

    def observe(self, seconds: float) -> None:
        """One more."""
        self.buckets[bisect_left(BUCKETS, seconds)] += 1
        self.seconds += seconds


def lines(name: str, histograms: Mapping[str, Histogram]) -> Iterator[str]:
    """Yield the lines of one figure; C{histograms}: by their labels as they are written, C{""} for none."""
    yield f"# TYPE {name} histogram"
    for labels, one in histograms.items():
        counts = list(accumulate(one.buckets))
        for bound, count in zip((*(f"{bound:g}" for bound in BUCKETS), "+Inf"), counts):
            yield f'{name}_bucket{{{labels}{"," if labels else ""}le="{bound}"}} {count}'
        shown = f"{{{labels}}}" if labels else ""
        yield f"{name}_sum{shown} {one.seconds:.6f}"
        yield f"{name}_count{shown} {counts[-1]}"
