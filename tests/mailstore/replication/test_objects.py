"""Tests of names and octets of objects."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.errors import Unavailable
from simmail.mailstore.replication.changes import BodiesHeld, MailboxDropped, digest_of
from simmail.mailstore.replication.objects import (
    LogObject, SEAL, base, id_of, name_of, read_base, read_segment, segment,
)


class ObjectTests(SynchronousTestCase):
    """One of each kind."""

    def test_names(self) -> None:
        """A name is one object's; of any other name there is none."""
        for one in (LogObject(1, 0, True), LogObject(1, 7), LogObject(12, 7, True)):
            self.assertEqual(id_of("main", name_of("main", one)), one)
        for name in ("universes/main/1/2", "universes/main/0000000001/0000000002.txt", "universes/main/", ""):
            self.assertIsNone(id_of("main", name), name)

    def test_segment(self) -> None:
        """What was put is read, with where the octets are; one octet less, or another, is told."""
        contents = [(digest_of(one), one) for one in (b"first", b"", b"\0\xff")]
        changes = [BodiesHeld(("job",), contents[0][0]), MailboxDropped("maria@acme.test")]
        octets, places = segment("nonce", changes, contents)
        read = read_segment(octets, "1/1")
        assert read is not None
        self.assertEqual((read.changes, read.places), (changes, places))
        for digest, one in contents:
            begin, size = places[digest]
            self.assertEqual(octets[begin:begin + size], one)
        for damaged in (octets[:-1], octets[:-1] + b"x", b"", b"simmail base 1\n"):
            self.assertRaises(Unavailable, read_segment, damaged, "1/1")
        self.assertIsNone(read_segment(SEAL, "1/2"))

    def test_base(self) -> None:
        """No two put the same; what is in it is the same."""
        self.assertNotEqual(base("a", b"all"), base("b", b"all"))
        self.assertEqual(read_base(base("a" * 16, b"all"), "1/0"), ("a" * 16, b"all"))
        for damaged in (base("a", b"all")[:-1], SEAL, b""):
            self.assertRaises(Unavailable, read_base, damaged, "1/0")
