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
from simmail.interfaces import IDatabase, IMailImages, INodes, IReplicas
from simmail.server.snapshots import Snapshots
from simmail.universe.universe import UniverseRecord

#: Real seconds between two looks; that each server leaves to the one before it; universes that are taken at once.
LOOK, TURN, AT_ONCE = 0.25, 3.0, 4


class TakeOver:
    """
    Takes universes that are free.

    @param others: what is known of the universes that other servers have.
    @param take: opens one here, and has all others know; fails with Fenced when another was first.
    @param replicas: has beforehand what this server would be the first to take over.
    """

    def __init__(
        self, database: IDatabase, nodes: INodes, reactor: IReactorTime, others: Callable[[], Iterable[UniverseRecord]],
        take: Callable[[UniverseRecord], Awaitable[None]], replicas: IReplicas,
    ) -> None:
        # On the instance: a Logger that is a class attribute takes the class's name for its namespace.
        self.logger = Logger(namespace="simmail.server")
        self._database, self._nodes, self._reactor = database, nodes, reactor
        self._others, self._take_one, self._replicas = others, take, replicas
        self._free: dict[str, float] = {}
        # Whose turn was reckoned last, and of which universes it would be this server's.
        self._stood: tuple[set[str], list[tuple[str, str]]] = set(), []
        self._first: set[str] = set()
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
        self._replicas.stop()

    async def look(self) -> None:
        """Take what is free and this server's turn."""
        alive, nodes = self._nodes.alive(), self._nodes
        others = [(one, nodes.owner(one.placed)) for one in self._others() if one.durability == "replicated"]
        self._stand_by(alive, [(one.id, owner) for one, owner in others])
        gone = [one for one, owner in others if owner not in alive]
        self._free = {one.id: self._free[one.id] for one in gone if one.id in self._free}
        await gatherResults([Deferred.fromCoroutine(self._try(one, turn(one.id, nodes.number, alive)))
                             for one in gone])

    def _stand_by(self, alive: set[str], owners: list[tuple[str, str]]) -> None:
        if self._stood != (alive, owners):
            self._stood = alive, owners
            # A server that begins does not know at once whom it can reach, and has too much beforehand at first.
            self._first = {id for id, owner in owners if not turn(id, self._nodes.number, alive - {owner})}
        self._replicas.stand_by(self._first, {id for id, owner in owners if owner not in alive and id in self._first})

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


async def clear_taken(
    images: IMailImages, replicas: IReplicas, others: Iterable[UniverseRecord], snapshots: Snapshots
) -> None:
    """
    Remove what is on this disk of universes that others have taken over, and of their snapshots: that is elsewhere.

    @param others: what is known of the universes that other servers have.
    """
    taken = [one.id for one in others if one.durability == "replicated"]
    kept = [one.image for id in taken for one in snapshots.of(id) if one.durability == "replicated"]
    here = set(await images.universes())
    for one in sorted(here.intersection(taken)):
        await replicas.lay_aside(one)
    for one in sorted(here.intersection(kept)):
        await images.erase(one)


def turn(universe: str, node: str, alive: Iterable[str]) -> int:
    """Return how many servers come before one of them where a universe is free (rendezvous hashing)."""
    def place(name: str) -> Any:
        return blake2b(f"{name}\0{universe}".encode(), digest_size=8).digest()

    return sorted({*alive, node}, key=place).index(node)
