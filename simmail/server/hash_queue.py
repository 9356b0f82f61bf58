"""
Costly work, a few pieces at once: whoever brings much of it is behind the others, not before them.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime


class HashQueue:
    """
    A lane of those who wait for each who brings work; the lanes are served in turn.

    Who brings work limits how much of it may wait (C{SignInLimit} does for passwords).

    @param width: pieces of work that are done at once.
    @param reactor: C{IReactorTime}.
    """

    def __init__(self, width: int, reactor: IReactorTime) -> None:
        self._free = width
        self._reactor = reactor
        self._lanes: OrderedDict[str, deque[Deferred[None]]] = OrderedDict()

    @asynccontextmanager
    async def turn(self, lane: str) -> AsyncIterator[None]:
        """Around a piece of work."""
        if self._free:
            self._free -= 1
        else:
            waiting: Deferred[None] = Deferred()
            self._lanes.setdefault(lane, deque()).append(waiting)
            await waiting
        try:
            yield
        finally:
            # In a turn of its own: whoever is next may be done at once, and would end inside of this.
            if self._lanes:
                self._reactor.callLater(0, self._next)
            else:
                self._free += 1

    def _next(self) -> None:
        while self._lanes:
            name, lane = self._lanes.popitem(last=False)
            waiting = lane.popleft()
            if lane:
                self._lanes[name] = lane
            # Whoever waited no more was cancelled.
            if not waiting.called:
                waiting.callback(None)
                return
        self._free += 1
