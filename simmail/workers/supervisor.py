"""
The process that starts the others: it has the state folder, the ports and the private Redis, and no universe.

A worker that dies is started again and goes on from its journal; meanwhile the others take its connections, and keep
those that are for it until it is there.  SIGTERM ends all; SIGUSR2 starts them anew, one after the other.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from twisted.internet.defer import Deferred, gatherResults
from twisted.internet.protocol import ProcessProtocol
from twisted.internet.task import deferLater
from twisted.logger import Logger
from twisted.python.failure import Failure

from simmail.config import Config
from simmail.core.time.instant import parse_duration
from simmail.daemon.listening.listeners import BACKLOG, Listener
from simmail.daemon.signals import SignalledService
from simmail.daemon.state_folder import Announcement
from simmail.errors import Unavailable
from simmail.workers.share import WorkerShare

if TYPE_CHECKING:
    from simmail.daemon.bootstrap import First

#: Real seconds before each further start of one that dies, the last of them for all that follow; of life after which
#: a death counts as the first again.
DELAYS, STEADY = (0.0, 0.2, 1.0, 2.0), 10.0

#: Real seconds that a worker may take to stop, before it is killed.
STOP = 9.5

#: Real seconds that workers which serve nobody have, to commit what they have found.
SETTLED = 1.0

#: Octets that the path of a Unix socket may have.
LONGEST_PATH = 100

#: The first descriptor of a worker behind the standard ones.
FIRST = 3


class _Worker(ProcessProtocol):
    """One life of a worker."""

    def __init__(self, since: float) -> None:
        self.since = since
        self.ready: Deferred[First] = Deferred()
        self.ended: Deferred[int] = Deferred()
        self.transport: Any
        self._told = b""

    def outReceived(self, data: bytes) -> None:
        """It serves, and says what its start made."""
        from simmail.daemon.bootstrap import First

        self._told += data
        if self._told.endswith(b"\n") and not self.ready.called:
            self.ready.callback(First(**json.loads(self._told)))

    def processEnded(self, reason: Failure) -> None:
        """It has ended, however that came."""
        if not self.ready.called:
            self.ready.errback(Unavailable("a worker did not start; its log says why"))
        self.ended.callback(int(getattr(reason.value, "exitCode", 1) or 0))

    def signal(self, number: int) -> None:
        """Send it a signal, if it lives."""
        if self.transport.pid is not None:
            os.kill(self.transport.pid, number)


class Supervisor(SignalledService):
    """
    The service as several processes.

    @param lock: a descriptor that holds the state folder; workers have it too.
    @param told: tells that it serves; None: it serves nobody, and ends when its workers have begun and stopped.
    @param command: starts another process.
    """

    log = Logger()

    def __init__(
        self, config: Config, state: Path, lock: int, listeners: list[Listener], told: Announcement | None,
        command: list[str], count: int,
    ) -> None:
        super().__init__()
        self._config, self._state, self._lock, self._listeners = config, state, lock, listeners
        self._told, self._command, self._count = told, command, count
        self._workers: dict[int, _Worker] = {}
        self._doors: list[socket.socket] = []
        self._folder = ""
        self._url = config.redis.url
        self._redis: Any = None
        self._deaths: dict[int, int] = {}
        self._rolling: Deferred[None] | None = None

    def acts(self) -> Mapping[int, Callable[[], object]]:
        """Return what is done at signals."""
        return {signal.SIGUSR2: self._roll, signal.SIGHUP: partial(self._pass_on, signal.SIGHUP),
                signal.SIGUSR1: partial(self._pass_on, signal.SIGUSR1)}

    async def start(self) -> None:
        """Start Redis and all workers."""
        from simmail.database.private.server import PrivateRedis

        config = self._config
        if config.redis.private:
            self._redis = PrivateRedis(
                self._reactor, self._state, config.redis.server, parse_duration(config.redis.linger).total_seconds())
            self._url = await self._redis.start()
        self._make_doors()
        # The first one makes what a new server begins with.
        first = await self._spawned(0)
        await gatherResults([
            Deferred.fromCoroutine(self._spawned(number)) for number in range(1, self._count)])
        if self._told is None:
            await deferLater(self._reactor, SETTLED)
            self._end()
        else:
            self._told.tell(first)

    def _make_doors(self) -> None:
        folder = self._state / "workers"
        if len(os.fsencode(folder)) > LONGEST_PATH - 10:
            folder = Path(tempfile.mkdtemp(prefix="simmail-"))
            self._folder = str(folder)
        folder.mkdir(mode=0o700, exist_ok=True)
        for number in range(self._count):
            path = folder / f"{number}.sock"
            path.unlink(missing_ok=True)
            made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            made.bind(str(path))
            made.listen(BACKLOG)
            self._doors.append(made)

    async def _spawned(self, number: int) -> First:
        """Start a worker; what its start made, once it serves."""
        door = FIRST + len(self._listeners)
        share = WorkerShare(
            number, len(self._doors), tuple(
                (one.name, one.host, one.port, FIRST + at) for at, one in enumerate(self._listeners)),
            tuple(one.getsockname() for one in self._doors), door, self._url)
        worker = _Worker(self._reactor.seconds())
        self._workers[number] = worker
        # Its standard input ends with this process, and so does it.
        descriptors: dict[int, Any] = {0: "w", 1: "r", 2: 2, door: self._doors[number].fileno(), door + 1: self._lock}
        descriptors.update((FIRST + at, one.socket.fileno()) for at, one in enumerate(self._listeners))
        self._reactor.spawnProcess(
            worker, sys.executable, [*self._command, "--worker", share.encode()], env=_environment(os.environ, number),
            childFDs=descriptors)
        worker.ended.addCallback(self._died, number, worker)
        return await worker.ready

    def _died(self, status: int, number: int, worker: _Worker) -> None:
        if self._ending or self._workers.get(number) is not worker or self.starting:
            return
        if self._reactor.seconds() - worker.since >= STEADY:
            self._deaths[number] = 0
        delay = DELAYS[min(self._deaths.get(number, 0), len(DELAYS) - 1)]
        self._deaths[number] = self._deaths.get(number, 0) + 1
        self.log.error("worker {number} ended with status {status}; another starts in {delay} s", number=number,
                       status=status, delay=delay)
        self._reactor.callLater(delay, self._again, number)

    def _again(self, number: int) -> None:
        if not self._ending:
            # One that does not start has ended, and its end is seen to.
            Deferred.fromCoroutine(self._spawned(number)).addErrback(lambda failure: failure.trap(Unavailable))

    # Signals

    def _pass_on(self, number: int) -> None:
        self.log.info("log file opened again", reopen=True)
        for worker in self._workers.values():
            worker.signal(number)

    def _roll(self) -> None:
        """SIGUSR2: start all workers anew, one after the other, while the others serve."""
        if self._rolling is None and not self._ending and not self.starting:
            self._rolling = Deferred.fromCoroutine(self._rolled())
            self._rolling.addBoth(self._rolled_all)

    async def _rolled(self) -> None:
        for number in sorted(self._workers):
            old = self._workers.pop(number)
            await self._stopped(old, signal.SIGUSR2)
            if self._ending:
                return
            await self._spawned(number)
            self.log.info("worker {number} is a new one", number=number)

    def _rolled_all(self, result: Any) -> None:
        self._rolling = None
        if isinstance(result, Failure):
            self.log.failure("the workers were not all started anew", result)

    async def _stopped(self, worker: _Worker, number: int = signal.SIGTERM) -> None:
        worker.signal(number)
        overdue = self._reactor.callLater(STOP, worker.signal, signal.SIGKILL)
        await worker.ended
        if overdue.active():
            overdue.cancel()

    # The end

    def stopService(self) -> Deferred[None]:
        """End all workers in order, then Redis."""
        super().stopService()
        return Deferred.fromCoroutine(self._stop())

    async def _stop(self) -> None:
        self._ending = True
        for one in self._listeners:
            one.socket.close()
        if self._told is not None:
            self._told.end()
        workers = [worker for worker in self._workers.values() if not worker.ended.called]
        await gatherResults([Deferred.fromCoroutine(self._stopped(worker)) for worker in workers])
        if self._rolling is not None:
            await self._rolling
        await deferLater(self._reactor, 0)
        if self._redis is not None:
            await self._redis.stop()
        for door in self._doors:
            door.close()
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)
        os.close(self._lock)
        self.log.info("stopped")


def _environment(environment: Mapping[str, str], number: int) -> dict[str, str]:
    """Return the environment of a worker: each has a log of its own."""
    log = environment.get("SIMMAILD_LOG", "-")
    stem, dot, suffix = log.rpartition(".")
    own = log if log == "-" else f"{stem}-worker-{number}{dot}{suffix}" if stem else f"{log}-worker-{number}"
    return {**environment, "SIMMAILD_LOG": own}
