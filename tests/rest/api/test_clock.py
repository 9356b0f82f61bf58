"""The clock over HTTP; pace."""

from __future__ import annotations

from tests.rest.served import ServedTestCase


class ClockTests(ServedTestCase):
    """The simulated clock."""

    def test_read(self) -> None:
        """What time it is, at which pace, and what comes next."""
        clock = self.good("GET", "/api/clock", role="viewer")
        self.assertEqual(clock, {"now": "2026-03-02T09:00:00Z", "real": "2026-03-02T09:00:00Z", "speed": 1.0,
                                 "frozen": True, "next_job": None, "pending": 0})
        self.persona()
        self.write()
        clock = self.good("GET", "/api/clock")
        self.assertGreaterEqual(clock["pending"], 1)
        self.assertEqual(set(clock["next_job"]), {"id", "kind", "due"})

    def test_change(self) -> None:
        """Pace and freezing keep what is left out; a move forward is an advance; one clock event each."""
        self.assertEqual(self.good("PUT", "/api/clock", {"speed": 60}, "member")["speed"], 60)
        clock = self.good("PUT", "/api/clock", {"frozen": False})
        self.assertEqual((clock["speed"], clock["frozen"]), (60, False))
        self.server.reactor.advance(1)
        self.assertEqual(self.good("GET", "/api/clock")["now"], "2026-03-02T09:01:00Z")
        clock = self.good("PUT", "/api/clock", {"now": "2026-03-03T10:00:00+01:00", "frozen": True, "speed": 1})
        self.assertEqual((clock["now"], clock["frozen"]), ("2026-03-03T09:00:00Z", True))
        self.assertEqual(len(self.good("GET", "/api/events?type=clock")), 3)
        self.good("PUT", "/api/clock", {"now": "2026-03-04T09:00:00Z"})
        self.assertEqual(len(self.good("GET", "/api/events?type=clock")), 4)
        self.good("PUT", "/api/clock", {})
        self.assertEqual(len(self.good("GET", "/api/events?type=clock")), 4)

    def test_refused(self) -> None:
        """Backwards, out of range, no time: 400 naming the field, and the clock stays."""
        before = self.good("GET", "/api/clock")
        for body, text in (
            ({"now": "2026-03-01T09:00:00Z"}, "now"), ({"now": "tomorrow"}, "now"), ({"now": 5}, "now"),
            ({"speed": 0}, "speed"), ({"speed": 100001}, "speed"), ({"speed": "fast"}, "speed"),
            ({"frozen": 1}, "frozen"), ({"now": "2030-01-01T00:00:00Z"}, ""), ({"pace": 1}, "pace: unknown field"),
            ({"now": "2026-03-05T09:00:00Z", "speed": -1}, "speed"),
        ):
            self.assertIn(text, self.bad(400, "PUT", "/api/clock", body))
        self.assertEqual(self.good("GET", "/api/clock"), before)

    def test_advance(self) -> None:
        """Each due job runs at its own time; the answer tells how far, how many, which events."""
        self.persona()
        self.write()
        answer = self.good("POST", "/api/clock/advance", {"by": "1d"}, "member")
        self.assertEqual((answer["from"], answer["to"], answer["stopped_by"]),
                         ("2026-03-02T09:00:00Z", "2026-03-03T09:00:00Z", "to"))
        self.assertGreaterEqual(answer["jobs_run"], 1)
        first, last = answer["events"]
        types = [one["type"] for one in self.good("GET", f"/api/events?after={first - 1}&before={last + 1}")]
        self.assertIn("persona.sent", types)
        self.assertEqual(types[-1], "clock")
        (sent,) = self.good("GET", "/api/events?type=persona.sent")
        self.assertLess(sent["at"], "2026-03-02T18:00:00Z")

    def test_advance_until(self) -> None:
        """Until the next job, until nothing is left, until an event."""
        self.persona()
        self.write()
        due = self.good("GET", "/api/clock")["next_job"]["due"]
        answer = self.good("POST", "/api/clock/advance", {"until": "next_job"})
        self.assertEqual(answer["to"], due)
        self.write(subject="Another")
        for until, stopped_by in (("event:persona.sent", "event"), ("idle", "idle")):
            self.assertEqual(self.good("POST", "/api/clock/advance", {"until": until})["stopped_by"], stopped_by)
        self.assertEqual(self.good("GET", "/api/clock")["pending"], 0)

    def test_advance_refused(self) -> None:
        """None or several of by, to, until; too far; backwards; bad durations."""
        for body, text in (
            ({}, "exactly one"), ({"by": "1d", "until": "idle"}, "exactly one"), ({"by": "401d"}, "by"),
            ({"by": "soon"}, "by"), ({"by": "-1d"}, "by"), ({"by": 5}, "by"), ({"to": "2026-03-01T09:00:00Z"}, "to"),
            ({"until": "noon"}, "until"),
            ({"until": "event:persona.replied"}, "no event type 'persona.replied'"),
            ({"by": "1d", "max_jobs": 0}, "max_jobs"),
            ({"by": "1d", "settle": "31s"}, "settle"), ({"by": "1d", "max_jobs": 100001}, "max_jobs"),
        ):
            self.assertIn(text, self.bad(400, "POST", "/api/clock/advance", body))
        self.assertEqual(self.good("GET", "/api/clock")["now"], "2026-03-02T09:00:00Z")


class PaceTests(ServedTestCase):
    """Pace."""

    def test_pace(self) -> None:
        """What is left out stays; told as a pace event."""
        self.assertEqual(self.good("GET", "/api/pace", role="viewer"), {"factor": 1.0, "ignore_hours": False})
        self.assertEqual(self.good("PUT", "/api/pace", {"factor": 0.1}, "member"),
                         {"factor": 0.1, "ignore_hours": False})
        self.assertEqual(self.good("PUT", "/api/pace", {"ignore_hours": True}), {"factor": 0.1, "ignore_hours": True})
        self.assertEqual(self.good("GET", "/api/events?type=pace")[0]["data"], {"factor": 0.1, "ignore_hours": True})
        for body, text in (({"factor": -1}, "factor"), ({"factor": "2"}, "factor"),
                           ({"ignore_hours": 1}, "ignore_hours"), ({"speed": 2}, "speed: unknown field")):
            self.assertIn(text, self.bad(400, "PUT", "/api/pace", body))
