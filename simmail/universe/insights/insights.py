"""
The insights of one universe: the event log folded as it grows, and kept with the event number it stands for.

What is committed here is folded from memory, some events at a time; what was not heard of (before a start, or
when the answer to a commit was lost) is read from the log.  Every so many events what has changed is written down, and
always before old events are removed: what retention removes stays counted.
Source: decisions, section 15.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from datetime import datetime

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from simmail.concurrency import Lock, LongWork
from simmail.core.insights import documents
from simmail.core.insights.events import COUNTED, recorded_row, row_of
from simmail.core.insights.fold import Fold
from simmail.core.insights.report import InsightsReport, Shown, as_it_is, cut
from simmail.core.insights.sent import Directory
from simmail.core.records.commit import Commit, EventQuery
from simmail.core.records.event import Event
from simmail.errors import Unavailable
from simmail.interfaces import IDatabase
from simmail.universe.committer import Committer
from simmail.universe.eventlog import EventLog

#: Events that may wait to be folded; events after which what changed is written down.
MOST_WAITING, KEPT_EVERY = 100, 500

#: Events asked for at once.
PAGE = 1000


class Insights:
    """
    The insights of one universe.

    @param people: whose names are taken out of subjects, and whose temperaments are counted.
    @param now: simulated instant.
    """

    log = Logger()

    def __init__(
        self, universe: str, database: IDatabase, log: EventLog, committer: Committer, people: Directory,
        now: Callable[[], datetime], reactor: IReactorTime,
    ) -> None:
        self._universe = universe
        self._database = database
        self._log = log
        self._committer = committer
        self._people = people
        self._now = now
        self._reactor = reactor
        self._turn = Lock(reactor)
        self._fold: Fold | None = None
        self._waiting: deque[tuple[int, Sequence[Event]]] = deque()
        self._count = self._kept = 0
        self._scheduled = False

    def start(self) -> None:
        """Hear of what is recorded from here on."""
        self._log.watch(self._heard)

    def begin(self) -> None:
        """Learn what was kept and what was recorded since, so that who asks need not wait for that."""
        self._schedule()

    async def report(self, days: int, shown: Shown = as_it_is) -> InsightsReport:
        """
        Return the report of the last C{days} simulated days.

        @param shown: tells how campaigns are shown.

        @raise Unavailable: Redis is away.
        """
        await self._log.when_recorded()
        async with self._turn:
            fold = await self._caught_up(await self._database.last_event(self._universe))
            return cut(fold.state, self._now(), days, shown)

    async def keep(self) -> None:
        """
        Write down all that was recorded so far.

        @raise Unavailable: Redis is away.
        """
        async with self._turn:
            fold = await self._caught_up(await self._database.last_event(self._universe))
            if fold.state.through > self._kept:
                await self._write(fold)

    async def stop(self) -> None:
        """Write down what is known, if that can be."""
        if self._fold is not None and self._committer.available:
            try:
                await self.keep()
            except Unavailable:
                pass

    # Folding

    def _heard(self, first: int, events: Sequence[Event]) -> None:
        self._waiting.append((first, events))
        self._count += len(events)
        if self._count >= MOST_WAITING:
            self._schedule()

    def _schedule(self) -> None:
        if not self._scheduled and not self._committer.stopping:
            self._scheduled = True
            self._reactor.callLater(0, self._go_on)

    def _go_on(self) -> None:
        self._scheduled = False
        if not self._committer.stopping:
            Deferred.fromCoroutine(self._some()).addErrback(self._failed)

    def _failed(self, failure: Failure) -> None:
        if failure.check(Unavailable):
            # What waits is folded the next time.
            self.log.warn("insights of {universe} lag behind: {error}", universe=self._universe, error=failure.value)
        else:
            self.log.failure("insights of {universe} lag behind", failure, universe=self._universe)

    async def _some(self) -> None:
        async with self._turn:
            fold = await self._caught_up(0)
            if fold.state.through - self._kept >= KEPT_EVERY:
                await self._write(fold)

    async def _caught_up(self, last: int) -> Fold:
        """The fold with all that was heard of, and all up to the event number C{last}."""
        fold = self._fold
        if fold is None:
            fold = await self._learned()
            last = max(last, self._log.last)
        while True:
            self._take_heard(fold)
            missing = self._waiting[0][0] - 1 if self._waiting else last
            if fold.state.through >= missing:
                break
            await self._read(fold, missing)
        self._fold = fold
        return fold

    def _take_heard(self, fold: Fold) -> None:
        """Take what was heard of, up to where something was not."""
        state = fold.state
        while self._waiting and self._waiting[0][0] <= state.through + 1:
            first, events = self._waiting.popleft()
            self._count -= len(events)
            for number, event in enumerate(events, first):
                fold.take(row_of(number, event, state.latest))

    async def _learned(self) -> Fold:
        """The fold as it was kept."""
        tables = {name: await self._database.table(self._universe, name) for name in documents.TABLES}
        fold = Fold(documents.restored(tables), self._people)
        self._kept = fold.state.through
        return fold

    async def _read(self, fold: Fold, last: int) -> None:
        """Take what the log has up to an event number."""
        work, state = LongWork(self._reactor), fold.state
        while state.through < last:
            rows = await self._database.events(self._universe, EventQuery(
                after=state.through, before=last + 1, types=COUNTED, limit=PAGE))
            for octets in rows:
                fold.take(recorded_row(octets))
            if len(rows) < PAGE:
                state.through = last
            if state.through - self._kept >= KEPT_EVERY:
                await self._write(fold)
            await work.yield_to_reactor()

    async def _write(self, fold: Fold) -> None:
        """Write down what has changed, with the event number up to which that is so."""
        state, kept = fold.state, fold.state.through
        changed = state.take_changed()
        puts, drops = documents.changes(state, changed)
        try:
            await self._committer.commit(Commit(puts=puts, drops=drops))
        except Unavailable:
            state.restore_changed(changed)
            raise
        self._kept = kept
