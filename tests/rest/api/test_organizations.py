"""Organizations, users and plans, for administrators."""

from __future__ import annotations

from simmail.testing.universe import now
from tests.rest.served import ServedTestCase

ORGS, USERS = "/api/admin/orgs", "/api/admin/users"


class OrganizationTests(ServedTestCase):
    """With an administrator's key."""

    def setUp(self) -> None:
        """The key."""
        super().setUp()
        self.keys["root"] = now(self.server.roster.create_key("main", "admin", "root", administrator=True))

    def test_organization(self) -> None:
        """One is made on a plan, put on another, suspended and taken back."""
        plans = [one["name"] for one in self.good("GET", "/api/admin/plans", role="root")]
        self.assertIn("self-hosted", plans)
        made = self.good("POST", ORGS, {"id": "acme", "name": "Acme", "plan": plans[0]}, "root")
        self.assertEqual(made, {"id": "acme", "name": "Acme", "plan": plans[0], "suspended": False})
        self.assertIn(made, self.good("GET", ORGS, role="root"))
        self.bad(409, "POST", ORGS, {"id": "acme"}, "root")
        self.bad(404, "PATCH", ORGS + "/nope", {"suspended": True}, "root")
        changed = self.good("PATCH", ORGS + "/acme", {"plan": plans[-1], "suspended": True}, "root")
        self.assertEqual((changed["plan"], changed["suspended"]), (plans[-1], True))
        self.assertFalse(self.good("PATCH", ORGS + "/acme", {"suspended": False}, "root")["suspended"])

    def test_suspended(self) -> None:
        """Nobody of a suspended organization is served until it is taken back."""
        self.good("POST", ORGS, {"id": "acme"}, "root")
        self.good("POST", "/api/admin/universes", {"id": "shop", "org": "acme"}, "root")
        self.keys["shop"] = now(self.server.roster.create_key("shop", "viewer", "shop"))
        self.good("PATCH", ORGS + "/acme", {"suspended": True}, "root")
        self.assertIn("suspended", self.bad(403, "GET", "/api/personas", role="shop"))
        self.good("GET", "/api/personas")
        self.good("PATCH", ORGS + "/acme", {"suspended": False}, "root")
        self.assertEqual(self.good("GET", "/api/personas", role="shop"), [])

    def test_user(self) -> None:
        """A password that is made is shown once, one that is given never."""
        made = self.good("POST", USERS, {"email": "Ann@acme.test", "orgs": {self.universe.org: "member"}}, "root")
        self.assertEqual((made["email"], made["administrator"]), ("ann@acme.test", False))
        self.assertTrue(made["password"])
        other = self.good("POST", USERS, {"email": "bob@acme.test", "password": "correct horse"}, "root")
        self.assertNotIn("password", other)
        listed = self.good("GET", USERS, role="root")
        self.assertEqual([one["email"] for one in listed], ["ann@acme.test", "bob@acme.test"])
        self.assertNotIn(made["password"], str(listed))
        self.bad(409, "POST", USERS, {"email": "ann@acme.test"}, "root")

    def test_user_changed(self) -> None:
        """What is left out stays, roles are replaced whole; who is deleted is gone."""
        self.good("POST", USERS, {"email": "ann@acme.test", "orgs": {self.universe.org: "member"}}, "root")
        one = f"{USERS}/ann@acme.test"
        self.assertEqual(self.good("PATCH", one, {"administrator": True}, "root"), {
            "email": "ann@acme.test", "orgs": {self.universe.org: "member"}, "administrator": True})
        self.assertEqual(self.good("PATCH", one, {"orgs": {}}, "root")["orgs"], {})
        self.assertEqual(self.good("DELETE", one, role="root"), {"status": "deleted"})
        self.bad(404, "PATCH", one, {}, "root")

    def test_reserved(self) -> None:
        """An admin of a universe is no administrator."""
        for path in (ORGS, USERS, "/api/admin/plans"):
            self.assertIn("admin", self.bad(403, "GET", path))
