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

from twisted.internet.defer import Deferred, fail, succeed
from twisted.logger import Logger
from twisted.python.failure import Failure
from zope.interface import implementer

from simmail.concurrency import as_deferred
from simmail.core.records.commit import Commit, Committed, EventQuery, JobQuery
from simmail.core.records.delivery import Arrival
from simmail.core.records.job import Job
from simmail.core.time.histogram import lines
from simmail.database import layout, leases, transfer
from simmail.database.cluster.primaries import ClusterPrimaries, ReplicaWaits
from simmail.database.connection import pack, Word
from simmail.database.durability.event_numbers import EventNumbers, JUMP, NoteKeeper, ahead
from simmail.database.leases import Leases, nobody
from simmail.database.news import Listener, News
from simmail.database.primary import RedisPrimary, Scripts
from simmail.database.queries import Questions, all_of, job_of
from simmail.database.durability.replica_acks import ReplicatedUniverses
from simmail.database.stored import STORED, StoredRow
from simmail.database.durability.synced import Ask
from simmail.database.trouble import reason
from simmail.database.universe_list import UniverseList
from simmail.database.url import CLUSTER, FIELD, RedisUrl, locked_out, members, parse, untrusted
from simmail.errors import Conflict, Fenced, Invalid, Unavailable
from simmail.interfaces import IDatabase

#: Rows one script call removes.
SLICE = 500

#: Keys that one step of a look at all keys takes; events, jobs and commits that are copied in one step, about a second
#: of Redis: with more everybody would take it for away.
SCANNED, MOST_COPIED = 10_000, 1_000_000
#: The same of what is carried from one Redis to another: all of it is in memory once.
MOST_CARRIED = 100_000

#: Real seconds in which a Redis must be there at the start.
PATIENCE = 10.0


class OnePrimary:
    """All keys are on one Redis."""

    def __init__(self, primary: RedisPrimary) -> None:
        self._primary = primary
        self.all = [primary]

    def of(self, prefix: str) -> RedisPrimary:
        """Which Redis has the keys of a hash tag."""
        return self._primary

    def has(self, primary: RedisPrimary, prefix: str) -> bool:
        """Whether one has the keys of a hash tag."""
        return True

    def home(self, key: str) -> RedisUrl:
        """Which Redis has a channel."""
        return self._primary.link

    def look(self) -> None:
        """It may be elsewhere: where it is never changes."""

    def open(self) -> None:
        """Begin to connect."""
        self._primary.open()

    def together(self, prefix: str, other: str) -> bool:
        """Whether one script can see the keys of two hash tags."""
        return True

    @property
    def healthy(self) -> bool:
        """All that there are are up."""
        return self._primary.healthy

    def close(self) -> Deferred[list[None]]:
        """Connect no more."""
        return self._primary.close()


