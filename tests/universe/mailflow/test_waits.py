"""Tests for C{simmail.universe.mailflow.waits}."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred

from simmail.core.rules.wait import MailWait, ReplyWait, WaitFilter
from simmail.errors import Conflict, TimedOut
from simmail.testing.universe import now, turned
from tests.universe.test_road import MAIL, RoadTestCase, persona


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
        Deferred.fromCoroutine(done).addErrback(failures.append)
        self.server.reactor.advance(6)
        self.assertTrue(failures[0].check(TimedOut))
        self.assertIn(job.id, str(failures[0].value))

    def test_nearest_is_explained(self) -> None:
        """A time-out says what came and why it was not it."""
        self.server.send(self.universe, "x@sim.test", "y@sim.test", MAIL)
        failures: list[Any] = []
        Deferred.fromCoroutine(self.universe.waits.wait(MailWait(
            to="y@sim.test", filter=WaitFilter(subject="invoice"), timeout=1.0))).addErrback(failures.append)
        self.server.reactor.advance(2)
        self.assertIn("subject", str(failures[0].value))
        self.assertIn("Lunch on Friday?", str(failures[0].value))

    def test_woken_by_injection(self) -> None:
        """Mail that is injected into a mailbox that was not there ends a wait too."""
        results: list[Any] = []
        Deferred.fromCoroutine(self.universe.waits.wait(MailWait(to="new@sim.test"))).addBoth(results.append)
        now(self.universe.mailboxes.inject("new@sim.test", "INBOX", MAIL))
        self.assertEqual(results[0].copies[0].mailbox, "new@sim.test")

    def test_woken_by_arrival(self) -> None:
        """Mail that comes while waiting ends the wait, also to a mailbox that was not there."""
        results: list[Any] = []
        Deferred.fromCoroutine(self.universe.waits.wait(MailWait(to="new@sim.test"))).addBoth(results.append)
        self.assertEqual(results, [])
        self.server.send(self.universe, "x@sim.test", "new@sim.test", MAIL)
        self.assertEqual(results[0].copies[0].mailbox, "new@sim.test")
