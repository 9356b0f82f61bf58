"""The process that starts the others."""

from __future__ import annotations

import json
import os
import signal
import tempfile
from pathlib import Path
from shutil import rmtree
from types import SimpleNamespace
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.error import ProcessDone, ProcessTerminated
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from simmail.config import Config, Redis
from simmail.daemon.bootstrap import First
from simmail.workers.share import WorkerShare
from simmail.workers.supervisor import DELAYS, LONGEST_PATH, STEADY, STOP, Supervisor, _environment
from tests.workers.turning import TurningReactor

FIRST = First(True, False, "")


class SupervisorTests(SynchronousTestCase):
    """One of two workers, which are none."""

    def setUp(self) -> None:
        # The path of a Unix socket is short.
        self.state = Path(tempfile.mkdtemp(prefix="simmail-test-"))
        self.addCleanup(rmtree, self.state, True)
        self.told: list[First] = []
        self.signals: list[tuple[int, int]] = []
        self.patch(os, "kill", lambda pid, number: self.signals.append((pid, number)))
        self.supervisor = self.made(self.state)

    def made(self, state: Path) -> Supervisor:
        """One that starts."""
        self.reactor = TurningReactor()
        made = Supervisor(
            Config(redis=Redis(url="unix:///r")), state, 9, [],
            SimpleNamespace(tell=self.told.append, end=lambda: None), ["simmail"], 2)  # type: ignore[arg-type]
        made._reactor = self.reactor
        self.addCleanup(lambda: [door.close() for door in made._doors])
        return made

    def start(self) -> None:
        """Both serve."""
        self.supervisor._started = Deferred.fromCoroutine(self.supervisor.start())
        for number in range(2):
            self.serve(number)

    def serve(self, at: int) -> None:
        """A process that was asked for serves."""
        worker, _ = self.reactor.processes[at]
        worker.transport = SimpleNamespace(pid=100 + at)
        worker.outReceived(json.dumps(FIRST._asdict()).encode()[:5])
        worker.outReceived(json.dumps(FIRST._asdict()).encode()[5:] + b"\n")

    def die(self, at: int, status: int = 1) -> None:
        """A process ends."""
        worker, _ = self.reactor.processes[at]
        worker.transport = SimpleNamespace(pid=None)
        worker.processEnded(Failure(ProcessTerminated(status) if status else ProcessDone(0)))

    def numbers(self) -> list[int]:
        """Which were asked for, in order."""
        return [WorkerShare.decode(arguments[-1]).number for _, arguments in self.reactor.processes]

    def test_starts(self) -> None:
        """The first comes before all others, for it makes what a new server begins with; it is told when all serve."""
        self.supervisor._started = Deferred.fromCoroutine(self.supervisor.start())
        self.assertEqual(self.numbers(), [0])
        self.serve(0)
        self.assertEqual((self.numbers(), self.told), ([0, 1], []))
        self.serve(1)
        self.assertEqual(self.told, [FIRST])
        _, arguments = self.reactor.processes[1]
        share = WorkerShare.decode(arguments[-1])
        self.assertEqual((arguments[:2], share.count, share.redis), (["simmail", "--worker"], 2, "unix:///r"))
        self.assertEqual(share.doors, tuple(f"{self.state}/workers/{number}.sock" for number in range(2)))

    def test_does_not_start(self) -> None:
        """One that ends before it serves ends the start, and nobody is told that it serves."""
        self.supervisor._started = started = Deferred.fromCoroutine(self.supervisor.start())
        self.die(0)
        self.assertIn("its log says why", str(self.failureResultOf(started).value))
        self.assertEqual((self.numbers(), self.told), ([0], []))

    def test_long_path(self) -> None:
        """Where the path of the state folder is too long for a socket there is another."""
        state = self.state / ("x" * LONGEST_PATH)
        state.mkdir()
        self.supervisor = self.made(state)
        self.start()
        self.addCleanup(rmtree, self.supervisor._folder, True)
        self.assertFalse(self.supervisor._folder.startswith(str(self.state)))

    def test_dies_again_and_again(self) -> None:
        """Another one starts, later each time, until one has lived for a while."""
        self.start()
        for at, delay in enumerate((*DELAYS, DELAYS[-1]), 1):
            self.die(at)
            if delay:
                self.reactor.advance(delay * 0.9)
                self.assertEqual(len(self.reactor.processes), at + 1)
            self.reactor.advance(delay * 0.1)
            self.assertEqual(self.numbers()[at + 1:], [1])
            self.serve(at + 1)
        self.reactor.advance(STEADY)
        self.die(len(self.reactor.processes) - 1)
        self.reactor.advance(DELAYS[0])
        self.assertEqual(len(self.reactor.processes), len(DELAYS) + 4)

    def test_rolls(self) -> None:
        """SIGUSR2: one is a new one before the next is ended; asked twice it is done once."""
        self.start()
        self.supervisor._roll()
        self.supervisor._roll()
        self.assertEqual(self.signals, [(100, signal.SIGUSR2)])
        self.die(0, 0)
        self.assertEqual((self.numbers(), self.signals[1:]), ([0, 1, 0], []))
        self.serve(2)
        self.assertEqual(self.signals[1:], [(101, signal.SIGUSR2)])
        self.die(1, 0)
        self.serve(3)
        self.assertEqual((self.numbers(), self.supervisor._rolling), ([0, 1, 0, 1], None))

    def test_overdue(self) -> None:
        """One that does not stop is killed."""
        self.start()
        self.supervisor._roll()
        self.reactor.advance(STOP)
        self.assertEqual(self.signals, [(100, signal.SIGUSR2), (100, signal.SIGKILL)])

    def test_stops(self) -> None:
        """All are asked to stop at once, and nobody is started in their place."""
        self.start()
        closed: list[Any] = []
        self.patch(os, "close", closed.append)
        stopped = self.supervisor.stopService()
        self.assertEqual(self.signals, [(100, signal.SIGTERM), (101, signal.SIGTERM)])
        self.die(0, 0)
        self.assertNoResult(stopped)
        self.die(1, 0)
        self.reactor.advance(0)
        self.successResultOf(stopped)
        self.reactor.advance(DELAYS[-1])
        self.assertEqual((self.numbers(), closed), ([0, 1], [9]))

    def test_passed_on(self) -> None:
        """SIGHUP and SIGUSR1 are for all."""
        self.start()
        for number in (signal.SIGHUP, signal.SIGUSR1):
            self.supervisor.acts()[number]()
        self.assertEqual(self.signals, [(pid, number) for number in (signal.SIGHUP, signal.SIGUSR1)
                                        for pid in (100, 101)])


class EnvironmentTests(SynchronousTestCase):
    """What a worker finds in its environment."""

    def test_log(self) -> None:
        """A log of its own, beside that of the supervisor; standard error is shared."""
        for log, own in (("/v/simmail.log", "/v/simmail-worker-1.log"), ("/v/simmail", "/v/simmail-worker-1"),
                         ("-", "-")):
            self.assertEqual(_environment({"SIMMAILD_LOG": log, "HOME": "/h"}, 1), {"SIMMAILD_LOG": own, "HOME": "/h"})
        self.assertEqual(_environment({}, 1), {"SIMMAILD_LOG": "-"})