@implementer(IDatabase)
class RedisDatabase:
    """
    The universes of one Redis.

    @ivar healthy: both connections are up; while false every call fails at once.
    """

    _log = Logger()

    stored = STORED

    def __init__(
        self, reactor: Any, url: str, timeout: float = 2.0, numbers: Path | None = None, node: str = "",
        cluster: Sequence[str] = (), shared: bool = False, replica: ReplicaWaits = "available",
    ) -> None:
        """
        @param url: C{redis.url}, see L{simmail.database.url}.
        @param timeout: real seconds that a call may take.
        @param numbers: file that says which event numbers were used (L{NoteKeeper}); None: no Redis is expected to
            forget any.
        @param node: the name under which leases of universes are taken; C{""}: nobody else has any.
        @param shared: all servers of whatever name have the same documents of their own.
        @param cluster: C{redis.cluster}, URLs of some members of a cluster; C{url} means nothing then.
        @param replica: C{redis.replica}, which replicas have to have what is committed in replicated universes.  Of a
            single Redis none is known: there it is C{required}, or none is waited for.
        @raise Invalid: it is no such URL.
        """
        self.healthy = False
        self._field = CLUSTER if cluster else FIELD
        self.node, self._own_prefix = node, layout.prefix("", "" if shared else node)
        self._reactor = reactor
        self._listeners: list[Callable[[bool], object]] = []
        self._opened: list[Deferred[None]] = []
        self._closing = False
        # Why it is away, as the log has it.
        self._told = ""
        scripts = Scripts()
        self._start = scripts.start
        self._notes = None if numbers is None else NoteKeeper(EventNumbers(numbers), reactor, self._run, self._used)
        heard = self._changed, self._came_back, self._looked
        self._primaries = ClusterPrimaries(
            reactor, members(cluster), timeout, scripts, *heard, replica) if cluster else OnePrimary(RedisPrimary(
                reactor, parse(url), timeout, scripts, *heard, replica_required=replica == "required"))
        #: Which Redis has the keys of a hash tag.
        self._of = self._primaries.of
        self._questions = Questions(lambda key: self._of(_tag(key)).reads, scripts.start)
        self._replicated = ReplicatedUniverses(lambda universe: self._of(self._prefix(universe)))
        self._news = News(reactor, timeout, self._primaries.home, self._primaries.look, bool(cluster))
        self._leases = Leases(node)
        self._list = UniverseList(lambda command: self._of(layout.prefix("")).writes.call(command))

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
        self._primaries.open()
        await self._until_healthy(patience)
        written = int(await self._of(layout.prefix("")).writes.call(("GET", layout.prefix("") + layout.LAYOUT_NAME)))
        if written > layout.LAYOUT:
            raise Invalid(FIELD, f"holds data of a newer version (layout {written}, known is {layout.LAYOUT})")
        await self._list.learn()
        if self._notes is not None:
            await self._number_ahead(self._notes)
        for one in self._primaries.all:
            if one.weak:
                self._log.warn("{link} is less durable than simmail's own Redis: {weak}", link=one.link, weak=one.weak)

    def figures(self) -> str:
        """Return how its connections do, in Prometheus's exposition format."""
        primaries = [one for one in self._primaries.all if not one.asking]
        connections = {
            f'connection="{name}"' + (f',redis="{primary.link}"' if len(primaries) > 1 else ""): one
            for primary in primaries for name, one in (("reads", primary.reads), ("writes", primary.writes))}
        return "\n".join((
            *lines("simmail_redis_round_trip_seconds", {name: one.round_trips for name, one in connections.items()}),
            "# TYPE simmail_redis_calls_waiting gauge",
            *(f"simmail_redis_calls_waiting{{{name}}} {one.waiting}" for name, one in connections.items())))

    def commit(self, universe: str, commit: Commit, may_batch: bool = False) -> Deferred[Committed]:
        """Drops come before puts, C{leave} before C{arrive}, jobs before C{drop_jobs}."""
        prefix, token = self._prefix(universe), self._leases.tokens.get(universe, "")
        try:
            packed = pack(tuple(layout.commit_words(self._start["commit"], prefix, token, commit)))
        except Exception:
            # What cannot be encoded is a defect of the caller, told as any other failure is.
            failed: Deferred[Committed] = Deferred()
            failed.errback(Failure())
            return failed

        def committed(reply: bytes) -> Committed:
            done = layout.committed(reply)
            # One that is repeated may have been answered to nobody.
            primary = self._of(prefix)
            primary.unsynced.add(prefix, packed, done.first, len(commit.events))
            primary.synced.made()
            return done

        replicated = universe in self._replicated.last
        if replicated and (why := self._replicated.away(universe)):
            return fail(Unavailable(why))
        if universe in self._list.known:
            done = self._of(prefix).writes.call(packed, committed, may_batch)
        else:
            done = self._list.add(universe).addCallback(
                lambda _: self._of(prefix).writes.call(packed, committed, may_batch))
        if replicated:
            done.addCallback(lambda done: self._replicated.told(
                done, universe, done.first + len(commit.events) - 1 if commit.events else 0))
        return done.addErrback(self._fenced, universe, token) if token else done

    def _fenced(self, failure: Failure, universe: str, token: str) -> Failure:
        if failure.check(Fenced):
            self._replicated.last.pop(universe, None)
            self._leases.refused(universe, token)
        return failure

    @property
    def continued(self) -> bool:
        return self._notes is None or self._notes.continued

    def recovered(self) -> None:
        if self._notes is not None:
            self._notes.recovered()

    def synced(self) -> Deferred[None]:
        rounds = [one.synced.round() for one in self._primaries.all]
        return rounds[0] if len(rounds) == 1 else all_of(rounds).addCallback(_nothing)

    def table(self, universe: str, name: str) -> Deferred[dict[str, bytes]]:
        return Deferred.fromCoroutine(self._questions.table(self._table(universe, name)))

    def former(self, name: str) -> Deferred[dict[str, bytes]]:
        prefix = layout.prefix("", self.node)
        if prefix == self._own_prefix:
            return succeed({})
        return Deferred.fromCoroutine(self._questions.table(prefix + layout.TABLE + layout.escape(name)))

    def get(self, universe: str, name: str, keys: Iterable[str]) -> Deferred[list[bytes | None]]:
        return self._questions.fields(self._table(universe, name), list(keys))

    def events(self, universe: str, query: EventQuery) -> Deferred[list[bytes]]:
        """C{since} and C{until} are included, C{after} and C{before} are not."""
        shown = self._replicated.shown(universe, query)
        return Deferred.fromCoroutine(self._questions.events(self._prefix(universe), shown))

    def last_event(self, universe: str) -> Deferred[int]:
        prefix = self._prefix(universe)
        return self._of(prefix).reads.call(("HGET", prefix + layout.META, "last"), lambda reply: int(reply or 0))

    def pending(self, universe: str) -> Deferred[list[Job]]:
        return Deferred.fromCoroutine(self._questions.pending(self._prefix(universe)))

    def jobs(self, universe: str, query: JobQuery) -> Deferred[list[Job]]:
        """@raise Invalid: there is no job C{query.after}."""
        return Deferred.fromCoroutine(self._questions.jobs(self._prefix(universe), query))

    def job(self, universe: str, job_id: str) -> Deferred[Job | None]:
        prefix = self._prefix(universe)
        return self._of(prefix).reads.call(
            ("HGET", prefix + layout.JOBS, job_id),
            lambda reply: None if reply is None else job_of(reply))

    def arrivals(self, universe: str) -> Deferred[list[Arrival]]:
        prefix = self._prefix(universe)
        return self._of(prefix).reads.call(
            ("HVALS", prefix + layout.ARRIVALS),
            lambda reply: [layout.decode_arrival(octets[12:]) for octets in sorted(reply, key=_place)])

    @as_deferred
    async def seen(self, universe: str, ids: Iterable[str]) -> set[str]:
        asked, prefix, fields = list(ids), self._prefix(universe), self._questions.fields
        # In this order, in one go: what a retirement moves between them is seen in the second.
        now, before = await all_of([fields(prefix + layout.ONCE, asked), fields(prefix + layout.ONCE_BEFORE, asked)])
        return {id for id, *outcomes in zip(asked, now, before) if outcomes != [None, None]}

    @as_deferred
    async def retire(self, universe: str, keep: Iterable[str], least: int) -> bool:
        token, prefix = await self._own(universe), self._prefix(universe)
        try:
            return bool(await self._of(prefix).writes.call((*self._start["retire"], prefix, token, least, *keep)))
        except Fenced:
            self._leases.refused(universe, token)
            raise

    @as_deferred
    async def prune(self, universe: str, before: datetime) -> tuple[int, int]:
        """Prune in slices: other commits come between them."""
        prefix, limit = self._prefix(universe), layout.digits(before)
        await self._sweep(prefix, layout.ERASED, b"")
        events = await self._sweep(prefix, layout.EVENTS, limit)
        return events, await _slices(self._of(prefix).writes.call, (*self._start["prune"], prefix, limit, SLICE))

    @as_deferred
    async def erase(self, universe: str) -> None:
        """Erase it for all at one moment; its events are then cleared away in slices."""
        self._list.forget(universe)
        token, prefix = await self._own(universe), self._prefix(universe)
        primary = self._of(prefix)
        try:
            await self._erase_by(primary.writes.call, universe)
        except Fenced:
            self._leases.refused(universe, token)
        await self._list.remove(universe)
        primary.unsynced.erased(prefix, lambda ask: self._erase_by(ask, universe))
        await self._replicated.kept(universe)

    @as_deferred
    async def copy(self, source: str, target: str) -> None:
        """Copy it in one step of Redis, which nothing comes between; to another Redis in one step of each."""
        origin, prefix, copy = self._prefix(source), self._prefix(target), secrets.token_hex(8)
        together = self._primaries.together(origin, prefix)
        command: tuple[Word, ...] = (*self._start["copy"], origin, prefix, copy, SCANNED, MOST_COPIED)
        if not together:
            packed = await self._of(origin).writes.call((*self._start["pack"], origin, SCANNED, MOST_CARRIED))
            if not packed:
                raise Conflict(_too_much(source, MOST_CARRIED))
            command = (*self._start["unpack"], prefix, copy, *packed)
        await self._own(target)
        listed = target in self._list.known
        if not listed:
            await self._list.add(target)
        primary = self._of(prefix)
        done = await self._copy_by(primary.writes.call, prefix, command)
        if done < 0:
            if not listed:
                self._list.forget(target)
                await self._list.remove(target)
            raise Conflict(
                f"universe {target} has something already" if done == -1 else _too_much(source, MOST_COPIED))

        async def again(ask: Ask) -> None:
            await self._erase_by(ask, target)
            await self._copy_by(ask, prefix, command)

        last = await primary.writes.call(("HGET", prefix + layout.META, "last"))
        primary.unsynced.copied(origin if together else "", prefix, copy, int(last or 0), again)
        primary.synced.made()
        await self._replicated.kept(target)

    async def dump(self, universe: str) -> AsyncIterator[Sequence[StoredRow]]:
        async for rows in transfer.dump(lambda: self._of(self._prefix(universe)).reads, self._prefix(universe)):
            yield rows

    @as_deferred
    async def load(self, universe: str, rows: AsyncIterator[Sequence[StoredRow]]) -> None:
        """Have it in the synced log before it is there for anybody."""
        prefix, token = self._prefix(universe), await self._own(universe)
        primary = self._of(prefix)
        used = await primary.writes.call(("HGET", prefix + layout.META, "last"))
        loading = transfer.Loading(
            primary.writes, prefix, lambda commit: layout.commit_words(self._start["commit"], prefix, token, commit),
            int(used or 0))
        await self._list.add(universe)
        async for page in rows:
            await loading.add(page)
        primary.unsynced.numbers[prefix] = loading.used
        primary.synced.made()
        await self.synced()

    @as_deferred
    async def universes(self) -> list[str]:
        """Leave out the server's own documents, which are no universe."""
        names = sorted(await self._list.names())
        has = await all_of([
            self._of(prefix).reads.call((*self._start["inhabited"], prefix)) for prefix in map(layout.prefix, names)])
        return [name for name, any_document in zip(names, has) if any_document]

    def draw(self, bucket: str, rate: float, burst: int, wanted: int, now: float) -> Deferred[tuple[int, float]]:
        return self._of(self._own_prefix).writes.call(
            (*self._start["draw"], self._prefix(""), layout.escape(bucket), repr(float(rate)), burst, wanted,
             repr(now)),
            lambda reply: (int(reply[0]), float(reply[1])))

    @as_deferred
    async def replicate(self, universe: str) -> None:
        """What is the server's own is on a replica too from then on: it says that there is such a universe."""
        self._replicated.last[""] = 0
        if universe:
            prefix, token = self._prefix(universe), self._leases.tokens.get(universe, "")
            try:
                last = await self._of(prefix).writes.call((
                    *self._start["opened"], prefix, token, 0 if universe in self._replicated.last else JUMP))
            except Fenced:
                self._leases.refused(universe, token)
            self._of(prefix).unsynced.numbers[prefix] = last
            self._replicated.last[universe] = last
            await all_of([self._replicated.kept(one) for one in ("", universe)])

    def available(self, universe: str) -> bool:
        return self.healthy and (universe not in self._replicated.last or not self._replicated.away(universe))

    @property
    def unconfirmed(self) -> str:
        return self._replicated.unconfirmed

    async def _lease(self, universe: str, token: str, seconds: float, in_order: bool = False) -> str:
        prefix = layout.prefix(universe)
        taken, holder = await self._of(prefix).writes.call((
            *self._start["lease"], prefix, self.node, token, round(seconds * 1000), int(in_order)))
        if not taken and not token:
            raise Fenced(f"the universe {universe} is held by {holder.decode()}")
        if not taken:
            self._leases.refused(universe, token)
        return str(taken.decode())

    @as_deferred
    async def take(self, universe: str, lost: Callable[[], object] = nobody) -> None:
        if self.node:
            self._leases.taken(universe, await self._lease(universe, "", leases.LASTS), lost)

    @as_deferred
    async def renew(self, universe: str) -> None:
        await self._lease_on(universe, leases.LASTS)

    def holder(self, universe: str) -> Deferred[str]:
        prefix = self._prefix(universe)
        return self._of(prefix).reads.call(
            ("GET", prefix + layout.LEASE), lambda reply: bytes(reply or b"").decode())

    @as_deferred
    async def give_back(self, universe: str) -> None:
        await self._lease_on(universe, 0, await self._replicated.closed_in_order(universe))
        self._leases.given_back(universe)

    async def _lease_on(self, universe: str, seconds: float, in_order: bool = False) -> None:
        token = self._leases.tokens.get(universe, "")
        if token:
            await self._lease(universe, token, seconds, in_order)

    async def _own(self, universe: str) -> str:
        """The token with which a universe is changed as a whole.  @raise Fenced: another holds it."""
        if self._leases.wanted(universe):
            await self.take(universe)
        return self._leases.tokens.get(universe, "")

    def announce(self, universe: str, number: int) -> None:
        self._news.tell(self._prefix(universe) + layout.NEWS, number)

    def on_news(self, universe: str, listener: Listener) -> Callable[[], None]:
        return self._news.hear(self._prefix(universe) + layout.NEWS, listener)

    def on_health(self, listener: Callable[[bool], object]) -> Callable[[], None]:
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    @as_deferred
    async def close(self) -> None:
        """What was not answered fails with C{Unavailable}."""
        if not self._closing:
            self._closing, self.healthy = True, False
            if not self.node:
                await self._replicated.close()
            for one in self._primaries.all:
                await one.synced.finish()
            if self._notes is not None and all(one.run is not None for one in self._primaries.all):
                await self._notes.close()
        await self._news.close()
        await self._primaries.close()

    # What Redis may have lost

    async def _came_back(self, primary: RedisPrimary, ask: Ask) -> None:
        if self._primaries.has(primary, layout.prefix("")):
            await self._list.restore(ask)

    def _run(self) -> str:
        """What is another one whenever any Redis was started anew; C{""} where one does not tell."""
        runs = sorted({one.run or "" for one in self._primaries.all})
        return "+".join(runs) if all(runs) else ""

    def _used(self) -> dict[str, int]:
        """The highest event number that was told of, by hash tag."""
        return {prefix: number for one in self._primaries.all for prefix, number in one.unsynced.numbers.items()}

    def _looked(self) -> None:
        if self._notes is not None:
            self._notes.look()

    async def _number_ahead(self, notes: NoteKeeper) -> None:
        """Numbers that an earlier process used are not used again, whatever Redis knows of them."""
        noted, run = notes.read(), self._run()
        if noted is not None:
            prefixes = list(noted.last)
            if notes.file.broken:
                prefixes = [self._prefix(universe) for universe in await self.universes()]
            for prefix in prefixes:
                primary = self._of(prefix)
                last = int(await primary.writes.call(("HGET", prefix + layout.META, "last")) or 0)
                number = ahead(noted, run, prefix, last)
                if number > last:
                    await primary.writes.call(("HSET", prefix + layout.META, "last", number))
                primary.unsynced.numbers[prefix] = number
        notes.write()

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
        return f"no Redis at {self._ailing.link}: {self._ailing.trouble}"

    @property
    def away(self) -> str:
        """That it is away, and why, for everybody; C{""} while it is there."""
        return "" if self.healthy else f"away: {reason(self._ailing.trouble)}"

    def look(self) -> None:
        """Say in the log why it is away when that is another reason than was said; called now and then."""
        if not self.healthy and not self._closing and self._told and self.away != self._told:
            self._tell_away()

    def _tell_away(self) -> None:
        ailing, self._told = self._ailing, self.away
        self._log.warn("{link} is {away} ({why})", link=ailing.link, away=self._told, why=ailing.trouble)

    def _prefix(self, universe: str) -> str:
        return layout.prefix(universe) if universe else self._own_prefix

    def _table(self, universe: str, name: str) -> str:
        return self._prefix(universe) + layout.TABLE + layout.escape(name)

    @property
    def _ailing(self) -> RedisPrimary:
        """The first that is not up; any, if all are."""
        return next((one for one in self._primaries.all if not one.healthy), self._primaries.all[0])

    def _changed(self) -> None:
        self._news.settle()
        healthy, ailing = self._primaries.healthy, self._ailing
        why = locked_out if ailing.locked_out else untrusted if ailing.untrusted else None
        if self._opened and why is not None:
            refused = Invalid(self._field, why(ailing.link, ailing.trouble))
            for waiting in self._take_opened():
                waiting.errback(Failure(refused))
        if healthy == self.healthy or self._closing:
            return
        self.healthy = healthy
        if healthy:
            self._log.info("{link} is there", link=ailing.link)
        else:
            self._tell_away()
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
        prefix = self._prefix(universe)
        sweep = (*self._start["sweep"], prefix, layout.ERASED, b"", SLICE)
        while True:
            await _slices(ask, sweep)
            if await ask((*self._start["erase"], prefix, self._leases.tokens.get(universe, ""))):
                break
        await _slices(ask, sweep)

    async def _copy_by(self, ask: Ask, prefix: str, command: tuple[Word, ...]) -> int:
        """What the script answers."""
        while True:
            done: int = await ask(command)
            if done:
                return done
            await _slices(ask, (*self._start["sweep"], prefix, layout.ERASED, b"", SLICE))

    def _sweep(self, prefix: str, stream: str, before: bytes) -> Coroutine[Any, Any, int]:
        return _slices(self._of(prefix).writes.call, (*self._start["sweep"], prefix, stream, before, SLICE))


async def _slices(ask: Ask, command: tuple[Word, ...]) -> int:
    total = 0
    while True:
        gone: int = await ask(command)
        total += gone
        if gone < SLICE:
            return total


def _too_much(universe: str, most: int) -> str:
    return f"universe {universe} has too much to be copied: over {most} events, jobs and commits"


def _tag(key: str) -> str:
    return key[:key.index("}") + 1]


def _place(octets: bytes) -> bytes:
    return octets[:12]


def _nothing(result: object) -> None:
    return None
