"""Tests for C{simmail.mailstore.mending}: each thing is broken by hand, found, mended, and then all is well."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from simmail.mailstore.inspection import Inspection
from tests.contracts.mailstores import a_delivery, DiskProvider, result_of

MARIA = "maria@acme.test"


class MendingTests(SynchronousTestCase):
    """A universe with six messages, closed."""

    def setUp(self) -> None:
        self.path = Path(self.mktemp()).absolute()
        self.provider = DiskProvider(str(self.path))
        for number in range(6):
            result_of(self.provider.store.accept(a_delivery(number, MARIA), None))
        result_of(result_of(self.provider.store.folder(MARIA, "INBOX")).digests([1, 2, 3]))
        self.provider.stop()
        self.box = self.path / "mail" / "main" / MARIA

    def file(self, number: int) -> Path:
        """The file of a message."""
        (path,) = self.box.glob(f"*/d-{number},*")
        return path

    def mended(self, breaking: Callable[[], object]) -> list[str]:
        """Break something, mend all that is found; what was found, and the UIDs there are then."""
        breaking()
        found = list(Inspection(self.path, "main", self.provider.clock.seconds).findings())
        for one in found:
            self.assertIsNotNone(one.mend, one)
            assert one.mend is not None
            one.mend()
        self.assertEqual(list(map(str, Inspection(self.path).findings())), [])
        return [f"{one.trouble}; {one.remedy}" for one in found]

    def uids(self) -> list[int]:
        """The UIDs in the INBOX, after another start."""
        store = self.provider.start()
        self.addCleanup(self.provider.stop)
        folder = result_of(store.folder(MARIA, "INBOX"))
        self.provider.clock.advance(5)
        result_of(folder.poll())
        return list(folder.uids)

    def test_sizes(self) -> None:
        """What is left of a message gets another UID, what is empty or no file lies aside."""
        def breaking() -> None:
            self.file(0).write_bytes(b"Subject: cut\r\n\r\n")
            self.file(1).write_bytes(b"")
            path = self.file(2)
            path.unlink()
            path.mkdir()
        self.assertEqual(sorted(self.mended(breaking)), [
            "has 16 octets of 57; what there is gets another UID",
            "is empty, and should have 57 octets; it is moved to .damaged of the universe",
            "is no file; it is moved to .damaged of the universe"])
        self.assertEqual(len(os.listdir(self.path / "mail" / "main" / ".damaged")), 2)
        self.assertEqual(self.uids(), [4, 5, 6, 7])

    def test_one_uid_twice(self) -> None:
        """One of both keeps it, the other gets a new one."""
        one, other = self.file(3), self.file(4)
        self.assertEqual(self.mended(lambda: other.rename(other.with_name(other.name.replace("U=5", "U=4")))),
                         ["UID 4 is that of two messages; one of them gets another UID"])
        self.assertEqual(self.uids(), [1, 2, 3, 4, 6, 7])
        self.assertTrue(one.exists() != other.exists() or one.exists())

    def test_uid_files(self) -> None:
        """Missing, damaged, behind what was given."""
        path = self.box / "simmail-uids"
        good = path.read_bytes()
        for octets, text in (
            (None, "there is no UID file, though messages have UIDs; the folder gets another one, with another "
                   "UIDVALIDITY"),
            (b"odd", "the UID file cannot be understood; the folder gets another one, with another UIDVALIDITY"),
            (good.replace(b" N0000000007", b" N0000000003"),
             "the next UID would be 3, but there is a message with 6; the next UID is a greater one"),
        ):
            self.assertEqual(self.mended(path.unlink if octets is None else lambda: path.write_bytes(octets)), [text])
            self.assertIn(b" N0000000007 ", path.read_bytes())
        self.assertEqual(path.read_bytes(), good)

    def test_index(self) -> None:
        """A damaged one goes, and is made anew."""
        (path,) = (self.path / "index").glob("*.sqlite")
        octets = bytearray(path.read_bytes())
        octets[5000:] = os.urandom(len(octets) - 5000)
        (found,) = self.mended(lambda: path.write_bytes(octets))
        self.assertRegex(found, "^the index is damaged: .*; it is made anew from the mail$")
        self.assertFalse(path.exists())
        self.assertEqual(self.uids(), [1, 2, 3, 4, 5, 6])

    def test_segments(self) -> None:
        """A damaged segment that was kept, though nobody needs it, is removed."""
        store = self.provider.start()
        # The last record is no damage: that may be what a crash cut short.
        for number in (7, 8):
            result_of(store.accept(a_delivery(number, MARIA)))
        segment = next(one for one in (self.path / "journal").glob("*.journal") if b"mail 7" in one.read_bytes())
        octets = bytearray(segment.read_bytes())
        at = octets.index(b"mail 7")
        octets[at:at + 4] = b"male"
        self.provider.stop()
        kept = segment.with_suffix(".damaged")
        found = self.mended(lambda: kept.write_bytes(octets))
        self.assertTrue(found and all(one.endswith("; it is removed") for one in found), found)

    def test_shared(self) -> None:
        """What is mended in a copy stays as it is in what it was copied from."""
        self.provider.start()
        result_of(self.provider.images.copy("main", "fork"))
        self.provider.stop()
        shared = next((self.path / "mail" / ".shared").glob(f"*/{MARIA}/*/d-0,*"))
        octets = shared.read_bytes()
        found = list(Inspection(self.path, "fork", self.provider.clock.seconds).findings())
        self.assertEqual(found, [])
        shutil.copy(shared, self.path / "other")
        shared.unlink()
        shared.write_bytes(b"x")
        (one,) = Inspection(self.path, "fork", self.provider.clock.seconds).findings()
        assert one.mend is not None
        one.mend()
        self.assertEqual((shared.read_bytes(), self.file(0).read_bytes()), (b"x", octets))
