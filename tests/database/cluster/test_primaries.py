"""The database on a cluster whose slots move and whose primaries die: all that was acknowledged is there, once."""

from __future__ import annotations

import json
from itertools import count
from typing import Any

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase, TestCase

from simmail.core.records.commit import Commit, EventQuery
from simmail.core.records.event import Event
from simmail.database.cluster.primaries import SLOTS, _read, slot
from simmail.database.redis import RedisDatabase
from simmail.database.durability.replica_acks import ReplicaAcks
from simmail.database.durability.synced import JUMP
from simmail.database.url import members
from simmail.errors import Invalid, Unavailable
from tests.database.clusters import Cluster, KeyByKey, shared
from tests.database.running import until
from tests.database.test_redis import NINE, pause


class SlotTests(SynchronousTestCase):
    """Which slot, and who has it."""

    def test_slots(self) -> None:
        """Of a tag, and of any key that has it, as C{CLUSTER KEYSLOT} says."""
        cluster = shared()
        for key in ("{main}", "{main}:meta", "{~}:universes", "{main%21one}:once"):
            self.assertEqual(slot(key), cluster.ask(cluster.ports[0], "CLUSTER", "KEYSLOT", key))

    def test_map(self) -> None:
        """What a member answers; its own address it may not know, and some slots may be nobody's."""
        places, replicas = _read(
            [[0, 9, [b"a", 1, b"id"], [b"r", 2, b"id"]], [11, SLOTS - 1, [None, 3, b"id", []]]], "seed")
        self.assertEqual([places[at] for at in (0, 9, 10, 11, -1)], ["a:1", "a:1", "", "seed:3", "seed:3"])
        self.assertEqual(replicas, {"a:1": ["r:2"], "seed:3": []})

    def test_members(self) -> None:
        """A member is reached by host and port, and has one database."""
        self.assertEqual([str(one) for one in members(["redis://:pw@h:7000", "rediss://i"])],
                         ["redis://h:7000/0", "rediss://i:6379/0"])
        for url in ("unix:///run/redis.sock", "redis://h/2", "http://h"):
            with self.assertRaises(Invalid) as raised:
                members(["redis://h", url])
            self.assertEqual(raised.exception.field, "redis.cluster[1]")


class StreamCase(TestCase):
    """Commits stream into one universe."""

    timeout = 60

    async def opened(self, cluster: Cluster) -> RedisDatabase:
        """A database on a cluster of which it is told one member, that keeps what is not synced."""
        database = RedisDatabase(reactor, "", cluster=cluster.urls[-1:])
        self.addCleanup(database.close)
        await database.connect(5.0)
        for one in database._primaries.all:
            one.synced.hold = 60.0
        return database

    def begin(self, database: RedisDatabase, universe: str) -> None:
        """Sixteen at once, each again until it is acknowledged."""
        self.acknowledged: list[int] = []
        self.failed = 0
        numbers = count()
        self.ended = self.gone = False

        async def send() -> None:
            while not self.ended:
                n = next(numbers)
                commit = Commit(once=f"d{n}", events=(Event("clock", NINE, {"n": n}),), counts=(("n", "all", 1),))
                while True:
                    try:
                        await database.commit(universe, commit)
                        break
                    except Unavailable:
                        if self.gone:
                            return
                        self.failed += 1
                        await pause(0.02)
                self.acknowledged.append(n)

        self.senders = [Deferred.fromCoroutine(send()) for _ in range(16)]

    async def read(self, database: RedisDatabase, universe: str) -> None:
        """Read all the time, as long as commits stream."""
        while not self.ended:
            try:
                await database.table(universe, "n")
                await database.events(universe, EventQuery(limit=3))
            except Unavailable:
                self.failed += 1
            await pause(0.005)

    async def end(self, database: RedisDatabase, universe: str) -> list[dict[str, Any]]:
        """All that was acknowledged is there once; the events."""
        self.ended = True
        for sender in self.senders:
            await sender
        bodies = [json.loads(one) for one in await database.events(universe, EventQuery(limit=10**9))]
        self.assertEqual(sorted(one["data"]["n"] for one in bodies), sorted(self.acknowledged))
        self.assertEqual(await database.table(universe, "n"), {"all": b"%d" % len(bodies)})
        numbers = [one["id"] for one in bodies]
        self.assertEqual(numbers, sorted(set(numbers)))
        return bodies


