"""
The streams of one universe: their settings, and of each the one job that is its next arrival.

What a stream keeps between mails is a document of its own, committed with each mail.  Source: decisions, section 13.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from simmail.concurrency import Lock
from simmail.core.records.commit import Commit
from simmail.core.records.event import Event
from simmail.core.records.job import Job
from simmail.core.records.relationship import ThreadState
from simmail.core.records.world import WorldSettings, WorldStream, world_of
from simmail.core.rng import Dice
from simmail.core.rules.quota_plan import Plan
from simmail.core.world.arrivals import arrival, gap, next_day
from simmail.core.world.injection import Slip, slipped_in
from simmail.core.world.occasion import OpenThread
from simmail.errors import Invalid, NotFound
from simmail.interfaces import IDatabase
from simmail.universe.committer import Committer
from simmail.universe.pending import PendingJobs
from simmail.universe.settings import Settings

#: The table of what streams keep, by their ids.
TABLE = "world"

#: Mails that are sent at once when asked for.
MOST_FIRED = 1000


class StreamState(Struct, frozen=True, omit_defaults=True):
    """
    What a stream keeps.

    @ivar n: how many arrivals were planned, ever.
    @ivar day: the day of its latest mail, C{YYYY-MM-DD}, and C{today}: how many came by themselves that day.
    @ivar known: personas that wrote, the latest last; serials: how many senders it had that are nobody.
    @ivar threads: conversations that may go on, the latest last.
    """

    n: int = 0
    day: str = ""
    today: int = 0
    known: tuple[str, ...] = ()
    serials: int = 0
    threads: tuple[OpenThread, ...] = ()


class Streams:
    """
    The streams of one universe.

    @param plan: of its organisation; turn: held by who changes jobs.
    """

    def __init__(
        self, universe: str, database: IDatabase, settings: Settings, pending: PendingJobs, dice: Dice,
        now: Callable[[], datetime], turn: Lock, committer: Committer, plan: Callable[[], Plan],
    ) -> None:
        self._universe = universe
        self._database = database
        self._settings = settings
        self._pending = pending
        self._dice = dice
        self._now = now
        self._turn = turn
        self._committer = committer
        self._plan = plan
        self._states: dict[str, StreamState] = {}

    async def start(self) -> None:
        """Learn what the streams keep."""
        for name, octets in (await self._database.table(self._universe, TABLE)).items():
            self._states[name] = msgspec.json.decode(octets, type=StreamState)

    @property
    def world(self) -> WorldSettings:
        """The settings."""
        return self._settings.world

    def dice(self, stream: str, n: int) -> Dice:
        """Return the dice of a stream's n-th mail."""
        return self._dice.on("world", self.world.seed, stream, n)

    def state(self, stream: str) -> StreamState:
        """Return what a stream keeps."""
        return self._states.get(stream, StreamState())

    def took(self, stream: str, state: StreamState) -> None:
        """What a stream keeps was committed, or is sure to be."""
        self._states[stream] = state

    # Settings

    async def put(self, value: Any) -> WorldSettings:
        """
        Replace the settings; arrivals that they do not change stay.

        @raise Invalid: a bad field, by its path.  @raise OverAllowance: more streams than the plan has.
        """
        world = world_of(value)
        if world.streams:
            self._plan().check("streams", len(world.streams) - 1)
        async with self._turn:
            before, now = self.world, self._now()
            jobs: list[Job] = []
            kept: set[str] = set()
            for job in self._arrivals():
                name, fired = job.data["stream"], bool(job.data.get("fired"))
                stream = world.by_id.get(name)
                if stream is None or not fired and _timing(world, stream) != _timing(before, before.by_id.get(name)):
                    jobs.append(replace(job, state="skipped", note="the world was changed"))
                elif not fired:
                    kept.add(name)
            events = [Event("job.updated", now, {
                "id": job.id, "state": job.state, "due": job.due, "kind": job.kind}) for job in jobs]
            more = self._planned(world, kept, now)
            event = Event("world.updated", now, {"streams": len(world.streams), "enabled": world.enabled})
            await self._settings.put("world", world, event, more=Commit(
                jobs=(*jobs, *more.jobs), puts=more.puts, events=(*events, *more.events)))
            self._made(more, jobs)
        return world

    async def refill(self) -> None:
        """Plan an arrival for every stream that should have one and has not: its job was skipped, or failed."""
        if not self.world.enabled:
            return
        async with self._turn:
            there = {job.data["stream"] for job in self._arrivals() if not job.data.get("fired")}
            more = self._planned(self.world, there, self._now())
            if more.jobs:
                await self._committer.commit_surely(more)
                self._made(more)

    def _arrivals(self) -> list[Job]:
        return [job for job in self._pending.by_id.values() if job.kind == "world" and "stream" in job.data]

    def _planned(self, world: WorldSettings, there: Iterable[str], now: datetime) -> Commit:
        """The first arrivals of streams that have none."""
        jobs: list[Job] = []
        puts: list[tuple[str, str, bytes]] = []
        for stream in world.streams:
            if stream.id not in there and _runs(world, stream):
                state = self.state(stream.id)
                state = replace(state, n=state.n + 1)
                jobs.append(self._next(world, stream, state, now))
                puts.append((TABLE, stream.id, msgspec.json.encode(state)))
        return Commit(jobs=tuple(jobs), puts=tuple(puts), events=tuple(map(scheduled, jobs)))

    def _made(self, commit: Commit, others: Iterable[Job] = ()) -> None:
        for _, name, octets in commit.puts:
            self.took(name, msgspec.json.decode(octets, type=StreamState))
        self._pending.add((*others, *commit.jobs))

    def following(self, stream: WorldStream, state: StreamState, now: datetime) -> Job | None:
        """Return the arrival that is number C{state.n} of a stream, None where it has no more."""
        return self._next(self.world, stream, state, now) if _runs(self.world, stream) else None

    def _next(self, world: WorldSettings, stream: WorldStream, state: StreamState, now: datetime) -> Job:
        dice = self._dice.on("world", world.seed, stream.id)
        full = stream.cap_per_day is not None and state.day == f"{now:%Y-%m-%d}" and state.today >= stream.cap_per_day
        due = arrival(next_day(now) if full else now, gap(dice, state.n), stream.per_day, stream.profile)
        return _job(self._dice, stream, state.n, now, due)

    # Answers of its people

    def slipped(self, thread: ThreadState, job: Job, language: str) -> Slip | None:
        """Return what is put into the answer that a job gives in a thread, None for nothing."""
        stream = self.world.by_id.get(thread.stream)
        if stream is None or not stream.injection:
            return None
        dice = self._dice.on("world", self.world.seed, stream.id, "slipped", job.id)
        return slipped_in(language, dice) if dice.chance(stream.injection, "whether") else None

    # Asked for

    async def fire(self, name: str, count: int) -> list[Job]:
        """
        Have a stream write so many mails now, whether it is enabled or not.

        @raise NotFound: no such stream.  @raise Invalid: too many.
        """
        if not 1 <= count <= MOST_FIRED:
            raise Invalid("count", f"must be from 1 to {MOST_FIRED}")
        async with self._turn:
            stream = self.world.by_id.get(name)
            if stream is None:
                raise NotFound(f"no stream {name[:60]}")
            state, now = self.state(name), self._now()
            jobs = [_job(self._dice, stream, state.n + 1 + n, now, now, fired=True) for n in range(count)]
            state = replace(state, n=state.n + count)
            await self._committer.commit(Commit(
                jobs=tuple(jobs), puts=((TABLE, name, msgspec.json.encode(state)),),
                events=tuple(map(scheduled, jobs))))
            self.took(name, state)
            self._pending.add(jobs)
            return jobs


def _runs(world: WorldSettings, stream: WorldStream) -> bool:
    return world.enabled and stream.enabled and stream.per_day > 0


def _timing(world: WorldSettings, stream: WorldStream | None) -> tuple[Any, ...] | None:
    """What the arrivals of a stream depend on, None where it has none."""
    if stream is None or not _runs(world, stream):
        return None
    return (world.seed, stream.per_day, stream.profile, stream.cap_per_day)


def _job(dice: Dice, stream: WorldStream, n: int, now: datetime, due: datetime, fired: bool = False) -> Job:
    data: dict[str, Any] = {"stream": stream.id, "n": n}
    if fired:
        data["fired"] = True
    return Job(
        id="j_" + dice.on("world job", stream.id, n).token(16, "job"), kind="world", state="pending", created=now,
        due=due, plan=f"Mail of stream {stream.id}: {stream.kind.replace('_', ' ')}", data=data)


def scheduled(job: Job) -> Event:
    """Return the event that tells of a job."""
    return Event("job.scheduled", job.created, {
        "id": job.id, "kind": job.kind, "persona_id": None, "due": job.due, "plan": job.plan})
