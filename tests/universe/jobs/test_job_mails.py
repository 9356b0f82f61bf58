"""Tests for C{simmail.universe.jobs.job_mails}: the mails of a job, and when they came."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from msgspec.structs import replace

from simmail.testing.universe import START, now, turned
from tests.universe.jobs.test_runner import MARIA, RunnerTestCase
from tests.universe.people.test_inbox_worker import said


class ArrivalTests(RunnerTestCase):
    """The instant a mail came is kept with the job, or with the copy."""

    def planned(self, **data: Any) -> Any:
        """A planned reply to a mail that came at START and says it is of 2031; C{data} changes what it knows of it."""
        self.create(timing={"reply_rate": 1, "delay": {"median": "3d", "spread": 1}})
        self.send(said(b"Could we talk tomorrow at 14:00?").replace(
            b"Subject:", b"Date: Fri, 21 Nov 2031 23:41:00 +0100\nSubject:"))
        job = self.pending("reply")
        (item,) = job.data["mails"]
        self.assertEqual(item["arrived"], "2026-03-02T09:00:00Z")
        known = {**item, **data}
        job = replace(job, created=START + timedelta(days=1), data={**job.data, "mails": [
            {name: value for name, value in known.items() if value is not None}]})
        self.universe.pending.add((job,))
        return job

    def arrived(self) -> Any:
        """When the words were told that it came, and what the answer's quoting line says."""
        self.idle()
        request, *_ = self.requests
        return request.arrived, self.inbox()[0].text

    def test_kept(self) -> None:
        """The job says when; neither the Date field nor the wait changes it."""
        self.planned()
        arrived, text = self.arrived()
        self.assertEqual(arrived, (START,))
        self.assertIn("On Mon, Mar 2, 2026 at 9:00 AM App", text)
        self.assertNotIn("2031", text)

    def test_of_the_copy(self) -> None:
        """A job that does not say goes by its copy's internal date."""
        self.planned(arrived=None)
        arrived, text = self.arrived()
        self.assertEqual(arrived, (START,))
        self.assertIn("On Mon, Mar 2, 2026 at 9:00 AM App", text)

    def test_gone(self) -> None:
        """Without a copy the job's own word counts, else when it was planned."""
        for known, expected in (("2026-03-01T08:00:00Z", START - timedelta(days=1, hours=1)),
                                (None, START + timedelta(days=1))):
            self.setUp()
            self.planned(arrived=known)
            folder = now(self.universe.store.folder(MARIA, "INBOX"))
            now(folder.expunge(list(folder.uids)))
            turned(self.universe, self.universe.scheduler.advance(until="idle"))
            self.assertEqual(self.requests[0].arrived, (expected,))
