"""The thread that writes the log."""

from __future__ import annotations

import json
import os
from io import StringIO
from pathlib import Path
from stat import S_IMODE
from threading import Event
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from simmail.daemon.log_line import json_line
from simmail.daemon.log_writer import LogWriter, writable
from simmail.daemon.logfile import RotatingFile, log_file


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

    def test_told(self) -> None:
        """What is missing is told of in the form of the other lines."""
        path = Path(self.mktemp())
        writer = LogWriter(lambda: RotatingFile(str(path)), lambda: 1_770_000_000.0, 3, json_line)
        writer.write("1234\n")
        writer.write("1\n")
        self.assertTrue(writer.close(10.0))
        said, last = path.read_text().splitlines()
        self.assertEqual((json.loads(said)["level"], json.loads(said)["message"][:1], last), ("warn", "1", "1"))

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
