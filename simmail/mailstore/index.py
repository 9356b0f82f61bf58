"""
The index of one universe: what is quicker to keep than to work out again.

A SQLite file that can be deleted at any time: everything in it follows from
the Maildirs.  It holds each loaded folder as it last was (so that a folder
need not be listed, and MODSEQs outlive a restart) and the digests of
messages.  Used in one thread only.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from itertools import accumulate
from typing import Any, NamedTuple

import msgspec
from twisted.logger import Logger

from simmail.core.address import Address
from simmail.core.digest import Digest, Enclosed
from simmail.mailstore.flags import instant, microseconds
from simmail.mailstore.segments import boot_id

#: Raised when what is kept changes; an index of another layout is thrown away.
LAYOUT = 2

#: Rows of a query; more do not fit into the processor's caches.
_SLICE = 200
#: Messages written by one statement.
_TOGETHER = 16

_TABLES: dict[str, tuple[str, ...]] = {
    # What FETCH asks for again and again, then what lists and sorts need, then what only searches read.
    "shown": ("envelope", "structure"),
    "fields": ("body", "message_id", "in_reply_to", "references", "subject", "base_subject", "from_", "to", "cc",
               "sent", "preview", "filenames", "attachments", "format"),
    "texts": ("header", "text"),
}
_TABLE_OF = {name: table for table, names in _TABLES.items() for name in names}

Decode = Callable[[bytes], Any]


def _as_text(octets: bytes) -> str:
    return octets.decode("utf-8", "surrogatepass")


def _from_text(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _as_instant(octets: bytes) -> datetime | None:
    return instant(int(octets)) if octets else None


def _from_instant(at: datetime | None) -> bytes:
    return b"" if at is None else b"%d" % microseconds(at)


def _as_is(octets: bytes) -> bytes:
    return octets


# JSON, so that addresses and file names can be searched as they stand.
_json = msgspec.json.Encoder().encode
_ADDRESSES = msgspec.json.Decoder(tuple[Address, ...]).decode
_STRINGS = msgspec.json.Decoder(tuple[str, ...]).decode
_ENCLOSED = msgspec.json.Decoder(tuple[Enclosed, ...]).decode

_CODECS: dict[str, tuple[Decode, Callable[[Any], bytes]]] = {
    **dict.fromkeys(("envelope", "structure", "body", "header"), (_as_is, _as_is)),
    **dict.fromkeys(
        ("message_id", "in_reply_to", "subject", "base_subject", "preview", "text", "format"), (_as_text, _from_text)),
    **dict.fromkeys(("from_", "to", "cc"), (_ADDRESSES, _json)),
    **dict.fromkeys(("references", "filenames"), (_STRINGS, _json)),
    "attachments": (_ENCLOSED, _json),
    "sent": (_as_instant, _from_instant),
}


class Snapshot(NamedTuple):
    """
    A folder as it was.

    @ivar times: of C{new} and C{cur} (nanoseconds) when it was so for certain, (0, 0) for never.
    @ivar vanished: (MODSEQ, UID) of messages expunged; known for MODSEQs from C{vanished_from} on.
    """

    uidvalidity: int
    uidnext: int
    highestmodseq: int
    times: tuple[int, int]
    vanished_from: int
    vanished: list[tuple[int, int]]
    rows: bytes


class _Corrupt(Exception):
    pass


_pack = msgspec.msgpack.Encoder().encode
_snapshot = msgspec.msgpack.Decoder(Snapshot).decode


class Index:
    """
    The index in one file.

    @param digest: takes the digest of a message.
    """

    log = Logger()

    def __init__(self, path: str, digest: Callable[[bytes], Digest]) -> None:
        self._path = path
        self._digest = digest
        self._connection: sqlite3.Connection | None = None
        self._folders: dict[tuple[str, str, int], int] = {}
        self._writes = 0

    # Opening and closing

    @property
    def _sql(self) -> sqlite3.Connection:
        if self._connection is None:
            os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
            try:
                self._connection = self._opened()
            except (sqlite3.DatabaseError, _Corrupt) as error:
                if os.path.exists(self._path):
                    self.log.info("the index {path} is made anew: {error}", path=self._path, error=error)
                self._remove()
                self._connection = self._opened()
        return self._connection

    def _opened(self) -> sqlite3.Connection:
        new = not os.path.exists(self._path)
        connection = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False, cached_statements=64)
        try:
            connection.text_factory = bytes
            for pragma in ("page_size=16384", "journal_mode=wal", "synchronous=off", "mmap_size=8589934592",
                           "cache_size=-4096", "temp_store=memory"):
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
        connection.execute(
            "create table folders (id integer primary key, mailbox text, name text, uidvalidity integer, "
            "snapshot blob, unique (mailbox, name))")
        for table, names in _TABLES.items():
            columns = ", ".join(f'"{name}" blob' for name in names)
            connection.execute(f"create table {table} (id integer primary key, {columns})")
        connection.execute("insert into about values (?)", (_about(),))

    def _remove(self) -> None:
        self._folders.clear()
        for suffix in ("", "-wal", "-shm"):
            try:
                os.unlink(self._path + suffix)
            except FileNotFoundError:
                pass

    def close(self) -> None:
        """It stays on disk."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        self._folders.clear()

    def erase(self) -> None:
        """It is gone."""
        self.close()
        self._remove()

    # Folders

    def folder(self, mailbox: str, name: str, uidvalidity: int) -> int:
        """The number of a folder; what is kept of one with another UIDVALIDITY goes."""
        key = (mailbox, name, uidvalidity)
        number = self._folders.get(key)
        if number is None:
            row = self._sql.execute(
                "select id, uidvalidity from folders where mailbox=? and name=?", (mailbox, name)).fetchone()
            if row is not None and row[1] == uidvalidity:
                number = row[0]
            else:
                if row is not None:
                    self._drop(row[0])
                number = self._sql.execute(
                    "insert into folders (mailbox, name, uidvalidity) values (?, ?, ?)", key).lastrowid
            assert number is not None
            self._folders[key] = number
        return number

    def load(self, mailbox: str, name: str, uidvalidity: int) -> Snapshot | None:
        """A folder as it was, if it is known."""
        number = self.folder(mailbox, name, uidvalidity)
        (octets,) = self._sql.execute("select snapshot from folders where id=?", (number,)).fetchone()
        if octets is None:
            return None
        try:
            return _snapshot(octets)
        except msgspec.MsgspecError:
            return None

    def save(self, mailbox: str, name: str, snapshot: Snapshot) -> None:
        """A folder as it is."""
        number = self.folder(mailbox, name, snapshot.uidvalidity)
        self._sql.execute("update folders set snapshot=? where id=?", (_pack(snapshot), number))

    def forget(self, mailbox: str, name: str | None = None) -> None:
        """A folder, or all of a mailbox, is gone or called something else."""
        if name is None:
            rows = self._sql.execute("select id from folders where mailbox=?", (mailbox,)).fetchall()
        else:
            rows = self._sql.execute(
                "select id from folders where mailbox=? and name=?", (mailbox, name)).fetchall()
        for (number,) in rows:
            self._drop(number)

    def _drop(self, number: int) -> None:
        self._sql.execute("delete from folders where id=?", (number,))
        for table in _TABLES:
            self._sql.execute(f"delete from {table} where id between ? and ?", _range(number, 0, 0xFFFFFFFF))
        self._folders = {key: value for key, value in self._folders.items() if value != number}

    # Digests

    def fetch(self, number: int, uids: Sequence[int], names: Sequence[str]) -> dict[int, tuple[Any, ...]]:
        """Some fields of the digests that are there."""
        found: list[dict[int, list[Any]]] = []
        places = []
        for table, all_names in _TABLES.items():
            wanted = [name for name in all_names if name in names]
            if wanted or (table == "shown" and not names):
                found.append(self._fetch(table, number, uids, wanted))
                places += wanted
        order = [places.index(name) for name in names]
        if len(found) == 1 and order == list(range(len(order))):
            return {uid: tuple(row) for uid, row in found[0].items()}
        result = {}
        for uid, row in found[0].items():
            try:
                whole = [value for part in found for value in part[uid]]
            except KeyError:
                continue
            result[uid] = tuple([whole[at] for at in order])
        return result

    def _fetch(self, table: str, number: int, uids: Sequence[int], names: Sequence[str]) -> dict[int, Any]:
        # One row for many messages: each row that SQLite hands over costs a change of threads.
        columns = "".join(f", group_concat(length(\"{name}\")), group_concat(\"{name}\", '')" for name in names)
        result: dict[int, Any] = {}
        base = number << 32
        ordered = sorted(set(uids))
        for begin in range(0, len(ordered), _SLICE):
            some = ordered[begin:begin + _SLICE]
            low, high = some[0], some[-1]
            dense = high - low < 2 * len(some)
            values: tuple[int, ...] = _range(number, low, high) if dense else ()
            where = "id between ? and ?" if dense else f"id in ({','.join([str(base + uid) for uid in some])})"
            row = self._sql.execute(
                f"select group_concat(id - {base}){columns} from "
                f"(select * from {table} where {where} order by id)", values).fetchone()
            if row[0] is None:
                continue
            parts = []
            for at, name in enumerate(names):
                lengths = list(map(int, row[1 + 2 * at].split(b",")))
                octets = row[2 + 2 * at]
                decode = _CODECS[name][0]
                pieces = [octets[end - length:end] for length, end in zip(lengths, accumulate(lengths))]
                parts.append(pieces if decode is _as_is else [decode(piece) for piece in pieces])
            found = zip(map(int, row[0].split(b",")), zip(*parts) if parts else iter(lambda: (), None))
            if dense and high - low + 1 != len(some):
                wanted = set(some)
                result.update((uid, values) for uid, values in found if uid in wanted)
            else:
                result.update(found)
        return result

    def missing(self, number: int, uids: Sequence[int]) -> list[int]:
        """Those UIDs of which no digest is there."""
        having = self._fetch("shown", number, uids, ())
        return [uid for uid in uids if uid not in having]

    def take(self, number: int, messages: Iterable[tuple[int, bytes]]) -> list[tuple[int, Digest]]:
        """Take the digests of messages, and keep them."""
        taken = [(uid, self._digest(octets)) for uid, octets in messages]
        self.put(number, taken)
        return taken

    def put(self, number: int, digests: Sequence[tuple[int, Digest]]) -> None:
        """Keep digests."""
        base = number << 32
        sql = self._sql
        sql.execute("begin")
        try:
            for table, names in _TABLES.items():
                codecs = [(name, _CODECS[name][1]) for name in names]
                rows = [[base + uid, *(encode(getattr(digest, name)) for name, encode in codecs)]
                        for uid, digest in digests]
                one = f"({','.join('?' * (len(names) + 1))})"
                for begin in range(0, len(rows), _TOGETHER):
                    some = rows[begin:begin + _TOGETHER]
                    sql.execute(f"insert or replace into {table} values {','.join([one] * len(some))}",
                                [value for row in some for value in row])
        finally:
            sql.execute("commit")

    def copy(self, source: int, target: int, pairs: Sequence[tuple[int, int]]) -> None:
        """Messages were copied: so are their digests."""
        sql = self._sql
        sql.execute("begin")
        try:
            for begin in range(0, len(pairs), _SLICE):
                some = pairs[begin:begin + _SLICE]
                values = ",".join(f"({(source << 32) + old},{(target << 32) + new})" for old, new in some)
                for table, names in _TABLES.items():
                    columns = ", ".join(f'{table}."{name}"' for name in names)
                    sql.execute(
                        f"with pairs(old, new) as (values {values}) insert or replace into {table} "
                        f"select pairs.new, {columns} from pairs cross join {table} on {table}.id = pairs.old")
        finally:
            sql.execute("commit")

    def expunge(self, number: int, uids: Sequence[int]) -> None:
        """Messages are gone."""
        base = number << 32
        sql = self._sql
        sql.execute("begin")
        try:
            for begin in range(0, len(uids), _SLICE):
                some = ",".join([str(base + uid) for uid in uids[begin:begin + _SLICE]])
                for table in _TABLES:
                    sql.execute(f"delete from {table} where id in ({some})")
        finally:
            sql.execute("commit")

    def containing(self, number: int, name: str, text: str) -> list[int]:
        """
        The UIDs of digests with a text in a field, in the order of UIDs.

        Upper and lower case of ASCII letters are the same.  A character that is not ASCII stands for any.
        In a field that is a list its JSON is searched.
        """
        pattern = "%" + "".join(
            "%" if char > "~" else f"\\{char}" if char in "%_\\" else char for char in text) + "%"
        base = number << 32
        (row,) = self._sql.execute(
            f"select group_concat(id - {base}) from (select id from {_TABLE_OF[name]} where id between ? and ? "
            f"and cast(\"{name}\" as text) like ? escape '\\' order by id)",
            (*_range(number, 0, 0xFFFFFFFF), pattern)).fetchone()
        return list(map(int, row.split(b","))) if row else []


def _about() -> bytes:
    return f"{LAYOUT} {boot_id()}".encode("ascii")


def _range(number: int, low: int, high: int) -> tuple[int, int]:
    return (number << 32) + low, (number << 32) + high
