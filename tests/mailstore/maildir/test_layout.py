"""Directories of one universe."""

from __future__ import annotations

import errno
import os
import shutil

from simmail.core.records.delivery import SPECIAL_FOLDERS
from simmail.errors import Conflict, NotFound
from simmail.mailstore.journal import sync
from simmail.mailstore.journal.sync import NotSynced
from simmail.mailstore.maildir.layout import ABSENT, Layout, TMP
from simmail.mailstore.maildir.names import mailbox_dir
from tests.contracts.mailstores import a_delivery
from tests.mailstore.maildirs import MARIA, MaildirTestCase, TOM

LONG = "x" * 200 + "@acme.test"


class MailboxTests(MaildirTestCase):
    """Mailboxes."""

    def test_made(self) -> None:
        """A mailbox is made once, and found; of a long name too."""
        for mailbox in (MARIA, LONG):
            self.assertEqual((self.layout.make_box(mailbox), self.layout.make_box(mailbox)), (True, False))
        self.assertEqual(self.layout.boxes(), {MARIA: MARIA, LONG: mailbox_dir(LONG)})
        self.assertTrue(mailbox_dir(LONG).startswith("%-"))
        self.assertEqual(list(self.temporary()), [])

    def test_strangers(self) -> None:
        """What is no mailbox is none, and told as damage until it is gone."""
        self.layout.make_box(MARIA)
        for name in (".hidden", "No.Such", "%-0000"):
            os.mkdir(f"{self.layout.path}/{name}")
        open(f"{self.layout.path}/file", "w").close()
        self.assertEqual((list(self.layout.boxes()), list(self.layout.damage.said)), ([MARIA], ["file"]))
        os.unlink(f"{self.layout.path}/file")
        self.layout.boxes()
        self.assertEqual(list(self.layout.damage.said), [])

    def test_came_and_went(self) -> None:
        """A number says whether there are others now."""
        before = self.layout.changed()
        os.utime(self.layout.path, (1, 1))
        self.assertNotEqual(self.layout.changed(), before)
        self.assertRaises(FileNotFoundError, self.layout.box_changed, MARIA)
        self.layout.make_box(MARIA)
        self.assertGreater(self.layout.box_changed(MARIA), 0)

    def test_uidvalidity(self) -> None:
        """Each is greater than all before, whatever the clock says."""
        self.assertEqual([self.layout.next_uidvalidity() for _ in range(3)], [77, 78, 79])
        later = Layout(self.path, "other", lambda: 1000)
        self.assertEqual([later.next_uidvalidity(), self.layout.next_uidvalidity()], [1000, 1001])
        later.close()
        later.close()
        self.assertEqual((later.root, later.tmp), (-1, -1))

    def test_leftovers(self) -> None:
        """What a crash left is found: all that is gone, and what is old in the temporary directory."""
        self.layout.make_box(MARIA)
        gone = self.layout.vanish(MARIA)
        open(f"{self.layout.path}/{TMP}/half", "w").close()
        self.assertEqual(self.layout.leftovers(), [gone])
        self.layout.wall = lambda: 10.0**10
        self.assertEqual(self.layout.leftovers(), [gone, f"{TMP}/half"])


