"""Tests of the road through a universe: mail in, a person decides, a job falls due, mail out."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import msgspec
from twisted.internet.defer import Deferred, fail
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.message.parse import read
from simmail.core.records.commit import Commit, Committed, EventQuery, JobQuery
from simmail.core.rules.quota_plan import Allowances, Plan
from simmail.core.rules.recipients import RecipientVerdict
from simmail.core.rules.wait import MailWait, ReplyWait, WaitFilter
from simmail.errors import Conflict, Invalid, NotFound, OverMailLimit, TimedOut, Unavailable
from simmail.testing.universe import MemoryServer, START, now, turned
from simmail.universe.fingerprint import fingerprint
from simmail.universe.mailflow import in_flight
from simmail.universe.mailflow.envelope import Recipient, Submission
from simmail.universe.mailflow.in_flight import PATIENCE

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
            result: str = now(fingerprint(universe))["fingerprint"]
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


class ClockTests(RoadTestCase):
    """Moving a universe's time."""

    def test_due_order(self) -> None:
        """Replies come in due order, each at its own due time."""
        for n in range(5):
            now(self.universe.people.create(persona(addresses=[f"p{n}@acme.test"], name=f"P {n}")))
        for n in range(5):
            self.server.send(self.universe, "app@sim.test", f"p{n}@acme.test",
                             MAIL.replace(b"one@app", b"m%d@app" % n))
        dues = sorted(job.due for job in self.universe.pending.by_id.values())
        turned(self.universe, self.universe.scheduler.advance(by=timedelta(days=30)))
        self.assertEqual([mail.date for mail in self.inbox()], dues)

    def test_runs_by_itself(self) -> None:
        """On a running clock a reply leaves when real time reaches its due time."""
        universe = self.server.universe("running", clock=START, frozen=False)
        now(universe.people.create(persona()))
        self.server.send(universe, "app@sim.test", "maria@acme.test", MAIL)
        (job,) = universe.pending.by_id.values()
        self.server.reactor.advance((job.due - START).total_seconds() - 1)
        self.assertEqual(len(universe.pending.by_id), 1)
        self.server.reactor.advance(2)
        self.assertEqual(universe.pending.by_id, {})

    def test_refused_moves_change_nothing(self) -> None:
        """Bad moves are refused by field, and the clock stays."""
        for arguments, field in (
            ({}, ""), ({"by": timedelta(days=-1)}, "by"), ({"by": timedelta(days=401)}, "by"),
            ({"to": START - timedelta(days=1)}, "to"), ({"until": "sunday"}, "until"),
            ({"by": timedelta(1), "max_jobs": 0}, "max_jobs"),
        ):
            error = self.assertRaises(Invalid, now, self.universe.scheduler.advance(**arguments))
            self.assertEqual(error.field, field)
        self.assertEqual(self.universe.clock.now(), START)
        self.assertFalse(self.universe.clock.timeline.speed != 1.0)

    def test_stops(self) -> None:
        """An advance stops at an event, at idle, after the next job, at a limit."""
        for n in range(3):
            now(self.universe.people.create(persona(addresses=[f"p{n}@acme.test"], name=f"P {n}")))
            self.server.send(self.universe, "app@sim.test", f"p{n}@acme.test", MAIL.replace(b"one@", b"%d@" % n))
        moved = turned(self.universe, self.universe.scheduler.advance(until="event:persona.sent"))
        self.assertEqual((moved.stopped_by, moved.jobs_run), ("event", 1))
        moved = turned(self.universe, self.universe.scheduler.advance(by=timedelta(days=9), max_jobs=1))
        self.assertEqual((moved.stopped_by, moved.jobs_run), ("limit", 1))
        moved = turned(self.universe, self.universe.scheduler.advance(until="next_job"))
        self.assertEqual((moved.stopped_by, moved.jobs_run), ("to", 1))
        moved = turned(self.universe, self.universe.scheduler.advance(until="idle"))
        self.assertEqual((moved.stopped_by, moved.jobs_run), ("idle", 0))

    def test_jobs_by_hand(self) -> None:
        """A job can be moved, run at once and skipped; afterwards that is a conflict."""
        now(self.universe.people.create(persona()))
        self.server.send(self.universe, "app@sim.test", "maria@acme.test", MAIL)
        (job,) = self.universe.pending.by_id.values()
        later = now(self.universe.scheduler.reschedule(job.id, START + timedelta(days=2)))
        self.assertEqual(later.due, START + timedelta(days=2))
        turned(self.universe, self.universe.scheduler.advance(by=timedelta(days=1)))
        self.assertEqual(self.inbox(), [])
        now(self.universe.scheduler.skip(job.id))
        self.assertRaises(Conflict, now, self.universe.scheduler.run(job.id))
        self.assertRaises(NotFound, now, self.universe.scheduler.run("j_none"))
        self.assertEqual([event["data"]["state"] for event in self.events("job.updated")], ["pending", "skipped"])


