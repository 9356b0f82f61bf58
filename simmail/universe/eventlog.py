"""
The live tail of the event log: who wants to know is told that something was recorded.

Events report, they never drive: a listener here is a stream, a webhook or a
wait, never a part of the universe that changes state.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from datetime import datetime
from weakref import WeakValueDictionary

from twisted.internet.defer import Deferred, succeed
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from simmail.concurrency import Shared
from simmail.core.records.commit import EventQuery
from simmail.core.records.event import Event
from simmail.interfaces import IDatabase

Listener = Callable[[int, int], None]


class EventLog:
    """
    The event log of one universe.

    @param when_recorded: waits for what was accepted and is about to be recorded.
    @ivar last: the highest event number known here.
    @ivar begun: the number of the last event when this process began.
    @ivar at: the instant of the newest event known here, None before the first.
    """

    log = Logger()

    def __init__(
        self, universe: str, database: IDatabase, reactor: IReactorTime,
        when_recorded: Callable[[], Deferred[None]] = lambda: succeed(None),
    ) -> None:
        self._universe = universe
        self._database = database
        self._reactor = reactor
        self._listeners: list[Listener] = []
        self._asking: WeakValueDictionary[EventQuery, Shared[list[bytes]]] = WeakValueDictionary()
        self.when_recorded = when_recorded
        self._watchers: list[Callable[[int, Sequence[Event]], None]] = []
        self.last = self.begun = 0
        self._times: deque[tuple[float, int]] = deque(maxlen=4096)
        self.at: datetime | None = None

    async def start(self) -> None:
        """Learn where the log stands."""
        self.last = self.begun = await self._database.last_event(self._universe)

    def query(self, query: EventQuery) -> Deferred[list[bytes]]:
        """
        Recorded events as JSON, as C{IDatabase.events}; those of all that was accepted are among them.

        Many who ask for the same at once have it asked once.
        """
        asking = self._asking.get(query)
        if asking is None:
            asking = self._asking[query] = Shared(self._reactor)
        return Deferred.fromCoroutine(asking.anew(lambda: self._query(query)))

    async def _query(self, query: EventQuery) -> list[bytes]:
        await self.when_recorded()
        rows: list[bytes] = await self._database.events(self._universe, query)
        return rows

    def listen(self, listener: Listener) -> None:
        """C{listener(first, last)} is called after each commit with events."""
        self._listeners.append(listener)

    def unlisten(self, listener: Listener) -> None:
        """Stop telling C{listener}."""
        self._listeners.remove(listener)

    def watch(self, watcher: Callable[[int, Sequence[Event]], None]) -> Callable[[], None]:
        """C{watcher(first, events)} is called likewise, with the events themselves.  Returns what ends it."""
        self._watchers.append(watcher)
        return lambda: self._watchers.remove(watcher)

    def number_at(self, real: float) -> int:
        """The highest event number at a real time, as far as this process knows; what it does not know was before."""
        number = self.begun
        for when, last in self._times:
            if when > real:
                break
            number = last
        return number

    def announce(self, first: int, events: Sequence[Event]) -> None:
        """Events were committed under numbers from C{first} on."""
        last = first + len(events) - 1
        self.last = max(self.last, last)
        self.at = events[-1].at
        now = self._reactor.seconds()
        if self._times and now - self._times[-1][0] < 1.0:
            # One mark a second is enough, and bounds what an hour takes.
            self._times[-1] = (self._times[-1][0], self.last)
        else:
            self._times.append((now, self.last))
        for watcher in list(self._watchers):
            try:
                watcher(first, events)
            except Exception:
                self.log.failure("a watcher of the event log failed")
        for listener in list(self._listeners):
            try:
                listener(first, last)
            except Exception:
                self.log.failure("a listener of the event log failed")
