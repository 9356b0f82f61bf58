"""
The database in dicts: for tests, and for a universe that need not last.

It keeps the promises of the real one, tested by the same contract, and its
Deferreds have fired when they are returned.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

import msgspec
from msgspec import Raw
from twisted.internet.defer import Deferred, fail, succeed
from zope.interface import implementer

from simmail.concurrency import at_once
from simmail.core.records.commit import Commit, Committed, EventQuery, JobQuery
from simmail.core.records.delivery import Arrival
from simmail.core.records.event import Recorded
from simmail.core.records.job import Job
from simmail.core.rules.token_bucket import Bucket, draw
from simmail.database import layout, leases
from simmail.database.durability.event_numbers import JUMP
from simmail.database.leases import Leases, nobody
from simmail.database.news import Listener
from simmail.database.stored import STORED, StoredArrival, StoredDocument, StoredJob, StoredRow
from simmail.errors import Conflict, Fenced, Invalid, Unavailable
from simmail.interfaces import IDatabase

_UNFINISHED = ("pending", "running")


class _Kept(NamedTuple):
    due: bytes
    state: str
    kind: str
    persona_id: str
    case_id: str
    octets: bytes


class _Space:
    """What is kept of one universe."""

    def __init__(self) -> None:
        self.tables: dict[str, dict[str, bytes]] = {}
        self.once: dict[str, Committed] = {}
        self.once_before: dict[str, Committed] = {}
        self.jobs: dict[str, _Kept] = {}
        self.arrivals: dict[str, bytes] = {}
        # Parallel lists of events: numbers, rows, instants; the highest number used so far.
        self.numbers: list[int] = []
        self.rows: list[layout.EventRow] = []
        self.ats: list[bytes] = []
        self.last = 0
        self.last_at = b""
        # Tokens given so far; who has the lease, and until when.
        self.token = 0
        self.lease: tuple[str, float] | None = None
        # A replicated one was not given back since it was opened.
        self.open = False

    def erased(self) -> _Space:
        """Nothing, but going on with the event numbers."""
        space = _Space()
        space.last, space.token, space.lease, space.open = self.last, self.token, self.lease, self.open
        return space

    @property
    def has_any(self) -> bool:
        """Whether anything is kept."""
        return bool(
            any(self.tables.values()) or self.once or self.once_before or self.jobs or self.arrivals or self.rows)

    def copied(self, before: _Space) -> _Space:
        """The same once more in the place of another: its numbers go on, and it stays whose it is."""
        space = _Space()
        space.tables = {name: dict(table) for name, table in self.tables.items()}
        space.once, space.once_before = dict(self.once), dict(self.once_before)
        space.jobs, space.arrivals = dict(self.jobs), dict(self.arrivals)
        space.numbers, space.rows, space.ats = list(self.numbers), list(self.rows), list(self.ats)
        space.last, space.last_at = max(self.last, before.last), self.last_at
        space.token, space.lease, space.open = before.token, before.lease, before.open
        return space

    def cut(self, before: bytes) -> int:
        """Drop the events older than an instant; how many."""
        count = bisect_left(self.ats, before)
        del self.numbers[:count], self.rows[:count], self.ats[:count]
        return count

    def places(self, query: EventQuery) -> range:
        """Where the events between the bounds of a query are, in its order."""
        low, high = 0, len(self.numbers)
        if query.after is not None:
            low = bisect_right(self.numbers, query.after)
        if query.before is not None:
            high = bisect_left(self.numbers, query.before)
        if query.since is not None:
            low = max(low, bisect_left(self.ats, layout.digits(query.since)))
        if query.until is not None:
            high = min(high, bisect_right(self.ats, layout.digits(query.until)))
        return range(high - 1, low - 1, -1) if query.descending else range(low, high)


@implementer(IDatabase)
class MemoryDatabase:
    """C{IDatabase} in memory.  C{set_healthy(False)} plays a Redis that is away."""

    stored = STORED
    unconfirmed = ""

    def __init__(
        self, seconds: Callable[[], float] = lambda: 0.0, node: str = "", beside: MemoryDatabase | None = None,
        shared: bool = False,
    ) -> None:
        """
        @param seconds: real time, by which leases run out; node: the name under which they are taken.
        @param beside: another process has this one on the same data; shared: and on the same of the server's own.
        """
        self.healthy = self.continued = True
        self._seconds = seconds
        self.node, self._leases, self._own_space = node, Leases(node), _Space() if node and not shared else None
        #: What this node had alone, where all nodes have the same now.
        self.alone: dict[str, dict[str, bytes]] = {}
        self._spaces: defaultdict[str, _Space] = defaultdict(_Space) if beside is None else beside._spaces
        self._listeners: list[Callable[[bool], object]] = []
        self._hearers: defaultdict[str, list[Listener]] = defaultdict(list) if beside is None else beside._hearers
        self._buckets: dict[str, Bucket] = {}

    def _space(self, universe: str) -> _Space:
        return self._spaces[universe] if universe or self._own_space is None else self._own_space

    def set_healthy(self, healthy: bool) -> None:
        """From now on calls are answered, or fail with C{Unavailable}; listeners are told."""
        if healthy != self.healthy:
            self.healthy = healthy
            for listener in tuple(self._listeners):
                listener(healthy)

    def available(self, universe: str) -> bool:
        """As healthy: there are no replicas."""
        return self.healthy

    def require(self) -> None:
        """@raise Unavailable: it plays a Redis that is away."""
        if not self.healthy:
            raise Unavailable("the database is away")

    @at_once
    def commit(self, universe: str, commit: Commit, may_batch: bool = False) -> Committed:
        self._check_lease(universe)
        return _commit(self._space(universe), commit)

    def synced(self) -> Deferred[None]:
        """Answer at once: it holds what it holds as long as the process lives."""
        return succeed(None)

    @at_once
    def former(self, name: str) -> dict[str, bytes]:
        return dict(self.alone.get(name, {}))

    @at_once
    def table(self, universe: str, name: str) -> dict[str, bytes]:
        return dict(self._space(universe).tables.get(name, {}))

    @at_once
    def get(self, universe: str, name: str, keys: Iterable[str]) -> list[bytes | None]:
        return [self._space(universe).tables.get(name, {}).get(key) for key in keys]

    @at_once
    def events(self, universe: str, query: EventQuery) -> list[bytes]:
        return _events(self._space(universe), query)

    @at_once
    def last_event(self, universe: str) -> int:
        return self._space(universe).last

    @at_once
    def pending(self, universe: str) -> list[Job]:
        return [layout.decode_job(job.octets) for _, job in _in_order(self._space(universe))
                if job.state in _UNFINISHED]

    @at_once
    def jobs(self, universe: str, query: JobQuery) -> list[Job]:
        return _jobs(self._space(universe), query)

    @at_once
    def job(self, universe: str, job_id: str) -> Job | None:
        kept = self._space(universe).jobs.get(job_id)
        return None if kept is None else layout.decode_job(kept.octets)

    @at_once
    def arrivals(self, universe: str) -> list[Arrival]:
        return list(map(layout.decode_arrival, self._space(universe).arrivals.values()))

    def recovered(self) -> None:
        self.continued = True

    @at_once
    def seen(self, universe: str, ids: Iterable[str]) -> set[str]:
        space = self._space(universe)
        return {id for id in ids if id in space.once or id in space.once_before}

    @at_once
    def retire(self, universe: str, keep: Iterable[str], least: int) -> bool:
        space = self._space(universe)
        if len(space.once) < max(least, 1):
            return False
        kept = {id: space.once_before[id] for id in keep if id in space.once_before}
        space.once_before, space.once = space.once | kept, {}
        return True

    @at_once
    def prune(self, universe: str, before: datetime) -> tuple[int, int]:
        space, limit = self._space(universe), layout.digits(before)
        old = [id for id, job in space.jobs.items() if job.state not in _UNFINISHED and job.due < limit]
        for id in old:
            del space.jobs[id]
        return space.cut(limit), len(old)

    @at_once
    def erase(self, universe: str) -> None:
        self._own(universe)
        self._spaces[universe] = self._spaces[universe].erased()

    @at_once
    def copy(self, source: str, target: str) -> None:
        self._own(target)
        before = self._spaces[target]
        if before.has_any:
            raise Conflict(f"universe {target} has something already")
        self._spaces[target] = self._spaces[source].copied(before)

    async def dump(self, universe: str) -> AsyncIterator[Sequence[StoredRow]]:
        space = self._space(universe)
        yield [StoredDocument(name, key, Raw(octets)) for name, table in space.tables.items()
               for key, octets in table.items()]
        yield [StoredJob(layout.decode_job(job.octets)) for job in space.jobs.values()]
        yield [StoredArrival(layout.decode_arrival(octets)) for octets in space.arrivals.values()]
        yield [msgspec.json.decode(octets, type=Recorded) for octets in _events(space, EventQuery(limit=1 << 62))]

    def load(self, universe: str, rows: AsyncIterator[Sequence[StoredRow]]) -> Deferred[None]:
        """@raise Unavailable: always; it lasts no longer than the process."""
        return fail(Unavailable("nothing can be carried into what is in memory only"))

    @at_once
    def universes(self) -> list[str]:
        """Leave out the server's own documents, which are no universe."""
        return sorted(id for id, space in self._spaces.items() if id and any(space.tables.values()))

    def _check_lease(self, universe: str) -> None:
        token = self._leases.tokens.get(universe, "")
        if token and int(token) != self._space(universe).token:
            self._leases.refused(universe, token)

    def _own(self, universe: str) -> None:
        if self._leases.wanted(universe):
            self._take(universe, nobody)
        self._check_lease(universe)

    @at_once
    def take(self, universe: str, lost: Callable[[], object] = nobody) -> None:
        if self.node:
            self._take(universe, lost)

    def _take(self, universe: str, lost: Callable[[], object]) -> None:
        space, now = self._space(universe), self._seconds()
        if space.lease is not None and space.lease[0] != self.node and space.lease[1] > now:
            raise Fenced(f"the universe {universe} is held by {space.lease[0]}")
        space.token, space.lease = space.token + 1, (self.node, now + leases.LASTS)
        self._leases.taken(universe, str(space.token), lost)

    @at_once
    def renew(self, universe: str) -> None:
        self._check_lease(universe)
        if universe in self._leases.tokens:
            self._space(universe).lease = self.node, self._seconds() + leases.LASTS

    @at_once
    def holder(self, universe: str) -> str:
        lease = self._space(universe).lease
        return lease[0] if lease is not None and lease[1] > self._seconds() else ""

    @at_once
    def replicate(self, universe: str) -> None:
        """There are no replicas; numbers jump all the same."""
        self._check_lease(universe)
        if universe:
            space = self._space(universe)
            space.last += JUMP if space.open else 0
            space.open = True

    @at_once
    def give_back(self, universe: str) -> None:
        self._check_lease(universe)
        if universe in self._leases.tokens:
            self._space(universe).lease, self._space(universe).open = None, False
            self._leases.given_back(universe)

    def announce(self, universe: str, number: int) -> None:
        if self.healthy:
            for listener in tuple(self._hearers[universe]):
                listener(number)

    def on_news(self, universe: str, listener: Listener) -> Callable[[], None]:
        self._hearers[universe].append(listener)
        return lambda: self._hearers[universe].remove(listener)

    def on_health(self, listener: Callable[[bool], object]) -> Callable[[], None]:
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    @at_once
    def draw(self, bucket: str, rate: float, burst: int, wanted: int, now: float) -> tuple[int, float]:
        taken, self._buckets[bucket] = draw(self._buckets.get(bucket), rate, burst, wanted, now)
        return taken, self._buckets[bucket].tokens

    def close(self) -> Deferred[None]:
        """Keep what it holds, for a test that starts a service again."""
        return succeed(None)


