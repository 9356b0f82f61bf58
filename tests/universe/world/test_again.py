"""The world after a reset, and in a fork: it goes on as it would have."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from simmail.server.remainder import DEFAULT
from simmail.universe.universe import Universe
from tests.server.copies import CopiesTestCase, LOGIN

SETTINGS: dict[str, Any] = {"enabled": True, "company": {"inboxes": [LOGIN]}, "streams": [
    {"id": kind, "kind": kind, "per_day": 8} for kind in ("order", "complaint", "newsletter", "spam")]}


class AgainTests(CopiesTestCase):
    """The same world again."""

    def days(self, universe: Universe, days: float = 3) -> str:
        """Some days of the world; the fingerprint."""
        self.done(universe.scheduler.advance(by=timedelta(days=days)))
        return self.taken(universe)

    def test_reset(self) -> None:
        """Settings stay, streams begin anew, and the same mail comes."""
        self.done(self.universe.streams.put(SETTINGS))
        self.days(self.universe)
        runs = []
        for _ in range(2):
            answer = self.done(self.roster.reset_universe("main", DEFAULT))
            self.universe = self.roster.universe("main")
            self.assertEqual(self.taken(self.universe), answer.fingerprint)
            self.assertEqual({job.data["stream"] for job in self.universe.pending.by_id.values()},
                             {one["id"] for one in SETTINGS["streams"]})
            runs.append(self.days(self.universe))
            self.assertGreater(len(self.events("world.mail")), 50)
        self.assertEqual(runs[0], runs[1])

    def test_fork(self) -> None:
        """A fork has the future of its original, until something differs."""
        self.done(self.universe.streams.put(SETTINGS))
        self.days(self.universe)
        fork = self.fork(self.snapshot())
        self.assertEqual(self.days(fork), self.days(self.universe))
        self.done(fork.streams.fire("spam", 1))
        self.assertNotEqual(self.days(fork), self.days(self.universe))
