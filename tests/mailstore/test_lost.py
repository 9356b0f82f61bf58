"""A disk that fails without the machine going down: what it lost is written again, and nothing is promised in doubt."""

from __future__ import annotations

import errno
import os
import shutil
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from simmail.errors import Unavailable
from simmail.mailstore.journal import sync as syncing
from simmail.mailstore.journal.sync import NotSynced
from tests.contracts.mailstores import AT, DiskProvider, QuickJournal, a_delivery, a_mail, result_of

MARIA, TOM = "maria@acme.test", "tom@acme.test"


class Layer:
    """
    A disk that has what was synced, and forgets all else when it fails.

    @ivar path: of what is on it.
    """

    def __init__(self, case: SynchronousTestCase, path: str) -> None:
        self.path = path
        self._synced: dict[int, bytes] = {}
        # Held open, so that no other file gets their inodes.
        self._held: list[int] = []
        case.addCleanup(lambda: list(map(os.close, self._held)))
        for name in ("fsync", "fdatasync"):
            case.patch(os, name, self._sync_one)
        case.patch(QuickJournal, "_sync_disks", lambda journal: self.sync())

    def _sync_one(self, fd: int) -> None:
        self._sync_file(Path(os.readlink(f"/proc/self/fd/{fd}")))

    def _sync_file(self, path: Path) -> None:
        if path.is_file():
            inode = path.stat().st_ino
            if inode not in self._synced:
                self._held.append(os.open(path, os.O_RDONLY))
            self._synced[inode] = path.read_bytes()

    def _files(self) -> list[Path]:
        return [path for path in Path(self.path).rglob("*") if path.is_file() and path.name != "lock"]

    def sync(self) -> None:
        """All of it is on the disk."""
        for path in self._files():
            self._sync_file(path)

    def fail(self, names: bool) -> None:
        """What was not synced is gone; C{names}: so are the names of mail, else its files are empty."""
        for path in self._files():
            octets = self._synced.get(path.stat().st_ino)
            mail = "/mail/" in str(path)
            if octets is None and names and mail:
                path.unlink()
            elif octets is None or path.read_bytes() != octets:
                path.write_bytes(octets or b"")


