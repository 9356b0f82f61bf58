"""A folder that changes: one change at a time, and what others do to its files is noticed."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from simmail.errors import NotFound
from simmail.mailstore.maildir.filename import Row
from tests.contracts.mailstores import a_mail, result_of
from tests.mailstore.folders import MARIA, FolderCase


class ChangesTests(FolderCase):
    """C{ChangingFolder}."""

    def file(self, uid: int) -> Path:
        return Path(self.path, "mail", "main", MARIA, self.folder.paths([uid])[0])

    def test_noticed(self) -> None:
        """Files that another program removed, renamed and put in; a second look finds nothing."""
        self.fill(3, "\\Flagged")
        self.kinds()
        modseq = self.folder.highestmodseq
        os.unlink(self.file(1))
        path = self.file(2)
        path.rename(str(path).replace(":2,F", ":2,"))
        (path.parent / "1772355600.M1P1.host:2,S").write_bytes(a_mail("foreign"))
        result_of(self.folder.poll())
        self.assertEqual(self.kinds(), [("expunged", (1,)), ("flags", (2,)), ("added", (4,))])
        self.assertEqual([set(one.flags) for one in self.folder.entries([2, 3, 4])], [set(), {"\\Flagged"}, {"\\Seen"}])
        self.assertEqual((self.folder.changed(modseq), result_of(self.folder.vanished(modseq))), ([2, 4], [1]))
        result_of(self.folder.poll())
        self.assertEqual(self.kinds(), [])

    def test_ours_are_kept(self) -> None:
        """Flags that were changed here, and are not in the name yet, stay when another program renames the file."""
        self.fill(1, "\\Flagged")
        result_of(self.folder.flag([1], ["\\Answered"], "+"))
        path = self.file(1)
        path.rename(str(path).replace(":2,F", ":2,FS"))
        result_of(self.folder.poll())
        self.assertEqual(self.folder.entry(1).flags, {"\\Flagged", "\\Answered", "\\Seen"})
        self.provider.clock.advance(2)
        self.assertTrue(self.files()[0].endswith(":2,FRS"))

    def test_gone(self) -> None:
        """A folder that somebody removed is gone for who holds it, and made anew with another UIDVALIDITY."""
        result_of(self.store.create_folder(MARIA, "Work"))
        work, told = self.loaded("Work"), list[str]()
        work.listen(lambda change: told.append(change.kind))
        shutil.rmtree(Path(self.path, "mail", "main", MARIA, ".Work"))
        self.assertRaises(NotFound, result_of, work.poll())
        self.assertEqual((told, work.gone), (["reset"], True))
        self.assertRaises(NotFound, result_of, work.expunge([1]))
        result_of(self.store.create_folder(MARIA, "Work"))
        self.assertGreater(self.loaded("Work").uidvalidity, work.uidvalidity)

    def test_early(self) -> None:
        """A message whose predecessor is not known yet waits until that is found out."""
        self.fill(1)
        self.kinds()
        held = self.folder.lock.acquire()
        self.folder.added([Row(3, 0, 1, 0, self.folder.highestmodseq + 2, False, "d-x")], self.folder.table.places)
        self.assertEqual(self.kinds(), [])
        # Whoever was told of it, and flags it by its UID, must not be told that there is none.
        visible = self.store.when_visible()
        self.assertNoResult(visible)
        self.successResultOf(held)
        self.folder.lock.release()
        self.provider.clock.advance(0)
        self.assertEqual(self.kinds(), [("added", (3,))])
        self.successResultOf(visible)
        self.assertIsNone(self.store.when_visible())
        self.folder.added([Row(3, 0, 1, 0, 9, False, "d-x")], self.folder.table.places)
        self.assertEqual(self.kinds(), [])

    def test_one_at_a_time(self) -> None:
        """A change waits for the one before; what is asked meanwhile is the state as it was told."""
        self.fill(2)
        self.kinds()
        held = self.folder.lock.acquire()
        self.assertTrue(self.folder.busy)
        expunged = self.folder.expunge([1])
        self.assertNoResult(expunged)
        self.assertEqual(list(self.folder.uids), [1, 2])
        result_of(held)
        self.folder.lock.release()
        self.provider.clock.advance(0)
        self.assertEqual(self.successResultOf(expunged), [1])
        self.assertFalse(self.folder.busy)
