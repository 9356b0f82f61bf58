"""Tests for C{simmail.server.installation.shared_documents}."""

from __future__ import annotations

import json
from typing import Any

import msgspec
from twisted.internet.defer import Deferred, succeed
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase
from zope.interface import implementer

from simmail.core.records.commit import Commit
from simmail.database.memory import MemoryDatabase
from simmail.errors import Unavailable
from simmail.interfaces import INodes
from simmail.server.installation.shared_documents import BEAT, PATIENCE, SOON, SharedDocuments
from simmail.testing.universe import now


@implementer(INodes)
class Known:
    """What one server knows of the others; C{up}: whether those hear it."""

    apart = True

    def __init__(self, number: str) -> None:
        self.number, self.reached = number, f"{number}.example:7025"
        self.placed: dict[str, str] = {}
        self.met: dict[str, str] = {}
        self.others: list[SharedDocuments] = []
        self.up = True
        self.held: list[Any] = []

    def place(self, name: str, octets: bytes | None) -> None:
        self.placed.pop(name, None)
        if octets is not None:
            self.placed[name] = json.loads(octets)

    def meet(self, name: str, octets: bytes | None) -> None:
        self.met[name] = "" if octets is None else json.loads(octets)

    def mine(self, name: str) -> bool:
        return self.placed.get(name, self.number) == self.number

    def ask(self, question: str, *arguments: Any) -> Deferred[list[Any]]:
        if not self.up:
            self.held.append(arguments)
            return succeed([None for _ in self.others])
        return succeed([now(Deferred.fromCoroutine(one.heard(*arguments))) for one in self.others])


