"""Universes of several servers on one Redis: who loses one serves it no more."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from simmail.config import Config, Server
from simmail.core.records.commit import Commit
from simmail.database import leases
from simmail.database.memory import MemoryDatabase
from simmail.errors import Conflict, Elsewhere, Fenced, Unauthenticated, Unavailable
from simmail.server.transfer.leases import RENEWED
from simmail.testing.universe import MemoryServer, now
from tests.universe.test_road import MAIL, persona

PASSWORD = "a long password"


def held(database: MemoryDatabase, universe: str) -> Deferred[None]:
    """Another server takes a universe."""
    return database.take(universe, lambda: None)


class LeaseTests(SynchronousTestCase):
    """Two servers on the same data: C{self.server} and whoever has C{self.twin} (same name) or C{self.other}."""

    def setUp(self) -> None:
        self.server = MemoryServer(config=Config(server=Server(node="a")))
        self.roster, database = self.server.roster, self.server.database
        self.twin = MemoryDatabase(self.server.reactor.seconds, "a", database)
        self.other = MemoryDatabase(self.server.reactor.seconds, "b", database)
        self.universe = self.server.universe("main")
        now(self.universe.people.create(persona()))
        now(self.roster.accounts(self.universe).create({"address": "app@sim.test", "password": PASSWORD}))

    def assert_gone(self) -> None:
        """It is served here no more: whoever asks for it is told to try again."""
        self.assertTrue(self.universe.closed)
        self.assertRaises(Elsewhere, self.roster.universe, "main")
        self.assertEqual([one.id for one in self.roster.records()], ["main"])
        self.failureResultOf(Deferred.fromCoroutine(self.roster.find("maria@acme.test")), Unavailable)
        signing: Any = self.roster.sign_in("app@sim.test", PASSWORD, "imap", "127.0.0.1")
        self.failureResultOf(Deferred.fromCoroutine(signing), Unavailable)

    def test_lost_by_a_commit(self) -> None:
        """The first change that is refused ends it, and who is connected hears of that."""
        told: list[bool] = []
        self.universe.on_close(lambda: told.append(True))
        now(held(self.twin, "main"))
        before = now(self.twin.last_event("main"))
        self.server.send(self.universe, "app@sim.test", "maria@acme.test", MAIL)
        self.assertRaises(Unavailable, self.server.send, self.universe, "app@sim.test", "maria@acme.test", MAIL)
        self.server.reactor.pump([0.5] * 20)
        self.assertEqual((told, now(self.twin.last_event("main"))), ([True], before))
        self.assert_gone()

    def test_lost_by_a_renewal(self) -> None:
        """Where nothing changes it is found out when the lease is renewed."""
        now(held(self.twin, "main"))
        self.server.reactor.pump([RENEWED, 0.1])
        self.assert_gone()
        self.server.universe("another")
        self.assertEqual([one.id for one in self.roster.universes()], ["another"])

    def test_renewed(self) -> None:
        """A server that goes on keeps what it has, and while it is there nobody takes it."""
        for _ in range(10):
            self.server.reactor.pump([RENEWED])
            self.failureResultOf(held(self.other, "main"), Fenced)
        self.assertIs(self.roster.universe("main"), self.universe)
        self.failureResultOf(
            Deferred.fromCoroutine(self.roster.sign_in("app@sim.test", "wrong", "imap", "1.2.3.4")), Unauthenticated)

    def test_of_another(self) -> None:
        """What another server has is not made here, though that one may be down for long."""
        now(held(self.other, "shop"))
        self.assertRaises(Conflict, self.server.universe, "shop")
        now(self.other.commit("shop", Commit(puts=(("t", "k", b"1"),))))
        self.server.reactor.advance(leases.LASTS + 1)
        self.assertRaises(Conflict, self.server.universe, "shop")
        now(self.other.renew("shop"))
        now(self.other.erase("shop"))
        now(self.other.give_back("shop"))
        self.assertEqual(self.server.universe("shop").id, "shop")

    def test_held_at_the_start(self) -> None:
        """A start does without what another holds, and serves the rest; a stop gives all back."""
        self.server.universe("kept")
        now(self.roster.stop())
        now(held(self.other, "main"))
        again = self.server.started()
        self.assertEqual([one.id for one in again.universes()], ["kept"])
        self.assertRaises(Elsewhere, again.universe, "main")
        self.assertRaises(Conflict, now, again.create_universe("main"))
        now(again.stop())
        now(held(self.other, "kept"))
        self.assertEqual(len(self.flushLoggedErrors()), 0)
