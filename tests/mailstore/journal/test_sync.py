"""Waiting until what was written is on the disk, and the disks that hold mail."""

from __future__ import annotations

import errno
import os
from types import SimpleNamespace
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from simmail.mailstore.journal import sync
from simmail.mailstore.journal.sync import (
    Disks, NotSynced, sync_data, sync_directory, sync_disk, sync_disk_of, sync_file,
)


class SyncTests(SynchronousTestCase):
    """Whatever is synced."""

    def setUp(self) -> None:
        self.path = self.mktemp()
        os.makedirs(self.path)
        self.fd = os.open(self.path, os.O_RDONLY)
        self.addCleanup(os.close, self.fd)

    def test_synced(self) -> None:
        """On a disk that is well nothing is said."""
        sync_disk(self.fd)
        sync_file(self.fd)
        sync_directory(self.path)
        sync_disk_of(self.path)

    def test_refused(self) -> None:
        """An error says that what was written may be lost, with its number."""
        def refuse(fd: int) -> None:
            raise OSError(errno.EIO, "broken")
        self.patch(os, "fdatasync", refuse)
        self.patch(os, "fsync", refuse)
        for call, what in ((sync_data, self.fd), (sync_file, self.fd), (sync_directory, self.path)):
            self.assertEqual(self.assertRaises(NotSynced, call, what).errno, errno.EIO)

    def test_read_only(self) -> None:
        """A disk that an error made read-only syncs nothing, though it says so of nothing."""
        self.patch(os, "fstatvfs", lambda fd: SimpleNamespace(f_flag=os.ST_RDONLY))
        self.assertEqual(self.assertRaises(NotSynced, sync_file, self.fd).errno, errno.EROFS)


class DiskTests(SynchronousTestCase):
    """The disks of some directories."""

    def setUp(self) -> None:
        self.disks = Disks()
        self.addCleanup(self.disks.close)
        self.paths = [f"{self.mktemp()}/mail" for _ in range(2)]
        for path in (*self.paths, self.paths[0]):
            self.disks.attach(path)

    def test_attached(self) -> None:
        """Directories are made, and each is known once."""
        self.assertEqual((self.disks.paths, all(map(os.path.isdir, self.paths))), (self.paths, True))
        self.disks.close()
        self.assertEqual(self.disks.paths, [])
        self.disks.sync()

    def test_all_synced(self) -> None:
        """All are synced, whatever is wrong with one, which is told."""
        asked: list[int] = []

        def refuse(fd: int) -> None:
            asked.append(fd)
            raise NotSynced(errno.EIO, f"broken {len(asked)}")
        self.patch(sync, "sync_disk", refuse)
        self.assertEqual(self.assertRaises(NotSynced, self.disks.sync).strerror, "broken 1")
        self.assertEqual(len(asked), 2)

    def test_where_they_were(self) -> None:
        """A directory that is elsewhere, gone, or that another has the place of is told of, until it is back."""
        self.disks.check()
        watched = self.mktemp()
        os.mkdir(watched)
        self.disks.watch(watched)
        for path in (self.paths[1], watched):
            for replaced in (False, True):
                os.rename(path, path + ".away")
                if replaced:
                    os.mkdir(path)
                error = self.assertRaises(NotSynced, self.disks.check)
                self.assertEqual((error.errno, error.strerror), (
                    errno.ENOENT, f"the folder {os.path.basename(path)} is not where it was"))
                if replaced:
                    os.rmdir(path)
                os.rename(path + ".away", path)
                self.disks.check()

    def test_read_only(self) -> None:
        """Nothing goes into a directory that is read-only where it is reached; other errors are told as they are."""
        self.patch(os, "statvfs", lambda path: SimpleNamespace(f_flag=os.ST_RDONLY))
        self.assertEqual(self.assertRaises(NotSynced, self.disks.check).errno, errno.EROFS)

        def broken(path: str) -> None:
            raise OSError(errno.EIO, "broken")

        self.patch(os, "statvfs", broken)
        error = self.assertRaises(NotSynced, self.disks.check)
        self.assertEqual((error.errno, error.strerror), (errno.EIO, "the folder mail: broken"))

    def test_room(self) -> None:
        """There is room while all have octets and files free; a disk that counts no files has room for them."""
        def disk(**fields: int) -> Any:
            usual = {"f_bavail": 1 << 20, "f_frsize": 4096, "f_files": 10**6, "f_favail": 10**6}
            return SimpleNamespace(**{**usual, **fields})
        for fields, room in (({}, True), ({"f_bavail": 16383}, False), ({"f_bavail": 16384}, True),
                             ({"f_favail": 9_999}, False), ({"f_files": 0, "f_favail": 0}, True)):
            self.patch(os, "fstatvfs", lambda fd, one=disk(**fields): one)
            self.assertEqual(self.disks.have_room(), room, fields)