class LostTests(SynchronousTestCase):
    """The same process table, the same boot; another process starts on what the disk kept."""

    def setUp(self) -> None:
        self.path = self.mktemp()
        self.provider = DiskProvider(self.path)
        self.layer = Layer(self, self.path)
        self.store = self.provider.store
        for number in range(2):
            result_of(self.store.accept(a_delivery(number, MARIA, (TOM, "Sent", ("\\Seen", "Key")))))
        result_of(result_of(self.store.folder(MARIA, "INBOX")).append(a_mail("draft"), [], AT))
        result_of(result_of(self.store.folder(MARIA, "Archive")).append(a_mail("old"), [], AT))
        # All that is from long ago.
        self.layer.sync()

    def restart(self, names: bool) -> None:
        self.provider.die()
        self.layer.fail(names)
        self.store = self.provider.start()

    def inbox(self, name: str = "INBOX", mailbox: str = MARIA) -> dict[int, bytes]:
        folder = result_of(self.store.folder(mailbox, name))
        return dict(result_of(folder.reads(list(folder.uids))))

    def both(self, test: Any) -> None:
        """Whether names or only octets are lost."""
        for names in (False, True):
            with self.subTest(names=names):
                if names:
                    self.setUp()
                test(names)
                self.provider.stop()

    def test_written_again(self) -> None:
        """All that was promised is there, whole, under its UID, settled or not, and stays without the journal."""
        def lose(names: bool) -> None:
            for number in range(2, 9):
                result_of(self.store.accept(a_delivery(number, MARIA, (TOM, "Sent", ("\\Seen", "Key")))))
            result_of(result_of(self.store.folder(TOM, "Sent")).append(a_mail("kept"), ["\\Draft"], AT))
            self.store.committed([f"d-{number}" for number in range(6)])
            self.provider.clock.advance(2)
            before, sent = self.inbox(), self.inbox("Sent", TOM)
            self.restart(names)
            self.assertEqual(result_of(self.store.uncommitted()), ["d-6", "d-7", "d-8"])
            self.assertEqual([delivery.id for delivery, _ in result_of(self.store.replay({"d-7"}))], ["d-6", "d-8"])
            self.assertEqual((self.inbox(), self.inbox("Sent", TOM)), (before, sent))
            folder = result_of(self.store.folder(TOM, "Sent"))
            self.assertEqual((folder.entry(5).flags, folder.entry(10).flags), ({"\\Seen", "Key"}, {"\\Draft"}))
            # Others may have been told of and be lost for good.
            self.assertGreater(folder.uidnext, 10_000)
            self.store.committed(["d-6", "d-7", "d-8"])
            self.provider.stop()
            self.assertEqual(os.listdir(f"{self.path}/journal"), ["lock"])
            self.provider.start()
            self.store = self.provider.store
            self.assertEqual((self.inbox(), self.inbox("Sent", TOM)), (before, sent))
        self.both(lose)

    def test_expunged_and_moved_since(self) -> None:
        """What was expunged stays away, what was moved is where it was moved, under the UID it was told to have."""
        def lose(names: bool) -> None:
            for number in range(2, 8):
                result_of(self.store.accept(a_delivery(number, MARIA)))
            inbox, archive = (result_of(self.store.folder(MARIA, name)) for name in ("INBOX", "Archive"))
            result_of(inbox.expunge([4]))
            self.assertEqual(result_of(inbox.move([5, 6], archive)), [(5, 2), (6, 3)])
            result_of(archive.expunge([3]))
            result_of(inbox.copy([7], archive))
            self.provider.clock.advance(2)
            before, moved = self.inbox(), self.inbox("Archive")
            self.restart(names)
            result_of(self.store.uncommitted())
            result_of(self.store.replay(set()))
            self.assertEqual(self.inbox(), before)
            found = self.inbox("Archive")
            # Of a copy the journal knows nothing.
            self.assertEqual({uid: octets for uid, octets in found.items() if uid < 4},
                             {uid: octets for uid, octets in moved.items() if uid < 4})
        self.both(lose)

    def test_expunged_and_elsewhere_lost(self) -> None:
        """What was expunged stays away at each later start, also when another copy came back under another UID."""
        result_of(self.store.accept(a_delivery(2, MARIA, (TOM, "Lab"))))
        result_of(result_of(self.store.folder(MARIA, "INBOX")).expunge([4]))
        before, lab = self.inbox(), self.inbox("Lab", TOM)
        self.provider.die()
        shutil.rmtree(f"{self.path}/mail/main/{TOM}/.Lab")
        self.store = self.provider.start()
        for _ in range(2):
            result_of(self.store.uncommitted())
            self.assertEqual((self.inbox(), sorted(self.inbox("Lab", TOM).values())), (before, sorted(lab.values())))
            self.assertEqual(list(Path(self.path).rglob(f"{MARIA}/*/d-2,*")), [])
            self.store = self.provider.restart()
        self.provider.stop()

    def test_batches_and_replacements(self) -> None:
        """Each of several messages that came together; what was replaced stays away; when they were saved is known."""
        later = AT + timedelta(days=3)

        def lose(names: bool) -> None:
            archive = result_of(self.store.folder(MARIA, "Archive"))
            messages = [(a_mail(f"part {n}", "x" * 50 * n), ("\\Seen",), AT) for n in range(3)]
            self.assertEqual(result_of(archive.append_all(messages, later)), [2, 3, 4])
            result_of(archive.expunge([3]))
            self.assertEqual(result_of(archive.append(a_mail("first"), [], AT)), 5)
            result_of(archive.replace(5, archive, a_mail("second"), [], AT, later))
            self.provider.clock.advance(2)
            before = self.inbox("Archive")
            self.assertEqual(list(before), [1, 2, 4, 6])
            self.restart(names)
            result_of(self.store.uncommitted())
            self.assertEqual(self.inbox("Archive"), before)
            archive = result_of(self.store.folder(MARIA, "Archive"))
            self.assertEqual(result_of(archive.saved([2, 4, 6])), [later] * 3)
            self.assertEqual(archive.entry(4).flags, {"\\Seen"})
        self.both(lose)

    def test_killed_only(self) -> None:
        """When nothing was lost nothing comes back, whatever became of folders and mailboxes; no UID is left out."""
        for number in range(2, 8):
            result_of(self.store.accept(a_delivery(number, MARIA, TOM, ("ann@acme.test", "Lab"))))
        inbox = result_of(self.store.folder(MARIA, "INBOX"))
        result_of(inbox.expunge([4, 5]))
        result_of(inbox.move([6], result_of(self.store.folder(MARIA, "Trash"))))
        result_of(self.store.rename_folder("ann@acme.test", "Lab", "Old lab"))
        result_of(self.store.delete(TOM))
        result_of(self.store.delete_folder(MARIA, "Archive"))
        next(Path(self.path).rglob(f"{MARIA}/new/d-6,*")).unlink()
        result_of(inbox.poll())
        self.store = self.provider.crash()
        result_of(self.store.uncommitted())
        result_of(self.store.replay({f"d-{number}" for number in range(8)}))
        self.assertEqual(sorted(self.inbox()), [1, 2, 3, 7, 9])
        self.assertEqual(result_of(self.store.folder(MARIA, "INBOX")).uidnext, 10)
        self.assertEqual(len(self.inbox("Trash")), 1)
        self.assertEqual(len(self.inbox("Old lab", "ann@acme.test")), 6)
        self.assertNotIn("Lab", [one.name for one in result_of(self.store.folders("ann@acme.test"))])
        self.assertFalse(self.store.exists(TOM))
        self.provider.stop()

    def test_cannot_be_written_again(self) -> None:
        """When the disk refuses that, the journal stays, and the next start does it."""
        result_of(self.store.accept(a_delivery(2, MARIA, commit=b"")))
        self.provider.clock.advance(2)
        before = self.inbox()
        self.restart(False)
        real = os.link

        def full(*args: Any, **more: Any) -> None:
            raise OSError(errno.ENOSPC, "full")
        trouble = self.patch(os, "link", full)
        result_of(self.store.uncommitted())
        trouble.restore()
        self.assertIs(os.link, real)
        self.store.committed(["d-0", "d-1"])
        self.provider.stop()
        self.store = self.provider.start()
        result_of(self.store.uncommitted())
        self.assertEqual(self.inbox(), before)
        self.provider.stop()


