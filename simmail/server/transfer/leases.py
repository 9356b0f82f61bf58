"""
Which universes are this server's, where several share a Redis: a lease for each, renewed as long as it is open.

Whoever loses one, to a server of the same name that was started on a copy of the state folder, or after it was away for
longer than a lease lasts, changes nothing of it any more and serves it no more.  Source: decisions, section 20.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import LoopingCall
from twisted.logger import Logger

from simmail.errors import Conflict, Fenced, Unavailable
from simmail.interfaces import IDatabase

#: Real seconds between two renewals: two may fail.
RENEWED = 1.5


class UniverseLeases:
    """
    The leases of one server; without a name for it among others none are needed, and nothing is done.

    @param lost: called with the id of a universe that another has taken, once.
    """

    def __init__(self, database: IDatabase, reactor: IReactorTime, lost: Callable[[str], object]) -> None:
        # On the instance: a Logger that is a class attribute takes the class's name for its namespace.
        self.logger = Logger(namespace="simmail.server")
        self._database = database
        self._lost = lost
        self._held: set[str] = set()
        self._renewing = LoopingCall(self._renew)
        self._renewing.clock = reactor

    async def take(self, universe_id: str) -> None:
        """Take one, unless it is held.  @raise Fenced: another server holds it.  @raise Unavailable: Redis is away."""
        if self._database.node and universe_id not in self._held:
            await self._database.take(universe_id, partial(self._lose, universe_id))
            self._held.add(universe_id)
            if not self._renewing.running:
                self._renewing.start(RENEWED, now=False)

    async def take_new(self, universe_id: str) -> None:
        """Take one that is to be made.  @raise Conflict: another server has it, though it may be down."""
        if self._database.node:
            if universe_id in await self._database.universes():
                raise Conflict(f"the universe {universe_id} is another server's")
            try:
                await self.take(universe_id)
            except Fenced as error:
                raise Conflict(str(error)) from None

    async def give_back(self, universe_id: str) -> None:
        """Let others have it, if it is held; where Redis is away, when it has run out."""
        if universe_id in self._held:
            self._held.discard(universe_id)
            try:
                await self._database.give_back(universe_id)
            except Unavailable as error:
                self.logger.info("the lease of {id} was not given back: {error}", id=universe_id, error=error)

    async def stop(self) -> None:
        """Give all back."""
        if self._renewing.running:
            self._renewing.stop()
        for universe_id in list(self._held):
            await self.give_back(universe_id)

    def _renew(self) -> None:
        for universe_id in list(self._held):
            # Who has lost it is told of that, and a Redis that is away is asked again.
            self._database.renew(universe_id).addErrback(lambda failure: failure.trap(Unavailable))

    def _lose(self, universe_id: str) -> None:
        if universe_id in self._held:
            self._held.discard(universe_id)
            self.logger.critical("another server has taken the universe {id}; it is served here no more",
                                 id=universe_id)
            self._lost(universe_id)
