"""Tests for C{simmail.universe.settings}."""

from __future__ import annotations

from simmail.core.records.commit import Commit
from simmail.core.records.event import Event
from simmail.core.records.settings import LinkPolicy, Pace
from simmail.errors import Invalid, Unavailable
from simmail.testing.universe import START, now
from simmail.universe.settings import Settings
from tests.universe.test_road import RoadTestCase


def _put(table: str, key: str) -> Commit:
    return Commit(puts=((table, key, b"1"),))


class SettingsTests(RoadTestCase):
    """Documents held in memory."""

    def again(self) -> Settings:
        """The same, as they are learned at the next start."""
        settings = Settings("main", self.server.database, self.universe.clock.now, self.universe.committer.commit)
        now(settings.start())
        return settings

    def test_defaults(self) -> None:
        """What was never set reads as its default."""
        settings = self.universe.settings
        self.assertEqual((settings.pace, settings.links, settings.get("retention"), settings.get("x", 7)),
                         (Pace(), LinkPolicy(), None, 7))

    def test_kept(self) -> None:
        """What is put is there at once and at the next start, with one event."""
        now(self.universe.settings.put("links", LinkPolicy(max_links=1, deny=("*.a.test",))))
        for settings in (self.universe.settings, self.again()):
            self.assertEqual((settings.links.max_links, settings.links.deny), (1, ("*.a.test",)))
        (event,) = self.events("settings.updated")
        self.assertEqual(event["data"], {"name": "links"})

    def test_own_event_and_drops(self) -> None:
        """A document with an event of its own has no other, and others go with it in the same commit."""
        now(self.server.database.commit("main", _put("marks", "k")))
        now(self.universe.settings.put("faults", [], Event("faults.updated", START, {"rules": 0}), (("marks", "k"),)))
        self.assertEqual([one["type"] for one in self.events()], ["faults.updated"])
        self.assertEqual(now(self.server.database.table("main", "marks")), {})

    def test_not_kept(self) -> None:
        """What could not be committed is not in force."""
        self.server.database.set_healthy(False)
        self.assertRaises(Unavailable, now, self.universe.settings.put("pace", Pace(9.0)))
        self.assertEqual(self.universe.settings.pace, Pace())

    def test_pace(self) -> None:
        """What is left out stays; 0 is as configured; nonsense is refused by name."""
        settings = self.universe.settings
        self.assertEqual(now(settings.set_pace(factor=0)).scale, 1.0)
        self.assertEqual(now(settings.set_pace(ignore_hours=True)), Pace(0.0, True))
        self.assertEqual(now(settings.set_pace(0.5)), Pace(0.5, True))
        for factor in (-0.1, 1_000_001, float("nan")):
            self.assertEqual(self.assertRaises(Invalid, now, settings.set_pace(factor)).field, "factor")
        self.assertEqual(self.again().pace, Pace(0.5, True))
