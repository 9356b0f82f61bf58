"""
When a replica of a primary has what was committed to it: the primary and who had made the commit may then die together.

C{WAIT} tells how many replicas have all that was written on its connection, and holds up what comes after it there: it
is asked on one of its own, behind a write of its own.  All who have come meanwhile are told by the next answer.

C{WAITAOF} would tell that a replica has it in its synced log.  But replicas tell of their logs once a second, and so
long everybody would wait, while one that syncs before it answers (C{appendfsync always}) does so before it answers
this: of that one C{WAIT} says the same, within a round trip.  Of others it says that they have it in memory.

A replica is waited for from when its primary says that it has come as far as that, and until the cluster takes it for
failed: one that is only copying what there was holds nobody up.  Source: decisions, section 20; the documentation of
Valkey's C{WAIT} and C{WAITAOF}.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol, TypeVar

from msgspec.structs import replace
from twisted.internet.defer import CancelledError, Deferred, fail, succeed
from twisted.internet.task import deferLater
from twisted.logger import Logger
from twisted.python.failure import Failure

from simmail.concurrency import Waiting, as_deferred
from simmail.core.records.commit import EventQuery
from simmail.database import layout
from simmail.database.connection import RedisConnection
from simmail.database.queries import all_of
from simmail.database.url import RedisUrl
from simmail.errors import Unavailable

#: Real seconds before the same is asked again: in one wait; while no replica confirms; while one has still to copy.
AT_ONCE, AGAIN, COPIED = 0.05, 0.25, 1.0

#: What is said of it, to everybody.
NOT_CONFIRMED = "no replica confirms it in time"

T = TypeVar("T")


class ReplicaAcks:
    """
    The acknowledgements of one primary's replicas.

    @param connection: to the primary, opened when it is first needed; whoever makes it calls L{connected}.
    @param patience: real seconds that replicas may take.
    @param key: names what is written to ask.
    @param required: a replica is waited for also where the primary has none.
    @ivar away: why none confirms, C{""}: one does, or none is waited for.
    """

    log = Logger()

    def __init__(
        self, reactor: Any, connection: RedisConnection, patience: float, key: Callable[[], str],
        required: bool = False,
    ) -> None:
        self._reactor, self._connection, self._patience = reactor, connection, patience
        self._key, self._required = key, required
        self.away = ""
        self._links: tuple[RedisUrl, ...] = ()
        # Whether one has come as far as the primary, None: that is to be asked.
        self._online: bool | None = False
        self._opened = self._going = self._closed = False
        self._waiting: list[Deferred[None]] = []
        self._up: Waiting[None] = Waiting(reactor)
        self._resting: Deferred[None] = succeed(None)
        self._asked = 0

    @property
    def wanted(self) -> bool:
        """Whether a replica is waited for now."""
        return self._required or bool(self._links) and self._online is not False

    def wait(self) -> Deferred[None]:
        """
        Deferred: a replica has all that was answered so far, or none is waited for.

        Many are told by one answer, in the order they came.

        @raise Unavailable: no replica confirms it in time, and there may be none that has it.
        """
        if self._closed or self.away:
            return fail(Unavailable(self.away or "the database is away"))
        if not self.wanted:
            return succeed(None)
        waiting: Deferred[None] = Deferred()
        self._waiting.append(waiting)
        self._go()
        return waiting

    def known(self, links: Sequence[RedisUrl]) -> None:
        """The primary has these replicas now, as the cluster says."""
        if tuple(links) != self._links:
            self._links = tuple(links)
            self._online = None if links else False
            self._go()

    def connected(self) -> None:
        """The connection is up, or down."""
        if self._connection.ready:
            self._up.wake(None)

    def close(self) -> Deferred[None]:
        """Ask no more; who waits fails, for nobody knows."""
        self._closed = True
        self._resting.cancel()
        self._up.wake(None)
        self._tell(self._take(), "the database is away")
        return self._connection.close() if self._opened else succeed(None)

    def _go(self) -> None:
        if not self._going and not self._closed:
            self._going = True
            Deferred.fromCoroutine(self._ask()).addErrback(
                lambda failure: self.log.failure("nobody asks whether replicas have what was committed", failure))

    async def _ask(self) -> None:
        try:
            while not self._closed and (self._waiting or self.away or self._is_looked_for):
                if self.away:
                    await self._pause(AGAIN)
                elif self._is_looked_for and self._online is False:
                    await self._pause(COPIED)
                    self._online = None
                waiting, why = self._take(), "the database is away"
                try:
                    why = await self._confirmed()
                finally:
                    if why != self.away and not self._closed:
                        self._turn(why)
                    self._tell(waiting, why)
        finally:
            self._going = False

    @property
    def _is_looked_for(self) -> bool:
        """Whether it is not known yet that a replica is as far as the primary, and matters."""
        return bool(self._links) and not self._online and not self._required

    async def _pause(self, seconds: float) -> None:
        self._resting = deferLater(self._reactor, seconds)
        try:
            await self._resting
        except CancelledError:
            # It is closed.
            pass

    def _turn(self, why: str) -> None:
        self.away = why
        if why:
            self.log.error("what is committed is not known to outlive its Redis: {why}", why=why)
            # They came while others waited in vain.
            self._tell(self._take(), why)
        else:
            self.log.info("what is committed is on a replica again")

    def _take(self) -> list[Deferred[None]]:
        waiting, self._waiting = self._waiting, []
        return waiting

    def _tell(self, waiting: Iterable[Deferred[None]], why: str) -> None:
        for one in waiting:
            if why:
                one.errback(Failure(Unavailable(why)))
            else:
                one.callback(None)

    async def _confirmed(self) -> str:
        """Why no replica has all that was answered so far, C{""}: one has, or none is waited for."""
        until = self._reactor.seconds() + self._patience
        while True:
            if not self._links and not self._required:
                return ""
            try:
                await self._ready(until)
                if self._is_looked_for:
                    await self._look()
                if not self.wanted or await self._has_all(until):
                    return ""
                why = NOT_CONFIRMED
            except Unavailable as error:
                why = str(error)
            if self._closed or self._reactor.seconds() >= until:
                return why
            await self._pause(AT_ONCE)

    async def _ready(self, until: float) -> None:
        if not self._opened:
            self._opened = True
            self._connection.open()
        while not self._connection.ready:
            left = until - self._reactor.seconds()
            if left <= 0 or self._closed:
                raise Unavailable(f"no Redis: {self._connection.trouble or 'no answer'}")
            await self._up.wait().addTimeout(left, self._reactor, lambda *_: None)

    async def _look(self) -> None:
        """Learn how far the replicas are."""
        links = self._links
        try:
            online = b"state=online" in bytes(await self._connection.call(("INFO", "replication")))
        except RuntimeError:
            # It may not be asked; the cluster says that there is one.
            online = True
        if links == self._links:
            self._online = online

    async def _has_all(self, until: float) -> bool:
        left = max(round((until - self._reactor.seconds()) * 1000), 1)
        self._asked += 1
        # It is counted what this connection wrote, so something has to be written, behind all that was answered.
        wrote = self._connection.call(("SET", self._key(), self._asked), None, True)
        try:
            _, replicas = await all_of([wrote, self._connection.call(("WAIT", 1, left))])
        except RuntimeError as error:
            raise Unavailable(str(error)) from None
        return bool(replicas)


class HasReplicas(Protocol):
    """A primary."""

    acks: ReplicaAcks
    writes: RedisConnection

    @property
    def healthy(self) -> bool:
        """Whether it is up."""


class ReplicatedUniverses:
    """
    The universes of which nothing is told before a replica has it.

    @param primary_of: which primary has a universe.
    @ivar last: by universe, the highest event number that may be told of; others may be told of at once.
    """

    log = Logger()

    def __init__(self, primary_of: Callable[[str], HasReplicas]) -> None:
        self._primary_of = primary_of
        self.last: dict[str, int] = {}

    def shown(self, universe: str, query: EventQuery) -> EventQuery:
        """What is to be looked for, so that nobody is shown an event that may be lost yet."""
        last = self.last.get(universe)
        if last is None or query.before is not None and query.before <= last:
            return query
        return replace(query, before=last + 1)

    def away(self, universe: str) -> str:
        """Why nothing can be told of a universe now, C{""}: it can."""
        return self._primary_of(universe).acks.away if universe in self.last else ""

    @property
    def unconfirmed(self) -> str:
        """That it is so of any whose primary is up, for everybody; C{""} where it is not."""
        away = any(self.away(one) for one in self.last if self._primary_of(one).healthy)
        return NOT_CONFIRMED if away else ""

    def told(self, result: T, universe: str, last: int = 0) -> T | Deferred[T]:
        """What was answered, when it may be told.  @param last: the number of its last event, 0 for none."""
        def tell(_: None) -> T:
            if last > self.last.get(universe, last):
                self.last[universe] = last
            return result

        if universe not in self.last:
            return result
        acks = self._primary_of(universe).acks
        return acks.wait().addCallback(tell) if acks.wanted else tell(None)

    @as_deferred
    async def kept(self, universe: str) -> None:
        """All that was answered may be told.  @raise Unavailable: no replica confirms it in time."""
        await succeed(None).addCallback(self.told, universe)

    async def closed_in_order(self, universe: str) -> bool:
        """It is none any more: whether all that it has used of event numbers is known, should its Redis die now."""
        if universe not in self.last:
            return False
        try:
            await self.kept(universe)
        except Unavailable as error:
            self.log.info("event numbers of {universe} will jump: {error}", universe=universe, error=error)
            return False
        finally:
            self.last.pop(universe, None)
        return True

    async def close(self) -> None:
        """All are closed in order, and nobody else has any."""
        for universe in sorted(self.last.keys() - {""}):
            if await self.closed_in_order(universe):
                try:
                    meta = layout.prefix(universe) + layout.META
                    await self._primary_of(universe).writes.call(("HDEL", meta, "open"))
                except Unavailable:
                    # Event numbers jump when it is opened.
                    pass
