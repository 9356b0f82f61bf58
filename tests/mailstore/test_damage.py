"""A journal that is damaged: what can be read of it is, what cannot is told and kept."""

from __future__ import annotations

import os
from pathlib import Path
from struct import pack
from zlib import crc32

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.mailstore.inspection import Inspection
from simmail.mailstore.journal.records import DELIVERY, SETTLED, decode_described, describe, record
from simmail.mailstore.journal.segment import Hole, Segment
from tests.contracts.mailstores import DiskProvider, a_delivery, result_of

MARIA = "maria@acme.test"


class SegmentTests(SynchronousTestCase):
    """One file."""

    def setUp(self) -> None:
        os.makedirs(self.mktemp())
        self.path = f"{self.mktemp()}.journal"

    def written(self, count: int, octets: bytes = b"") -> list[int]:
        """A segment with so many deliveries; where each begins, and where they end."""
        Path(self.path).unlink(missing_ok=True)
        segment = Segment.create(self.path, "boot")
        begins = [segment.size]
        for number in range(count):
            delivery = a_delivery(number, MARIA, octets=octets)
            segment.append([(DELIVERY, describe(delivery), delivery.octets)])
            begins.append(segment.size)
        segment.close()
        return begins

    def read(self) -> tuple[list[str], Segment]:
        segment = Segment.open(self.path, write=False)
        assert segment is not None
        self.addCleanup(segment.close)
        return [decode_described(one.description).id for one in segment.records()], segment

    def spoil(self, at: int, octets: bytes) -> None:
        with open(self.path, "r+b") as file:
            file.seek(at)
            file.write(octets)

    @settings(deadline=None, max_examples=80)
    @given(st.integers(0, 8), st.data())
    def test_spoilt(self, number: int, data: st.DataObject) -> None:
        """Whatever becomes of the octets of one record but the last, all others are read, and where it was is told."""
        begins = self.written(10)
        begin, end = begins[number:number + 2]
        at = data.draw(st.integers(begin, end - 1))
        before = Path(self.path).read_bytes()
        rubbish = data.draw(st.binary(min_size=1, max_size=end - at))
        self.spoil(at, rubbish)
        found, segment = self.read()
        if Path(self.path).read_bytes() == before:
            self.assertEqual((len(found), segment.damage), (10, []))
        else:
            self.assertEqual(found, [f"d-{one}" for one in range(10) if one != number])
            self.assertEqual(segment.damage, [Hole(begin, end - begin)])
        self.assertEqual(segment.size, begins[-1])

    def test_several(self) -> None:
        """Damage in several places, over a large record."""
        begins = self.written(6, b"x" * 3_000_000)
        self.spoil(begins[1] + 5, b"?")
        self.spoil(begins[3] + 100, bytes(5000))
        self.spoil(begins[4] + 2_000_000, b"?")
        found, segment = self.read()
        self.assertEqual(found, ["d-0", "d-2", "d-5"])
        self.assertEqual(segment.damage, [
            Hole(begins[1], begins[2] - begins[1]), Hole(begins[3], begins[5] - begins[3])])

    def test_beginning(self) -> None:
        """Without its header everything is read all the same; without the first record too, it is kept and told."""
        begins = self.written(3)
        for rubbish in (bytes(begins[0]), b"x" * begins[0], b"simmail journal 3\n"[:9] + b"?" * 50):
            self.spoil(0, rubbish)
            found, segment = self.read()
            self.assertEqual((found, segment.damage), (["d-0", "d-1", "d-2"], [Hole(0, begins[0])]))
        self.spoil(0, b"?" * (begins[0] + 3))
        found, segment = self.read()
        self.assertEqual((found, segment.damage), ([], [Hole(0, begins[-1])]))

    def test_end(self) -> None:
        """What a crash left at the end is no damage."""
        begins = self.written(3)
        octets = Path(self.path).read_bytes()
        for cut in (1, 30, begins[3] - begins[2] - 2):
            Path(self.path).write_bytes(octets[:-cut])
            found, segment = self.read()
            self.assertEqual((found, segment.damage), (["d-0", "d-1"], []))
        Path(self.path).write_bytes(octets[:-5] + bytes(5000))
        found, segment = self.read()
        self.assertEqual((found, segment.damage), (["d-0", "d-1"], []))
        self.assertGreater(segment.torn, 5000)

    def test_nothing_in_a_message_is_a_record(self) -> None:
        """What looks like records, in a message or left by an earlier use, is none, and takes no time."""
        kind, description, _ = record(SETTLED, [("main", "d-1")])
        told = pack("<cII", kind, len(description), 0)
        fake = pack("<II", crc32(description, crc32(told)), crc32(told)) + told + description
        greedy = b"D" + pack("<II", 16, 1_000_000)
        begins = self.written(3, (fake + greedy) * 60_000)
        self.spoil(begins[1], b"?" * 40)
        found, segment = self.read()
        self.assertEqual((found, len(segment.damage)), (["d-0", "d-2"], 1))

    def test_former(self) -> None:
        """A journal from before heads had checksums is read."""
        self.written(1)
        header = Path(self.path).read_bytes()[:92].replace(b"journal 3", b"journal 2")
        salt = int(header[-9:-1], 16)
        records = b""
        for number in range(2):
            delivery = a_delivery(number, MARIA)
            description = describe(delivery)
            told = pack("<cII", DELIVERY, len(description), len(delivery.octets)) + description
            records += pack("<I", crc32(delivery.octets, crc32(told, salt))) + told + delivery.octets
        Path(self.path).write_bytes(header + records + b"rest")
        found, segment = self.read()
        self.assertEqual((found, segment.boot, segment.damage), (["d-0", "d-1"], "boot", []))


