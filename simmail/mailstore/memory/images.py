"""The mail of universes in dicts, as a whole."""

from __future__ import annotations

from collections.abc import Callable

from twisted.internet.defer import Deferred
from zope.interface import implementer

from simmail.concurrency import at_once
from simmail.errors import Conflict
from simmail.interfaces import IMailImages
from simmail.mailstore.memory.mailstore import MemoryMailStore


@implementer(IMailImages)
class MemoryMailImages:
    """
    The stores of one server in memory, opened or not.

    @param make: makes the store of a universe.
    """

    def __init__(self, make: Callable[[str], MemoryMailStore] = MemoryMailStore) -> None:
        self._make = make
        self.stores: dict[str, MemoryMailStore] = {}

    def store(self, universe: str) -> MemoryMailStore:
        """Return the store of a universe, with what was left in it."""
        if universe not in self.stores:
            self.stores[universe] = self._make(universe)
        return self.stores[universe]

    def require(self) -> None:
        """Nothing can keep it from answering; its stores can be away, each by itself."""

    @at_once
    def universes(self) -> list[str]:
        return sorted(universe for universe, store in self.stores.items() if store.has_any)

    @at_once
    def prepare(self, source: str, target: str) -> None:
        self._check(target)

    @at_once
    def copy(
        self, source: str, target: str, renewed: bool = False, taken: Callable[[], object] | None = None
    ) -> None:
        self.store(source).require()
        self._check(target)
        self.store(target).take(self.store(source), renewed)
        if taken is not None:
            taken()

    def _check(self, target: str) -> None:
        if self.store(target).has_any:
            raise Conflict(f"universe {target} has mail already")

    def erase(self, universe: str) -> Deferred[None]:
        return self.store(universe).erase()
