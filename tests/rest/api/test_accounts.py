"""Logins over HTTP."""

from __future__ import annotations

from tests.rest.served import ServedTestCase

APP = "/api/accounts/app@sim.test"


class AccountTests(ServedTestCase):
    """One login, from its creation to its end."""

    def setUp(self) -> None:
        """A login with a password."""
        super().setUp()
        self.made = self.good("POST", "/api/accounts", {"address": "App@Sim.test", "password": "correct horse",
                                                        "username": "billing"})

    def test_created(self) -> None:
        """It is listed under its address in lower case, can sign in, and its password is told nobody."""
        self.assertEqual((self.made["address"], self.made["username"], self.made["can_login"]),
                         ("app@sim.test", "billing", True))
        self.assertEqual(self.good("GET", "/api/accounts", role="viewer"), [self.made])
        self.assertNotIn("correct horse", str(self.made))
        self.bad(403, "POST", "/api/accounts", {"address": "b@sim.test"}, "member")

    def test_changed(self) -> None:
        """What is left out stays; what a client has read may be sent back; the address cannot be changed."""
        changed = self.good("PATCH", APP, {**self.made, "note": "reads only", "allow_smtp": False})
        self.assertEqual(changed, {**self.made, "note": "reads only", "allow_smtp": False})
        self.assertIn("address of a login cannot", self.bad(400, "PATCH", APP, {"address": "b@sim.test"}))
        self.assertEqual(self.good("GET", APP), changed)

    def test_tried(self) -> None:
        """A password is tried for both protocols, by address or by user name."""
        opens = {"ok": True, "address": "app@sim.test"}
        shut = {"ok": False, "address": ""}
        for body, smtp, imap in (
            ({"password": "correct horse"}, opens, opens), ({"password": "wrong"}, shut, shut),
            ({"password": "correct horse", "username": "billing"}, opens, opens),
            ({"password": "correct horse", "proto": "imap"}, shut, opens),
        ):
            self.assertEqual(self.good("POST", APP + "/test", body), {"smtp": smtp, "imap": imap}, body)
        self.bad(403, "POST", APP + "/test", {"password": "x"}, "viewer")

    def test_signature(self) -> None:
        """A signature stands below the mail of an address; one that is too long or cannot be stored is refused."""
        self.assertEqual(self.good("GET", APP + "/signature"), {"signature": ""})
        self.good("PUT", APP + "/signature", {"signature": "Billing, The Shop"})
        for text in ("x\0y", "x" * 100_000):
            self.assertIn("signature: must not", self.bad(400, "PUT", APP + "/signature", {"signature": text}))
        self.assertEqual(self.good("GET", APP + "/signature"), {"signature": "Billing, The Shop"})

    def test_deleted(self) -> None:
        """It is gone once."""
        self.assertEqual(self.good("DELETE", APP), {"status": "deleted"})
        for method in ("GET", "DELETE"):
            self.assertIn("no login app@sim.test", self.bad(404, method, APP))
        self.assertEqual(self.good("GET", "/api/accounts"), [])
