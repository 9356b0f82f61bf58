"""Tests for C{simmail.server.server}: universes come and go."""

from __future__ import annotations

import gc
import weakref
from typing import Any

from twisted.internet.defer import Deferred, fail

from simmail.core.records.commit import Commit
from simmail.errors import Conflict, NotFound, Unauthenticated, Unavailable
from simmail.mailstore.memory.mailstore import MemoryMailStore
from simmail.testing.universe import now, turned
from tests.universe.test_road import MAIL, RoadTestCase, persona


class MailServerTests(RoadTestCase):
    """Keys and universes."""

    def test_deleted(self) -> None:
        """A deleted universe is gone with its keys."""
        roster = self.server.roster
        self.server.universe("other")
        token = now(roster.create_key("other", "admin", ""))
        now(roster.delete_universe("other"))
        self.assertRaises(NotFound, roster.universe, "other")
        self.assertRaises(Unauthenticated, now, roster.identify(token))

    def test_deleted_with_its_mail(self) -> None:
        """Mail, people and what is owed go too; a new one of that id begins with nothing."""
        roster = self.server.roster
        other = self.server.universe("other")
        now(other.people.create(persona()))
        self.server.send(other, "app@sim.test", "maria@acme.test", MAIL)
        now(roster.delete_universe("other"))
        self.assertRaises(Unavailable, self.server.send, other, "app@sim.test", "maria@acme.test", MAIL)
        again = self.server.universe("other")
        self.assertEqual((again.store.mailboxes(), len(again.people), now(again.store.uncommitted())), ([], 0, []))
        # Event numbers go on: a listener that knows the old ones sees no new one as old.
        self.assertGreater(again.log.last, 0)

    def test_deleted_in_the_midst(self) -> None:
        """What was just being decided when it was deleted leaves nothing behind, and nobody goes on trying."""
        other = self.server.universe("other")
        now(other.people.create(persona()))
        reading: list[Deferred[None]] = []
        decide = other.decisions.decide

        async def slow(arrival: Any, octets: Any) -> Any:
            reading.append(Deferred())
            await reading[-1]
            return await decide(arrival, octets)

        self.patch(other.decisions, "decide", slow)
        self.server.send(other, "app@sim.test", "maria@acme.test", MAIL)
        self.server.send(other, "app@sim.test", "maria@acme.test", MAIL)
        deleted = Deferred.fromCoroutine(self.server.roster.delete_universe("other"))
        self.assertRaises(NotFound, self.server.roster.universe, "other")
        self.assertRaises(Conflict, now, self.server.roster.create_universe("other"))
        reading.pop(0).callback(None)
        turned(other, deleted)
        self.server.reactor.pump([1.0] * 5)
        self.assertEqual(reading, [])
        self.assertRaises(Unavailable, now, other.committer.commit(Commit()))
        again = self.server.universe("other")
        self.assertEqual((len(again.people), len(again.pending.by_id), now(again.database.arrivals("other"))),
                         (0, 0, []))

    def test_deleted_half(self) -> None:
        """A crash while it is deleted: the rest goes at the next start, and it is not there again."""
        roster, database = self.server.roster, self.server.database
        other = self.server.universe("other")
        self.server.send(other, "app@sim.test", "maria@acme.test", MAIL)
        token = now(roster.create_key("other", "admin", ""))

        def away() -> Any:
            raise Unavailable("killed")

        self.patch(other.store, "erase", away)
        self.assertRaises(Unavailable, now, roster.delete_universe("other"))
        self.assertNotEqual(other.store.mailboxes(), [])
        del other.store.erase
        again = self.server.started()
        again.begin()
        self.assertRaises(NotFound, again.universe, "other")
        self.assertRaises(Unauthenticated, now, again.identify(token))
        self.assertEqual(other.store.mailboxes(), [])
        self.assertEqual(now(database.table("", "going")), {})

    def test_nothing_is_held(self) -> None:
        """Of a universe that was deleted nothing is kept in memory, however many come and go."""
        seen = weakref.ref(self.server.universe("other"))
        now(self.server.roster.delete_universe("other"))
        self.server.stores.clear()
        self.server.reactor.advance(1000)
        gc.collect()
        self.assertIsNone(seen())

    def test_not_deleted(self) -> None:
        """While Redis is away nothing is deleted."""
        other = self.server.universe("other")
        self.server.database.set_healthy(False)
        self.assertRaises(Unavailable, now, self.server.roster.delete_universe("other"))
        self.assertIs(self.server.roster.universe("other"), other)
        self.server.database.set_healthy(True)
        self.server.send(other, "app@sim.test", "maria@acme.test", MAIL)
        now(self.server.roster.delete_universe("other"))

    def test_not_opened(self) -> None:
        """What could not be started leaves no store open and hears of nothing; the next attempt is as the first."""
        server, opened, closed = self.server, list[str](), list[str]()
        make, close = server.roster._store, MemoryMailStore.close

        def store(universe_id: str) -> Any:
            opened.append(universe_id)
            return make(universe_id)

        self.patch(server.roster, "_store", store)
        self.patch(MemoryMailStore, "close", lambda made: closed.append(made.universe) or close(made))
        listeners = len(server.database._listeners)
        real = server.database.pending
        for error in (Unavailable("away"), ZeroDivisionError("a defect")):
            self.patch(server.database, "pending", lambda universe, error=error: fail(error))
            self.assertRaises(type(error), now, server.roster.create_universe("other"))
            self.assertEqual((closed, len(server.database._listeners)), (opened, listeners))
            self.assertNotIn("other", now(server.database.table("", "universes")))
        self.patch(server.database, "pending", real)
        other = now(server.roster.create_universe("other"))
        self.assertEqual((opened, closed), (["other"] * 3, ["other"] * 2))
        self.assertEqual(other.store.mailboxes(), [])
