"""Tests for C{simmail.daemon.signals}, each in a process of its own."""

from __future__ import annotations

import subprocess
import sys

from twisted.trial.unittest import SynchronousTestCase

from tests.journeys.running import environment

_BEGINNING = """
import os, signal
from simmail.daemon.signals import HEARD, hear, hold

hold()
for number in HEARD:
    os.kill(os.getpid(), number)
# As Twisted does when its reactor begins to run.
signal.signal(signal.SIGTERM, lambda number, frame: print("Twisted's"))
"""


class SignalTests(SynchronousTestCase):
    """What comes early."""

    def told(self, code: str) -> tuple[int, list[str]]:
        """The status of a process to which all came at its very beginning, and the lines it prints."""
        done = subprocess.run([sys.executable, "-c", _BEGINNING + code], env=environment(), capture_output=True,
                              text=True)
        return done.returncode, sorted(done.stdout.splitlines())

    def test_waits(self) -> None:
        """What came before there was anybody to act on it is acted upon, once, in a turn of the reactor."""
        status, lines = self.told(
            "calls = []\n"
            "hear({number: lambda number=number: print(number.name) for number in HEARD}, calls.append)\n"
            "for call in calls:\n"
            "    call()\n")
        self.assertEqual((status, lines), (0, ["SIGHUP", "SIGINT", "SIGTERM", "SIGUSR1"]))

    def test_never_begun(self) -> None:
        """A start that fails ends with the status of its failure."""
        self.assertEqual(self.told("raise SystemExit(1)"), (1, []))
