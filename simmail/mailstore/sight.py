"""Mail that was promised and is about to become visible: who looks waits for it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from twisted.internet.defer import Deferred


class Sight:
    """What was promised in one store; it becomes visible in the same order."""

    def __init__(self) -> None:
        self._promised = self._visible = 0
        self._waiting: deque[tuple[int, Deferred[None]]] = deque()

    def promise(self, durable: Callable[[], None]) -> Promise:
        """One delivery that may be promised."""
        return Promise(self, durable)

    def made(self) -> None:
        """One more was promised."""
        self._promised += 1

    def kept(self) -> None:
        """One more is visible, or never will be while we run."""
        self._visible += 1
        waiting = self._waiting
        while waiting and waiting[0][0] <= self._visible:
            waiting.popleft()[1].callback(None)

    def clear(self) -> Deferred[None] | None:
        """Deferred that fires when all that was promised so far is visible; None: it is."""
        if self._visible == self._promised:
            return None
        waiting: Deferred[None] = Deferred()
        self._waiting.append((self._promised, waiting))
        return waiting


class Promise:
    """Called when a delivery is durable."""

    __slots__ = ("_sight", "_durable", "_made")

    def __init__(self, sight: Sight, durable: Callable[[], None]) -> None:
        self._sight = sight
        self._durable = durable
        self._made = False

    def __call__(self) -> None:
        self._made = True
        self._sight.made()
        self._durable()

    def over(self, result: Any) -> Any:
        """Its outcome is known; it is handed on."""
        if self._made:
            self._sight.kept()
        return result
