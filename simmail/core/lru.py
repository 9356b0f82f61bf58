"""
A cache bounded by what it costs: what was used longest ago goes first.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


def _one(value: object) -> int:
    return 1


class Lru(OrderedDict[K, V]):
    """
    Values under keys, the one used last at the end.

    C{get} looks without using; a loop over many keys may take C{get} and C{move_to_end} itself.

    @param room: what all values together may cost, such as octets; cost: of one, by default 1.
    @ivar spent: what they cost now.
    """

    def __init__(self, room: int, cost: Callable[[V], int] = _one) -> None:
        super().__init__()
        self.room = room
        self.spent = 0
        self._cost = cost

    def use(self, key: K) -> V | None:
        """Return what is kept under a key, C{None} for nothing; it is the last to go now."""
        value = self.get(key)
        if value is not None:
            self.move_to_end(key)
        return value

    def put(self, key: K, value: V) -> None:
        """Keep a value, in the place of another of that key; what there is no room for goes, at the worst itself."""
        if key in self:
            self.spent -= self._cost(self[key])
        self[key] = value
        self.move_to_end(key)
        self.spent += self._cost(value)
        while self.spent > self.room:
            self.spent -= self._cost(self.popitem(last=False)[1])
