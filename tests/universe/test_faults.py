"""Tests for C{simmail.universe.faults}."""

from __future__ import annotations

from datetime import timedelta

from twisted.internet.defer import maybeDeferred

from simmail.core.rules.fault_library import SCENARIOS
from simmail.core.rules.quota_plan import Plan
from simmail.core.rules.wait import ReplyWait
from simmail.errors import FeatureMissing, Invalid, NotFound
from simmail.testing.universe import now, turned
from simmail.universe import faults
from tests.universe.jobs.test_bounces import BounceTestCase
from tests.universe.test_road import persona


class FaultTests(BounceTestCase):
    """Fault rules."""

    def restart(self) -> None:
        """The process ends and another begins."""
        server = self.server
        server.roster = type(server.roster)(
            server.config, server.database, server._store, server.images, server.reactor, maybeDeferred, server.unique,
            server.web, server.endpoints, server.model)
        now(server.roster.start())
        server.roster.begin()
        self.universe = server.roster.universe("main")

    def test_rules_are_replaced_and_shown(self) -> None:
        """PUT replaces; the answer shows defaults and hits; the event counts."""
        shown = now(self.universe.faults.put([{"name": "no", "kind": "reject", "stage": "rcpt", "match": "@x.test"}]))
        self.assertEqual((shown[0]["rate"], shown[0]["enabled"], shown[0]["hits"]), (1, True, 0))
        self.assertEqual(self.judge().code, 550)
        self.assertIsNone(self.judge(recipient="a@y.test"))
        self.assertEqual(self.universe.faults.shown()[0]["hits"], 1)
        (event,) = self.events("fault.hit")
        self.assertEqual(event["data"], {
            "rule": "no", "kind": "reject", "stage": "rcpt", "address": "a@x.test", "code": 550,
            "from": "app@sim.test"})
        self.assertEqual(self.events("faults.updated")[0]["data"]["rules"], 1)

    def test_bad_rules(self) -> None:
        """A bad rule is named by place and field, and nothing changes."""
        for rule in ({"name": "x", "kind": "tls_fail", "stage": "rcpt"}, {"name": "x", "kind": "nope", "stage": "rcpt"},
                     {"name": "x", "kind": "reject", "stage": "rcpt", "rate": 2},
                     {"name": "x", "kind": "reject", "stage": "rcpt", "colour": 1}):
            error = self.assertRaises(Invalid, now, self.universe.faults.put([rule]))
            self.assertTrue(error.field.startswith("0"), error.field)
        self.assertEqual(self.universe.faults.rules, ())

    def test_plan(self) -> None:
        """What needs the chaos feature is refused without it; what does not is not."""
        self.server.plans["self-hosted"] = Plan("free")
        now(self.universe.faults.put([{"name": "x", "kind": "reject", "stage": "rcpt"}]))
        for rule in ({"name": "x", "kind": "greylist", "stage": "rcpt"},
                     {"name": "x", "kind": "drop", "stage": "data"}):
            self.assertRaises(FeatureMissing, now, self.universe.faults.put([rule]))
        self.assertRaises(FeatureMissing, now, self.universe.faults.add_scenario(next(iter(SCENARIOS))))

    def test_scenarios(self) -> None:
        """A scenario is appended enabled; an unknown one is not found."""
        self.assertGreaterEqual(len(SCENARIOS), 20)
        for name in SCENARIOS:
            now(self.universe.faults.add_scenario(name, "@x.test"))
        rules = self.universe.faults.shown()
        self.assertEqual([rule["scenario"] for rule in rules], list(SCENARIOS))
        self.assertTrue(all(rule["enabled"] for rule in rules))
        self.assertRaises(NotFound, now, self.universe.faults.add_scenario("no-such"))

    def test_greylisting_on_the_simulated_clock(self) -> None:
        """A new triplet is deferred, and taken once the simulated delay has passed."""
        now(self.universe.faults.put([{"name": "g", "kind": "greylist", "stage": "rcpt", "delay_ms": 300_000}]))
        self.assertEqual(self.judge(ip="1.2.3.4").code, 451)
        self.assertEqual(self.judge(ip="1.2.3.4").code, 451)
        turned(self.universe, self.universe.scheduler.advance(by=timedelta(minutes=6)))
        self.assertIsNone(self.judge(ip="1.2.3.4"))

    def test_counts_survive_a_restart(self) -> None:
        """The first three are three, also when the process ends in between."""
        now(self.universe.faults.put([{"name": "three", "kind": "defer", "stage": "rcpt", "first": 3}]))
        self.assertTrue(self.judge())
        self.assertTrue(self.judge())
        self.restart()
        self.assertTrue(self.judge())
        self.assertIsNone(self.judge())

    def test_counts_of_what_is_put(self) -> None:
        """A rule that is put counts from zero; what was read and is put back goes on, beside a new scenario too."""
        once = {"kind": "defer", "stage": "rcpt", "match": "@x.test", "times": 1}
        for _ in range(2):
            now(self.universe.faults.put([once]))
            self.assertEqual([bool(self.judge()) for _ in range(2)], [True, False])
        now(self.universe.faults.put([{**one, "message": "later"} for one in self.universe.faults.shown()]))
        self.assertIsNone(self.judge())
        now(self.universe.faults.add_scenario("tarpit", "@y.test"))
        self.assertIsNone(self.judge())
        self.assertEqual(self.universe.faults.shown()[0]["hits"], 1)
        self.restart()
        self.assertIsNone(self.judge())

    def test_connections_begin_anew(self) -> None:
        """What is counted for a connection is not kept: after a restart another has its number."""
        now(self.universe.faults.put([{
            "name": "c", "kind": "defer", "stage": "rcpt", "first": 1, "per": "connection"}]))
        self.assertTrue(self.judge(connection="SMTP 1"))
        self.assertIsNone(self.judge(connection="SMTP 1"))
        self.restart()
        self.assertEqual(self.universe.faults.shown()[0]["hits"], 1)
        self.assertTrue(self.judge(connection="SMTP 1"))

    def test_marks_are_bounded(self) -> None:
        """Of very many pairs the oldest are forgotten, in the database too; the counts of the rule are not."""
        self.patch(faults, "MOST_MARKS", 50)
        now(self.universe.faults.put([{"name": "f", "kind": "defer", "stage": "rcpt", "times": 2, "rate": 0.999}]))
        codes = [bool(self.judge(recipient=f"u{n}@x.test")) for n in range(200)]
        self.assertEqual(codes.count(True), 2)
        self.assertLessEqual(len(now(self.universe.database.table("main", "marks"))), 50)
        self.restart()
        self.assertIsNone(self.judge(recipient="new@x.test"))

    def test_waiting_for_an_answer_to_late_mail(self) -> None:
        """Who waits for a persona, moving the clock, waits past the mail that is still on its way to it."""
        now(self.universe.people.create(persona()))
        now(self.universe.faults.put([{"kind": "late", "stage": "deliver", "delay_ms": 7_200_000}]))
        self.submit("maria@acme.test", fault=self.judge(stage="deliver", recipient="maria@acme.test"))
        turned(self.universe, self.universe.waits.reply(ReplyWait(persona="maria@acme.test", advance=True)))
        self.assertEqual([event["data"]["kind"] for event in self.events("persona.sent")], ["reply"])