class CrashTests(RoadTestCase):
    """What is on disk and in Redis when a process dies is finished by the next."""

    def restart(self, begin: bool = True) -> None:
        """The same disk and database under a new process."""
        server = MemoryServer()
        server.database, server.stores = self.server.database, self.server.stores
        server.unique = self.server.unique
        server.roster = type(server.roster)(
            server.config, server.database, server._store, server.reactor, lambda work, *a: work(*a), server.unique,
            server.web)
        now(server.roster.start())
        if begin:
            server.roster.begin()
        self.server, self.universe = server, server.roster.universe("main")

    def undecided(self) -> None:
        """Somebody else has the turn, so that nothing is decided about."""
        self.universe.inbox._turn.acquire()

    def test_state_survives(self) -> None:
        """Jobs, people and the clock are as they were."""
        now(self.universe.people.create(persona()))
        self.server.send(self.universe, "app@sim.test", "maria@acme.test", MAIL)
        before = dict(self.universe.pending.by_id)
        self.restart()
        self.assertEqual(self.universe.pending.by_id, before)
        turned(self.universe, self.universe.scheduler.advance(until="idle"))
        self.assertEqual(len(self.inbox()), 1)

    def test_backlog_waits(self) -> None:
        """A universe that has started answers; what is undecided, due or foreign waits until it has begun."""
        now(self.universe.people.create(persona()))
        self.undecided()
        for n in range(30):
            self.server.send(self.universe, "app@sim.test", "maria@acme.test", MAIL.replace(b"<one@", b"<n%d@" % n))
        self.server.stores["main"]._on_foreign = lambda foreign, copy: None
        self.server.stores["main"].deliver_foreign("maria@acme.test", MAIL.replace(b"\n", b"\r\n"), START)
        self.restart(begin=False)
        self.assertEqual((self.universe.inbox.lag, self.universe.clock.now()), (30, START))
        self.assertEqual(now(self.universe.status())["folders"]["INBOX"], 31)
        self.assertEqual(self.events("persona.received"), [])
        self.server.roster.begin()
        self.assertEqual((self.universe.inbox.lag, len(self.events("persona.received"))), (0, 31))
        self.assertEqual(self.events("persona.received")[-1]["data"]["message_id"], "<one@app.test>")

    def test_undecided_mail_is_decided_once(self) -> None:
        """Mail committed and not decided about is decided about at the next start, once."""
        now(self.universe.people.create(persona()))
        self.undecided()
        self.server.send(self.universe, "app@sim.test", "maria@acme.test", MAIL)
        self.assertEqual(self.events("persona.received"), [])
        self.restart()
        self.restart()
        self.assertEqual(len(self.events("persona.received")), 1)
        self.assertEqual(len(self.universe.pending.by_id), 1)


class AwayTests(RoadTestCase):
    """Redis is away."""

    def test_refused_while_known_to_be_away(self) -> None:
        """New mail is refused as temporary, and nothing is filed."""
        self.server.database.set_healthy(False)
        self.assertRaises(Unavailable, self.server.send, self.universe, "a@sim.test", "b@x.test", MAIL)
        self.assertFalse(self.universe.store.exists("b@x.test"))


