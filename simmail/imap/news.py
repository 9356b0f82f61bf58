"""
What a client is to be told beside what happens in its selected folder.

It is told when a command ends, or at once while it idles.  Of one thing only
the last word counts, so what waits is bounded.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

#: Things that may wait; the oldest go first.
MOST = 2000


class News:
    """Responses that wait, by what they are about."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._waiting: dict[Hashable, bytes] = {}

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def put(self, about: Hashable, octets: bytes) -> None:
        """Something is to be told."""
        self._waiting.pop(about, None)
        self._waiting[about] = octets
        if len(self._waiting) > MOST:
            del self._waiting[next(iter(self._waiting))]
        self._changed()

    def drop(self, about: Hashable) -> None:
        """It need not be told any more."""
        self._waiting.pop(about, None)

    def take(self) -> bytes:
        """All that waits, in order."""
        waiting, self._waiting = self._waiting, {}
        return b"".join(waiting.values())
