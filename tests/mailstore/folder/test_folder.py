"""A folder that is loaded: from the index and the disk, and how its messages are read."""

from __future__ import annotations

import os
import time
from pathlib import Path

from tests.contracts.mailstores import a_mail, result_of
from tests.mailstore.folders import FolderCase, MARIA

from simmail.errors import NotFound
from simmail.mailstore.folder.folder import snapshot_of
from simmail.mailstore.folder.rows import Rows
from simmail.mailstore.folder.state import Vanished


class SnapshotTests(FolderCase):
    """C{load} and C{snapshot_of}."""

    def test_there_and_back(self) -> None:
        """What is saved is what the folder was: rows, MODSEQs, what was expunged."""
        self.provider.clock.rightNow = time.time() + 10
        self.fill(5, "Key")
        result_of(self.folder.expunge([2]))
        result_of(self.folder.flag([3], ["\\Seen"], "+"))
        saved = snapshot_of(self.folder)
        self.assertEqual(saved.uidnext, 6)
        vanished, modseq = Vanished.unpacked(saved.vanished, saved.vanished_from), saved.highestmodseq - 1
        self.assertEqual([vanished.after(one) for one in (modseq - 1, modseq)], [[2], []])
        self.assertEqual(list(Rows.unpacked(saved.rows).uids), [1, 3, 4, 5])
        self.assertNotEqual(saved.times, (0, 0))
        before = self.folder.entries(self.folder.uids), self.folder.status()
        self.store = self.provider.restart()
        folder = self.loaded("INBOX")
        self.assertEqual((folder.entries(folder.uids), folder.status()), before)
        self.assertEqual(result_of(folder.vanished(0)), [2])

    def test_not_settled(self) -> None:
        """What was changed a moment ago may change once more within the same tick: its times are not kept."""
        self.fill(1)
        self.provider.clock.rightNow = time.time() - 1
        self.assertEqual(snapshot_of(self.folder).times, (0, 0))

    def test_older_in_its_place(self) -> None:
        """When somebody put an older folder in its place no UID is given twice: UIDVALIDITY rises."""
        self.provider.clock.rightNow = time.time() + 10
        self.fill(1)
        box = Path(self.path, "mail", "main", MARIA)
        self.provider.stop()
        older = (box / "simmail-uids").read_bytes()
        self.store = self.provider.start()
        self.folder = self.loaded("INBOX")
        self.fill(2)
        before = self.folder.uidvalidity
        self.provider.stop()
        (box / "simmail-uids").write_bytes(older)
        for name in sorted(os.listdir(box / "new"))[1:]:
            os.unlink(box / "new" / name)
        self.store = self.provider.start()
        self.assertGreater(self.loaded("INBOX").uidvalidity, before)

    def test_not_there(self) -> None:
        """A folder that is not there is not loaded, and not kept."""
        self.assertRaises(NotFound, result_of, self.store.folder(MARIA, "Never"))
        self.assertIsNone(self.store.cache.get((MARIA, "Never")))


class ReadTests(FolderCase):
    """C{read}, C{reads}, C{saved}."""

    def file(self, uid: int) -> Path:
        return Path(self.path, "mail", "main", MARIA, self.folder.paths([uid])[0])

    def test_those_that_are_there(self) -> None:
        """In the order they were asked for; those that are not there are left out."""
        self.fill(3)
        self.assertEqual(result_of(self.folder.reads([3, 7, 1])), [(3, a_mail("mail 2")), (1, a_mail("mail 0"))])
        self.assertEqual(result_of(self.folder.reads([])), [])
        self.assertRaises(NotFound, result_of, self.folder.read(7))

    def test_renamed(self) -> None:
        """A file that another program has renamed is found, and its flags are told."""
        self.fill(2, "\\Flagged")
        self.kinds()
        path = self.file(1)
        path.rename(str(path).replace(":2,F", ":2,FS"))
        self.assertEqual(result_of(self.folder.read(1)), a_mail("mail 0"))
        self.assertEqual((self.kinds(), self.folder.entry(1).flags), ([("flags", (1,))], {"\\Flagged", "\\Seen"}))

    def test_removed(self) -> None:
        """One that is gone is left out, and expunged."""
        self.fill(2)
        self.kinds()
        os.unlink(self.file(1))
        self.assertEqual(result_of(self.folder.reads([1, 2])), [(2, a_mail("mail 1"))])
        self.assertEqual(self.kinds(), [("expunged", (1,))])

    def test_folder_gone(self) -> None:
        """Of a folder that is gone nothing is read."""
        result_of(self.store.create_folder(MARIA, "Work"))
        work = self.loaded("Work")
        result_of(self.store.delete_folder(MARIA, "Work"))
        for ask in (work.read(1), work.reads([1]), work.saved([1])):
            self.assertRaises(NotFound, result_of, ask)
