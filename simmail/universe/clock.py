"""
The simulated clock of one universe: what time it is, and who may change that.

The clock never passes anything that is not yet done: it lags behind its own
line until due jobs have run and mail that arrived has been decided about
(decisions, section 7).  Moving it is L{scheduler.Scheduler.advance}, which
steps from due to due, so that each job runs at its own instant.  It knows
nothing of what jobs do.  How real seconds become a simulated instant and back
is told by a L{Timeline}, which is a value: freezing, speeding and moving make
a new one.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime

from simmail.concurrency import Lock
from simmail.core.records.commit import Commit
from simmail.core.records.event import Event
from simmail.core.records.job import Job
from simmail.errors import Invalid

SLOWEST, FASTEST = 0.001, 100_000.0


class Timeline(Struct, frozen=True):
    """
    Simulated time as a line through an anchor.

    @ivar sim: the simulated instant at the anchor; real: its Unix time.
    @ivar speed: simulated seconds in a real second, while not frozen.
    @ivar touched: it was ever set, moved or sped up, so it stands still while the service is down.
    """

    sim: datetime
    real: float
    speed: float = 1.0
    frozen: bool = False
    touched: bool = False

    def at(self, real: float) -> datetime:
        """The simulated instant at a real one; never before the anchor."""
        if self.frozen or real <= self.real:
            return self.sim
        return self.sim + timedelta(seconds=(real - self.real) * self.speed)

    def real_at(self, sim: datetime) -> float | None:
        """The real time at which a simulated instant is reached; None while frozen."""
        if sim <= self.sim:
            return self.real
        if self.frozen:
            return None
        return self.real + (sim - self.sim).total_seconds() / self.speed

    def changed(
        self, now: datetime, real: float, speed: float | None = None, frozen: bool | None = None
    ) -> Timeline:
        """
        Another pace from C{now} on.

        @raise Invalid: speed out of range.
        """
        if speed is not None and not SLOWEST <= speed <= FASTEST:
            raise Invalid("speed", f"must be from {SLOWEST:g} to {FASTEST:g}")
        return Timeline(
            sim=now,
            real=real,
            speed=self.speed if speed is None else float(speed),
            frozen=self.frozen if frozen is None else frozen,
            touched=True,
        )

    def resumed(self, last: datetime, real: float) -> Timeline:
        """
        After a stop: real time went on for an untouched clock; any other stood still at C{last}.

        Real time that was set back meanwhile takes nothing back: the clock goes on from C{last}.
        """
        if not self.touched and self.at(real) >= last:
            return self
        return replace(self, sim=max(self.sim, last), real=real)


def begun(real: float, clock: datetime | None = None, speed: float = 1.0, frozen: bool | None = None) -> Timeline:
    """
    Return the timeline of a universe that is made now.

    @param real: real Unix time.  @param clock: where it begins, and stands unless C{frozen} is false; None: at that.
    @raise Invalid: speed out of range.
    """
    now = datetime.fromtimestamp(real, UTC)
    line = Timeline(sim=now, real=real)
    if clock is not None:
        return line.changed(clock, real, speed, True if frozen is None else frozen)
    return line.changed(now, real, speed, frozen) if frozen or speed != 1.0 else line


FARTHEST = timedelta(days=400)
MOST_JOBS = 100_000
LONGEST_SETTLE = 30.0


class NextJob(Struct, frozen=True):
    """The job that is due first.  C{id}: the job's; C{kind}: what it does; C{due}: when, in simulated time."""

    id: str
    kind: str
    due: datetime


class WallClock(Struct, frozen=True):
    """
    The wall clock, where it was set while the service ran: nothing here goes by it before the next start.

    @ivar jumps: how often; offset: real seconds that it is ahead of C{real} since, negative for behind.
    @ivar seen: when the last jump was noticed, in real time as C{real} tells it.
    """

    jumps: int
    offset: float
    seen: datetime


class ClockStatus(Struct, frozen=True, omit_defaults=True):
    """
    What C{GET /api/clock} answers.

    @ivar now: the instant it is, in simulated time; real: the instant it is, in real time.
    @ivar speed: simulated seconds a real second, while it is not frozen; frozen: whether it stands.
    @ivar next_job: what is due first, null for nothing; pending: jobs that are due some time.
    @ivar wall_clock: only when the wall clock jumped since the start.
    """

    now: datetime
    real: datetime
    speed: float
    frozen: bool
    next_job: NextJob | None
    pending: int
    wall_clock: WallClock | None = None


class Advanced(Struct, frozen=True, rename={"from_": "from"}):
    """
    What an advance did.

    @ivar from_: where the clock was, in simulated time; to: where it is now, in simulated time.
    @ivar jobs_run: jobs that were done on the way; events: numbers of the first and last event on the way, [] for none.
    @ivar stopped_by: C{to}, C{idle}, C{event} or C{limit}; C{stop} when the service is stopping and it ended early.
    """

    from_: datetime
    to: datetime
    jobs_run: int
    events: tuple[int, ...]
    stopped_by: str


