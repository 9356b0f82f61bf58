"""
C{IDatabase} over Redis.

A commit is one script call on a connection of its own, so commits are done in
the order made and Redis syncs its log once for all that came together.
Questions go over a second connection and walk in pages, so that no answer is
long on either side.  What the keys are is told in L{simmail.database.layout}.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred, succeed
from twisted.internet.threads import deferToThreadPool
from twisted.logger import Logger
from twisted.python.failure import Failure
from zope.interface import implementer

from simmail.concurrency import Waiting, as_deferred
from simmail.core.records.commit import Commit, Committed, EventQuery, JobQuery
from simmail.core.records.delivery import Arrival
from simmail.core.records.job import Job
from simmail.core.time.histogram import lines
from simmail.database import layout, transfer
from simmail.database.connection import pack, RedisConnection, refusal, Word
from simmail.database.event_numbers import EventNumbers, ahead
from simmail.database.lua import load
from simmail.database.queries import PAGE, Questions, all_of, job_of
from simmail.database.stored import STORED, StoredRow
from simmail.database.synced import Ask, Synced, Unsynced, run_of
from simmail.database.url import FIELD, locked_out, parse, weakness
from simmail.errors import Conflict, Invalid, Unavailable
from simmail.interfaces import IDatabase

#: Rows one script call removes.
SLICE = 500

#: Keys that one step of a look at all keys takes; events, jobs and commits that are copied in one step, about a second
#: of Redis: with more everybody would take it for away.
SCANNED, MOST_COPIED = 10_000, 1_000_000

#: Real seconds in which a Redis must be there at the start.
PATIENCE = 10.0

#: Real seconds between two notes of which event numbers were used.
NOTED = 1.0

_READ = ("query", "agenda", "universes")
_WRITE = ("commit", "sweep", "erase", "copy", "prune", "draw")


@implementer(IDatabase)
class RedisDatabase:
    """
    The universes of one Redis.

    @ivar healthy: both connections are up; while false every call fails at once.
    """

    _log = Logger()

    stored = STORED

    def __init__(self, reactor: Any, url: str, timeout: float = 2.0, numbers: Path | None = None) -> None:
        """
        @param url: C{redis.url}, see L{simmail.database.url}.
        @param timeout: real seconds that a call may take.
        @param numbers: file that says which event numbers were used (L{simmail.database.event_numbers}); None: no Redis
            is expected to forget any.
        @raise Invalid: it is no such URL.
        """
        link = parse(url)
        self.healthy = False
        self._reactor = reactor
        self._link = link
        self._listeners: list[Callable[[bool], object]] = []
        self._opened: list[Deferred[None]] = []
        self._closing = False
        scripts = {name: load(name) for name in _READ + _WRITE}
        self._start = {name: (b"EVALSHA", script.sha, b"1") for name, script in scripts.items()}
        self._reads = RedisConnection(
            reactor, link, timeout, [scripts[name] for name in _READ], self._changed,
            lambda: Deferred.fromCoroutine(self._prepare_reads()))
        self._questions = Questions(self._reads, self._start)
        self._writes = RedisConnection(
            reactor, link, timeout, [scripts[name] for name in _WRITE], self._changed,
            lambda: Deferred.fromCoroutine(self._prepare_writes()))
        self._unsynced = Unsynced(reactor.seconds)
        self._synced = Synced(
            reactor, self._unsynced, RedisConnection(reactor, link, timeout, (), lambda: None), self._note_numbers)
        self._numbers = None if numbers is None else EventNumbers(numbers)
        self.continued = numbers is None
        self._recovered = False
        self._noted: dict[str, int] = {}
        self._noted_at = 0.0
        self._noting: Deferred[None] | None = None
        # The run of Redis that is known to have everything; those who wait for that.
        self._run: str | None = None
        self._whole: Waiting[None] = Waiting(reactor)

    @as_deferred
    async def connect(self, patience: float | None = PATIENCE) -> None:
        """
        Connect, and stay so.

        @return: Deferred that fires when calls are taken, the layout of the data is known to be
            ours, and the log has a warning when the settings of Redis are weaker than ours.
        @param patience: real seconds after which it fails with C{Unavailable}, telling what is wrong,
            though connecting goes on; None to wait for ever.
        @raise Invalid: the data was written by a newer version; at once: Redis does not take the password.
        """
        self._reads.open()
        self._writes.open()
        await self._until_healthy(patience)
        written = int(await self._writes.call(("GET", layout.LAYOUT_KEY)))
        if written > layout.LAYOUT:
            raise Invalid(FIELD, f"holds data of a newer version (layout {written}, known is {layout.LAYOUT})")
        settings: dict[bytes, bytes] = {}
        for name in ("appendonly", "appendfsync", "maxmemory-policy"):
            try:
                reply = await self._reads.call(("CONFIG", "GET", name))
            except RuntimeError:
                # Hosted Redis often keeps CONFIG to itself: then nothing is said.
                continue
            settings.update(zip(reply[::2], reply[1::2]))
        self._synced.configured(settings)
        if self._numbers is not None:
            await self._number_ahead()
        weak = weakness(settings)
        if weak:
            self._log.warn("{link} is less durable than simmail's own Redis: {weak}", link=self._link, weak=weak)

    def figures(self) -> str:
        """Return how its connections do, in Prometheus's exposition format."""
        connections = {f'connection="{name}"': one for name, one in (("reads", self._reads), ("writes", self._writes))}
        return "\n".join((
            *lines("simmail_redis_round_trip_seconds", {name: one.round_trips for name, one in connections.items()}),
            "# TYPE simmail_redis_calls_waiting gauge",
            *(f"simmail_redis_calls_waiting{{{name}}} {one.waiting}" for name, one in connections.items())))

    def commit(self, universe: str, commit: Commit, may_batch: bool = False) -> Deferred[Committed]:
        """Drops come before puts, C{leave} before C{arrive}, jobs before C{drop_jobs}."""
        try:
            packed = pack(tuple(_commit_args(self._start["commit"], universe, commit)))
        except Exception:
            # What cannot be encoded is a defect of the caller, told as any other failure is.
            failed: Deferred[Committed] = Deferred()
            failed.errback(Failure())
            return failed

        def committed(reply: bytes) -> Committed:
            done = _committed(reply)
            # One that is repeated may have been answered to nobody.
            self._unsynced.add(layout.prefix(universe), packed, done.first, len(commit.events))
            self._synced.made()
            return done

        return self._writes.call(packed, committed, may_batch)

    def recovered(self) -> None:
        if not self._recovered:
            self._recovered = True
            # The note says so from now on.
            self._noted = {}
            self._note()

    def synced(self) -> Deferred[None]:
        return self._synced.round()

    def table(self, universe: str, name: str) -> Deferred[dict[str, bytes]]:
        return Deferred.fromCoroutine(self._questions.table(_table(universe, name)))

    def get(self, universe: str, name: str, keys: Iterable[str]) -> Deferred[list[bytes | None]]:
        return self._questions.fields(_table(universe, name), list(keys))

    def events(self, universe: str, query: EventQuery) -> Deferred[list[bytes]]:
        """C{since} and C{until} are included, C{after} and C{before} are not."""
        return Deferred.fromCoroutine(self._questions.events(layout.prefix(universe), query))

    def last_event(self, universe: str) -> Deferred[int]:
        return self._reads.call(("HGET", layout.prefix(universe) + layout.META, "last"), lambda reply: int(reply or 0))

    def pending(self, universe: str) -> Deferred[list[Job]]:
        return Deferred.fromCoroutine(self._questions.pending(layout.prefix(universe)))

    def jobs(self, universe: str, query: JobQuery) -> Deferred[list[Job]]:
        """@raise Invalid: there is no job C{query.after}."""
        return Deferred.fromCoroutine(self._questions.jobs(layout.prefix(universe), query))

    def job(self, universe: str, job_id: str) -> Deferred[Job | None]:
        return self._reads.call(
            ("HGET", layout.prefix(universe) + layout.JOBS, job_id),
            lambda reply: None if reply is None else job_of(reply))

    def arrivals(self, universe: str) -> Deferred[list[Arrival]]:
        return self._reads.call(
            ("HVALS", layout.prefix(universe) + layout.ARRIVALS),
            lambda reply: [layout.decode_arrival(octets[12:]) for octets in sorted(reply, key=_place)])

    def seen(self, universe: str, ids: Iterable[str]) -> Deferred[set[str]]:
        asked = list(ids)
        return self._questions.fields(layout.prefix(universe) + layout.ONCE, asked).addCallback(
            lambda found: {id for id, outcome in zip(asked, found) if outcome is not None})

    def forget(self, universe: str, once: Iterable[str]) -> Deferred[None]:
        ids = list(once)
        key = layout.prefix(universe) + layout.ONCE
        return all_of([
            self._writes.call(("HDEL", key, *ids[start:start + PAGE])) for start in range(0, len(ids), PAGE)
        ]).addCallback(_nothing)

    @as_deferred
    async def prune(self, universe: str, before: datetime) -> tuple[int, int]:
        """Prune in slices: other commits come between them."""
        prefix, limit = layout.prefix(universe), layout.digits(before)
        await self._sweep(prefix, layout.ERASED, b"")
        events = await self._sweep(prefix, layout.EVENTS, limit)
        return events, await _slices(self._writes.call, (*self._start["prune"], prefix, limit, SLICE))

    @as_deferred
    async def erase(self, universe: str) -> None:
        """Erase it for all at one moment; its events are then cleared away in slices."""
        await self._erase_by(self._writes.call, universe)
        self._unsynced.erased(layout.prefix(universe), lambda ask: self._erase_by(ask, universe))

    @as_deferred
    async def copy(self, source: str, target: str) -> None:
        """Copy it in one step of Redis, which nothing comes between."""
        copy = secrets.token_hex(8)
        done = await self._copy_by(self._writes.call, source, target, copy)
        if done < 0:
            raise Conflict(f"universe {target} has something already" if done == -1 else
                           f"universe {source} has too much to be copied: over {MOST_COPIED} events, jobs and commits")

        async def again(ask: Ask) -> None:
            await self._erase_by(ask, target)
            await self._copy_by(ask, source, target, copy)

        last = await self._writes.call(("HGET", layout.prefix(target) + layout.META, "last"))
        self._unsynced.copied(layout.prefix(source), layout.prefix(target), copy, int(last or 0), again)
        self._synced.made()

    async def dump(self, universe: str) -> AsyncIterator[Sequence[StoredRow]]:
        async for rows in transfer.dump(self._reads, layout.prefix(universe)):
            yield rows

    @as_deferred
    async def load(self, universe: str, rows: AsyncIterator[Sequence[StoredRow]]) -> None:
        """Have it in the synced log before it is there for anybody."""
        prefix = layout.prefix(universe)
        used = await self._writes.call(("HGET", prefix + layout.META, "last"))
        loading = transfer.Loading(
            self._writes, prefix, lambda commit: _commit_args(self._start["commit"], universe, commit), int(used or 0))
        async for page in rows:
            await loading.add(page)
        self._unsynced.numbers[prefix] = loading.used
        self._synced.made()
        await self.synced()

    def universes(self) -> Deferred[list[str]]:
        """Leave out the server's own documents, which are no universe."""
        return self._reads.call(
            (*self._start["universes"], layout.UNIVERSES), lambda reply: sorted(name.decode() for name in reply))

    def draw(self, bucket: str, rate: float, burst: int, wanted: int, now: float) -> Deferred[tuple[int, float]]:
        return self._writes.call(
            (*self._start["draw"], layout.prefix(""), layout.escape(bucket), repr(float(rate)), burst, wanted,
             repr(now)),
            lambda reply: (int(reply[0]), float(reply[1])))

    def on_health(self, listener: Callable[[bool], object]) -> Callable[[], None]:
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    @as_deferred
    async def close(self) -> None:
        """What was not answered fails with C{Unavailable}."""
        if not self._closing:
            self._closing, self.healthy = True, False
            await self._synced.finish()
            await self._note_last()
        await all_of([self._reads.close(), self._writes.close(), self._synced.close()])

    # What Redis may have lost

    async def _prepare_writes(self) -> None:
        run = await run_of(self._writes.ask)
        if self._run is not None and (not run or run != self._run):
            self._synced.made_again()
            again = await self._unsynced.restore(self._writes.ask)
            if again:
                self._log.warn("{link} came back with less than it had: {again} commits were made again",
                               link=self._link, again=again)
        # What is true already: it asks whether Redis takes anything now.
        await self._writes.ask(("SET", layout.LAYOUT_KEY, layout.LAYOUT, "NX"))
        self._run = run
        self._whole.wake(None)

    async def _prepare_reads(self) -> None:
        run = await run_of(self._reads.ask)
        if self._writes.ready and run == self._run:
            return
        if self._writes.ready:
            self._writes.drop("it is another Redis than before")
        # Nobody is shown what is not whole.
        await self._whole.wait()

    async def _number_ahead(self) -> None:
        """Numbers that an earlier process used are not used again, whatever Redis knows of them."""
        assert self._numbers is not None
        noted, run = self._numbers.read(), self._run or ""
        self.continued = noted is not None and bool(run) and noted.run == run
        if noted is not None:
            prefixes = list(noted.last)
            if self._numbers.broken:
                prefixes = [layout.prefix(universe) for universe in await self.universes()]
            for prefix in prefixes:
                last = int(await self._writes.call(("HGET", prefix + layout.META, "last")) or 0)
                number = ahead(noted, run, prefix, last)
                if number > last:
                    await self._writes.call(("HSET", prefix + layout.META, "last", number))
                self._unsynced.numbers[prefix] = number
        self._write_numbers(clean=False)

    def _write_numbers(self, clean: bool) -> None:
        assert self._numbers is not None
        self._noted = dict(self._unsynced.numbers)
        try:
            # Of a run that may still lack something nothing is known.
            run = self._run if self.continued or self._recovered else ""
            self._numbers.write(run or "", self._noted, clean)
        except OSError as error:
            self._log.warn("which event numbers were used cannot be noted: {error}", error=error)

    def _note_numbers(self) -> None:
        """Once a second at the most."""
        if self._reactor.seconds() - self._noted_at >= NOTED and self._noted != self._unsynced.numbers:
            self._note()

    def _note(self) -> None:
        if self._numbers is not None and self._noting is None and not self._closing:
            self._noted_at = self._reactor.seconds()
            self._noting = deferToThreadPool(self._reactor, self._reactor.getThreadPool(), self._write_numbers, False)
            self._noting.addBoth(self._noted_now)

    def _noted_now(self, result: object) -> None:
        self._noting = None

    async def _note_last(self) -> None:
        if self._numbers is None or self._run is None:
            return
        if self._noting is not None:
            await self._noting
        self._write_numbers(clean=True)

    def _until_healthy(self, patience: float | None) -> Deferred[None]:
        if self.healthy:
            return succeed(None)
        waiting: Deferred[None] = Deferred()
        self._opened.append(waiting)
        if patience is not None:
            waiting.addTimeout(patience, self._reactor, lambda _, timeout: Failure(Unavailable(self.trouble)))
        return waiting

    @property
    def trouble(self) -> str:
        """Why it is away, for people, without its password."""
        return f"no Redis at {self._link}: {self._trouble()}"

    @property
    def away(self) -> str:
        """That it is away, and why where it says so, for everybody; C{""} while it is there."""
        why = refusal(self._trouble())
        return "" if self.healthy else f"away: {why}" if why else "away"

    def _trouble(self) -> str:
        return self._writes.trouble or self._reads.trouble or "no answer"

    def _changed(self) -> None:
        healthy = self._reads.ready and self._writes.ready
        if self._opened and (self._writes.locked_out or self._reads.locked_out):
            refused = Invalid(FIELD, locked_out(self._link, self._trouble()))
            for waiting in self._take_opened():
                waiting.errback(Failure(refused))
        if healthy == self.healthy or self._closing:
            return
        self.healthy = healthy
        if healthy:
            self._log.info("{link} is there", link=self._link)
        else:
            self._log.warn("{link} is away: {why}", link=self._link, why=self._trouble())
        for listener in tuple(self._listeners):
            try:
                listener(healthy)
            except Exception:
                self._log.failure("a listener to the database's health failed")
        if healthy:
            for waiting in self._take_opened():
                waiting.callback(None)

    def _take_opened(self) -> list[Deferred[None]]:
        opened, self._opened = self._opened, []
        return opened

    async def _erase_by(self, ask: Ask, universe: str) -> None:
        prefix = layout.prefix(universe)
        sweep = (*self._start["sweep"], prefix, layout.ERASED, b"", SLICE)
        while True:
            await _slices(ask, sweep)
            if await ask((*self._start["erase"], prefix, universe)):
                break
        await _slices(ask, sweep)

    async def _copy_by(self, ask: Ask, source: str, target: str, copy: str) -> int:
        """What the script answers."""
        prefix = layout.prefix(target)
        while True:
            done: int = await ask((
                *self._start["copy"], layout.prefix(source), prefix, target, copy, SCANNED, MOST_COPIED))
            if done:
                return done
            await _slices(ask, (*self._start["sweep"], prefix, layout.ERASED, b"", SLICE))

    def _sweep(self, prefix: str, stream: str, before: bytes) -> Coroutine[Any, Any, int]:
        return _slices(self._writes.call, (*self._start["sweep"], prefix, stream, before, SLICE))


