"""
The UID file of a folder, C{simmail-uids}, and the counter that UIDVALIDITYs come from.

The first line has a fixed width and is rewritten in place: UIDVALIDITY, UIDNEXT,
HIGHESTMODSEQ, the MODSEQ of the last expunge, how often the rest has changed,
and the folder's object id.
Then come the special use and the keywords, a letter each.  Whoever gives a
UID holds the lock on the file until the message is visible, so UIDs ascend in
the order of visibility in all processes.
"""

from __future__ import annotations

import fcntl
import errno
import os
import re
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from simmail.mailstore.maildir.flags import MOST_KEYWORDS

FILE = "simmail-uids"

_LINE = "simmail-uids 1 V%010d N%010d M%020d X%020d T%06d I%-32s\n"
_WIDTH = len(_LINE % (0, 0, 0, 0, 0, ""))
_PATTERN = re.compile(rb"simmail-uids 1 V(\d{10}) N(\d{10}) M(\d{20}) X(\d{20}) T(\d{6}) I([A-Za-z0-9_-]{1,32}) *\n")
_LONGEST = 16 * 1024
_FLAGS = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
#: How the system says that a directory, a pipe or a link is in its place.
_NO_FILE = frozenset((errno.EISDIR, errno.ELOOP, errno.ENXIO))


class UidListDamaged(OSError):
    """The file says nothing that can be understood, or is none."""


class UidListReplaced(FileNotFoundError):
    """It is not the file that was there before: somebody else removed the folder, or put another in its place."""


