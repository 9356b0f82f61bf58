"""Looking for damage in a state folder changes nothing and stumbles over nothing."""

from __future__ import annotations

import os
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from simmail.mailstore.inspection import Inspection
from tests.contracts.mailstores import DiskProvider, a_delivery, result_of

MARIA = "maria@acme.test"


class OddStateTests(SynchronousTestCase):
    """State folders as people leave them."""

    def setUp(self) -> None:
        self.path = Path(self.mktemp())
        self.provider = DiskProvider(str(self.path))
        for number in range(3):
            result_of(self.provider.store.accept(a_delivery(number, MARIA, (MARIA, "Sent", ("\\Seen",)))))
        self.box = self.path / "mail" / "main" / MARIA
        self.addCleanup(self.provider.stop)

    def look(self) -> tuple[list[str], tuple[int, int, int]]:
        inspection = Inspection(self.path)
        found = sorted(f"{one.where}: {one.trouble}" for one in inspection.findings())
        return found, (inspection.segments, inspection.folders, inspection.messages)

    def test_nothing_there(self) -> None:
        """An empty folder, or none, has nothing wrong with it."""
        inspection = Inspection(Path(self.mktemp()))
        self.assertEqual((list(inspection.findings()), inspection.folders), ([], 0))

    def test_counted(self) -> None:
        """It says how much it has looked at, and leaves all as it is."""
        before = {str(path): path.stat().st_mtime_ns for path in self.path.rglob("*")}
        self.assertEqual(self.look(), ([], (1, 2, 6)))
        self.assertEqual({str(path): path.stat().st_mtime_ns for path in self.path.rglob("*")}, before)

    def test_workers(self) -> None:
        """The journals of several processes are all looked at."""
        (segment,) = (self.path / "journal").glob("*.journal")
        other = self.path / "journal-1" / segment.name
        other.parent.mkdir()
        octets = bytearray(segment.read_bytes())
        octets[octets.index(b"d-1")] ^= 1
        other.write_bytes(octets)
        found, counted = self.look()
        self.assertEqual(counted, (2, 2, 6))
        self.assertEqual([one.partition(":")[0] for one in found], [f"journal-1/{segment.name}"])

    def test_strange_neighbours(self) -> None:
        """Files and folders that are none of ours are passed by, and a file in the place of the mail is told."""
        (self.path / "mail" / "note.txt").write_text("x")
        (self.path / "mail" / ".hidden").mkdir()
        (self.box / ".Odd").mkdir()
        (self.box / "new" / "no-mail-of-ours").write_text("x")
        (self.path / "journal" / "0000000009.journal.txt").write_text("x")
        self.assertEqual(self.look()[0], [])
        (self.path / "mail" / "main" / "plain").write_text("x")
        self.assertEqual(self.look()[0], ["mail/main/plain: cannot be read: Not a directory"])

    def test_twice(self) -> None:
        """A UID that two messages have is told, and one that is beyond the next."""
        (one,) = self.box.glob("new/d-0,*")
        os.link(one, one.with_name(one.name.replace("d-0,U=1", "other,U=2")))
        self.assertEqual(self.look()[0], [f"mail/main/{MARIA}: UID 2 is that of two messages"])
        one.rename(one.with_name(one.name.replace("U=1", "U=40")))
        self.assertIn(f"mail/main/{MARIA}: the next UID would be 4, but there is a message with 40", self.look()[0])

    def test_no_file(self) -> None:
        """What is no file, empty or short is told by its name; what went meanwhile is not."""
        first, second, third = sorted(self.box.glob("new/*"))
        first.unlink()
        first.mkdir()
        os.truncate(second, 0)
        os.truncate(third, 5)
        where = f"mail/main/{MARIA}/new"
        size = second.name.rpartition("S=")[2]
        # A copy in another folder is the same file.
        self.assertEqual([one for one in self.look()[0] if one.startswith(where)], [
            f"{where}/{first.name}: is no file", f"{where}/{second.name}: is empty, and should have {size} octets",
            f"{where}/{third.name}: has 5 octets of {third.name.rpartition('S=')[2]}"])
