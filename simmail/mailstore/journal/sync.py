"""
Waiting until what was written is on the disk; when that is in doubt, nothing more is promised until it is known again.

Linux tells an error of writing back once to each open file and takes the
octets for written from then on: a second sync that succeeds proves nothing.
So an error here is no C{OSError} like any other: whoever gets it writes again
what is in doubt, or takes it back (L{NotSynced}).  A disk that an error made
read-only syncs nothing and reports nothing (C{errors=remount-ro} of ext4);
that is an error here, and so is a folder that was taken away.
"""

from __future__ import annotations

import ctypes
import errno
import os
from collections.abc import Callable, Iterator
from typing import NamedTuple

from twisted.logger import Logger

from simmail.durable import opened
from simmail.errors import Unavailable
from simmail.mailstore.threads import Send


#: What people are told while there is a doubt, before what it is.
DOUBTFUL = "no mail is taken, for the disk may have lost what was written"

#: Octets and files that must be free before mail is promised that has no place yet.
_ROOM, _ROOM_FILES = 64 * 1024 * 1024, 10_000


class NotSynced(OSError):
    """What was written is perhaps not on the disk, whatever later syncs say."""


def sync_data(fd: int) -> None:
    """The octets of a file are on disk, and its size.  @raise NotSynced: they may be lost."""
    _sync(os.fdatasync, fd)


def sync_file(fd: int) -> None:
    """A file is on disk with its times and its mode.  @raise NotSynced: it may be lost."""
    _sync(os.fsync, fd)


def sync_directory(path: str) -> None:
    """The names in a directory are on disk.  @raise NotSynced: they may be lost."""
    with opened(path) as fd:
        sync_file(fd)


def sync_disk_of(path: str | bytes) -> None:
    """Everything on the disk of a directory is on it, as C{sync_disk}.  @raise NotSynced: it may be lost."""
    with opened(path) as fd:
        sync_disk(fd)


def sync_disk(fd: int) -> None:
    """
    Everything on the disk of a descriptor is on it (C{syncfs}, or C{sync} where there is none); this takes long.

    @raise NotSynced: it may be lost.
    """
    _sync(_syncfs, fd)


def _sync(how: Callable[[int], None], fd: int) -> None:
    try:
        how(fd)
        if os.fstatvfs(fd).f_flag & os.ST_RDONLY:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
    except OSError as error:
        raise NotSynced(error.errno, error.strerror or str(error)) from error


def _syncfs(fd: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    try:
        syncfs = libc.syncfs
    except AttributeError:
        os.sync()
        return
    if syncfs(fd) != 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))


class Disks:
    """The disks that some directories are on."""

    def __init__(self) -> None:
        self._roots: dict[str, int] = {}
        # Of directories that need not be synced; they have to be where they were.
        self._watched: dict[str, os.stat_result] = {}

    def watch(self, path: str) -> None:
        """Look after a directory that is there (L{check}), without ever syncing its disk."""
        self._watched[path] = os.stat(path)

    def attach(self, path: str) -> None:
        """A directory, made when it is not there.  @raise OSError: it cannot be opened."""
        if path not in self._roots:
            os.makedirs(path, mode=0o700, exist_ok=True)
            self._roots[path] = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)

    @property
    def paths(self) -> list[str]:
        """What was attached."""
        return list(self._roots)

    def have_room(self) -> bool:
        """Whether what is in the journal can be expected to find a place."""
        for fd in self._roots.values():
            disk = os.fstatvfs(fd)
            if disk.f_bavail * disk.f_frsize < _ROOM or (disk.f_files and disk.f_favail < _ROOM_FILES):
                return False
        return True

    def sync(self) -> None:
        """Everything on the disks is written; this takes long.  @raise NotSynced: perhaps it is not."""
        # All of them, whatever is wrong with one: an error is told once only.
        errors = []
        for fd in list(self._roots.values()):
            try:
                sync_disk(fd)
            except NotSynced as error:
                errors.append(error)
        if errors:
            raise errors[0]
        self.check()

    def check(self) -> None:
        """
        All directories are where they were, and may be written into.

        @raise NotSynced: nobody would find what is written into one, or it is not to be written into: a disk that is
            read-only where it is reached may still take what goes to files that were open before.
        """
        for path, was in [*((path, os.fstat(fd)) for path, fd in list(self._roots.items())), *self._watched.items()]:
            try:
                there = os.path.samestat(was, os.stat(path))
                read_only = there and os.statvfs(path).f_flag & os.ST_RDONLY
            except OSError as error:
                if error.errno not in (errno.ENOENT, errno.ENOTDIR):
                    raise NotSynced(error.errno, f"the folder {os.path.basename(path)}: {error.strerror}") from error
                there = read_only = False
            if not there:
                raise NotSynced(errno.ENOENT, f"the folder {os.path.basename(path)} is not where it was")
            if read_only:
                raise NotSynced(errno.EROFS, os.strerror(errno.EROFS))

    def close(self) -> None:
        """No more."""
        for fd in self._roots.values():
            os.close(fd)
        self._roots.clear()
        self._watched.clear()