class MovingTests(StreamCase):
    """A slot is moved as a whole to another primary."""

    async def test_moved(self) -> None:
        """Nobody notices: no commit fails, the order is kept and no number is left out."""
        cluster = shared()
        cluster.clear()
        database = await self.opened(cluster)
        heard: list[int | None] = []
        database.on_news("main", heard.append)
        await until(lambda: None in heard)
        self.begin(database, "main")
        self.senders.append(Deferred.fromCoroutine(self.read(database, "main")))
        await pause(0.1)
        taken, target = len(self.acknowledged), self.move(cluster, database)
        await until(lambda: database._of("{main}").link.port == target)
        await until(lambda: len(self.acknowledged) > taken + 100)
        await until(lambda: heard.count(None) > 1)
        database.announce("main", 1)
        await until(lambda: heard[-1] == 1)
        bodies = await self.end(database, "main")
        self.assertEqual(self.failed, 0)
        self.assertEqual([one["data"]["n"] for one in bodies], list(range(len(bodies))))
        self.assertEqual([one["id"] for one in bodies], list(range(1, len(bodies) + 1)))
        self.assertEqual((await database.universes(), database.healthy), (["main"], True))

    def move(self, cluster: Cluster, database: RedisDatabase) -> int:
        """The slot of a universe begins to move; the port of the primary that gets it."""
        before, at = database._of("{main}").link.port, str(slot("{main}"))
        target = next(port for port in cluster.ports if port != before)
        cluster.ask(before, "CLUSTER", "MIGRATESLOTS", "SLOTSRANGE", at, at, "NODE",
                    cluster.ask(target, "CLUSTER", "MYID").decode())
        return target

    async def test_not_come_over(self) -> None:
        """What another primary lacks, though it has the slot, is made again there before anything else is done."""
        cluster = shared()
        cluster.clear()
        database = await self.opened(cluster)
        commits = [Commit(once=f"d{n}", events=(Event("clock", NINE, {"n": n}),)) for n in range(20)]
        for commit in commits:
            await database.commit("main", commit)
        before = [json.loads(one) for one in await database.events("main", EventQuery())]
        cluster.ask(database._of("{main}").link.port, "FLUSHALL")
        target = self.move(cluster, database)
        await until(lambda: target == next(
            entry[2][1] for entry in cluster.ask(target, "CLUSTER", "SLOTS") if entry[0] <= slot("{main}") <= entry[1]))
        later = [database.commit("main", commit) for commit in (*commits, Commit(events=commits[0].events))]
        done = [await one for one in later]
        self.assertEqual([(one.fresh, one.first) for one in done[:-1]], [(False, n) for n in range(1, 21)])
        self.assertEqual(done[-1].first, 21 + JUMP)
        self.assertEqual([json.loads(one) for one in await database.events("main", EventQuery())][:-1], before)


