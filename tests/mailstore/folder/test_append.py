"""Messages that a client puts into a folder."""

from __future__ import annotations

from datetime import datetime, timedelta

from simmail.errors import Invalid, NotFound
from tests.contracts.mailstores import AT, a_mail, result_of
from tests.mailstore.folders import MARIA, FolderCase


class AppendTests(FolderCase):
    """One message, some, and one in the place of another."""

    def test_one(self) -> None:
        """It has the flags and the date it was given, and is told once."""
        [uid] = self.fill(1, "\\Seen", "Key")
        entry = self.folder.entry(uid)
        self.assertEqual((entry.flags, entry.date, result_of(self.folder.read(uid))), (
            {"\\Seen", "Key"}, AT, a_mail("mail 0")))
        self.assertEqual(self.kinds(), [("added", (1,))])

    def test_all_or_none(self) -> None:
        """Of some messages all are there or none; each has its own flags and date."""
        later = AT + timedelta(days=1)
        uids = result_of(self.folder.append_all(
            [(a_mail("a"), ["\\Seen"], AT), (a_mail("b"), [], later), (a_mail("c"), ["\\Draft"], AT)]))
        self.assertEqual(uids, [1, 2, 3])
        self.assertEqual([(set(one.flags), one.date) for one in self.folder.entries(uids)], [
            ({"\\Seen"}, AT), (set(), later), ({"\\Draft"}, AT)])
        self.assertRaises(Invalid, result_of, self.folder.append_all([(a_mail("d"), [], AT), (a_mail("e"), ["("], AT)]))
        self.assertEqual(list(self.folder.uids), uids)
        self.assertEqual(result_of(self.folder.append_all([])), [])

    def test_refused(self) -> None:
        """A flag or a date that cannot be is refused, and nothing is there."""
        self.assertRaises(Invalid, result_of, self.folder.append(a_mail("x"), ["not a flag"], AT))
        self.assertRaises(Invalid, result_of, self.folder.append(a_mail("x"), [], datetime(2026, 1, 1)))
        self.assertEqual((self.files(), self.kinds()), ([], []))

    def test_replaced(self) -> None:
        """The new message is there when the old one is not any more; its flags are its own."""
        first, second = self.fill(2, "\\Seen")
        uid = result_of(self.folder.replace(first, self.archive, a_mail("new"), ["\\Draft"], AT))
        self.assertEqual((list(self.folder.uids), list(self.archive.uids)), ([second], [uid]))
        self.assertEqual(self.archive.entry(uid).flags, {"\\Draft"})
        self.assertEqual(self.kinds()[2:], [("expunged", (first,))])
        self.assertEqual(len(self.files()), 1)
        self.assertRaises(NotFound, result_of, self.folder.replace(first, self.archive, a_mail("y"), [], AT))
        self.assertEqual(list(self.archive.uids), [uid])

    def test_replaced_here(self) -> None:
        """In the same folder it has a UID of its own."""
        [first] = self.fill(1)
        self.assertEqual(result_of(self.folder.replace(first, self.folder, a_mail("new"), [], AT)), 2)
        self.assertEqual(list(self.folder.uids), [2])

    def test_gone(self) -> None:
        """Nothing is put into a folder that is gone."""
        result_of(self.store.create_folder(MARIA, "Work"))
        work = self.loaded("Work")
        result_of(self.store.delete_folder(MARIA, "Work"))
        for ask in (lambda: work.append(a_mail("x"), [], AT), lambda: work.append_all([(a_mail("x"), [], AT)]),
                    lambda: self.folder.replace(1, work, a_mail("x"), [], AT)):
            self.assertRaises(NotFound, result_of, ask())
