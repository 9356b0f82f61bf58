"""What is under way is asked to end with what it has done so far: nobody rests any longer."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred


class Halt:
    """
    For all who do the same kind of work.

    @ivar asked: they are to end.
    """

    def __init__(self) -> None:
        self.asked = False
        self._resting: set[Deferred[None]] = set()

    def ask(self) -> None:
        """From here on they are to end, and those who rest go on."""
        self.asked = True
        resting, self._resting = self._resting, set()
        for one in resting:
            one.callback(None)

    def unless(self, done: Deferred[None]) -> Deferred[None]:
        """Deferred that fires as C{done} does, or when they are to end."""
        result: Deferred[None] = Deferred()

        def over(value: Any) -> None:
            if result in self._resting:
                self._resting.discard(result)
                result.callback(value)

        self._resting.add(result)
        done.addBoth(over)
        if self.asked:
            over(None)
        return result