class KeyByKeyTests(StreamCase):
    """A slot is moved key by key."""

    async def setUp(self) -> None:  # type: ignore[override] # trial waits for it
        """Commits stream into a universe whose slot is about to be moved, with hundreds of keys in it."""
        await self.prepare(shared())

    async def prepare(self, cluster: Cluster, target: int = 0) -> None:
        """@param target: the port of the member that is to have it, any other for none."""
        cluster.clear()
        self.cluster = cluster
        self.database = await self.opened(cluster)
        await self.database.commit("main", Commit(puts=tuple((f"t{n}", "k", b"1") for n in range(300))))
        self.begin(self.database, "main")
        self.senders.append(Deferred.fromCoroutine(self.read(self.database, "main")))
        self.source = self.database._of("{main}").link.port
        self.target = target or next(port for port in cluster.ports if port != self.source)
        self.move = KeyByKey(self.cluster, slot("{main}"), self.source, self.target)
        await self.more()

    async def more(self) -> None:
        """Some more are acknowledged."""
        taken = len(self.acknowledged)
        await until(lambda: len(self.acknowledged) > taken + 50)

    async def test_moved(self) -> None:
        """No commit fails: before a key has gone, between two, before it is ended, and after."""
        other = await self.opened(self.cluster)
        heard: list[int | None] = []
        other.on_news("main", heard.append)
        await until(lambda: None in heard)
        self.database.announce("main", 1)
        self.move.begin()
        await self.more()
        self.assertTrue(self.database._of("{main}").asking)
        # One that has not heard of it yet finds all.
        self.assertGreater(int((await other.table("main", "n"))["all"]), 50)
        for key in self.move.keys():
            self.move.carry(key)
            await pause(0.01)
        await self.more()
        self.assertTrue(self.database._of("{main}").asking)
        # A channel is where the slot is by the map, before and after.
        self.database.announce("main", 2)
        await until(lambda: 2 in heard)
        missed = heard.count(None)
        self.move.end()
        await until(lambda: heard.count(None) > missed)
        self.database.announce("main", 3)
        await until(lambda: 3 in heard)
        await until(lambda: self.database._of("{main}").link.port == self.target and
                    not self.database._of("{main}").asking)
        await self.more()
        await self.end(self.database, "main")
        self.assertEqual(self.failed, 0)
        self.assertEqual((await self.database.universes(), self.database.healthy), (["main"], True))

    async def test_two_keys(self) -> None:
        """What takes two keys is refused with nothing done until the slot has moved; half of it is found by nobody."""
        before = len(await self.end(self.database, "main"))
        self.move.begin()
        for work in (self.database.erase("main"), self.database.retire("main", (), 1)):
            with self.assertRaises(Unavailable):
                await work
        self.assertEqual(len(await self.end(self.database, "main")), before)
        self.assertEqual(await self.database.seen("main", ["d0"]), {"d0"})
        self.move.end()
        self.assertTrue(await self.database.retire("main", (), 1))
        await self.database.erase("main")
        self.assertEqual(await self.database.universes(), [])

    async def test_new_member(self) -> None:
        """It is moved to one that had no slot until then; killed before that is ended, what it lost is made again."""
        await self.end(self.database, "main")
        cluster = Cluster()
        self.addCleanup(cluster.close)
        await self.prepare(cluster, cluster.add())
        self.move.begin()
        await until(lambda: self.database._of("{main}").asking)
        self.database._of("{main}").synced.hold = 60.0
        await self.more()
        self.assertEqual((self.failed, self.move.keys()), (0, []))
        before = await self.end(self.database, "main")
        cluster.ask(self.target, "FLUSHALL")
        cluster.kill(self.target)
        await until(lambda: not self.database.healthy)
        cluster.start(self.target)
        await until(lambda: self.database.healthy)
        self.assertEqual(await self.end(self.database, "main"), before)
        self.move.end()
        await until(lambda: not self.database._of("{main}").asking)
        self.assertEqual(await self.end(self.database, "main"), before)
        # Each time that others have it, of whom one is dead, they jump.
        done = await self.database.commit("main", Commit(events=(Event("clock", NINE, {}),)))
        ahead = done.first - before[-1]["id"]
        self.assertEqual((ahead > JUMP, ahead % JUMP), (True, 1))

    async def test_given_up(self) -> None:
        """What was brought over comes back, while the one that has it lets us; else it is away: nobody finds less."""
        self.move.begin()
        await self.more()
        self.move.give_up(self.source)
        await until(lambda: not self.database._of("{main}").asking)
        self.assertEqual((self.move.keys(self.target), self.database._of("{main}").link.port), ([], self.source))
        await self.more()
        self.assertEqual(self.failed, 0)
        self.move.give_up(self.target)
        self.move.begin()
        await until(lambda: self.database._of("{main}").asking)
        self.move.give_up(self.target, self.source)
        await until(lambda: self.failed > 50)
        await pause(0.5)
        self.assertEqual(self.move.keys(), [])
        with self.assertRaises(Unavailable):
            await self.database.table("main", "n")
        self.assertTrue(self.database.healthy)
        self.move.begin()
        await self.more()
        self.move.end()
        await self.more()
        await self.end(self.database, "main")

    async def test_told_late(self) -> None:
        """Of the end of a move the old primary is told first, the new one later, and the third hears of it."""
        for source, target in ((self.source, self.target), (self.target, self.source)):
            move = KeyByKey(self.cluster, slot("{main}"), source, target)
            move.begin()
            await self.more()
            for port in (source, target):
                move.end(port)
                await pause(0.3)
            await until(lambda target=target: self.database._of("{main}").link.port == target and
                        not self.database._of("{main}").asking)
            await self.more()
        await self.end(self.database, "main")
        self.assertEqual(self.failed, 0)

    async def test_started_meanwhile(self) -> None:
        """A server that is started while the slot is open of what it begins with finds all."""
        port = self.database._of("{~}").link.port
        move = KeyByKey(self.cluster, slot("{~}"), port, next(one for one in self.cluster.ports if one != port))
        move.begin()
        self.assertEqual(await self.database.universes(), ["main"])
        for _ in range(2):
            other = await self.opened(self.cluster)
            self.assertEqual(await other.universes(), ["main"])
            move.carry(*move.keys())
        await self.database.commit("elm", Commit(puts=(("t", "k", b"1"),)))
        move.end()
        self.assertEqual(await other.universes(), ["elm", "main"])
        await self.end(self.database, "main")
        self.assertEqual(self.failed, 0)

    async def test_not_let(self) -> None:
        """Where Redis lets nobody bring it over, what is in it is away until the slot has moved, and nothing else."""
        other = next(name for name in map("u{}".format, count())
                     if self.database._of("{%s}" % name) is self.database._of("{main}"))
        self.cluster.ask(self.source, "ACL", "SETUSER", "default", "-migrate")
        self.addCleanup(self.cluster.ask, self.source, "ACL", "SETUSER", "default", "+migrate")
        self.move.begin()
        await until(lambda: self.failed > 20)
        await self.database.commit(other, Commit(once="x"))
        self.assertTrue(self.database.healthy)
        self.cluster.ask(self.source, "ACL", "SETUSER", "default", "+migrate")
        self.move.carry(*self.move.keys())
        self.move.end()
        await self.more()
        await self.end(self.database, "main")


