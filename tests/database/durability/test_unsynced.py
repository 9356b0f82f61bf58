"""A Redis that comes back with less than it had acknowledged: all is made again, no number is used twice."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.commit import Commit, EventQuery
from simmail.core.records.delivery import Arrival, Copy
from simmail.core.records.event import Event
from simmail.database.durability import synced
from simmail.database.durability.event_numbers import EventNumbers, JUMP, NotedNumbers, ahead
from simmail.database.private.server import PrivateRedis
from simmail.database.redis import RedisDatabase
from simmail.errors import Unavailable
from tests.database.running import RedisTestCase, until
from tests.database.test_redis import NINE, delivery, pause
from tests.journeys.running import environment


def cut(folder: Path, keep: int) -> int:
    """Cut the log of a Redis that does not run back to so many octets; answers how many it had."""
    log = max((folder / "appendonlydir").glob("*.incr.aof"))
    size = log.stat().st_size
    os.truncate(log, min(keep, size))
    return size


def logged(folder: Path) -> int:
    """Octets of the log."""
    return max((folder / "appendonlydir").glob("*.incr.aof")).stat().st_size


class LossTests(RedisTestCase):
    """The end of its log is lost while simmail runs on."""

    async def setUp(self) -> None:
        """All of a test is within what is not taken for synced, however busy the machine is."""
        await super().setUp()
        self.database._of("{~}").synced.hold = 60.0

    async def again(self, keep: int) -> None:
        """Redis goes away, loses what is behind so many octets, and comes back."""
        await self.server.stop()
        cut(self.state / "redis", keep)
        self.server = PrivateRedis(reactor, self.state)
        self.addCleanup(self.server.stop)
        await self.server.start()
        await until(lambda: self.database.healthy)

    async def bodies(self, universe: str = "main") -> list[dict[str, Any]]:
        """All events."""
        return [json.loads(body) for body in await self.database.events(universe, EventQuery(limit=10**6))]

    async def test_made_again(self) -> None:
        """Events come back under their numbers, jobs, counts and documents as they were; numbers then jump."""
        for n in range(100):
            await self.database.commit("main", delivery(n))
        middle = logged(self.state / "redis")
        for n in range(100, 200):
            await self.database.commit("main", delivery(n))
            await self.database.commit("main", Commit(puts=(("state", "n", b"%d" % n),)))
            await self.database.commit("other", delivery(n))
        before, others = await self.bodies(), await self.bodies("other")
        pending, counted = await self.database.pending("main"), await self.database.table("main", "n")
        await self.again(middle)
        self.assertEqual(await self.bodies(), before)
        self.assertEqual(await self.bodies("other"), others)
        self.assertEqual(await self.database.pending("main"), pending)
        self.assertEqual(await self.database.table("main", "n"), counted)
        self.assertEqual(await self.database.table("main", "state"), {"n": b"199"})
        self.assertFalse((await self.database.commit("main", delivery(150))).fresh)
        self.assertEqual((await self.database.commit("main", delivery(200))).first, 200 + synced.JUMP + 1)

    async def test_nothing_lost(self) -> None:
        """Where nothing is missing nothing is made again, and no number is left out."""
        for n in range(20):
            await self.database.commit("main", delivery(n))
            await self.database.commit("main", Commit(events=(Event("clock", NINE, {"n": n}),)))
        before = await self.bodies()
        await self.again(10**9)
        self.assertEqual(await self.bodies(), before)
        self.assertEqual((await self.database.commit("main", delivery(20))).first, 41)

    async def test_again_and_again(self) -> None:
        """It loses some, and what was made again as well."""
        empty = logged(self.state / "redis")
        for n in range(50):
            await self.database.commit("main", delivery(n))
        before = await self.bodies()
        for _ in range(3):
            await self.again(empty)
            self.assertEqual(await self.bodies(), before)

    async def test_arrivals(self) -> None:
        """An arrival that was decided about does not come back, one that was not does."""
        empty = logged(self.state / "redis")
        for n in range(2):
            arrival = Arrival(f"d{n}.0", "a@b.test", "p", "x@y.test", NINE, Copy("a@b.test", "INBOX", n, 1))
            await self.database.commit("main", Commit(once=f"d{n}", arrive=(arrival,)))
        await self.database.commit("main", Commit(once="d0.0", leave=("d0.0",)))
        await self.again(empty)
        self.assertEqual([one.id for one in await self.database.arrivals("main")], ["d1.0"])

    async def test_erased(self) -> None:
        """A universe that was erased meanwhile stays so, with what came after."""
        await self.database.commit("main", delivery(1))
        middle = logged(self.state / "redis")
        await self.database.commit("main", delivery(2))
        await self.database.erase("main")
        await self.database.commit("main", delivery(3))
        for keep in (10**9, middle):
            await self.again(keep)
            self.assertEqual([(one["id"], one["data"]["n"]) for one in await self.bodies()], [(3, 3)])

    async def test_copied(self) -> None:
        """A copy that was lost is made again of what its source was then, with what came before and after."""
        empty = logged(self.state / "redis")
        await self.database.commit("main", delivery(1))
        middle = logged(self.state / "redis")
        await self.database.commit("main", delivery(2))
        await self.database.copy("main", "kept")
        copied = logged(self.state / "redis")
        await self.database.commit("main", delivery(3))
        await self.database.commit("kept", delivery(4))
        for keep in (10**9, copied, middle, empty):
            await self.again(keep)
            self.assertEqual([one["data"]["n"] for one in await self.bodies()], [1, 2, 3])
            self.assertEqual([(one["id"], one["data"]["n"]) for one in await self.bodies("kept")],
                             [(1, 1), (2, 2), (3, 4)])

    async def test_copied_back(self) -> None:
        """What was erased and then made of a copy stays so, also where its copy's source is gone by then."""
        await self.database.commit("main", delivery(1))
        await self.database.copy("main", "kept")
        middle = logged(self.state / "redis")
        await self.database.commit("main", delivery(2))
        await self.database.commit("kept", delivery(7))
        await self.database.erase("main")
        erased = logged(self.state / "redis")
        await self.database.copy("kept", "main")
        await self.database.erase("kept")
        await self.database.commit("main", delivery(3))
        for keep in (10**9, erased, middle):
            await self.again(keep)
            self.assertEqual([one["data"]["n"] for one in await self.bodies()], [1, 7, 3])
            self.assertEqual(await self.bodies("kept"), [])

    async def test_numbers_of_others(self) -> None:
        """A number that a commit had of which nobody was told is left out, though it is lost."""
        middle = logged(self.state / "redis")
        await self.database.commit("main", delivery(1))
        other = await self.opened()
        await other.commit("main", delivery(2))
        await other.close()
        await self.database.commit("main", delivery(3))
        await self.again(middle)
        self.assertEqual([(one["id"], one["data"]["n"]) for one in await self.bodies()], [(1, 1), (3, 3)])

    async def test_nobody_sees_less(self) -> None:
        """Whoever asks while it comes back is told nothing, or everything."""
        middle = logged(self.state / "redis")
        for n in range(1000):
            await self.database.commit("main", delivery(n))
        seen: list[int] = []
        done = False

        async def look() -> None:
            while not done:
                try:
                    seen.append(await self.database.last_event("main"))
                except Unavailable:
                    await pause(0.001)

        looking = Deferred.fromCoroutine(look())
        await self.again(middle)
        await pause(0.05)
        done = True
        await looking
        self.assertTrue(seen)
        self.assertEqual(set(seen) - {1000, 1000 + synced.JUMP}, set())

    async def test_under_load(self) -> None:
        """In the middle of it: each is there once under the number it was told, and none is used twice."""
        told: dict[int, int] = {}
        stop = False

        async def send(start: int) -> None:
            n = start
            while not stop:
                try:
                    done = await self.database.commit("main", delivery(n))
                except Unavailable:
                    await pause(0.005)
                    continue
                told[n] = done.first
                n += 16

        senders = [Deferred.fromCoroutine(send(start)) for start in range(16)]
        for _ in range(4):
            await pause(0.05)
            keep = logged(self.state / "redis")
            await pause(0.1)
            await self.again(keep)
        await pause(0.05)
        stop = True
        for sender in senders:
            await sender
        found = await self.bodies()
        self.assertEqual({one["data"]["n"]: one["id"] for one in found}, told)
        self.assertEqual(len(found), len(told))


