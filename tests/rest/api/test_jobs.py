"""What is going to happen: jobs."""

from __future__ import annotations

from tests.rest.served import ServedTestCase


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
