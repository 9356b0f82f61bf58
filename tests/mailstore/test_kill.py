"""What is promised is kept when the process is killed at any moment."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
from pathlib import Path
from random import Random

from twisted.trial.unittest import SynchronousTestCase

from tests.contracts.mailstores import DiskProvider, result_of
from tests.mailstore.promises import Promises

_ROUNDS = int(os.environ.get("KILL_ROUNDS", "4"))
_ROOT = Path(__file__).resolve().parents[2]


class KillTests(SynchronousTestCase):
    """A process is killed again and again while it delivers, flags, expunges and appends."""

    def live_and_die(self, path: str, number: int, promised: int) -> list[str]:
        """What one life promised; it is killed soon after so many promises."""
        with subprocess.Popen(
            [sys.executable, "-m", "tests.mailstore.victim", path, str(number)], cwd=_ROOT,
            stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(_ROOT)},
        ) as process:
            assert process.stdout is not None
            lines = []
            try:
                while len(lines) < promised:
                    line = process.stdout.readline()
                    if not line:
                        raise AssertionError("it died by itself")
                    lines.append(line)
            finally:
                process.send_signal(signal.SIGKILL)
            lines += process.stdout.readlines()
        self.assertEqual(process.returncode, -signal.SIGKILL)
        with open(f"{path}/journal/lock", "rb") as lock:
            # Its writer finishes what it was asked, and ends.
            fcntl.flock(lock, fcntl.LOCK_EX)
        return [line.decode() for line in lines if line.endswith(b"\n")]

    def test_killed(self) -> None:
        """Nothing promised is lost, nothing is there twice or damaged, UIDs stay, what is owed comes back."""
        path, promises, random = self.mktemp(), Promises(), Random(7)
        os.makedirs(path)
        for number in range(_ROUNDS):
            for line in self.live_and_die(os.path.abspath(path), number, random.randrange(100, 1500)):
                promises.hear(line)
            provider = DiskProvider(path)
            try:
                owed = result_of(provider.store.uncommitted())
                due = {key for key in promises.filed if key.startswith(f"d-{number}-")} - promises.settled
                self.assertEqual(due.difference(owed), set())
                replayed = {delivery.id for delivery, _ in result_of(provider.store.replay(set(owed) - due))}
                self.assertEqual(due, replayed)
                promises.check(provider.store, self)
            finally:
                provider.die()
        self.assertGreater(len(promises.filed), 100)
        self.assertGreater(len(promises.flagged), 5)
