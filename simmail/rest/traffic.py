"""
What the HTTP side has done: requests by route and status, and how long they took, for C{/metrics}.

Source: Prometheus's exposition format.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import accumulate

#: Upper bounds of the buckets requests are counted in, seconds.
BUCKETS = (0.005, 0.02, 0.05, 0.1, 0.5, 2.0)


class Traffic:
    """What the HTTP side has done since it began."""

    def __init__(self) -> None:
        self._requests: dict[tuple[str, int], int] = {}
        self._buckets = [0] * (len(BUCKETS) + 1)
        self._count = 0
        self._seconds = 0.0

    def answered(self, endpoint: str, status: int, seconds: float) -> None:
        """Count one request; C{endpoint} as the table names it, C{""} for none of it."""
        key = (endpoint, status)
        self._requests[key] = self._requests.get(key, 0) + 1
        self._count += 1
        self._seconds += seconds
        self._buckets[bisect_left(BUCKETS, seconds)] += 1

    def lines(self) -> Iterator[str]:
        """Yield the counts in Prometheus's exposition format."""
        yield "# TYPE simmail_http_requests_total counter"
        for (endpoint, status), count in sorted(self._requests.items()):
            method, _, path = endpoint.partition(" ")
            yield f'simmail_http_requests_total{{method="{method}",path="{path}",status="{status}"}} {count}'
        yield "# TYPE simmail_http_request_seconds histogram"
        for bound, count in zip(BUCKETS, accumulate(self._buckets)):
            yield f'simmail_http_request_seconds_bucket{{le="{bound:g}"}} {count}'
        yield f'simmail_http_request_seconds_bucket{{le="+Inf"}} {self._count}'
        yield f"simmail_http_request_seconds_sum {self._seconds:.6f}"
        yield f"simmail_http_request_seconds_count {self._count}"
