"""One transaction, without a conversation around it."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from simmail.smtp.arguments import MailFrom, RcptTo
from simmail.smtp.replies import CommandRefused
from simmail.smtp.trace import Peer
from simmail.smtp.transaction import Transaction
from simmail.testing.universe import now
from tests.smtp.door import Door

MESSAGE = b"Subject: x\r\n\r\ny\r\n"


class TransactionTests(SynchronousTestCase):
    """In one universe."""

    def setUp(self) -> None:
        self.door = Door()

    def transaction(self, **options: Any) -> Transaction:
        """From an application."""
        return Transaction(MailFrom("App@sim.test", "app@sim.test", **options), self.door.server.roster, None,
                           Peer("client.test", "192.0.2.1"))

    def add(self, transaction: Transaction, *addresses: str) -> None:
        """Recipients that are taken."""
        for address in addresses:
            transaction.add(RcptTo(address), transaction.universe(address))

    def test_once(self) -> None:
        """A recipient that is there already is not added again."""
        transaction = self.transaction()
        self.assertFalse(transaction)
        self.add(transaction, "a@acme.test", "b@acme.test", "a@acme.test")
        self.assertEqual(len(transaction), 2)
        self.assertEqual([addresses for _, addresses in transaction.universes()], [("a@acme.test", "b@acme.test")])

    def test_refused(self) -> None:
        """A recipient that rules refuse is answered so, and remembered as refused."""
        self.door.do_rules('{"default": {"create": false}}')
        transaction = self.transaction()
        with self.assertRaises(CommandRefused) as caught:
            self.add(transaction, "nobody@acme.test")
        self.assertEqual((caught.exception.reply[:3], transaction.rejected, len(transaction)), (b"550", True, 0))

    def test_accept(self) -> None:
        """The message has its trace in front, and the answer names it; who is one of several is not named."""
        transaction = self.transaction()
        self.add(transaction, "a@acme.test", "b@acme.test")
        answer = now(Deferred.fromCoroutine(transaction.accept(MESSAGE, "sim.test")))
        self.assertRegex(answer, rb"\A250 2\.0\.0 OK: accepted as \S+\r\n\Z")
        for address in ("a@acme.test", "b@acme.test"):
            (octets,) = self.door.mail(address)
            self.assertRegex(octets, rb"\AReturn-Path: <App@sim\.test>\r\nReceived: from client\.test "
                                     rb"\(\[192\.0\.2\.1\]\)\r\n\tby sim\.test with ESMTP id \S+;\r\n")
            self.assertTrue(octets.endswith(b"\r\n\r\ny\r\n"))

    def test_faulty(self) -> None:
        """Who has no rules has no faults; with rules every address is asked about."""
        transaction = self.transaction()
        self.add(transaction, "a@acme.test")
        self.assertEqual(transaction.faulty(), [])
        self.door.do_faults('[{"kind": "reject", "stage": "data"}]')
        self.assertEqual([addresses for _, addresses in transaction.faulty()], [("a@acme.test",)])
