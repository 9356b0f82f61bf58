"""
Long work on the reactor, in stretches: others get their turn in between.
"""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred

#: The longest stretch of real time without a turn for others, seconds.
STRETCH = 0.02


class Turns:
    """One piece of work; C{reactor} is an C{IReactorTime}."""

    def __init__(self, reactor: Any) -> None:
        self._reactor = reactor
        self._began = reactor.seconds()

    async def breathe(self) -> None:
        """Let others have their turn, if this stretch has been long enough."""
        if self._reactor.seconds() - self._began >= STRETCH:
            turn: Deferred[None] = Deferred()
            self._reactor.callLater(0, turn.callback, None)
            await turn
            self._began = self._reactor.seconds()
