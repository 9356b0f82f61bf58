"""Tests for C{simmail.universe.maillog}."""

from __future__ import annotations

from io import StringIO

from twisted.internet.task import Clock
from twisted.logger import LogEvent, Logger, LogPublisher, formatEvent
from twisted.trial.unittest import SynchronousTestCase

from simmail.daemon.logfile import GatheringObserver
from simmail.universe.maillog import MailLog


class MailLogTests(SynchronousTestCase):
    """What is said of every message."""

    def test_like_any_other(self) -> None:
        """It is an event as a logger makes it, and the line in the log is the same."""
        events: list[LogEvent] = []
        file, clock = StringIO(), Clock()
        clock.advance(1772442000.5)
        observer = LogPublisher(events.append, GatheringObserver(file))  # type: ignore[arg-type]
        MailLog("main", clock.seconds, observer).line("accepted {n} for {who}", n=1, who="{n}")
        Logger("simmail.mail", observer=observer).info("accepted {n} for {who}", n=1, who="{n}", universe="main")
        ours, theirs = events
        self.assertEqual(formatEvent(ours), formatEvent(theirs))
        self.assertEqual(set(ours) - {"said"}, set(theirs))
        self.assertEqual((ours["universe"], ours["log_time"]), ("main", 1772442000.5))
        first, second = file.getvalue().splitlines()
        self.assertEqual(first, "2026-03-02T09:00:00Z info simmail.mail: accepted 1 for {n}")
        self.assertEqual(first.partition(" ")[2], second.partition(" ")[2])
