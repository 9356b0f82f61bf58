"""
Reading the files of messages, in whichever thread or process.

What cannot be read harms that message alone: it is shown as a stub that says so.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable, Sequence
from typing import Protocol

from simmail.mailstore.maildir.filename import ASIDE
from simmail.mailstore.maildir.layout import Layout


#: Takes the envelope and the structure of a message.
Shown = Callable[[bytes], tuple[bytes, bytes]]

#: How files of a Maildir are opened to be read: never those that links lead to, nor waiting for who might write to a
#: pipe.
READ_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK

#: Octets of a file that are read, at most: an earlier configuration may have let in more than the present one.
MOST_READ = 256 * 1024 * 1024

#: The same of one that nothing is known of but what its name says.
_BLIND = 1024 * 1024

#: What is wrong with one file, not with the disk.
_ONE_FILE = frozenset((errno.EACCES, errno.EPERM, errno.EISDIR, errno.ENXIO, errno.EIO, errno.EINVAL, errno.EUCLEAN))
#: What is not there, or a link: that is no message, wherever it leads to.
_NOT_THERE = frozenset((errno.ENOENT, errno.ENOTDIR, errno.ELOOP))
_UNREADABLE = "a message cannot be read"


class Stub(bytes):
    """What is shown of a message that cannot be read; it is not to be kept as if it were the message."""


def read_files(
    layout: Layout, directory: str, paths: Sequence[str | None], sizes: Sequence[int | None] = ()
) -> list[bytes | None]:
    """
    Read files; C{None} for those that are not there.

    @param directory: below the universe's; paths: below it, none for a message without a file; sizes: what each is
        expected to have, in octets: one that has as many is looked at no further.
    """
    if len(paths) == 1:
        # Each call of the system hands the interpreter to another thread, who may be busy.
        return [_surely(layout, directory, layout.root, f"{directory}/", path) for path in paths]
    try:
        there = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=layout.root)
    except (FileNotFoundError, NotADirectoryError):
        return [None] * len(paths)
    try:
        if len(sizes) != len(paths) or layout.damage.said:
            return [_surely(layout, directory, there, "", path) for path in paths]
        found = _read_expected(there, paths, sizes)
        return [_surely(layout, directory, there, "", path) if octets is None else octets
                for path, octets in zip(paths, found)]
    finally:
        os.close(there)


def _read_expected(
    directory: int, paths: Sequence[str | None], sizes: Sequence[int | None]
) -> list[bytes | None]:
    """Read files without asking first what they are; C{None} for those that are not what was expected."""
    found: list[bytes | None] = []
    open_file, read, close = os.open, os.read, os.close
    for path, size in zip(paths, sizes):
        octets = None
        if path and size is not None and size <= _BLIND:
            try:
                fd = open_file(path, READ_FLAGS, dir_fd=directory)
                try:
                    octets = read(fd, size + 1)
                finally:
                    close(fd)
                if len(octets) != size:
                    octets = None
            except OSError:
                octets = None
        found.append(octets)
    return found


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
    fd = os.open(path, READ_FLAGS, dir_fd=directory)
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


def verdicts_of(layout: Layout, sought: ISought, directory: str, paths: Sequence[str | None]) -> list[bool | None]:
    """Return whether the messages in some files fit; C{None} for those that are not there or cannot be read."""
    return [sought.verdict(octets) if octets is not None and not isinstance(octets, Stub) else None
            for octets in read_files(layout, directory, paths)]


#: Octets of the file that are looked at, and of its header that are kept, at most.
_HEAD, _KEPT = 64 * 1024, 16 * 1024
_FIELD = re.compile(rb"([!-9;-~]{1,100}):[^\n]*\n(?:[ \t][^\n]*\n)*")
_SHOWN = frozenset((
    b"from", b"sender", b"reply-to", b"to", b"cc", b"subject", b"date", b"message-id", b"in-reply-to", b"references",
    b"auto-submitted", b"precedence", b"list-id"))


def stub_of(directory: int, path: str, size: int, most: int) -> bytes:
    """
    What is shown in the place of a file.

    @param directory: descriptor of the folder; path: below it; size: of the file, in octets; most: that a message
        may have.
    @raise OSError: it cannot be read.
    """
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=directory)
    try:
        head = os.pread(fd, _HEAD, 0)
    finally:
        os.close(fd)
    name = os.path.basename(path)
    return stub("This message is too large", (
        f"This message has {size} octets. Messages over {most} octets are not shown.\r\n"
        f"Its file is {ASIDE}/{_shown(name)} in the directory of this folder."), _fields(head))


def _shown(name: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in os.fsencode(name).decode("utf-8", "replace"))


def _fields(head: bytes) -> bytes:
    """Those header fields that are shown, with the ends of lines that messages have."""
    kept: list[bytes] = []
    at = octets = 0
    while (match := _FIELD.match(head, at)) is not None:
        at = match.end()
        if match[1].lower() in _SHOWN and octets + len(match[0]) <= _KEPT and b"\0" not in match[0]:
            kept.append(match[0].replace(b"\r", b"").replace(b"\n", b"\r\n"))
            octets += len(match[0])
    return b"".join(kept)


def put_aside(directory: int, path: str, uid: int) -> None:
    """
    Take a file out of a folder.

    @param uid: of its stub, which makes its name another one when there is one of that name.
    """
    try:
        os.mkdir(ASIDE, 0o700, dir_fd=directory)
    except FileExistsError:
        pass
    name = os.path.basename(path)
    try:
        os.stat(f"{ASIDE}/{name}", dir_fd=directory, follow_symlinks=False)
        name = f"{uid}-{name}"
    except FileNotFoundError:
        pass
    os.rename(path, f"{ASIDE}/{name}", src_dir_fd=directory, dst_dir_fd=directory)