class RestartTests(RedisTestCase):
    """Redis and simmail come back after a crash, and Redis has less."""

    async def opened(self, timeout: float = 2.0) -> RedisDatabase:
        """A database as the daemon has it."""
        database = RedisDatabase(reactor, self.server.url, timeout, self.state / "numbers.json")
        self.addCleanup(database.close)
        await database.connect(5.0)
        return database

    async def test_numbers_jump_ahead(self) -> None:
        """After a crash no number is used twice; after an orderly stop none is left out."""
        await self.database.commit("main", delivery(1))
        keep = logged(self.state / "redis")
        await self.database.close()
        self.database = await self.opened()
        self.assertEqual((await self.database.commit("main", delivery(2))).first, 2)
        # The note is there within a second or so.
        await until(lambda: b'":2}' in (self.state / "numbers.json").read_bytes())
        crashed = (self.state / "numbers.json").read_bytes()
        await self.server.stop()
        await self.database.close()
        (self.state / "numbers.json").write_bytes(crashed)
        cut(self.state / "redis", keep)
        self.server = PrivateRedis(reactor, self.state)
        self.addCleanup(self.server.stop)
        await self.server.start()
        again = await self.opened()
        self.assertEqual((await again.commit("main", delivery(3))).first, 2 + JUMP + 1)

    async def test_cut_after_an_orderly_stop(self) -> None:
        """What was used is known then, whatever Redis has lost."""
        keep = logged(self.state / "redis")
        for n in range(5):
            await self.database.commit("main", delivery(n))
        await self.database.close()
        await self.server.stop()
        cut(self.state / "redis", keep)
        self.server = PrivateRedis(reactor, self.state)
        self.addCleanup(self.server.stop)
        await self.server.start()
        again = await self.opened()
        self.assertEqual((await again.commit("main", delivery(9))).first, 6)

    async def test_continued(self) -> None:
        """A Redis that goes on has all there was, but not before what it had lost was made again."""
        first = await self.opened()
        self.assertFalse(first.continued)
        await first.commit("main", delivery(1))
        second = await self.opened()
        self.assertFalse(second.continued)
        second.recovered()
        await until(lambda: b'"run":""' not in (self.state / "numbers.json").read_bytes())
        self.assertTrue((await self.opened()).continued)

    async def test_broken_note(self) -> None:
        """A file that is empty after a power cut: everything jumps ahead."""
        await self.database.commit("main", Commit(puts=(("a", "b", b"c"),), events=delivery(1).events))
        await self.database.close()
        (self.state / "numbers.json").write_bytes(b"")
        again = await self.opened()
        self.assertEqual((await again.commit("main", delivery(2))).first, 1 + JUMP + 1)


