"""
What one store asks of its indexes, done in their thread.

What is found damaged is thrown away, and what was asked is done again.
A file of an index may be overwritten or cut by anybody at any time.  Nothing is lost by that, for all of
it follows from the Maildirs.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Any

import msgspec
from twisted.internet.defer import Deferred

from simmail.mailstore.index.index import Index
from simmail.mailstore.threads import IWorker

#: What SQLite says of a file that is not what it wrote (SQLITE_ERROR, SQLITE_IOERR, SQLITE_CORRUPT, SQLITE_NOTADB):
#: tables that are gone are an error of the first kind, octets that are gone one of the second.
_DAMAGED = frozenset((1, 10, 11, 26))


class IndexExecutor:
    """
    For one store.

    @param worker: the thread; index: of the store, which each function gets first.
    """

    def __init__(self, worker: IWorker, index: Index) -> None:
        self._worker = worker
        self._index = index

    def call(self, function: Callable[..., Any], *args: Any) -> Deferred[Any]:
        """Deferred of what C{function(index, *args)} answers."""
        return self._worker.call(self._surely, function, *args)

    def _surely(self, function: Callable[..., Any], *args: Any) -> Any:
        """In the thread."""
        try:
            return function(self._index, *args)
        except (sqlite3.DatabaseError, msgspec.MsgspecError, UnicodeDecodeError) as error:
            if not is_damage(error):
                raise
            self._index.distrust(error)
        # From an empty index it is answered as if nothing had been known.
        return function(self._index, *args)


def is_damage(error: Exception) -> bool:
    """Whether an error tells of a file that holds something else than was written; not of a full disk, say."""
    if isinstance(error, sqlite3.Error):
        # Errors of this module itself, which have no number, are none of the file.
        return getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGED
    return True
