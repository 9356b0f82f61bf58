"""The plan over HTTP: what it allows, and what of it is used."""

from __future__ import annotations

from tests.rest.served import ServedTestCase


class PlanTests(ServedTestCase):
    """Of a universe."""

    def test_used(self) -> None:
        """Personas, logins with a password and universes of the organization are counted as they come and go."""
        before = self.good("GET", "/api/plan", role="viewer")
        self.assertEqual((before["plan"], before["used"]["people"], before["used"]["logins"]), ("self-hosted", 0, 0))
        made = self.persona()
        self.good("POST", "/api/accounts", {"address": "app@sim.test", "password": "correct horse"})
        self.good("POST", "/api/accounts", {"address": "file@sim.test"})
        used = self.good("GET", "/api/plan")["used"]
        self.assertEqual((used["people"], used["logins"], used["universes"]), (1, 1, before["used"]["universes"]))
        self.good("DELETE", f"/api/personas/{made['id']}")
        self.assertEqual(self.good("GET", "/api/plan")["used"]["people"], 0)

    def test_served(self) -> None:
        """Only features that are served are told, and a limit that is none is null."""
        found = self.good("GET", "/api/plan")
        self.assertIn("links", found["features"])
        self.assertEqual(set(found["limits"].values()), {None})