class JournalTests(SynchronousTestCase):
    """A store with a damaged journal."""

    def setUp(self) -> None:
        self.path = self.mktemp()
        self.provider = DiskProvider(self.path)
        for number in range(5):
            result_of(self.provider.store.accept(a_delivery(number, MARIA)))

    def spoil(self) -> None:
        """Damage the delivery in the middle."""
        (path,) = Path(self.path, "journal").glob("*.journal")
        octets = path.read_bytes()
        at = octets.index(b"mail 2")
        path.write_bytes(octets[:at] + b"?" + octets[at + 1:])

    def test_told_and_kept(self) -> None:
        """What is behind the damage is replayed; it is told as long as the file is there, which is kept."""
        self.provider.die()
        self.spoil()
        for number in (0, 4):
            next(Path(self.path).rglob(f"{MARIA}/new/d-{number},*")).write_bytes(b"")
        store = self.provider.start()
        self.assertEqual(result_of(store.uncommitted()), ["d-0", "d-1", "d-3", "d-4"])
        (told,) = self.provider.journal.condition.damage
        self.assertRegex(told, r"^0000000001\.journal: \d+ octets at \d+ cannot be read$")
        self.assertEqual(self.provider.journal.condition.doubt, "")
        store.committed([f"d-{number}" for number in range(5)])
        self.provider.stop()
        self.assertEqual(sorted(os.listdir(f"{self.path}/journal")), ["0000000001.damaged", "lock"])
        self.assertEqual([f"{one.where}: {one.trouble}" for one in Inspection(Path(self.path)).findings()],
                         [f"journal/{told}".replace(".journal", ".damaged")])
        self.provider.start()
        (told,) = self.provider.journal.condition.damage
        self.assertIn("0000000001.damaged was kept", told)
        self.provider.stop()
        Path(self.path, "journal", "0000000001.damaged").unlink()
        self.provider.start()
        self.assertEqual(self.provider.journal.condition.damage, ())
        self.provider.stop()

    def test_not_replayed_if_unreadable(self) -> None:
        """That a delivery was filed cannot be read: it is there once, and whole."""
        self.provider.clock.advance(2)
        (path,) = Path(self.path, "journal").glob("*.journal")
        octets = path.read_bytes()
        self.provider.die()
        path.write_bytes(octets.replace(b"\x93\xa4main\xa3d-4", b"?" * 9))
        (mail,) = Path(self.path).rglob(f"{MARIA}/new/d-4,*")
        mail.write_bytes(b"")
        store = self.provider.start()
        result_of(store.uncommitted())
        result_of(store.replay(set()))
        folder = result_of(store.folder(MARIA, "INBOX"))
        self.assertEqual(list(folder.uids), [1, 2, 3, 4, 5])
        self.assertIn(b"mail 4", result_of(folder.read(5)))
        self.provider.stop()