class Hands(NamedTuple):
    """
    Who does what the writer of a journal does not wait for.

    @ivar seconds: real time; writer, syncer: send a call to who writes, and to a thread that may wait for the disk.
    @ivar sync_disks: everything on the disks that hold mail is written; asked of the syncer.
    """

    seconds: Callable[[], float]
    writer: Send
    syncer: Send
    sync_disks: Callable[[], None]

    def sync(self, then: Callable[[OSError | None], None]) -> None:
        """Have the disks synced, and the writer call C{then} with what went wrong, C{None} for nothing."""
        self.syncer(self._sync, then)

    def _sync(self, then: Callable[[OSError | None], None]) -> None:
        try:
            self.sync_disks()
        except OSError as error:
            self.writer(then, error)
        else:
            self.writer(then, None)


class Condition(NamedTuple):
    """
    How a journal is.

    @ivar doubt: why no mail is taken: the disk may have lost what was written; C{""} when all is well.
    @ivar damage: what of it could not be read.
    """

    doubt: str = ""
    damage: tuple[str, ...] = ()

    @property
    def told(self) -> str:
        """The doubt, for people."""
        return f"{DOUBTFUL}: {self.doubt}" if self.doubt else ""


class Doubts:
    """
    The doubts of one writer.

    @param begin: makes what follows go into a new segment, durably.
    @param rewrite: writes all mail that the journal has once more, a little at each step.
    @param changed: called when C{reason} is another one.
    @ivar reason: why nothing is promised, C{""} when all is well.
    """

    log = Logger()

    def __init__(
        self, begin: Callable[[], None], rewrite: Callable[[], Iterator[None]], hands: Hands,
        changed: Callable[[], None],
    ) -> None:
        self.reason = ""
        self._begin, self._rewrite, self._hands, self._changed = begin, rewrite, hands, changed
        self._checking = False
        # Counted, so that one that comes while it is being checked is not forgotten.
        self._count = self._checked = 0
        self._steps: Iterator[None] = iter(())

    def arise(self, reason: str) -> None:
        """The disk has said that something was not written."""
        self._count += 1
        if not self.reason:
            self.log.critical(
                "the disk may have lost what was written: {reason}; no mail is taken until it could be written again",
                reason=reason)
        if reason != self.reason:
            self.reason = reason
            self._changed()

    def check(self) -> None:
        """Find out whether the disk can be written to again; asked again and again while there is a doubt."""
        if not self.reason or self._checking:
            return
        self._checking, self._checked = True, self._count
        try:
            self._begin()
        except OSError as error:
            self._not_yet(error)
        else:
            self._hands.sync(self._write_again)

    def _write_again(self, error: OSError | None) -> None:
        if error is not None:
            self._not_yet(error)
            return
        # Errors from before have been told by now.
        self._steps = self._rewrite()
        self._write_some()

    def _write_some(self) -> None:
        try:
            next(self._steps)
        except StopIteration:
            self._hands.sync(self._passed)
        except (OSError, Unavailable) as error:
            self._not_yet(error)
        else:
            # Others are served meanwhile.
            self._hands.writer(self._write_some)

    def _not_yet(self, error: Exception) -> None:
        self.log.debug("the disk is still in doubt: {error}", error=error)
        self._checking, self._steps = False, iter(())

    def _passed(self, error: OSError | None) -> None:
        if error is not None:
            self._not_yet(error)
            return
        self._checking = False
        if self._count == self._checked:
            self.reason = ""
            self.log.info("the disk could be written to again; mail is taken")
            self._changed()
