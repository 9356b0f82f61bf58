"""
A universe moves from one server of an installation to another, with all its mail and its snapshots.

What is settled goes while it is served.  Then it is closed: who is connected is told, what was accepted is filed and
committed, the rest goes over, and one commit says that it is the other's.  Up to that it is whole here, from then on
there; whoever ends in between, it is at the one that is said to have it.  Source: decisions, section 20.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import deferLater
from twisted.logger import Logger

from simmail.concurrency import Lock
from simmail.errors import Conflict, Invalid, Unavailable
from simmail.interfaces import INodes
from simmail.server.organizations import Universes
from simmail.server.replacement import Storage
from simmail.server.snapshots import Snapshots
from simmail.server.transfer.leases import UniverseLeases
from simmail.universe.universe import Universe, UniverseRecord

#: Real seconds between two tries to find out whose it is; of patience for one page, and for all of it to be on a disk;
#: between two looks whether it is served.
AGAIN, PATIENCE, SETTLED, LOOK = 1.0, 30.0, 120.0, 0.02


class ICarried(Protocol):
    """Mail of a universe that goes: L{simmail.mailstore.export.carrying.CarriedTree}.  All wait for the disk."""

    def counter(self) -> int:
        """Return a UIDVALIDITY that is as great as any in it."""

    def changes(self) -> Iterator[Sequence[Any]]:
        """Yield what has changed since."""


class IArriving(Protocol):
    """Mail of a universe that comes: L{simmail.mailstore.export.carrying.ArrivingTree}."""

    def begin(self) -> None:
        """Nothing has come yet."""

    def clear(self) -> None:
        """Nothing is to come."""

    def put(self, rows: Sequence[Any]) -> None:
        """Take some of it."""

    def settle(self) -> None:
        """It is on the disk."""

    def finish(self, counter: int) -> None:
        """It is whole, and in its place."""


class Carriers(NamedTuple):
    """Makes both ends, by the id of a universe."""

    leaving: Callable[[str], ICarried]
    arriving: Callable[[str], IArriving]


class MovedUniverse(Struct, frozen=True):
    """
    A universe that has moved.

    @ivar node: where it is; seconds: for how long nobody served it, as far as is known when the new one is away again.
    """

    universe: str
    node: str
    seconds: float


class UniverseMoves:
    """
    Moves universes of this server to others, and takes those that come.

    @param release: lets go of a universe that is to be closed; back: serves one again that did not move.
    """

    def __init__(
        self, storage: Storage, nodes: INodes | None, leases: UniverseLeases, universes: Universes,
        snapshots: Snapshots, carriers: Carriers | None, in_thread: Callable[..., Any], reactor: IReactorTime,
        release: Callable[[Universe], None], back: Callable[[UniverseRecord], Awaitable[None]],
    ) -> None:
        # On the instance: a Logger that is a class attribute takes the class's name for its namespace.
        self.logger = Logger(namespace="simmail.server")
        self._storage, self._nodes, self._leases = storage, nodes, leases
        self._universes, self._snapshots, self._carriers = universes, snapshots, carriers
        self._in_thread, self._reactor = in_thread, reactor
        self._release, self._back = release, back
        self._arriving: dict[str, IArriving] = {}
        self._turns: dict[str, Lock] = {}
        #: What other servers ask.
        self.answers: Mapping[str, Callable[..., Any]] = {
            "arrive": self._arrive, "serves": lambda id: any(one.id == id for one in universes.all())}

    async def move(self, universe: Universe, node: str) -> MovedUniverse:
        """
        Have another server have a universe.

        @raise Invalid: there is no such server.  @raise Conflict: it is there.
        @raise Unavailable: that server is away, or the disk refused; the universe is where it was.
        """
        nodes, carriers, id = self._nodes, self._carriers, universe.id
        if nodes is None or carriers is None:
            raise Invalid("node", "this server is none of an installation (server.peers)")
        if node == nodes.number:
            raise Conflict(f"the universe {id} is at {node}")
        if node not in nodes.alive():
            raise Unavailable(f"the server {node} is away") if node in nodes.servers else Invalid(
                "node", f"no server {node} is there")
        async with self._snapshots.turn(id):
            universe = self._universes.get(id)
            leaving = carriers.leaving(id)
            # Nobody changes these.  Those that are not here are in the store of objects, or nowhere.
            images = {one.image for one in self._snapshots.of(id)} & {*await self._storage.images.universes()}
            try:
                for one in (id, *images):
                    await self._say(node, one, "begin")
                for one in images:
                    await self._send(node, one, carriers.leaving(one))
                await self._send(node, id, leaving)
                await self._say(node, id, "settle", patience=SETTLED)
                begun = self._reactor.seconds()
                record = universe.record
                await self._closed(universe)
                try:
                    await self._send(node, id, leaving)
                    counter = await self._in_thread(leaving.counter)
                    for one in (*images, id):
                        await self._say(node, one, "finish", counter, patience=SETTLED)
                    await self._leases.give_back(id)
                    await self._hand_over(record, node)
                except BaseException:
                    if await self._is_here(record.id, node):
                        await self._back(record)
                        raise
            except BaseException:
                for one in (id, *images):
                    nodes.ask_node(node, "arrive", one, "clear").addErrback(lambda failure: None)
                raise
        self.logger.info("the universe {id} has moved to {node}", id=id, node=node)
        for one in (id, *images):
            await self._storage.images.erase(one)
        await self._served(id, node)
        return MovedUniverse(id, node, round(self._reactor.seconds() - begun, 3))

    async def _closed(self, universe: Universe) -> None:
        """Nobody has it any more, and all that was accepted is filed and committed.  @raise Unavailable: it is not."""
        record = universe.record
        await universe.scheduler.halt()
        self._release(universe)
        try:
            await universe.close()
            owed = await universe.store.uncommitted()
            known = await self._storage.database.seen(record.id, owed)
            await self._storage.database.synced()
            await universe.store.close()
            if set(owed) - set(known):
                raise Unavailable("not all mail that was taken is recorded yet; try again")
        except BaseException:
            await universe.store.close()
            await self._back(record)
            raise

    async def _send(self, node: str, id: str, leaving: ICarried) -> None:
        pages = leaving.changes()
        while (page := await self._in_thread(next, pages, None)) is not None:
            await self._say(node, id, "put", page)

    async def _say(self, node: str, id: str, what: str, *more: Any, patience: float = PATIENCE) -> None:
        assert self._nodes is not None
        await self._nodes.ask_node(node, "arrive", id, what, *more, patience=patience)

    async def _hand_over(self, record: UniverseRecord, node: str) -> None:
        assert self._nodes is not None
        beside, own = left_beside(record, self._universes.records()), replace(record, beside="")
        await self._storage.documents.place(
            {own.id: node, **{one.id: self._nodes.number for one in beside}},
            [(one.id, msgspec.json.encode(one)) for one in (*beside, own)])
        self._universes.know(own.id, own)
        for one in beside:
            self._universes.get(one.id).record = one

    async def _served(self, id: str, node: str) -> None:
        """Wait until the other one serves it; it does before long, or is away again."""
        assert self._nodes is not None
        until = self._reactor.seconds() + PATIENCE
        try:
            while not await self._nodes.ask_node(node, "serves", id) and self._reactor.seconds() < until:
                await deferLater(self._reactor, LOOK)
        except Unavailable as error:
            self.logger.warn("whether {node} serves {id} is not known: {error}", node=node, id=id, error=error)

    async def _is_here(self, id: str, node: str) -> bool:
        """Whether the commit that hands it over was not done, however long it takes to find out."""
        assert self._nodes is not None
        while True:
            try:
                await self._storage.documents.catch_up()
                return bool(self._nodes.owner(id) != node)
            except Unavailable:
                await deferLater(self._reactor, AGAIN)

    # What comes

    async def _arrive(self, id: str, what: str, *more: Any) -> None:
        """Take what another server sends of a universe that is its own until then."""
        carriers = self._carriers
        if carriers is None or self._storage.documents.holds(id) and id in self._universes:
            raise Conflict(f"the universe {id} is here")
        if what == "begin":
            self._arriving[id] = carriers.arriving(id)
        arriving = self._arriving.get(id)
        if arriving is None:
            raise Conflict(f"nothing was said of the universe {id}")
        if what == "finish":
            # What lay there is of a time when it was here before.
            await self._storage.images.erase(id)
        if what in ("finish", "clear"):
            # Another try may begin while what came before is cleared away.
            del self._arriving[id]
        async with self._turns.setdefault(id, Lock(self._reactor)):
            await self._in_thread(getattr(arriving, what), *more)


def left_beside(record: UniverseRecord, records: Iterable[UniverseRecord]) -> list[UniverseRecord]:
    """Return the universes that were placed with one that goes, such as its forks, as they are when they stay."""
    return [replace(one, beside="") for one in records if one.placed == record.id and one.id != record.id]
