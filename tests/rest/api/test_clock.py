"""The clock and its jobs over HTTP; pace."""

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


class JobTests(ServedTestCase):
    """What is planned."""

    def setUp(self) -> None:
        """One reply is planned."""
        super().setUp()
        self.maria = self.persona()
        self.message_id = self.write()
        (self.job,) = self.good("GET", "/api/jobs?kind=reply", role="viewer")
        self.path = f"/api/jobs/{self.job['id']}"

    def test_fields(self) -> None:
        """A job has the fields of the contract, and no others."""
        self.assertEqual(set(self.job), {"id", "kind", "state", "persona_id", "case_id", "message_id", "created", "due",
                                         "plan", "note", "attempts"})
        self.assertEqual((self.job["state"], self.job["persona_id"], self.job["message_id"]),
                         ("pending", self.maria["id"], self.message_id))
        self.assertTrue(self.job["plan"])
        self.assertEqual(self.good("GET", self.path), self.job)
        self.bad(404, "GET", "/api/jobs/nope")

    def test_filters(self) -> None:
        """By state, kind, persona and case; unknown values are refused."""
        self.assertEqual(self.good("GET", "/api/jobs?state=done"), [])
        self.assertEqual(self.good("GET", "/api/jobs?persona_id=p_nobody"), [])
        self.assertEqual(self.good("GET", f"/api/jobs?state=pending&kind=reply&persona_id={self.maria['id']}"),
                         [self.job])
        self.assertIn("state: must be one of done", self.bad(400, "GET", "/api/jobs?state=late"))
        self.assertIn("kind: must be one of bounce", self.bad(400, "GET", "/api/jobs?kind=odd"))

    def test_pages(self) -> None:
        """Pages in order of due time, linked."""
        for n in range(4):
            self.persona(f"p{n}@acme.test")
            self.write(f"p{n}@acme.test")
        whole = self.good("GET", "/api/jobs")
        self.assertEqual(whole, sorted(whole, key=lambda job: (job["due"], job["id"])))
        seen, path = [], "/api/jobs?limit=2"
        while path:
            answer = self.ask("GET", path)
            seen += answer.json()
            link = answer.headers.get("link", "")
            path = link[1:link.index(">")] if link else ""
        self.assertEqual(seen, whole)

    def test_reschedule(self) -> None:
        """Another due time; told as job.updated."""
        changed = self.good("PATCH", self.path, {"due": "2026-03-09T12:00:00+01:00"}, "member")
        self.assertEqual(changed["due"], "2026-03-09T11:00:00Z")
        (event,) = self.good("GET", "/api/events?type=job.updated")
        self.assertEqual(event["data"], {"id": self.job["id"], "state": "pending", "due": "2026-03-09T11:00:00Z",
                                         "kind": "reply"})
        for body, text in (({}, "due: is required"), ({"due": "later"}, "due"), ({"state": "done"}, "")):
            self.assertIn(text, self.bad(400, "PATCH", self.path, body))
        self.bad(404, "PATCH", "/api/jobs/nope", {})

    def test_skip(self) -> None:
        """A skipped job does not run, and cannot be changed any more."""
        self.assertEqual(self.good("DELETE", self.path, role="member"), {"status": "deleted"})
        self.assertEqual(self.good("GET", self.path)["state"], "skipped")
        self.good("POST", "/api/clock/advance", {"by": "30d"})
        self.assertEqual(self.good("GET", "/api/events?type=persona.sent"), [])
        for method, path, body in (("DELETE", "", None), ("PATCH", "", {"due": "2026-06-01T00:00:00Z"}),
                                   ("POST", "/run", None)):
            self.assertIn("skipped", self.bad(409, method, self.path + path, body))

    def test_run(self) -> None:
        """A job is made due now, on a frozen clock too."""
        self.good("POST", self.path + "/run", role="member")
        self.server.reactor.advance(0)
        self.server.reactor.advance(0)
        self.assertEqual(self.good("GET", self.path)["state"], "done")
        (sent,) = self.good("GET", "/api/events?type=persona.sent")
        self.assertEqual(sent["at"], "2026-03-02T09:00:00Z")


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
