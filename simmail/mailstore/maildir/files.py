"""
Reading the files of messages, in whichever thread or process.

What cannot be read harms that message alone: it is shown as a stub that says so.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Sequence
from typing import Protocol

from simmail.mailstore.maildir.layout import Layout

#: Takes the envelope and the structure of a message.
Shown = Callable[[bytes], tuple[bytes, bytes]]

# Not waiting for whoever might write to a pipe.
_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK

#: Octets of a file that are read, at most: an earlier configuration may have let in more than the present one.
MOST_READ = 256 * 1024 * 1024

#: What is wrong with one file, not with the disk.
_ONE_FILE = frozenset((errno.EACCES, errno.EPERM, errno.EISDIR, errno.ENXIO, errno.EIO, errno.EINVAL, errno.EUCLEAN))
#: What is not there, or a link: that is no message, wherever it leads to.
_NOT_THERE = frozenset((errno.ENOENT, errno.ENOTDIR, errno.ELOOP))
_UNREADABLE = "a message cannot be read"


class Stub(bytes):
    """What is shown of a message that cannot be read; it is not to be kept as if it were the message."""


def read_files(layout: Layout, directory: str, paths: Sequence[str | None]) -> list[bytes | None]:
    """
    Read files; C{None} for those that are not there.

    @param directory: below the universe's; paths: below it, none for a message without a file.
    """
    if len(paths) == 1:
        # Each call of the system hands the interpreter to another thread, who may be busy.
        return [_surely(layout, directory, layout.root, f"{directory}/", path) for path in paths]
    try:
        there = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=layout.root)
    except (FileNotFoundError, NotADirectoryError):
        return [None] * len(paths)
    try:
        return [_surely(layout, directory, there, "", path) for path in paths]
    finally:
        os.close(there)


def _surely(layout: Layout, directory: str, root: int, prefix: str, path: str | None) -> bytes | None:
    """A file, or the stub for it."""
    if not path:
        return None
    try:
        octets = _read(root, prefix + path)
    except OSError as error:
        if error.errno in _NOT_THERE:
            return None
        if error.errno not in _ONE_FILE:
            raise
        layout.damage.found(f"{directory}/{path}", f"{_UNREADABLE}: {error.strerror}")
        return Stub(stub("This message cannot be read", f"The file of this message cannot be read: {error.strerror}."))
    if layout.damage.said:
        layout.damage.well(f"{directory}/{path}")
    return octets


def stub(subject: str, text: str, header: bytes = b"") -> bytes:
    """
    What is shown in the place of a message.

    @param header: lines of the message's own header, each with its end, used instead of C{subject}.
    """
    own = header or b'From: "Mail store" <mailer-daemon@localhost>\r\nSubject: %b\r\n' % subject.encode("ascii")
    return own + (b"MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n"
                  b"Content-Transfer-Encoding: 8bit\r\n\r\n%b\r\n" % text.encode("utf-8", "replace"))


def _read(directory: int, path: str) -> bytes:
    """@raise OSError: it is not there, or cannot be read."""
    fd = os.open(path, _FLAGS, dir_fd=directory)
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is no file")
        size = status.st_size
        if size > MOST_READ:
            raise OSError(errno.EINVAL, f"it has {size} octets")
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
    layout: Layout, shown: Shown, directory: str, paths: Sequence[str | None]
) -> list[tuple[bytes, bytes] | None]:
    """Return what FETCH shows of messages, C{None} for those whose file is not there or cannot be read."""
    return [shown(octets) if octets is not None and not isinstance(octets, Stub) else None
            for octets in read_files(layout, directory, paths)]


class ISought(Protocol):
    """What is searched (C{core.message.search_match.Sought})."""

    def verdict(self, octets: bytes) -> bool | None:
        """Whether a message has it; C{None}: that takes a closer look."""


def verdicts_of(
    layout: Layout, sought: ISought, directory: str, paths: Sequence[str | None]
) -> list[bool | None]:
    """Return whether the messages in some files fit; C{None} for those that are not there or cannot be read."""
    return [sought.verdict(octets) if octets is not None and not isinstance(octets, Stub) else None
            for octets in read_files(layout, directory, paths)]
