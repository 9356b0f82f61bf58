"""How a private Redis is run: its lock, its log, signals."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from simmail.database.private import program
from simmail.database.private.program import (
    SETTINGS, arguments, last_words, open_log, runs, send_signal, signal_group, take_lock, written_pid,
)


class FileTests(SynchronousTestCase):
    """Its files."""

    def setUp(self) -> None:
        self.folder = Path(self.mktemp())
        self.folder.mkdir()

    def test_arguments(self) -> None:
        """It listens on its socket alone, and is set so that nothing it has acknowledged is lost."""
        words = arguments(Path("/run/x.sock"))
        options = dict(zip(words[::2], words[1::2]))
        self.assertEqual((options["--port"], options["--unixsocket"], options["--unixsocketperm"]), (
            "0", "/run/x.sock", "600"))
        self.assertEqual({f"--{name}": value for name, value in SETTINGS}.items() - options.items(), set())

    def test_lock(self) -> None:
        """One holds the lock at a time."""
        first = take_lock(self.folder / "lock")
        assert first is not None
        self.assertIsNone(take_lock(self.folder / "lock"))
        os.close(first)
        again = take_lock(self.folder / "lock")
        assert again is not None
        os.close(again)

    def test_log(self) -> None:
        """The log goes on, until it is long; its last line is what is told."""
        self.assertEqual(last_words(self.folder), "no log")
        for text, expected in (("", "no word in redis.log"), ("one\ntwo\n", "two"), ("three", "three")):
            log = open_log(self.folder)
            os.write(log, text.encode())
            os.close(log)
            self.assertEqual(last_words(self.folder), expected)
        self.patch(program, "_LOG_SIZE", 5)
        os.close(open_log(self.folder))
        self.assertEqual((self.folder / "redis.log").read_bytes(), b"")

    def test_pid(self) -> None:
        """What it wrote down, if it is a number."""
        for octets, pid in ((None, None), (b"", None), (b"12\n", 12), (b"x", None), (b"\xff", None)):
            if octets is not None:
                (self.folder / "redis.pid").write_bytes(octets)
            self.assertEqual(written_pid(self.folder), pid)


class SignalTests(SynchronousTestCase):
    """Signals to a process."""

    def start(self, session: bool) -> subprocess.Popen[bytes]:
        child = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(60)"], start_new_session=session)
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        return child

    def test_runs(self) -> None:
        """It does, until it has ended."""
        child = self.start(False)
        self.assertTrue(runs(child.pid))
        child.kill()
        child.wait()
        self.assertFalse(runs(child.pid))
        self.assertTrue(runs(1))

    def test_group(self) -> None:
        """It leads a session of its own, and all of it is told; in its first moment it does not yet."""
        for session in (True, False):
            child = self.start(session)
            self.assertEqual(signal_group(child.pid, 0), session)
            send_signal(child.pid, signal.SIGTERM)
            self.assertEqual(child.wait(30), -signal.SIGTERM)

    def test_gone(self) -> None:
        """There is nobody to be told."""
        child = self.start(True)
        child.kill()
        child.wait()
        self.assertFalse(signal_group(child.pid, signal.SIGTERM))
        send_signal(child.pid, signal.SIGTERM)
