"""Tests for C{simmail.universe.mailflow.bounces}, C{sorting} and C{faults}: mail that does not get through."""

from __future__ import annotations

from datetime import timedelta
from email import message_from_bytes, policy
from typing import Any

from simmail.core.rules.fault_library import SCENARIOS
from simmail.core.rules.faults import FaultEvent
from simmail.core.rules.quota_plan import Allowances, Plan
from simmail.core.rules.recipients import rules_of
from simmail.core.rules.wait import ReplyWait
from simmail.errors import Conflict, FeatureMissing, Invalid, NotFound, OverMailLimit
from simmail.testing.universe import now, turned
from simmail.universe import faults
from simmail.universe.fingerprint import fingerprint
from simmail.universe.jobs import notices
from simmail.universe.mailflow import bounces
from simmail.universe.mailflow.envelope import DsnRequest, Recipient, Submission
from tests.universe.test_road import MAIL, RoadTestCase, persona

CRLF = MAIL.replace(b"\n", b"\r\n")


class BounceTestCase(RoadTestCase):
    """Mail to addresses that are bad."""

    def rules(self, **fields: Any) -> None:
        """Recipient rules in force."""
        self.universe.policy.rules = rules_of(fields)

    def submit(self, address: str, octets: bytes = CRLF, sender: str = "app@sim.test", **fields: Any) -> None:
        """One message for one recipient, with what else SMTP may say of it."""
        dsn = fields.pop("dsn", None)
        verdict = self.universe.policy.recipient(address, sender)
        now(self.universe.postoffice.accept(Submission(
            sender=sender, recipients=(Recipient(address, verdict, **fields),), octets=octets, dsn=dsn)))

    def notices(self) -> list[Any]:
        """The notices in the application's INBOX, read by the standard library."""
        filed = now(self.universe.mailboxes.messages("app@sim.test"))
        return [message_from_bytes(now(self.universe.mailboxes.read("app@sim.test", one.folder, one.entry.uid))[1],
                                   policy=policy.default) for one in reversed(filed)]


