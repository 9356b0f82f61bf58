"""
The leases that one process holds: which token its commits carry, and who is told when another has taken a universe.

A token is a number that rises whenever a universe is taken.  What changes a universe carries the token of its lease
and is refused once there is a higher one, so who was away or slow changes nothing in what is another's by now.  Source:
decisions, section 20.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from simmail.errors import Fenced

#: Real seconds that a lease lasts: another has taken a universe, and opened it, within ten.
LASTS = 6.0


def nobody() -> None:
    """Nobody is told."""


class Leases:
    """
    What C{IDatabase} knows of the leases that were taken through it.

    @ivar node: the name under which they are; C{""}: none is needed.
    @ivar tokens: of the leases that are held, by universe; what is not among them is changed without one.
    """

    def __init__(self, node: str) -> None:
        self.node = node
        self.tokens: dict[str, str] = {}
        self._lost: dict[str, Callable[[], object]] = {}

    def taken(self, universe: str, token: str, lost: Callable[[], object] = nobody) -> None:
        """A lease was taken, C{lost()} is called when another takes it."""
        self.tokens[universe], self._lost[universe] = token, lost

    def wanted(self, universe: str) -> bool:
        """Whether a lease has to be taken before the universe is changed as a whole."""
        return bool(self.node) and universe not in self.tokens

    def given_back(self, universe: str) -> None:
        """It is held no more."""
        self.tokens.pop(universe, None)
        self._lost.pop(universe, None)

    def refused(self, universe: str, token: str) -> NoReturn:
        """
        What carried a token was refused.

        The token is kept: what is still done for the universe is refused too.

        @raise Fenced: always.
        """
        if self.tokens.get(universe) == token:
            self._lost.pop(universe, nobody)()
        raise Fenced(f"the universe {universe} was taken by another server")
