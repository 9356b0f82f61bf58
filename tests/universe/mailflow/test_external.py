"""Mail that another program delivered counts as delivered, once."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from twisted.internet.defer import Deferred, maybeDeferred

from simmail.config import Config, Limits
from simmail.core.message.parse import read
from simmail.core.records.delivery import Copy
from simmail.core.rules.wait import MailWait
from simmail.errors import Unavailable
from simmail.testing.universe import MemoryServer, START, now, turned
from simmail.universe.universe import Universe
from tests.universe.test_road import MAIL, RoadTestCase, persona

OCTETS = MAIL.replace(b"\n", b"\r\n")
SPAM = (b"From: Prize <win@lottery.test>\r\nTo: maria@acme.test\r\nSubject: YOU WON $1,000,000!!! ACT NOW FREE VIAGRA"
        b"\r\n\r\nCONGRATULATIONS!!! Click here NOW to claim your FREE prize: http://1.2.3.4/win\r\n"
        b"100% free casino viagra winner, wire transfer, no risk, act now!!!\r\n")


class ForeignTests(RoadTestCase):
    """Files that appear in new/ of an INBOX."""

    def setUp(self) -> None:
        """One universe and Maria."""
        super().setUp()
        self.maria = now(self.universe.people.create(persona()))

    def deliver(self, octets: bytes = OCTETS, mailbox: str = "maria@acme.test") -> None:
        self.server.stores["main"].deliver_foreign(mailbox, octets, START)

    def started_again(self) -> Universe:
        """The universe after a crash."""
        again = Universe(self.universe.record, self.server.config, self.universe.store, self.server.database,
                         self.server.reactor, self.server.unique, self.server.web, self.server.endpoints,
                         self.server.model)
        now(again.start())
        again.begin()
        return again

    def types(self) -> list[str]:
        return [event["type"] for event in self.events() if not event["type"].startswith("persona.u")]

    def test_answered(self) -> None:
        """The persona gets it, decides and answers; the events are those of mail over SMTP."""
        self.deliver(b"Return-Path: <bounces@sim.test>\r\n" + OCTETS)
        self.assertEqual(self.types(), ["mail.delivered", "persona.received", "job.scheduled"])
        delivered, received = self.events("mail.delivered", "persona.received")
        self.assertEqual(delivered["data"], {
            "from": "app@sim.test", "to": ["maria@acme.test"], "subject": "Lunch on Friday?",
            "message_id": "<one@app.test>"})
        self.assertEqual(received["data"]["persona_id"], self.maria.id)
        turned(self.universe, self.universe.scheduler.advance(by=timedelta(days=1)))
        (reply,) = self.inbox()
        self.assertEqual(reply.in_reply_to, "<one@app.test>")

    def test_like_smtp(self) -> None:
        """What the persona decides is what it would have decided about the same mail over SMTP."""
        self.deliver()
        other = MemoryServer()
        universe = other.universe()
        now(universe.people.create(persona()))
        other.send(universe, "app@sim.test", "maria@acme.test", MAIL)
        (job,), (wanted,) = self.universe.pending.by_id.values(), universe.pending.by_id.values()
        self.assertEqual((job.id, job.due, job.plan), (wanted.id, wanted.due, wanted.plan))

    def test_nobody(self) -> None:
        """Where nobody stands behind the mailbox there is the event and nothing more."""
        self.deliver(mailbox="app@sim.test")
        self.assertEqual(self.types(), ["mail.delivered"])

    def test_once(self) -> None:
        """Told again after a crash, whatever was committed by then, it is delivered once."""
        self.deliver()
        store: Any = self.universe.store
        self.assertEqual(store._foreign, {})
        folder = now(store.folder("maria@acme.test", "INBOX"))
        # The crash came before it was settled.
        copy = Copy("maria@acme.test", "INBOX", folder.uids[0], folder.uidvalidity)
        store._foreign[f"foreign-{copy.uidvalidity}-{copy.uid}-{copy.mailbox}"] = copy
        before = self.types()
        self.started_again()
        self.assertEqual(self.types(), before)
        self.assertEqual(store._foreign, {})

    def test_redis_away(self) -> None:
        """While Redis is away it waits, and after a crash too."""
        self.server.database.set_healthy(False)
        self.deliver()
        self.server.database.set_healthy(True)
        self.assertEqual(self.types(), ["mail.delivered", "persona.received", "job.scheduled"])
        self.server.database.set_healthy(False)
        self.deliver(OCTETS.replace(b"<one@", b"<two@"))
        self.server.database._listeners.clear()
        self.server.database.set_healthy(True)
        self.started_again()
        self.assertEqual([event["data"]["message_id"] for event in self.events("mail.delivered", "persona.received")],
                         ["<one@app.test>"] * 2 + ["<two@app.test>"] * 2)

    def test_store_away(self) -> None:
        """While it cannot be read it waits; the clock does not pass it."""
        real, tries = self.universe.store.folder, []

        def folder(mailbox: str, name: str) -> Any:
            if not tries:
                tries.append(mailbox)
                raise Unavailable("the mail store is away")
            return real(mailbox, name)

        self.patch(self.universe.store, "folder", folder)
        self.deliver()
        self.assertEqual((self.types(), self.universe.in_flight.earliest_pending()), ([], START))
        self.server.reactor.advance(1.1)
        self.assertEqual(self.types(), ["mail.delivered", "persona.received", "job.scheduled"])
        self.assertIsNone(self.universe.in_flight.earliest_pending())

    def test_gone(self) -> None:
        """What somebody removed before it was read is not told of."""
        self.universe.store.away = True
        self.deliver()
        self.universe.store.away = False
        folder = now(self.universe.store.folder("maria@acme.test", "INBOX"))
        now(folder.expunge(list(folder.uids)))
        self.server.reactor.advance(1.1)
        self.assertEqual((self.types(), self.universe.store._foreign), ([], {}))

    def test_junk(self) -> None:
        """Spam goes to Junk, as mail over SMTP does."""
        self.deliver(SPAM)
        self.assertEqual(self.types(), ["mail.delivered", "persona.junked"])
        self.assertEqual(self.inbox("maria@acme.test"), [])
        self.assertEqual(len(now(self.universe.mailboxes.messages("maria@acme.test", "Junk"))), 1)

    def test_strange(self) -> None:
        """Any octets may lie there."""
        for octets in (b"", b"\r\n", b"\xff\xfe\x00", b"From\r\n", b"Return-Path: <>\r\nReturn-Path: x\r\n\r\n",
                       b"Return-Path: <a@b\r\n\r\n", b"From: =?x?b?\xff?=\r\nSubject: " + b"a" * 100_000):
            self.deliver(octets)
        self.assertEqual(len(self.events("mail.delivered")), 7)
        self.assertEqual(len(self.events("persona.received", "persona.junked")), 7)

    def test_too_large(self) -> None:
        """What no door would have let in has its event; nobody is made to read it."""
        self.server = MemoryServer(Config(limits=Limits(message=1000, header=500)))
        self.universe = self.server.universe()
        now(self.universe.people.create(persona()))
        self.deliver(b"Subject: x\r\n\r\n" + b"y" * 1000)
        self.deliver(b"X: x\r\n" * 100 + b"Subject: y\r\n\r\n")
        self.assertEqual(self.types(), ["mail.delivered"] * 2)

    def test_large(self) -> None:
        """Large mail, foreign or not, is read in a thread, once for all that is made of it at the door."""
        threads: list[int] = []

        def in_thread(call: Any, *args: Any) -> Any:
            threads.append(len(args[0]))
            return maybeDeferred(call, *args)

        self.server.in_thread = in_thread
        large = OCTETS + b"word word word\r\n" * 20_000
        self.deliver(large)
        self.assertEqual(threads, [len(large)])
        self.server.send(self.universe, "app@sim.test", "maria@acme.test", large.replace(b"<one@", b"<two@"))
        self.assertEqual(len(threads), 2)
        self.assertEqual(len(self.events("persona.received")), 2)
        self.assertIsNone(self.universe.in_flight.earliest_pending())
        self.server.send(self.universe, "app@sim.test", "x@sim.test", large.replace(b"<one@", b"<three@"))
        self.assertEqual(len(threads), 2)

    def test_waited_for(self) -> None:
        """A wait for mail to the address is over."""
        found: list[Any] = []
        Deferred.fromCoroutine(self.universe.waits.wait(MailWait(to="app@sim.test"))).addBoth(found.append)
        self.assertEqual(found, [])
        self.deliver(mailbox="app@sim.test")
        self.assertEqual([copy.mailbox for copy in found[0].copies], ["app@sim.test"])

    def test_moved_by_a_client(self) -> None:
        """What a client copies or appends into an INBOX was not delivered."""
        self.deliver(mailbox="app@sim.test")
        before = self.types()
        inbox = now(self.universe.store.folder("maria@acme.test", "INBOX"))
        source = now(self.universe.store.folder("app@sim.test", "INBOX"))
        now(source.copy([1], inbox))
        now(inbox.append(OCTETS, (), START))
        self.assertEqual((len(inbox.uids), self.types()), (2, before))
        self.assertEqual(read(now(inbox.read(1))).subject, "Lunch on Friday?")
