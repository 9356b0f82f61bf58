"""What somebody damages by hand: that message, mailbox or index is harmed and nothing else, and it is said."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.message.sort import Criterion
from simmail.errors import NotFound, Unavailable
from simmail.mailstore.damage import Damage
from tests.contracts.mailstores import DiskProvider, a_delivery, a_mail, result_of

MARIA, TOM = "maria@acme.test", "tom@acme.test"
DAMAGED = "simmail-uids of a folder was damaged; the folder has a new UIDVALIDITY"


class DamageCase(SynchronousTestCase):
    """A store with two mailboxes."""

    def setUp(self) -> None:
        self.path = self.mktemp()
        self.provider = DiskProvider(self.path)
        self.store = self.provider.store
        for number in range(3):
            result_of(self.store.accept(a_delivery(number, MARIA)))
        result_of(self.store.accept(a_delivery(3, TOM)))

    def tearDown(self) -> None:
        self.provider.stop()

    def box(self, mailbox: str) -> Path:
        """The directory of a mailbox."""
        return Path(self.path, "mail", "main", mailbox)

    def folder(self, mailbox: str = MARIA, name: str = "INBOX") -> Any:
        """A folder, loaded."""
        return result_of(self.store.folder(mailbox, name))


class Folders(DamageCase):
    """What is done to the directory of a mailbox while somebody has its INBOX open."""

    def setUp(self) -> None:
        super().setUp()
        self.lines: set[str] = set()
        self.patch(Damage, "mended", lambda damage, where, trouble: self.lines.add(trouble))

    def changed(self) -> tuple[Any, list[str], int]:
        """The INBOX as it was, what is told of it from here on, its UIDVALIDITY."""
        folder = self.folder()
        told: list[str] = []
        folder.listen(lambda change: told.append(change.kind))
        return folder, told, folder.uidvalidity

    def said(self) -> set[str]:
        """What was said of damage that is mended."""
        return self.lines

    def is_another(self, spoil: Callable[[Path], None], told_first: bool) -> Any:
        """
        After a damage whoever has the INBOX open is told to forget it, and it has a greater UIDVALIDITY.

        @param told_first: it is looked at before mail comes, not after.
        """
        _, told, before = self.changed()
        spoil(self.box(MARIA))
        number = 100 + len(list(self.box(TOM).rglob("*")))
        if told_first:
            self.assertRaises(NotFound, result_of, self.store.cache.get((MARIA, "INBOX")).poll())
            self.assertEqual(told, ["reset"])
        copies = result_of(self.store.accept(a_delivery(number, MARIA, TOM)))
        if not told_first:
            again = self.store.cache.get((MARIA, "INBOX"))
            if again is not None:
                self.assertRaises(NotFound, result_of, again.poll())
            self.assertEqual(told[-1], "reset")
        folder = self.folder()
        self.assertGreater(folder.uidvalidity, before)
        self.assertEqual(copies[0].uidvalidity, folder.uidvalidity)
        self.assertEqual(folder.find(f"d-{number}"), copies[0].uid)
        self.assertEqual(len(set(folder.column("key", folder.uids))), len(folder.uids))
        self.assertIsNone(result_of(folder.poll()))
        return folder

    def each(self, spoil: Callable[[Path], None], left: set[str]) -> None:
        """Whether it is looked at first, mail comes first, or the service is started first."""
        for told_first in (True, False):
            folder = self.is_another(spoil, told_first)
            self.assertEqual({key for key in folder.column("key", folder.uids) if key in self.kept}, left)
            del folder
            self.tearDown()
            self.setUp()
        before = self.folder().uidvalidity
        result_of(self.store.cache.save())
        self.provider.stop()
        spoil(self.box(MARIA))
        self.store = self.provider.start()
        if self.store.exists(MARIA):
            self.assertGreater(self.folder().uidvalidity, before)
        copies = result_of(self.store.accept(a_delivery(50, MARIA)))
        folder = self.folder()
        self.assertGreater(folder.uidvalidity, before)
        self.assertEqual((folder.uidvalidity, folder.find("d-50")), (copies[0].uidvalidity, copies[0].uid))
        self.assertEqual({key for key in folder.column("key", folder.uids) if key in self.kept}, left)

    kept = {"d-0", "d-1", "d-2"}

    def uids(self, box: Path) -> Path:
        return box / "simmail-uids"

    def test_removed(self) -> None:
        """The mailbox is removed."""
        self.each(lambda box: shutil.rmtree(box), set())

    def test_removed_folder(self) -> None:
        """A special folder is removed: the one that is made in its place has another UIDVALIDITY."""
        for told_first in (True, False):
            archive = self.folder(MARIA, "Archive")
            result_of(self.folder().copy([1, 2], archive))
            before, told = archive.uidvalidity, list[Any]()
            archive.listen(lambda change: told.append(change.kind))
            shutil.rmtree(self.box(MARIA) / ".Archive")
            if told_first:
                self.assertRaises(NotFound, result_of, archive.poll())
                self.assertEqual(told, ["reset"])
            else:
                self.store = self.provider.restart()
            archive = self.folder(MARIA, "Archive")
            self.assertGreater(archive.uidvalidity, before)
            self.assertEqual(list(archive.uids), [])

    def test_replaced(self) -> None:
        """There is a Maildir of another program in its place."""
        def spoil(box: Path) -> None:
            shutil.rmtree(box)
            for part in ("new", "cur", "tmp"):
                (box / part).mkdir(parents=True)
            (box / "new" / "1.a.b").write_bytes(a_mail("foreign"))
        self.each(spoil, set())

    def test_older(self) -> None:
        """There is the mailbox as it was earlier: what came since is gone, and no UID is given twice."""
        def spoil(box: Path) -> None:
            shutil.rmtree(box)
            shutil.copytree(self.backup, box)
        self.backup = Path(self.mktemp())
        shutil.copytree(self.box(MARIA), self.backup)
        result_of(self.store.accept(a_delivery(7, MARIA)))
        self.is_another(spoil, True)
        self.is_another(spoil, False)
        result_of(self.store.cache.save())
        before = self.folder().uidvalidity
        self.provider.stop()
        spoil(self.box(MARIA))
        self.store = self.provider.start()
        self.assertGreater(self.folder().uidvalidity, before)
        self.assertEqual(list(self.folder().uids), [1, 2, 3])

    def test_older_uids(self) -> None:
        """The UID file is overwritten with what it was earlier."""
        def spoil(box: Path) -> None:
            octets = self.uids(box).read_bytes()
            self.uids(box).write_bytes(octets.replace(b" N0000000004 ", b" N0000000002 "))
        self.each(spoil, self.kept)

    def test_broken_uids(self) -> None:
        """The UID file is overwritten, cut, or gone."""
        for octets in (b"", b"rubbish " * 50, b"\0" * 200):
            with self.subTest(octets):
                self.each(lambda box: self.uids(box).write_bytes(octets), self.kept)
                self.assertIn(DAMAGED, self.said())
                self.tearDown()
                self.setUp()
        self.each(lambda box: self.uids(box).unlink(), self.kept)

    def test_no_uids(self) -> None:
        """There is something else in the place of the UID file, which is put aside."""
        def directory(path: Path) -> None:
            path.mkdir()
            (path / "mine").write_bytes(b"keep")
        for make in (os.mkfifo, directory, lambda path: path.symlink_to("/etc/passwd")):
            def spoil(box: Path) -> None:
                self.uids(box).unlink()
                make(self.uids(box))
            self.each(spoil, self.kept)
            self.assertEqual(len(list(self.box(MARIA).glob("simmail-uids.damaged*"))), 1)
            self.assertIn(DAMAGED, self.said())
            self.tearDown()
            self.setUp()

    def test_parts_removed(self) -> None:
        """Parts of a folder that are removed are made again; their messages are gone, the UIDs are not given again."""
        for part in ("new", "cur", "tmp"):
            for first in (True, False):
                _, told, before = self.changed()
                shutil.rmtree(self.box(MARIA) / part)
                if first and part != "tmp":
                    self.assertRaises(NotFound, result_of, self.store.cache.get((MARIA, "INBOX")).poll())
                copies = result_of(self.store.accept(a_delivery(9, MARIA, TOM)))
                self.assertEqual(copies[0].uidvalidity, before)
                self.assertGreaterEqual(copies[0].uid, 4)
                try:
                    result_of(self.folder().poll())
                except NotFound:
                    self.assertEqual(told[-1], "reset")
                self.assertIn(copies[0].uid, self.folder().uids)
                self.assertEqual(list(self.folder().uids)[:-1], [] if part == "new" else [1, 2, 3])
                self.tearDown()
                self.setUp()


class InTheirPlace(DamageCase):
    """Something else in the place of a mailbox, of a part of it, or of a message."""

    def make_each(self, path: Path) -> Any:
        """Each thing that may be in its place; what was there is back afterwards."""
        aside = Path(self.mktemp())
        for make in (os.mkfifo, lambda path: path.write_bytes(b"mine")):
            os.rename(path, aside)
            make(path)
            yield
            path.unlink()
            os.rename(aside, path)

    def others_are_well(self) -> None:
        """Another mailbox takes mail, and all lists are answered."""
        number = len(self.folder(TOM).uids) + 30
        result_of(self.store.accept(a_delivery(number, TOM)))
        self.assertIsNotNone(self.folder(TOM).find(f"d-{number}"))
        result_of(self.store.counts())
        result_of(self.store.places())
        result_of(self.store._watch._look())
        self.assertEqual(len(result_of(self.store.folders(TOM))), 6)
        self.assertEqual(self.flushLoggedErrors(), [])

    def test_mailbox(self) -> None:
        """In the place of a mailbox: mail to it is refused and comes when it is back; the service starts."""
        for _ in self.make_each(self.box(MARIA)):
            told: list[str] = []
            known = self.store.cache.loaded((MARIA, "INBOX"))
            if known is not None:
                known.listen(lambda change: told.append(change.kind))
            self.assertRaises(Unavailable, result_of, self.store.accept(a_delivery(20, MARIA)))
            self.provider.clock.advance(2)
            self.assertNotIn(MARIA, self.store.mailboxes())
            self.assertEqual(told, ["reset"] if known is not None else [])
            self.others_are_well()
            self.assertEqual(list(self.store.layout.damage.said), [MARIA])
            self.store = self.provider.restart()
            self.others_are_well()
            self.assertRaises(Unavailable, result_of, self.store.accept(a_delivery(20, MARIA)))
        self.provider.clock.advance(2)
        self.assertIn(MARIA, self.store.mailboxes())
        self.assertEqual(list(self.store.layout.damage.said), [])
        result_of(self.store.accept(a_delivery(20, MARIA)))
        self.assertEqual(list(self.folder().uids), [1, 2, 3, 4])

    def test_parts(self) -> None:
        """In the place of a part of a folder: that folder cannot be had, and can be when it is back."""
        for part in ("new", "cur"):
            for _ in self.make_each(self.box(MARIA) / part):
                folder = self.store.cache.loaded((MARIA, "INBOX"))
                if folder is not None:
                    self.assertRaises(NotFound, result_of, folder.poll())
                self.assertRaises(NotFound, self.folder)
                if part == "new":
                    self.assertRaises(Unavailable, result_of, self.store.accept(a_delivery(20, MARIA)))
                self.assertEqual(self.store.layout.damage.said, {
                    MARIA: "something that is no directory is in the place of new/ or cur/ of a folder"})
                self.others_are_well()
                self.assertEqual(len(result_of(self.store.folders(MARIA))), 6)
                self.store = self.provider.restart()
                self.others_are_well()
            self.assertEqual([uid for uid in self.folder().uids if uid <= 3], [1, 2, 3])
            self.assertEqual(self.store.layout.damage.said, {})

    def test_small_files(self) -> None:
        """In the place of the small files of a mailbox: nobody waits for a pipe."""
        for name in ("simmail-absent", "subscriptions", "simmail-flags"):
            for make in (os.mkfifo, os.mkdir):
                path = self.box(MARIA) / name
                make(path)
                self.assertEqual(list(self.folder().uids), [1, 2, 3])
                self.assertEqual(len(result_of(self.store.folders(MARIA))), 6)
                result_of(self.store.subscribed(MARIA))
                try:
                    result_of(self.folder().flag([1], ["\\Seen"], "+"))
                except Unavailable:
                    self.assertEqual(name, "simmail-flags")
                self.store = self.provider.restart()
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        hashed = self.box(",0123456789")
        hashed.mkdir()
        os.mkfifo(hashed / "simmail-mailbox")
        self.store = self.provider.restart()
        self.assertEqual(self.store.mailboxes(), [MARIA, TOM])

    def test_message(self) -> None:
        """In the place of a message: it alone is shown as what cannot be read, and as itself when it is back."""
        folder = self.folder()
        path = next((self.box(MARIA) / "new").glob("d-1,*"))
        for again in self.make_each_unreadable(path):
            self.assertIn(b"Subject: This message cannot be read\r\n", result_of(folder.read(2)))
            self.assertEqual([uid for uid, _ in result_of(folder.reads([1, 2, 3]))], [1, 2, 3])
            self.assertEqual({uid: one.subject for uid, one in result_of(folder.digests([1, 2, 3])).items()}, {
                1: "mail 0", 2: "This message cannot be read", 3: "mail 2"})
            self.assertEqual(result_of(folder.containing(("in_subject",), "mail")), [1, 3])
            self.assertEqual(sorted(result_of(folder.ordered([1, 2, 3], [Criterion("order_subject")]))), [1, 2, 3])
            self.assertEqual(list(self.store.layout.damage.said.values()), [f"a message cannot be read: {again}"])
        self.assertEqual(result_of(folder.read(2)), a_mail("mail 1"))
        self.assertEqual(result_of(folder.digests([2]))[2].subject, "mail 1")
        self.assertEqual(self.store.layout.damage.said, {})

    def make_each_unreadable(self, path: Path) -> Any:
        aside = Path(self.mktemp())
        for make in (os.mkfifo, os.mkdir):
            os.rename(path, aside)
            make(path)
            yield "it is no file"
            path.unlink() if make is os.mkfifo else path.rmdir()
            os.rename(aside, path)
            self.assertEqual(result_of(self.folder().read(2)), a_mail("mail 1"))
        real = os.read
        inode = path.stat().st_ino

        def read(fd: int, size: int) -> bytes:
            if os.fstat(fd).st_ino == inode:
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            return real(fd, size)
        trouble = self.patch(os, "read", read)
        yield os.strerror(errno.EIO)
        trouble.restore()