class FolderTests(MaildirTestCase):
    """Folders of a mailbox."""

    def setUp(self) -> None:
        super().setUp()
        self.layout.make_box(MARIA)

    def made(self) -> list[str]:
        return sorted(name for name, one in self.layout.folders(MARIA).items() if one.directory is not None)

    def test_from_the_start(self) -> None:
        """Standard folders are shown before they are made, under an identity that stays."""
        self.assertEqual(set(self.layout.folders(MARIA)), {name for name, _ in SPECIAL_FOLDERS})
        self.assertEqual(self.made(), ["INBOX"])
        self.assertIsNone(self.layout.directory(MARIA, "Sent"))
        before = self.layout.identity(MARIA, "Sent")
        uids = self.layout.open_uids(self.layout.make_folder(MARIA, "Sent"))
        self.assertEqual((uids.uidvalidity, uids.objectid, uids.special_use), (*before, "\\Sent"))
        uids.close()

    def test_read_only(self) -> None:
        """On a disk that is read-only folders are listed and read."""
        directory, shown = self.layout.make_folder(MARIA, "Sent"), self.layout.folders(MARIA)
        identity, real = self.layout.identity(MARIA, "Junk"), os.open

        def open_to_read(path: str, flags: int, *arguments: int, **more: int) -> int:
            if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
                raise OSError(errno.EROFS, "Read-only file system")
            return real(path, flags, *arguments, **more)

        self.patch(os, "open", open_to_read)
        self.assertEqual((self.layout.folders(MARIA), self.layout.identity(MARIA, "Junk")), (shown, identity))
        self.assertEqual(self.layout.read_uids(directory).special_use, "\\Sent")
        self.assertRaises(OSError, self.layout.open_uids, directory)

    def test_not_there(self) -> None:
        """Neither a folder nor the folders of a mailbox that is not there."""
        self.assertRaises(NotFound, self.layout.folders, TOM)
        self.assertRaises(NotFound, self.layout.directory, MARIA, "Projects")
        self.assertRaises(NotFound, self.layout.directory, TOM, "Sent")
        self.assertRaises(NotFound, self.layout.open_uids, f"{MARIA}/.Projects")

    def test_directories(self) -> None:
        """Where folders are, as Maildir++ has it."""
        self.assertEqual(self.layout.make_folder(MARIA, "A/B.C"), self.layout.directory_of(MARIA, "A/B.C"))
        self.assertEqual(self.layout.directory_of(MARIA, "INBOX"), MARIA)
        self.assertTrue(os.path.exists(f"{self.layout.path}/{self.layout.directory_of(MARIA, 'A/B.C')}/maildirfolder"))
        self.assertRaises(Conflict, self.layout.make_folder, MARIA, "A/B.C")

    def test_standard_renamed(self) -> None:
        """In the place of a standard folder that is renamed is a new one, with another UIDVALIDITY."""
        first = self.layout.open_uids(self.layout.make_folder(MARIA, "Sent"))
        first.close()
        self.assertEqual(self.layout.rename_folder(MARIA, "Sent", "Old"), [("Sent", "Old")])
        again = self.layout.open_uids(self.layout.directory(MARIA, "Sent") or "")
        again.close()
        self.assertGreater(again.uidvalidity, first.uidvalidity)
        self.assertEqual((self.made(), self.layout.lines(f"{MARIA}/{ABSENT}")), (["INBOX", "Old", "Sent"], []))

    def test_rename_refused(self) -> None:
        """Below itself, or over another, nothing is renamed."""
        for name in ("A", "A/B", "C/B"):
            self.layout.make_folder(MARIA, name)
        for old, new, error in (("A", "A/X", Conflict), ("A", "C", Conflict), ("X", "Y", NotFound)):
            self.assertRaises(error, self.layout.rename_folder, MARIA, old, new)
        self.assertEqual(self.made(), ["A", "A/B", "C/B", "INBOX"])

    def test_damaged_uids(self) -> None:
        """A UID list that cannot be understood is put aside, and the folder has another UIDVALIDITY."""
        path = f"{self.layout.path}/{MARIA}/simmail-uids"
        for number in range(2):
            with open(path, "w") as file:
                file.write("nonsense")
            uids = self.layout.open_uids(MARIA)
            self.assertEqual((uids.uidvalidity, uids.uidnext), (78 + number, 1))
            uids.close()
        aside = [name for name in os.listdir(f"{self.layout.path}/{MARIA}") if ".damaged" in name]
        self.assertEqual(len(aside), 2)

    def test_part_removed(self) -> None:
        """A part that another program removed is made again; where something else is it is told."""
        shutil.rmtree(f"{self.layout.path}/{MARIA}/cur")
        self.assertIsInstance(self.layout.broken(MARIA), NotFound)
        self.assertTrue(os.path.isdir(f"{self.layout.path}/{MARIA}/cur"))
        os.rmdir(f"{self.layout.path}/{MARIA}/new")
        open(f"{self.layout.path}/{MARIA}/new", "w").close()
        self.layout.broken(MARIA)
        self.assertEqual(list(self.layout.damage.said), [MARIA])
        self.assertEqual([self.layout.harmed(a_delivery(1, one)) for one in (MARIA, TOM)], [True, False])


class SmallFileTests(MaildirTestCase):
    """Small files."""

    def test_written(self) -> None:
        """What is written is there whole; lines are told without their ends, half a line is none."""
        self.layout.write("x", b"one\ntwo\nhal")
        self.assertEqual((self.layout.read("x"), self.layout.lines("x")), (b"one\ntwo\nhal", ["one", "two"]))
        self.assertEqual((self.layout.has("x"), self.layout.has("y"), self.layout.lines("y")), (True, False, []))

    def test_refused(self) -> None:
        """What the disk did not take leaves the former one, nothing beside it, and a doubt when it may be lost."""
        doubts: list[NotSynced] = []
        self.layout.doubted = doubts.append
        self.layout.write("x", b"one")
        trouble = self.patch(sync.os, "fsync", lambda fd: self.refuse())
        self.assertRaises(NotSynced, self.layout.write, "x", b"two")
        trouble.restore()
        self.assertEqual((self.layout.read("x"), list(self.temporary()), len(doubts)), (b"one", [], 1))

    def refuse(self) -> None:
        raise OSError(errno.EIO, "broken")

    def test_no_file(self) -> None:
        """A directory or a pipe is no file, and nobody waits for it."""
        os.mkfifo(f"{self.layout.path}/pipe")
        for name in ("pipe", TMP, "none"):
            self.assertRaises(FileNotFoundError, self.layout.read, name)
        self.layout.rewrite("none")
        self.assertFalse(self.layout.has("none"))