class DoubtTests(SynchronousTestCase):
    """The disk says that something was not written."""

    def setUp(self) -> None:
        self.path = self.mktemp()
        self.provider = DiskProvider(self.path)
        self.store = self.provider.store
        self.syncs: list[Any] = []
        self.error: OSError | None = None
        self.patch(QuickJournal, "_sync_disks", lambda journal: self.sync())
        result_of(self.store.accept(a_delivery(0, MARIA)))

    def tearDown(self) -> None:
        self.error = None
        self.provider.stop()

    def sync(self) -> None:
        self.syncs.append(self.error)
        if self.error is not None:
            raise self.error

    def inodes(self) -> set[int]:
        return {path.stat().st_ino for path in Path(self.path).rglob(f"{MARIA}/new/*")}

    def refused(self, number: int) -> None:
        self.assertRaises(Unavailable, result_of, self.store.accept(a_delivery(number, MARIA)))
        folder = result_of(self.store.folder(MARIA, "INBOX"))
        self.assertRaises(Unavailable, result_of, folder.append(a_mail("x"), [], AT))

    def test_mail_not_synced(self) -> None:
        """No mail is taken until all that the journal has was written anew and synced after that."""
        before = self.inodes()
        content = [path.read_bytes() for path in Path(self.path).rglob(f"{MARIA}/new/*")]
        self.provider.journal.commit.doubt(NotSynced(errno.EIO, "broken"))
        self.error = NotSynced(errno.EIO, "broken")
        self.refused(1)
        self.assertEqual(self.provider.journal.condition.doubt, "broken")
        self.provider.clock.advance(1)
        self.refused(2)
        self.assertEqual((len(self.syncs), self.inodes()), (1, before))
        self.error = None
        self.provider.clock.advance(1)
        self.assertEqual(self.provider.journal.condition.doubt, "")
        self.assertEqual(self.inodes() & before, set())
        self.assertEqual([path.read_bytes() for path in Path(self.path).rglob(f"{MARIA}/new/*")], content)
        self.assertEqual(len(self.syncs), 3)
        result_of(self.store.accept(a_delivery(3, MARIA)))
        self.store = self.provider.crash()
        self.assertEqual(result_of(self.store.uncommitted()), ["d-0", "d-3"])

    def test_again_while_checked(self) -> None:
        """A doubt that comes while one is looked into is not forgotten."""
        doubt = self.provider.journal.commit.doubt
        doubt(NotSynced(errno.EIO, "one"))
        trouble = self.patch(QuickJournal, "_sync_disks", lambda journal: doubt(NotSynced(errno.EIO, "two")))
        self.provider.clock.advance(1)
        self.assertEqual(self.provider.journal.condition.doubt, "two")
        self.refused(1)
        trouble.restore()
        self.provider.clock.advance(1)
        self.assertEqual(self.provider.journal.condition.doubt, "")

    def test_notes_survive(self) -> None:
        """What was noted and never synced is noted again: refusals, UIDs, expunges."""
        for number in range(1, 5):
            result_of(self.store.accept(a_delivery(number, MARIA, commit=b"")))
        inbox = result_of(self.store.folder(MARIA, "INBOX"))
        result_of(inbox.expunge([2]))
        self.error = NotSynced(errno.EIO, "broken")
        trouble = self.patch(os, "fdatasync", broken)
        self.refused(5)
        result_of(inbox.expunge([3]))
        trouble.restore()
        self.error = None
        self.provider.clock.advance(2)
        # The segment with what is in doubt is lost.
        first = min(Path(self.path, "journal").glob("*.journal"))
        octets = first.read_bytes()
        first.write_bytes(octets[:octets.rindex(b"d-4")])
        self.store = self.provider.crash()
        result_of(self.store.uncommitted())
        result_of(self.store.replay(set()))
        self.assertEqual(list(result_of(self.store.folder(MARIA, "INBOX")).uids), [1, 4, 5])

    def test_stop_in_doubt(self) -> None:
        """An orderly stop with a disk that cannot be synced keeps the journal."""
        self.store.committed(["d-0"])
        self.error = NotSynced(errno.EIO, "broken")
        result_of(self.store.close())
        self.error = None
        result_of(self.provider.journal.close())
        self.assertNotEqual(list(Path(self.path, "journal").glob("*.journal")), [])
        self.store = self.provider.start()
        self.assertEqual(result_of(self.store.uncommitted()), [])

    def test_held_not_synced(self) -> None:
        """What is held for later counts too."""
        trouble = self.patch(os, "fsync", broken)
        self.assertRaises(Unavailable, result_of, self.store.held.keep(["a"], b"x"))
        trouble.restore()
        self.refused(1)
        self.provider.clock.advance(1)
        result_of(self.store.held.keep(["a"], b"x"))
        result_of(self.store.accept(a_delivery(1, MARIA)))


