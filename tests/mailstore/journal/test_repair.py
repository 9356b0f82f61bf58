"""Files of messages held against the journal."""

from __future__ import annotations

import os

from twisted.logger import capturedLogs

from simmail.mailstore.journal.repair import Repair, Repaired
from simmail.mailstore.journal.retained import Retained
from simmail.mailstore.journal.segment import Segment
from simmail.mailstore.maildir.files import read_files
from tests.contracts.mailstores import a_delivery, a_mail
from tests.mailstore.journal.records import delivered, departed, filed
from tests.mailstore.maildirs import MARIA, MaildirTestCase, TOM


class RepairTests(MaildirTestCase):
    """Three messages in an INBOX, all in the journal."""

    def setUp(self) -> None:
        super().setUp()
        self.deliver(1, 2, 3)
        self.directory = f"{self.layout.path}/{self.folder().directory}"
        self.written = [delivered(a_delivery(number, MARIA)) for number in (1, 2, 3)]
        self.written += [filed(f"d-{number}", (number, 77)) for number in (1, 2, 3)]

    def compare(self) -> Repaired:
        """A new process compares."""
        self.maildirs.folders.forget(MARIA)
        segment = Segment.create(f"{self.path}/{len(os.listdir(self.path))}.journal", "")
        self.addCleanup(segment.close)
        segment.append(self.written)
        retained = Retained()
        for one in segment.records():
            retained.read(one)
        with capturedLogs():
            return Repair(self.maildirs, retained.take("main")).compare()

    def octets(self) -> list[bytes | None]:
        return read_files(self.layout, self.folder().directory, self.files())

    def test_well(self) -> None:
        """Where all is there nothing is touched."""
        before = [os.stat(f"{self.directory}/{path}").st_ino for path in self.files()]
        self.assertEqual(self.compare(), Repaired([], {}, [], False))
        self.assertEqual([os.stat(f"{self.directory}/{path}").st_ino for path in self.files()], before)

    def test_short(self) -> None:
        """What is short, or has other octets, is written anew under its name."""
        files = self.files()
        os.truncate(f"{self.directory}/{files[0]}", 5)
        with open(f"{self.directory}/{files[2]}", "r+b") as file:
            file.write(bytes(9))
        self.assertTrue(self.compare().lost)
        self.assertEqual((self.files(), self.octets()), (files, [a_mail(f"mail {number}") for number in (1, 2, 3)]))

    def test_missing(self) -> None:
        """What is missing comes back under its UID, and is told; later UIDs are past all that were given."""
        os.unlink(f"{self.directory}/{self.files()[1]}")
        found = self.compare()
        self.assertEqual([(one.row.uid, one.row.key) for one in found.added], [(2, "d-2")])
        self.assertEqual((self.keys(), self.octets()[1]), (["d-1", "d-2", "d-3"], a_mail("mail 2")))
        self.assertGreater(self.maildirs.file(a_delivery(4, MARIA)).copies[0].uid, 10_000)

    def test_uid_taken(self) -> None:
        """Under another UID when its own is another message's by now; where it is is told."""
        os.unlink(f"{self.directory}/{self.files()[1]}")
        self.put("cur/other,U=2,S=1:2,", b"x")
        found = self.compare()
        ((name, (copy,)),) = found.copies.items()
        self.assertEqual((name, copy.uid > 10_000), ("d-2", True))
        self.assertEqual(self.keys(), ["d-1", "other", "d-3", "d-2"])

    def test_expunged(self) -> None:
        """What was expunged since stays so, also where the disk has forgotten that."""
        self.written.append(departed(MARIA, "INBOX", 2, uidvalidity=77))
        self.assertTrue(self.compare().lost)
        self.assertEqual(self.keys(), ["d-1", "d-3"])
        self.assertFalse(self.compare().lost)

    def test_uids_forgotten(self) -> None:
        """A UID list that does not know of a UID that was given tells that the disk has lost something."""
        uids = self.folder().uids
        with uids.locked():
            uids.uidnext = 2
            uids._write_line()
        self.assertTrue(self.compare().lost)
        self.assertGreater(self.maildirs.file(a_delivery(4, MARIA)).copies[0].uid, 10_000)

    def test_not_filed(self) -> None:
        """Of what is not known to be filed only what is there is compared."""
        self.written = self.written[:3]
        os.unlink(f"{self.directory}/{self.files()[1]}")
        os.truncate(f"{self.directory}/{self.files()[0]}", 5)
        found = self.compare()
        self.assertEqual((found.added, found.lost, self.keys()), ([], True, ["d-1", "d-3"]))
        self.assertEqual(self.octets()[0], a_mail("mail 1"))

    def test_folder_gone(self) -> None:
        """A folder that is gone is made again for what is missing in it."""
        self.written += [delivered(a_delivery(9, TOM)), filed("d-9", (1, 5))]
        found = self.compare()
        self.assertEqual((list(found.copies), self.keys(TOM)), (["d-9"], ["d-9"]))

    def test_refused(self) -> None:
        """What the disk refuses is to be tried again; all else is made good."""
        files = self.files()
        for path in files[:2]:
            os.truncate(f"{self.directory}/{path}", 5)
        real, calls = os.rename, list[str]()

        def rename(source: str, target: str, **where: int) -> None:
            calls.append(target)
            if "d-1" in target:
                raise OSError(28, "full")
            real(source, target, **where)
        self.patch(os, "rename", rename)
        found = self.compare()
        self.assertEqual([one.described.id for one in found.failed], ["d-1"])
        self.assertEqual(self.octets()[1:], [a_mail("mail 2"), a_mail("mail 3")])
        self.assertEqual(list(self.temporary()), [])

    def test_rewritten(self) -> None:
        """While it is in doubt what is on the disk every file is another one, with the same octets."""
        before = {path: os.stat(f"{self.directory}/{path}").st_ino for path in self.files()}
        for path in before:
            # Held open, for else the system gives the number of one that is gone to the next.
            self.addCleanup(os.close, os.open(f"{self.directory}/{path}", os.O_RDONLY))
        segment = Segment.create(f"{self.path}/x.journal", "")
        self.addCleanup(segment.close)
        segment.append(self.written)
        retained = Retained()
        for one in segment.records():
            retained.read(one)
        Repair(self.maildirs, retained.take("main")).rewrite()
        after = {path: os.stat(f"{self.directory}/{path}").st_ino for path in self.files()}
        self.assertEqual((list(before), set(before.values()) & set(after.values())), (list(after), set()))
        self.assertEqual(self.octets(), [a_mail(f"mail {number}") for number in (1, 2, 3)])
