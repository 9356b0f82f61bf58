"""Messages are copied, moved and expunged."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path

from simmail.errors import NotFound
from tests.contracts.mailstores import AT, a_mail, result_of
from tests.mailstore.folders import MARIA, FolderCase


class TransferTests(FolderCase):
    """Between two folders, and out of one."""

    def test_copied(self) -> None:
        """Copies have the flags, the date and the octets of what they are copies of."""
        self.fill(3, "\\Flagged", "Key")
        self.assertEqual(result_of(self.folder.copy([3, 1, 9], self.archive)), [(1, 1), (3, 2)])
        self.assertEqual([(one.flags, one.date) for one in self.archive.entries([1, 2])], [
            ({"\\Flagged", "Key"}, AT)] * 2)
        self.assertEqual(result_of(self.archive.read(2)), a_mail("mail 2"))
        self.assertEqual(list(self.folder.uids), [1, 2, 3])

    def test_keywords_by_name(self) -> None:
        """Keywords are the same by their names, whatever bits they have in either folder."""
        result_of(self.archive.append(a_mail("x"), ["Other", "More"], AT))
        self.fill(1, "Key", "More")
        result_of(self.folder.copy([1], self.archive))
        self.assertEqual(self.archive.entry(2).flags, {"Key", "More"})

    def test_moved(self) -> None:
        """What is moved is there and not here; that is told here with a new MODSEQ."""
        self.fill(4)
        before = self.folder.highestmodseq
        self.kinds()
        self.assertEqual(result_of(self.folder.move([2, 3], self.archive)), [(2, 1), (3, 2)])
        self.assertEqual((list(self.folder.uids), self.kinds()), ([1, 4], [("expunged", (2, 3))]))
        self.assertGreater(self.folder.highestmodseq, before)
        self.assertEqual(result_of(self.folder.vanished(before)), [2, 3])
        self.assertEqual((len(self.files()), len(self.files(".Archive"))), (2, 2))

    def test_file_gone(self) -> None:
        """What another program removed meanwhile is left out."""
        self.fill(3)
        os.unlink(Path(self.path, "mail", "main", MARIA, self.folder.paths([2])[0]))
        self.assertEqual([source for source, _ in result_of(self.folder.copy([1, 2, 3], self.archive))], [1, 3])
        self.assertEqual(list(self.folder.uids), [1, 3])

    def test_saved(self) -> None:
        """When it was put there is when it was copied, if that is said."""
        self.fill(1)
        later = AT + timedelta(days=3)
        result_of(self.folder.copy([1], self.archive, later))
        self.assertEqual(result_of(self.archive.saved([1, 2])), [later, None])
        self.assertEqual(result_of(self.folder.saved([1])), [AT])

    def test_expunged(self) -> None:
        """Those that are there are removed, and answered; the index drops them too."""
        self.fill(4)
        result_of(self.folder.digests([1, 2, 3, 4]))
        self.kinds()
        self.assertEqual(result_of(self.folder.expunge([4, 2, 7])), [2, 4])
        self.assertEqual(self.kinds(), [("expunged", (2, 4))])
        self.assertEqual(result_of(self.folder.expunge([2, 4])), [])
        index = self.store.index.tables
        number = index.folder(MARIA, "INBOX", self.folder.uidvalidity)
        self.assertEqual(index.digests.missing(number, [1, 2, 3, 4]), [2, 4])

    def test_gone(self) -> None:
        """Nothing is copied into a folder that is gone, and nothing is left of the attempt."""
        self.fill(1)
        result_of(self.store.create_folder(MARIA, "Work"))
        work = self.loaded("Work")
        result_of(self.store.delete_folder(MARIA, "Work"))
        self.assertRaises(NotFound, result_of, self.folder.copy([1], work))
        self.assertRaises(NotFound, result_of, work.expunge([1]))
        self.assertEqual(list(self.folder.uids), [1])
