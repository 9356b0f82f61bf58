"""What the HTTP API promises, scaled down (the full figures: scripts/bench/promises_http)."""

from __future__ import annotations

from tests.core.htmlvectors import VECTORS
from tests.journeys import htmlattacks, httpattacks
from tests.journeys.attacks import rss
from tests.journeys.running import DEMO, JourneyCase


class HttpAttackTests(JourneyCase):
    """Promises, R8, R12, R14, S5, S7 and S10, from outside."""

    def test_malformed(self) -> None:
        """R8: a thousand malformed requests are refused; no 5xx, no traceback, memory as before."""
        service = self.service()
        service.start()
        httpattacks.malformed(service, 300, seed=1)
        before = rss(service)
        seen = httpattacks.malformed(service, 1000, seed=2)
        self.assertEqual(seen.wrong, [])
        self.assertGreater(seen.statuses[400], 100)
        self.assertLess(rss(service) - before, 50 << 20)
        self.assertEqual(service.get("/readyz").status, 200)

    def test_leaving(self) -> None:
        """A client that leaves in the middle never leaves a change half done."""
        service = self.service()
        service.start()
        self.assertEqual(httpattacks.leave(service, 60), [])
        self.assertGreater(len(service.events("mail.delivered")), 5)

    def test_crowd(self) -> None:
        """R12: 503 at once over the limit of connections; over the rate 429 with Retry-After; memory flat."""
        service = self.service({"http": {"connections": 20, "rate": 20, "burst": 30}})
        service.start()
        before = rss(service)
        seen = httpattacks.crowd(service, 20, 0)
        self.assertEqual((seen.served, seen.other), (20, 0))
        self.assertLess(seen.slowest, 1)
        flood = httpattacks.flood(service, service.key, 2)
        self.assertEqual((flood.unsaid, flood.other), (0, 0))
        self.assertGreater(flood.late, 0)
        self.assertLessEqual(flood.good, 31 + 20 * flood.seconds)
        self.assertLess(rss(service) - before, 20 << 20)

    def test_unread_streams(self) -> None:
        """R14: streams that nobody reads cost a bounded buffer, and delay nobody."""
        service = self.service()
        service.start()
        seen = httpattacks.unread_streams(service, 20, 600)
        self.assertLess(seen.grown, 50 << 20)
        self.assertLess(seen.seconds, 1)

    def test_html(self) -> None:
        """S5: every fourth vector is shown clean by two parsers; counts are right, and pages kept."""
        service = self.service({"http": {"rate": 0}})
        service.start()
        self.assertEqual(htmlattacks.shown(service, VECTORS[::4]), [])

    def test_roles(self) -> None:
        """S7: every operation for every caller, over the wire."""
        service = self.service(DEMO)
        service.start()
        tried, wrong = httpattacks.roles(service)
        self.assertEqual(wrong, [])
        self.assertGreater(tried, 425)

    def test_secrets(self) -> None:
        """S10: no secret in any log, answer or file."""
        service = self.service(DEMO)
        service.start()
        self.assertEqual(httpattacks.secrets(service), [])
