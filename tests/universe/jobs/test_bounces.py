"""Tests for C{simmail.universe.jobs.bounces}: mail that does not get through comes back."""

from __future__ import annotations

from datetime import timedelta
from email import message_from_bytes, policy
from typing import Any

from simmail.core.rules.faults import FaultEvent
from simmail.core.rules.quota_plan import Allowances, Plan
from simmail.core.rules.recipients import rules_of
from simmail.core.rules.wait import ReplyWait
from simmail.errors import Conflict, OverMailLimit
from simmail.testing.universe import now, turned
from simmail.universe.fingerprint import fingerprint
from simmail.universe.jobs import bounces
from simmail.universe.mailflow import routing
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

    def judge(self, **fields: Any) -> Any:
        """What happens to one recipient at RCPT."""
        return self.universe.faults.judge(FaultEvent(**{
            "stage": "rcpt", "sender": "app@sim.test", "recipient": "a@x.test", **fields}))

    def deliver(self, kind: str, **fields: Any) -> None:
        """A message whose delivery goes wrong."""
        now(self.universe.faults.put([{"name": "f", "kind": kind, "stage": "deliver", **fields}]))
        fault = self.judge(stage="deliver")
        self.submit("a@x.test", fault=fault)

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
        for module in (routing, bounces):
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
            found: str = now(fingerprint(universe)).fingerprint
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
