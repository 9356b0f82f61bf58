"""
The jobs that are to be done: in (due, id) order, by id, and the replies among them by thread.

Source: decisions, section 7 ("Clock and jobs").
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable
from datetime import datetime

from simmail.core.records.job import Job


class PendingJobs:
    """
    The pending jobs of one universe.

    @ivar by_id: to be read only.
    @ivar bound: how far the clock is being moved when it is known to go all the way, else None.
    @ivar changed: called after jobs came or went with L{add}.
    """

    def __init__(self) -> None:
        self.by_id: dict[str, Job] = {}
        self.bound: datetime | None = None
        self.changed: Callable[[], None] = lambda: None
        self._heap: list[tuple[datetime, str]] = []
        self._replies: dict[tuple[str | None, str, str], str] = {}

    def __len__(self) -> int:
        return len(self.by_id)

    def add(self, jobs: Iterable[Job]) -> None:
        """Take jobs as they were just committed: pending ones are due, others are not any more."""
        for job in jobs:
            if job.state in ("pending", "running"):
                self.by_id[job.id] = job
                heapq.heappush(self._heap, (job.due, job.id))
                if job.kind == "reply":
                    self._replies[job.persona_id, job.thread, job.data.get("to", "")] = job.id
            else:
                self._remove(job.id)
        self.changed()

    def drop(self, ids: Iterable[str]) -> None:
        """Forget jobs that are gone."""
        for one in ids:
            self._remove(one)

    def _remove(self, job_id: str) -> None:
        job = self.by_id.pop(job_id, None)
        if job is not None:
            key = job.persona_id, job.thread, job.data.get("to", "")
            if self._replies.get(key) == job_id:
                del self._replies[key]

    def reply_in(self, persona_id: str, thread: str, to: str) -> Job | None:
        """Return the reply of a persona to an address that is planned in a thread."""
        return self.by_id.get(self._replies.get((persona_id, thread, to), ""))

    def first(self) -> Job | None:
        """Return the job that is due first."""
        heap, by_id = self._heap, self.by_id
        while heap:
            due, one = heap[0]
            job = by_id.get(one)
            if job is not None and job.due == due:
                return job
            heapq.heappop(heap)
        return None

    def earliest_pending(self) -> datetime | None:
        """Return the instant the clock may not pass."""
        job = self.first()
        return None if job is None else job.due

    def following(self, most: int) -> list[Job]:
        """Return the jobs to be done after the first one, unless things change; none that it may not come to."""
        bound, jobs = self.bound, list[Job]()
        taken: list[tuple[datetime, str]] = []
        while bound is not None and len(jobs) <= most:
            job = self.first()
            if job is None or job.due > bound:
                break
            entry = heapq.heappop(self._heap)
            if not taken or entry != taken[-1]:
                jobs.append(job)
                taken.append(entry)
        for entry in taken:
            heapq.heappush(self._heap, entry)
        return jobs[1:]

    def alike(self, until: datetime, most: int) -> list[Job]:
        """Return the next jobs by C{until} that are of the kind of the first one, which is among them."""
        taken: list[tuple[datetime, str]] = []
        jobs: list[Job] = []
        while self._heap and len(jobs) < most:
            due, one = self._heap[0]
            job = self.by_id.get(one)
            if job is not None and job.due == due:
                if jobs and job.kind != jobs[0].kind or due > until:
                    break
                jobs.append(job)
                taken.append((due, one))
            heapq.heappop(self._heap)
        for entry in taken:
            heapq.heappush(self._heap, entry)
        return jobs
