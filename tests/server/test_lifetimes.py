"""Tests for C{simmail.server.lifetimes}."""

from __future__ import annotations

from datetime import timedelta

from simmail.errors import Invalid, NotFound, Unavailable
from simmail.server.lifetimes import AGAIN, ends_in
from simmail.testing.universe import START, now
from tests.universe.test_road import RoadTestCase


class LifetimeTests(RoadTestCase):
    """Universes that go by themselves."""

    def ids(self) -> list[str]:
        """Those that are there."""
        return [one.id for one in self.server.roster.universes()]

    def test_ends(self) -> None:
        """Within bounds, counted from now."""
        self.assertIsNone(ends_in(None, 0.0))
        self.assertEqual(ends_in(timedelta(hours=1), START.timestamp()), START + timedelta(hours=1))
        for ttl in (timedelta(0), timedelta(days=400)):
            self.assertRaises(Invalid, ends_in, ttl, 0.0)

    def test_one_after_another(self) -> None:
        """Each goes at its own time, also long after the service began; others stay."""
        for id, ttl in (("long", timedelta(days=3)), ("short", timedelta(minutes=1)), ("longer", timedelta(days=4))):
            self.server.universe(id, ttl=ttl)
        self.server.reactor.advance(59)
        self.assertIn("short", self.ids())
        self.server.reactor.advance(1)
        self.assertEqual(self.ids(), ["long", "longer", "main"])
        self.server.reactor.pump([500.0] * 520)
        self.assertEqual(self.ids(), ["longer", "main"])

    def test_later(self) -> None:
        """What cannot be deleted now is when it can; what somebody deleted is not asked for again."""
        self.server.universe("short", ttl=timedelta(minutes=1))
        self.server.database.set_healthy(False)
        self.server.reactor.advance(60)
        self.assertIn("short", self.ids())
        self.server.database.set_healthy(True)
        self.server.reactor.advance(AGAIN)
        self.assertEqual(self.ids(), ["main"])

    def test_deleted_meanwhile(self) -> None:
        """Who deletes one that is just about to go is not told of by a failure."""
        one = self.server.universe("short", ttl=timedelta(minutes=1))
        delete = self.server.roster._lifetimes._delete

        async def twice(universe: str) -> None:
            await delete(universe)
            await delete(universe)

        self.patch(self.server.roster._lifetimes, "_delete", twice)
        self.server.reactor.advance(60)
        self.assertRaises(Unavailable, one.committer.require_available)
        self.assertEqual(self.ids(), ["main"])

    def test_while_it_was_down(self) -> None:
        """What has ended meanwhile is not there at the next start; the rest keeps its time."""
        self.server.universe("short", ttl=timedelta(minutes=1))
        self.server.universe("long", ttl=timedelta(hours=1))
        now(self.server.roster.stop())
        self.server.reactor.advance(60)
        again = self.server.started()
        self.assertRaises(NotFound, again.universe, "short")
        again.begin()
        self.server.reactor.pump([500.0] * 8)
        self.assertEqual([one.id for one in again.universes()], ["main"])
