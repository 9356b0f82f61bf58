"""
Mail that several universes have in common until one of them changes it.

What an image holds lies in C{.shared/<id>} beside the universes, and is never changed.  A universe that was made of it
has a link C{.shared} there and, in the place of each mailbox, a link to the mailbox below that: the mailbox is
borrowed.  Before anything in it is changed it gets directories and small files of its own; where C{new} or C{cur} hold
many messages they are borrowed on, until that changes too.  A link and what takes its place are exchanged in one step.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from simmail.durable import opened
from simmail.mailstore.maildir.filename import ASIDE
from simmail.mailstore.maildir.names import folder_of

SHARED = ".shared"
#: Messages of a directory that gets links of its own at once.
FEW = 16

_PARTS = ("new", "cur")
_RENAME_EXCHANGE = 2


def target_of(path: str) -> str:
    """What a link at a path below a universe says when it is borrowed."""
    return f"{'../' * path.count('/')}{SHARED}/{path}"


def is_borrowed(root: int, path: str) -> bool:
    """Whether there is such a link at a path; C{root}: descriptor of the universe's directory."""
    try:
        target = os.readlink(path, dir_fd=root)
    except OSError:
        return False
    return target.startswith(f"{'../' * path.count('/')}{SHARED}/")


def can_exchange(directory: str) -> bool:
    """Whether the disk of a directory can exchange two names in one step."""
    one, other = (f"{directory}/{os.urandom(8).hex()}" for _ in range(2))
    os.mkdir(one)
    os.symlink("nowhere", other)
    try:
        with opened(directory) as root:
            _exchange(root, os.path.basename(one), os.path.basename(other))
        one, other = other, one
        return True
    except OSError:
        return False
    finally:
        os.rmdir(one)
        os.unlink(other)


def _exchange(root: int, one: str, other: str) -> None:
    """Two names, below a directory, are exchanged.  @raise OSError: the system cannot do that."""
    libc = ctypes.CDLL(None, use_errno=True)
    try:
        renameat2 = libc.renameat2
    except AttributeError:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS)) from None
    if renameat2(root, os.fsencode(one), root, os.fsencode(other), _RENAME_EXCHANGE) != 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error), one)


# Making


def is_small(name: str) -> bool:
    """Whether a file of a folder is one of those that are copied."""
    return name.startswith("simmail-") and name != ASIDE or name in ("subscriptions", "maildirfolder")


def folders_in(names: Iterable[str]) -> list[str]:
    """Those names in a mailbox that its folders have."""
    return [name for name in names if name.startswith(".") and folder_of(name) is not None]


def link(name: str, source: int, target: int) -> None:
    """A file has the same name in another directory; where it has too many names already, a copy of it has."""
    try:
        os.link(name, name, src_dir_fd=source, dst_dir_fd=target, follow_symlinks=False)
    except OSError as error:
        if error.errno != errno.EMLINK:
            raise
        # Whole or not at all, whatever comes between.
        temporary = f".{os.urandom(8).hex()}"
        path = f"/proc/self/fd/{target}/{temporary}"
        shutil.copy2(f"/proc/self/fd/{source}/{name}", path)
        os.rename(temporary, name, src_dir_fd=target, dst_dir_fd=target)


def copy_file(source: str, target: str) -> None:
    """A small file has the same octets as another."""
    with open(source, "rb", buffering=0) as old, open(target, "wb", buffering=0) as new:
        new.write(old.readall())


def link_all(source: str, target: str) -> None:
    """A new directory with all files of another."""
    os.mkdir(target, 0o700)
    with opened(source) as old, opened(target) as new:
        for name in os.listdir(old):
            link(name, old, new)


def furnish(source: str, fresh: str, place: str, few: int) -> None:
    """
    Make a mailbox like one that is shared.

    @param fresh: the directory to be made; place: where it will be, below its universe.
    @param few: of so many messages links are made at once.
    """
    names = os.listdir(source)
    _furnish_folder(source, fresh, place, names, few)
    for name in folders_in(names):
        _furnish_folder(f"{source}/{name}", f"{fresh}/{name}", f"{place}/{name}", os.listdir(f"{source}/{name}"), few)


def _furnish_folder(source: str, fresh: str, place: str, names: Iterable[str], few: int) -> None:
    os.mkdir(fresh, 0o700)
    os.mkdir(f"{fresh}/tmp", 0o700)
    for name in names:
        if name in _PARTS:
            if len(os.listdir(f"{source}/{name}")) > few:
                os.symlink(target_of(f"{place}/{name}"), f"{fresh}/{name}")
            else:
                link_all(f"{source}/{name}", f"{fresh}/{name}")
        elif name == ASIDE:
            link_all(f"{source}/{name}", f"{fresh}/{name}")
        elif is_small(name):
            copy_file(f"{source}/{name}", f"{fresh}/{name}")


class Borrowed:
    """
    What one universe has borrowed.

    @param path: its directory; root: descriptor of that; temporary: answers names below it that nobody else uses.
    @ivar any: whether it may have borrowed anything.
    """

    def __init__(self, path: str, root: int, temporary: Callable[[], str]) -> None:
        self._path, self._root, self._temporary = path, root, temporary
        self.any = os.path.islink(f"{path}/{SHARED}")

    def has(self, path: str) -> bool:
        """Whether a mailbox is borrowed."""
        return self.any and is_borrowed(self._root, path)

    def parts(self, directory: str) -> frozenset[str]:
        """Those of C{new} and C{cur} of a folder that are."""
        if not self.any:
            return frozenset()
        return frozenset(part for part in _PARTS if is_borrowed(self._root, f"{directory}/{part}"))

    def leave(self) -> None:
        """Nothing is borrowed, nor will be."""
        if self.any:
            os.unlink(SHARED, dir_fd=self._root)
            self.any = False

    def own(self, box: str) -> None:
        """A mailbox is the universe's own, if it was borrowed."""
        if self.has(box):
            with self._turn():
                if is_borrowed(self._root, box):
                    fresh = self._temporary()
                    furnish(f"{self._path}/{SHARED}/{box}", f"{self._path}/{fresh}", box, FEW)
                    self._replace(fresh, box)

    def own_parts(self, directory: str, parts: Iterable[str]) -> None:
        """Some of C{new} and C{cur} of a folder, of a mailbox that is, are the universe's own."""
        with self._turn():
            for path in (f"{directory}/{part}" for part in parts):
                if is_borrowed(self._root, path):
                    fresh = self._temporary()
                    status = os.stat(path, dir_fd=self._root)
                    link_all(f"{self._path}/{path}", f"{self._path}/{fresh}")
                    # Nothing in it is another: who knows it need not look again.
                    os.utime(fresh, ns=(status.st_atime_ns, status.st_mtime_ns), dir_fd=self._root)
                    self._replace(fresh, path)

    def _replace(self, fresh: str, path: str) -> None:
        _exchange(self._root, fresh, path)
        os.unlink(fresh, dir_fd=self._root)

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """One at a time, in all processes: what was put in the place of a link is not to be replaced again."""
        with opened(".", self._root) as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
