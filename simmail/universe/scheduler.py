"""
Due work: jobs in (due, id) order, each done at its own simulated instant, also where the clock is moved on (advance).

The scheduler knows when the next of the L{pending} jobs is to be done; what a job does is a C{JobRunner}'s matter.
Source: decisions, section 7 ("Clock and jobs").
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Protocol

from msgspec.structs import replace
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger

from simmail.concurrency import Halt, Lock
from simmail.core.records.commit import Commit, JobQuery
from simmail.core.records.event import Event, PersonaTag, TYPES, matches
from simmail.core.records.job import Job
from simmail.core.time.instant import format_instant
from simmail.errors import Conflict, Invalid, NotFound, Refusal, Unavailable
from simmail.interfaces import IDatabase
from simmail.universe.clock import Advanced, FARTHEST, MOST_JOBS, UniverseClock
from simmail.universe.eventlog import EventLog
from simmail.universe.pending import PendingJobs

#: After a failure a job is tried again this much later (simulated), then it has failed.
RETRIES = (timedelta(minutes=1), timedelta(minutes=5), timedelta(minutes=25))

#: So many jobs that wait for the world outside, due one after another, do so together.
TOGETHER = 8

#: Real seconds between two looks at the clock at most.
LONGEST_SLEEP = 600.0


class JobRunner(Protocol):
    """What does jobs, and knows what has to come before one."""

    async def perform(self, job: Job) -> None:
        """Do a job and commit what came of it, C{job.done} included."""

    def outside(self, job: Job) -> bool:
        """Return whether a job waits for the world outside; jobs of its kind, due one after another, do together."""

    def prepare(self, jobs: Sequence[Job], pending: Mapping[str, Job]) -> Deferred[None]:
        """
        Begin what such jobs wait for, and forget what was begun for others than the pending.

        @return: fires when the first of them may run.
        """

    def when_idle(self) -> Deferred[None]:
        """Return a Deferred that fires when all mail accepted so far has been decided about."""

    def when_settled(self, seconds: float) -> Deferred[None]:
        """Return a Deferred that fires when nothing was accepted for so long after a job reached the application."""

    def when_committed(self) -> Deferred[None]:
        """Return a Deferred that fires when what jobs left to be committed is."""

    def move_ended(self) -> None:
        """Forget what was done ahead: the clock is not being moved any more."""

    async def housekeep(self) -> None:
        """Do what is done at the end of each move of the clock, such as retention."""

    def tag_of(self, persona_id: str | None) -> PersonaTag | None:
        """Return what events say of the persona with an id."""


class Scheduler:
    """When the pending jobs of one universe are done."""

    log = Logger()

    def __init__(
        self, universe: str, database: IDatabase, reactor: IReactorTime, log: EventLog, clock: UniverseClock,
        pending: PendingJobs, runner: JobRunner, turn: Lock, commit: Callable[[Commit], Awaitable[Any]],
    ) -> None:
        self._universe = universe
        self._database = database
        self._reactor = reactor
        self._events = log
        self._clock = clock
        self._pending = pending
        self._runner = runner
        self._turn = turn
        self._commit = commit
        self._timer: IDelayedCall | None = None
        self._ticking = False
        self._stopped = True
        self._halt = Halt(reactor)
        pending.changed = clock.changed = self._arm

    async def load(self) -> None:
        """Learn the pending jobs from the database."""
        self._pending.add(await self._database.pending(self._universe))

    # Running on the clock's own pace

    def start(self) -> None:
        """Begin to run jobs when they fall due."""
        self._stopped = False
        self._arm()

    async def halt(self) -> None:
        """Moves of the clock that are under way end with what was done so far, and none goes anywhere any more."""
        self._halt.ask()
        # Those that wait for their turn have it first.
        await self._clock.begin_steps()
        await self._clock.end_steps(announce=False)

    async def stop(self) -> None:
        """Run no further job; wait for the one that runs."""
        self._stopped = True
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        await self._turn.acquire()
        self._turn.release()

    def _arm(self) -> None:
        if self._stopped or self._halt.asked or self._ticking:
            return
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        self._timer = None
        job = self._pending.first()
        delay = None if job is None else self._clock.real_until(job.due)
        if delay is not None:
            self._timer = self._reactor.callLater(min(delay, LONGEST_SLEEP), self._tick)

    def _tick(self) -> None:
        self._timer = None
        if not self._ticking:
            self._ticking = True
            Deferred.fromCoroutine(self._run_due()).addErrback(
                lambda failure: self.log.failure("running due jobs failed", failure)
            )

    async def _run_due(self) -> None:
        try:
            while not self._stopped and not self._halt.asked and not self._clock.stepping:
                await self._runner.when_idle()
                job = self._pending.first()
                if job is None or self._clock.stepping or job.due > self._clock.line():
                    break
                if await self._prepared(job, self._clock.line()):
                    await self._run(job)
        except Unavailable as error:
            # The job stays due; the clock waits for it.
            self.log.warn("due jobs wait: {error}", error=error)
            if not self._stopped:
                self._timer = self._reactor.callLater(1.0, self._tick)
            self._ticking = False
        else:
            self._ticking = False
            self._arm()

    async def _prepared(self, job: Job, until: datetime) -> bool:
        """
        Wait, without holding anything up, for what a job needs from outside; whether its turn is still now.

        Jobs of the same kind that follow it by C{until} with no other between them wait at the same time.
        """
        if not self._runner.outside(job):
            return True
        await self._halt.unless(self._runner.prepare(self._pending.alike(until, TOGETHER), self._pending.by_id))
        return not self._stopped and not self._halt.asked and self._pending.first() is job

    async def _run(self, job: Job) -> bool:
        """Do one job unless it was done, moved or skipped meanwhile."""
        async with self._turn:
            if self._pending.by_id.get(job.id) is not job:
                return False
            try:
                await self._runner.perform(job)
            except Unavailable:
                raise
            except Exception as error:
                await self._failed(job, error)
            return True

    async def _failed(self, job: Job, error: Exception) -> None:
        if not isinstance(error, Refusal):
            self.log.failure("job {id} ({kind}) failed", id=job.id, kind=job.kind)
        note = str(error) or type(error).__name__
        if job.attempts < len(RETRIES):
            later = replace(job, attempts=job.attempts + 1, due=job.due + RETRIES[job.attempts], note=note)
            events: tuple[Event, ...] = ()
        else:
            later = replace(job, attempts=job.attempts + 1, state="failed", note=note)
            events = (Event("job.failed", self._clock.now(), {
                "id": job.id, "kind": job.kind, "persona_id": job.persona_id, "note": note},
                self._runner.tag_of(job.persona_id)),)
        # What jobs before it did is recorded before.
        await self._runner.when_committed()
        await self._commit(Commit(jobs=(later,), events=events))
        self._pending.add((later,))

    # Moving the clock

    async def advance(
        self, by: timedelta | None = None, to: datetime | None = None, until: str | None = None,
        max_jobs: int | None = None, settle: float = 0.0, announce: bool = True,
    ) -> Advanced:
        """
        Step the clock from due to due.

        @param until: C{next_job}, C{idle} or C{event:<type>}.
        @raise Invalid: none or several of C{by}, C{to}, C{until}; too far; backwards.
        """
        if [by, to, until].count(None) != 2:
            raise Invalid("", "give exactly one of by, to and until")
        wanted = ""
        if until is not None:
            wanted = until.removeprefix("event:") if until.startswith("event:") else ""
            if not wanted and until not in ("next_job", "idle"):
                raise Invalid("until", "must be next_job, idle or event:<type>")
            if wanted and not any(matches((wanted,), one) for one in TYPES):
                raise Invalid("until", f"there is no event type {wanted[:60]!r}")
        limit = MOST_JOBS if max_jobs is None else max_jobs
        if not 1 <= limit <= MOST_JOBS:
            raise Invalid("max_jobs", f"must be from 1 to {MOST_JOBS}")
        if by is not None and by < timedelta(0):
            raise Invalid("by", "the clock only moves forward")
        if by is not None and by > FARTHEST:
            raise Invalid("by", "at most 400d at once")

        seen: set[str] = set()
        # What was accepted may be about to plan a job.
        await self._events.when_recorded()
        nothing = until == "next_job" and self._pending.first() is None

        def stop(job: Job | None) -> str | None:
            if wanted and any(matches((wanted,), type) for type in seen):
                return "event"
            if nothing or until == "idle" and not any(one.kind != "world" for one in self._pending.by_id.values()):
                return "idle"
            return None

        unwatch = self._events.watch(lambda first, events: seen.update(event.type for event in events))
        try:
            return await self.move(
                lambda start: self._target(start, by, to, until), stop, limit, settle,
                arrive=until is None or until == "next_job", announce=announce)
        finally:
            unwatch()

    async def move(
        self, target_of: Callable[[datetime], datetime], stop: Callable[[Job | None], str | None],
        limit: int = MOST_JOBS, settle: float = 0.0, arrive: bool = False, announce: bool = True,
    ) -> Advanced:
        """
        Step from due to due until C{stop(next job)} names a reason, nothing is due up to the target, or
        C{limit} jobs have run; with C{arrive} the clock then goes on to the target itself.  L{halt} ends it early.
        """
        # Only a move that is known to go all the way may begin what comes later in it.
        together = arrive and limit == MOST_JOBS and not settle
        await self._clock.begin_steps()
        start, first_event, ran, moved = self._clock.now(), self._events.last + 1, 0, False
        try:
            self._clock.step(start)
            await self._runner.when_idle()
            start = self._clock.now()
            target = target_of(start)
            self._pending.bound = target if together else None
            while True:
                job = self._pending.first()
                reason = "stop" if self._halt.asked else stop(job)
                if reason is not None:
                    break
                if job is None or job.due > target:
                    reason = "idle" if job is None and not arrive else "to"
                    break
                if ran >= limit:
                    reason = "limit"
                    break
                self._clock.step(job.due)
                if not await self._prepared(job, target if together else job.due):
                    if self._stopped and not self._halt.asked:
                        raise Unavailable("the service is stopping")
                    await self._runner.when_idle()
                    continue
                ran += await self._run(job)
                await self._runner.when_idle()
                if settle:
                    await self._halt.unless(self._runner.when_settled(settle))
            await self._runner.when_committed()
            if arrive and reason == "to":
                self._clock.step(target)
            if reason != "stop":
                await self._runner.housekeep()
            moved = True
            end = self._clock.now()
        finally:
            self._pending.bound = None
            self._runner.move_ended()
            await self._clock.end_steps(announce and moved)
        last_event = self._events.last
        return Advanced(
            start, end, ran, (first_event, last_event) if last_event >= first_event else (), reason)

    def _target(
        self, start: datetime, by: timedelta | None, to: datetime | None, until: str | None
    ) -> datetime:
        if by is not None:
            return start + by
        if to is not None:
            if to < start:
                raise Invalid("to", "the clock only moves forward")
            if to > start + FARTHEST:
                raise Invalid("to", "at most 400d at once")
            return to
        if until == "next_job":
            job = self._pending.first()
            return start if job is None else job.due
        return start + FARTHEST

    # What the API asks for

    async def jobs(self, query: JobQuery) -> list[Job]:
        """Jobs, pending and past, with those of all mail that was accepted."""
        await self._events.when_recorded()
        found: list[Job] = await self._database.jobs(self._universe, query)
        return found

    async def job(self, job_id: str) -> Job:
        """
        One job.

        @raise NotFound: no such job.
        """
        job = self._pending.by_id.get(job_id) or await self._database.job(self._universe, job_id)
        if job is None:
            raise NotFound(f"no job {job_id}")
        return job

    async def reschedule(self, job_id: str, due: datetime) -> Job:
        """
        Another due time; one in the past means now, and the job's note says so.

        @raise Conflict: it has run.
        """
        def changed(job: Job) -> Job:
            now = self._clock.now()
            if due >= now:
                return replace(job, due=due)
            return replace(job, due=now, note=f"{format_instant(due)} had passed already: due now")

        return await self._update(job_id, changed)

    async def skip(self, job_id: str) -> Job:
        """
        The job will not run.

        @raise Conflict: it has run.
        """
        return await self._update(job_id, lambda job: replace(job, state="skipped"))

    async def run(self, job_id: str) -> Job:
        """
        The job is due now.

        @raise Conflict: it has run.
        """
        return await self._update(job_id, lambda job: replace(job, due=self._clock.now()))

    async def _update(self, job_id: str, change: Callable[[Job], Job]) -> Job:
        async with self._turn:
            job = self._pending.by_id.get(job_id)
            if job is None:
                gone = await self.job(job_id)
                raise Conflict(f"job {job_id} is {gone.state} already")
            job = change(job)
            await self._commit(Commit(jobs=(job,), events=(Event("job.updated", self._clock.now(), {
                "id": job.id, "state": job.state, "due": job.due, "kind": job.kind}),)))
            self._pending.add((job,))
            return job
