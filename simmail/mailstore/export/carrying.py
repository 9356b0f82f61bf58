"""
All mail of a universe, file by file, from one server's disk to another's.

What is settled goes first, while the universe is served; then what has changed since, when it is closed.  A message
that was renamed meanwhile, or is in several mailboxes, goes once.  What borrowed mailboxes borrow goes as if it were
theirs.  On the other disk all of it lies apart until it is whole.  All that is done here waits for the disk: it is for
threads.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from simmail.errors import Invalid
from simmail.mailstore.journal.sync import sync_directory, sync_disk_of
from simmail.mailstore.maildir.layout import COUNTER, GONE, TMP
from simmail.mailstore.maildir.names import mailbox_dir
from simmail.mailstore.maildir.sharing import SHARED
from simmail.mailstore.maildir.uidlist import next_uidvalidity

#: Octets of files, and rows, that go at once.
PAGE, ROWS = 512 * 1024, 1000

#: One step: C{("dir" | "file" | "more" | "link" | "drop", path, mode, mtime in ns, octets or another path)}.
Row = tuple[str, bytes, int, int, bytes]

_SKIPPED = frozenset(name.encode() for name in (TMP, GONE, SHARED))


class _File(NamedTuple):
    device: int
    inode: int
    size: int
    mtime: int


class CarriedTree:
    """
    The mail of a universe, as far as it is to go.

    @param root: of the mail of all universes.
    """

    def __init__(self, root: str, universe: str) -> None:
        self._root, self._base = root, os.fsencode(f"{root}/{mailbox_dir(universe)}")
        self._sent: dict[bytes, _File] = {}
        self._dirs: set[bytes] = set()

    def counter(self) -> int:
        """Return a UIDVALIDITY that is as great as any in it."""
        return next_uidvalidity(f"{self._root}/{COUNTER}", 1)

    def changes(self) -> Iterator[list[Row]]:
        """Yield what has changed since this was asked the last time, in pages."""
        dirs, files = self._found()
        page: list[Row] = [("dir", path, mode, 0, b"") for path, mode in sorted(dirs.items()) if path not in self._dirs]
        gone = [path for path in self._sent if path not in files]
        before = {one: path for path, one in self._sent.items()}
        new: list[tuple[bytes, int, _File]] = []
        for path, (mode, one) in files.items():
            if self._sent.get(path) == one:
                continue
            # Names of messages mean one message for ever; what has another name now is what it was.
            if one in before and path not in self._sent:
                page.append(("link", path, mode, one.mtime, before[one]))
                self._sent[path] = one
            else:
                new.append((path, mode, one))
        yield from (page[at:at + ROWS] for at in range(0, len(page), ROWS))
        yield from self._contents(new)
        for path in gone:
            del self._sent[path]
        dropped = [*gone, *sorted(self._dirs - dirs.keys(), reverse=True)]
        self._dirs = set(dirs)
        yield from ([("drop", path, 0, 0, b"") for path in dropped[at:at + ROWS]]
                    for at in range(0, len(dropped), ROWS))

    def _contents(self, new: Iterable[tuple[bytes, int, _File]]) -> Iterator[list[Row]]:
        page: list[Row] = []
        octets = 0
        there: dict[_File, bytes] = {}
        for path, mode, one in new:
            if one in there:
                page.append(("link", path, mode, one.mtime, there[one]))
                self._sent[path] = one
                continue
            kind = "file"
            try:
                with open(self._base + b"/" + path, "rb") as file:
                    while (some := file.read(PAGE)) or kind == "file":
                        page.append((kind, path, mode, one.mtime, some))
                        kind = "more"
                        octets += len(some)
                        if octets >= PAGE or len(page) >= ROWS:
                            yield page
                            page, octets = [], 0
            except FileNotFoundError:
                # It has another name by now.
                continue
            self._sent[path], there[one] = one, path
        if page:
            yield page

    def _found(self) -> tuple[dict[bytes, int], dict[bytes, tuple[int, _File]]]:
        dirs: dict[bytes, int] = {}
        files: dict[bytes, tuple[int, _File]] = {}
        left = [b""]
        while left:
            below = left.pop()
            try:
                entries = list(os.scandir(self._base + b"/" + below))
            except FileNotFoundError:
                continue
            for entry in entries:
                path = below + b"/" + entry.name if below else entry.name
                if path in _SKIPPED:
                    continue
                try:
                    found = entry.stat()
                except FileNotFoundError:
                    continue
                mode = stat.S_IMODE(found.st_mode)
                if stat.S_ISDIR(found.st_mode):
                    dirs[path] = mode
                    left.append(path)
                elif stat.S_ISREG(found.st_mode):
                    files[path] = mode, _File(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)
        return dirs, files


class ArrivingTree:
    """Where such mail comes to, until it is whole."""

    def __init__(self, root: str, universe: str) -> None:
        self._root = root
        self._name = mailbox_dir(universe)
        self._apart = os.fsencode(f"{root}.arriving/{self._name}")

    def begin(self) -> None:
        """Nothing has come yet; what came before goes."""
        self.clear()
        os.makedirs(self._apart, mode=0o700)

    def clear(self) -> None:
        """Nothing is to come any more."""
        shutil.rmtree(self._apart, ignore_errors=True)

    def put(self, rows: Iterable[Row]) -> None:
        """Take some of it.  @raise Invalid: it would lie elsewhere."""
        for kind, path, mode, mtime, octets in rows:
            at = self._at(path)
            if kind == "dir":
                os.makedirs(at, mode, exist_ok=True)
            elif kind == "drop":
                if os.path.isdir(at):
                    shutil.rmtree(at)
                elif os.path.lexists(at):
                    os.unlink(at)
            else:
                self._put_file(kind, at, mode, mtime, octets)

    def _put_file(self, kind: str, at: bytes, mode: int, mtime: int, octets: bytes) -> None:
        if kind != "more" and os.path.lexists(at):
            os.unlink(at)
        if kind == "link":
            os.link(self._at(octets), at)
            return
        fd = os.open(at, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, mode)
        with open(fd, "wb") as file:
            file.write(octets)
        os.utime(at, ns=(mtime, mtime))

    def _at(self, path: bytes) -> bytes:
        if not path or path.startswith(b"/") or b".." in path.split(b"/"):
            raise Invalid("path", "is none of the mail of a universe")
        return self._apart + b"/" + path

    def settle(self) -> None:
        """All that has come is on the disk."""
        sync_disk_of(self._apart)

    def finish(self, counter: int) -> None:
        """It is whole, and in its place, where nothing is; C{counter}: UIDVALIDITYs to come are greater."""
        self.settle()
        next_uidvalidity(f"{self._root}/{COUNTER}", counter + 1)
        os.rename(self._apart, f"{self._root}/{self._name}")
        sync_directory(self._root)