def _commit(space: _Space, commit: Commit) -> Committed:
    first = (space.once.get(commit.once) or space.once_before.get(commit.once)) if commit.once else None
    if first is not None:
        return Committed(False, first.first, first.counts)
    # All that can fail is done before anything is changed.
    rows = [layout.encode_event(event) for event in commit.events]
    jobs = [(job.id, _kept(job)) for job in commit.jobs]
    arrivals = [(arrival.id, layout.encode_arrival(arrival)) for arrival in commit.arrive]
    for table, key, _ in commit.counts:
        int(space.tables.get(table, {}).get(key, b"0"))
    for table, key in commit.drops:
        space.tables.get(table, {}).pop(key, None)
    for table, key, document in commit.puts:
        space.tables.setdefault(table, {})[key] = document
    counts = []
    for table, key, by in commit.counts:
        rows_of = space.tables.setdefault(table, {})
        counts.append(int(rows_of.get(key, b"0")) + by)
        rows_of[key] = b"%d" % counts[-1]
    for id in commit.leave:
        space.arrivals.pop(id, None)
    for id, octets in arrivals:
        space.arrivals.setdefault(id, octets)
    space.jobs.update(jobs)
    for id in commit.drop_jobs:
        space.jobs.pop(id, None)
    first_number = space.last + 1 if rows else 0
    for row in rows:
        space.last += 1
        space.numbers.append(space.last)
        space.last_at = max(row.at, space.last_at)
        space.rows.append(row._replace(at=space.last_at))
        space.ats.append(space.last_at)
    committed = Committed(True, first_number, tuple(counts))
    if commit.once:
        space.once[commit.once] = committed
    return committed


