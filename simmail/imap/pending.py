"""
What a client is to be told beside what happens in its selected folder.

It is told when a command ends, or at once while it idles.  Of one thing only
the last word counts, so what waits is bounded.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

#: Things that may wait; the oldest go first.
MOST = 2000


class PendingResponses:
    """
    Responses that wait, by what they are about.

    @ivar waiting: those there are.
    """

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self.waiting: dict[Hashable, bytes] = {}
        self._sources: list[Callable[[], None]] = []

    def put(self, about: Hashable, octets: bytes) -> None:
        """Something is to be told."""
        self.waiting.pop(about, None)
        self.waiting[about] = octets
        if len(self.waiting) > MOST:
            del self.waiting[next(iter(self.waiting))]
        self._changed()

    @property
    def full(self) -> bool:
        """Whether the oldest would go if there were one thing more."""
        return len(self.waiting) >= MOST

    def drop(self, about: Hashable) -> None:
        """It need not be told any more."""
        self.waiting.pop(about, None)

    def until(self, stop: Callable[[], None]) -> None:
        """Somebody brings news from now on; call this when the client has left."""
        self._sources.append(stop)

    def stop(self) -> None:
        """Nothing more is to be told."""
        sources, self._sources = self._sources, []
        for stop in sources:
            stop()

    def take(self) -> bytes:
        """All that waits, in order."""
        waiting, self.waiting = self.waiting, {}
        return b"".join(waiting.values())
