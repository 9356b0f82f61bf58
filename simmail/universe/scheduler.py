"""
Due work: jobs in (due, id) order, each done at its own simulated instant.

The scheduler knows which job is next and when; what a job does it asks of
C{perform}.  Source: decisions, section 7 ("Clock and jobs").
"""

from __future__ import annotations

import heapq
from collections.abc import Awaitable, Callable, Iterable
from datetime import datetime, timedelta
from typing import Any

from msgspec.structs import replace
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger

from simmail.concurrency import Lock
from simmail.core.records.commit import Commit, JobQuery
from simmail.core.records.event import Event, PersonaTag, TYPES, matches
from simmail.core.records.job import Job
from simmail.core.time.instant import format_instant
from simmail.errors import Conflict, Invalid, NotFound, Refusal, Unavailable
from simmail.interfaces import IDatabase
from simmail.universe.clock import Advanced, Clock, FARTHEST, MOST_JOBS
from simmail.universe.eventlog import EventLog
from simmail.universe.halting import Halt

#: After a failure a job is tried again this much later (simulated), then it has failed.
RETRIES = (timedelta(minutes=1), timedelta(minutes=5), timedelta(minutes=25))

#: Kinds of jobs that wait for the world outside; so many of them, due one after another, do so together.
OUTSIDE = frozenset(("link",))
TOGETHER = 8

#: Real seconds between two looks at the clock at most.
LONGEST_SLEEP = 600.0


def _at_once(_universe: Any = None) -> Deferred[None]:
    done: Deferred[None] = Deferred()
    done.callback(None)
    return done


