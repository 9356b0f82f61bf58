"""
The digests of messages in the index, in tables by how often and for what they are asked for.

The id of a row is the number of the folder and the UID.  What FETCH shows can
be there before the rest is: it is taken from a message in a quarter of the
time.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime
from itertools import accumulate, groupby, repeat
from sqlite3 import Connection
from typing import Any, NamedTuple

import msgspec

from simmail.core.message.sort import Criterion, OF_FOLDER
from simmail.core.message.summary import Digest, Enclosed, SEARCHED
from simmail.core.mime.address import Address
from simmail.core.records.folder import Columns, by_uid, only
from simmail.core.time.instant import microseconds, of_microseconds
from simmail.mailstore.index.fulltext import FullText
from simmail.mailstore.index.sqlite import IndexFile
from simmail.mailstore.maildir.files import Shown, Stub

#: Rows of a query; more do not fit into the processor's caches.
_SLICE = 200
#: Messages written by one statement.
_TOGETHER = 16
#: So few messages are named to SQLite when they are to be put in order; of more, all between them are.
_FEW = 500
#: Orders that are kept for who asks again.
_ORDERS = 4
#: What kept orders are called: the file, the folder, its first and last id, the criteria.
OrderKey = tuple[int, int, int, int, tuple[Criterion, ...]]
#: Numbers read from text between two moments at which another thread may go on.
_PARSED = 5000

TABLES: dict[str, tuple[str, ...]] = {
    # What FETCH asks for again and again, then what lists and sorts need, then what only searches read.
    "shown": ("envelope", "structure"),
    "fields": ("body", "message_id", "in_reply_to", "references", "subject", "base_subject", "from_", "to", "cc",
               "sent", "preview", "filenames", "attachments", "format"),
    "texts": ("header", "text"),
    # What searches compare.
    "searched": SEARCHED,
    # What follows from the digest, to be put in order by, or threaded by.
    "orders": ("arrival", "size", "at", "order_subject", "order_from", "order_to", "order_cc", "display_from",
               "display_to", "is_reply", "chain", "sent_day"),
}
SHOWN = TABLES["shown"]
#: Which messages have digests is read from the smallest of those tables that are written together.
_LEAST = "orders"

SCHEMA = tuple(
    f"create table {table} (id integer primary key, {', '.join(f'{chr(34)}{name}{chr(34)} blob' for name in names)})"
    for table, names in TABLES.items())

Decode = Callable[[bytes], Any]


def _as_text(octets: bytes) -> str:
    return octets.decode("utf-8", "surrogatepass")


def _from_text(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _as_instant(octets: bytes) -> datetime | None:
    return of_microseconds(int(octets)) if octets else None


def _from_instant(at: datetime | None) -> bytes:
    return b"" if at is None else b"%d" % microseconds(at)


def _as_is(octets: bytes) -> bytes:
    return octets


def _as_strings(octets: bytes) -> tuple[str, ...]:
    return () if octets == b"[]" else _STRINGS(octets)


# JSON, so that addresses and file names can be searched as they stand.
_json = msgspec.json.Encoder().encode
_ADDRESSES = msgspec.json.Decoder(tuple[Address, ...]).decode
_STRINGS = msgspec.json.Decoder(tuple[str, ...]).decode
_ENCLOSED = msgspec.json.Decoder(tuple[Enclosed, ...]).decode

_CODECS: dict[str, tuple[Decode, Callable[[Any], bytes | int]]] = {
    **dict.fromkeys(("envelope", "structure", "body", "header"), (_as_is, _as_is)),
    **dict.fromkeys(
        ("message_id", "in_reply_to", "subject", "base_subject", "preview", "text", "format"), (_as_text, _from_text)),
    **dict.fromkeys(("from_", "to", "cc"), (_ADDRESSES, _json)),
    **dict.fromkeys(("references", "filenames", "chain"), (_as_strings, _json)),
    "attachments": (_ENCLOSED, _json),
    "sent": (_as_instant, _from_instant),
    **dict.fromkeys(TABLES["orders"][3:9], (_as_text, _from_text)),
    **dict.fromkeys(SEARCHED, (_as_text, _from_text)),
    "is_reply": (b"1".__eq__, int),
    "sent_day": (int, int),
}


def quoted(name: str) -> str:
    """The name of a column in SQL: some are words of that language."""
    return f'"{name}"'


def is_shown(names: Sequence[str]) -> bool:
    """Whether these fields, and they alone, are in the first table."""
    return bool(names) and all(name in SHOWN for name in names)


class Unread(NamedTuple):
    """A message whose digest is to be taken; C{date}: INTERNALDATE, in microseconds since 1970."""

    uid: int
    date: int
    octets: bytes


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
        # By folder: up to which UID it was looked at which are missing, and which of those are.
        self._lacking: dict[int, tuple[int, set[int]]] = {}
        self._born = 0
        # Of all messages of a range that there are digests of; of those that envelopes told of also their UIDs sorted.
        self._orders: dict[OrderKey, tuple[array[int], Sequence[int]]] = {}

    def columns(self, number: int, uids: Sequence[int], names: Sequence[str]) -> Columns:
        """Some fields of the digests of which all these are there, in the order of C{uids}, each once."""
        wanted = list(uids)
        ordered = sorted(set(wanted))
        found: list[int] = []
        columns: list[list[Any]] = [[] for _ in names]
        for begin in range(0, len(ordered), _SLICE):
            there, parts = self._slice(number, ordered[begin:begin + _SLICE], names)
            found += there
            for column, part in zip(columns, parts):
                column += part
        if wanted == ordered:
            return found, columns
        places = {uid: at for at, uid in enumerate(found)}
        found = [uid for uid in dict.fromkeys(wanted) if uid in places]
        return found, [[column[places[uid]] for uid in found] for column in columns]

    def _slice(self, number: int, uids: list[int], names: Sequence[str]) -> Columns:
        """The same of a few ascending UIDs."""
        found: list[int] | None = None
        parts: dict[str, list[Any]] = {}
        for table, all_names in TABLES.items():
            wanted = [name for name in all_names if name in names]
            if wanted or (table == _LEAST and not names):
                there, columns = self._of_table(table, number, uids, wanted)
                if found is not None and found != there:
                    both = set(found).intersection(there)
                    parts = dict(zip(parts, only(found, both, list(parts.values()))[1]))
                    there, columns = only(there, both, columns)
                found = there
                parts.update(zip(wanted, columns))
        return found or [], [parts[name] for name in names]

    def _of_table(self, table: str, number: int, uids: list[int], names: Sequence[str]) -> Columns:
        base = number << 32
        low, high = uids[0], uids[-1]
        where: str = "id between ? and ?"
        values: tuple[int, ...] = span(number, low, high)
        if high - low >= 2 * len(uids):
            where, values = f"id in ({','.join([str(base + uid) for uid in uids])})", ()
        source = f"from (select {', '.join(['id', *map(quoted, names)])} from {table} where {where} order by id)"
        # One row for many messages: each row that SQLite hands over costs a change of threads.
        texts = "".join([f", group_concat({quoted(name)}, x'00')" for name in names])
        sql, found, dense = self._file.sql, uids, high - low + 1 == len(uids)
        numbers = "count(*)" if dense else "group_concat(id)"
        numbered, *joined = sql.execute(f"select {numbers}{texts} {source}", values).fetchone()
        if dense and 0 < numbered < len(uids):
            (numbered,) = sql.execute(f"select group_concat(id) {source}", values).fetchone()
        if not numbered:
            return [], [[] for _ in names]
        if isinstance(numbered, bytes):
            found = [int(one) - base for one in numbered.split(b",")]
        # A text is decoded at once, in a tenth of the time that its pieces take.
        columns: list[list[Any]] = [
            _as_text(octets).split("\0") if _CODECS[name][0] is _as_text else octets.split(b"\0")
            for name, octets in zip(names, joined)]
        if any([len(column) != len(found) for column in columns]):
            columns = [list(map(_as_text, column)) if _CODECS[name][0] is _as_text else column
                       for name, column in zip(names, self._odd(source, values, names))]
        if found != uids:
            found, columns = only(found, set(uids), columns)
        for at, name in enumerate(names):
            decode = _CODECS[name][0]
            if decode not in (_as_is, _as_text):
                columns[at] = list(map(decode, columns[at]))
        return found, columns

    def _odd(self, source: str, values: tuple[int, ...], names: Sequence[str]) -> list[list[Any]]:
        """The fields of some rows of which some hold NUL, which most never do."""
        texts = ", ".join([f"group_concat(length({name})), group_concat({name}, '')" for name in map(quoted, names)])
        row = self._file.sql.execute(f"select {texts} {source}", values).fetchone()
        columns: list[list[Any]] = []
        for lengths, octets in zip(row[::2], row[1::2]):
            sizes = list(map(int, lengths.split(b",")))
            columns.append([octets[end - size:end] for size, end in zip(sizes, accumulate(sizes))])
        return columns

    def fetch(self, number: int, uids: Sequence[int], names: Sequence[str]) -> dict[int, tuple[Any, ...]]:
        """The same, by UID."""
        return by_uid(*self.columns(number, uids, names))

    def missing(self, number: int, uids: Sequence[int]) -> list[int]:
        """Those UIDs of whose digests not all is there."""
        if not uids:
            return []
        low, high = min(uids), max(uids)
        (count,) = self._file.sql.execute(
            f"select count(*) from {_LEAST} where id between ? and ?", span(number, low, high)).fetchone()
        if count == high - low + 1:
            # All there can be: counted in a tenth of the time that it takes to name them.
            return []
        having = set(self.columns(number, uids, ())[0])
        self._here(number, having)
        return [uid for uid in uids if uid not in having]

    def lacking(self, number: int, uids: Sequence[int]) -> list[int]:
        """
        The same of all the UIDs of a folder, ascending.

        Asked again it is only looked for what came since: there are no new messages below old ones.
        """
        if not uids:
            return []
        # Opened here, before it is asked whether it is the one that was looked at.
        self._file.sql  # noqa: B018
        if self._born != self._file.born:
            self._lacking.clear()
            self._born = self._file.born
        known, lacking = self._lacking.get(number, (0, set()))
        new = uids[bisect_right(uids, known):]
        if new:
            lacking.update(self.missing(number, new))
            self._lacking[number] = new[-1], lacking
        return sorted(lacking.intersection(uids)) if lacking else []

    def _here(self, number: int, uids: Iterable[int]) -> None:
        """These are not missing any more."""
        if number in self._lacking:
            self._lacking[number][1].difference_update(uids)

    def take(
        self, number: int, messages: Sequence[Unread], names: Sequence[str] = ()
    ) -> dict[int, tuple[Any, ...]]:
        """
        Take the digests of messages, and keep them.

        @param names: the fields that are wanted now, which are answered; no others need to be taken.
        """
        stubs = [one for one in messages if isinstance(one.octets, Stub)]
        if stubs:
            # Whoever can read them later finds nothing known of them.
            found = self.take(number, [one for one in messages if one not in stubs], names)
            for one in stubs:
                digest = self._digest(one.octets)
                found[one.uid] = tuple([getattr(digest, name) for name in names])
            return found
        if self._shown is not None and is_shown(names):
            return self.keep_shown(number, [(uid, self._shown(octets)) for uid, _, octets in messages], names)
        digests = [self._digest(one.octets) for one in messages]
        self.put(number, messages, digests)
        return {one.uid: tuple([getattr(digest, name) for name in names]) for one, digest in zip(messages, digests)}

    def keep_shown(
        self, number: int, rows: Sequence[tuple[int, tuple[bytes, bytes]]], names: Sequence[str]
    ) -> dict[int, tuple[Any, ...]]:
        """Keep envelopes and structures of messages; answers those of them that are wanted."""
        with self._file.together():
            self._write("shown", [[(number << 32) + uid, *values] for uid, values in rows])
        places = list(map(SHOWN.index, names))
        return {uid: tuple([values[at] for at in places]) for uid, values in rows}

    def put(self, number: int, messages: Sequence[Unread], digests: Sequence[Digest]) -> None:
        """Keep the digests of messages."""
        uids = [one.uid for one in messages]
        self._changed(number, uids)
        self._here(number, uids)
        ids = [(number << 32) + one.uid for one in messages]
        with self._file.together():
            for table, names in TABLES.items():
                codecs = [(name, _CODECS[name][1]) for name in names if name not in OF_FOLDER]
                known: Iterable[tuple[int, ...]] = repeat(())
                if table == "orders":
                    known = [
                        (one.date, len(one.octets), one.date if digest.sent is None else microseconds(digest.sent))
                        for one, digest in zip(messages, digests)]
                self._write(table, [
                    [id, *some, *[encode(getattr(digest, name)) for name, encode in codecs]]
                    for id, some, digest in zip(ids, known, digests)])
            self._fulltext.added(ids)

    def _write(self, table: str, rows: Sequence[Sequence[Any]]) -> None:
        one = f"({','.join('?' * (len(TABLES[table]) + 1))})"
        for begin in range(0, len(rows), _TOGETHER):
            some = rows[begin:begin + _TOGETHER]
            self._file.sql.execute(f"insert or replace into {table} values {','.join([one] * len(some))}",
                                   [value for row in some for value in row])

    def copy(self, source: int, target: int, pairs: Sequence[tuple[int, int]]) -> None:
        """Messages were copied, from UID to UID: so are their digests."""
        self._changed(target)
        base, distance = source << 32, (target - source) << 32
        with self._file.together() as sql:
            # Neighbours of which the copies are neighbours too go together.
            for _, group in groupby(enumerate(pairs), lambda numbered: (
                    numbered[1][0] - numbered[0], numbered[1][1] - numbered[0])):
                (_, (low, new)), *rest = group
                span = distance + new - low, base + low, base + low + len(rest)
                for table, names in TABLES.items():
                    sql.execute(
                        f"insert or replace into {table} select id + ?, {', '.join(map(quoted, names))} "
                        f"from {table} where id between ? and ?", span)
                self._fulltext.copied(*span)
        # Not all of them need have been there.
        self._lacking.pop(target, None)

    def ordered(self, number: int, uids: Sequence[int], criteria: Sequence[Criterion]) -> list[int]:
        """
        Those UIDs of whose digests all is there, in an order.

        SQLite sorts without the interpreter: others go on meanwhile.
        """
        base, few = number << 32, len(uids) <= _FEW
        where: str = f"id in ({','.join([str(base + uid) for uid in uids])})" if few else "id between ? and ?"
        values: tuple[int, ...] = () if few else span(number, min(uids), max(uids))
        # Opened here, before it is asked whether it is the one that was put in order.
        sql = self._file.sql
        if few:
            return self._in_order(sql, base, where, values, criteria)
        key: OrderKey = self._file.born, number, values[0], values[1], tuple(criteria)
        known = self._orders.pop(key, None)
        if known is None:
            known = array("L", self._in_order(sql, base, where, values, criteria)), ()
        self._keep(key, known)
        found = known[0].tolist()
        if len(found) == len(uids):
            return found
        wanted = set(uids)
        return [uid for uid in found if uid in wanted]

    def keep_order(
        self, number: int, uids: Sequence[int], criteria: Sequence[Criterion], order: Sequence[int]
    ) -> None:
        """Remember the order of some ascending UIDs, of all messages between which envelopes have told it."""
        if len(uids) > _FEW:
            self._file.sql  # noqa: B018  # opened before it is asked which it is
            self._keep((self._file.born, number, *span(number, uids[0], uids[-1]), tuple(criteria)),
                       (array("L", order), array("L", uids)))

    def _keep(self, key: OrderKey, order: tuple[array[int], Sequence[int]]) -> None:
        """What was asked for last is kept longest."""
        self._orders[key] = order
        while len(self._orders) > _ORDERS:
            del self._orders[next(iter(self._orders))]

    def _in_order(
        self, sql: Connection, base: int, where: str, values: Sequence[int], criteria: Sequence[Criterion]
    ) -> list[int]:
        by = "".join([f"{quoted(name)}{' desc' if reverse else ''}, " for name, reverse in criteria])
        (text,) = sql.execute(
            f"select group_concat(id - {base}) from (select id from orders where {where} order by {by}id)",
            values).fetchone()
        numbers = text.split(b",") if text else []
        found: list[int] = []
        for begin in range(0, len(numbers), _PARSED):
            found += map(int, numbers[begin:begin + _PARSED])
        return found

    def _changed(self, number: int, uids: Collection[int] = ()) -> None:
        """The messages of a folder are no more in the order that is kept, except where it has these new ones."""
        self._orders = {key: order for key, order in self._orders.items()
                        if key[1] != number or uids and all([_holds(order[1], uid) for uid in uids])}

    def expunge(self, number: int, uids: Sequence[int]) -> None:
        """Messages are gone."""
        self._changed(number)
        base = number << 32
        with self._file.together():
            for begin in range(0, len(uids), _SLICE):
                self._drop(f"id in ({','.join([str(base + uid) for uid in uids[begin:begin + _SLICE]])})")

    def drop(self, number: int) -> None:
        """All of a folder."""
        self._lacking.pop(number, None)
        self._changed(number)
        with self._file.together():
            self._drop("id between %d and %d" % span(number))

    def _drop(self, where: str) -> None:
        for table in TABLES:
            gone = self._file.sql.execute(f"delete from {table} where {where}").rowcount
        # All of a digest is in the last table if it is in any but the first.
        self._fulltext.removed(where, gone)

    def holding(self, names: Sequence[str], text: str, first: int, last: int) -> dict[int, list[int]]:
        """L{containing} of all folders whose numbers are from C{first} to C{last}: the UIDs by number."""
        found: dict[int, list[int]] = {}
        for one in self._fulltext.containing(names, text, span(first)[0], span(last)[1]):
            found.setdefault(one >> 32, []).append(one & 0xFFFFFFFF)
        return found

    def containing(
        self, number: int, names: Sequence[str], text: str, low: int = 0, high: int = 0xFFFFFFFF
    ) -> list[int]:
        """The UIDs (of a range) of digests with a folded text in one of some of C{SEARCHED}, sorted."""
        base = number << 32
        return [one - base for one in self._fulltext.containing(names, text, *span(number, low, high))]


def _holds(uids: Sequence[int], uid: int) -> bool:
    """Whether one is among ascending UIDs."""
    at = bisect_right(uids, uid)
    return at > 0 and uids[at - 1] == uid


def span(number: int, low: int = 0, high: int = 0xFFFFFFFF) -> tuple[int, int]:
    """The first and the last id of a range of UIDs."""
    return (number << 32) + low, (number << 32) + high
