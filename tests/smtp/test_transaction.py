"""One transaction: without a conversation around it, its trace, and its message from DATA or BDAT to the 250."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from simmail.smtp.arguments import MailFrom, RcptTo
from simmail.smtp.replies import CommandRefused
from simmail.smtp.transaction import Peer, trace, traced, Transaction
from simmail.testing.universe import now
from tests.smtp.door import Door, Wire

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


NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


class TraceTests(SynchronousTestCase):
    """Return-Path and Received."""

    def test_whole(self) -> None:
        """RFC 5321 section 4.4, with a single recipient named."""
        peer = Peer("client.test", "192.0.2.1", True, True, True)
        self.assertEqual(
            trace("App@sim.test", ("maria@acme.test",), peer, "sim.test", "1f", False, NOW),
            b"Return-Path: <App@sim.test>\r\n"
            b"Received: from client.test ([192.0.2.1])\r\n\tby sim.test with ESMTPSA id 1f\r\n"
            b"\tfor <maria@acme.test>;\r\n\tMon, 2 Mar 2026 09:00:00 +0000\r\n")

    def test_protocols(self) -> None:
        """The names of RFC 3848 and RFC 6531 section 4.3."""
        def protocol(utf8: bool, *how: bool) -> bytes:
            return trace("", (), Peer("x", "::1", *how), "sim.test", "1", utf8, NOW).split(b" with ")[1].split()[0]

        self.assertEqual(protocol(False, False), b"SMTP")
        self.assertEqual(protocol(False, True), b"ESMTP")
        self.assertEqual(protocol(False, True, True), b"ESMTPS")
        self.assertEqual(protocol(False, True, False, True), b"ESMTPA")
        self.assertEqual(protocol(True, True, True, True), b"UTF8SMTPSA")

    def test_nobody_is_given_away(self) -> None:
        """Of several recipients none is named: some may be Bcc."""
        fields = trace("a@b.test", ("x@c.test", "y@c.test"), Peer("h", "::1"), "sim.test", "1", False, NOW)
        self.assertNotIn(b"c.test", fields)
        self.assertIn(b"([IPv6:::1])", fields)

    def test_helo_is_harmless(self) -> None:
        """A HELO name that could be anything but a name is not repeated."""
        for name in ("a(b)c", "a b", "x\r\nBcc: y", "ü", "a" * 256, ""):
            self.assertIn(b"from unknown (", trace("", (), Peer(name, "::1"), "sim.test", "1", False, NOW))

    def test_return_path_of_others(self) -> None:
        """A Return-Path that the message brought along goes, folded lines included."""
        self.assertEqual(
            traced(b"T: x\r\n", b"A: b\r\nReturn-path: <a\r\n @b>\r\nC: d\r\n\r\nReturn-Path: stays\r\n"),
            b"T: x\r\nA: b\r\nC: d\r\n\r\nReturn-Path: stays\r\n")

    def test_no_header(self) -> None:
        """Text that begins with no header field becomes the body."""
        self.assertEqual(traced(b"T: x\r\n", b"hello there\r\n"), b"T: x\r\n\r\nhello there\r\n")
        self.assertEqual(traced(b"T: x\r\n", b"a b: c\r\n"), b"T: x\r\n\r\na b: c\r\n")
        self.assertEqual(traced(b"T: x\r\n", b""), b"T: x\r\n\r\n")
        self.assertEqual(traced(b"T: x\r\n", b"\r\nhello\r\n"), b"T: x\r\n\r\nhello\r\n")
        self.assertEqual(traced(b"T: x\r\n", b"Subject : y\r\n\r\n"), b"T: x\r\nSubject : y\r\n\r\n")


DOTTED = b"Subject: x\r\n\r\nline\r\n.dot\r\n"


class ReceptionTests(SynchronousTestCase):
    """Messages, whichever way they come."""

    def begun(self, config: object = None) -> tuple[Door, Wire]:
        """A transaction with a recipient."""
        door = Door(config)  # type: ignore[arg-type]
        wire = door.hello()
        wire.ask("MAIL FROM:<app@sim.test>", "RCPT TO:<maria@acme.test>")
        return door, wire

    @settings(max_examples=25, deadline=None)
    @given(st.lists(st.integers(1, len(DOTTED) - 1), max_size=4, unique=True))
    def test_chunks(self, cuts: list[int]) -> None:
        """However a message is cut into chunks, it arrives as by DATA."""
        door, wire = self.begun()
        places = [0, *sorted(cuts), len(DOTTED)]
        for begin, end in zip(places, places[1:]):
            last = b" LAST" if end == len(DOTTED) else b""
            wire.send(b"BDAT %d%b\r\n" % (end - begin, last) + DOTTED[begin:end])
        said = wire.taken()
        self.assertEqual(said.count(b"250 2.0.0"), len(places) - 1)
        (octets,) = door.mail("maria@acme.test")
        self.assertTrue(octets.endswith(b"\r\n\r\nline\r\n.dot\r\n"))

    def test_order(self) -> None:
        """DATA needs a recipient, and takes no argument; behind a chunk comes no DATA."""
        door = Door()
        wire = door.hello()
        self.assertTrue(wire.ask("DATA").startswith("503 5.5.1 Need MAIL"))
        wire.ask("MAIL FROM:<app@sim.test>")
        self.assertTrue(wire.ask("DATA").startswith("503 5.5.1 Need RCPT"))
        wire.ask("RCPT TO:<maria@acme.test>")
        self.assertTrue(wire.ask("DATA x").startswith("501"))
        wire.send(b"BDAT 3\r\nabc")
        self.assertEqual(wire.taken(), b"250 2.0.0 3 octets received\r\n")
        for command in ("DATA", "RCPT TO:<otto@acme.test>"):
            self.assertTrue(wire.ask(command).startswith("503 5.5.1 Only BDAT"))

    def test_refused_chunk(self) -> None:
        """A chunk is taken whatever the answer to it is; what follows it is a command."""
        wire = Door().hello()
        wire.send(b"BDAT 6 LAST\r\nQUIT\r\nNOOP\r\n")
        self.assertEqual(wire.taken().split(b" ")[0::3][:1], [b"503"])
        self.assertFalse(wire.closed())

    def test_bad_bdat(self) -> None:
        """Where the length cannot be told, that is the end."""
        for text in ("BDAT", "BDAT x", "BDAT -1", "BDAT 5 FIRST", "BDAT 1e3", "BDAT " + "9" * 16):
            _, wire = self.begun()
            self.assertTrue(wire.ask(text).startswith("501 5.5.4 Syntax: BDAT"), text)
            self.assertTrue(wire.closed())

    def test_too_large(self) -> None:
        """Chunks over the limit are refused before they are kept, and the transaction is over."""
        door, wire = self.begun({"limits": {"message": 1000}})
        wire.send(b"BDAT 600\r\n" + b"x" * 600)
        wire.send(b"BDAT 600 LAST\r\n" + b"x" * 600)
        self.assertEqual([line[:3] for line in wire.taken().splitlines()], [b"250", b"552"])
        self.assertTrue(wire.ask("RCPT TO:<maria@acme.test>").startswith("503"))
        self.assertEqual(door.mail("maria@acme.test"), [])

    def test_faults(self) -> None:
        """What goes wrong with the delivery: refused, late, never told."""
        door, wire = self.begun()
        door.do_faults('[{"kind": "reject", "stage": "deliver", "match": "maria@acme.test"}]')
        wire.ask("DATA")
        wire.send(DOTTED + b"\r\n.\r\n")
        self.assertRegex(wire.taken(), rb"\A5\d\d 5\.")
        door, wire = self.begun()
        door.do_faults('[{"kind": "hang", "stage": "deliver", "match": "maria@acme.test"}]')
        wire.ask("DATA")
        wire.send(DOTTED + b"\r\n.\r\n")
        door.pass_time(20)
        self.assertEqual((wire.taken(), len(door.mail("maria@acme.test"))), (b"", 1))
