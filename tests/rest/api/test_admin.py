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

    def test_test_run(self) -> None:
        """One call makes a universe for a time and answers all that gets into it; several have the same login."""
        asked = {"ttl": "1h", "login": True, "clock": "2026-03-02T09:00:00Z", "seed": "run"}
        first, second = (self.good("POST", "/api/admin/universes", asked, "root") for _ in range(2))
        self.assertNotEqual(first["id"], second["id"])
        login = first["logins"][0]
        self.assertEqual((login["address"], login["username"]), ("app@sim.test", f"app@sim.test%{first['id']}"))
        signed_in = now(self.server.roster.sign_in(login["username"], login["password"], "smtp", "::1"))
        self.assertEqual((signed_in.universe.id, signed_in.address), (first["id"], "app@sim.test"))
        self.assertEqual(set(first["connection"]), set(self.good("GET", "/api/connection")))
        (own,) = ask(self.site, "GET", "/api/universes", key=first["key"]).json()
        self.assertEqual((own["id"], own["role"], own["ends"]), (first["id"], "admin", "2026-03-02T10:00:00Z"))
        self.server.reactor.advance(3601)
        self.assertEqual([one["id"] for one in self.good("GET", "/api/admin/universes", role="root")], ["main"])
        self.assertEqual(ask(self.site, "GET", "/api/me", key=first["key"]).status, 401)
        named = self.good("POST", "/api/admin/universes", {"id": "x", "login": "bot@shop.test"}, "root")
        self.assertEqual((named["logins"][0]["username"], named["ends"]), ("bot@shop.test%x", None))

    def test_lifetime(self) -> None:
        """It is told in advance, can be changed and taken back; what is none is refused and nothing is made."""
        self.good("POST", "/api/admin/universes", {"id": "x", "ttl": "1h"}, "root")
        path = "/api/admin/universes/x"
        self.assertEqual(self.good("PATCH", path, {"ttl": "2h"}, "root")["ends"], "2026-03-02T11:00:00Z")
        for body, field in (({"ttl": "soon"}, "ttl"), ({"ttl": "0s"}, "ttl"), ({"ttl": "367d"}, "ttl"), ({}, "ttl")):
            self.assertIn(field, self.bad(400, "PATCH", path, body, "root"))
        for body in ({"id": "y", "ttl": "0s"}, {"id": "y", "login": "nobody"}):
            self.bad(400, "POST", "/api/admin/universes", body, "root")
        self.bad(404, "PATCH", "/api/admin/universes/y", {"ttl": "1h"}, "root")
        self.assertIsNone(self.good("PATCH", path, {"ttl": None}, "root")["ends"])
        self.server.reactor.advance(8000)
        self.assertEqual(now(self.server.database.table("", "universes")).keys(), {"main", "x"})

    def test_keys(self) -> None:
        """A key's secret is answered once; it works until it is revoked."""
        made = self.good("POST", "/api/admin/keys", {"universe": "main", "role": "viewer", "name": "x"}, "root")
        self.assertEqual(ask(self.site, "GET", "/api/me", key=made["key"]).json()["key"]["prefix"], made["prefix"])
        listed = self.good("GET", "/api/admin/keys", role="root")
        self.assertIn(made["prefix"], [one["prefix"] for one in listed])
        self.assertNotIn(made["key"].split("_", 2)[2], str(listed))
        bound = self.good("POST", "/api/admin/keys", {"universe": "main", "role": "member", "tools": "mail"}, "root")
        listed = {one["prefix"]: one["tools"] for one in self.good("GET", "/api/admin/keys", role="root")}
        self.assertEqual((bound["tools"], listed[bound["prefix"]], listed[made["prefix"]]), ("mail", "mail", None))
        self.assertEqual(ask(self.site, "GET", "/api/me", key=bound["key"]).status, 403)
        self.good("DELETE", "/api/admin/keys/" + made["prefix"], role="root")
        self.assertEqual(ask(self.site, "GET", "/api/me", key=made["key"]).status, 401)
        self.bad(404, "DELETE", "/api/admin/keys/" + made["prefix"], role="root")
        self.bad(404, "POST", "/api/admin/keys", {"universe": "nope", "role": "viewer"}, "root")
        self.assertIn("role: must be one of", self.bad(
            400, "POST", "/api/admin/keys", {"universe": "main", "role": "god"}, "root"))
