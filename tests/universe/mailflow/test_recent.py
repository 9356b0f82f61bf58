"""Tests for C{simmail.universe.mailflow.recent}."""

from __future__ import annotations

from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.delivery import Copy
from simmail.database.memory import MemoryDatabase
from simmail.universe.eventlog import EventLog
from simmail.universe.mailflow import recent
from simmail.universe.mailflow.recent import MOST_NOTED, RecentMail


class RecentMailTests(SynchronousTestCase):
    """What was filed lately."""

    def setUp(self) -> None:
        """Nothing yet; the event log stands at 7."""
        self.clock = Clock()
        events = EventLog("main", MemoryDatabase(), self.clock)
        events.last = 7
        self.recent = RecentMail(self.clock, events)

    def test_since(self) -> None:
        """Copies are found by folder and by when they were filed, with the number of their event."""
        first, = self.recent.noted((Copy("a@x.test", "INBOX", 1, 1),))
        self.clock.advance(10)
        self.recent.noted((Copy("a@x.test", "INBOX", 2, 1),))
        self.recent.noted((Copy("a@x.test", "Sent", 3, 1),))
        first.number = 9
        self.assertEqual(self.recent.since("a@x.test", "INBOX", 0.0), {1, 2})
        self.assertEqual(self.recent.since("a@x.test", "INBOX", 5.0), {2})
        self.assertEqual(self.recent.numbers("a@x.test", "INBOX"), {1: 9, 2: 7})
        self.assertEqual(self.recent.since("b@x.test", "INBOX", 0.0), set())

    def test_bounded(self) -> None:
        """Of each folder, and of those who were written to, only so many are kept."""
        for uid in range(MOST_NOTED + 5):
            self.recent.noted((Copy("a@x.test", "INBOX", uid, 1),))
        self.assertEqual(min(self.recent.numbers("a@x.test", "INBOX")), 5)
        self.patch(recent, "MOST_WRITTEN", 2)
        for number, address in enumerate(("a", "b", "a", "c")):
            self.recent.wrote((address,), number)
        self.assertEqual([self.recent.written((one,)) for one in "abc"], [2, None, 3])
        self.assertEqual(self.recent.written(("a", "c")), 3)

    def test_told(self) -> None:
        """Who listens is told of a copy that is no delivery."""
        told: list[tuple[str, str]] = []
        self.recent.filed = lambda mailbox, folder: told.append((mailbox, folder))
        self.recent.note(Copy("a@x.test", "INBOX", 1, 1))
        self.assertEqual((told, self.recent.since("a@x.test", "INBOX", 0.0)), ([("a@x.test", "INBOX")], {1}))
