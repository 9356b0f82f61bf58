"""Tests for C{simmail.daemon.logfile}."""

from __future__ import annotations

import sys
from io import StringIO
from pathlib import Path

from twisted.internet.task import Clock
from twisted.logger import Logger, LogLevel
from twisted.trial.unittest import SynchronousTestCase

from simmail.daemon.logfile import GatheringObserver, PATIENCE, RotatingFile, log_file


class LogTests(SynchronousTestCase):
    """Lines of the log."""

    def setUp(self) -> None:
        """An observer whose reactor runs."""
        self.file, self.clock = StringIO(), Clock()
        self.observer = GatheringObserver(self.file)
        self.observer.call_later = self.clock.callLater
        self.log = Logger("simmail.mail", observer=self.observer)

    def test_gathered(self) -> None:
        """Lines are written together, soon; trouble is written at once, in its place."""
        self.log.info("accepted {n}", n=1)
        self.log.info("accepted {n}", n=2)
        self.assertEqual(self.file.getvalue(), "")
        self.clock.advance(PATIENCE)
        self.assertRegex(
            self.file.getvalue(), r"\A(\S+Z info simmail.mail: accepted [12]\n){2}\Z")
        self.log.info("accepted {n}", n=3)
        self.log.warn("trouble")
        self.assertEqual([line.partition(": ")[2] for line in self.file.getvalue().splitlines()],
                         ["accepted 1", "accepted 2", "accepted 3", "trouble"])

    def test_said(self) -> None:
        """Text that comes ready is not formatted again."""
        self.log.warn("accepted {n}", n=1, said="accepted {n} for {nobody}")
        self.assertTrue(self.file.getvalue().endswith(": accepted {n} for {nobody}\n"))

    def test_stranger(self) -> None:
        """What a stranger wrote adds no line and does nothing to a terminal."""
        self.log.emit(LogLevel.warn, "accepted {subject}", subject="a\nb\r\x1b[2Jc\x85d\u2028e é")
        self.assertEqual(self.file.getvalue().count("\n"), 1)
        self.assertTrue(self.file.getvalue().endswith(r"accepted a\nb\r\x1b[2Jc\x85d\u2028e é" + "\n"))

    def test_rotated(self) -> None:
        """A large file is put aside, so many are kept, and nothing is lost at the seam."""
        path = Path(self.mktemp())
        file = RotatingFile(str(path), largest=1000, kept=2)
        self.addCleanup(file.close)
        log = Logger("simmail.mail", observer=GatheringObserver(file))
        for n in range(40):
            log.info("line {n} " + "x" * 60, n=n)
        names = sorted(one.name for one in path.parent.glob(path.name + "*"))
        self.assertEqual(names, [path.name, path.name + ".1", path.name + ".2"])
        text = "".join((path.parent / name).read_text() for name in reversed(names))
        numbers = [int(line.split("line ")[1].split()[0]) for line in text.splitlines()]
        self.assertEqual(numbers, list(range(numbers[0], 40)))
        self.assertLess(path.stat().st_size, 1200)

    def test_reopened(self) -> None:
        """Moved away by another program, the file is opened anew when that is asked for."""
        path = Path(self.mktemp())
        file = RotatingFile(str(path))
        self.addCleanup(file.close)
        log = Logger("simmail.mail", observer=GatheringObserver(file))
        log.info("before \N{SNOWMAN} \ud800")
        path.rename(str(path) + ".old")
        log.info("still the old one")
        log.info("opened again", reopen=True)
        self.assertEqual(len(Path(str(path) + ".old").read_text().splitlines()), 2)
        self.assertIn("opened again", path.read_text())

    def test_not_a_file(self) -> None:
        """A device is written to and never put aside; a dash is the terminal."""
        device = log_file("/dev/null")
        self.addCleanup(device.close)
        self.assertNotIsInstance(device, RotatingFile)
        self.patch(sys, "stdout", StringIO())
        self.assertIs(log_file("-"), sys.__stdout__)

    def test_failure(self) -> None:
        """A failure is told with its traceback."""
        try:
            raise ValueError("what")
        except ValueError:
            self.log.failure("it failed")
        self.assertIn("it failed\nTraceback", self.file.getvalue())
        self.assertIn("ValueError: what", self.file.getvalue())
