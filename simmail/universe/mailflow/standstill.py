"""
Standing still: while a copy is made of a universe, nothing in it changes by itself, and mail waits at the door.

The clock stands at one instant, what was accepted has been decided about and committed, and no job runs.  Who sends
mail meanwhile waits a moment; what people and the API look at is there as ever.  Source: decisions, section 16.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from twisted.internet.defer import Deferred

from simmail.concurrency import Lock
from simmail.universe.clock import UniverseClock
from simmail.universe.mailflow.in_flight import Entrance


class Standstill:
    """
    Stands a universe still.

    @param turn: held by who changes what people know; settled: fires when all that was accepted is decided about and
        committed; owed: whether something is not.
    """

    def __init__(
        self, clock: UniverseClock, entrance: Entrance, turn: Lock, settled: Callable[[], Deferred[None]],
        owed: Callable[[], bool],
    ) -> None:
        self._clock = clock
        self._entrance = entrance
        self._turn = turn
        self._settled = settled
        self._owed = owed

    @asynccontextmanager
    async def hold(self) -> AsyncIterator[None]:
        """Hold it still, when moves of the clock that are under way have ended."""
        clock = self._clock
        await clock.begin_steps()
        try:
            await self._entrance.close()
            clock.step(clock.now())
            while True:
                await self._settled()
                await self._turn.acquire()
                if not self._owed():
                    break
                self._turn.release()
            try:
                clock.step(clock.now())
                yield
            finally:
                self._turn.release()
        finally:
            self._entrance.open()
            await clock.end_steps(announce=False)