class OwedTests(RoadTestCase):
    """Mail is durable and Redis has not answered yet."""

    def setUp(self) -> None:
        """Commits are made when they are let go."""
        super().setUp()
        commit, self.held = self.server.database.commit, []
        self.patience: list[bool] = []

        def later(universe: str, one: Commit, patient: bool = False) -> Deferred[Committed]:
            self.patience.append(patient)
            done: Deferred[Committed] = Deferred()
            self.held.append(lambda: commit(universe, one).chainDeferred(done))
            return done

        self.patch(self.server.database, "commit", later)

    def let_go(self) -> None:
        """Redis answers."""
        while self.held:
            self.held.pop(0)()

    def accepted(self, number: int = 1) -> list[Any]:
        """Send to a mailbox; what became of it, so far."""
        results: list[Any] = []
        for n in range(number):
            Deferred.fromCoroutine(self.universe.postoffice.accept(Submission(
                sender="app@sim.test", recipients=(Recipient("box@sim.test", RecipientVerdict("deliver")),),
                save_sent=False,
                octets=MAIL.replace(b"\n", b"\r\n").replace(b"<one@", b"<n%d@" % n)))).addBoth(results.append)
        return results

    def test_told_at_once(self) -> None:
        """The journal suffices for the sender; who asks for events, jobs or the next of them waits for Redis."""
        (accepted,) = self.accepted()
        self.assertEqual(accepted.message_id, "<n0@app.test>")
        asked: list[Any] = []
        self.universe.log.query(EventQuery()).addBoth(asked.append)
        Deferred.fromCoroutine(self.universe.scheduler.jobs(JobQuery())).addBoth(asked.append)
        self.assertEqual(asked, [])
        self.let_go()
        self.assertEqual([len(one) for one in asked], [1, 0])
        self.assertIn(b"mail.delivered", asked[0][0])

    def test_patience(self) -> None:
        """Commits of mail that nobody waits for may go together; not so when somebody decides about the mail."""
        self.accepted(2)
        self.let_go()
        self.assertEqual(self.patience, [True, True])
        Deferred.fromCoroutine(self.universe.people.create(persona(addresses=["box@sim.test"])))
        self.let_go()
        self.patience.clear()
        self.accepted()
        self.let_go()
        self.assertEqual(set(self.patience), {False})

    def test_redis_hangs(self) -> None:
        """Nobody waits for ever."""
        self.accepted()
        asked: list[Any] = []
        self.universe.log.query(EventQuery()).addBoth(asked.append)
        self.server.reactor.advance(PATIENCE)
        self.assertEqual(asked, [[]])
        self.let_go()

    def test_much_is_owed(self) -> None:
        """Then the sender waits for Redis too."""
        self.patch(in_flight, "MOST_UNCOMMITTED", 2)
        results = self.accepted(3)
        self.assertEqual(len(results), 2)
        self.let_go()
        self.assertEqual(len(results), 3)
        self.assertEqual(len(self.accepted()), 1)
        self.let_go()

    def test_waits(self) -> None:
        """A wait finds what was filed just now, and tells a number behind its event."""
        self.accepted(2)
        waited: list[Any] = []
        Deferred.fromCoroutine(self.universe.waits.wait(MailWait(to="box@sim.test", count=2))).addBoth(waited.append)
        self.let_go()
        self.assertEqual([len(one.copies) for one in waited], [2])
        self.assertEqual(waited[0].cursor, self.universe.log.last)
        since: list[Any] = []
        self.accepted()
        Deferred.fromCoroutine(self.universe.waits.wait(
            MailWait(to="box@sim.test", since=waited[0].cursor))).addBoth(since.append)
        self.let_go()
        self.assertEqual([one.copies[0].uid for one in since], [3])

    def test_plan(self) -> None:
        """What is owed counts as used."""
        self.server.plans["self-hosted"] = Plan("small", limits=Allowances(mail_per_month=2))
        results = self.accepted(3)
        self.assertIsInstance(results[2].value, OverMailLimit)
        self.let_go()
        self.assertIsInstance(self.accepted()[0].value, OverMailLimit)

    def test_stop(self) -> None:
        """A stop waits for it."""
        self.accepted()
        stopped: list[Any] = []
        Deferred.fromCoroutine(self.universe.stop()).addBoth(stopped.append)
        self.assertEqual((stopped, len(self.held)), ([], 1))
        self.let_go()
        self.let_go()
        self.assertEqual(stopped, [None])

    def test_stop_while_redis_is_away(self) -> None:
        """Nothing can be waited for: the journal keeps what is owed for the next start."""
        def gone(universe: str, one: Commit, patient: bool = False) -> Deferred[Committed]:
            self.server.database.set_healthy(False)
            return fail(Unavailable("gone"))

        self.patch(self.server.database, "commit", gone)
        self.accepted()
        stopped: list[Any] = []
        Deferred.fromCoroutine(self.universe.stop()).addBoth(stopped.append)
        self.assertEqual(stopped, [None])
        self.assertEqual(len(self.successResultOf(self.universe.store.uncommitted())), 1)