def _kept(job: Job) -> _Kept:
    return _Kept(layout.digits(job.due), job.state, job.kind, job.persona_id or "", job.case_id or "",
                 layout.encode_job(job))


def _in_order(space: _Space) -> Iterator[tuple[str, _Kept]]:
    return iter(sorted(space.jobs.items(), key=lambda item: (item[1].due, item[0])))


def _jobs(space: _Space, query: JobQuery) -> list[Job]:
    after = None
    if query.after is not None:
        kept = space.jobs.get(query.after)
        if kept is None:
            raise Invalid("after", "there is no such job")
        after = (kept.due, query.after)
    found: list[Job] = []
    for id, job in _in_order(space):
        if len(found) >= query.limit:
            break
        if ((after is None or (job.due, id) > after) and query.state in (None, job.state)
                and query.kind in (None, job.kind) and query.persona_id in (None, job.persona_id)
                and query.case_id in (None, job.case_id)):
            found.append(layout.decode_job(job.octets))
    return found


def _events(space: _Space, query: EventQuery) -> list[bytes]:
    types = layout.expanded(query.types)
    found: list[bytes] = []
    for place in space.places(query):
        if len(found) >= query.limit:
            break
        number, row = space.numbers[place], space.rows[place]
        if ((types is None or row.type in types) and query.persona_id in (None, row.persona_id)
                and query.case_id in (None, row.case_id)
                and (query.message_id is None or query.message_id in row.message_ids)):
            found.append(layout.event_body(row.type.encode(), number, row.at, row.tail))
    return found