class UidList:
    """
    The UID file of one folder, open.

    Its attributes are true while the lock is held, and what was last seen otherwise.
    """

    __slots__ = ("fd", "root", "path", "inode", "line", "uidvalidity", "uidnext", "highestmodseq", "expunged",
                 "table", "objectid", "special_use", "keywords")

    def __init__(self, root: int, directory: str) -> None:
        self.fd = -1
        self.root = root
        self.path = f"{directory}/{FILE}"
        self.inode = 0
        # Not what an empty file says.
        self.line = b"?"
        self.uidvalidity = self.uidnext = self.highestmodseq = self.expunged = 0
        self.table = -1
        self.objectid = self.special_use = ""
        self.keywords: tuple[str, ...] = ()

    @classmethod
    def open(cls, root: int, directory: str, write: bool = True) -> UidList:
        """
        The file of a folder.

        @raise FileNotFoundError: the folder has none.
        @raise UidListDamaged: it cannot be understood.
        """
        uids = cls(root, directory)
        try:
            uids._open(write)
            uids.refresh()
        except BaseException:
            uids.close()
            raise
        return uids

    def _open(self, write: bool = True) -> None:
        try:
            self.fd = os.open(self.path, _FLAGS if write else _FLAGS & ~os.O_RDWR, dir_fd=self.root)
        except OSError as error:
            if error.errno in _NO_FILE:
                raise UidListDamaged(error.errno, f"{FILE} is no file") from None
            raise
        status = os.fstat(self.fd)
        if not stat.S_ISREG(status.st_mode):
            raise UidListDamaged(errno.EINVAL, f"{FILE} is no file")
        self.inode = status.st_ino

    def reopen(self) -> None:
        """
        Open it again; what was last seen stays until the lock is held.

        @raise FileNotFoundError: it is gone.  @raise UidListReplaced: another one is there.
        """
        before = self.inode
        try:
            self._open()
            if self.inode != before:
                raise UidListReplaced(errno.ENOENT, f"{FILE} is another one")
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """The file is not needed now."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    def refresh(self) -> bool:
        """Read it again; whether anything had changed."""
        line = os.pread(self.fd, _WIDTH, 0)
        if line == self.line:
            return False
        match = _PATTERN.fullmatch(line)
        if match is None:
            raise UidListDamaged(errno.EINVAL, f"{FILE} cannot be understood")
        table = int(match[5])
        if table != self.table:
            self._read_table(os.pread(self.fd, _LONGEST, _WIDTH))
            self.table = table
        uidvalidity, uidnext = int(match[1]), int(match[2])
        if uidvalidity == self.uidvalidity and uidnext < self.uidnext:
            # UIDs would be given twice.
            raise UidListDamaged(errno.EINVAL, f"{FILE} is older than it was")
        self.uidvalidity, self.uidnext, self.highestmodseq = uidvalidity, uidnext, int(match[3])
        self.expunged = int(match[4])
        self.objectid = match[6].decode("ascii")
        self.line = line
        return True

    def _read_table(self, octets: bytes) -> None:
        self.special_use = ""
        keywords: dict[int, str] = {}
        for line in octets.decode("utf-8", "replace").splitlines():
            what, _, value = line.partition(" ")
            if what == "special":
                self.special_use = value
            elif len(what) == 1 and "a" <= what <= "z" and value:
                keywords[ord(what) - ord("a")] = value
        # A place without a keyword is "".
        self.keywords = tuple(keywords.get(at, "") for at in range(max(keywords, default=-1) + 1))

    @contextmanager
    def locked(self) -> Iterator[bool]:
        """Hold the lock; answers whether another process had changed anything."""
        changed = self.lock()
        try:
            yield changed
        finally:
            self.unlock()

    def lock(self) -> bool:
        """
        Hold the lock until C{unlock}; answers whether another process had changed anything.

        @raise UidListReplaced: the file in the folder is another one, or none.
        @raise UidListDamaged: it cannot be understood.
        """
        fcntl.flock(self.fd, fcntl.LOCK_EX)
        try:
            if inode_of(self.root, self.path) != self.inode:
                raise UidListReplaced(errno.ENOENT, f"{FILE} is another one")
            return self.refresh()
        except BaseException:
            self.unlock()
            raise

    def unlock(self) -> None:
        """Let go of the lock."""
        fcntl.flock(self.fd, fcntl.LOCK_UN)

    def take(self, uids: int = 1, changes: int = 1, expunge: bool = False) -> tuple[int, int]:
        """
        Use up UIDs and MODSEQs; the lock is held.

        @param expunge: the last of the MODSEQs is that of an expunge.
        @return: the first of each.
        """
        first = self.uidnext, self.highestmodseq + 1
        if self.uidnext + uids > 0xFFFFFFFF:
            raise OSError("the folder has run out of UIDs")
        self.uidnext += uids
        self.highestmodseq += changes
        if expunge:
            self.expunged = self.highestmodseq
        self._write_line()
        return first

    def rewrite(self) -> None:
        """Write all of it once more, as it is; the lock is held."""
        octets = os.pread(self.fd, _WIDTH + _LONGEST, 0)
        os.pwrite(self.fd, octets, 0)

    def raise_to(self, uidnext: int) -> None:
        """UIDs below this one are never given; the lock is held."""
        if uidnext > self.uidnext:
            self.uidnext = uidnext
            self._write_line()

    def _write_line(self) -> None:
        values = self.uidvalidity, self.uidnext, self.highestmodseq, self.expunged, self.table, self.objectid
        line = (_LINE % values).encode("ascii")
        os.pwrite(self.fd, line, 0)
        self.line = line

    def define(self, keywords: Iterable[str], used: int | None = None) -> bool:
        """
        Give each keyword a place in the table; the lock is held.

        @param used: numbers of places whose keywords some message has, as bits; the others may be given
            away when there is no room.  None: all.
        @return: whether there was room for all.
        """
        table = list(self.keywords)
        known = {keyword.lower(): at for at, keyword in enumerate(table) if keyword}
        kept = {known[keyword.lower()] for keyword in keywords if keyword.lower() in known}
        missing = [keyword for keyword in keywords if keyword.lower() not in known]
        free = [at for at, keyword in enumerate(table) if not keyword]
        free += range(len(table), MOST_KEYWORDS)
        if len(missing) > len(free) and used is not None:
            free += [at for at, keyword in enumerate(table) if keyword and not used >> at & 1 and at not in kept]
        enough = len(missing) <= len(free)
        if missing and free:
            for at, keyword in zip(free, missing):
                table += [""] * (at + 1 - len(table))
                table[at] = keyword
            self.keywords = tuple(table)
            self.change(self.special_use)
        return enough

    def change(self, special_use: str, uidvalidity: int = 0) -> None:
        """Rewrite all of the file; the lock is held (or nobody knows the file yet)."""
        self.special_use = special_use
        self.uidvalidity = uidvalidity or self.uidvalidity
        self.table += 1
        self._write_line()
        rest = _rest(special_use, self.keywords)
        # One call for all of it, so that a killed process leaves the old or the new.
        os.pwrite(self.fd, self.line + rest, 0)
        os.ftruncate(self.fd, _WIDTH + len(rest))


def _rest(special_use: str, keywords: Iterable[str]) -> bytes:
    lines = [f"special {special_use}\n"] if special_use else []
    lines += [f"{chr(ord('a') + at)} {keyword}\n" for at, keyword in enumerate(keywords) if keyword]
    return "".join(lines).encode("utf-8")


def inode_of(root: int, path: str) -> int:
    """The number of the file at a path, 0 for none."""
    try:
        return os.stat(path, dir_fd=root, follow_symlinks=False).st_ino
    except (FileNotFoundError, NotADirectoryError):
        return 0


def stamp_of(root: int, directory: str) -> tuple[int, int]:
    """The number of a folder's UID file and when it was last written (nanoseconds), (0, 0) for none."""
    try:
        status = os.stat(f"{directory}/{FILE}", dir_fd=root, follow_symlinks=False)
    except (FileNotFoundError, NotADirectoryError):
        return 0, 0
    return status.st_ino, status.st_mtime_ns


