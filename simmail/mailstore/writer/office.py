"""
What calls that come into the writer's process are about: its clerk, and the Maildirs of each universe.

A L{Clerk<simmail.mailstore.journal.groupcommit.Clerk>} or a L{Filer<simmail.mailstore.delivery.delivery.Filer>} in a
call is sent as a name; here is who is meant by it.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simmail.mailstore.delivery.delivery import Filer
    from simmail.mailstore.journal.groupcommit import Clerk, File


class Office:
    """
    Who works here.

    @param open_filer: opens the Maildirs of a universe, by path and universe.
    """

    def __init__(self, clerk: Clerk, open_filer: Callable[[str, str], Filer]) -> None:
        self.clerk = clerk
        self._open_filer = open_filer
        self._filers: dict[tuple[str, str], Filer] = {}
        self._files: dict[bytes, File] = {}

    def filer(self, path: str, universe: str) -> Filer:
        """The Maildirs of a universe, opened when they are first asked for."""
        filer = self._filers.get((path, universe))
        if filer is None:
            filer = self._filers[path, universe] = self._open_filer(path, universe)
        return filer

    def file(self, pickled: bytes) -> File:
        """How deliveries are to be filed: for the same octets the same, so that they are filed in one go."""
        file = self._files.get(pickled)
        if file is None:
            file = self._files[pickled] = pickle.loads(pickled)
        return file

    def forget(self, filer: Filer) -> None:
        """They are closed."""
        self._files.clear()
        self._filers = {key: one for key, one in self._filers.items() if one is not filer}


# One in the process that writes, none in any other.
_here: list[Office] = []


def open_office(office: Office) -> None:
    """From here on calls can be understood in this process."""
    _here[:] = [office]


def the_clerk() -> Clerk:
    """The clerk of this process."""
    return _here[0].clerk


def the_filer(path: str, universe: str) -> Filer:
    """The Maildirs of a universe, in this process."""
    return _here[0].filer(path, universe)


def close_filer(filer: Filer) -> None:
    """Nothing more is asked of the Maildirs of a universe."""
    filer.close()
    for office in _here:
        office.forget(filer)