class InspectionTests(SynchronousTestCase):
    """Looking for damage."""

    def setUp(self) -> None:
        self.path = self.mktemp()
        self.provider = DiskProvider(self.path)
        for number in range(6):
            result_of(self.provider.store.accept(a_delivery(number, MARIA, (MARIA, "Sent", ("\\Seen",)))))
        self.inbox = Path(self.path, "mail", "main", MARIA)
        self.addCleanup(self.provider.stop)

    def findings(self) -> list[str]:
        return sorted(f"{one.where}: {one.trouble}" for one in Inspection(Path(self.path)).findings())

    def mail(self, number: int) -> Path:
        (path,) = self.inbox.glob(f"new/d-{number},*")
        return path

    def test_nothing(self) -> None:
        """All is well, with the service running; everything was looked at, and nothing changed."""
        before = {str(path): path.stat().st_mtime_ns for path in Path(self.path).rglob("*")}
        inspection = Inspection(Path(self.path))
        self.assertEqual(list(inspection.findings()), [])
        self.assertEqual((inspection.segments, inspection.folders, inspection.messages), (1, 2, 12))
        self.assertEqual({str(path): path.stat().st_mtime_ns for path in Path(self.path).rglob("*")}, before)

    def test_files(self) -> None:
        """Empty, short, long, unreadable, no file, two with one UID."""
        for number, octets in ((0, b""), (1, b"short"), (2, b"x" * 100)):
            # Another file: those in Sent are links to the same.
            path = self.mail(number)
            path.unlink()
            path.write_bytes(octets)
        path = self.mail(3)
        path.unlink()
        os.mkfifo(path)
        path = self.mail(4)
        (self.inbox / "new" / path.name.replace("d-4", "d-44")).write_bytes(path.read_bytes())
        path = self.mail(5)
        path.unlink()
        path.symlink_to("nowhere")
        base = f"mail/main/{MARIA}"
        found = self.findings()
        self.assertEqual(found, [
            f"{base}/new/d-0,U=1,S=57: is empty, and should have 57 octets",
            f"{base}/new/d-1,U=2,S=57: has 5 octets of 57",
            f"{base}/new/d-2,U=3,S=57: has 100 octets of 57",
            f"{base}/new/d-3,U=4,S=57: is no file",
            f"{base}/new/d-5,U=6,S=57: cannot be read: Too many levels of symbolic links",
            f"{base}: UID 5 is that of two messages"])

    def test_uid_files(self) -> None:
        """Gone, rubbish, behind the UIDs that were given."""
        path = self.inbox / "simmail-uids"
        octets = path.read_bytes()
        for spoilt, told in (
            (None, "there is no UID file, though messages have UIDs"),
            (b"rubbish", "the UID file cannot be understood"),
            (octets.replace(b"N0000000007", b"N0000000004"), "the next UID would be 4, but there is a message with 6"),
        ):
            path.unlink()
            if spoilt is not None:
                path.write_bytes(spoilt)
            self.assertEqual(self.findings(), [f"mail/main/{MARIA}: {told}"])
            path.write_bytes(octets)
