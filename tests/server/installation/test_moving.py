"""Tests for C{simmail.server.installation.moving}: what stays where it is when something is wrong."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import Any

from msgspec.structs import replace
from twisted.internet.defer import Deferred, fail, maybeDeferred, succeed
from twisted.trial.unittest import SynchronousTestCase

from simmail.errors import Conflict, Invalid, Unavailable
from simmail.server.installation.moving import Carriers, left_beside, UniverseMoves
from simmail.server.replacement import Storage
from simmail.testing.universe import MemoryServer, now
from tests.universe.test_road import MAIL, persona


class Pages:
    """Mail that goes or comes; C{steps}: what was done."""

    def __init__(self, steps: list[Any]) -> None:
        self.steps = steps

    def counter(self) -> int:
        return 7

    def changes(self) -> Any:
        return iter([["row"]])

    def __getattr__(self, name: str) -> Any:
        return lambda *more: self.steps.append((name, *more))


class MovesTests(SynchronousTestCase):
    """The universe main of a server a, where b refuses what it is told to refuse."""

    def setUp(self) -> None:
        self.server = MemoryServer()
        self.roster: Any = self.server.roster
        self.universe = self.server.universe("main")
        now(self.universe.people.create(persona()))
        self.server.send(self.universe, "app@sim.test", "maria@acme.test", MAIL)
        self.refused = ""
        self.asked: list[str] = []
        self.serves = iter([True])
        self.steps: list[Any] = []
        self.placed = {"main": "a"}
        self.nodes: Any = SimpleNamespace(
            number="a", alive=lambda: {"a", "b"}, placed=self.placed, servers={"a": "", "b": ""},
            owner=lambda name: self.placed.get(name, ""),
            ask_node=self.ask)
        self.documents = self.roster._documents
        self.patch(self.documents, "place", self.place)

    async def place(self, places: dict[str, str], records: Any) -> None:
        """Say who has what."""
        if self.refused == "place":
            raise Unavailable("Redis is away")
        self.placed.update(places)

    def ask(
        self, node: str, question: str, id: str, what: str = "", *more: Any, patience: float = 0.0
    ) -> Deferred[Any]:
        """Have b do something."""
        if question == "serves":
            return fail(Unavailable("no")) if self.refused == question else succeed(next(self.serves))
        self.asked.append(what)
        return fail(Unavailable("no")) if what == self.refused or (
            self.refused == "the rest" and self.asked.count("put") > 1) else succeed(None)

    def moves(self, nodes: Any = None, carriers: bool = True) -> UniverseMoves:
        """What moves universes."""
        roster = self.roster
        return UniverseMoves(
            Storage(self.documents, self.server.database, self.server.images), nodes, roster._leases,
            roster._universes, roster.snapshots,
            Carriers(lambda id: Pages(self.steps), lambda id: Pages(self.steps)) if carriers else None,
            maybeDeferred, self.server.reactor, roster._release, roster._opened_again)

    def move(self, node: str = "b") -> Deferred[Any]:
        """Begin to move it."""
        return Deferred.fromCoroutine(self.moves(self.nodes).move(self.universe, node))

    def test_refused_at_once(self) -> None:
        """Without an installation, to where it is, and to nobody."""
        work = Deferred.fromCoroutine(self.moves().move(self.universe, "b"))
        self.assertEqual(self.failureResultOf(work, Invalid).value.field, "node")
        self.failureResultOf(self.move("a"), Conflict)
        self.failureResultOf(self.move("c"), Invalid)
        self.nodes.servers["c"] = "c.example:7025"
        self.failureResultOf(self.move("c"), Unavailable)
        self.assertEqual(self.asked, [])

    def test_broken_off(self) -> None:
        """Whatever fails before it is said to be another's, it is served again, with all that it had."""
        before = now(self.server.database.last_event("main"))
        for self.refused in ("begin", "put", "settle", "the rest", "finish", "place"):
            self.asked.clear()
            self.universe = self.roster.universe("main")
            work = self.move()
            self.server.reactor.pump([0.5] * 20)
            self.failureResultOf(work, Unavailable)
            self.assertEqual(self.roster.universe("main").closed, False, self.refused)
            if self.refused != "begin":
                self.assertEqual(self.asked[-1], "clear")
        self.assertGreaterEqual(now(self.server.database.last_event("main")), before)
        folders = now(self.roster.universe("main").store.folders("maria@acme.test"))
        self.assertEqual(sum(one.total for one in folders), 1)

    def test_moved(self) -> None:
        """It is closed here, and nobody gets it; what followed from mail is committed."""
        moved = self.successResultOf(self.move())
        self.assertEqual((moved.universe, moved.node, self.placed["main"]), ("main", "b", "b"))
        self.assertEqual(self.asked, ["begin", "put", "settle", "put", "finish"])
        self.assertTrue(self.universe.closed)
        self.assertEqual([one.id for one in self.roster.universes()], [])

    def test_with_snapshots(self) -> None:
        """They go with it, and are not here any more; one that is not on this disk stays where it is."""
        snapshots = [now(Deferred.fromCoroutine(self.roster.snapshots.create(self.universe))) for _ in range(2)]
        now(self.server.images.erase(snapshots[1].image))
        self.assertEqual(now(self.server.images.universes()), ["main", snapshots[0].image])
        self.successResultOf(self.move())
        self.assertEqual(self.asked, ["begin", "begin", "put", "put", "settle", "put", "finish", "finish"])
        self.assertEqual(now(self.server.images.universes()), [])

    def test_served(self) -> None:
        """It has moved when the other one serves it, which counts; or that one is away again."""
        self.serves = iter([False] * 5 + [True])
        work = self.move()
        self.server.reactor.pump([0.02] * 4)
        self.assertNoResult(work)
        self.server.reactor.pump([0.02] * 2)
        self.assertEqual(self.successResultOf(work).seconds, 0.1)
        self.universe = self.server.universe("elm")
        self.refused = "serves"
        self.assertEqual(self.successResultOf(self.move()).node, "b")

    def test_beside(self) -> None:
        """Forks of what goes stay, each for itself."""
        record = self.universe.record
        one, other = replace(record, id="copy", beside="main"), replace(record, id="oak")
        self.assertEqual(left_beside(record, [record, one, other]), [replace(one, beside="")])

    def test_arrives(self) -> None:
        """What comes is taken in order, of a universe that is not here."""
        arrive: Any = self.moves(self.nodes).answers["arrive"]
        self.failureResultOf(Deferred.fromCoroutine(arrive("main", "begin")), Conflict)
        self.patch(self.documents, "holds", lambda name: False)
        self.failureResultOf(Deferred.fromCoroutine(arrive("elm", "put", [])), Conflict)
        for what, *more in (("begin",), ("put", ["row"]), ("finish", 7)):
            now(Deferred.fromCoroutine(arrive("elm", what, *more)))
        self.assertEqual(self.steps, [("begin",), ("put", ["row"]), ("finish", 7)])
        self.failureResultOf(Deferred.fromCoroutine(arrive("elm", "put", [])), Conflict)

    def test_arrives_again(self) -> None:
        """Another try that begins while what came before is cleared away comes behind that, and counts."""
        held: list[tuple[Any, Deferred[None]]] = []

        def later(do: Any, *more: Any) -> Deferred[None]:
            held.append((partial(do, *more), Deferred()))
            return held[-1][1]

        self.patch(self.documents, "holds", lambda name: False)
        moves = self.moves(self.nodes)
        arrive: Any = moves.answers["arrive"]
        now(Deferred.fromCoroutine(arrive("elm", "begin")))
        self.patch(moves, "_in_thread", later)
        work = [Deferred.fromCoroutine(arrive("elm", what)) for what in ("clear", "begin")]
        for at in range(2):
            do, done = held[at]
            self.assertEqual(len(held), at + 1)
            do()
            done.callback(None)
            self.server.reactor.advance(0)
        self.assertEqual([self.successResultOf(one) for one in work], [None, None])
        self.patch(moves, "_in_thread", maybeDeferred)
        now(Deferred.fromCoroutine(arrive("elm", "put", ["row"])))
        self.assertEqual(self.steps, [("begin",), ("clear",), ("begin",), ("put", ["row"])])
