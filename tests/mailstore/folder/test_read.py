"""Messages are read from their files, which others may rename meanwhile."""

from __future__ import annotations

import os
from pathlib import Path

from simmail.errors import NotFound
from tests.contracts.mailstores import a_mail, result_of
from tests.mailstore.folders import MARIA, FolderCase


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
