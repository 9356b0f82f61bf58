"""
The server's own documents where several servers are one installation.

Each change has a number, counted in the same commit.  A server that hears of the next number takes in what changed; one
that missed any, because it was away or the other was, reads all tables again: as soon as Redis tells it the number
(L{simmail.database.news}), or a beat later where that is not heard either.  Which server
has a universe is a document too.  Source: decisions, section 20.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.internet.task import deferLater, LoopingCall
from twisted.logger import Logger

from simmail.concurrency import Lock
from simmail.core.records.commit import Commit
from simmail.errors import Fenced, Unavailable
from simmail.interfaces import IDatabase, INodes
from simmail.server.documents import SERVER, ServerDocuments

#: Tables: which server has a universe, and where each server hears the others.
PLACES, NODES = "places", "nodes"

#: Tables of servers that were none of an installation.
TABLES = ("orgs", "users", "tickets", "keys", "universes", "snapshots", "steps", "going")

#: The document that counts changes.
_VERSION = ("versions", "documents")

#: The lease that is held by who makes what may be there once only; no universe can have this id.
_TURN = "~turn"

#: More than the number of any change.
_ANY = 1 << 62

#: Real seconds that a change which Redis has told of may take to come from who made it.
SOON = 0.03

#: Real seconds between two looks for what was missed; between two tries to have the turn, and for all of them; between
#: two renewals of it.
BEAT, AGAIN, PATIENCE, RENEWED = 1.0, 0.05, 20.0, 2.0


class _Placed(Struct):
    """As much as is needed of a C{UniverseRecord}."""

    id: str
    beside: str = ""


class SharedDocuments(ServerDocuments):
    """
    The same tables for all servers of an installation.

    @param nodes: the servers.
    """

    def __init__(self, database: IDatabase, nodes: INodes, reactor: IReactorTime) -> None:
        super().__init__(database, nodes)
        # On the instance: a Logger that is a class attribute takes the class's name for its namespace.
        self.logger = Logger(namespace="simmail.server")
        self._database, self._nodes, self._reactor = database, nodes, reactor
        self._version = self._changes = self._underway = self._rumour = 0
        self._founding = False
        self._known: dict[str, dict[str, bytes]] = {}
        self._reading, self._turn = Lock(reactor), Lock(reactor)
        self._beat = LoopingCall(self._look)
        self._beat.clock = reactor
        self._looking: IDelayedCall | None = None
        self._deafen: Callable[[], None] | None = None

    async def start(self, universes: Collection[str]) -> None:
        """
        Learn who has what, and say who is here.

        What nobody has, because there was one server and it had no name, is of the one that has the mail of any of it.

        @param universes: ids of those that have mail on this machine.
        """
        self._version = await self._recorded()
        await self.keep(PLACES, self._nodes.place)
        await self.keep(NODES, self._nodes.meet)
        async with self.alone():
            await self._take_over()
            lying = [one for one in await self._unplaced() if one.id not in self._nodes.placed]
            if any(one.id in universes for one in lying):
                await self.commit(Commit(puts=tuple({
                    one.beside or one.id: self._place(one.beside or one.id) for one in lying}.values())))
            octets = msgspec.json.encode(self._nodes.reached)
            if self._known[NODES].get(self._nodes.number) != octets:
                await self.commit(Commit(puts=((NODES, self._nodes.number, octets),)))
        self._beat.start(BEAT, now=False)
        self._deafen = self._database.on_news(SERVER, self._told)

    async def _take_over(self) -> None:
        """Documents that this server had for itself are the installation's, once; what that has stays as it is."""
        puts = []
        for name in TABLES:
            had, has = await self._database.former(name), await self.table(name)
            puts += [(name, key, octets) for key, octets in had.items() if key not in has]
            if name == "universes":
                records = (msgspec.json.decode(octets, type=_Placed) for octets in had.values())
                puts += [self._place(one) for one in {each.beside or each.id: None for each in records}]
        if puts:
            await self.commit(Commit(once=f"former {self._nodes.number}", puts=tuple(puts)))

    async def _unplaced(self) -> list[_Placed]:
        records = [msgspec.json.decode(one, type=_Placed) for one in (await self.table("universes")).values()]
        return [one for one in records if (one.beside or one.id) not in self._nodes.placed]

    def stop(self) -> None:
        """Look for nothing any more."""
        if self._beat.running:
            self._beat.stop()
        if self._deafen is not None:
            self._deafen()
            self._deafen = None
        if self._looking is not None:
            self._looking.cancel()
            self._looking = None

    # Who has what

    def holds(self, name: str) -> bool:
        """Whether it is said to be here: what nobody has is nowhere."""
        return bool(self._nodes.placed.get(name) == self._nodes.number)

    def placing(self, name: str) -> tuple[tuple[str, str, bytes], ...]:
        """Return the documents by which a universe that is made is here."""
        return () if name in self._nodes.placed else (self._place(name),)

    def leaving(self, name: str) -> tuple[tuple[str, str], ...]:
        """Return the documents that go with the last of what is placed so."""
        return ((PLACES, name),) if self.holds(name) else ()

    async def place(self, places: Mapping[str, str], records: Sequence[tuple[str, bytes]]) -> None:
        await self.commit(Commit(puts=(
            *((PLACES, name, msgspec.json.encode(node)) for name, node in places.items()),
            *(("universes", id, octets) for id, octets in records))))

    def _place(self, name: str) -> tuple[str, str, bytes]:
        return PLACES, name, msgspec.json.encode(self._nodes.number)

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """
        Have no other server do what is done within at the same time; all that others did is known.

        @raise Unavailable: another goes on and on with it.
        """
        if self._founding:
            # Nobody is served yet, and this is part of it.
            yield
            return
        async with self._turn:
            until = self._reactor.seconds() + PATIENCE
            while True:
                try:
                    await self._database.take(_TURN, lambda: None)
                    break
                except Fenced:
                    if self._reactor.seconds() >= until:
                        raise Unavailable("another server is busy with it; try again later") from None
                await deferLater(self._reactor, AGAIN)
            renewing = LoopingCall(lambda: self._database.renew(_TURN).addErrback(
                lambda failure: failure.trap(Unavailable)))
            renewing.clock = self._reactor
            renewing.start(RENEWED, now=False)
            try:
                await self.catch_up()
                yield
            finally:
                renewing.stop()
                try:
                    await self._database.give_back(_TURN)
                except Unavailable as error:
                    # It runs out by itself.
                    self.logger.info("the turn was not given back: {error}", error=error)

    @asynccontextmanager
    async def founding(self) -> AsyncIterator[None]:
        async with self.alone():
            self._founding = True
            try:
                yield
            finally:
                self._founding = False

    # What changes

    async def keep(self, name: str, learn: Callable[[str, bytes | None], Any]) -> None:
        self._learners[name] = learn
        self._known[name] = {}
        self._apply([(name, key, octets) for key, octets in (await self.table(name)).items()])

    async def commit(self, commit: Commit) -> None:
        self._underway += 1
        try:
            done = await self._database.commit(SERVER, replace(commit, counts=((*_VERSION, 1), *commit.counts)))
        finally:
            self._underway -= 1
            self._changes += 1
        if not done.fresh:
            return
        changes = _changes(commit)
        self._note(changes)
        for table, key, octets in changes:
            if table in (PLACES, NODES):
                self._learners[table](key, octets)
        version = done.counts[0]
        followed = version == self._version + 1
        if followed:
            self._version = version
        self._database.announce(SERVER, version)
        # Whoever is answered that it is so finds it so at every server that can be reached.
        await self.ask("heard", changes, version)
        if not followed:
            await self.catch_up()

    async def heard(self, changes: Sequence[tuple[str, str, bytes | None]], version: int) -> None:
        """Another server has made change number C{version}: table, key, and octets or None."""
        if version == self._version + 1:
            self._version = version
            self._changes += 1
            self._apply(changes)
            self.tell()
        elif version > self._version:
            await self.catch_up()

    def _told(self, version: int | None) -> None:
        """Redis tells of a change, or may have told of some."""
        self._rumour = max(self._rumour, _ANY if version is None else version)
        if self._looking is None and self._rumour > self._version:
            self._looking = self._reactor.callLater(SOON, self._look_now)

    def _look_now(self) -> None:
        rumour, self._looking, self._rumour = self._rumour, None, 0
        if rumour > self._version:
            self._look()

    async def catch_up(self) -> None:
        """Read all tables again, if any change was missed.  @raise Unavailable: Redis is away."""
        async with self._reading:
            while True:
                version, changes = await self._recorded(), self._changes
                if version == self._version:
                    return
                tables = {name: await self.table(name) for name in self._learners}
                # What was changed meanwhile may be in what was read, or not.
                if not self._underway and changes == self._changes:
                    break
            self._version = version
            self._apply([
                (name, key, rows.get(key)) for name, rows in tables.items()
                for key in {**self._known[name], **rows} if rows.get(key) != self._known[name].get(key)])
            self.tell()

    async def _recorded(self) -> int:
        table, key = _VERSION
        return int((await self._database.get(SERVER, table, [key]))[0] or 0)

    def _look(self) -> Deferred[None]:
        return Deferred.fromCoroutine(self.catch_up()).addErrback(self._not_now)

    def _not_now(self, failure: Any) -> None:
        if not failure.check(Unavailable):
            self.logger.failure("changes of other servers were not taken in", failure)

    def _note(self, changes: Iterable[tuple[str, str, bytes | None]]) -> None:
        for table, key, octets in changes:
            rows = self._known.get(table)
            if rows is not None:
                rows.pop(key, None)
                if octets is not None:
                    rows[key] = octets

    def _apply(self, changes: Sequence[tuple[str, str, bytes | None]]) -> None:
        self._note(changes)
        # Who has a universe is known before the universe is.
        for table, key, octets in sorted(changes, key=lambda one: one[0] not in (PLACES, NODES)):
            if table in self._learners:
                self._learners[table](key, octets)


def _changes(commit: Commit) -> list[tuple[str, str, bytes | None]]:
    return [*((table, key, None) for table, key in commit.drops), *commit.puts]