class BounceTests(BounceTestCase):
    """Notices."""

    def test_bad_address_comes_back(self) -> None:
        """A bad address is accepted, and a notice follows a little later, threaded to the original."""
        self.rules(status={"dead@x.test": "unknown"})
        self.submit("dead@x.test")
        self.assertFalse(self.universe.store.exists("dead@x.test"))
        (event,) = self.events("persona.bounced")
        self.assertEqual((event["data"]["kind"], event["data"]["to"]), ("unknown", "app@sim.test"))
        self.assertNotIn("persona_id", event["data"])
        moved = turned(self.universe, self.universe.scheduler.advance(until="idle"))
        self.assertLess(moved.to - moved.from_, timedelta(hours=1))
        (notice,) = self.notices()
        self.assertEqual(notice.get_content_type(), "multipart/report")
        self.assertEqual(notice["In-Reply-To"], "<one@app.test>")
        report = notice.get_payload()[1].as_string()
        self.assertIn("5.1.1", report)
        self.assertIn("dead@x.test", report)

    def test_persona_behind_a_bad_address(self) -> None:
        """A persona whose mailbox is forced full bounces, and is named."""
        now(self.universe.people.create(persona()))
        self.rules(status={"maria@acme.test": "full"})
        self.submit("maria@acme.test")
        self.assertIn("persona_id", self.events("persona.bounced")[0]["data"])
        self.assertEqual(self.events("persona.received"), [])

    def test_persona_that_bounces(self) -> None:
        """What was asked of notifications holds for a persona that bounces by its nature too."""
        now(self.universe.people.create(persona(behaviors={"bounce": 1.0})))
        self.submit("maria@acme.test", notify=("NEVER",))
        self.submit("maria@acme.test", notify=("SUCCESS",))
        self.assertEqual(len(self.events("persona.bounced")), 2)
        self.assertEqual(self.universe.pending.by_id, {})
        self.submit("maria@acme.test", dsn=DsnRequest("FULL", "env+2B1"), orcpt="rfc822;m@acme.test",
                    notify=("SUCCESS", "FAILURE"))
        turned(self.universe, self.universe.scheduler.advance(until="idle"))
        self.assertEqual(len(self.notices()), 1)
        notice = self.notices()[-1]
        report = notice.get_payload()[1].as_string()
        self.assertIn("Original-Envelope-Id: env+1\n", report)
        self.assertIn("Original-Recipient: rfc822; m@acme.test\n", report)
        self.assertIn("lunch on Friday at 12:30", notice.get_payload()[2].as_string())

    def test_delivered_to_a_persona(self) -> None:
        """What a persona's mailbox keeps is confirmed once, junk and what arrives twice included."""
        now(self.universe.people.create(persona(paused=True)))
        now(self.universe.faults.put([{"kind": "duplicate", "stage": "deliver", "first": 1}]))
        for notify in (("SUCCESS", "DELAY"), ("SUCCESS",), ("DELAY",), ()):
            fault = self.universe.faults.judge(FaultEvent("deliver", "ip", "app@sim.test", "maria@acme.test"))
            self.submit("maria@acme.test", dsn=DsnRequest("FULL", "e"), notify=notify, fault=fault)
        self.assertEqual(len(self.events("persona.received")), 5)
        spam = b"From: WINNER <x@y.test>\nSubject: FREE MONEY!!! ACT NOW!!! $$$\n\nViagra! http://1.2.3.4/ CLICK HERE\n"
        self.submit("maria@acme.test", spam.replace(b"\n", b"\r\n"), notify=("SUCCESS",))
        self.assertEqual(len(self.events("persona.junked")), 1)
        turned(self.universe, self.universe.scheduler.advance(until="idle"))
        self.assertEqual(len(self.notices()), 3)
        for notice in self.notices():
            self.assertIn("Action: delivered\n", notice.get_payload()[1].as_string())
            self.assertEqual(notice.get_payload()[2].get_content_type(), "text/rfc822-headers")

    def test_waiting_for_the_answer_of_a_bad_address(self) -> None:
        """Who waits for a persona whose mailbox is forced full is told that it bounced."""
        now(self.universe.people.create(persona()))
        self.rules(status={"maria@acme.test": "full"})
        self.submit("maria@acme.test")
        error = self.assertRaises(Conflict, now, self.universe.waits.reply(ReplyWait(in_reply_to="<one@app.test>")))
        self.assertIn("Maria Rossi bounced it: bounced, mailbox status full", str(error))

    def test_no_notice_about_a_notice(self) -> None:
        """The null reverse-path and NOTIFY=NEVER draw none."""
        self.rules(status={"dead@x.test": "unknown"})
        self.submit("dead@x.test", sender="")
        self.submit("dead@x.test", notify=("NEVER",))
        self.assertEqual(self.universe.pending.by_id, {})

    def test_large_message_returned(self) -> None:
        """RET=FULL returns a long message too; it waits in the mail store, not in the job."""
        self.rules(status={"dead@x.test": "blocked"})
        octets = CRLF + b"a line of text\r\n" * 20_000 + b"the end\r\n"
        self.submit("dead@x.test", octets, dsn=DsnRequest("FULL"))
        (job,) = self.universe.pending.by_id.values()
        self.assertLess(len(str(job.data)), 2000)
        turned(self.universe, self.universe.scheduler.advance(until="idle"))
        (notice,) = self.notices()
        self.assertTrue(notice.get_payload()[2].get_payload()[0].get_payload().rstrip().endswith("the end"))
        self.assertEqual(now(self.universe.store.held.keys()), [])

    def test_too_large_to_return(self) -> None:
        """RET=FULL of a message over the limit returns its header, not a message without a body."""
        for module in (bounces, notices):
            self.patch(module, "LARGEST_RETURN", 2000)
        now(self.universe.people.create(persona(behaviors={"bounce": 1.0})))
        self.rules(status={"dead@x.test": "blocked"})
        for address in ("dead@x.test", "maria@acme.test"):
            for lines, kind in ((10, "message/rfc822"), (200, "text/rfc822-headers")):
                self.submit(address, CRLF + b"a line of text\r\n" * lines, dsn=DsnRequest("FULL"))
                turned(self.universe, self.universe.scheduler.advance(until="idle"))
                self.assertEqual(self.notices()[-1].get_payload()[2].get_content_type(), kind)

    def test_long_header_returned(self) -> None:
        """Of a very long header whole lines come back."""
        self.rules(status={"dead@x.test": "blocked"})
        self.submit("dead@x.test", b"X-Long: x\r\n" + b" %b\r\n" % (b"y" * 100) * 1000 + CRLF)
        turned(self.universe, self.universe.scheduler.advance(until="idle"))
        returned = self.notices()[0].get_payload()[2].get_payload().splitlines()
        self.assertLessEqual(600, len(returned))
        self.assertEqual({len(line) for line in returned if line.startswith(" ")}, {101})

    def test_same_fingerprint(self) -> None:
        """Runs whose mail differs in its Message-ID alone are alike, notices to come and late mail included."""
        def run(number: bytes) -> str:
            universe = self.server.universe("run" + number.decode(), seed="same")
            universe.policy.rules = rules_of({"status": {"dead@x.test": "unknown"}})
            now(universe.faults.put([{"kind": "late", "stage": "deliver", "delay_ms": 60_000}]))
            for address in ("dead@x.test", "alive@x.test"):
                verdict = universe.policy.recipient(address, "app@sim.test")
                fault = universe.faults.judge(FaultEvent("deliver", "ip", "app@sim.test", address))
                now(universe.postoffice.accept(Submission(
                    sender="app@sim.test", recipients=(Recipient(address, verdict, fault=fault),),
                    octets=b"Received: from " + number + b"\r\n" + CRLF.replace(b"<one@", b"<" + number + b"@"))))
            found: str = now(fingerprint(universe))["fingerprint"]
            return found

        self.assertEqual(run(b"1"), run(b"2"))

    def test_full_message_returned(self) -> None:
        """RET=FULL returns the body, otherwise the header only."""
        self.rules(status={"dead@x.test": "blocked"})
        self.submit("dead@x.test", dsn=DsnRequest("FULL", "env-1"))
        self.submit("dead@x.test", dsn=DsnRequest("HDRS", ""))
        turned(self.universe, self.universe.scheduler.advance(until="idle"))
        bodies = [notice.as_string().count("do you have time for lunch") for notice in self.notices()]
        self.assertEqual(sorted(bodies), [0, 1])

    def test_success_notice(self) -> None:
        """NOTIFY=SUCCESS is told of a delivery."""
        self.submit("ok@x.test", notify=("SUCCESS",))
        turned(self.universe, self.universe.scheduler.advance(until="idle"))
        (notice,) = self.notices()
        self.assertIn("Action: delivered", notice.as_string())

    def test_same_seed_same_notice(self) -> None:
        """Notices are the same for the same seed, down to the Message-ID."""
        def run() -> list[str]:
            self.setUp()
            self.rules(status={"dead@x.test": "unknown"})
            self.submit("dead@x.test")
            self.submit("dead@x.test")
            turned(self.universe, self.universe.scheduler.advance(until="idle"))
            return [notice.as_string() for notice in self.notices()]

        first = run()
        self.assertEqual(first, run())
        self.assertEqual(len({text for text in first}), 2)

    def test_stranger(self) -> None:
        """A never-seen address gets a mailbox and somebody behind it, who may answer."""
        self.rules(default={"stranger": "basic"})
        self.submit("new@x.test")
        (event,) = self.events("persona.created")
        self.assertEqual((event["data"]["address"], event["data"]["mode"]), ("new@x.test", "basic"))
        self.assertEqual(len(self.events("persona.received")), 1)

    def test_no_room_for_strangers(self) -> None:
        """Over the plan's people a never-seen address gets its mailbox and nobody behind it."""
        self.server.plans["self-hosted"] = Plan("tiny", limits=Allowances(people=0))
        self.rules(default={"stranger": "basic"})
        self.submit("new@x.test")
        self.assertEqual(self.events("persona.created"), [])
        self.assertTrue(self.universe.store.exists("new@x.test"))

    def test_over_the_month(self) -> None:
        """Over the plan's mail of a month SMTP is refused by name, and nothing is filed."""
        self.server.plans.update({"tiny": Plan("tiny", limits=Allowances(mail_per_month=1))})
        now(self.server.roster.change_org("default", plan="tiny"))
        self.submit("a@x.test")
        error = self.assertRaises(OverMailLimit, self.submit, "b@x.test")
        self.assertIn("tiny", str(error))
        self.assertFalse(self.universe.store.exists("b@x.test"))

    def test_silent(self) -> None:
        """C{silent} accepts and discards."""
        self.rules(default={"silent": True})
        self.submit("x@x.test")
        self.assertFalse(self.universe.store.exists("x@x.test"))
        self.assertEqual(len(self.events("mail.delivered")), 1)


