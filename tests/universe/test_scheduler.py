"""Tests for C{simmail.universe.scheduler}: jobs at their times, and moves of the clock."""

from __future__ import annotations

from datetime import timedelta

from simmail.errors import Conflict, Invalid, NotFound
from simmail.testing.universe import START, now, turned
from tests.universe.test_road import MAIL, RoadTestCase, persona


class SchedulerTests(RoadTestCase):
    """Moving a universe's time."""

    def test_due_order(self) -> None:
        """Replies come in due order, each at its own due time."""
        for n in range(5):
            now(self.universe.people.create(persona(addresses=[f"p{n}@acme.test"], name=f"P {n}")))
        for n in range(5):
            self.server.send(self.universe, "app@sim.test", f"p{n}@acme.test",
                             MAIL.replace(b"one@app", b"m%d@app" % n))
        dues = sorted(job.due for job in self.universe.pending.by_id.values())
        turned(self.universe, self.universe.scheduler.advance(by=timedelta(days=30)))
        self.assertEqual([mail.date for mail in self.inbox()], dues)

    def test_runs_by_itself(self) -> None:
        """On a running clock a reply leaves when real time reaches its due time."""
        universe = self.server.universe("running", clock=START, frozen=False)
        now(universe.people.create(persona()))
        self.server.send(universe, "app@sim.test", "maria@acme.test", MAIL)
        (job,) = universe.pending.by_id.values()
        self.server.reactor.advance((job.due - START).total_seconds() - 1)
        self.assertEqual(len(universe.pending.by_id), 1)
        self.server.reactor.advance(2)
        self.assertEqual(universe.pending.by_id, {})

    def test_refused_moves_change_nothing(self) -> None:
        """Bad moves are refused by field, and the clock stays."""
        for arguments, field in (
            ({}, ""), ({"by": timedelta(days=-1)}, "by"), ({"by": timedelta(days=401)}, "by"),
            ({"to": START - timedelta(days=1)}, "to"), ({"until": "sunday"}, "until"),
            ({"by": timedelta(1), "max_jobs": 0}, "max_jobs"),
        ):
            error = self.assertRaises(Invalid, now, self.universe.scheduler.advance(**arguments))
            self.assertEqual(error.field, field)
        self.assertEqual(self.universe.clock.now(), START)
        self.assertFalse(self.universe.clock.timeline.speed != 1.0)

    def test_stops(self) -> None:
        """An advance stops at an event, at idle, after the next job, at a limit."""
        for n in range(3):
            now(self.universe.people.create(persona(addresses=[f"p{n}@acme.test"], name=f"P {n}")))
            self.server.send(self.universe, "app@sim.test", f"p{n}@acme.test", MAIL.replace(b"one@", b"%d@" % n))
        moved = turned(self.universe, self.universe.scheduler.advance(until="event:persona.sent"))
        self.assertEqual((moved.stopped_by, moved.jobs_run), ("event", 1))
        moved = turned(self.universe, self.universe.scheduler.advance(by=timedelta(days=9), max_jobs=1))
        self.assertEqual((moved.stopped_by, moved.jobs_run), ("limit", 1))
        moved = turned(self.universe, self.universe.scheduler.advance(until="next_job"))
        self.assertEqual((moved.stopped_by, moved.jobs_run), ("to", 1))
        moved = turned(self.universe, self.universe.scheduler.advance(until="idle"))
        self.assertEqual((moved.stopped_by, moved.jobs_run), ("idle", 0))

    def test_jobs_by_hand(self) -> None:
        """A job can be moved, run at once and skipped; afterwards that is a conflict."""
        now(self.universe.people.create(persona()))
        self.server.send(self.universe, "app@sim.test", "maria@acme.test", MAIL)
        (job,) = self.universe.pending.by_id.values()
        later = now(self.universe.scheduler.reschedule(job.id, START + timedelta(days=2)))
        self.assertEqual(later.due, START + timedelta(days=2))
        turned(self.universe, self.universe.scheduler.advance(by=timedelta(days=1)))
        self.assertEqual(self.inbox(), [])
        now(self.universe.scheduler.skip(job.id))
        self.assertRaises(Conflict, now, self.universe.scheduler.run(job.id))
        self.assertRaises(NotFound, now, self.universe.scheduler.run("j_none"))
        self.assertEqual([event["data"]["state"] for event in self.events("job.updated")], ["pending", "skipped"])
