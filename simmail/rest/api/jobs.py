"""
C{/api/jobs}: what is planned, and what became of it.

Source: decisions, section 7.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from msgspec import Meta, Struct

from simmail.core.records.commit import JobQuery
from simmail.core.records.job import Job, JobKind, JobState
from simmail.core.time.instant import parse_instant
from simmail.rest.answer import Paged
from simmail.rest.route import Body, Call, Deleted, Query, Route

HEADING = "Clock and jobs"


class JobItem(Struct, frozen=True):
    """
    One job.

    @ivar id: C{j_} and letters or digits; kind: what it does; state: whether it is to be done, or how it ended.
    @ivar persona_id: who does it, null for nobody; case_id: null outside any; message_id: the mail it is about, null
        for none.
    @ivar created: when it was planned, in simulated time; due: when it is done, in simulated time.
    @ivar plan: what will be done, a sentence; note: what went wrong last, or became of the due time asked for.
    @ivar attempts: how often it was tried.
    """

    id: str
    kind: JobKind
    state: JobState
    persona_id: str | None
    case_id: str | None
    message_id: str | None
    created: datetime
    due: datetime
    plan: str
    note: str
    attempts: int


class WhichJobs(Query, frozen=True):
    """
    Jobs in (due, id) order.

    @ivar state: in this state only; kind: of this kind only.
    @ivar persona_id: of this persona only; case_id: of this case only; after: id of a job: only those behind it.
    """

    state: JobState | None = None
    kind: JobKind | None = None
    persona_id: str | None = None
    case_id: str | None = None
    after: str | None = None
    limit: Annotated[int, Meta(ge=1, le=1000)] = 100


class Reschedule(Body, frozen=True):
    """
    Another due time.

    @ivar due: instant of simulated time; one in the past means now, and C{note} of the job then says so.
    """

    due: str


def item(job: Job) -> JobItem:
    """Return a job as the API shows it."""
    return JobItem(job.id, job.kind, job.state, job.persona_id, job.case_id, job.message_id, job.created, job.due,
                   job.plan, job.note, job.attempts)


async def job(call: Call) -> Job:
    """Return the job the path names.  @raise NotFound: there is none."""
    return await call.universe.scheduler.job(call.path["id"])


async def list_jobs(call: Call) -> Paged:
    asked: WhichJobs = call.query
    found = await call.universe.scheduler.jobs(JobQuery(
        asked.state, asked.kind, asked.persona_id, asked.case_id, asked.after, asked.limit + 1))
    page = found[:asked.limit]
    more: dict[str, str | int] | None = None
    if len(found) > asked.limit:
        more = {"after": page[-1].id, "limit": asked.limit}
    return Paged([item(one) for one in page], more)


async def get_job(call: Call) -> JobItem:
    return item(call.found)


async def reschedule_job(call: Call) -> JobItem:
    due = parse_instant(call.body.due, "due")
    return item(await call.universe.scheduler.reschedule(call.found.id, due))


async def skip_job(call: Call) -> Deleted:
    await call.universe.scheduler.skip(call.found.id)
    if call.found.kind == "world":
        # One mail does not come, but the stream goes on.
        await call.universe.streams.refill()
    return Deleted()


async def run_job(call: Call) -> JobItem:
    return item(await call.universe.scheduler.run(call.found.id))


_JOB: dict[str, Any] = {
    "id": "j_5t2k8w", "kind": "reply", "state": "pending", "persona_id": "p_7k2m9x4w1c8v", "case_id": None,
    "message_id": "<order-1@sim.test>", "created": "2026-03-01T09:00:00Z", "due": "2026-03-01T09:45:00Z",
    "plan": "Maria replies to 'Your order'.", "note": "", "attempts": 0,
}

ROUTES: tuple[Route, ...] = (
    Route("GET", "/api/jobs", list_jobs, "List jobs by due time", list[JobItem], query=WhichJobs, polled=True,
          query_example="state=pending", answer_example=[_JOB]),
    Route("GET", "/api/jobs/{id}", get_job, "Read a job", JobItem, locate=job, answer_example=_JOB),
    Route("PATCH", "/api/jobs/{id}", reschedule_job, "Give a pending job another due time", JobItem, role="member",
          body=Reschedule, locate=job, statuses=(409,), example={"due": "2026-03-01T12:00:00Z"},
          answer_example={**_JOB, "due": "2026-03-01T12:00:00Z"}),
    Route("DELETE", "/api/jobs/{id}", skip_job, "Skip a pending job", Deleted, role="member", locate=job,
          statuses=(409,), answer_example={"status": "deleted"}),
    Route("POST", "/api/jobs/{id}/run", run_job, "Make a pending job due now", JobItem, role="member", locate=job,
          statuses=(409,), answer_example={**_JOB, "due": "2026-03-01T09:00:00Z"}),
)
