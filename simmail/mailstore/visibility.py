"""Mail that was promised and is about to become visible: who looks waits for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime

from simmail.concurrency import Reached


class Visibility:
    """
    What was promised in one store; it becomes visible in the same order.

    @param reactor: C{IReactorTime}.
    @ivar promised: how many were; visible: how many are, or never will be while we run.
    """

    def __init__(self, reactor: IReactorTime) -> None:
        self.promised, self.visible = 0, Reached(reactor)

    def promise(self, durable: Callable[[], None]) -> WhenDurable:
        """One delivery that may be promised."""
        return WhenDurable(self, durable)

    def clear(self) -> Deferred[None] | None:
        """Deferred that fires when all that was promised so far is visible; None: it is."""
        return None if self.visible.count == self.promised else self.visible.wait(self.promised)


class WhenDurable(Struct, eq=False):
    """Called when a delivery is durable."""

    visibility: Visibility
    durable: Callable[[], None]
    made: bool = False

    def __call__(self) -> None:
        self.made = True
        self.visibility.promised += 1
        self.durable()

    def over(self, result: Any) -> Any:
        """Its outcome is known; it is handed on."""
        if self.made:
            self.visibility.visible.reach(self.visibility.visible.count + 1)
        return result