class SharedDocumentsTests(SynchronousTestCase):
    """The servers a and b, with one table."""

    def setUp(self) -> None:
        self.clock = Clock()
        self.one = MemoryDatabase(self.clock.seconds, "a", shared=True)
        self.other = MemoryDatabase(self.clock.seconds, "b", self.one, shared=True)
        self.nodes = {name: Known(name) for name in "ab"}
        self.a, self.b = (SharedDocuments(database, self.nodes[database.node], self.clock)
                          for database in (self.one, self.other))
        self.things: dict[str, dict[str, bytes]] = {"a": {}, "b": {}}

    def start(self, *names: str) -> None:
        """Start some; a has the mail of elm."""
        for name in names or "ab":
            documents = {"a": self.a, "b": self.b}[name]
            now(Deferred.fromCoroutine(documents.start(("elm",) if name == "a" else ())))
            things = self.things[name]

            def learn(key: str, octets: bytes | None, things: dict[str, bytes] = things) -> None:
                things.pop(key, None)
                if octets is not None:
                    things[key] = octets

            now(Deferred.fromCoroutine(documents.keep("things", learn)))
        self.nodes["a"].others, self.nodes["b"].others = [self.b], [self.a]

    def put(self, documents: SharedDocuments, key: str, value: bytes) -> None:
        """Change something."""
        now(Deferred.fromCoroutine(documents.commit(Commit(puts=(("things", key, value),)))))

    def test_known(self) -> None:
        """Before a change is answered the other knows it; who is where both know."""
        self.start()
        self.clock.advance(BEAT)
        self.assertEqual(self.nodes["a"].met, {"a": "a.example:7025", "b": "b.example:7025"})
        self.put(self.a, "k", b"1")
        self.assertEqual(self.things["b"], {"k": b"1"})
        now(Deferred.fromCoroutine(self.b.drop(("things", "k"))))
        self.assertEqual(self.things["a"], {})

    def test_missed(self) -> None:
        """What was not heard is read a beat later; what is heard late, or in another order, changes nothing."""
        self.start()
        looked: list[str] = []
        self.b.watch(lambda: looked.append("again"))
        self.nodes["a"].up = False
        for value in (b"1", b"2"):
            self.put(self.a, "k", value)
        now(Deferred.fromCoroutine(self.a.drop(("things", "k"))))
        self.put(self.a, "l", b"3")
        self.assertEqual(self.things["b"], {})
        late = self.nodes["a"].held
        # One that is not the next has all read.
        now(Deferred.fromCoroutine(self.b.heard(*late[2])))
        self.assertEqual((self.things["b"], looked), ({"l": b"3"}, ["again"]))
        for one in (late[1], late[0], late[3]):
            now(Deferred.fromCoroutine(self.b.heard(*one)))
        self.assertEqual(self.things["b"], {"l": b"3"})
        self.put(self.a, "m", b"4")
        self.clock.advance(BEAT)
        self.assertEqual(self.things["b"], {"l": b"3", "m": b"4"})

    def test_told(self) -> None:
        """What another cannot say, Redis tells of: it is read at once, unless it has come from the other meanwhile."""
        self.start()
        asked: list[str] = []
        get = self.other.get
        self.patch(self.other, "get", lambda *arguments: asked.append(arguments[1]) or get(*arguments))
        self.put(self.a, "k", b"1")
        self.clock.advance(SOON)
        self.assertEqual((self.things["b"], asked), ({"k": b"1"}, []))
        self.nodes["a"].up = False
        for value in (b"2", b"3"):
            self.put(self.a, "k", value)
        self.assertEqual((self.things["b"], asked), ({"k": b"1"}, []))
        self.clock.advance(SOON)
        self.assertEqual((self.things["b"], asked), ({"k": b"3"}, ["versions"]))
        # It comes from the other before it is read.
        self.put(self.a, "k", b"4")
        now(Deferred.fromCoroutine(self.b.heard(*self.nodes["a"].held[-1])))
        self.clock.advance(SOON)
        self.assertEqual((self.things["b"], len(asked)), ({"k": b"4"}, 1))
        # One that has been away does not know.
        for listener in tuple(self.other._hearers[""]):
            listener(None)
        self.clock.advance(SOON)
        self.assertEqual(len(asked), 2)
        self.put(self.a, "k", b"5")
        self.b.stop()
        self.clock.advance(SOON)
        self.assertEqual(len(asked), 2)

    def test_away(self) -> None:
        """While Redis is away nothing is learned, and all of it afterwards."""
        self.start()
        self.nodes["a"].up = False
        self.put(self.a, "k", b"1")
        self.other.set_healthy(False)
        self.clock.advance(BEAT)
        self.assertEqual(self.things["b"], {})
        self.other.set_healthy(True)
        self.clock.advance(BEAT)
        self.assertEqual(self.things["b"], {"k": b"1"})
        self.b.stop()
        self.put(self.a, "k", b"2")
        self.clock.advance(BEAT)
        self.assertEqual(self.things["b"], {"k": b"1"})

    def test_places(self) -> None:
        """What had one server only is of the one that has its mail; what is made is of the one that makes it."""
        for id, beside in (("elm", ""), ("copy", "elm"), ("oak", "")):
            now(self.one.commit("", Commit(puts=(
                ("universes", id, msgspec.json.encode({"id": id, "beside": beside})),))))
        self.start("b")
        self.assertEqual((self.nodes["b"].placed, self.b.holds("oak"), self.b.is_mine("ash")), ({}, False, True))
        self.start("a")
        self.assertEqual(self.nodes["a"].placed, {"elm": "a", "oak": "a"})
        self.clock.advance(BEAT)
        self.assertEqual(self.nodes["b"].placed, {"elm": "a", "oak": "a"})
        self.assertEqual((self.b.placing("elm"), self.b.leaving("elm"), self.a.leaving("elm")), (
            (), (), (("places", "elm"),)))
        now(Deferred.fromCoroutine(self.b.commit(Commit(puts=self.b.placing("ash")))))
        self.assertEqual((self.b.holds("ash"), self.a.is_mine("ash")), (True, False))

    def test_former(self) -> None:
        """What a server had for itself is the installation's from then on; what goes there does not come again."""
        self.one.alone = {
            "orgs": {"default": b"1", "own": b"2"},
            "universes": {one: msgspec.json.encode({"id": one, "beside": beside})
                          for one, beside in (("ash", ""), ("fir", "ash"))}}
        now(self.other.commit("", Commit(puts=(("orgs", "default", b"0"),))))
        self.start("a")
        self.assertEqual(now(Deferred.fromCoroutine(self.a.table("orgs"))), {"default": b"0", "own": b"2"})
        self.assertEqual(self.nodes["a"].placed, {"ash": "a"})
        now(Deferred.fromCoroutine(self.a.drop(("orgs", "own"))))
        self.a.stop()
        self.start("a")
        self.assertEqual(now(Deferred.fromCoroutine(self.a.table("orgs"))), {"default": b"0"})

    def test_turns(self) -> None:
        """What may be there once is made by one at a time, who knows what the other made."""
        self.start()
        self.nodes["a"].up = self.nodes["b"].up = False
        done: list[Any] = []

        async def make(documents: SharedDocuments, name: str) -> None:
            async with documents.alone():
                done.append((name, dict(self.things[name])))
                await documents.commit(Commit(puts=(("things", name, b"1"),)))
                await waiting

        waiting: Deferred[None] = Deferred()
        work = [Deferred.fromCoroutine(make(self.a, "a")), Deferred.fromCoroutine(make(self.b, "b"))]
        # Longer than a lease lasts: it is renewed.
        for _ in range(15):
            self.clock.advance(1.0)
        self.assertEqual(done, [("a", {})])
        waiting.callback(None)
        self.clock.advance(1.0)
        now(work[0])
        now(work[1])
        self.assertEqual(done[1], ("b", {"a": b"1"}))

    def test_turn_of_one_that_died(self) -> None:
        """It ends with its lease; while another goes on and on, who waits is told so."""
        self.start()
        now(self.one.take("~turn", lambda: None))
        work = Deferred.fromCoroutine(self.made(self.b))
        self.clock.advance(11.0)
        self.clock.advance(1.0)
        self.assertEqual(now(work), "made")
        work = Deferred.fromCoroutine(self.made(self.b))
        now(work)
        now(self.one.take("~turn", lambda: None))
        work = Deferred.fromCoroutine(self.made(self.b))
        for _ in range(int(PATIENCE) + 1):
            now(self.one.renew("~turn"))
            self.clock.advance(1.0)
        self.failureResultOf(work, Unavailable)

    async def made(self, documents: SharedDocuments) -> str:
        """Make something alone."""
        async with documents.alone():
            return "made"

    def test_founding(self) -> None:
        """What a server begins with is one turn, of which what is made alone is part."""
        self.start()

        async def found() -> str:
            async with self.a.founding():
                return await self.made(self.a)

        self.assertEqual(now(Deferred.fromCoroutine(found())), "made")
