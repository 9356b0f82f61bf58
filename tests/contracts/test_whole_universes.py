"""The contract of C{IDatabase}: what is done to whole universes, and when the database is away."""

from __future__ import annotations

from typing import Any


from simmail.core.records.commit import Commit, EventQuery, JobQuery
from simmail.errors import Conflict, Unavailable
from tests.contracts.databases import (
    Contract, InMemory, NINE, OnAnotherRedis, OnCluster, OnRedis, OnSmallPages, STATES, arrival, at, event, job,
)


class UniverseContract(Contract):
    """Universes are cleared, copied and told apart."""

    async def test_prune(self) -> None:
        """Old events and old finished jobs go, in any number; the numbers go on."""
        for start in range(0, 1200, 300):
            await self.commit(
                events=tuple(event("clock", start + i, persona_id=f"p{i % 3}", case_id="c") for i in range(300)),
                jobs=tuple(job(f"j{start + i}", start + i, STATES[i % 5], persona_id="p1") for i in range(300)),
            )
        self.assertEqual(await self.database.prune("main", at(1190)), (1190, 714))
        self.assertEqual(await self.numbers(), list(range(1191, 1201)))
        self.assertEqual(await self.numbers(after=3, persona_id="p1"), [1193, 1196, 1199])
        self.assertEqual(await self.numbers(descending=True, case_id="c", limit=2), [1200, 1199])
        self.assertEqual(len(await self.database.pending("main")), 480)
        left = await self.database.jobs("main", JobQuery(persona_id="p1", state="done"))
        self.assertEqual([one.id for one in left], ["j1192", "j1197"])
        self.assertEqual(await self.database.prune("main", at(1190)), (0, 0))
        self.assertEqual(await self.database.prune("main", at(5000)), (10, 6))
        self.assertEqual(await self.database.last_event("main"), 1200)
        self.assertEqual((await self.commit(events=(event("clock", 5000, persona_id="p1"),))).first, 1201)
        self.assertEqual(await self.numbers(persona_id="p1"), [1201])
        self.assertEqual(await self.numbers(after=0), [1201])

    async def test_erase(self) -> None:
        """Everything of a universe is gone but its last number; its time may begin anew; others are untouched."""
        for universe in ("main", "other"):
            await self.commit(
                universe, once="d", puts=(("t", "k", b"1"),), counts=(("n", "k", 1),), jobs=(job("j", persona_id="p"),),
                arrive=(arrival("a"),), events=(event("clock", 60, persona_id="p", case_id="c"),) * 700,
            )
        await self.database.erase("main")
        await self.database.erase("main")
        db = self.database
        self.assertEqual(await db.universes(), ["other"])
        self.assertEqual((await db.table("main", "t"), await db.table("main", "n")), ({}, {}))
        self.assertEqual((await db.pending("main"), await db.arrivals("main")), ([], []))
        self.assertEqual(await db.jobs("main", JobQuery(persona_id="p")), [])
        self.assertEqual(await db.seen("main", ["d"]), set())
        self.assertEqual(await self.numbers(), [])
        self.assertEqual(await self.numbers(persona_id="p"), [])
        self.assertEqual(await db.last_event("main"), 700)
        await self.commit(once="d", events=(event("clock", 1, persona_id="p"),), counts=(("n", "k", 1),))
        self.assertEqual([(one["id"], one["at"][14:16]) for one in await self.bodies(persona_id="p")], [(701, "01")])
        self.assertEqual(await db.table("main", "n"), {"k": b"1"})
        self.assertEqual(len(await self.bodies("other", persona_id="p", limit=1000)), 700)
        self.assertEqual(await db.table("other", "t"), {"k": b"1"})

    async def fill(self, universe: str, mark: str = "p") -> None:
        """Something of every kind."""
        await self.commit(
            universe, once="d", puts=(("t", "k", b"1"), ("odd *[name]", "k", b"2")), counts=(("n", "k", 1),),
            jobs=(job("j", persona_id=mark),), arrive=(arrival("a"),),
            events=(event("clock", 60, persona_id=mark, case_id="c*"), event("clock", 61, persona_id="other")))

    async def everything(self, universe: str) -> list[Any]:
        """All that is there to be asked of a universe."""
        db = self.database
        return [
            await db.table(universe, "t"), await db.table(universe, "odd *[name]"), await db.table(universe, "n"),
            await db.pending(universe), await db.jobs(universe, JobQuery(persona_id="p")), await db.arrivals(universe),
            await db.seen(universe, ["d", "e"]), await db.last_event(universe), await self.bodies(universe),
            await self.bodies(universe, persona_id="p"), await self.bodies(universe, types=("clock",)),
            await self.bodies(universe, case_id="c*", since=at(60), descending=True)]

    async def test_copy(self) -> None:
        """A copy answers everything as its source does, and each goes its own way from then on."""
        await self.fill("main")
        before = await self.everything("main")
        self.assertEqual(len(before[9]), 1)
        for target in ("main!s-1", "fork[*]"):
            await self.database.copy("main", target)
            self.assertEqual(await self.everything(target), before)
        self.assertEqual(await self.database.universes(), sorted(["main", "main!s-1", "fork[*]"]))
        later = (event("clock", 70, persona_id="p"),)
        await self.commit("main", puts=(("t", "k", b"9"),), events=later, drop_jobs=("j",))
        self.assertEqual(await self.everything("main!s-1"), before)
        self.assertFalse((await self.commit("fork[*]", once="d")).fresh)
        early = (event("clock", 1, persona_id="p"),)
        done = await self.commit("fork[*]", once="e", counts=(("n", "k", 1),), events=early)
        self.assertEqual((done.first, done.counts), (3, (2,)))
        self.assertEqual([(one["id"], one["at"][11:16]) for one in await self.bodies("fork[*]", persona_id="p")],
                         [(1, "10:00"), (3, "10:01")])
        self.assertEqual(await self.everything("main!s-1"), before)
        await self.database.erase("main")
        self.assertEqual(await self.everything("main!s-1"), before)

    async def test_copy_back(self) -> None:
        """What is put back in the place of what was erased has its old numbers; new ones are above all ever used."""
        await self.fill("main")
        await self.database.copy("main", "kept")
        before = await self.everything("main")
        await self.commit("main", events=(event("clock", 90, persona_id="q"),) * 600, puts=(("later", "k", b""),))
        await self.database.erase("main")
        await self.database.copy("kept", "main")
        self.assertEqual(await self.database.last_event("main"), 602)
        before[7] = 602
        self.assertEqual(await self.everything("main"), before)
        self.assertEqual(await self.bodies("main", persona_id="q"), [])
        self.assertEqual(await self.database.table("main", "later"), {})
        self.assertEqual((await self.commit(events=(event("clock", 62, persona_id="p"),))).first, 603)
        self.assertEqual(await self.numbers(persona_id="p"), [1, 603])
        self.assertEqual(await self.numbers(), [1, 2, 603])
        self.assertEqual(await self.numbers(after=1, before=603), [2])
        self.assertEqual(await self.numbers(after=2, descending=True), [603])
        await self.database.prune("main", at(61))
        self.assertEqual(await self.numbers(), [2, 603])

    async def test_copy_refused(self) -> None:
        """What has something is left alone; of nothing there is a copy too."""
        await self.fill("main")
        await self.fill("other", "q")
        before = await self.everything("other")
        self.assertEqual(await self.everything("other"), before)
        for parts in ({"puts": (("t", "k", b""),)}, {"events": (event(),)}, {"once": "d"}):
            await self.commit("some", **parts)
            with self.assertRaises(Conflict):  # type: ignore[attr-defined]
                await self.database.copy("main", "some")
            await self.database.erase("some")
        with self.assertRaises(Conflict):  # type: ignore[attr-defined]
            await self.database.copy("main", "other")
        self.assertEqual(await self.everything("other"), before)
        await self.database.copy("nothing", "new")
        self.assertEqual(await self.database.last_event("new"), 0)
        self.assertEqual((await self.commit("new", events=(event(),))).first, 1)

    async def test_universes(self) -> None:
        """A universe is one that has a document; the server's own place is none."""
        await self.commit("b", puts=(("t", "k", b""),))
        await self.commit("a", counts=(("n", "k", 1),))
        await self.commit("", puts=(("keys", "k", b""),))
        await self.commit("only-events", events=(event(),))
        self.assertEqual(await self.database.universes(), ["a", "b"])
        await self.commit("a", drops=(("n", "k"),))
        self.assertEqual(await self.database.universes(), ["b"])
        await self.commit("a", puts=(("n", "k", b""),))
        self.assertEqual(await self.database.universes(), ["a", "b"])
        self.assertEqual(await self.database.table("", "keys"), {"k": b""})

    async def test_odd_ids(self) -> None:
        """No id, however odd, reads or writes what is another's."""
        odd = ["a", "a*", "a]", "{a}", "a:b", "a b", "ü", "%61", "~", "a\0", "x" * 500, "x" * 499 + "y", "ü" * 400]
        for i, id in enumerate(odd):
            for universe in (id, "all"):
                await self.commit(
                    universe, puts=((id, id, b"%d" % i),), events=(event(persona_id=id, case_id=id, i=i),),
                    jobs=(job(id, persona_id=id, case_id=id),), once=id, arrive=(arrival(id),),
                )
        self.assertEqual(await self.database.universes(), sorted([*odd, "all"]))
        for i, id in enumerate(odd):
            for universe in (id, "all"):
                self.assertEqual(await self.database.table(universe, id), {id: b"%d" % i})
                [body] = await self.bodies(universe, persona_id=id, case_id=id)
                self.assertEqual((body["data"]["i"], body["case_id"]), (i, id))
                [one] = await self.database.jobs(universe, JobQuery(persona_id=id, case_id=id))
                self.assertEqual(one.id, id)
            self.assertEqual(await self.database.seen(id, odd), {id})
            await self.database.erase(id)
        self.assertEqual(await self.database.universes(), ["all"])
        self.assertEqual(len(await self.database.pending("all")), len(odd))

    async def test_away(self) -> None:
        """While it is away every call fails with Unavailable at once, and changes nothing."""
        heard: list[bool] = []
        self.database.on_health(heard.append)
        await self.take_away()
        db = self.database
        self.assertFalse(db.healthy)
        for waiting in (
            db.commit("main", Commit(puts=(("t", "k", b""),))), db.table("main", "t"), db.get("main", "t", ["k"]),
            db.events("main", EventQuery()), db.last_event("main"), db.pending("main"), db.jobs("main", JobQuery()),
            db.job("main", "j"), db.arrivals("main"), db.seen("main", ["a"]), db.retire("main", ["a"], 1),
            db.prune("main", NINE), db.erase("main"), db.copy("main", "b"), db.universes(),
        ):
            self.failureResultOf(waiting, Unavailable)  # type: ignore[attr-defined]
        self.assertEqual(heard, [False])

    async def test_draw(self) -> None:
        """Tokens are taken out of a bucket that fills at its rate up to its burst; time that goes back fills none."""
        draw = self.database.draw
        self.assertEqual(await draw("key:a b", 2.0, 5, 1, 1e9), (1, 4.0))
        self.assertEqual(await draw("key:a b", 2.0, 5, 9, 1e9), (4, 0.0))
        self.assertEqual(await draw("key:a b", 2.0, 5, 1, 1e9 + 0.25), (0, 0.5))
        self.assertEqual(await draw("key:a b", 2.0, 5, 1, 1e9 + 0.75), (1, 0.5))
        self.assertEqual(await draw("key:a b", 2.0, 5, 1, 1e9 - 9), (0, 0.5))
        self.assertEqual(await draw("key:a b", 2.0, 5, 9, 1e9 + 900), (5, 0.0))
        self.assertEqual(await draw("key:other", 2.0, 5, 2, 1e9), (2, 3.0))
        self.assertEqual(await self.database.universes(), [])


class MemoryTests(InMemory, UniverseContract):
    """The contract, in memory."""


class RedisTests(OnRedis, UniverseContract):
    """The contract, on a private Redis."""


class SmallPagesTests(OnSmallPages, UniverseContract):
    """The contract again, in many pages and slices."""


class OtherRedisTests(OnAnotherRedis, UniverseContract):
    """The contract on another Redis."""


class ClusterTests(OnCluster, UniverseContract):
    """The contract on a cluster."""

    async def test_away(self) -> None:
        """What one primary that is away means is tested in C{tests.database.cluster.test_primaries}."""
        await self.database.close()
        self.failureResultOf(self.database.commit("main", Commit()), Unavailable)  # type: ignore[attr-defined]
