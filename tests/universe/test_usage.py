"""Tests for C{simmail.universe.usage}."""

from __future__ import annotations

from simmail.core.rules.quota_plan import Allowances, Plan
from simmail.errors import OverMailLimit
from simmail.testing.universe import now
from simmail.universe.universe import Universe
from simmail.universe.usage import LEARNED
from simmail.universe.usage import MAIL as MAIL_PER_MONTH
from tests.universe.test_road import MAIL, RoadTestCase


class UsageTests(RoadTestCase):
    """What a month has used."""

    def test_usage(self) -> None:
        """Mail is counted in its own commit: a crash neither forgets it nor counts it twice; months begin anew."""
        self.server.send(self.universe, "app@sim.test", "x@sim.test", MAIL)
        self.server.send(self.universe, "app@sim.test", "y@sim.test", MAIL)
        self.universe.committer.keep(self.universe.usage.count(LEARNED))
        again = Universe(self.universe.record, self.server.config, self.universe.store, self.server.database,
                         self.server.reactor, self.server.unique, self.server.web, self.server.endpoints,
                         self.server.model, lambda: self.server.plans["self-hosted"])
        now(again.start())
        again.begin()
        for one in (self.universe, again):
            self.assertEqual((one.usage.used(MAIL_PER_MONTH), one.usage.used(LEARNED)), (2, 1))
        self.server.plans["self-hosted"] = Plan("tiny", limits=Allowances(mail_per_month=2))
        self.assertRaises(OverMailLimit, self.server.send, again, "app@sim.test", "z@sim.test", MAIL)
        self.server.reactor.advance(31 * 86400)
        self.assertEqual(again.usage.used(MAIL_PER_MONTH), 0)
        self.server.send(again, "app@sim.test", "z@sim.test", MAIL)
        now(self.universe.usage.start())
        table = now(self.server.database.table("main", "usage"))
        self.assertEqual(list(table.values()), [b"1"])
