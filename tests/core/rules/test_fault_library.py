"""
The scenario library.
"""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.rules.fault_library import SCENARIOS, added, library
from simmail.core.rules.fault_rule import is_advanced, rule_of, shown
from simmail.errors import Invalid, NotFound


class ScenarioTests(SynchronousTestCase):
    """Every entry is a rule that the API itself would take."""

    def test_library(self) -> None:
        """At least 20, each with a source, a valid rule that names its scenario, and replies that fit."""
        self.assertGreaterEqual(len(SCENARIOS), 20)
        for one in SCENARIOS.values():
            self.assertEqual(rule_of(shown(one.rule)), one.rule)
            self.assertEqual(one.rule.scenario, one.id)
            self.assertTrue(one.rule.enabled and is_advanced(one.rule))
            self.assertTrue(one.provider and one.name and one.description and one.source)
            # RFC 5321 section 4.5.3.1.5: a reply line has at most 512 octets.
            for line in one.rule.message.split("\n"):
                self.assertLess(len(line), 450)
                self.assertEqual(line, line.strip())
            self.assertTrue(one.rule.message.isascii())

    def test_shown(self) -> None:
        """The entries as the API shows them."""
        entry = next(one for one in library() if one["id"] == "postfix-disk-full")
        self.assertEqual(set(entry), {"id", "provider", "name", "description", "source", "rule"})
        self.assertEqual(entry["rule"], {
            "name": "Postfix: insufficient system storage", "kind": "defer", "stage": "mail", "match": "", "rate": 1.0,
            "code": 452, "enhanced": "4.3.1", "message": "Insufficient system storage", "enabled": True,
            "scenario": "postfix-disk-full"})

    def test_added(self) -> None:
        """A scenario takes a match and a window."""
        rule = added("tarpit", " @Acme.test", {"days": "mon"})
        self.assertEqual((rule.match, rule.window.days if rule.window else ""), ("@acme.test", "mon"))
        self.assertEqual(added("maintenance-window").window, SCENARIOS["maintenance-window"].rule.window)
        self.assertRaises(NotFound, added, "nothing")
        self.assertRaises(Invalid, added, "tarpit", "", {"tz": "nowhere"})
