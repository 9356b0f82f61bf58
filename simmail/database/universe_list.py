"""
The list of universes there are, which is kept apart from what they have: on several Redis each may be on another.

A universe is put on it before it has its first document, and taken off it after it has been erased.  So whatever ends
in between, all that has documents is on it.  What is on it and has none is no universe for anybody: it becomes one when
its making goes on, or goes when its erasure is done once more, as at the next start.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from simmail.database import layout

#: Universes that one command lists again.
TOGETHER = 1000


class UniverseList:
    """
    The list, as one process knows it; only the process that has a universe changes what is said of it.

    @param call: sends a command to where the list is; Deferred of the reply.
    @ivar known: what is on it, as far as it is known here.
    """

    def __init__(self, call: Callable[..., Deferred[Any]]) -> None:
        self._call = call
        # The server's own documents are no universe.
        self.known = {""}
        # Those that this process has put there.
        self._new: set[str] = set()
        self._adding: dict[str, Deferred[BaseException | None]] = {}

    async def learn(self) -> None:
        """Know what is on it."""
        self.known.update(await self.names())

    def names(self) -> Deferred[list[str]]:
        """All that is on it."""
        return self._call(("HKEYS", layout.UNIVERSES)).addCallback(lambda reply: [name.decode() for name in reply])

    def add(self, universe: str) -> Deferred[None]:
        """Fires when it is on the list, for all who asked in the order in which they did."""
        told: Deferred[None] = Deferred()
        adding = self._adding.get(universe)
        if adding is None:
            adding = self._adding[universe] = Deferred()
            self._call(_listing([universe])).addBoth(self._added, universe)
        adding.addCallback(_tell, told)
        return told

    def _added(self, outcome: object, universe: str) -> None:
        adding, error = self._adding[universe], outcome.value if isinstance(outcome, Failure) else None
        if error is None:
            self.known.add(universe)
            self._new.add(universe)
        adding.callback(error)
        del self._adding[universe]

    def forget(self, universe: str) -> None:
        """It is being erased: whoever puts something there from now on lists it anew."""
        self.known.discard(universe)
        self._new.discard(universe)

    async def remove(self, universe: str) -> None:
        """Take what has been erased off it, unless it is there again."""
        if universe not in self.known and universe not in self._adding:
            await self._call(("HDEL", layout.UNIVERSES, universe))

    async def restore(self, ask: Callable[..., Deferred[Any]]) -> None:
        """Tell a Redis that may have forgotten.  @raise Unavailable: it is away."""
        new = sorted(self._new)
        for start in range(0, len(new), TOGETHER):
            await ask(_listing(new[start:start + TOGETHER]))


def _tell(error: BaseException | None, told: Deferred[None]) -> BaseException | None:
    told.callback(None) if error is None else told.errback(Failure(error))
    return error


def _listing(universes: list[str]) -> tuple[str, ...]:
    return ("HSET", layout.UNIVERSES, *(word for one in universes for word in (one, layout.prefix(one))))
