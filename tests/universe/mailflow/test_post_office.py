"""Tests for C{simmail.universe.mailflow.post_office}: mail is durable, and Redis has not answered."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred, fail

from simmail.core.records.commit import Commit, Committed, EventQuery, JobQuery
from simmail.core.rules.quota_plan import Allowances, Plan
from simmail.core.rules.recipients import RecipientVerdict
from simmail.core.rules.wait import MailWait
from simmail.errors import OverMailLimit, Unavailable
from simmail.universe.mailflow import in_flight
from simmail.universe.mailflow.envelope import Recipient, Submission
from simmail.universe.mailflow.in_flight import PATIENCE
from tests.universe.test_road import MAIL, RoadTestCase, persona


class UncommittedTests(RoadTestCase):
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
