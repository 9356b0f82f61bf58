"""The list of universes, which is written apart from what they have."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.commit import Commit
from simmail.database import layout, redis
from simmail.database.redis import RedisDatabase
from simmail.database.universe_list import UniverseList
from simmail.errors import Conflict, Unavailable
from tests.database.running import RedisTestCase

PUT = Commit(puts=(("t", "k", b"1"),))


class OrderTests(SynchronousTestCase):
    """Who waits until a universe is listed."""

    def setUp(self) -> None:
        self.sent: list[tuple[Any, Deferred[Any]]] = []
        self.list = UniverseList(self.send)

    def send(self, words: Any) -> Deferred[Any]:
        """A Redis that answers when it is told to."""
        answer: Deferred[Any] = Deferred()
        self.sent.append((words, answer))
        return answer

    def test_together(self) -> None:
        """One command lists it, and all who wait go on in their order; whoever comes later need not wait."""
        order: list[int] = []
        for one in range(3):
            self.list.add("main").addCallback(lambda _, one=one: order.append(one))
        [(words, answer)] = self.sent
        self.assertEqual(words, ("HSET", layout.UNIVERSES, "main", "{main}"))
        self.assertNotIn("main", self.list.known)
        answer.callback(1)
        self.assertEqual(order, [0, 1, 2])
        self.assertIn("main", self.list.known)

    def test_away(self) -> None:
        """All who wait are told that it is not listed, and the next tries again."""
        waiting = [self.list.add("main") for _ in range(2)]
        self.sent.pop()[1].errback(Unavailable("away"))
        for one in waiting:
            self.failureResultOf(one, Unavailable)
        self.assertNotIn("main", self.list.known)
        again = self.list.add("main")
        self.sent.pop()[1].callback(1)
        self.successResultOf(again)

    def test_there_again(self) -> None:
        """What has been put there anew after it was erased stays on the list."""
        self.list.forget("main")
        self.list.add("main")
        self.sent.pop()[1].callback(1)
        self.successResultOf(Deferred.fromCoroutine(self.list.remove("main")))
        self.assertEqual(self.sent, [])

    def test_made_again(self) -> None:
        """A Redis that has forgotten is told what this process has put there, and nothing else."""
        for name in ("other", "gone", "main"):
            self.list.add(name)
            self.sent.pop()[1].callback(1)
        self.list.forget("gone")
        Deferred.fromCoroutine(self.list.restore(self.send))
        self.assertEqual(self.sent.pop()[0], ("HSET", layout.UNIVERSES, "main", "{main}", "other", "{other}"))


class CutShortTests(RedisTestCase):
    """The service or Redis ends between a universe's own step and that of the list."""

    async def killed(self) -> RedisDatabase:
        """Both end, and are started again."""
        await self.database.close()
        self.kill_redis()
        return await self.opened()

    async def listed(self) -> list[str]:
        """What is on the list, whether it is a universe or not."""
        return await (await self.opened())._list.names()

    async def test_before_the_first_document(self) -> None:
        """It is listed and no universe; when its making goes on it is one."""
        await self.database._list.add("main")
        again = await self.killed()
        self.assertEqual((await self.listed(), await again.universes()), (["main"], []))
        await again.commit("main", PUT)
        self.assertEqual(await again.universes(), ["main"])

    async def test_after_the_erasure(self) -> None:
        """It is listed and no universe; when it is erased once more, as at the next start, it is not listed."""
        for name in ("main", "other"):
            await self.database.commit(name, PUT)
        await self.database._erase_by(self.database._of("{~}").writes.call, "main")
        again = await self.killed()
        self.assertEqual((sorted(await self.listed()), await again.universes()), (["main", "other"], ["other"]))
        await again.erase("main")
        self.assertEqual(await self.listed(), ["other"])

    async def test_refused_copy(self) -> None:
        """What cannot be copied is not listed."""
        self.patch(redis, "MOST_COPIED", -1)
        await self.database.commit("main", PUT)
        with self.assertRaises(Conflict):
            await self.database.copy("main", "copy")
        self.assertEqual(await self.listed(), ["main"])