class SyncedTests(RedisTestCase):
    """When a commit is taken for safe."""

    async def weaker(self) -> RedisDatabase:
        """A database on a Redis that syncs once a second."""
        await self.database._of("{~}").writes.call(("CONFIG", "SET", "appendfsync", "everysec"))
        return await self.opened()

    async def test_synced(self) -> None:
        """Not before two seconds, then soon, for all who asked; without commits at once."""
        database = await self.weaker()
        self.assertTrue(database.synced().called)
        await database.commit("main", delivery(1))
        first, second = database.synced(), database.synced()
        await pause(1.5)
        self.assertFalse(first.called)
        await until(lambda: first.called and second.called)
        self.assertEqual(len(database._of("{~}").unsynced), 0)
        self.assertEqual(await database._of("{~}").reads.call(("EXISTS", "{~}:synced")), 1)

    async def test_not_while_it_is_away(self) -> None:
        """What a Redis that is away has not told to be synced is not."""
        database = await self.weaker()
        await database.commit("main", delivery(1))
        synced = database.synced()
        await self.server.stop()
        await pause(2.6)
        self.assertFalse(synced.called)

    async def test_orderly_stop(self) -> None:
        """At the end nobody waits for two seconds where Redis says what it has."""
        for opened in (self.opened, self.weaker):
            database = await opened()
            await database.commit("main", delivery(1))
            synced = database.synced()
            # Once it was asked.
            await pause(0.6)
            await database.close()
            self.assertTrue(synced.called)

    async def test_bound(self) -> None:
        """However much is committed, no more than so much is kept."""
        self.patch(synced, "MOST", 100_000)
        for n in range(30):
            await self.database.commit("main", Commit(puts=(("a", "b", b"x" * 10_000),)))
        self.assertTrue(1 <= len(self.database._of("{~}").unsynced) <= 10)


_KEPT = """
from simmail.database.durability.synced import Unsynced

def resident():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) // 1024 for line in status if line.startswith("VmRSS"))

now, longer = 0.0, []
made = Unsynced(lambda: now)
before = resident()
for n in range(8000):
    made.add("{main}", bytes(4000), n + 1, 1)
    longer.append(bytes(600))
kept = resident()
made.release(now, made.total)
print(len(made), kept - before, resident() - before)
"""


class MemoryTests(SynchronousTestCase):
    """What commits that are kept cost."""

    def test_given_back(self) -> None:
        """Once they are synced their room is the system's again, whatever else was made meanwhile and stays."""
        told = subprocess.run([sys.executable, "-c", _KEPT], env=environment(), capture_output=True, text=True,
                              check=True).stdout.split()
        left, kept, after = map(int, told)
        self.assertEqual(left, 0)
        self.assertTrue(30 <= kept < 45, kept)
        self.assertLess(after, 10)


class AheadTests(SynchronousTestCase):
    """Where numbers go on."""

    def test_ahead(self) -> None:
        """By what is noted, and by a jump unless nothing can be missing."""
        self.assertEqual(ahead(NotedNumbers("a", True, {"{m}": 7}), "b", "{m}", 5), 7)
        self.assertEqual(ahead(NotedNumbers("a", True, {"{m}": 7}), "b", "{m}", 9), 9)
        self.assertEqual(ahead(NotedNumbers("a", False, {"{m}": 7}), "a", "{m}", 9), 9)
        self.assertEqual(ahead(NotedNumbers("a", False, {"{m}": 7}), "b", "{m}", 5), 7 + JUMP)
        self.assertEqual(ahead(NotedNumbers("", False, {"{m}": 7}), "", "{m}", 5), 7 + JUMP)

    def test_file(self) -> None:
        """It is read as it was written."""
        path = Path(self.mktemp())
        numbers = EventNumbers(path)
        self.assertIs(numbers.read(), None)
        numbers.write("r", {"{m}": 3}, True)
        self.assertEqual(numbers.read(), NotedNumbers("r", True, {"{m}": 3}))
        self.assertFalse(numbers.broken)
