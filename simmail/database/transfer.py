"""
All rows of a universe read out of Redis, and put into it again: see L{simmail.database.stored}.

Who is read or written is a universe that nobody has opened, so pages go together though they are read one by one.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from itertools import groupby
from typing import Any
from urllib.parse import unquote

import msgspec
from msgspec import Raw
from msgspec.structs import replace

from simmail.core.records.commit import Commit
from simmail.core.records.event import Event, Recorded, TYPES
from simmail.database import layout
from simmail.database.connection import RedisConnection, Word
from simmail.database.queries import job_of
from simmail.database.stored import (
    StoredArrival, StoredDocument, StoredJob, StoredNumbers, StoredOutcome, StoredRow,
)
from simmail.errors import Invalid, Unavailable

#: Rows of one answer.
PAGE = 500


_recorded = msgspec.json.Decoder(Recorded).decode
_as_json = msgspec.json.Encoder().encode
_job_again = msgspec.json.Decoder(StoredJob).decode
_arrival_again = msgspec.json.Decoder(StoredArrival).decode


async def dump(where: Callable[[], RedisConnection], prefix: str) -> AsyncIterator[Sequence[StoredRow]]:
    """
    Yield all rows of a universe, in pages of one kind.

    @param where: the connection that has it.
    @raise Unavailable: its keys have been moved meanwhile.
    """
    for name in sorted(await where().call(("SMEMBERS", prefix + layout.TABLES))):
        table = unquote(name.decode())
        async for pairs in _fields(where, prefix + layout.TABLE + name.decode()):
            yield [StoredDocument(table, key.decode(), Raw(value)) for key, value in pairs]
    # In this order a retirement moves none past the one that reads.
    for once in (layout.ONCE, layout.ONCE_BEFORE):
        async for pairs in _fields(where, prefix + once):
            yield [StoredOutcome(key.decode(), value.decode()) for key, value in pairs]
    async for pairs in _fields(where, prefix + layout.JOBS):
        yield [_whole(StoredJob(job_of(value)), _job_again, value.split(b"\0", 4)[4]) for _, value in pairs]
    arrivals = sorted(await where().call(("HVALS", prefix + layout.ARRIVALS)))
    yield [_whole(StoredArrival(layout.decode_arrival(octets[12:])), _arrival_again, octets[12:])
           for octets in arrivals]
    after = b"-"
    while rows := await where().call(("XRANGE", prefix + layout.EVENTS, after, "+", "COUNT", PAGE)):
        yield [_event(id, dict(zip(fields[::2], fields[1::2]))) for id, fields in rows]
        after = b"(" + rows[-1][0]
    last, floor = await where().call(("HMGET", prefix + layout.META, "last", "floor"))
    yield [StoredNumbers(int(last or 0), int(floor or 1))]


async def _fields(where: Callable[[], RedisConnection], key: str) -> AsyncIterator[list[tuple[bytes, bytes]]]:
    cursor, reads = b"0", where()
    while True:
        cursor, reply = await reads.call(("HSCAN", key, cursor, "COUNT", PAGE))
        if where() is not reads:
            # A cursor means something to the Redis that gave it only.
            raise Unavailable("what is read has moved to another Redis; try again")
        yield list(zip(reply[::2], reply[1::2]))
        if cursor == b"0":
            return


def _whole(row: Any, again: Callable[[bytes], Any], packed: bytes) -> Any:
    """A row of a job or arrival, with its octets where JSON would make another of it."""
    return row if again(_as_json(row)) == row else replace(row, packed=packed)


def _event(id: bytes, fields: Mapping[bytes, bytes]) -> Recorded:
    return _recorded(layout.event_body(fields[b"t"], int(id.partition(b"-")[0]), fields[b"a"], fields[b"d"]))


# Put back


class Loading:
    """
    Puts rows into a universe that has nothing.

    @param commit: the call of the commit script.
    @ivar used: the highest event number it ever used.
    """

    def __init__(self, writes: RedisConnection, prefix: str, commit: Callable[[Commit], list[Word]], used: int) -> None:
        self._writes, self._prefix, self._commit, self.used = writes, prefix, commit, used
        self._last = 0

    async def add(self, rows: Sequence[StoredRow]) -> None:
        """Put a page of one kind.  @raise Invalid: a row that cannot be; numbers of events have to ascend."""
        if not rows:
            return
        first = rows[0]
        if isinstance(first, Recorded):
            # The script gives the numbers; where one is left out it is told the next.
            events = [row for row in rows if isinstance(row, Recorded)]
            for _, run in groupby(enumerate(events), lambda one: one[1].id - one[0]):
                await self._events([row for _, row in run])
        elif isinstance(first, StoredOutcome):
            pairs = [text for row in rows if isinstance(row, StoredOutcome) for text in (row.id, row.outcome)]
            await self._writes.call(("HSET", self._prefix + layout.ONCE, *pairs))
        elif isinstance(first, StoredNumbers):
            self.used = max(self.used, self._last, first.last)
            await self._writes.call(("HSET", self._prefix + layout.META, "last", self.used, "floor", first.floor))
        else:
            await self._writes.call(self._commit(Commit(
                puts=tuple((row.table, row.key, bytes(row.value)) for row in rows if isinstance(row, StoredDocument)),
                jobs=tuple(_unpacked(row.packed, layout.decode_job) if row.packed else row.job
                           for row in rows if isinstance(row, StoredJob)),
                arrive=tuple(_unpacked(row.packed, layout.decode_arrival) if row.packed else row.arrival
                             for row in rows if isinstance(row, StoredArrival)))))

    async def _events(self, rows: Sequence[Recorded]) -> None:
        if rows[0].id <= self._last:
            raise Invalid("id", f"event {rows[0].id} comes after event {self._last}")
        for row in rows:
            if row.at.tzinfo is None or row.type not in TYPES:
                raise Invalid("type" if row.type not in TYPES else "at", f"event {row.id} cannot be")
        await self._writes.call(("HSET", self._prefix + layout.META, "last", rows[0].id - 1))
        await self._writes.call(self._commit(Commit(
            events=tuple(Event(row.type, row.at, row.data, row.persona) for row in rows))))
        self._last = rows[-1].id


def _unpacked(packed: bytes, decode: Callable[[bytes], Any]) -> Any:
    try:
        return decode(packed)
    except msgspec.MsgspecError as error:
        raise Invalid("packed", str(error)) from None
