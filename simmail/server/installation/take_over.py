"""
Taking over universes of a server that is gone, where their mail is in the store of objects too.

A universe is free when its server cannot be reached and its lease has run out or was given back.  Of the others one is
the first to try, the next ones later: each by a number of its own for each universe, so that they take about as many
each.  One gets the lease; the epoch in the store of objects keeps out whoever had the universe before, should that come
back.  Source: decisions, section 20.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from hashlib import blake2b
from typing import Any

from twisted.internet.defer import Deferred, gatherResults
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import LoopingCall
from twisted.logger import Logger

from simmail.concurrency import Lock
from simmail.errors import Fenced, Unavailable
from simmail.interfaces import IDatabase, IMailImages, INodes
from simmail.server.snapshots import Snapshots
from simmail.universe.universe import UniverseRecord

#: Real seconds between two looks; that each server leaves to the one before it; universes that are taken at once.
LOOK, TURN, AT_ONCE = 0.25, 3.0, 4


class TakeOver:
    """
    Takes universes that are free.

    @param others: what is known of the universes that other servers have.
    @param take: opens one here, and has all others know; fails with Fenced when another was first.
    """

    def __init__(
        self, database: IDatabase, nodes: INodes, reactor: IReactorTime, others: Callable[[], Iterable[UniverseRecord]],
        take: Callable[[UniverseRecord], Awaitable[None]],
    ) -> None:
        # On the instance: a Logger that is a class attribute takes the class's name for its namespace.
        self.logger = Logger(namespace="simmail.server")
        self._database, self._nodes, self._reactor = database, nodes, reactor
        self._others, self._take_one = others, take
        self._free: dict[str, float] = {}
        self._room = Lock(reactor, AT_ONCE)
        self._looking = LoopingCall(lambda: Deferred.fromCoroutine(self.look()))
        self._looking.clock = reactor

    def begin(self) -> None:
        """Look from now on."""
        self._looking.start(LOOK, now=False).addErrback(
            lambda failure: self.logger.failure("nobody looks for universes to take over any more", failure))

    def stop(self) -> None:
        """Take nothing any more."""
        if self._looking.running:
            self._looking.stop()

    async def look(self) -> None:
        """Take what is free and this server's turn."""
        alive = self._nodes.alive()
        gone = [one for one in self._others()
                if one.durability == "replicated" and self._nodes.owner(one.placed) not in alive]
        self._free = {one.id: self._free[one.id] for one in gone if one.id in self._free}
        await gatherResults([Deferred.fromCoroutine(self._try(one, turn(one.id, self._nodes.number, alive)))
                             for one in gone])

    async def _try(self, record: UniverseRecord, number: int) -> None:
        async with self._room:
            try:
                if await self._database.holder(record.id):
                    self._free.pop(record.id, None)
                    return
                now = self._reactor.seconds()
                if now - self._free.setdefault(record.id, now) >= number * TURN:
                    await self._take_one(record)
            except Fenced:
                self._free.pop(record.id, None)
            except Unavailable as error:
                self.logger.warn("the universe {id} cannot be taken over yet: {error}", id=record.id, error=error)
            except Exception:
                self.logger.failure("the universe {id} cannot be taken over", id=record.id)


async def clear_taken(images: IMailImages, others: Iterable[UniverseRecord], snapshots: Snapshots) -> None:
    """
    Remove what is on this disk of universes that others have taken over, and of their snapshots: that is elsewhere.

    @param others: what is known of the universes that other servers have.
    """
    taken = [one.id for one in others if one.durability == "replicated"]
    kept = [one.image for id in taken for one in snapshots.of(id) if one.durability == "replicated"]
    for one in sorted({*taken, *kept}.intersection(await images.universes())):
        await images.erase(one)


def turn(universe: str, node: str, alive: Iterable[str]) -> int:
    """Return how many servers come before one of them where a universe is free (rendezvous hashing)."""
    def place(name: str) -> Any:
        return blake2b(f"{name}\0{universe}".encode(), digest_size=8).digest()

    return sorted({*alive, node}, key=place).index(node)
