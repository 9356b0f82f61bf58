"""Tests for C{simmail.universe.mailflow.wait_mail}: which messages of a folder a wait looks at, and in which order."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred

from simmail.core.records.commit import EventQuery
from simmail.core.rules.wait import MailWait, RECENT, WaitFilter
from simmail.errors import Invalid, TimedOut
from simmail.testing.universe import now
from simmail.universe.mailflow.wait_mail import FEW, LoggedEvent, logged, number_of
from tests.universe.test_road import RoadTestCase


class LookingTests(RoadTestCase):
    """Waits in one mailbox that has some mail already."""

    def send(self, subject: str, text: str = "text") -> None:
        self.server.send(self.universe, "x@sim.test", "app@sim.test",
                         f"Subject: {subject}\nMessage-ID: <{subject}@x.test>\n\n{text}\n".encode())

    def found(self, asker: str = "", **asked: Any) -> list[str]:
        """Subjects of what a wait is answered with, which is there already."""
        waited = now(self.universe.waits.wait(MailWait(to="app@sim.test", **asked), asker))
        mails = [now(self.universe.mailboxes.read(one.mailbox, one.folder, one.uid))[1] for one in waited.copies]
        return [octets.split(b"Subject: ")[1].split(b"\r\n")[0].decode() for octets in mails]

    def missed(self, **asked: Any) -> str:
        """What is said when it does not come."""
        failures: list[Any] = []
        Deferred.fromCoroutine(self.universe.waits.wait(
            MailWait(to="app@sim.test", timeout=1.0, **asked))).addErrback(failures.append)
        self.server.reactor.advance(2)
        self.assertTrue(failures[0].check(TimedOut))
        return str(failures[0].value)

    def test_order(self) -> None:
        """Who asks for the first time gets the newest; who asks again what came after it, the oldest first."""
        for subject in ("a", "b"):
            self.send(subject)
        self.assertEqual(self.found(), ["b"])
        for subject in ("c", "d"):
            self.send(subject)
        self.assertEqual([self.found(), self.found()], [["c"], ["d"]])
        # Another who asks, and another question, are others.
        self.assertEqual(self.found("somebody"), ["d"])
        self.assertEqual(self.found(filter=WaitFilter(subject="b")), ["b"])

    def test_between_filed_and_noted(self) -> None:
        """Mail that is in the folder when a wait begins, and of which nothing is known yet, ends it once that is."""
        self.send("old")
        self.server.reactor.advance(RECENT + 1)
        accept, noted = self.universe.store.accept, Deferred[None]()

        async def slow(*args: Any) -> Any:
            copies = await accept(*args)
            await noted
            return copies

        self.patch(self.universe.store, "accept", slow)
        cursor = self.universe.log.last
        for subject in ("a", "b"):
            # It goes on by itself, but is not done yet.
            self.assertRaises(AssertionError, self.send, subject)
        came: list[Any] = []
        for asker, since in (("first", None), ("behind", cursor)):
            Deferred.fromCoroutine(self.universe.waits.wait(MailWait(
                to="app@sim.test", since=since, count=2), asker)).addBoth(came.append)
        self.assertEqual(came, [])
        noted.callback(None)
        self.assertEqual([[one.uid for one in waited.copies] for waited in came], [[2, 3], [2, 3]])

    def test_existing(self) -> None:
        """Old mail counts only where it is asked for, and none where it is not wanted."""
        self.send("old")
        self.server.reactor.advance(RECENT + 1)
        self.assertIn("no message came", self.missed())
        self.assertEqual(self.found(existing=True), ["old"])
        self.send("new")
        self.assertIn("no message came", self.missed(existing=False))

    def test_since(self) -> None:
        """Behind a Message-ID, an event number, an instant: only what was filed later."""
        self.send("a")
        number = self.universe.log.last
        self.send("b")
        self.assertEqual(self.found(since="<a@x.test>"), ["b"])
        self.assertEqual(self.found("other", since=number), ["b"])
        self.assertIn("no message came", self.missed(since=self.universe.log.last))
        error = self.assertRaises(Invalid, now, self.universe.waits.wait(MailWait(to="app@sim.test", since="<no@x>")))
        self.assertEqual(error.field, "since")

    def test_since_in_another_folder(self) -> None:
        """A Message-ID that lies in another folder stands for when it was filed there."""
        self.send("a")
        now(self.universe.mailboxes.change("app@sim.test", "INBOX", 1, move_to="Archive"))
        self.send("b")
        self.assertEqual(self.found(since="<a@x.test>"), ["b"])

    def test_many(self) -> None:
        """Of many messages the index is asked: the same ones match, by header and by text."""
        for number in range(3 * FEW):
            self.send(f"s{number}", f"text {number}")
        self.assertEqual(self.found(filter=WaitFilter(subject="S1"), count=3), ["s11", "s10", "s1"])
        self.assertEqual(self.found(filter=WaitFilter(text="TEXT 7")), ["s7"])
        self.assertIn(f"{3 * FEW} seen, the nearest", self.missed(filter=WaitFilter(text="nowhere")))

    def test_count(self) -> None:
        """So many as were asked for, and when fewer come, how many those were."""
        self.send("a")
        self.assertIn("1 of 2 came", self.missed(count=2))
        self.send("b")
        self.assertEqual(self.found(count=2), ["b", "a"])

    def test_unread(self) -> None:
        """Flags count as they are now; waiting changes none."""
        self.send("a")
        self.assertEqual(self.found(filter=WaitFilter(unread=True)), ["a"])
        now(self.universe.mailboxes.change("app@sim.test", "INBOX", 1, seen=True))
        self.assertIn("1 seen", self.missed(filter=WaitFilter(subject="a", unread=True)))

    def test_nobody_left(self) -> None:
        """Who waits in one folder shares it; when nobody does any more, nothing of it is kept."""
        waiting = [Deferred.fromCoroutine(self.universe.waits.wait(MailWait(to="app@sim.test"), str(n)))
                   for n in range(3)]
        self.assertEqual((self.universe.waits.open, len(self.universe.waits._watched)), (3, 1))
        self.send("a")
        for one in waiting:
            self.assertEqual(len(self.successResultOf(one).copies), 1)
        self.assertEqual((self.universe.waits.open, self.universe.waits._watched), (0, {}))

    def test_logged(self) -> None:
        """Events are read as the log has them; a message that none tells of has the number 0."""
        self.send("a")
        (event,) = now(logged(self.universe.log, EventQuery(types=("mail.delivered",))))
        self.assertIsInstance(event, LoggedEvent)
        self.assertEqual(now(number_of(self.universe.log, "<a@x.test>")), event.id)
        self.assertEqual(now(number_of(self.universe.log, "<b@x.test>")), 0)
