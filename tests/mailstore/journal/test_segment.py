"""Segments: records with checksums, and what can still be read of those that are damaged."""

from __future__ import annotations

import os

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.mailstore.journal import segment as segments
from simmail.mailstore.journal.records import DELIVERY, FILED, Octets, SETTLED
from simmail.mailstore.journal.segment import Hole, Segment, boot_id, start_of

RECORDS = st.lists(
    st.tuples(st.sampled_from((DELIVERY, SETTLED, FILED)), st.binary(max_size=50), st.binary(max_size=80)),
    max_size=8)
THREE: list[Octets] = [(DELIVERY, b"first", b"one" * 9), (SETTLED, b"second", b""), (DELIVERY, b"third", b"three")]


class SegmentTests(SynchronousTestCase):
    """One file."""

    def setUp(self) -> None:
        self.folder = self.mktemp()
        os.makedirs(self.folder)
        self.path = f"{self.folder}/0000000001.journal"

    def written(self, records: list[Octets]) -> None:
        """A segment with these records, closed."""
        if os.path.exists(self.path):
            os.unlink(self.path)
        one = Segment.create(self.path, "a-boot")
        one.append(records)
        one.close()

    def read(self) -> tuple[list[Octets], Segment]:
        """What is in it."""
        one = Segment.open(self.path)
        assert one is not None
        self.addCleanup(lambda: one.fd < 0 or one.close())
        found = [(kind, description, segment.octets(at, length))
                 for kind, description, segment, at, length in one.records()]
        return found, one

    @settings(deadline=None)
    @given(RECORDS)
    def test_there_and_back(self, records: list[Octets]) -> None:
        """What is appended is read, in order, with the boot it was written in."""
        self.written(records)
        found, one = self.read()
        self.assertEqual((found, one.boot, one.damage, one.torn), (records, "a-boot", [], 0))
        one.close()

    @settings(deadline=None)
    @given(st.data())
    def test_cut_short(self, data: st.DataObject) -> None:
        """Wherever a crash cut it short, the records before are whole and nothing else is."""
        self.written(THREE)
        size = os.path.getsize(self.path)
        os.truncate(self.path, data.draw(st.integers(len(segments._MAGIC) + 74, size)))
        found, one = self.read()
        self.assertEqual((found, one.damage), (THREE[:len(found)], []))
        self.assertLess(len(found), 4)
        one.close()

    @settings(deadline=None)
    @given(st.data())
    def test_damaged(self, data: st.DataObject) -> None:
        """Whichever octet of a record is another one, that record is told as damage and no other is lost."""
        self.written(THREE)
        begin = len(segments._MAGIC) + 74
        lengths = [17 + len(description) + len(octets) for _, description, octets in THREE]
        at = data.draw(st.integers(begin, begin + sum(lengths[:2]) - 1))
        with open(self.path, "r+b") as file:
            file.seek(at)
            octet = file.read(1)[0]
            file.seek(at)
            file.write(bytes((octet ^ data.draw(st.integers(1, 255)),)))
        hit = 0 if at < begin + lengths[0] else 1
        found, one = self.read()
        self.assertEqual(found, THREE[:hit] + THREE[hit + 1:])
        self.assertEqual(one.damage, [Hole(begin + sum(lengths[:hit]), lengths[hit])])
        one.close()

    def test_beginning_damaged(self) -> None:
        """Without its beginning a segment is read all the same: the first record tells the salt."""
        self.written(THREE)
        with open(self.path, "r+b") as file:
            file.write(bytes(40))
        found, one = self.read()
        self.assertEqual((found, one.boot), (THREE, ""))
        self.assertEqual(one.damage[0].at, 0)

    def test_nothing_in_it(self) -> None:
        """An empty file, and one of zeros, was never used; other octets are damage."""
        for octets, used in ((b"", False), (bytes(500), False), (b"x" * 500, True)):
            with open(self.path, "wb") as file:
                file.write(octets)
            one = Segment.open(self.path)
            self.assertEqual(one is not None, used)
            if one is not None:
                self.assertEqual((list(one.records()), one.damage), ([], [Hole(0, 500)]))
                one.close()

    def test_message_like_a_record(self) -> None:
        """A message that has a record of another segment in it is not read as one."""
        other = Segment.create(f"{self.folder}/other", "")
        trap = b"".join(other._pieces([(DELIVERY, b"trap", b"trap")]))
        other.close()
        self.written([(DELIVERY, b"first", trap), (SETTLED, b"second", b"")])
        with open(self.path, "r+b") as file:
            file.seek(len(segments._MAGIC) + 74)
            file.write(b"\xff")
        self.assertEqual(self.read()[0], [(SETTLED, b"second", b"")])

    def test_used_again(self) -> None:
        """A filled segment that is used again has none of its former records."""
        first = Segment.filled_to(self.path, "", 4096, f"{self.folder}/x.spare", False)
        first.append(THREE)
        self.assertEqual(first.filled, 4096)
        first.leave(f"{self.folder}/x.spare")
        again = Segment.filled_to(self.path, "b", 4096, f"{self.folder}/x.spare", True)
        self.assertEqual(os.listdir(self.folder), ["0000000001.journal"])
        again.append(THREE[:1])
        again.close()
        self.assertEqual((self.read()[0], os.path.getsize(self.path)), (THREE[:1], 4096))

    def test_left_unused(self) -> None:
        """What was left to be used again is no segment; what was kept is."""
        self.written(THREE)
        for unused in (False, True):
            one = Segment.open(self.path)
            assert one is not None
            one.leave(self.path, unused)
        self.assertIsNone(Segment.open(self.path))

    def test_disk_full(self) -> None:
        """What cannot be appended leaves the file as it was, and it can be appended to."""
        one = Segment.create(self.path, "")
        one.append(THREE[:1])
        real = os.pwritev

        def pwritev(fd: int, pieces: list[bytes], at: int) -> int:
            real(fd, [b"".join(pieces)[:5]], at)
            raise OSError(28, "full")
        trouble = self.patch(os, "pwritev", pwritev)
        self.assertRaises(OSError, one.append, THREE[1:])
        trouble.restore()
        self.assertFalse(one.failed)
        one.append(THREE[2:])
        one.close()
        self.assertEqual(self.read()[0], [THREE[0], THREE[2]])

    def test_pieces(self) -> None:
        """More records than one call takes, and calls that write less than was asked."""
        many: list[Octets] = [(SETTLED, b"%d" % number, b"x") for number in range(700)]
        real = os.pwritev
        self.patch(os, "pwritev", lambda fd, pieces, at: real(fd, [b"".join(pieces)[:1000]], at))
        self.written(many)
        self.assertEqual(self.read()[0], many)

    @given(st.integers(0, 2**32 - 1), st.binary(max_size=40))
    def test_salt(self, salt: int, octets: bytes) -> None:
        """From a checksum and its octets is known from what it was begun."""
        self.assertEqual(start_of(octets, segments.crc32(octets, salt)), salt)

    def test_boot(self) -> None:
        """A boot has one id; where the system has none it is not known."""
        self.assertEqual(boot_id(), boot_id())
        self.patch(segments, "_BOOT_ID", "/nowhere")
        self.assertEqual(boot_id(), "")
