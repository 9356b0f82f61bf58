"""Tests for C{simmail.server.installation.membership}: what stays, what goes, and what a crash leaves of it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import msgspec
from msgspec.structs import replace
from twisted.internet.defer import Deferred, succeed
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.commit import Commit
from simmail.errors import Conflict, Invalid, NotFound, Unavailable
from simmail.server.installation.membership import Membership, RemovedServer, ServerMember
from simmail.server.replacement import GOING, Step, STEPS, Storage
from simmail.server.snapshots import Tenants
from simmail.testing.universe import MemoryServer, now
from tests.universe.test_road import MAIL, persona


class MembershipTests(SynchronousTestCase):
    """The server a has main; b, which is gone, has the local oak with a snapshot, and its fork."""

    def setUp(self) -> None:
        self.server = MemoryServer()
        self.roster: Any = self.server.roster
        self.server.universe("main")
        self.oak = self.server.universe("oak")
        now(self.oak.people.create(persona()))
        self.server.send(self.oak, "app@sim.test", "maria@acme.test", MAIL)
        self.snapshot = now(Deferred.fromCoroutine(self.roster.snapshots.create(self.oak)))
        self.fork = now(Deferred.fromCoroutine(self.roster.snapshots.fork(self.snapshot, "oakling"))).universe
        self.key, self.first = (now(self.roster.create_key("oak", "admin", "x", administrator=administrator))
                                for administrator in (False, True))
        for universe in (self.oak, self.fork):
            now(universe.close())
            self.roster._give_up(universe.record)
        self.placed = {"main": "a", "oak": "b", "ash": "b"}
        self.alive = {"a"}
        self.nodes: Any = SimpleNamespace(
            number="a", alive=lambda: self.alive, servers={"a": "10.0.0.1:7025", "b": "10.0.0.2:7025"},
            placed=self.placed, owner=lambda name: self.placed.get(name, ""))
        self.database, self.documents = self.server.database, self.roster._documents
        self.patch(self.documents, "leaving", lambda name: (("places", name),))
        self.assertEqual(self.kept(), {"oak", "oakling", self.snapshot.image})
        now(self.documents.commit(Commit(puts=tuple(
            ("places", name, msgspec.json.encode(node)) for name, node in self.placed.items()))))

    def membership(self, nodes: Any = None, default: str = "main") -> Membership:
        """What knows the servers."""
        roster = self.roster
        return Membership(
            Storage(self.documents, self.database, self.server.images), nodes,
            Tenants(roster._universes, roster._orgs, roster._keys), roster.snapshots, roster._replacement, default,
            roster.create_universe)

    def remove(self, name: str = "b", lose_local: bool = True, **more: Any) -> Deferred[RemovedServer]:
        """Begin to remove one."""
        return Deferred.fromCoroutine(self.membership(self.nodes, **more).remove(name, lose_local))

    def kept(self) -> set[str]:
        """Under what the database has anything of oak."""
        return {one for one in now(self.database.universes()) if one.startswith("oak")}

    def tables(self) -> list[tuple[str, str]]:
        """All documents, by table and key."""
        return [(table, key) for table in ("universes", "snapshots", "keys", "places", "nodes", GOING, STEPS)
                for key in now(self.documents.table(table))]

    def test_listed(self) -> None:
        """Each with what it has; where there is no installation, nobody is listed or removed."""
        self.assertEqual(self.membership(self.nodes).all(), [
            ServerMember("a", "10.0.0.1:7025", True, ["main"], ["main"]),
            ServerMember("b", "10.0.0.2:7025", False, ["oak", "oakling"], ["oak", "oakling"])])
        self.assertRaises(Invalid, self.membership().all)
        self.failureResultOf(Deferred.fromCoroutine(self.membership().remove("b")), Invalid)

    def test_refused(self) -> None:
        """It runs, ran a moment ago, has what others will have, or what may not be lost: nothing changes."""
        before = self.tables()
        self.failureResultOf(self.remove("c"), NotFound)
        self.assertIn("the mail of oak, oakling is on the disk of b alone",
                      str(self.failureResultOf(self.remove(lose_local=False), Conflict).value))
        self.alive.add("b")
        self.assertIn("stop it", str(self.failureResultOf(self.remove(), Conflict).value))
        self.alive.discard("b")
        with_others = self.patch(self.documents, "ask", lambda question, *more: _told([None, ["b", "c"]]))
        self.assertIn("stop it", str(self.failureResultOf(self.remove(), Conflict).value))
        with_others.restore()
        held = self.patch(self.database, "holder", lambda id: succeed("b" if id == "oakling" else ""))
        self.assertIn("held the universe oakling", str(self.failureResultOf(self.remove(), Conflict).value))
        held.restore()
        ash = replace(self.oak.record, id="ash", durability="replicated")
        self.roster._universes.know("ash", ash)
        for step in (Step(ash, "ash!s_0a", stored=True), Step(ash, "ash!reset", keep=())):
            now(self.documents.put(STEPS, "ash", step))
            self.assertIn("ash will be taken over", str(self.failureResultOf(self.remove(), Conflict).value))
        now(self.documents.drop((STEPS, "ash")))
        self.assertIn("ash will be taken over", str(self.failureResultOf(self.remove(), Conflict).value))
        self.assertEqual(self.tables(), before)

    def test_removed(self) -> None:
        """All that was its is gone, for everybody and from the database; the keys of administrators stay."""
        # It was making one more, and was putting a replicated one back to what is on its disk alone.
        now(self.documents.put(GOING, "elm", "oak"))
        ash = replace(self.oak.record, id="ash", durability="replicated")
        self.roster._universes.know("ash", ash)
        now(self.documents.put("universes", "ash", ash))
        now(self.documents.put(STEPS, "ash", Step(ash, "ash!s_0a")))
        removed = self.successResultOf(self.remove())
        self.assertEqual(removed, RemovedServer("b", ["ash", "oak", "oakling"]))
        self.assertEqual(self.tables(), [("universes", "main"), ("keys", self.first.split("_")[1]), ("places", "main")])
        self.assertEqual([one.id for one in self.roster.records()], ["main"])
        self.assertEqual([one.prefix for one in self.roster.keys()], [self.first.split("_")[1]])
        self.assertEqual(self.roster.snapshots.of("oak"), [])
        self.assertEqual(self.kept(), set())

    def test_of_nobody(self) -> None:
        """Mail of nobody's goes to an empty universe, when that of before is lost."""
        self.successResultOf(self.remove(default="oak"))
        self.assertEqual([one.id for one in self.roster.universes()], ["main", "oak"])
        self.assertEqual(len(self.roster.universe("oak").people), 0)

    def test_ends_in_between(self) -> None:
        """What was written down is done at the next start of the server that was asked."""
        cleared = self.patch(self.roster._replacement, "clear", lambda image: _told(Unavailable("Redis is away")))
        self.failureResultOf(self.remove(), Unavailable)
        self.assertIn((GOING, "oak"), self.tables())
        cleared.restore()
        # Only what is this server's by then is cleared.
        self.assertEqual(now(self.documents.table("places"))["oak"], b'"a"')
        self.server.started()
        self.assertEqual([one for one in self.tables() if one[0] in (GOING, "snapshots")], [])
        self.assertEqual(self.kept(), set())


async def _told(value: Any) -> Any:
    if isinstance(value, Exception):
        raise value
    return value
