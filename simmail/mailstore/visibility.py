"""Mail that was promised and is about to become visible: who looks waits for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime

from simmail.concurrency import Reached


class Visibility:
    """
    What was promised in one store; it becomes visible in the same order.

    @param reactor: C{IReactorTime}.
    """

    def __init__(self, reactor: IReactorTime) -> None:
        self._promised = 0
        self._visible = Reached(reactor)

    def promise(self, durable: Callable[[], None]) -> WhenDurable:
        """One delivery that may be promised."""
        return WhenDurable(self, durable)

    def made(self) -> None:
        """One more was promised."""
        self._promised += 1

    def kept(self) -> None:
        """One more is visible, or never will be while we run."""
        self._visible.reach(self._visible.count + 1)

    def clear(self) -> Deferred[None] | None:
        """Deferred that fires when all that was promised so far is visible; None: it is."""
        return None if self._visible.count == self._promised else self._visible.wait(self._promised)


class WhenDurable:
    """Called when a delivery is durable."""

    __slots__ = ("_visibility", "_durable", "_made")

    def __init__(self, visibility: Visibility, durable: Callable[[], None]) -> None:
        self._visibility = visibility
        self._durable = durable
        self._made = False

    def __call__(self) -> None:
        self._made = True
        self._visibility.made()
        self._durable()

    def over(self, result: Any) -> Any:
        """Its outcome is known; it is handed on."""
        if self._made:
            self._visibility.kept()
        return result
