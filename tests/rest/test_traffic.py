"""Requests counted for those who run the service."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.rest.traffic import BUCKETS, Traffic


class TrafficTests(SynchronousTestCase):
    """In Prometheus's exposition format."""

    def figures(self, traffic: Traffic) -> dict[str, float]:
        return {name: float(value) for name, _, value in (
            line.rpartition(" ") for line in traffic.lines() if not line.startswith("#"))}

    def test_counted(self) -> None:
        """By method, route and status; what is no route has no path."""
        traffic = Traffic()
        for endpoint, status in (("GET /api/me", 200), ("GET /api/me", 200), ("GET /api/me", 401), ("", 404)):
            traffic.answered(endpoint, status, 0.001)
        found = self.figures(traffic)
        name = "simmail_http_requests_total"
        self.assertEqual([found[f'{name}{{method="{one}",path="{path}",status="{status}"}}'] for one, path, status in (
            ("GET", "/api/me", 200), ("GET", "/api/me", 401), ("", "", 404))], [2, 1, 1])

    @given(st.lists(st.floats(0, 5), max_size=40))
    def test_histogram(self, took: list[float]) -> None:
        """Each bucket holds all that took no longer; the last holds all; their sum is what they took."""
        traffic = Traffic()
        for seconds in took:
            traffic.answered("GET /", 200, seconds)
        found = self.figures(traffic)
        name = "simmail_http_request_seconds"
        for bound in BUCKETS:
            self.assertEqual(found[f'{name}_bucket{{le="{bound:g}"}}'], sum(one <= bound for one in took))
        self.assertEqual((found[f'{name}_bucket{{le="+Inf"}}'], found[f"{name}_count"]), (len(took), len(took)))
        self.assertAlmostEqual(found[f"{name}_sum"], sum(took), places=5)
