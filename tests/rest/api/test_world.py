"""The World over HTTP."""

from __future__ import annotations

from datetime import timedelta

from simmail.core.world.kinds import KINDS
from simmail.testing.universe import turned
from tests.rest.served import ServedTestCase
from tests.universe.world.test_world_mail import stream, world


class WorldTests(ServedTestCase):
    """Settings, kinds, and mail that is asked for."""

    def test_replaced(self) -> None:
        """What is left out takes its default; a PUT replaces everything; only an admin may."""
        self.assertEqual(self.good("GET", "/api/world", role="viewer")["enabled"], False)
        found = self.good("PUT", "/api/world", world(stream()))
        self.assertEqual(found["streams"][0], {
            "id": "asked", "kind": "inquiry", "to": [], "per_day": 10.0, "profile": "flat",
            "mix": {"new": 0.6, "known": 0.25, "follow_up": 0.15}, "enabled": True, "cap_per_day": None,
            "injection": 0.0})
        partly = self.good("PUT", "/api/world", world(stream(mix={"new": 1})))
        self.assertEqual(partly["streams"][0]["mix"], {"new": 1.0, "known": 0.25, "follow_up": 0.15})
        found = self.good("PUT", "/api/world", found)
        self.assertEqual(self.good("GET", "/api/world"), found)
        self.assertEqual(self.good("GET", "/api/plan")["used"]["streams"], 1)
        # What was read may be sent back.
        self.assertEqual(self.good("PUT", "/api/world", found), found)
        self.assertEqual(self.good("PUT", "/api/world", {})["streams"], [])
        self.bad(403, "PUT", "/api/world", {}, role="member")

    def test_refused(self) -> None:
        """A bad field is named by its path."""
        self.assertIn("streams.0.kind", self.bad(400, "PUT", "/api/world", world(stream(kind="poem"))))
        self.assertIn("company.industry", self.bad(400, "PUT", "/api/world", {"company": {"industry": 7}}))
        self.assertEqual(self.good("GET", "/api/world")["streams"], [])

    def test_kinds(self) -> None:
        """Every kind is told of, with what should be done and the languages it is written in."""
        found = self.good("GET", "/api/world/kinds", role="viewer")
        self.assertEqual([one["id"] for one in found], list(KINDS))
        self.assertEqual([one["id"] for one in found if "en" not in one["languages"]], [])

    def test_fire(self) -> None:
        """So many mails come; a stream there is not is 404, and a bad count 400."""
        self.good("PUT", "/api/world", world(stream()))
        fired = self.good("POST", "/api/world/streams/asked/fire", {"count": 2})
        self.assertEqual((fired["stream"], fired["count"], len(fired["jobs"])), ("asked", 2, 2))
        turned(self.universe, self.universe.scheduler.advance(by=timedelta(0)))
        self.assertEqual([self.good("GET", f"/api/jobs/{one}")["state"] for one in fired["jobs"]], ["done"] * 2)
        self.bad(404, "POST", "/api/world/streams/nope/fire", {"count": 0})
        self.assertIn("count", self.bad(400, "POST", "/api/world/streams/asked/fire", {"count": 0}))
        self.bad(403, "POST", "/api/world/streams/asked/fire", {}, role="member")

    def test_skipped(self) -> None:
        """Who deletes an arrival has the next one planned."""
        self.good("PUT", "/api/world", world(stream()))
        (job,) = self.good("GET", "/api/jobs?state=pending&kind=world")
        self.good("DELETE", f"/api/jobs/{job['id']}")
        (after,) = self.good("GET", "/api/jobs?state=pending&kind=world")
        self.assertNotEqual(after["id"], job["id"])