class Scheduler:
    """
    The pending jobs of one universe.

    @ivar perform: does a job and commits what came of it, C{job.done} included.
    @ivar quiet: Deferred that fires when all mail accepted so far has been decided about.
    @ivar tag_of: what events say of the persona with an id.
    @ivar settled: C{settled(seconds)}: Deferred that fires when nothing was accepted for so long.
    @ivar housekeep: what is done at the end of each move of the clock, such as retention.
    @ivar begin: begins what a job of a kind in L{OUTSIDE} waits for; Deferred that fires when it may run.
    @ivar keep: given the pending jobs, forgets what was begun for others.
    @ivar moved: called at the end of each move of the clock.
    @ivar committed: Deferred that fires when what jobs left to be committed is.
    """

    log = Logger()

    def __init__(
        self, universe: str, database: IDatabase, reactor: IReactorTime, log: EventLog, turn: Lock,
        commit: Callable[[Commit], Awaitable[Any]],
    ) -> None:
        self._universe = universe
        self._database = database
        self._reactor = reactor
        self._events = log
        self._turn = turn
        self._commit = commit
        self._pending: dict[str, Job] = {}
        self._heap: list[tuple[datetime, str]] = []
        self._replies: dict[tuple[str | None, str, str], str] = {}
        self._timer: IDelayedCall | None = None
        self._ticking = False
        self._stopped = True
        self._halt = Halt(reactor)
        #: How far the clock is being moved when it is known to go all the way, else None.
        self.bound: datetime | None = None
        self.clock: Clock
        self.perform: Callable[[Job], Awaitable[None]]
        self.quiet: Callable[[], Deferred[None]] = _at_once
        self.tag_of: Callable[[str | None], PersonaTag | None] = lambda persona_id: None
        self.settled: Callable[[float], Deferred[None]] = _at_once
        self.housekeep: Callable[[], Awaitable[None]] = _at_once
        self.begin: Callable[[Job], Deferred[None]] = _at_once
        self.keep: Callable[[dict[str, Job]], None] = lambda pending: None
        self.moved: Callable[[], None] = lambda: None
        self.committed: Callable[[], Deferred[None]] = _at_once

    # What is pending

    async def load(self) -> None:
        """Learn the pending jobs from the database."""
        self.add(await self._database.pending(self._universe))

    def add(self, jobs: Iterable[Job]) -> None:
        """Jobs as they were just committed: pending ones are due, others are not any more."""
        for job in jobs:
            if job.state in ("pending", "running"):
                self._pending[job.id] = job
                heapq.heappush(self._heap, (job.due, job.id))
                if job.kind == "reply":
                    self._replies[job.persona_id, job.thread, job.data.get("to", "")] = job.id
            else:
                self._gone(job.id)
        self._arm()

    def _gone(self, job_id: str) -> None:
        job = self._pending.pop(job_id, None)
        if job is not None:
            key = job.persona_id, job.thread, job.data.get("to", "")
            if self._replies.get(key) == job_id:
                del self._replies[key]

    def reply_in(self, persona_id: str, thread: str, to: str) -> Job | None:
        """The reply of a persona to an address that is planned in a thread."""
        return self._pending.get(self._replies.get((persona_id, thread, to), ""))

    def drop(self, ids: Iterable[str]) -> None:
        """These jobs are gone."""
        for one in ids:
            self._gone(one)

    @property
    def pending(self) -> dict[str, Job]:
        """Pending jobs by id (to be read only)."""
        return self._pending

    def first(self) -> Job | None:
        """The job that is due first."""
        heap, pending = self._heap, self._pending
        while heap:
            due, one = heap[0]
            job = pending.get(one)
            if job is not None and job.due == due:
                return job
            heapq.heappop(heap)
        return None

    def following(self, most: int) -> list[Job]:
        """The jobs to be done after the first one, unless things change; none that it may not come to."""
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

    def floor(self) -> datetime | None:
        """The instant the clock may not pass."""
        job = self.first()
        return None if job is None else job.due

    # Running on the clock's own pace

    def start(self) -> None:
        """Begin to run jobs when they fall due."""
        self._stopped = False
        self._arm()

    async def halt(self) -> None:
        """Moves of the clock that are under way end with what was done so far, and none goes anywhere any more."""
        self._halt.ask()
        # Those that wait for their turn have it first.
        await self.clock.begin_steps()
        await self.clock.end_steps(announce=False)

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
        job = self.first()
        delay = None if job is None else self.clock.real_until(job.due)
        if delay is not None:
            self._timer = self._reactor.callLater(min(delay, LONGEST_SLEEP), self._tick)

    def rearm(self) -> None:
        """The clock's pace changed."""
        self._arm()

    def _tick(self) -> None:
        self._timer = None
        if not self._ticking:
            self._ticking = True
            Deferred.fromCoroutine(self._run_due()).addErrback(
                lambda failure: self.log.failure("running due jobs failed", failure)
            )

    async def _run_due(self) -> None:
        try:
            while not self._stopped and not self._halt.asked and not self.clock.stepping:
                await self.quiet()
                job = self.first()
                if job is None or self.clock.stepping or job.due > self.clock.line():
                    break
                if await self._prepared(job, self.clock.line()):
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
        if job.kind not in OUTSIDE:
            return True
        self.keep(self._pending)
        for one in self._following(job, until):
            self.begin(one)
        await self._halt.unless(self.begin(job))
        return not self._stopped and not self._halt.asked and self.first() is job

    def _following(self, job: Job, until: datetime) -> list[Job]:
        """The next jobs that are of the kind of the first one, which is among them."""
        taken: list[tuple[datetime, str]] = []
        alike: list[Job] = []
        while self._heap and len(alike) < TOGETHER:
            due, one = self._heap[0]
            other = self._pending.get(one)
            if other is not None and other.due == due:
                if other.kind != job.kind or due > until:
                    break
                alike.append(other)
                taken.append((due, one))
            heapq.heappop(self._heap)
        for entry in taken:
            heapq.heappush(self._heap, entry)
        return alike

    async def _run(self, job: Job) -> bool:
        """Do one job unless it was done, moved or skipped meanwhile."""
        async with self._turn:
            if self._pending.get(job.id) is not job:
                return False
            try:
                await self.perform(job)
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
            events = (Event("job.failed", self.clock.now(), {
                "id": job.id, "kind": job.kind, "persona_id": job.persona_id, "note": note},
                self.tag_of(job.persona_id)),)
        # What jobs before it did is recorded before.
        await self.committed()
        await self._commit(Commit(jobs=(later,), events=events))
        self.add((later,))

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
        await self._events.recorded()
        nothing = until == "next_job" and self.first() is None

        def stop(job: Job | None) -> str | None:
            if wanted and any(matches((wanted,), type) for type in seen):
                return "event"
            if nothing or until == "idle" and not any(one.kind != "world" for one in self._pending.values()):
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
        await self.clock.begin_steps()
        start, first_event, ran, moved = self.clock.now(), self._events.last + 1, 0, False
        try:
            self.clock.step(start)
            await self.quiet()
            start = self.clock.now()
            target = target_of(start)
            self.bound = target if together else None
            while True:
                job = self.first()
                reason = "stop" if self._halt.asked else stop(job)
                if reason is not None:
                    break
                if job is None or job.due > target:
                    reason = "idle" if job is None and not arrive else "to"
                    break
                if ran >= limit:
                    reason = "limit"
                    break
                self.clock.step(job.due)
                if not await self._prepared(job, target if together else job.due):
                    if self._stopped and not self._halt.asked:
                        raise Unavailable("the service is stopping")
                    await self.quiet()
                    continue
                ran += await self._run(job)
                await self.quiet()
                if settle:
                    await self._halt.unless(self.settled(settle))
            await self.committed()
            if arrive and reason == "to":
                self.clock.step(target)
            if reason != "stop":
                await self.housekeep()
            moved = True
            end = self.clock.now()
        finally:
            self.bound = None
            self.moved()
            await self.clock.end_steps(announce and moved)
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
            job = self.first()
            return start if job is None else job.due
        return start + FARTHEST

    # What the API asks for

    async def jobs(self, query: JobQuery) -> list[Job]:
        """Jobs, pending and past, with those of all mail that was accepted."""
        await self._events.recorded()
        found: list[Job] = await self._database.jobs(self._universe, query)
        return found

    async def job(self, job_id: str) -> Job:
        """
        One job.

        @raise NotFound: no such job.
        """
        job = self._pending.get(job_id) or await self._database.job(self._universe, job_id)
        if job is None:
            raise NotFound(f"no job {job_id}")
        return job

    async def reschedule(self, job_id: str, due: datetime) -> Job:
        """
        Another due time; one in the past means now, and the job's note says so.

        @raise Conflict: it has run.
        """
        def changed(job: Job) -> Job:
            now = self.clock.now()
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
        return await self._update(job_id, lambda job: replace(job, due=self.clock.now()))

    async def _update(self, job_id: str, change: Callable[[Job], Job]) -> Job:
        async with self._turn:
            job = self._pending.get(job_id)
            if job is None:
                gone = await self.job(job_id)
                raise Conflict(f"job {job_id} is {gone.state} already")
            job = change(job)
            await self._commit(Commit(jobs=(job,), events=(Event("job.updated", self.clock.now(), {
                "id": job.id, "state": job.state, "due": job.due, "kind": job.kind}),)))
            self.add((job,))
            return job
