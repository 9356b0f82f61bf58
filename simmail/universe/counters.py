"""
Ordinals: the n-th of something, counted across restarts.

What is counted follows the order of acceptance (decisions, "Conventions"); a
draw about it is keyed by its number.
"""

from __future__ import annotations

from simmail.interfaces import IDatabase

TABLE = "ordinals"

Document = tuple[str, str, bytes]


class Ordinals:
    """The counts of one universe."""

    def __init__(self, universe: str, database: IDatabase) -> None:
        self._universe = universe
        self._database = database
        self._counts: dict[str, int] = {}

    async def start(self) -> None:
        """Learn where each count stands."""
        for key, octets in (await self._database.table(self._universe, TABLE)).items():
            self._counts[key] = int(octets)

    def next(self, *what: str) -> tuple[int, Document]:
        """The number of one more, and the document that keeps it: to be put in the same commit."""
        key = " ".join(what)
        nth = self._counts[key] = self._counts.get(key, 0) + 1
        return nth, (TABLE, key, b"%d" % nth)
