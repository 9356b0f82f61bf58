"""
Octets of messages that are here before their universe is, in files that are named by their digests.

They are kept for one boot of the machine, nothing of them is synced: what a machine that went down leaves is not to be
trusted.  All here waits for the disk.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator

from simmail.durable import opened
from simmail.mailstore.maildir.names import mailbox_dir
from simmail.mailstore.replication.changes import digest_of
from simmail.mailstore.replication.reading import read_file

#: Where they are, below the directory of all universes, and what a server had of a universe that another has taken.
STANDBY = ".standby"
_BEFORE = ".before"
#: A file that is being written; hexadecimal digits of a digest.
_FRESH, _DIGITS = ".fresh", 40
#: The part of the disk that must be free before more is had beforehand, as its inverse.
_FREE = 20
#: Messages that are read in one step.
_TOGETHER = 50


class SpareBodies:
    """
    Those of one universe.

    @param root: of all universes; boot: tells a boot of the machine from others.
    @ivar known: what is here by digests: of which date, in microseconds since 1970, 0 where that was not looked at.
    """

    def __init__(self, root: str, universe: str, boot: str) -> None:
        self._path = f"{root}/{STANDBY}/{boot}/{mailbox_dir(universe)}"
        os.makedirs(self._path, mode=0o700, exist_ok=True)
        self._directory = os.open(self._path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self.known = {bytes.fromhex(name): 0 for name in os.listdir(self._directory) if len(name) == _DIGITS}

    def close(self) -> None:
        """Nothing more is asked."""
        if self._directory >= 0:
            os.close(self._directory)
            self._directory = -1

    def clear(self) -> None:
        """They are not needed any more."""
        self.close()
        self.known.clear()
        shutil.rmtree(self._path, ignore_errors=True)

    def have_room(self) -> bool:
        """Whether the disk has so much room that what may be needed may be kept."""
        disk = os.fstatvfs(self._directory)
        return disk.f_bavail * _FREE >= disk.f_blocks and disk.f_favail * _FREE >= disk.f_files

    def put(self, digest: bytes, octets: bytes, date: int) -> None:
        """Keep octets.  @param date: of the message, in microseconds since 1970, 0 where it is not known."""
        if digest in self.known:
            return
        write(self._directory, _FRESH, octets, date, os.O_TRUNC)
        os.rename(_FRESH, digest.hex(), src_dir_fd=self._directory, dst_dir_fd=self._directory)
        self.known[digest] = date

    def adopt(self, path: str) -> Iterator[None]:
        """Have the messages below a directory too, some at a step; they stay there as well."""
        for parent, _, names in os.walk(path):
            if os.path.basename(parent) in ("new", "cur"):
                with opened(parent) as there:
                    for count, name in enumerate(names):
                        self._adopt(there, name)
                        if not count % _TOGETHER:
                            yield

    def _adopt(self, there: int, name: str) -> None:
        octets = read_file(there, name)
        if octets is None or (digest := digest_of(octets)) in self.known:
            return
        try:
            os.link(name, digest.hex(), src_dir_fd=there, dst_dir_fd=self._directory)
        except FileNotFoundError:
            # Its flags have changed, or it is gone.
            return
        self.known[digest] = 0

    def drop(self, digests: Iterable[bytes]) -> None:
        """Some are not needed."""
        for digest in digests:
            self.known.pop(digest, None)
            try:
                os.unlink(digest.hex(), dir_fd=self._directory)
            except FileNotFoundError:
                pass

    def read(self, digest: bytes) -> bytes:
        """Return octets that are here.  @raise FileNotFoundError: they are not."""
        with open(os.open(digest.hex(), os.O_RDONLY | os.O_CLOEXEC, dir_fd=self._directory), "rb",
                  buffering=0) as file:
            return file.readall()

    def link(self, digest: bytes, root: int, path: str, date: int) -> None:
        """
        Let what is here be a message too.

        @param root: descriptor of a directory; path: below that; date: of the message, 0 for any.
        @raise FileNotFoundError: it is not here.
        """
        name = digest.hex()
        if date and self.known.get(digest) != date:
            status = os.stat(name, dir_fd=self._directory)
            if status.st_mtime_ns != date * 1000:
                if status.st_nlink > 1:
                    # Another message, perhaps of another universe, has that date.
                    write(root, path, self.read(digest), date, os.O_EXCL)
                    return
                os.utime(name, ns=(date * 1000, date * 1000), dir_fd=self._directory)
            self.known[digest] = date
        os.link(name, path, src_dir_fd=self._directory, dst_dir_fd=root)


def write(root: int, path: str, octets: bytes, date: int, how: int) -> None:
    """
    Write a file.

    @param root: descriptor of a directory that C{path} is below; date: in microseconds since 1970, 0 for now.
    @param how: C{O_EXCL}: there must be none, C{O_TRUNC}: there may be.
    """
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | how, 0o600, dir_fd=root)
    try:
        written = os.write(fd, octets)
        while written < len(octets):
            written += os.write(fd, octets[written:])
        if date:
            os.utime(fd, ns=(date * 1000, date * 1000))
    finally:
        os.close(fd)


def lay_aside(root: str, universe: str, boot: str) -> None:
    """What a server had of a universe that another has taken is not in its place any more, and read before it goes."""
    source, target = f"{root}/{mailbox_dir(universe)}", before(root, universe, boot)
    os.makedirs(os.path.dirname(target), mode=0o700, exist_ok=True)
    shutil.rmtree(target, ignore_errors=True)
    try:
        os.rename(source, target)
    except FileNotFoundError:
        pass


def before(root: str, universe: str, boot: str) -> str:
    """Return where that is."""
    return f"{root}/{STANDBY}/{boot}/{_BEFORE}/{mailbox_dir(universe)}"


def keep_only(root: str, boot: str, universes: Iterable[str]) -> None:
    """Remove what is not of this boot, or not of some universes."""
    wanted = {boot, *map(mailbox_dir, universes)}
    for path in (f"{root}/{STANDBY}", f"{root}/{STANDBY}/{boot}", f"{root}/{STANDBY}/{boot}/{_BEFORE}"):
        try:
            names = os.listdir(path)
        except FileNotFoundError:
            continue
        for name in names:
            if name not in wanted and name != _BEFORE:
                shutil.rmtree(f"{path}/{name}", ignore_errors=True)
