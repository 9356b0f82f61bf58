"""Tests for C{simmail.universe.eventlog}."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.commit import Commit, EventQuery
from simmail.core.records.event import Event
from simmail.database.memory import MemoryDatabase
from simmail.errors import Unavailable
from simmail.testing.universe import now
from simmail.universe.eventlog import EventLog

AT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def events(count: int) -> tuple[Event, ...]:
    """So many events, one second after the other."""
    return tuple(Event("clock", AT.replace(second=n), {"n": n}) for n in range(count))


class EventLogTests(SynchronousTestCase):
    """Who listens is told, and those who ask at once have the database asked once."""

    def setUp(self) -> None:
        """A log with three events of a former process."""
        self.clock = Clock()
        self.database = MemoryDatabase()
        now(self.database.commit("main", Commit(events=events(3))))
        self.log = EventLog("main", self.database, self.clock)
        now(self.log.start())

    def test_where_it_stands(self) -> None:
        """At the start it knows how far it got; each announcement moves it on."""
        self.assertEqual((self.log.last, self.log.begun, self.log.at), (3, 3, None))
        self.log.announce(4, events(2))
        self.assertEqual((self.log.last, self.log.begun, self.log.at), (5, 3, AT.replace(second=1)))

    def test_told(self) -> None:
        """Watchers get events, listeners their numbers, until they stop; one that fails keeps nobody else from it."""
        told: list[Any] = []

        def breaks(*arguments: Any) -> None:
            raise ZeroDivisionError("a listener is broken")

        self.log.watch(breaks)
        unwatch = self.log.watch(lambda first, some: told.append((first, [one.data["n"] for one in some])))
        self.log.listen(breaks)
        listener = lambda first, last: told.append((first, last))  # noqa: E731
        self.log.listen(listener)
        self.log.announce(4, events(2))
        self.assertEqual(told, [(4, [0, 1]), (4, 5)])
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 2)
        unwatch()
        self.log.unlisten(listener)
        self.log.announce(6, events(1))
        self.assertEqual(len(told), 2)
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 2)

    def test_number_at(self) -> None:
        """The number at a real time is that of the last event by then; of what was before, the first it knows."""
        for number in (4, 5, 6):
            self.clock.advance(10)
            self.log.announce(number, events(1))
        self.assertEqual([self.log.number_at(real) for real in (0.0, 9.0, 10.0, 25.0, 99.0)], [3, 3, 4, 5, 6])

    def test_marks_are_bounded(self) -> None:
        """However many events there are in a second, one mark of them is kept."""
        for number in range(4, 1004):
            self.log.announce(number, events(1))
        self.assertEqual(len(self.log._times), 1)
        self.assertEqual(self.log.number_at(0.0), 1003)

    def test_asked_once(self) -> None:
        """The same question of many at once is one question, behind what is about to be recorded."""
        asked: list[Deferred[list[bytes]]] = []
        recorded = Deferred[None]()

        def slow(universe: str, query: EventQuery) -> Deferred[list[bytes]]:
            asked.append(Deferred())
            return asked[-1]

        self.patch(self.database, "events", slow)
        self.log.when_recorded = lambda: recorded
        found = [self.log.query(EventQuery(after=1)) for _ in range(5)]
        other = self.log.query(EventQuery(after=2))
        self.assertEqual(asked, [])
        recorded.callback(None)
        self.assertEqual(len(asked), 2)
        # Who came while it was asked is told what is there behind that, all the same.
        asked[0].callback([b"1"])
        self.assertEqual((self.successResultOf(found[0]), len(asked)), ([b"1"], 3))
        asked[2].callback([b"1", b"2"])
        for one in found[1:]:
            self.assertEqual(self.successResultOf(one), [b"1", b"2"])
        self.assertNoResult(other)

    def test_away(self) -> None:
        """While Redis is away whoever asks is told."""
        self.database.set_healthy(False)
        self.failureResultOf(self.log.query(EventQuery()), Unavailable)
