"""Tests for C{simmail.daemon.logfile}."""

from __future__ import annotations

import os
import sys
from io import StringIO
from pathlib import Path
from stat import S_IMODE
from threading import Event
from typing import Any

from twisted.internet.task import Clock
from twisted.logger import Logger, LogLevel
from twisted.trial.unittest import SynchronousTestCase

from simmail.daemon.log_writer import LogWriter, writable
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
        self.assertIs(log_file("-"), sys.stdout)

    def test_failure(self) -> None:
        """A failure is told with its traceback."""
        try:
            raise ValueError("what")
        except ValueError:
            self.log.failure("it failed")
        self.assertIn("it failed\nTraceback", self.file.getvalue())
        self.assertIn("ValueError: what", self.file.getvalue())


class WriterTests(SynchronousTestCase):
    """The thread that writes."""

    def writer(self, opened: Any, most: int = 10_000) -> LogWriter:
        """One whose clock stands still."""
        made = LogWriter(opened, lambda: 1_770_000_000.0, most)
        self.addCleanup(made.close, 1.0)
        return made

    def test_all_is_written(self) -> None:
        """In order, what came before it began as well; at the end nothing is left."""
        path = Path(self.mktemp())
        writer = self.writer(lambda: RotatingFile(str(path)), 10**7)
        for n in range(3000):
            writer.write(f"{n}\n")
            if n == 1000:
                writer.begin()
        self.assertTrue(writer.close(10.0))
        self.assertEqual(path.read_text().split(), [str(n) for n in range(3000)])

    def test_hangs(self) -> None:
        """A pipe that nobody reads: whoever logs goes on, so much is kept, and what is not is told of once it is."""
        path = self.mktemp()
        os.mkfifo(path)
        writer = self.writer(lambda: log_file(path))
        writable(path)
        writer.begin()
        for n in range(1000):
            writer.write(f"line {n:95}\n")
        self.assertGreater(writer.dropped, 800)
        self.assertFalse(writer.drain(0.05))
        with open(path, encoding="utf-8") as pipe:
            self.assertTrue(writer.drain(10.0))
            writer.write("after\n")
            self.assertTrue(writer.close(10.0))
            writer._file.close()
            lines = pipe.read().splitlines()
        told = [line for line in lines if "lines are missing" in line]
        self.assertEqual(len(told), 1)
        missing = int(told[0].partition("simmail.daemon.logfile: ")[2].split()[0])
        self.assertEqual(missing + len([line for line in lines if line.startswith("line ")]), 1000)
        self.assertEqual(lines[-1], "after")

    def test_full(self) -> None:
        """A disk that refuses: lines are counted, and told of when it takes some again."""
        refusing, file = Event(), StringIO()
        refusing.set()
        writer = self.writer(lambda: _Refusing(file, refusing))
        writer.write("one\ntwo\n")
        self.assertTrue(writer.drain(5.0))
        refusing.clear()
        writer.write("three\n")
        self.assertTrue(writer.drain(5.0))
        self.assertRegex(file.getvalue(), r"\A\S+ warn simmail.daemon.logfile: 2 lines are missing: .*\nthree\n\Z")

    def test_modes(self) -> None:
        """Its owner and the group may read it, and look into the folder that is made for it."""
        path = Path(self.mktemp()) / "log" / "simmail.log"
        old = os.umask(0o022)
        self.addCleanup(os.umask, old)
        writable(str(path))
        self.assertEqual((S_IMODE(path.stat().st_mode), S_IMODE(path.parent.stat().st_mode)), (0o640, 0o750))
        path.unlink()
        file = RotatingFile(str(path), largest=100)
        self.addCleanup(file.close)
        for _ in range(5):
            file.write("x" * 90 + "\n")
        self.assertEqual({S_IMODE(one.stat().st_mode) for one in path.parent.iterdir()}, {0o640})
        self.assertRaises(OSError, writable, "/proc/nothing/simmail.log")


class _Refusing:
    """A file on a disk that is full for a while."""

    def __init__(self, file: StringIO, refusing: Event) -> None:
        self._file, self._refusing = file, refusing

    def write(self, text: str) -> None:
        """Some lines."""
        if self._refusing.is_set():
            raise OSError(28, "No space left on device")
        self._file.write(text)

    def flush(self) -> None:
        """Nothing waits."""
