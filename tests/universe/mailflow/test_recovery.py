"""A start after which Redis has less than it had: served at once, then everything is made again in its order."""

from __future__ import annotations

from copy import deepcopy
from datetime import timedelta
from typing import Any

from twisted.internet.defer import Deferred, maybeDeferred

from simmail.core.records.commit import Commit, Committed
from simmail.core.records.delivery import Arrival, Copy
from simmail.testing.universe import START, MemoryServer, now, turned
from simmail.universe.mailflow.recovery import SentBefore
from simmail.universe.people.inbox_worker import AGAIN
from tests.universe.test_road import MAIL, RoadTestCase, persona


class LostTests(RoadTestCase):
    """The database forgets what came after a moment; the journal has all."""

    def setUp(self) -> None:
        """Maria is there, and nothing is settled."""
        super().setUp()
        now(self.universe.people.create(persona()))
        self.patch(self.universe.in_flight, "settle", lambda delivery_id: None)
        self.kept = deepcopy(self.server.database._spaces)

    def lose(self) -> None:
        """The service is killed, and the database is as it was."""
        server = MemoryServer()
        server.database, server.stores = self.server.database, self.server.stores
        server.unique, server.reactor = self.server.unique, self.server.reactor
        server.database._spaces, server.database.continued = deepcopy(self.kept), False
        server.roster = type(server.roster)(
            server.config, server.database, server._store, server.images, server.reactor, maybeDeferred, server.unique,
            server.web, server.endpoints, server.model)
        now(server.roster.start())
        self.server, self.universe = server, server.roster.universe("main")

    def answered(self) -> str:
        """Somebody writes to Maria, and she has answered; the id of the job."""
        self.server.send(self.universe, "app@sim.test", "maria@acme.test", MAIL)
        (job,) = self.universe.pending.by_id
        turned(self.universe, self.universe.scheduler.advance(until="idle"))
        self.assertEqual(len(self.inbox()), 1)
        return job

    def types(self) -> list[str]:
        """What was recorded of mail."""
        return [one["type"] for one in self.events("mail.*", "persona.received", "persona.sent")]

    def test_served_first(self) -> None:
        """All mail is there before anything is decided about again; what was sent is recorded in its turn, once."""
        job = self.answered()
        self.server.send(self.universe, "app@sim.test", "maria@acme.test", MAIL.replace(b"<one@", b"<two@"))
        replies = self.types().count("persona.received")
        self.lose()
        self.assertEqual(now(self.universe.store.totals())["INBOX"], 3)
        self.assertEqual(self.types(), ["mail.delivered"] * 2)
        self.assertEqual(self.universe.inbox.lag, 3)
        self.assertFalse(self.server.database.continued)
        self.server.roster.begin()
        self.assertEqual(self.types(), ["mail.delivered"] * 2 + [
            "persona.received", "persona.sent", "persona.received"])
        self.assertEqual(replies, 2)
        self.assertTrue(self.server.database.continued)
        self.assertNotIn(job, self.universe.pending.by_id)
        self.assertEqual(len(self.inbox()), 1)
        turned(self.universe, self.universe.scheduler.advance(until="idle"))
        ids = [one["data"]["message_id"] for one in self.events("persona.sent")]
        self.assertEqual(len(ids), len(set(ids)))
        self.assertEqual(len(self.inbox()), len(ids))
        self.assertEqual(now(self.universe.database.seen("main", [job])), {job})

    def test_the_same_as_before(self) -> None:
        """Who wrote before goes on as if nothing had happened."""
        self.answered()
        self.server.send(self.universe, "app@sim.test", "maria@acme.test", MAIL.replace(b"<one@", b"<two@"))
        before = {one.id: one.due for one in self.universe.pending.by_id.values()}
        sent = self.universe.people._sent.copy()
        self.lose()
        self.server.roster.begin()
        self.assertEqual({one.id: one.due for one in self.universe.pending.by_id.values()}, before)
        self.assertEqual(self.universe.people._sent, sent)

    def test_nobody_comes_between(self) -> None:
        """Until what was sent is recorded, what people know is not changed by anybody else; mail is taken."""
        job = self.answered()
        self.lose()
        commit = self.server.database.commit
        held: list[Any] = []

        def later(universe: str, one: Commit, patient: bool = False) -> Deferred[Committed]:
            if one.once != job:
                return commit(universe, one, patient)
            done: Deferred[Committed] = Deferred()
            held.append(lambda: commit(universe, one).chainDeferred(done))
            return done

        self.patch(self.server.database, "commit", later)
        self.server.roster.begin()
        (maria,) = self.universe.people.everyone()
        patched = Deferred.fromCoroutine(self.universe.people.patch(maria.id, {"name": "Maria Bianchi"}))
        self.server.send(self.universe, "app@sim.test", "maria@acme.test", MAIL.replace(b"<one@", b"<two@"))
        self.assertFalse(patched.called)
        self.assertEqual(self.types(), ["mail.delivered", "persona.received", "mail.delivered"])
        self.assertFalse(self.server.database.continued)
        held.pop()()
        self.server.reactor.advance(0)
        self.assertTrue(patched.called)
        self.server.reactor.advance(0)
        self.assertEqual(self.types(), ["mail.delivered", "persona.received", "mail.delivered", "persona.sent",
                                        "persona.received"])

    def test_killed_in_between(self) -> None:
        """A second crash before it was recorded: in its turn again, though the database went on."""
        job = self.answered()
        self.lose()
        self.kept = deepcopy(self.server.database._spaces)
        # Nothing was decided about by then, so it has not all of it.
        self.assertFalse(self.server.database.continued)
        self.lose()
        self.server.roster.begin()
        self.assertEqual(self.types(), ["mail.delivered", "persona.received", "persona.sent"])
        self.assertNotIn(job, self.universe.pending.by_id)

    def test_clock(self) -> None:
        """It goes on behind what was sent, though where it stood is lost."""
        self.answered()
        instant = self.universe.clock.now()
        self.assertGreater(instant, START + timedelta(minutes=1))
        self.lose()
        self.assertGreaterEqual(self.universe.clock.now(), instant)
        self.server.roster.begin()
        self.assertGreaterEqual(self.universe.clock.now(), instant)

    def test_stopped_in_between(self) -> None:
        """Redis goes away and the service is stopped: it ends, and the next start goes on."""
        self.answered()
        self.lose()
        self.server.database.set_healthy(False)
        self.server.roster.begin()
        self.assertEqual(self.universe.inbox.lag, 2)
        stopped = Deferred.fromCoroutine(self.universe.stop())
        self.server.reactor.advance(AGAIN)
        self.server.reactor.advance(0)
        self.assertTrue(stopped.called)
        self.server.database.set_healthy(True)
        self.kept = deepcopy(self.server.database._spaces)
        self.lose()
        self.server.roster.begin()
        self.assertEqual(self.types(), ["mail.delivered", "persona.received", "persona.sent"])


class OrderTests(RoadTestCase):
    """Where what was sent comes among mail that is undecided."""

    def test_in_order(self) -> None:
        """Before the mail that came after it, whether or not all of that reached anybody."""
        def sent(n: int) -> SentBefore:
            return SentBefore(f"s{n}", START, Commit())

        def arrivals(*deliveries: str) -> list[Arrival]:
            return [Arrival(f"{one}.{n}", "a@b.test", "p", "x@y.test", START, Copy("a@b.test", "INBOX", 1, 1))
                    for one in deliveries for n in range(2)]

        recovery = self.universe.recovery
        recovery._order = [sent(1), "d1", sent(2), "d2", sent(3), "d3", sent(4)]
        self.assertEqual([one.id for one in recovery.in_order(arrivals("old", "d1", "d3"))], [
            "old.0", "old.1", "s1", "d1.0", "d1.1", "s2", "s3", "d3.0", "d3.1", "s4"])
        self.assertEqual([one.id for one in recovery.in_order([])], ["s1", "s2", "s3", "s4"])
        recovery._order = ["d1"]
        self.assertEqual(len(recovery.in_order(arrivals("d1"))), 2)