def broken(fd: int) -> None:
    """The disk could not write."""
    raise OSError(errno.EIO, "Input/output error")


class MissingTests(SynchronousTestCase):
    """The folder of all mail is taken away, as when its disk is unmounted, and put back."""

    def test_missing(self) -> None:
        """That is found out, nothing is taken meanwhile, and all that was is there when it is back."""
        self.patch(QuickJournal, "_sync_disks", lambda journal: journal._disks.sync())
        path = Path(self.mktemp())
        provider = DiskProvider(str(path))
        self.addCleanup(provider.stop)
        result_of(provider.store.accept(a_delivery(0, MARIA)))
        (path / "mail").rename(path / "away")
        self.assertRaises(Unavailable, result_of, provider.store.accept(a_delivery(1, MARIA)))
        self.assertIn("mail is not where it was", provider.journal.condition.told)
        self.assertRaises(Unavailable, result_of, provider.store.accept(a_delivery(2, MARIA)))
        # What is there can be looked at all the same.
        self.assertEqual(result_of(provider.store.folder(MARIA, "INBOX")).counts()[0], 1)
        self.assertIn("Junk", [one.name for one in result_of(provider.store.folders(MARIA))])
        self.assertFalse((path / "mail").exists())
        (path / "mail").mkdir()
        provider.clock.advance(1)
        self.assertRaises(Unavailable, result_of, provider.store.accept(a_delivery(2, MARIA)))
        (path / "mail").rmdir()
        (path / "away").rename(path / "mail")
        provider.clock.advance(1)
        self.assertEqual(provider.journal.condition.told, "")
        result_of(provider.store.accept(a_delivery(3, MARIA)))
        inbox = result_of(provider.store.folder(MARIA, "INBOX"))
        self.assertEqual(list(inbox.column("key", inbox.uids)), ["d-0", "d-3"])

    def test_looked_after(self) -> None:
        """It is found out too while nobody sends anything, and no universe is made in its place."""
        path = Path(self.mktemp())
        provider = DiskProvider(str(path))
        self.addCleanup(provider.stop)
        (path / "mail").rename(path / "away")
        provider.journal.look()
        self.assertIn("mail is not where it was", provider.journal.condition.told)
        error = self.assertRaises(Unavailable, provider.open, "second")
        self.assertIn("mail is not where it was", str(error))
        self.assertFalse((path / "mail").exists())
        (path / "away").rename(path / "mail")

    def test_touched(self) -> None:
        """A disk that takes nothing is found out by asking it, once a second at most."""
        provider = DiskProvider(self.mktemp())
        self.addCleanup(provider.stop)
        asked: list[int] = []
        patched = self.patch(os, "utime", asked.append)
        for seconds in (0.0, 0.5, 0.5):
            provider.clock.advance(seconds)
            provider.journal.touch()
        self.assertEqual(len(asked), 2)

        def refuse(fd: int) -> None:
            raise OSError(errno.EROFS, "Read-only file system")

        patched.restore()
        patched = self.patch(os, "utime", refuse)
        provider.clock.advance(1)
        provider.journal.touch()
        self.assertIn("Read-only file system", provider.journal.condition.told)
        patched.restore()
        provider.clock.advance(1)
        self.assertEqual(provider.journal.condition.told, "")


class SyncingTests(SynchronousTestCase):
    """Errors of syncs."""

    def test_read_only(self) -> None:
        """A disk that an error made read-only says of every sync that it is done; it is not."""
        path = self.mktemp()
        fd = os.open(path, os.O_RDWR | os.O_CREAT)
        self.addCleanup(os.close, fd)
        for sync in (syncing.sync_data, syncing.sync_file, syncing.sync_disk):
            sync(fd)
        self.patch(os, "fstatvfs", lambda fd: SimpleNamespace(f_flag=os.ST_RDONLY))
        for sync in (syncing.sync_data, syncing.sync_file, syncing.sync_disk):
            error = self.assertRaises(NotSynced, sync, fd)
            self.assertEqual(error.errno, errno.EROFS)