class UniverseClock:
    """
    Simulated time for one universe.

    @param reactor: its C{seconds()} is real Unix time, which goes on evenly.
    @ivar turn: held by who moves it.
    @param wall_clock: what was seen of jumps of the wall clock.
    @ivar changed: called when its pace was changed, or a move has ended.
    @ivar owed: each tells the earliest instant that is still owed something, None for nothing: it goes no further.
    """

    def __init__(
        self,
        timeline: Timeline,
        reactor: IReactorTime,
        commit: Callable[[Commit], Awaitable[Any]],
        wall_clock: Callable[[], WallClock | None] = lambda: None,
    ) -> None:
        self._timeline = timeline
        self._reactor = reactor
        self.owed: tuple[Callable[[], datetime | None], ...] = ()
        self._commit = commit
        self._last = timeline.sim
        self._step: datetime | None = None
        self.turn = Lock(reactor)
        self.changed: Callable[[], None] = lambda: None
        self._wall_clock = wall_clock

    @property
    def timeline(self) -> Timeline:
        """The line as it is set."""
        return self._timeline

    @property
    def stepping(self) -> bool:
        """Whether an advance is under way; nothing else may start jobs meanwhile."""
        return self._step is not None

    def resume(self, timeline: Timeline) -> None:
        """At start: go on from a stored line."""
        self._timeline = timeline
        self._last = timeline.sim

    def reach(self, instant: datetime) -> None:
        """At start: something is known to have happened then, though where the clock stood is lost."""
        if instant > self.now():
            self.resume(self._timeline.resumed(instant, self._reactor.seconds()))

    def line(self) -> datetime:
        """Where the clock would be were nothing owed."""
        if self._step is not None:
            return self._step
        return self._timeline.at(self._reactor.seconds())

    def now(self) -> datetime:
        """The simulated instant."""
        now = self.line()
        # A clock that stands, or waits already, is held back by nothing: what is owed need not be looked through.
        if now > self._last:
            for earliest in self.owed:
                at = earliest()
                if at is not None and at < now:
                    now = at
            self._last = max(now, self._last)
        return self._last

    def real_until(self, due: datetime) -> float | None:
        """Real seconds until the line reaches C{due}; None while it never does."""
        if self._step is not None:
            return None
        real = self._timeline.real_at(due)
        return None if real is None else max(0.0, real - self._reactor.seconds())

    def documents(self) -> tuple[tuple[str, str, bytes], ...]:
        """What has to be kept of the clock, for a commit."""
        return (("state", "clock", msgspec.json.encode([self._timeline, self.now()])),)

    async def set(
        self, now: datetime | None = None, speed: float | None = None, frozen: bool | None = None,
        advance: Callable[[datetime], Awaitable[Any]] | None = None,
    ) -> None:
        """
        Change pace or move on.

        @param advance: moves to an instant; called when C{now} is given.
        @raise Invalid: C{now} lies in the past, C{speed} is out of range.
        """
        if now is not None and now < self.now():
            raise Invalid("now", "the clock only moves forward")
        # Asked first, so that nothing has moved when the pace is refused.
        self._timeline.changed(self.now(), 0.0, speed, frozen)
        if now is not None and advance is not None:
            await advance(now)
        if speed is not None or frozen is not None or now is None:
            await self._change(speed, frozen)

    async def _change(self, speed: float | None, frozen: bool | None) -> None:
        async with self.turn:
            self._timeline = self._timeline.changed(self.now(), self._reactor.seconds(), speed, frozen)
            await self._commit(Commit(puts=self.documents(), events=(self.event(),)))
        self.changed()

    async def announce(self) -> None:
        """Record where the clock stands, after moves that did not."""
        await self._commit(Commit(puts=self.documents(), events=(self.event(),)))

    def event(self) -> Event:
        """The C{clock} event for the clock as it stands."""
        now = self.now()
        return Event(type="clock", at=now, data={
            "now": now, "speed": self._timeline.speed, "frozen": self._timeline.frozen, "real": self.real(),
        })

    def real(self) -> datetime:
        """The real instant, for people."""
        return datetime.fromtimestamp(self._reactor.seconds(), UTC)

    def begin_steps(self) -> Deferred[Any]:
        """Wait for the turn to move the clock; then C{step} and C{end_steps}."""
        return self.turn.acquire()

    def step(self, to: datetime) -> None:
        """While moving: the clock is at C{to}, and stays."""
        self._step = max(to, self.now())

    async def end_steps(self, announce: bool = True) -> None:
        """The move is over: go on from here at the pace that was set."""
        try:
            now, real = self.now(), self._reactor.seconds()
            # A move that was refused at once leaves even the line as it was.
            if announce or now > self._timeline.at(real):
                self._timeline = self._timeline.changed(now, real)
            self._step = None
            if announce:
                await self._commit(Commit(puts=self.documents(), events=(self.event(),)))
        finally:
            self._step = None
            self.turn.release()
        self.changed()

    def status(self, first: Job | None, pending: int) -> ClockStatus:
        """Return the clock as the API shows it; C{first}: the job that is due first, C{pending}: how many are."""
        return ClockStatus(
            now=self.now(),
            real=self.real(),
            speed=self._timeline.speed,
            frozen=self._timeline.frozen,
            next_job=None if first is None else NextJob(first.id, first.kind, first.due),
            pending=pending,
            wall_clock=self._wall_clock(),
        )
