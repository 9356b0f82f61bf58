"""What starts a private Redis, and ends it when nobody has used it for long."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from simmail.database.private import guardian
from tests.stopwatch import Stopwatch

#: Ends in order when it is told to, having said so.
PROGRAM = """
import signal, sys
signal.signal(15, lambda *_: (print('ended'), sys.exit(0)))
print('begun', flush=True)
while True:
    signal.pause()
"""


class GuardianTests(SynchronousTestCase):
    """C{guardian}, run as a program."""

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="simmail-test-"))
        self.lock = self.folder / "daemon.lock"
        self.addCleanup(self.folder.rmdir)
        self.addCleanup(self.lock.unlink, missing_ok=True)

    def start(self, linger: float, *program: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", guardian.__file__, str(self.lock), str(linger), *program],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end, process)
        return process

    def end(self, process: subprocess.Popen[str]) -> None:
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=20)

    def begun(self, linger: float, program: str = PROGRAM) -> subprocess.Popen[str]:
        process = self.start(linger, sys.executable, "-S", "-c", program)
        assert process.stdout is not None
        self.assertEqual(process.stdout.readline(), "begun\n")
        return process

    def held(self) -> int:
        descriptor = os.open(self.lock, os.O_RDWR | os.O_CREAT, 0o600)
        self.addCleanup(os.close, descriptor)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        return descriptor

    def test_left(self) -> None:
        """With the lock free for so long the program is ended, in order."""
        watch = Stopwatch()
        process = self.begun(0.4)
        told, wrong = process.communicate(timeout=20)
        self.assertEqual((told, process.returncode), ("ended\n", 0))
        self.assertIn("Redis is ended", wrong)
        self.assertGreater(watch.seconds(), 0.4)

    def test_used(self) -> None:
        """While somebody holds the lock it stays; it leads a session of its own, which Ctrl-C does not reach."""
        descriptor = self.held()
        process = self.begun(0.2)
        self.assertRaises(subprocess.TimeoutExpired, process.wait, 1.0)
        self.assertEqual(os.getsid(process.pid), process.pid)
        fcntl.flock(descriptor, fcntl.LOCK_UN)
        self.assertEqual(process.communicate(timeout=20)[0], "ended\n")

    def test_folder_gone(self) -> None:
        """Where the folder is gone, and with it whoever could hold the lock, the program is ended too."""
        gone = self.folder / "state"
        gone.mkdir()
        self.lock = gone / "daemon.lock"
        descriptor = self.held()
        process = self.begun(0.4)
        self.lock.unlink()
        gone.rmdir()
        self.assertEqual(process.communicate(timeout=20)[0], "ended\n")
        self.assertGreater(descriptor, 0)

    def test_stubborn(self) -> None:
        """A program that does not end when it is told to is killed."""
        source = Path(guardian.__file__).read_text(encoding="utf-8").replace("GRACE = 1.0, 4.0", "GRACE = 1.0, 0.2")
        path = self.folder / "guardian.py"
        path.write_text(source, encoding="utf-8")
        self.addCleanup(path.unlink)
        self.patch(guardian, "__file__", str(path))
        process = self.begun(0.2, "import signal\nsignal.signal(15, signal.SIG_IGN)\nprint('begun', flush=True)\n"
                                  "while True: signal.pause()\n")
        process.communicate(timeout=20)
        self.assertEqual(process.returncode, -signal.SIGKILL)

    def test_unguarded(self) -> None:
        """With no time given nobody looks after it."""
        process = self.begun(0)
        self.assertRaises(subprocess.TimeoutExpired, process.wait, 0.7)
        self.assertEqual(Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(), "")

    def test_no_program(self) -> None:
        """A program that cannot be run is told by its name."""
        process = self.start(0, str(self.folder / "none"))
        _, wrong = process.communicate(timeout=20)
        self.assertEqual((process.returncode, wrong), (127, f"{self.folder}/none: No such file or directory\n"))
