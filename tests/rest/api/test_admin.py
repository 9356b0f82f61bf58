"""Universes and keys, for administrators."""

from __future__ import annotations

from simmail.testing.universe import now
from tests.rest.client import ask
from tests.rest.served import ServedTestCase


class AdminTests(ServedTestCase):
    """Universes and keys."""

    def setUp(self) -> None:
        """An administrator's key."""
        super().setUp()
        self.keys["root"] = now(self.server.roster.create_key("main", "admin", "root", administrator=True))

    def test_reserved(self) -> None:
        """Only administrators may; an admin key of a universe may not."""
        for method, path, body in (
            ("GET", "/api/admin/universes", None), ("POST", "/api/admin/universes", {"odd": 1}),
            ("DELETE", "/api/admin/universes/nope", None), ("GET", "/api/admin/keys", None),
            ("POST", "/api/admin/keys", {"odd": 1}), ("DELETE", "/api/admin/keys/nope", None),
        ):
            self.assertIn("admin", self.bad(403, method, path, body))
        self.assertTrue(self.good("GET", "/api/me", role="root")["administrator"])

    def test_universe(self) -> None:
        """A universe with a clock starts frozen there; it can be deleted with its keys."""
        made = self.good("POST", "/api/admin/universes", {"id": "shop", "clock": "2026-05-01T08:00:00Z"}, "root")
        self.assertEqual((made["id"], made["name"], made["seed"]), ("shop", "shop", "shop"))
        key = self.good("POST", "/api/admin/keys", {"universe": "shop", "role": "member", "name": "ci"}, "root")
        clock = ask(self.site, "GET", "/api/clock", key=key["key"]).json()
        self.assertEqual((clock["now"], clock["frozen"]), ("2026-05-01T08:00:00Z", True))
        self.good("POST", "/api/admin/universes", {
            "id": "fast", "seed": "s", "clock": {"now": "2026-05-01T08:00:00Z", "speed": 60, "frozen": False}}, "root")
        self.assertEqual([one["id"] for one in self.good("GET", "/api/admin/universes", role="root")],
                         ["fast", "main", "shop"])
        self.assertEqual(self.good("DELETE", "/api/admin/universes/shop", role="root"), {"status": "deleted"})
        self.assertEqual(ask(self.site, "GET", "/api/clock", key=key["key"]).status, 401)
        self.bad(404, "DELETE", "/api/admin/universes/shop", role="root")
        self.bad(400, "DELETE", "/api/admin/universes/main", role="root")

    def test_universe_refused(self) -> None:
        """Bad ids, clocks and organisations are refused by name; one that exists is 409."""
        for body, status, text in (
            ({}, 400, "id: is required"), ({"id": "A b"}, 400, "id"), ({"id": "../x"}, 400, "id"),
            ({"id": "x", "clock": "noon"}, 400, "clock"), ({"id": "x", "clock": {"now": 5}}, 400, "clock.now"),
            ({"id": "x", "org": "nope"}, 404, "nope"), ({"id": "main"}, 409, "main"),
            ({"id": "x", "plan": 1}, 400, "plan"),
            ({"id": "x", "clock": {"now": "2026-03-01T09:00:00Z", "speed": 0}}, 400, "clock.speed: must be from"),
        ):
            self.assertIn(text, self.bad(status, "POST", "/api/admin/universes", body, "root"))

    def test_keys(self) -> None:
        """A key's secret is answered once; it works until it is revoked."""
        made = self.good("POST", "/api/admin/keys", {"universe": "main", "role": "viewer", "name": "x"}, "root")
        self.assertEqual(ask(self.site, "GET", "/api/me", key=made["key"]).json()["key"]["prefix"], made["prefix"])
        listed = self.good("GET", "/api/admin/keys", role="root")
        self.assertIn(made["prefix"], [one["prefix"] for one in listed])
        self.assertNotIn(made["key"].split("_", 2)[2], str(listed))
        self.good("DELETE", "/api/admin/keys/" + made["prefix"], role="root")
        self.assertEqual(ask(self.site, "GET", "/api/me", key=made["key"]).status, 401)
        self.bad(404, "DELETE", "/api/admin/keys/" + made["prefix"], role="root")
        self.bad(404, "POST", "/api/admin/keys", {"universe": "nope", "role": "viewer"}, "root")
        self.assertIn("role: must be one of", self.bad(
            400, "POST", "/api/admin/keys", {"universe": "main", "role": "god"}, "root"))
