"""
The file of an index: a SQLite database that is thrown away whenever there is doubt about it.

Used in one thread only.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from twisted.logger import Logger

from simmail.mailstore.journal.segment import boot_id

#: Raised when what is kept changes; an index of another layout is thrown away.
LAYOUT = 7


class _Corrupt(Exception):
    pass


class IndexFile:
    """
    One file.

    @param schema: statements that make its tables.
    @param extras: statements that make tables which this SQLite may not know; without them all works, slower.
    @param shared: other processes use the file too.
    @ivar born: another number whenever it was made anew or closed.
    """

    log = Logger()

    def __init__(self, path: str, schema: Sequence[str], extras: Sequence[str], shared: bool = False) -> None:
        self._path, self._shared, self._schema, self._extras = path, shared, schema, extras
        self._connection: sqlite3.Connection | None = None
        self.born = 0

    @property
    def sql(self) -> sqlite3.Connection:
        """The connection; the file is opened or made when it is not open."""
        if self._connection is None:
            self._make_folder()
            try:
                self._connection = self._opened()
            except (sqlite3.DatabaseError, _Corrupt) as error:
                if os.path.exists(self._path):
                    self.log.info("the index {path} is made anew: {error}", path=self._path, error=error)
                self._remove()
                self._connection = self._opened()
        return self._connection

    def _make_folder(self) -> None:
        folder = os.path.dirname(self._path)
        try:
            # Alone: a state folder that was taken away must not get another in its place.
            os.mkdir(folder, 0o700)
        except FileExistsError:
            pass

    @contextmanager
    def together(self) -> Iterator[sqlite3.Connection]:
        """What is written in here is written at once."""
        sql = self.sql
        sql.execute("begin")
        try:
            yield sql
        except BaseException:
            if sql.in_transaction:
                sql.execute("rollback")
            raise
        sql.execute("commit")

    def has(self, table: str) -> bool:
        """Whether there is such a table."""
        return self.sql.execute("select 1 from sqlite_master where name=?", (table,)).fetchone() is not None

    def _opened(self) -> sqlite3.Connection:
        new = not os.path.exists(self._path)
        connection = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False, cached_statements=64)
        try:
            connection.text_factory = bytes
            # Not mapped: the process would grow with the file and die of a disk that fails, and reading is as fast.
            # Nor is the index of its log, for who alone uses the file: one that is cut would end the process.
            for pragma in (f"locking_mode={'normal' if self._shared else 'exclusive'}", "page_size=16384",
                           "journal_mode=wal", "synchronous=off", "mmap_size=0", "cache_size=-2048",
                           "temp_store=memory"):
                connection.execute(f"pragma {pragma}")
            if new:
                self._create(connection)
            (made,) = connection.execute("select value from about").fetchone() or (b"",)
            # Nothing is synced, so after the machine went down the file may be anything.
            if made != _about():
                raise _Corrupt("of another layout, or from before the machine went down")
        except (sqlite3.DatabaseError, _Corrupt):
            connection.close()
            raise
        return connection

    def _create(self, connection: sqlite3.Connection) -> None:
        connection.execute("create table about (value blob)")
        for statement in self._schema:
            connection.execute(statement)
        for statement in self._extras:
            try:
                connection.execute(statement)
            except sqlite3.OperationalError as error:
                self.log.warn("searches are slower than they could be: {error}", error=error)
        connection.execute("insert into about values (?)", (_about(),))

    def _remove(self) -> None:
        self.born += 1
        for suffix in ("", "-wal", "-shm"):
            try:
                os.unlink(self._path + suffix)
            except FileNotFoundError:
                pass
            except IsADirectoryError:
                # Nothing of ours; whoever put it there may want it.
                os.rename(self._path + suffix, f"{self._path}{suffix}.{self.born}.damaged")

    def distrust(self, why: Exception) -> None:
        """It is not what was written: the next who asks finds it new and empty."""
        self.log.warn("the index {path} is damaged and made anew: {why}", path=self._path, why=why)
        try:
            self.close()
        except sqlite3.Error:
            # What it could not write any more is of no use.
            self._connection = None
        self._remove()

    def close(self) -> None:
        """It stays on disk."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        self.born += 1

    def erase(self) -> None:
        """It is gone."""
        self.close()
        self._remove()


def _about() -> bytes:
    return f"{LAYOUT} {boot_id()}".encode("ascii")