class WaitTests(RoadTestCase):
    """Waiting for mail."""

    def setUp(self) -> None:
        """Maria answers."""
        super().setUp()
        now(self.universe.people.create(persona()))

    def test_reply_with_advance(self) -> None:
        """With advance the clock runs to the reply and no further."""
        self.server.send(self.universe, "app@sim.test", "maria@acme.test", MAIL)
        (job,) = self.universe.pending.by_id.values()
        waited = turned(self.universe, self.universe.waits.reply(ReplyWait(in_reply_to="<one@app.test>", advance=True)))
        (copy,) = waited.copies
        self.assertEqual((copy.mailbox, copy.folder), ("app@sim.test", "INBOX"))
        self.assertEqual(self.universe.clock.now(), job.due)

    def test_wait_with_advance(self) -> None:
        """The same for mail to an address."""
        self.server.send(self.universe, "app@sim.test", "maria@acme.test", MAIL)
        waited = turned(self.universe, self.universe.waits.wait(MailWait(to="app@sim.test", advance=True)))
        self.assertEqual(waited.copies[0].folder, "INBOX")

    def test_decided_not_to(self) -> None:
        """Silence that was decided is a conflict with its reason."""
        now(self.universe.people.create(persona(
            addresses=["ghost@acme.test"], name="Ghost", timing={"reply_rate": 0.0})))
        self.server.send(self.universe, "app@sim.test", "ghost@acme.test", MAIL)
        error = self.assertRaises(Conflict, now, self.universe.waits.reply(ReplyWait(in_reply_to="<one@app.test>")))
        self.assertIn("ignored", str(error))

    def test_times_out_naming_the_job(self) -> None:
        """A reply that lies further off is named with its due time."""
        self.server.send(self.universe, "app@sim.test", "maria@acme.test", MAIL)
        (job,) = self.universe.pending.by_id.values()
        done = self.universe.waits.reply(ReplyWait(persona="maria@acme.test", timeout=5.0))
        failures: list[Any] = []
        from twisted.internet.defer import Deferred

        Deferred.fromCoroutine(done).addErrback(failures.append)
        self.server.reactor.advance(6)
        self.assertTrue(failures[0].check(TimedOut))
        self.assertIn(job.id, str(failures[0].value))

    def test_nearest_is_explained(self) -> None:
        """A time-out says what came and why it was not it."""
        self.server.send(self.universe, "x@sim.test", "y@sim.test", MAIL)
        failures: list[Any] = []
        from twisted.internet.defer import Deferred

        Deferred.fromCoroutine(self.universe.waits.wait(MailWait(
            to="y@sim.test", filter=WaitFilter(subject="invoice"), timeout=1.0))).addErrback(failures.append)
        self.server.reactor.advance(2)
        self.assertIn("subject", str(failures[0].value))
        self.assertIn("Lunch on Friday?", str(failures[0].value))

    def test_woken_by_injection(self) -> None:
        """Mail that is injected into a mailbox that was not there ends a wait too."""
        from twisted.internet.defer import Deferred

        results: list[Any] = []
        Deferred.fromCoroutine(self.universe.waits.wait(MailWait(to="new@sim.test"))).addBoth(results.append)
        now(self.universe.mailboxes.inject("new@sim.test", "INBOX", MAIL))
        self.assertEqual(results[0].copies[0].mailbox, "new@sim.test")

    def test_woken_by_arrival(self) -> None:
        """Mail that comes while waiting ends the wait, also to a mailbox that was not there."""
        from twisted.internet.defer import Deferred

        results: list[Any] = []
        Deferred.fromCoroutine(self.universe.waits.wait(MailWait(to="new@sim.test"))).addBoth(results.append)
        self.assertEqual(results, [])
        self.server.send(self.universe, "x@sim.test", "new@sim.test", MAIL)
        self.assertEqual(results[0].copies[0].mailbox, "new@sim.test")
