"""
Who may do less than before: keys revoked, people and universes deleted, organisations suspended.

What is checked when a call begins is over for most before it can change.
Those that stay open are told here, and look again.
"""

from __future__ import annotations

from collections.abc import Callable


class Revocations:
    """Tells open calls that somebody, perhaps they, may do less than before."""

    def __init__(self) -> None:
        self._watchers: dict[Callable[[], None], None] = {}

    def watch(self, look_again: Callable[[], None]) -> Callable[[], None]:
        """Call it whenever that happens; answers how to stop."""
        self._watchers[look_again] = None
        return lambda: self._watchers.pop(look_again, None)

    def tell(self) -> None:
        """Have all open calls look again: somebody may do less."""
        for look_again in list(self._watchers):
            look_again()
