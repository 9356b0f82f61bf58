"""Behaviour settings over HTTP: pace, recipients, links, retention, who writes."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from tests.rest.served import ServedTestCase


class SettingsTests(ServedTestCase):
    """What is changed stays changed; what is refused changes nothing."""

    def test_writer(self) -> None:
        """Templates write; a model is refused, for none is configured."""
        self.assertEqual(self.good("GET", "/api/ai"), {"mode": "off"})
        self.assertEqual(self.good("PUT", "/api/ai", {"mode": "off"}, "member"), {"mode": "off"})
        self.assertIn("mode: on needs a writer", self.bad(400, "PUT", "/api/ai", {"mode": "on"}))
        self.assertIn("mode: must be one of off, on", self.bad(400, "PUT", "/api/ai", {"mode": "loud"}))

    def test_pace(self) -> None:
        """What is left out of a pace stays."""
        self.assertEqual(self.good("GET", "/api/pace"), {"factor": 1.0, "ignore_hours": False})
        self.good("PUT", "/api/pace", {"factor": 0.1}, "member")
        self.assertEqual(self.good("PUT", "/api/pace", {"ignore_hours": True}), {"factor": 0.1, "ignore_hours": True})
        self.bad(400, "PUT", "/api/pace", {"factor": -1})
        self.assertEqual(self.good("GET", "/api/pace"), {"factor": 0.1, "ignore_hours": True})

    def test_recipients_merged(self) -> None:
        """PATCH changes what it names; null is the field's default; PUT forgets the rest."""
        self.good("PUT", "/api/recipients", {"seed": "monday", "status": {"old@acme.test": "disabled"}})
        found = self.good("PATCH", "/api/recipients", {"domains": {"acme.test": {"bad_rate": 0.5}}})
        self.assertEqual((found["seed"], found["status"], found["domains"]["acme.test"]["bad_rate"]),
                         ("monday", {"old@acme.test": "disabled"}, 0.5))
        default = self.good("PUT", "/api/recipients", {})["seed"]
        self.good("PATCH", "/api/recipients", {"seed": "tuesday"})
        self.assertEqual(self.good("PATCH", "/api/recipients", {"seed": None})["seed"], default)
        self.bad(400, "PATCH", "/api/recipients", {"default": {"bad_rate": 7}})
        self.bad(403, "PATCH", "/api/recipients", {}, "member")

    def test_recipient_checked(self) -> None:
        """What would happen to an address is what RCPT says, and nothing is counted or made by asking."""
        def check(address: str, **asked: str) -> dict[str, Any]:
            query = urlencode({"address": address, **asked})
            found: dict[str, Any] = self.good("GET", f"/api/recipients/check?{query}", role="viewer")
            return found

        made = self.persona()
        self.good("PUT", "/api/recipients", {
            "domains": {"shut.test": {"create": False}, "full.test": {"bad_rate": 1, "bad_kinds": ["full"]},
                        "hole.test": {"silent": True}}, "status": {"old@shut.test": "disabled"}})
        there = check(made["addresses"][0])
        self.assertEqual((there["kind"], there["reply"], there["persona_id"], there["faults"]),
                         ("deliver", "250 2.1.5 Recipient OK", made["id"], []))
        expected = {"new@acme.test": "create 250", "new@shut.test": "refuse 550", "old@shut.test": "bounce 250",
                    "x@full.test": "bounce 250", "X@HOLE.test": "discard 250"}
        found = {address: check(address) for address in expected}
        self.assertEqual({address: f"{one['kind']} {one['reply'][:3]}" for address, one in found.items()}, expected)
        self.assertEqual([(one["bad"], one["forced"], one["rule"]) for one in found.values()], [
            (None, False, ""), ("unknown", False, "shut.test"), ("disabled", True, "shut.test"),
            ("full", False, "full.test"), (None, False, "hole.test")])
        self.good("PUT", "/api/faults", [
            {"name": "once", "kind": "defer", "stage": "rcpt", "match": "@acme.test", "times": 1},
            {"kind": "drop", "stage": "rcpt", "match": "@hole.test"}, {"kind": "discard", "stage": "deliver"}])
        for _ in range(2):
            said = check("new@acme.test", **{"from": "app@sim.test"})
            self.assertEqual((said["kind"], said["reply"][:3], said["faults"][0]["rule"]), ("refuse", "451", "once"))
        self.assertEqual((check("new@hole.test")["kind"], check("new@hole.test")["reply"]), ("refuse", ""))
        self.assertEqual((check("x@y.test")["kind"], check("x@y.test")["reply"][:3]), ("discard", "250"))
        self.assertEqual([one["hits"] for one in self.good("GET", "/api/faults")], [0, 0, 0])
        self.assertNotIn("new@acme.test", str(self.good("GET", "/api/mailboxes")))
        self.assertIn("address: ", self.bad(400, "GET", "/api/recipients/check?address=nobody"))

    def test_links_merged(self) -> None:
        """Hosts are lower-cased and named once; PATCH changes what it names."""
        self.good("PUT", "/api/links", {"deny": ["*.Tracker.test", "*.tracker.test"], "max_links": 2})
        found = self.good("PATCH", "/api/links", {"max_links": 1})["policy"]
        self.assertEqual((found["deny"], found["max_links"]), (["*.tracker.test"], 1))
        for host in ("", "*.", "a/b", "a b", "user@a.test", "ä.test"):
            self.assertIn("deny.0: ", self.bad(400, "PUT", "/api/links", {"deny": ["ok.test", host][1:]}), host)
        self.assertIn("user_agent", self.bad(400, "PUT", "/api/links", {"user_agent": "a\r\nX: y"}))
        self.assertEqual(self.good("GET", "/api/links")["policy"], found)

    def test_retention(self) -> None:
        """Days that are left out stay, and nothing old is there to be removed."""
        self.good("PUT", "/api/retention", {"mail_days": 3, "event_days": 5})
        self.assertEqual(self.good("PUT", "/api/retention", {"event_days": 0}), {"mail_days": 3, "event_days": 0})
        self.assertEqual(set(self.good("POST", "/api/retention/prune").values()), {0})
        self.bad(400, "PUT", "/api/retention", {"mail_days": 36_501})
