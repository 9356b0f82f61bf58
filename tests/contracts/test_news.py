"""The contract of C{IDatabase}: numbers that one process tells and others hear."""

from __future__ import annotations

from typing import Any

from simmail.database.memory import MemoryDatabase
from tests.contracts.databases import Contract, InMemory, OnCluster, OnRedis
from tests.database.running import until


class NewsContract(Contract):
    """Two processes, C{self.database} and C{self.other}."""

    other: Any

    async def test_heard(self) -> None:
        """What is announced of a universe all hear who listen to it, who tells it as well, until they have enough."""
        heard: dict[str, list[int | None]] = {"a": [], "b": [], "c": []}
        ended = self.database.on_news("", heard["a"].append)
        self.other.on_news("", heard["b"].append)
        self.other.on_news("elm", heard["c"].append)
        number = 0

        def told() -> bool:
            # Nobody is promised the first, for who listens is not connected yet.
            nonlocal number
            number += 1
            self.database.announce("", number)
            return bool({*heard["a"]} & {*heard["b"]} - {None})

        await until(told)
        ended()
        count, number = len(heard["a"]), number + 1
        self.other.announce("", number)
        await until(lambda: heard["b"][-1] == number)
        self.assertEqual(len(heard["a"]), count)
        self.assertEqual([one for one in heard["c"] if one is not None], [])
        for name in "ab":
            numbers = [one for one in heard[name] if one is not None]
            self.assertEqual(numbers, sorted(numbers))


class MemoryNewsTests(NewsContract, InMemory):
    """In memory."""

    def setUp(self) -> None:
        super().setUp()
        self.other = MemoryDatabase(beside=self.database)


class RedisNewsTests(NewsContract, OnRedis):
    """On Redis."""

    async def setUp(self) -> None:
        await super().setUp()
        self.other = await self.opened()


class ClusterNewsTests(NewsContract, OnCluster):
    """On a cluster."""

    async def setUp(self) -> None:
        await super().setUp()
        self.other = await self.opened()
