"""Tests for C{simmail.server.installation.take_over}."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from simmail.database import leases
from simmail.database.memory import MemoryDatabase
from simmail.errors import Fenced, Unavailable
from simmail.mailstore.memory.images import MemoryMailImages
from simmail.server.installation.take_over import clear_taken, LOOK, TakeOver, turn, TURN
from simmail.testing.universe import now


class ClearedTests(SynchronousTestCase):
    """What is left on the disk of a server that was gone."""

    def test_cleared(self) -> None:
        """Only what another has taken over goes: local ones, and those that nobody knows, are nowhere else."""
        images = MemoryMailImages()
        for name in ("elm", "oak", "ash", "elm!s_1", "elm!s_2", "oak!s_3"):
            now(images.store(name).create("a@b.test"))
        records: Any = [SimpleNamespace(id=name, durability=durability) for name, durability in (
            ("elm", "replicated"), ("oak", "local"), ("fir", "replicated"))]
        snapshots: Any = {
            "elm": [SimpleNamespace(image="elm!s_1", durability="local"),
                    SimpleNamespace(image="elm!s_2", durability="replicated")],
            "oak": [SimpleNamespace(image="oak!s_3", durability="replicated")], "fir": []}
        known: Any = SimpleNamespace(of=snapshots.get)
        aside: list[str] = []
        replicas: Any = SimpleNamespace(lay_aside=lambda name: images.erase(name).addCallback(
            lambda _: aside.append(name)))
        now(Deferred.fromCoroutine(clear_taken(images, replicas, records, known)))
        self.assertEqual(now(images.universes()), ["ash", "elm!s_1", "oak", "oak!s_3"])
        self.assertEqual(aside, ["elm"])


class TurnTests(SynchronousTestCase):
    """Who is the first to try."""

    def test_spread(self) -> None:
        """All servers agree on the order, and each is the first for about as many universes."""
        alive = {"a", "b", "c"}
        firsts = []
        for at in range(300):
            order = {name: turn(f"u{at}", name, alive) for name in alive}
            self.assertEqual(sorted(order.values()), [0, 1, 2])
            firsts.append(min(order, key=order.__getitem__))
        for name in alive:
            self.assertGreater(firsts.count(name), 70)

    def test_gone(self) -> None:
        """When one is gone the others keep their order."""
        for at in range(50):
            whole = sorted("abc", key=lambda name: turn(f"u{at}", name, "abc"))
            self.assertEqual(sorted("ab", key=lambda name: turn(f"u{at}", name, "ab")),
                             [name for name in whole if name != "c"])


class TakeOverTests(SynchronousTestCase):
    """The server b, and a that may be away, with the universe elm of a."""

    def setUp(self) -> None:
        self.clock = Clock()
        self.a = MemoryDatabase(self.clock.seconds, "a", shared=True)
        self.b = MemoryDatabase(self.clock.seconds, "b", self.a, shared=True)
        self.alive = {"a", "b"}
        nodes: Any = SimpleNamespace(number="b", alive=lambda: self.alive, owner=lambda name: "a")
        self.record = SimpleNamespace(id="elm", placed="elm", durability="replicated")
        self.taken: list[str] = []
        self.error: Exception | None = None
        self.stood: list[set[str]] = []
        self.expected: list[set[str]] = []
        self.ended: list[bool] = []
        replicas: Any = SimpleNamespace(stand_by=self.stand_by, stop=lambda: self.ended.append(True))
        self.over = TakeOver(
            self.b, nodes, self.clock, lambda: [self.record], self.take, replicas)  # type: ignore[list-item]
        now(self.a.take("elm", lambda: None))
        self.over.begin()
        self.addCleanup(self.over.stop)

    async def take(self, record: Any) -> None:
        """Note it."""
        if self.error is not None:
            raise self.error
        self.taken.append(record.id)

    def stand_by(self, first: set[str], expected: set[str]) -> None:
        """Note it."""
        self.stood.append(first)
        self.expected.append(expected)

    def pass_time(self, seconds: float) -> None:
        """Look again and again meanwhile."""
        for _ in range(int(seconds / LOOK) + 1):
            self.clock.advance(LOOK)

    def test_taken(self) -> None:
        """It is when its server is away and its lease has run out, not before."""
        self.pass_time(leases.LASTS + 1)
        # Its server can be reached: it will see to it.
        self.assertEqual(self.taken, [])
        now(self.a.renew("elm"))
        self.alive = {"b"}
        self.pass_time(leases.LASTS - 1)
        self.assertEqual(self.taken, [])
        self.pass_time(1.5)
        self.assertIn("elm", self.taken)

    def test_given_back(self) -> None:
        """One that was given back is taken at once; a local one never."""
        self.alive = {"b"}
        now(self.a.give_back("elm"))
        self.record.durability = "local"
        self.pass_time(1)
        self.assertEqual(self.taken, [])
        self.record.durability = "replicated"
        self.pass_time(0)
        self.assertEqual(self.taken, ["elm"])

    def test_turns(self) -> None:
        """Whoever is not the first leaves that one time."""
        self.record.id = self.record.placed = next(
            f"u{at}" for at in range(100) if turn(f"u{at}", "b", {"b", "c"}) == 1)
        self.alive = {"b", "c"}
        self.pass_time(TURN - 1)
        self.assertEqual(self.taken, [])
        self.pass_time(1.5)
        self.assertTrue(self.taken)

    def test_refused(self) -> None:
        """What cannot be taken is tried again; another that was first has it."""
        self.alive = {"b"}
        now(self.a.give_back("elm"))
        for self.error in (Unavailable("the store is away"), Fenced("held by c"), RuntimeError("a defect")):
            self.pass_time(0)
            self.assertEqual(self.taken, [])
        self.assertEqual(len(self.flushLoggedErrors(RuntimeError)), 1)
        self.error = None
        self.pass_time(0)
        self.assertEqual(self.taken, ["elm"])
        now(Deferred.fromCoroutine(self.over.look()))

    def test_stands_by(self) -> None:
        """It has beforehand what it would be the first to take over, whoever else there is, and no local ones."""
        self.pass_time(0)
        self.assertEqual((self.stood[-1], self.expected[-1]), ({"elm"}, set()))
        # Its server is away, and its lease has not run out.
        self.alive = {"b"}
        self.pass_time(0)
        self.assertEqual((self.stood[-1], self.expected[-1]), ({"elm"}, {"elm"}))
        first, second = (next(f"u{at}" for at in range(100) if turn(f"u{at}", "b", {"b", "c"}) == place)
                         for place in (0, 1))
        for name, stood in (("elm", {"elm"}), (first, {first}), (second, set[str]())):
            self.record.id = self.record.placed = name
            self.alive = {"a", "b"} if name == "elm" else {"a", "b", "c"}
            self.pass_time(0)
            self.assertEqual(self.stood[-1], stood)
        self.alive = {"a", "b"}
        self.pass_time(0)
        self.assertEqual(self.stood[-1], {second})
        self.record.durability = "local"
        self.pass_time(0)
        self.assertEqual((self.stood[-1], self.ended), (set(), []))
        self.over.stop()
        self.assertEqual(self.ended, [True])