class FailOverTests(StreamCase):
    """A primary dies, and its replica takes its place."""

    async def test_failed_over(self) -> None:
        """It is told that it is away; then all goes on, and the dead one may come back."""
        cluster = Cluster(3, 1)
        self.addCleanup(cluster.close)
        database, other = await self.opened(cluster), await self.opened(cluster)
        dies = cluster.ports[0]
        universe = next(name for name in map("u{}".format, count()) if database._of("{%s}" % name).link.port == dies)
        heard: list[int | None] = []
        other.on_news(universe, heard.append)
        await until(lambda: None in heard)
        self.begin(database, universe)
        await pause(0.2)
        database.announce(universe, 1)
        await until(lambda: 1 in heard)
        cluster.kill(dies)
        database.announce(universe, 2)
        await until(lambda: not database.healthy, 2.0)
        taken = await until(lambda: database.healthy, 10.0)
        self.assertLess(taken, 8.0)
        self.assertEqual(database._of("{%s}" % universe).link.port, cluster.ports[3])
        # Who listens hears what was told meanwhile, or knows that he may have missed something; then all goes on.
        await until(lambda: heard.count(None) > 1)
        database.announce(universe, 3)
        await until(lambda: 3 in heard)
        more = len(self.acknowledged)
        await until(lambda: len(self.acknowledged) > more + 100)
        cluster.start(dies)
        await pause(0.3)
        await self.end(database, universe)
        self.assertGreater(self.failed, 0)
        self.assertEqual(await database.universes(), [universe])


