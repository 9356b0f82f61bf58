"""From DATA or BDAT to the 250."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from tests.smtp.door import Door, Wire

MESSAGE = b"Subject: x\r\n\r\nline\r\n.dot\r\n"


class ReceptionTests(SynchronousTestCase):
    """Messages, whichever way they come."""

    def begun(self, config: object = None) -> tuple[Door, Wire]:
        """A transaction with a recipient."""
        door = Door(config)  # type: ignore[arg-type]
        wire = door.hello()
        wire.ask("MAIL FROM:<app@sim.test>", "RCPT TO:<maria@acme.test>")
        return door, wire

    @settings(max_examples=25, deadline=None)
    @given(st.lists(st.integers(1, len(MESSAGE) - 1), max_size=4, unique=True))
    def test_chunks(self, cuts: list[int]) -> None:
        """However a message is cut into chunks, it arrives as by DATA."""
        door, wire = self.begun()
        places = [0, *sorted(cuts), len(MESSAGE)]
        for begin, end in zip(places, places[1:]):
            last = b" LAST" if end == len(MESSAGE) else b""
            wire.send(b"BDAT %d%b\r\n" % (end - begin, last) + MESSAGE[begin:end])
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
        wire.send(MESSAGE + b"\r\n.\r\n")
        self.assertRegex(wire.taken(), rb"\A5\d\d 5\.")
        door, wire = self.begun()
        door.do_faults('[{"kind": "hang", "stage": "deliver", "match": "maria@acme.test"}]')
        wire.ask("DATA")
        wire.send(MESSAGE + b"\r\n.\r\n")
        door.pass_time(20)
        self.assertEqual((wire.taken(), len(door.mail("maria@acme.test"))), (b"", 1))
