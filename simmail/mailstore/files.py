"""
Reading the files of messages, in whichever thread or process.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Sequence

from simmail.mailstore.filing import Filer

#: Takes the envelope and the structure of a message.
Shown = Callable[[bytes], tuple[bytes, bytes]]

_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW


def read_files(root: int, directory: str, paths: Sequence[str | None]) -> list[bytes | None]:
    """
    The contents of files, None for those that are not there.

    @param root: descriptor of the directory that C{directory} is below; paths: below it.
    """
    if len(paths) == 1:
        # Each call of the system hands the interpreter to another thread, who may be busy.
        return [_read(root, f"{directory}/{path}") for path in paths if path is not None] or [None]
    try:
        there = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=root)
    except FileNotFoundError:
        return [None] * len(paths)
    try:
        return [_read(there, path) if path is not None else None for path in paths]
    finally:
        os.close(there)


def _read(directory: int, path: str) -> bytes | None:
    try:
        fd = os.open(path, _FLAGS, dir_fd=directory)
    except OSError as error:
        # A link is no message, wherever it leads to.
        if error.errno not in (errno.ENOENT, errno.ELOOP):
            raise
        return None
    try:
        size = os.fstat(fd).st_size
        octets = os.read(fd, size + 1)
        while len(octets) < size:
            more = os.read(fd, size - len(octets) + 1)
            if not more:
                break
            octets += more
        return octets
    finally:
        os.close(fd)


def shown_of(
    filer: Filer, shown: Shown, directory: str, paths: Sequence[str | None]
) -> list[tuple[bytes, bytes] | None]:
    """What FETCH shows of messages, None for those whose file is not there."""
    return [shown(octets) if octets is not None else None for octets in read_files(filer.root, directory, paths)]
