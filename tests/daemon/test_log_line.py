"""Tests for C{simmail.daemon.log_line}."""

from __future__ import annotations

import json

from twisted.logger import LogEvent, Logger
from twisted.trial.unittest import SynchronousTestCase

from simmail.daemon.log_line import json_line, text_line


class LineTests(SynchronousTestCase):
    """One event in both forms."""

    def setUp(self) -> None:
        """Events of the mail log."""
        self.events: list[LogEvent] = []
        self.log = Logger("simmail.mail", observer=self.events.append)  # type: ignore[arg-type]

    def test_forms(self) -> None:
        """The same is told in both; what a stranger wrote stays within its line."""
        self.log.warn("accepted", universe="main", ready={"port": 25}, other=object())
        [event] = self.events
        event["log_time"] = 1772442000.25
        text = "a\nb\x85 \ud800 \u00e9"
        self.assertEqual(text_line(event, text),
                         "2026-03-02T09:00:00Z warn simmail.mail: a\\nb\\x85 \\ud800 \u00e9\n")
        line = json_line(event, text)
        self.assertTrue(line.isascii() and line.endswith("}\n") and line.count("\n") == 1)
        self.assertEqual(json.loads(line), {
            "time": "2026-03-02T09:00:00.250Z", "level": "warn", "namespace": "simmail.mail", "message": text,
            "universe": "main", "ready": {"port": 25}})

    def test_failure(self) -> None:
        """A traceback stands below the line, or in it."""
        try:
            raise ValueError("what")
        except ValueError:
            self.log.failure("it failed")
        [event] = self.events
        self.assertRegex(text_line(event, "it failed"), r"critical simmail.mail: it failed\nTraceback")
        self.assertIn("ValueError: what", json.loads(json_line(event, "it failed"))["traceback"])

    def test_bare(self) -> None:
        """An event of a program that says neither level nor namespace has both all the same."""
        self.assertEqual(text_line({"log_time": 0.0}, "hello"), "1970-01-01T00:00:00Z info -: hello\n")
        self.assertEqual(json.loads(json_line({"log_time": 0.0}, "hello"))["namespace"], "-")
