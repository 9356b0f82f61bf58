"""
The digests of messages in the index, in three tables by how often they are asked for.

The id of a row is the number of the folder and the UID.  What FETCH shows can
be there before the rest is: it is taken from a message in a quarter of the
time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from itertools import accumulate
from typing import Any

import msgspec

from simmail.core.address import Address
from simmail.core.digest import Digest, Enclosed
from simmail.mailstore.flags import instant, microseconds
from simmail.mailstore.fulltext import FullText
from simmail.mailstore.indexfile import IndexFile

#: Rows of a query; more do not fit into the processor's caches.
_SLICE = 200
#: Messages written by one statement.
_TOGETHER = 16

TABLES: dict[str, tuple[str, ...]] = {
    # What FETCH asks for again and again, then what lists and sorts need, then what only searches read.
    "shown": ("envelope", "structure"),
    "fields": ("body", "message_id", "in_reply_to", "references", "subject", "base_subject", "from_", "to", "cc",
               "sent", "preview", "filenames", "attachments", "format"),
    "texts": ("header", "text"),
}
TABLE_OF = {name: table for table, names in TABLES.items() for name in names}

SCHEMA = tuple(
    f"create table {table} (id integer primary key, {', '.join(f'{chr(34)}{name}{chr(34)} blob' for name in names)})"
    for table, names in TABLES.items())

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


#: Takes the envelope and the structure of a message.
Shown = Callable[[bytes], tuple[bytes, bytes]]


class DigestRows:
    """
    The tables.

    @param digest: takes the digest of a message; shown: takes only what FETCH shows, None for never.
    """

    def __init__(
        self, file: IndexFile, fulltext: FullText, digest: Callable[[bytes], Digest], shown: Shown | None
    ) -> None:
        self._file = file
        self._fulltext = fulltext
        self._digest = digest
        self._shown = shown

    def fetch(self, number: int, uids: Sequence[int], names: Sequence[str]) -> dict[int, tuple[Any, ...]]:
        """Some fields of the digests of which all these are there."""
        found: list[dict[int, list[Any]]] = []
        places = []
        for table, all_names in TABLES.items():
            wanted = [name for name in all_names if name in names]
            if wanted or (table == "texts" and not names):
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
        result: dict[int, Any] = {}
        base = number << 32
        ordered = sorted(set(uids))
        for begin in range(0, len(ordered), _SLICE):
            some = ordered[begin:begin + _SLICE]
            low, high = some[0], some[-1]
            dense = high - low < 2 * len(some)
            values: tuple[int, ...] = span(number, low, high) if dense else ()
            where = "id between ? and ?" if dense else f"id in ({','.join([str(base + uid) for uid in some])})"
            found, columns = self._columns(f"from (select * from {table} where {where} order by id)", values, names)
            parts = []
            for name, pieces in zip(names, columns):
                decode = _CODECS[name][0]
                parts.append(pieces if decode is _as_is else list(map(decode, pieces)))
            rows = zip([one - base for one in found], zip(*parts) if parts else iter(lambda: (), None))
            if dense and high - low + 1 != len(some):
                wanted = set(some)
                result.update([(uid, row) for uid, row in rows if uid in wanted])
            else:
                result.update(rows)
        return result

    def _columns(
        self, source: str, values: tuple[int, ...], names: Sequence[str]
    ) -> tuple[list[int], list[list[bytes]]]:
        """The ids of some rows, and their fields."""
        # One row for many messages: each row that SQLite hands over costs a change of threads.
        columns = "".join(f", group_concat(\"{name}\", x'00')" for name in names)
        row = self._file.sql.execute(f"select group_concat(id){columns} {source}", values).fetchone()
        if row[0] is None:
            return [], [[] for _ in names]
        ids = list(map(int, row[0].split(b",")))
        parts = [octets.split(b"\0") for octets in row[1:]]
        if all(len(part) == len(ids) for part in parts):
            return ids, parts
        # Some hold NUL, which most never do.
        columns = "".join(f", group_concat(length(\"{name}\")), group_concat(\"{name}\", '')" for name in names)
        row = self._file.sql.execute(f"select group_concat(id){columns} {source}", values).fetchone()
        parts = []
        for lengths, octets in zip(row[1::2], row[2::2]):
            sizes = list(map(int, lengths.split(b",")))
            parts.append([octets[end - size:end] for size, end in zip(sizes, accumulate(sizes))])
        return ids, parts

    def missing(self, number: int, uids: Sequence[int], names: Sequence[str] = ()) -> list[int]:
        """Those UIDs of which some of these fields are not there; without names, of which not all are."""
        tables = {TABLE_OF[name] for name in names} or {"texts"}
        having = set(uids)
        for table in tables:
            having.intersection_update(self._fetch(table, number, uids, ()))
        return [uid for uid in uids if uid not in having]

    def take(
        self, number: int, messages: Iterable[tuple[int, bytes]], names: Sequence[str] = ()
    ) -> dict[int, tuple[Any, ...]]:
        """
        Take the digests of messages, and keep them.

        @param names: the fields that are wanted now, which are answered; no others need to be taken.
        """
        if self._shown is not None and names and all(TABLE_OF[name] == "shown" for name in names):
            places = [TABLES["shown"].index(name) for name in names]
            shown = [(uid, self._shown(octets)) for uid, octets in messages]
            with self._file.together():
                self._write("shown", [[(number << 32) + uid, *values] for uid, values in shown])
            return {uid: tuple([values[at] for at in places]) for uid, values in shown}
        taken = [(uid, self._digest(octets)) for uid, octets in messages]
        self.put(number, taken)
        return {uid: tuple([getattr(digest, name) for name in names]) for uid, digest in taken}

    def put(self, number: int, digests: Sequence[tuple[int, Digest]]) -> None:
        """Keep digests."""
        base = number << 32
        with self._file.together():
            for table, names in TABLES.items():
                codecs = [(name, _CODECS[name][1]) for name in names]
                self._write(table, [[base + uid, *[encode(getattr(digest, name)) for name, encode in codecs]]
                                    for uid, digest in digests])
            self._fulltext.came([(base + uid, digest) for uid, digest in digests])

    def _write(self, table: str, rows: Sequence[Sequence[Any]]) -> None:
        one = f"({','.join('?' * (len(TABLES[table]) + 1))})"
        for begin in range(0, len(rows), _TOGETHER):
            some = rows[begin:begin + _TOGETHER]
            self._file.sql.execute(f"insert or replace into {table} values {','.join([one] * len(some))}",
                                   [value for row in some for value in row])

    def copy(self, source: int, target: int, pairs: Sequence[tuple[int, int]]) -> None:
        """Messages were copied: so are their digests."""
        old, new = source << 32, target << 32
        with self._file.together() as sql:
            for begin in range(0, len(pairs), _SLICE):
                values = ",".join([f"({old + before},{new + after})" for before, after in pairs[begin:begin + _SLICE]])
                for table, names in TABLES.items():
                    columns = ", ".join(f'{table}."{name}"' for name in names)
                    sql.execute(
                        f"with pairs(old, new) as (values {values}) insert or replace into {table} "
                        f"select pairs.new, {columns} from pairs cross join {table} on {table}.id = pairs.old")
                self._fulltext.copied(values)

    def expunge(self, number: int, uids: Sequence[int]) -> None:
        """Messages are gone."""
        base = number << 32
        with self._file.together():
            for begin in range(0, len(uids), _SLICE):
                self._drop(f"id in ({','.join([str(base + uid) for uid in uids[begin:begin + _SLICE]])})")

    def drop(self, number: int) -> None:
        """All of a folder."""
        with self._file.together():
            self._drop("id between %d and %d" % span(number))

    def _drop(self, where: str) -> None:
        for table in TABLES:
            gone = self._file.sql.execute(f"delete from {table} where {where}").rowcount
        # The last table is that of the texts.
        self._fulltext.went(where, gone)

    def containing(self, number: int, name: str, text: str, low: int = 0, high: int = 0xFFFFFFFF) -> list[int]:
        """
        The UIDs (of a range) of digests with a text in a field, in their order.

        Upper and lower case of ASCII letters are the same.  A character that is not ASCII stands for any.
        In a field that is a list its JSON is searched.
        """
        return [one - (number << 32) for one in self._fulltext.containing(
            TABLE_OF[name], name, text, *span(number, low, high))]


def span(number: int, low: int = 0, high: int = 0xFFFFFFFF) -> tuple[int, int]:
    """The first and the last id of a range of UIDs."""
    return (number << 32) + low, (number << 32) + high
