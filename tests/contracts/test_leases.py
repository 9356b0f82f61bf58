"""The contract of C{IDatabase}: who has the lease of a universe changes it, and nobody else who had it."""

from __future__ import annotations

from typing import Any

from simmail.core.records.commit import Commit
from simmail.database import leases
from simmail.database.durability.event_numbers import JUMP
from simmail.database.memory import MemoryDatabase
from simmail.errors import Fenced
from tests.contracts.databases import Contract, InMemory, OnCluster, OnRedis, event


class LeaseContract(Contract):
    """Two processes, C{self.database} of a and C{self.other} of b."""

    other: Any
    assertRaises: Any

    async def pass_time(self) -> None:
        """So long that leases have run out."""
        raise NotImplementedError

    def put(self, database: Any, value: bytes, **more: Any) -> Any:
        """A commit through one of them."""
        return database.commit("main", Commit(puts=(("t", "k", value),), **more))

    async def test_taken(self) -> None:
        """While it is held nobody else takes it; the holder takes it anew, and what it changes is so."""
        lost: list[str] = []
        await self.put(self.database, b"0")
        for _ in range(2):
            await self.database.take("main", lambda: lost.append("a"))
        with self.assertRaises(Fenced) as raised:
            await self.other.take("main", lambda: lost.append("b"))
        self.assertIn("held by a", str(raised.exception))
        await self.database.renew("main")
        await self.put(self.database, b"1")
        await self.other.take("another", lambda: lost.append("b"))
        self.assertEqual((await self.other.table("main", "t"), lost), ({"k": b"1"}, []))

    async def test_holder(self) -> None:
        """Anybody can ask who has it."""
        self.assertEqual(await self.other.holder("main"), "")
        await self.database.take("main", lambda: None)
        self.assertEqual([await one.holder("main") for one in (self.database, self.other)], ["a", "a"])
        await self.pass_time()
        self.assertEqual(await self.other.holder("main"), "")
        await self.database.renew("main")
        await self.database.give_back("main")
        self.assertEqual(await self.other.holder("main"), "")

    async def test_run_out(self) -> None:
        """One that has run out is another's; who had it changes nothing any more, and is told so once."""
        lost: list[str] = []
        await self.database.take("main", lambda: lost.append("a"))
        await self.put(self.database, b"1", once="d", events=(event(),))
        await self.pass_time()
        # Nobody was there meanwhile.
        await self.database.renew("main")
        await self.put(self.database, b"2")
        await self.pass_time()
        await self.other.take("main", lambda: lost.append("b"))
        self.assertEqual(lost, [])
        for act in (lambda: self.put(self.database, b"3", once="d"), lambda: self.database.erase("main"),
                    lambda: self.database.renew("main"), lambda: self.put(self.database, b"4")):
            with self.assertRaises(Fenced):
                await act()
        self.assertEqual(lost, ["a"])
        self.assertEqual((await self.other.table("main", "t"), await self.other.last_event("main")), ({"k": b"2"}, 1))
        await self.put(self.other, b"5")
        self.assertEqual(await self.database.table("main", "t"), {"k": b"5"})

    async def test_given_back(self) -> None:
        """What is given back is anybody's at once, and to be taken again."""
        await self.database.take("main", self.fail)
        await self.database.give_back("main")
        await self.other.take("main", self.fail)
        with self.assertRaises(Fenced):
            await self.database.take("main", self.fail)
        await self.other.give_back("main")
        await self.other.give_back("main")
        await self.database.take("main", self.fail)
        await self.put(self.database, b"1")

    async def test_kept(self) -> None:
        """Erased, and made by copying another, a universe is whose it was."""
        lost: list[str] = []
        await self.put(self.database, b"1")
        await self.database.copy("main", "image")
        await self.database.take("main", lambda: lost.append("a"))
        await self.database.erase("main")
        await self.database.copy("image", "main")
        await self.put(self.database, b"2")
        await self.pass_time()
        await self.other.take("main", self.fail)
        await self.other.erase("main")
        await self.other.copy("image", "main")
        with self.assertRaises(Fenced):
            await self.put(self.database, b"3")
        self.assertEqual((lost, await self.other.table("main", "t")), (["a"], {"k": b"1"}))

    async def test_numbers(self) -> None:
        """Of a replicated universe that was not given back in order numbers of events jump, for whoever opens it."""
        async def number(database: Any, once: str) -> int:
            done = await self.put(database, b"1", once=once, events=(event(),))
            return int(done.first)

        await self.database.take("main", lambda: None)
        await self.database.replicate("main")
        self.assertTrue(self.database.available("main"))
        self.assertEqual((await number(self.database, "1"), self.database.unconfirmed), (1, ""))
        await self.database.give_back("main")
        await self.other.take("main", lambda: None)
        await self.other.replicate("main")
        self.assertEqual(await number(self.other, "2"), 2)
        await self.pass_time()
        await self.database.take("main", lambda: None)
        with self.assertRaises(Fenced):
            await self.other.replicate("main")
        await self.database.replicate("main")
        self.assertEqual(await number(self.database, "3"), 3 + JUMP)
        await self.database.give_back("main")

    async def test_own_documents(self) -> None:
        """What is a server's own is no other's."""
        for database, value in ((self.database, b"1"), (self.other, b"2")):
            await database.commit("", Commit(puts=(("t", "k", value),)))
        self.assertEqual(await self.database.table("", "t"), {"k": b"1"})
        self.assertEqual(await self.other.get("", "t", ["k"]), [b"2"])
        self.assertEqual(await self.database.universes(), [])

    fail: Any


class MemoryTests(InMemory, LeaseContract):
    """In memory."""

    def setUp(self) -> None:
        self.seconds = 0.0
        self.database = MemoryDatabase(lambda: self.seconds, "a")
        self.other = MemoryDatabase(lambda: self.seconds, "b", self.database)

    async def pass_time(self) -> None:
        self.seconds += leases.LASTS + 1


class OnAny:
    """Two on the same Redis, or cluster."""

    opened: Any
    assertGreater: Any

    async def setUp(self) -> None:
        await super().setUp()  # type: ignore[misc]
        self.database, self.other = await self.opened(node="a"), await self.opened(node="b")

    async def pass_time(self) -> None:
        """The lease has run out."""
        writes = self.other._of("{main}").writes
        self.assertGreater(await writes.call(("PTTL", "{main}:lease")), leases.LASTS * 900)
        await writes.call(("PEXPIRE", "{main}:lease", 0))


class RedisTests(OnAny, OnRedis, LeaseContract):
    """On Redis."""


class ClusterTests(OnAny, OnCluster, LeaseContract):
    """On a cluster."""
