"""Tests for C{simmail.universe.insights.insights}: what is kept is what the log says."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import msgspec

from simmail.core.insights.events import recorded_row
from simmail.core.insights.fold import Fold
from simmail.core.insights.report import cut
from simmail.core.insights.state import State
from simmail.core.records.commit import Commit, EventQuery
from simmail.core.records.event import Event
from simmail.errors import Unavailable
from simmail.testing.season import Season
from simmail.testing.universe import START, now, turned
from simmail.universe.insights import insights as module
from simmail.universe.universe import Universe
from tests.universe.test_road import MAIL, RoadTestCase, persona


class InsightsTestCase(RoadTestCase):
    """A universe with Maria, who answers."""

    def setUp(self) -> None:
        """Maria."""
        super().setUp()
        now(self.universe.people.create(persona()))

    def send(self, n: int = 1) -> None:
        """So many mails to Maria."""
        for _ in range(n):
            number = str(self.universe.log.last).encode()
            self.server.send(self.universe, "app@sim.test", "maria@acme.test", MAIL.replace(b"one@", number + b"@"))

    def report(self, universe: Universe | None = None, days: int = 30) -> dict[str, Any]:
        """The report as the API shows it."""
        found: dict[str, Any] = msgspec.to_builtins(now((universe or self.universe).insights.report(days)))
        return found

    def started_again(self) -> Universe:
        """The universe after a crash."""
        server = self.server
        again = Universe(self.universe.record, server.config, self.universe.store, server.database, server.reactor,
                         server.unique, server.web, server.endpoints, server.model)
        now(again.start())
        again.begin()
        server.reactor.advance(0)
        return again


class ReportTests(InsightsTestCase):
    """What became of mail."""

    def test_answered(self) -> None:
        """A mail is sent and answered, on the day it was sent; its subject is a campaign."""
        self.send()
        total = self.report()["total"]
        self.assertEqual((total["sent"], total["replied"], total["median_reply"]), (1, 0, None))
        turned(self.universe, self.universe.scheduler.advance(by=timedelta(days=2)))
        found = self.report()
        self.assertEqual(found["total"]["reply_rate"], {"rate": 1.0, "n": 1})
        self.assertEqual([(one["sender"], one["subject"], one["replied"]) for one in found["campaigns"]],
                         [("app@sim.test", "Lunch on Friday?", 1)])
        (day,) = (one for one in found["by_day"] if one["sent"])
        self.assertEqual((day["day"], day["replied"], day["received"]), ("2026-03-02", 1, 1))
        self.assertEqual(found["by_temperament"][0]["median_reply"], found["total"]["median_reply"])

    def test_days(self) -> None:
        """Days are those of the simulated clock, today among them."""
        self.send()
        turned(self.universe, self.universe.scheduler.advance(by=timedelta(days=3)))
        self.assertEqual([self.report(days=days)["total"]["sent"] for days in (1, 3, 4, 366)], [0, 0, 1, 1])
        found = self.report(days=4)
        self.assertEqual((found["from"], found["to"]), ("2026-03-02T00:00:00Z", "2026-03-05T09:00:00Z"))

    def test_season(self) -> None:
        """A week of many people: what was folded as it came is what the whole log says, also after a crash."""
        self.patch(module, "MOST_WAITING", 20)
        self.patch(module, "KEPT_EVERY", 100)
        season = Season(self.universe, 12, 3)
        turned(self.universe, season.populate())
        for step in range(4):
            turned(self.universe, season.run(START + timedelta(days=2 * step + 2), 10))
        rows = map(recorded_row, now(self.universe.log.query(EventQuery(after=0, limit=100_000))))
        fold = Fold(State(), self.universe.people)
        for row in rows:
            fold.take(row)
        expected = msgspec.to_builtins(cut(fold.state, self.universe.clock.now(), 30))
        self.assertGreater(expected["total"]["replied"], 5)
        self.assertGreater(expected["application"]["answered"], 1)
        self.assertEqual(self.report(), expected)
        self.assertEqual(self.report(self.started_again()), expected)


class KeptTests(InsightsTestCase):
    """What is written down, and read again."""

    def head(self) -> Any:
        """Up to which event is written down."""
        (octets,) = now(self.server.database.get("main", "insights", ["state"]))
        return None if octets is None else msgspec.msgpack.decode(octets)[0]

    def test_every_so_often(self) -> None:
        """It is written down after so many events, and what came since is read after a crash."""
        self.patch(module, "MOST_WAITING", 5)
        self.patch(module, "KEPT_EVERY", 10)
        self.assertIsNone(self.head())
        self.send(6)
        self.server.reactor.advance(0)
        kept = self.head()
        self.assertGreaterEqual(kept, 10)
        self.send(2)
        again = self.started_again()
        self.assertEqual(self.report(again)["total"]["sent"], 8)
        self.assertGreater(now(self.server.database.last_event("main")), kept)

    def test_stopped(self) -> None:
        """When the service stops all of it is written down."""
        self.send(3)
        self.server.reactor.advance(0)
        turned(self.universe, self.universe.stop())
        self.assertEqual(self.head(), now(self.server.database.last_event("main")))

    def test_pruned(self) -> None:
        """What retention removes stays counted, also after a crash."""
        self.send(2)
        now(self.universe.pruning.set(event_days=5))
        turned(self.universe, self.universe.scheduler.advance(by=timedelta(days=10)))
        turned(self.universe, self.universe.pruning.prune())
        self.assertEqual(self.events("mail.delivered"), [])
        for universe in (self.universe, self.started_again()):
            total = self.report(universe)["total"]
            self.assertEqual((total["sent"], total["replied"]), (2, 2))

    def test_not_heard_of(self) -> None:
        """An event whose commit was answered to nobody is in the log, and is counted in its turn."""
        self.send()
        data = {"from": "other@sim.test", "to": ["maria@acme.test"], "subject": "x", "message_id": "<x@sim.test>"}
        now(self.server.database.commit("main", Commit(events=(Event("mail.delivered", START, data),))))
        self.assertEqual(self.report()["total"]["sent"], 2)
        now(self.server.database.commit("main", Commit(events=(
            Event("mail.delivered", START, {**data, "message_id": "<y@sim.test>"}),))))
        self.send()
        self.assertEqual(self.report()["total"]["sent"], 4)
        self.assertEqual(self.report(self.started_again())["total"]["sent"], 4)

    def test_away(self) -> None:
        """While Redis is away there is no report; what could not be written down is, later."""
        self.send()
        self.assertEqual(self.report()["total"]["sent"], 1)
        self.server.database.set_healthy(False)
        self.assertRaises(Unavailable, now, self.universe.insights.report(30))
        self.assertRaises(Unavailable, now, self.universe.insights.keep())
        self.server.database.set_healthy(True)
        now(self.universe.insights.keep())
        self.assertEqual(self.report(self.started_again())["total"]["sent"], 1)
        self.assertEqual(self.head(), now(self.server.database.last_event("main")))

    def test_refused(self) -> None:
        """A commit that fails half way leaves what changed to be written the next time."""
        self.send()
        self.report()
        commit = self.server.database.commit

        def refusing(universe: str, one: Commit, may_batch: bool = False) -> Any:
            if one.puts and one.puts[0][0] == "insights":
                raise Unavailable("not now")
            return commit(universe, one, may_batch)

        self.server.database.commit = refusing  # type: ignore[method-assign]
        self.assertRaises(Unavailable, now, self.universe.insights.keep())
        self.assertIsNone(self.head())
        self.server.database.commit = commit  # type: ignore[method-assign]
        now(self.universe.insights.keep())
        self.assertEqual(self.report(self.started_again())["total"]["sent"], 1)
