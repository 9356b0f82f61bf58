"""What was filed lately, for those who wait for mail."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from simmail.core.delivery import Copy

if TYPE_CHECKING:
    from simmail.universe.universe import Universe

#: Copies noted for each folder; a wait looks no further back.
MOST_NOTED = 1000


class Noted:
    """A copy that was filed; C{number}: where the event log stood, with what was recorded of the message."""

    __slots__ = ("uid", "real", "number")

    def __init__(self, uid: int, real: float, number: int) -> None:
        self.uid = uid
        self.real = real
        self.number = number


class Lately:
    """
    The copies that were filed in one universe, as far as this process knows.

    @ivar watchers: called after copies were noted and what follows from them was recorded.
    """

    def __init__(self, universe: Universe) -> None:
        self._universe = universe
        self._filed: dict[tuple[str, str], deque[Noted]] = {}
        self.watchers: set[Callable[[], None]] = set()

    def note(self, copy: Copy) -> None:
        """A copy was filed just now that is no delivery."""
        self.noted(copy)
        self.wake()

    def noted(self, copy: Copy) -> Noted:
        """A copy was filed just now; its number is to be raised to what is recorded of it."""
        universe = self._universe
        filed = self._filed.get((copy.mailbox, copy.folder))
        if filed is None:
            filed = self._filed[copy.mailbox, copy.folder] = deque(maxlen=MOST_NOTED)
        noted = Noted(copy.uid, universe.reactor.seconds(), universe.log.last)
        filed.append(noted)
        return noted

    def wake(self) -> None:
        """Tell those who wait to look again."""
        for watcher in tuple(self.watchers):
            watcher()

    def since(self, mailbox: str, folder: str, real: float) -> set[int]:
        """UIDs filed in a folder after a real time."""
        return {one.uid for one in self._filed.get((mailbox, folder), ()) if one.real >= real}

    def numbers(self, mailbox: str, folder: str) -> dict[int, int]:
        """The event number at which each UID was filed."""
        return {one.uid: one.number for one in self._filed.get((mailbox, folder), ())}
