"""What is under way is asked to end with what it has done so far: nobody rests any longer."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime

from simmail.concurrency import Waiting


class Halt:
    """
    For all who do the same kind of work.

    @param reactor: C{IReactorTime}.
    @ivar asked: they are to end.
    """

    def __init__(self, reactor: IReactorTime) -> None:
        self.asked = False
        self._resting: Waiting[None] = Waiting(reactor)

    def ask(self) -> None:
        """From here on they are to end, and those who rest go on."""
        self.asked = True
        self._resting.wake(None)

    def unless(self, done: Deferred[None]) -> Deferred[None]:
        """Deferred that fires as C{done} does, or when they are to end."""
        result = self._resting.wait()

        def over(value: Any) -> None:
            if not result.called:
                result.callback(value)

        done.addBoth(over)
        if self.asked:
            over(None)
        return result
