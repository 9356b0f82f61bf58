"""The disks that hold mail, and how all that was written to them gets there."""

from __future__ import annotations

import os

from simmail.mailstore.journal.sync import NotSynced, sync_disk

#: Octets and files that must be free before mail is promised that has no place yet.
_ROOM, _ROOM_FILES = 64 * 1024 * 1024, 10_000


class Disks:
    """The disks that some directories are on."""

    def __init__(self) -> None:
        self._roots: dict[str, int] = {}

    def attach(self, path: str) -> None:
        """
        A directory, made when it is not there.

        @raise OSError: it cannot be opened.
        """
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
        """
        Everything on the disks is written; this takes long.

        @raise NotSynced: perhaps it is not.
        """
        # All of them, whatever is wrong with one: an error is told once only.
        errors = []
        for fd in list(self._roots.values()):
            try:
                sync_disk(fd)
            except NotSynced as error:
                errors.append(error)
        if errors:
            raise errors[0]

    def close(self) -> None:
        """No more."""
        for fd in self._roots.values():
            os.close(fd)
        self._roots.clear()
