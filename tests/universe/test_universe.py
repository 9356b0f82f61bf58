"""Tests for C{simmail.universe.universe}: a process dies, and another goes on."""

from __future__ import annotations

from datetime import timedelta

from twisted.internet.defer import maybeDeferred

from simmail.testing.universe import MemoryServer, START, now, turned
from tests.universe.test_road import MAIL, RoadTestCase, persona


class CrashTests(RoadTestCase):
    """What is on disk and in Redis when a process dies is finished by the next."""

    def restart(self, begin: bool = True) -> None:
        """The same disk and database under a new process."""
        server = MemoryServer()
        server.database, server.stores = self.server.database, self.server.stores
        server.unique = self.server.unique
        server.roster = type(server.roster)(
            server.config, server.database, server._store, server.images, server.reactor, maybeDeferred, server.unique,
            server.web, server.endpoints, server.model)
        now(server.roster.start())
        if begin:
            server.roster.begin()
        self.server, self.universe = server, server.roster.universe("main")

    def undecided(self) -> None:
        """Somebody else has the turn, so that nothing is decided about."""
        self.universe.inbox._turn.acquire()

    def test_state_survives(self) -> None:
        """Jobs, people and the clock are as they were."""
        now(self.universe.people.create(persona()))
        self.server.send(self.universe, "app@sim.test", "maria@acme.test", MAIL)
        before = dict(self.universe.pending.by_id)
        self.restart()
        self.assertEqual(self.universe.pending.by_id, before)
        turned(self.universe, self.universe.scheduler.advance(until="idle"))
        self.assertEqual(len(self.inbox()), 1)

    def test_world_goes_on(self) -> None:
        """Streams, those who wrote and the next arrival are as they were; a stream that has none gets one."""
        settings = {"enabled": True, "company": {"inboxes": ["app@sim.test"]}, "streams": [
            {"id": "a", "kind": "order", "per_day": 20}, {"id": "b", "kind": "support", "per_day": 20}]}
        now(self.universe.streams.put(settings))
        turned(self.universe, self.universe.scheduler.advance(by=timedelta(days=1)))
        pending, sent = dict(self.universe.pending.by_id), len(self.events("world.mail"))
        people = [one.id for one in self.universe.people.everyone()]
        self.restart()
        self.assertEqual(self.universe.pending.by_id, pending)
        self.assertEqual([one.id for one in self.universe.people.everyone()], people)
        skipped = next(one for one in pending.values() if one.kind == "world")
        now(self.universe.scheduler.skip(skipped.id))
        self.restart()
        streams = sorted(one.data["stream"] for one in self.universe.pending.by_id.values() if one.kind == "world")
        self.assertEqual(streams, ["a", "b"])
        turned(self.universe, self.universe.scheduler.advance(by=timedelta(days=1)))
        found = [event["data"]["message_id"] for event in self.events("world.mail")]
        self.assertGreater(len(found), sent + 20)
        self.assertEqual(len(found), len(set(found)))

    def test_backlog_waits(self) -> None:
        """A universe that has started answers; what is undecided, due or foreign waits until it has begun."""
        now(self.universe.people.create(persona()))
        self.undecided()
        for n in range(30):
            self.server.send(self.universe, "app@sim.test", "maria@acme.test", MAIL.replace(b"<one@", b"<n%d@" % n))
        self.server.stores["main"]._on_foreign = lambda foreign, copy: None
        self.server.stores["main"].deliver_foreign("maria@acme.test", MAIL.replace(b"\n", b"\r\n"), START)
        self.restart(begin=False)
        self.assertEqual((self.universe.inbox.lag, self.universe.clock.now()), (30, START))
        self.assertEqual(now(self.universe.store.totals())["INBOX"], 31)
        self.assertEqual(self.events("persona.received"), [])
        self.server.roster.begin()
        self.assertEqual((self.universe.inbox.lag, len(self.events("persona.received"))), (0, 31))
        self.assertEqual(self.events("persona.received")[-1]["data"]["message_id"], "<one@app.test>")

    def test_undecided_mail_is_decided_once(self) -> None:
        """Mail committed and not decided about is decided about at the next start, once."""
        now(self.universe.people.create(persona()))
        self.undecided()
        self.server.send(self.universe, "app@sim.test", "maria@acme.test", MAIL)
        self.assertEqual(self.events("persona.received"), [])
        self.restart()
        self.restart()
        self.assertEqual(len(self.events("persona.received")), 1)
        self.assertEqual(len(self.universe.pending.by_id), 1)
