"""Questions to Redis that are walked through in pages, so that no answer is long on either side."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, TypeVar

from twisted.internet.defer import Deferred, FirstError, gatherResults
from twisted.python.failure import Failure

from simmail.core.records.commit import EventQuery, JobQuery
from simmail.core.records.job import Job
from simmail.database import layout
from simmail.database.connection import RedisConnection
from simmail.errors import Invalid

T = TypeVar("T")

#: Rows of one answer.
PAGE = 1000
#: Candidates one script call looks at, a few milliseconds of Redis.
BUDGET = 4000

_STATES = ("pending", "running", "done", "failed", "skipped")
_UNFINISHED = ("pending", "running")
_TOP = 2**47


class Questions:
    """
    Asked over the connection that has a key when a page is asked for: keys may move between two.

    @param reads: which has a key.
    @param start: how a call of each script begins.
    """

    def __init__(self, reads: Callable[[str], RedisConnection], start: Mapping[str, tuple[bytes, ...]]) -> None:
        self._reads = reads
        self._start = start

    def fields(self, key: str, fields: list[str]) -> Deferred[list[bytes | None]]:
        """Values of fields of a hash, None where there is none, in order."""
        if 0 < len(fields) <= PAGE:
            return self._reads(key).call(("HMGET", key, *fields))
        return all_of([
            self._reads(key).call(("HMGET", key, *fields[start:start + PAGE])) for start in range(0, len(fields), PAGE)
        ]).addCallback(lambda pages: [value for page in pages for value in page])

    async def table(self, key: str) -> dict[str, bytes]:
        """A whole hash."""
        if await self._reads(key).call(("HLEN", key)) <= PAGE:
            reply = await self._reads(key).call(("HGETALL", key))
            return {name.decode(): value for name, value in zip(reply[::2], reply[1::2])}
        found: dict[str, bytes] = {}
        cursor = b"0"
        while True:
            reads = self._reads(key)
            cursor, reply = await reads.call(("HSCAN", key, cursor, "COUNT", PAGE))
            if self._reads(key) is not reads:
                # A cursor means something to the Redis that gave it only.
                cursor = b"0"
                continue
            found.update((name.decode(), value) for name, value in zip(reply[::2], reply[1::2]))
            if cursor == b"0":
                return found

    async def events(self, prefix: str, query: EventQuery) -> list[bytes]:
        """Recorded events as their bodies."""
        low = 1 if query.after is None else max(1, query.after + 1)
        high = _TOP if query.before is None else min(_TOP, query.before - 1)
        groups = _groups(query)
        mail = b"" if query.message_id is None else layout.digest(query.message_id)
        found: list[bytes] = []
        while len(found) < query.limit and low <= high and groups is not None:
            reply = await self._reads(prefix).call((
                *self._start["query"], prefix, "down" if query.descending else "up", low, high,
                _digits(query.since), _digits(query.until), min(PAGE, query.limit - len(found)), BUDGET, mail,
                *groups))
            rows = len(reply) // 4
            found += [
                layout.event_body(reply[i + 1], int(reply[i]), reply[i + 2], reply[i + 3])
                for i in range(1, len(reply), 4)]
            if reply[0]:
                following = int(reply[0])
            elif rows == PAGE:
                following = int(reply[-4]) + (-1 if query.descending else 1)
            else:
                break
            if query.descending:
                high = following
            else:
                low = following
        return found

    async def pending(self, prefix: str) -> list[Job]:
        """Jobs that are not finished, in (due, id) order."""
        found: list[tuple[bytes, Job]] = []
        for state in _UNFINISHED:
            found += [row async for row in self._scoped(prefix, [f"s{state}"], b"", None)]
        found.sort(key=_first)
        return [job for _, job in found]

    async def jobs(self, prefix: str, query: JobQuery) -> list[Job]:
        """Jobs of a query."""
        if query.limit <= 0:
            return []
        after = b""
        if query.after is not None:
            header = await self._reads(prefix).call(("HGET", prefix + layout.JOBS, query.after))
            if header is None:
                raise Invalid("after", "there is no such job")
            after = header[:18] + query.after.encode()
        scopes = [
            letter + layout.escape(value)
            for letter, value in zip("skpc", (query.state, query.kind, query.persona_id, query.case_id))
            if value is not None]
        # A job is in one state, so all the states together are all the jobs.
        streams = [
            [row async for row in self._scoped(prefix, scope, after, query.limit)]
            for scope in ([scopes] if scopes else [[f"s{state}"] for state in _STATES])]
        return [job for _, job in heapq.merge(*streams, key=_first)][:query.limit]

    async def _scoped(self, prefix: str, scopes: list[str], after: bytes, limit: int | None) -> Any:
        left = limit
        while left is None or left > 0:
            most = PAGE if left is None else min(PAGE, left)
            reply = await self._reads(prefix).call((*self._start["agenda"], prefix, after, most, BUDGET, *scopes))
            for i in range(1, len(reply), 2):
                yield reply[i], job_of(reply[i + 1])
            rows = len(reply) // 2
            if left is not None:
                left -= rows
            if reply[0]:
                after = reply[0]
            elif rows == most:
                after = reply[-2]
            else:
                return


def _groups(query: EventQuery) -> list[str | int] | None:
    """What C{query.lua} takes as groups; None when nothing can match."""
    groups: list[str | int] = []
    types = layout.expanded(query.types)
    if types is not None:
        if not types:
            return None
        groups += [len(types), *(layout.TYPE + layout.escape(type) for type in types)]
    if query.persona_id is not None:
        groups += [1, layout.PERSONA + layout.escape(query.persona_id)]
    if query.case_id is not None:
        groups += [1, layout.CASE + layout.escape(query.case_id)]
    return groups


def _digits(instant: datetime | None) -> bytes:
    return b"" if instant is None else layout.digits(instant)


def job_of(octets: bytes) -> Job:
    """A job as it is kept."""
    # The header is four fields that end in NUL.
    return layout.decode_job(octets.split(b"\0", 4)[4])


def _first(row: tuple[bytes, Job]) -> bytes:
    return row[0]


def all_of(waiting: list[Deferred[T]]) -> Deferred[list[T]]:
    """What they all answer; fails as the first that does."""
    return gatherResults(waiting, consumeErrors=True).addErrback(_first_error)


def _first_error(failure: Failure) -> Failure:
    error = failure.value
    return error.subFailure if isinstance(error, FirstError) else failure
