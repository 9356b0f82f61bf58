"""Folders as the writer knows them."""

from __future__ import annotations

import os
import shutil

from hypothesis import given
from hypothesis import strategies as st

from simmail.errors import NotFound
from simmail.mailstore.delivery import folders
from simmail.mailstore.delivery.folders import LockedFolder, OpenFolder, raise_uidnexts
from simmail.mailstore.delivery.mailboxes import RenewUidvalidity
from simmail.mailstore.maildir import flaglog
from simmail.mailstore.maildir.filename import SEEN
from simmail.mailstore.maildir.uidlist import UidList
from tests.contracts.mailstores import a_delivery
from tests.mailstore.maildirs import AT, MARIA, MaildirTestCase, TOM


class KeyTests(MaildirTestCase):
    """Which messages are known to be there."""

    @given(st.lists(st.tuples(st.booleans(), st.integers(0, 30).map(str)), max_size=60))
    def test_expected(self, steps: list[tuple[bool, str]]) -> None:
        """A key is fresh once, whether it was expected or came another way, also when many are sorted in."""
        self.patch(folders, "_UNSORTED", 4)
        folder, there = OpenFolder(MARIA, "INBOX", "x", UidList(-1, "x")), set[str]()
        self.patch(folders.filename, "keys", lambda root, directory: folders.array("q"))
        folder.learn(-1)
        for remember, key in steps:
            if remember:
                folder.remember([key])
            else:
                self.assertEqual(folder.expect(key), key in there, key)
            there.add(key)

    def test_not_learned(self) -> None:
        """Before it was looked nothing is remembered, for it is looked later."""
        folder = OpenFolder(MARIA, "INBOX", "x", UidList(-1, "x"))
        folder.remember(["a"])
        self.assertEqual((folder.sorted, folder.unsorted), (None, set()))

    def test_shared(self) -> None:
        """Deliveries of one run take UIDs and MODSEQs one behind the other."""
        locked = LockedFolder(OpenFolder(MARIA, "INBOX", "x", UidList(-1, "x")), 7, 20)
        self.assertEqual([locked.take(), locked.take()], [(7, 20), (8, 21)])


class FolderTests(MaildirTestCase):
    """Open folders of one universe."""

    def setUp(self) -> None:
        super().setUp()
        self.deliver(1)

    def test_created(self) -> None:
        """What is missing is made where that is wanted."""
        self.assertRaises(NotFound, self.folders.open, TOM, "Projects", False)
        self.assertEqual(self.folders.open(TOM, "Projects", True).uids.uidnext, 1)
        self.assertIs(self.folders.open(TOM, "Projects", False), self.folders.open(TOM, "Projects", True))

    def test_few_open(self) -> None:
        """Of many folders a few are open at a time; the others are opened again, and know what they knew."""
        self.patch(folders, "MOST_OPEN", 2)
        inbox = self.folder()
        for name in ("A", "B", "C"):
            self.folders.open(MARIA, name, True)
        self.assertEqual(inbox.uids.fd, -1)
        self.assertIs(self.folder(), inbox)
        self.assertGreaterEqual(inbox.uids.fd, 0)
        self.assertEqual(self.maildirs.file(a_delivery(2, MARIA)).copies[0].uid, 2)

    def test_removed(self) -> None:
        """A folder that another program removed and made again has a greater UIDVALIDITY."""
        directory = f"{self.layout.path}/{self.folder().directory}"
        shutil.rmtree(directory)
        again = self.maildirs.file(a_delivery(1, MARIA)).copies[0]
        self.assertEqual((again.uid, again.uidvalidity > 77), (1, True))
        self.assertEqual(self.keys(), ["d-1"])

    def test_renewed(self) -> None:
        """A folder that is not the one that clients know gets a greater UIDVALIDITY; the same one does not."""
        uids = self.folder().uids
        RenewUidvalidity(AT, MARIA, "INBOX", uids.uidvalidity, uids.uidnext, uids.inode).do(self.folders)
        self.assertEqual(self.folder().uids.uidvalidity, 77)
        RenewUidvalidity(AT, MARIA, "INBOX", 500, 1, 0).do(self.folders)
        renewed = self.folder().uids
        self.assertEqual((renewed.uidvalidity, renewed.uidnext), (78, 2))
        # Nothing is there to be renewed.
        RenewUidvalidity(AT, TOM, "INBOX", 5, 5, 0).do(self.folders)
        self.assertRaises(NotFound, self.folder, TOM)

    def test_forgotten(self) -> None:
        """A folder that is called something else is looked up again; those of other mailboxes stay."""
        self.deliver(2, to=TOM)
        tom, maria = self.folder(TOM), self.folder()
        self.folders.forget(MARIA)
        self.assertEqual((self.folder(TOM) is tom, self.folder() is maria, maria.uids.fd), (True, False, -1))

    def test_rewritten(self) -> None:
        """All small files that are known are written again as they are; a folder that is gone is left out."""
        flaglog.append(self.layout.root, self.folder().directory, flaglog.line(3, SEEN, [1]))
        self.deliver(2, to=(MARIA, "Archive"))
        self.deliver(3, to=TOM)
        shutil.rmtree(f"{self.layout.path}/{self.folder(TOM).directory}")
        files = [f"{self.layout.path}/{self.folder().directory}/{name}" for name in ("simmail-uids", flaglog.FILE)]
        before = []
        for path in files:
            os.utime(path, (1, 1))
            with open(path, "rb") as file:
                before.append(file.read())
        self.folders.rewrite_uids()
        for path, octets in zip(files, before):
            with open(path, "rb") as file:
                self.assertEqual((file.read(), os.stat(path).st_mtime > 1), (octets, True))

    def test_reboot(self) -> None:
        """After the machine went down no UID is given that may have been told: of messages that are there neither."""
        self.put("cur/d-7,U=500,S=1:2,")
        self.deliver(2, to=(MARIA, "Archive"))
        self.deliver(3, to=TOM)
        raise_uidnexts(self.layout, 1000)
        self.assertEqual([self.maildirs.file(a_delivery(9, where)).copies[0].uid for where in (
            MARIA, (MARIA, "Archive"), TOM)], [1501, 1002, 1002])