class FaultTests(BounceTestCase):
    """Fault rules."""

    def judge(self, **fields: Any) -> Any:
        """What happens to one recipient at RCPT."""
        return self.universe.faults.judge(FaultEvent(**{
            "stage": "rcpt", "sender": "app@sim.test", "recipient": "a@x.test", **fields}))

    def restart(self) -> None:
        """The process ends and another begins."""
        server = self.server
        server.roster = type(server.roster)(
            server.config, server.database, server._store, server.reactor, lambda work, *a: work(*a), server.unique,
            server.web)
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
            "rule": "no", "kind": "reject", "stage": "rcpt", "address": "a@x.test", "code": 550})
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

    def deliver(self, kind: str, **fields: Any) -> None:
        """A message whose delivery goes wrong."""
        now(self.universe.faults.put([{"name": "f", "kind": kind, "stage": "deliver", **fields}]))
        fault = self.judge(stage="deliver")
        self.submit("a@x.test", fault=fault)

    def test_waiting_for_an_answer_to_late_mail(self) -> None:
        """Who waits for a persona, moving the clock, waits past the mail that is still on its way to it."""
        now(self.universe.people.create(persona()))
        now(self.universe.faults.put([{"kind": "late", "stage": "deliver", "delay_ms": 7_200_000}]))
        self.submit("maria@acme.test", fault=self.judge(stage="deliver", recipient="maria@acme.test"))
        turned(self.universe, self.universe.waits.reply(ReplyWait(persona="maria@acme.test", advance=True)))
        self.assertEqual([event["data"]["kind"] for event in self.events("persona.sent")], ["reply"])

    def test_discarded(self) -> None:
        """Accepted, never delivered."""
        self.deliver("discard")
        self.assertFalse(self.universe.store.exists("a@x.test"))

    def test_duplicated(self) -> None:
        """Delivered twice."""
        self.deliver("duplicate")
        self.assertEqual(len(self.inbox("a@x.test")), 2)

    def test_corrupted(self) -> None:
        """The body is cut short."""
        self.deliver("corrupt")
        (mail,) = self.inbox("a@x.test")
        self.assertEqual(mail.subject, "Lunch on Friday?")
        self.assertNotIn("App", mail.text)

    def test_late(self) -> None:
        """Delivered after a simulated while."""
        self.deliver("late", delay_ms=3_600_000)
        self.assertFalse(self.universe.store.exists("a@x.test"))
        turned(self.universe, self.universe.scheduler.advance(by=timedelta(hours=2)))
        self.assertEqual(len(self.inbox("a@x.test")), 1)

    def test_bounced_by_a_rule(self) -> None:
        """Accepted, and a notice with the rule's words comes back."""
        self.deliver("bounce", code=554, enhanced="5.7.1", message="Not here")
        turned(self.universe, self.universe.scheduler.advance(until="idle"))
        (notice,) = self.notices()
        self.assertIn("Not here", notice.as_string())
