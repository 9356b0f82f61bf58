"""
Waiting until what was written is on the disk.

Linux tells an error of writing back once to each open file and takes the
octets for written from then on: a second sync that succeeds proves nothing.
So an error here is no C{OSError} like any other: whoever gets it writes again
what is in doubt, or takes it back (L{NotSynced}).  A disk that an error made
read-only syncs nothing and reports nothing (C{errors=remount-ro} of ext4);
that is an error here.
"""

from __future__ import annotations

import ctypes
import errno
import os
from collections.abc import Callable


class NotSynced(OSError):
    """What was written is perhaps not on the disk, whatever later syncs say."""


def sync_data(fd: int) -> None:
    """
    The octets of a file are on disk, and its size.

    @raise NotSynced: they may be lost.
    """
    _sync(os.fdatasync, fd)


def sync_file(fd: int) -> None:
    """
    A file is on disk with its times and its mode.

    @raise NotSynced: it may be lost.
    """
    _sync(os.fsync, fd)


def sync_directory(path: str) -> None:
    """
    The names in a directory are on disk.

    @raise NotSynced: they may be lost.
    """
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        sync_file(fd)
    finally:
        os.close(fd)


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
