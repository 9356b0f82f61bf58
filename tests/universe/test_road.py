"""Tests of the road through a universe: mail in, a person decides, a job falls due, mail out."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import msgspec
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.message.parse import read
from simmail.core.records.commit import EventQuery
from simmail.errors import Unavailable
from simmail.testing.universe import MemoryServer, START, now, turned
from simmail.universe.fingerprint import fingerprint

MAIL = b"""From: App <app@sim.test>
To: maria@acme.test
Subject: Lunch on Friday?
Message-ID: <one@app.test>

Hi Maria,

do you have time for lunch on Friday at 12:30?

App
"""


def persona(**fields: Any) -> dict[str, Any]:
    """Fields of somebody who always answers, and has no mind for links and looking people up."""
    return {"addresses": ["maria@acme.test"], "name": "Maria Rossi", "temperament": "responsive",
            "style": {"links": "never"},
            "timing": {"reply_rate": 1.0, "delay": {"median": "20m", "spread": 1.5}}, **fields}


class RoadTestCase(SynchronousTestCase):
    """A universe that stands still at START."""

    def setUp(self) -> None:
        """One universe and nobody in it."""
        self.server = MemoryServer()
        self.universe = self.server.universe()

    def events(self, *types: str) -> list[dict[str, Any]]:
        """Recorded events of some types, oldest first."""
        rows = now(self.universe.log.query(EventQuery(after=0, types=types, limit=1000)))
        return [msgspec.json.decode(row) for row in rows]

    def inbox(self, address: str = "app@sim.test") -> list[Any]:
        """The mails in an INBOX, oldest first."""
        filed = now(self.universe.mailboxes.messages(address))
        return [read(now(self.universe.mailboxes.read(address, one.folder, one.entry.uid))[1])
                for one in reversed(filed)]


class RoadTests(RoadTestCase):
    """From the post office to the answer."""

    def test_mail_draws_a_reply(self) -> None:
        """A mail is answered at its due time: threaded, quoted, dated by the simulated clock."""
        now(self.universe.people.create(persona()))
        self.server.send(self.universe, "app@sim.test", "maria@acme.test", MAIL)
        (job,) = self.universe.pending.by_id.values()
        self.assertEqual((job.kind, job.created), ("reply", START))
        moved = turned(self.universe, self.universe.scheduler.advance(by=timedelta(days=1)))
        self.assertEqual((moved.jobs_run, moved.stopped_by, moved.to), (1, "to", START + timedelta(days=1)))
        (reply,) = self.inbox()
        self.assertEqual(reply.date, job.due)
        self.assertEqual((reply.in_reply_to, reply.references), ("<one@app.test>", ("<one@app.test>",)))
        self.assertEqual(reply.subject, "Re: Lunch on Friday?")
        self.assertEqual(reply.header("X-Service-Simulated"), "yes")
        self.assertIn("do you have time for lunch", reply.text)

    def test_events_in_order(self) -> None:
        """Each step is one event, in order, with times that do not fall."""
        now(self.universe.people.create(persona()))
        self.server.send(self.universe, "app@sim.test", "maria@acme.test", MAIL)
        turned(self.universe, self.universe.scheduler.advance(by=timedelta(days=1)))
        events = self.events()
        self.assertEqual([event["type"] for event in events], [
            "persona.updated", "mail.delivered", "persona.received", "job.scheduled", "persona.sent", "job.done",
            "clock"])
        self.assertEqual([event["id"] for event in events], list(range(1, 8)))
        self.assertEqual(sorted(event["at"] for event in events), [event["at"] for event in events])
        sent = events[4]["data"]
        self.assertLessEqual({
            "persona_id", "persona", "kind", "case_id", "to", "cc", "subject", "message_id", "by", "links_opened",
            "text"}, set(sent))
        self.assertEqual((sent["kind"], sent["by"], sent["to"]), ("reply", "templates", ["app@sim.test"]))

    def test_second_mail_is_batched(self) -> None:
        """A mail in a thread whose reply is planned joins it, and one reply answers both."""
        now(self.universe.people.create(persona()))
        self.server.send(self.universe, "app@sim.test", "maria@acme.test", MAIL)
        self.server.send(self.universe, "app@sim.test", "maria@acme.test", MAIL.replace(
            b"Message-ID: <one@app.test>", b"Message-ID: <two@app.test>\nReferences: <one@app.test>"))
        self.assertEqual(len(self.events("persona.batched")), 1)
        turned(self.universe, self.universe.scheduler.advance(until="idle"))
        (reply,) = self.inbox()
        self.assertEqual(reply.references, ("<one@app.test>", "<two@app.test>"))

    def test_somebody_else_in_the_thread_is_answered_apart(self) -> None:
        """A reply that is planned for another person takes no mail along that it would not reach."""
        now(self.universe.people.create(persona()))
        self.server.send(self.universe, "app@sim.test", "maria@acme.test", MAIL)
        self.server.send(self.universe, "boss@sim.test", "maria@acme.test", MAIL.replace(
            b"Message-ID: <one@app.test>", b"Message-ID: <two@app.test>\nReferences: <one@app.test>").replace(
            b"From: App <app@sim.test>", b"From: Boss <boss@sim.test>"))
        self.assertEqual(self.events("persona.batched"), [])
        turned(self.universe, self.universe.scheduler.advance(until="idle"))
        for address, answered in (("app@sim.test", "<one@app.test>"), ("boss@sim.test", "<two@app.test>")):
            (reply,) = self.inbox(address)
            self.assertEqual(reply.in_reply_to, answered)

    def test_ignored(self) -> None:
        """Somebody who never answers ignores, and says why with the number that decided."""
        now(self.universe.people.create(persona(timing={"reply_rate": 0.0})))
        self.server.send(self.universe, "app@sim.test", "maria@acme.test", MAIL)
        (event,) = self.events("persona.ignored")
        self.assertIn("0.00", event["data"]["why"])
        self.assertEqual(self.universe.pending.by_id, {})

    def test_working_hours(self) -> None:
        """A reply leaves within working hours of the persona's zone."""
        now(self.universe.people.create(persona(timing={
            "reply_rate": 1.0, "delay": {"median": "1m"},
            "hours": {"tz": "America/New_York", "days": "mon-fri", "from": "09:00", "to": "17:00"}})))
        self.server.send(self.universe, "app@sim.test", "maria@acme.test", MAIL)
        (job,) = self.universe.pending.by_id.values()
        self.assertGreaterEqual(job.due, START.replace(hour=14))
        turned(self.universe, self.universe.scheduler.advance(until="idle"))
        reply, *_ = self.inbox()
        assert reply.date is not None
        self.assertEqual(reply.date.utcoffset(), timedelta(hours=-5))

    def test_same_seed_same_universe(self) -> None:
        """The same seed and mail give the same fingerprint; another seed gives another."""
        def run(seed: str) -> str:
            server = MemoryServer()
            universe = server.universe(seed=seed)
            now(universe.people.create(persona()))
            server.send(universe, "app@sim.test", "maria@acme.test", MAIL)
            turned(universe, universe.scheduler.advance(by=timedelta(days=3)))
            result: str = now(fingerprint(universe)).fingerprint
            return result

        self.assertEqual(run("a"), run("a"))
        self.assertNotEqual(run("a"), run("b"))

    def test_bcc_is_not_leaked(self) -> None:
        """No copy shows who was in Bcc."""
        self.server.send(self.universe, "app@sim.test", ["a@x.test", "b@x.test"],
                         b"From: app@sim.test\nBcc: b@x.test,\n c@x.test\nSubject: x\n\nhi\n")
        for address in ("a@x.test", "b@x.test", "app@sim.test"):
            for status in now(self.universe.store.folders(address)):
                folder = now(self.universe.store.folder(address, status.name))
                for uid in folder.uids:
                    self.assertNotIn(b"c@x.test", now(folder.read(uid)))

    def test_blanks_before_a_colon(self) -> None:
        """Field names of old may have blanks behind them (RFC 5322 section 4.5): such fields are seen as well."""
        self.server.send(self.universe, "app@sim.test", "a@x.test",
                         b"From: app@sim.test\nbcc : c@x.test\nMessage-ID\t: <m@app.test>\nDate : then\n"
                         b"Date-Hint: x\n\nhi\n")
        (mail,) = self.inbox("a@x.test")
        self.assertEqual([name.strip() for name, _ in mail.headers], ["From", "Message-ID", "Date", "Date-Hint"])
        self.assertEqual(mail.message_id, "<m@app.test>")
        self.server.send(self.universe, "app@sim.test", "b@x.test", b"Resent-Bcc\t: c@x.test\nDate-Hint: x\n\nhi\n")
        (mail,) = self.inbox("b@x.test")
        self.assertEqual([name for name, _ in mail.headers], ["Date-Hint", "Message-ID", "Date"])

    def test_nobody_in_from(self) -> None:
        """Mail without a From is received from its reverse-path, as it is answered to that."""
        now(self.universe.people.create(persona()))
        self.server.send(self.universe, "app@sim.test", "maria@acme.test", b"Subject: x\n\nHow are you?\n")
        (event,) = self.events("persona.received")
        self.assertEqual((event["data"]["from"], event["data"]["from_name"]), ("app@sim.test", ""))

    def test_missing_fields_are_added(self) -> None:
        """Message-ID and Date are added on submission, the date by the simulated clock."""
        accepted = self.server.send(self.universe, "app@sim.test", "a@x.test", b"Subject: x\n\nhi\n")
        (mail,) = self.inbox("a@x.test")
        self.assertEqual((mail.message_id, mail.date), (accepted.message_id, START))


class AwayTests(RoadTestCase):
    """Redis is away."""

    def test_refused_while_known_to_be_away(self) -> None:
        """New mail is refused as temporary, and nothing is filed."""
        self.server.database.set_healthy(False)
        self.assertRaises(Unavailable, self.server.send, self.universe, "a@sim.test", "b@x.test", MAIL)
        self.assertFalse(self.universe.store.exists("b@x.test"))
