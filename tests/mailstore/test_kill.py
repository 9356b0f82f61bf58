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
from tests.mailstore.promises import MARIA, Promises, SENT, TOM, key_of

_ROUNDS = int(os.environ.get("KILL_ROUNDS", "4"))
_ROOT = Path(__file__).resolve().parents[2]


class Lives(SynchronousTestCase):
    """Has processes that are killed; C{victim}: which."""

    victim = "victim"

    def live_and_die(self, path: str, number: int, promised: int) -> list[str]:
        """What one life promised; it is killed soon after so many promises."""
        with subprocess.Popen(
            [sys.executable, "-m", f"tests.mailstore.{self.victim}", path, str(number)], cwd=_ROOT,
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


class KillTests(Lives):
    """A process is killed again and again while it delivers, flags, expunges and appends."""

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


class KilledImagesTests(Lives):
    """A process is killed again and again while it copies universes into which mail is delivered."""

    victim = "image_victim"

    def test_killed(self) -> None:
        """Of each copy all is there or nothing; what was promised is there, in the original too; no waste stays."""
        path, random, filed = self.mktemp(), Random(3), set[str]()
        os.makedirs(path)
        made: dict[str, set[str]] = {}
        before: dict[str, set[str]] = {}
        for number in range(_ROUNDS // 2):
            going: set[str] = set()
            for line in self.live_and_die(os.path.abspath(path), number, random.randrange(50, 400)):
                what, *words = line.split()
                if what == "filed":
                    filed.add(words[0])
                elif what == "asked":
                    source = made.get(f"kept-{words[0].partition('-')[2]}")
                    before[words[0]] = set(filed) if source is None else source
                elif what == "made":
                    made[words[0]] = before[words[0]]
                elif what == "forked":
                    made[words[0]] = before[words[0]] = {*made[words[0]], words[1]}
                elif what == "going":
                    going.add(words[0])
                elif what == "gone":
                    del made[words[0]]
                else:
                    self.assertEqual(what, "flagged")
            provider = DiskProvider(path)
            try:
                there = set(result_of(provider.images.universes()))
                self.assertEqual(made.keys() - there, going & (made.keys() - there))
                self.assertEqual(there - before.keys(), {"main"})
                for universe in there:
                    store = provider.open(universe)
                    result_of(store.uncommitted())
                    result_of(store.replay(set()))
                    self.assertEqual(before.get(universe, filed) - self.keys(store, MARIA, "INBOX"), set(), universe)
                    self.assertLessEqual(len(before.get(universe, filed) - self.keys(store, TOM, SENT)), 1, universe)
                for part in (".making", ".gone"):
                    self.assertEqual(os.listdir(f"{path}/mail/{part}"), [])
                self.assertGreater(len(there), 2)
                made = {universe: before[universe] for universe in there if universe != "main"}
            finally:
                provider.die()

    def keys(self, store: object, mailbox: str, name: str) -> set[str]:
        """Those of all messages of a folder, each of which is whole and there once."""
        folder = result_of(store.folder(mailbox, name))  # type: ignore[attr-defined]
        keys = [key_of(octets) for _, octets in result_of(folder.reads(folder.uids))]
        self.assertEqual(len(keys), len(set(keys)))
        self.assertEqual(len(keys), len(folder.uids))
        return set(keys)
