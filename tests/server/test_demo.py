"""Tests for C{simmail.server.demo}: people and conversations that anybody may look at."""

from __future__ import annotations

from datetime import timedelta

from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from simmail.server.demo import BEGIN, CASE, MAIL, NAME, PEOPLE, SHOP, create_demo
from simmail.testing.universe import MemoryServer, now
from simmail.universe.fingerprint import fingerprint


class DemoTests(SynchronousTestCase):
    """The universe C{demo}."""

    def made(self, server: MemoryServer) -> bool:
        """What its making answers; its scheduler is given its turns."""
        done = Deferred.fromCoroutine(create_demo(server.roster))
        while not done.called:
            server.reactor.advance(0)
        return now(done)

    def test_made(self) -> None:
        """Everybody is there and was written to, some have answered, and the clock stands behind it all."""
        server = MemoryServer()
        self.assertTrue(self.made(server))
        universe = server.roster.universe(NAME)
        self.assertEqual([one.name for one in universe.people.everyone()], sorted(one["name"] for one in PEOPLE))
        folders = {one.name: one.total for one in now(universe.mailboxes.folders(SHOP.address))}
        self.assertEqual(folders["Sent"], len(MAIL))
        self.assertGreater(folders["INBOX"], 2)
        self.assertEqual((universe.clock.now(), universe.clock.timeline.frozen), (BEGIN + timedelta(days=5), True))
        case = universe.cases.found(CASE["id"])
        self.assertIn(universe.people.at("tom@acme.test").id, [one.persona_id for one in case.people])
        self.assertEqual(universe.org, NAME)

    def test_once(self) -> None:
        """A second start makes nothing anew; one whose making was cut short is made again."""
        server = MemoryServer()
        self.made(server)
        first = server.roster.universe(NAME)
        self.assertFalse(self.made(server))
        self.assertIs(server.roster.universe(NAME), first)
        now(first.settings.put("demo", None))
        self.assertTrue(self.made(server))
        self.assertIsNot(server.roster.universe(NAME), first)
        self.assertEqual(len(server.roster.universe(NAME).people), len(PEOPLE))

    def test_same_everywhere(self) -> None:
        """It is the same on every server, whenever that is started."""
        prints = set()
        for later in (0.0, 1e6):
            server = MemoryServer(real=BEGIN.timestamp() + later)
            self.made(server)
            prints.add(now(fingerprint(server.roster.universe(NAME))).fingerprint)
        self.assertEqual(len(prints), 1)
