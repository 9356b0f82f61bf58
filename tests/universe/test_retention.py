"""Tests for C{simmail.universe.retention}."""

from __future__ import annotations

from datetime import timedelta

from simmail.core.rules.quota_plan import Allowances, Plan
from simmail.errors import Invalid
from simmail.testing.universe import now, turned
from tests.universe.test_road import MAIL, RoadTestCase


class RetentionTests(RoadTestCase):
    """Old mail and events."""

    def test_pruned(self) -> None:
        """Mail and events past their days go, and the counts are told."""
        self.server.send(self.universe, "app@sim.test", "x@sim.test", MAIL)
        now(self.universe.pruning.set(mail_days=10, event_days=20))
        turned(self.universe, self.universe.scheduler.advance(by=timedelta(days=15)))
        self.assertEqual(self.inbox("x@sim.test"), [])
        (pruned,) = self.events("retention.pruned")
        self.assertEqual(pruned["data"], {"messages": 2, "events": 0, "jobs": 0})
        turned(self.universe, self.universe.scheduler.advance(by=timedelta(days=15)))
        self.assertEqual(self.events("mail.delivered"), [])

    def test_cap(self) -> None:
        """The plan's cap is in force where the setting is more or for ever; the setting is kept."""
        self.server.plans["self-hosted"] = Plan("tiny", limits=Allowances(retention_days=30))
        self.assertEqual(now(self.universe.pruning.set(mail_days=100)).mail_days, 30)
        self.assertEqual(self.universe.pruning.setting.event_days, 30)
        self.assertEqual(self.universe.settings.get("retention")["mail_days"], 100)

    def test_bad_days(self) -> None:
        """Days out of range are refused by name."""
        self.assertEqual(self.assertRaises(Invalid, now, self.universe.pruning.set(mail_days=-1)).field, "mail_days")
