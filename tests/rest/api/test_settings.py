"""Behaviour settings over HTTP: pace, recipients, links, retention, who writes."""

from __future__ import annotations

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