async def _slices(ask: Ask, command: tuple[Word, ...]) -> int:
    total = 0
    while True:
        gone: int = await ask(command)
        total += gone
        if gone < SLICE:
            return total


def _commit_args(start: tuple[bytes, ...], universe: str, commit: Commit) -> list[Word]:
    """The script call of a commit: its sections in the order C{commit.lua} reads them."""
    escape = layout.escape
    args: list[Word] = [*start, layout.prefix(universe), commit.once, universe, len(commit.counts)]
    for table, key, by in commit.counts:
        args += (escape(table), key, by)
    args.append(len(commit.drops))
    for table, key in commit.drops:
        args += (escape(table), key)
    args.append(len(commit.puts))
    for table, key, document in commit.puts:
        args += (escape(table), key, document)
    args.append(len(commit.leave))
    args += commit.leave
    args.append(len(commit.arrive))
    for arrival in commit.arrive:
        args += (arrival.id, layout.encode_arrival(arrival))
    args.append(len(commit.jobs))
    for job in commit.jobs:
        args += (
            job.id, layout.digits(job.due), job.state, job.kind, escape(job.persona_id or ""),
            escape(job.case_id or ""), layout.encode_job(job))
    args.append(len(commit.drop_jobs))
    args += commit.drop_jobs
    args.append(len(commit.events))
    for row in list(map(layout.encode_event, commit.events)):
        args += (escape(row.type), row.at, row.tail, escape(row.persona_id), escape(row.case_id),
                 b"".join(map(layout.digest, row.message_ids)))
    return args


def _committed(reply: bytes) -> Committed:
    first, *counts = map(int, reply[1:].split(b","))
    return Committed(reply[:1] == b"1", first, tuple(counts))


def _table(universe: str, name: str) -> str:
    return layout.prefix(universe) + layout.TABLE + layout.escape(name)


def _place(octets: bytes) -> bytes:
    return octets[:12]


def _nothing(result: object) -> None:
    return None