def put_aside(root: int, directory: str, aside: str) -> None:
    """
    A UID file that is damaged is not in the way any more, if no other process has put it aside already.

    @param aside: a name in the folder that nothing has.
    """
    path = f"{directory}/{FILE}"
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=root)
    except OSError as error:
        if error.errno == errno.ENOENT:
            return
        fd = -1
    try:
        if fd >= 0:
            # Whoever else found it damaged waits here, and then finds another one in its place.
            fcntl.flock(fd, fcntl.LOCK_EX)
            if os.fstat(fd).st_ino != inode_of(root, path):
                return
        os.rename(path, f"{directory}/{aside}", src_dir_fd=root, dst_dir_fd=root)
    finally:
        if fd >= 0:
            os.close(fd)


def write_new(
    root: int, path: str, uidvalidity: int, objectid: str, special_use: str = "", uidnext: int = 1, modseq: int = 1,
    expunged: int = 0, keywords: Iterable[str] = (),
) -> None:
    """A UID file for a folder that has none yet; C{modseq}: the highest, C{expunged}: that of the last expunge."""
    line = _LINE % (uidvalidity, uidnext, modseq, expunged, 0, objectid)
    if _PATTERN.fullmatch(line.encode("ascii", "replace")) is None:
        raise ValueError("a UID file cannot say this")
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=root)
    try:
        os.write(fd, line.encode("ascii") + _rest(special_use, keywords))
    finally:
        os.close(fd)


def next_uidvalidity(path: str, floor: int) -> int:
    """
    A UIDVALIDITY greater than all that were given before.

    @param path: of the counter's file.
    @param floor: the least it may be (Unix time, so that a lost counter does no harm).
    """
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        last = os.pread(fd, 20, 0).strip()
        value = max(int(last) + 1 if last.isdigit() else 1, min(floor, 0x7FFFFFFF))
        os.pwrite(fd, b"%019d\n" % value, 0)
        return value
    finally:
        os.close(fd)