class ReplicaTests(StreamCase):
    """What was told of a replicated universe is on a replica; a cluster of which one primary has one."""

    async def begun(self, replicas: int = 1) -> None:
        """A replicated universe whose primary has a replica."""
        self.cluster = Cluster(3, replicas)
        self.addCleanup(self.cluster.close)
        self.primary, self.replica = self.cluster.ports[0], self.cluster.ports[3]
        self.database = await self.opened(self.cluster)
        self.universe = self.named(self.database)
        await self.database.replicate(self.universe)
        await until(lambda: self.acks.wanted)

    def named(self, database: RedisDatabase) -> str:
        """A universe that the primary with the replica has."""
        return next(name for name in map("u{}".format, count())
                    if database._of("{%s}" % name).link.port == self.primary)

    @property
    def acks(self) -> ReplicaAcks:
        """Those of the universe."""
        return self.database._of("{%s}" % self.universe).acks

    async def test_both_die(self) -> None:
        """
        Who committed and the primary die together, when the replica has not got all: what was told of is there, and no
        number that anybody has seen comes twice.
        """
        await self.begun()
        self.begin(self.database, self.universe)
        await until(lambda: len(self.acknowledged) > 200)
        self.cluster.cut_off("{%s}" % self.universe)
        await until(lambda: self.failed)
        seen = await self.database.last_event(self.universe)
        shown = [json.loads(one) for one in await self.database.events(self.universe, EventQuery(limit=10**9))]
        self.assertEqual({one["data"]["n"] for one in shown} - set(self.acknowledged), set())
        self.assertGreater(seen, len(shown))
        self.cluster.kill(self.primary)
        # As good as dead: what it kept is not made again.
        self.database._of("{%s}" % self.universe).unsynced.part(lambda prefix: True)
        self.gone = True
        await self.database._primaries.close()
        for sender in self.senders:
            await sender
        other = await self.opened(self.cluster)
        await until(lambda: other.healthy, 10.0)
        bodies = [json.loads(one) for one in await other.events(self.universe, EventQuery(limit=10**9))]
        self.assertEqual(set(self.acknowledged) - {one["data"]["n"] for one in bodies}, set())
        await other.replicate(self.universe)
        done = await other.commit(self.universe, Commit(events=(Event("clock", NINE, {}),)))
        self.assertGreater(done.first, seen)
        self.flushLoggedErrors()

    async def test_not_confirmed(self) -> None:
        """Nothing is told that no replica has, other universes go on; when it is back so is all else."""
        await self.begun()
        event = Commit(events=(Event("clock", NINE, {}),))
        await self.database.commit(self.universe, event)
        self.assertTrue(self.database.available(self.universe))
        self.cluster.cut_off("{%s}" % self.universe)
        with self.assertRaisesRegex(Unavailable, "no replica"):
            await self.database.commit(self.universe, event)
        self.assertFalse(self.database.available(self.universe))
        self.assertIn("no replica", self.database.unconfirmed)
        last = await self.database.last_event(self.universe)
        with self.assertRaisesRegex(Unavailable, "no replica"):
            await self.database.commit(self.universe, event)
        self.assertEqual(await self.database.last_event(self.universe), last)
        other = next(name for name in map("o{}".format, count())
                     if self.database._of("{%s}" % name).link.port == self.primary)
        await self.database.commit(other, event)
        self.assertTrue(self.database.available(other))
        self.assertTrue(len(self.database._of("{%s}" % other).unsynced))
        self.cluster.let_in([self.replica])
        await until(lambda: self.database.available(self.universe), 20.0)
        await self.database.commit(self.universe, event)
        self.assertEqual(self.database.unconfirmed, "")
        self.flushLoggedErrors()

    async def test_dead_replica(self) -> None:
        """One that the cluster takes for dead is waited for no more, until it is back; where one is required it is."""
        await self.begun(3)
        event = Commit(events=(Event("clock", NINE, {}),))
        strict = RedisDatabase(reactor, "", cluster=self.cluster.urls[-1:], replica="required")
        self.addCleanup(strict.close)
        await strict.connect(5.0)
        await strict.replicate(self.universe)
        await strict.commit(self.universe, event)
        self.cluster.kill(self.replica)
        await until(lambda: not self.acks.wanted, 10.0)
        await self.database.commit(self.universe, event)
        with self.assertRaisesRegex(Unavailable, "no replica"):
            await strict.commit(self.universe, event)
        self.cluster.start(self.replica)
        await until(lambda: self.acks.wanted, 10.0)
        await self.database.commit(self.universe, event)
        await until(lambda: strict.available(self.universe), 10.0)
        await strict.commit(self.universe, event)
        self.flushLoggedErrors()

    async def test_ignored(self) -> None:
        """None is waited for where nobody wants that."""
        await self.begun()
        lax = RedisDatabase(reactor, "", cluster=self.cluster.urls[-1:], replica="ignored")
        self.addCleanup(lax.close)
        await lax.connect(5.0)
        await lax.replicate(self.universe)
        self.cluster.cut_off("{%s}" % self.universe)
        await lax.commit(self.universe, Commit(events=(Event("clock", NINE, {}),)))
