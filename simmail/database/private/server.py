"""
The private Redis, for when none is configured.

It listens on a Unix socket only, syncs its log before it answers, and
outlives a daemon that is killed: the next start takes it over when it answers
as the Redis of this folder, else ends it and starts another.  When no daemon
comes for long it is ended by its L{guardian}.  Two locks keep
order: C{daemon.lock} is held by the daemon, so two never share a folder;
C{redis.lock} is held by the Redis itself through an inherited descriptor, so
whether one lives is known without trusting a process id (decisions, section 20).
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall
from twisted.internet.protocol import ProcessProtocol
from twisted.internet.task import deferLater
from twisted.logger import Logger
from twisted.python.failure import Failure

from simmail.concurrency import as_deferred
from simmail.database.private import guardian
from simmail.database.private.probe import ask
from simmail.database.private.program import (
    data_folder, find, place_socket, remove_socket, SETTINGS, arguments, last_words, open_log, runs,
    send_signal, signal_group, take_lock, written_pid,
)
from simmail.database.url import unix_url
from simmail.errors import Unavailable

#: Real seconds before each further start of one that dies; the last one stays.  With its disk full it dies of
#: each write, and must be back soon after there is room.
DELAYS = (0.05, 0.2, 0.5, 1.0, 2.0)
#: Real seconds of life after which a death counts as the first one again.
STEADY = 10.0
#: Real seconds to end in, before it is killed.
GRACE = 4.0
#: Real seconds in which one that was left must answer to be taken over.
PATIENCE = 2.0
#: Real seconds that it outlives a daemon that is killed.
LINGER = 600.0


class _Life:
    """One run of the server."""

    def __init__(self, pid: int, since: float) -> None:
        self.pid = pid
        self.since = since
        self.over = False
        self._told: list[Callable[[], object]] = []

    def end(self) -> None:
        """It is over: all who asked are told, once."""
        if not self.over:
            self.over = True
            for told in self._told:
                told()

    def on_end(self, told: Callable[[], object]) -> None:
        """C{told()} is called when it is over, or now."""
        if self.over:
            told()
        else:
            self._told.append(told)

    def ended(self) -> Deferred[None]:
        """Fires when it is over."""
        done: Deferred[None] = Deferred()
        self.on_end(lambda: done.callback(None))
        return done


class _Child(ProcessProtocol):
    def __init__(self, life: _Life) -> None:
        self._life = life

    def processEnded(self, reason: Failure) -> None:
        # A rewrite of the log that it had begun goes on without it and would hold the lock.
        signal_group(self._life.pid, signal.SIGKILL)
        self._life.end()


class PrivateRedis:
    """
    One private Redis under C{<state>/redis}, kept alive between L{start} and L{stop}.

    @ivar left: one of an earlier daemon was there when L{start} began; it has to answer in time to be taken over.
    """

    _log = Logger()

    def __init__(self, reactor: Any, state: str | Path, configured: str = "", linger: float = LINGER) -> None:
        """
        @param configured: C{redis.server} of the configuration: the program to run, C{""} to look for one.
        @param linger: real seconds that it outlives a daemon that is killed; 0 for no end.
        """
        self._reactor = reactor
        self._folder = data_folder(state)
        self._configured = configured
        self._linger = linger
        self._program = ""
        self._socket = Path()
        self._daemon_lock: int | None = None
        self._life: _Life | None = None
        self._restarting: Deferred[None] | None = None
        self._timer: IDelayedCall | None = None
        self._deaths = 0
        self._stopping = False
        self.left = False

    @property
    def url(self) -> str:
        """Its C{unix://} URL, once L{start} has begun."""
        return unix_url(str(self._socket))

    @property
    def pid(self) -> int | None:
        """Its process id, while one answers."""
        return None if self._life is None else self._life.pid

    @as_deferred
    async def start(self) -> str:
        """
        Take over the one that was left, or start one; Deferred of its URL, when it answers and has loaded its data.

        @raise Invalid: C{redis.server} cannot be run.
        @raise Unavailable: no program is found, another daemon has the folder, or it does not start.
        """
        self._program = find(self._configured)
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._folder.chmod(0o700)
        self.left = self._lives()
        self._daemon_lock = await self._take_daemon_lock()
        if self._daemon_lock is None:
            raise Unavailable(f"another simmail is running on {self._folder.parent}")
        try:
            self._socket = place_socket(self._folder)
            await self._run()
        except BaseException:
            os.close(self._daemon_lock)
            self._daemon_lock = None
            raise
        return self.url

    async def _take_daemon_lock(self) -> int | None:
        """Its guardian takes the lock too, for a moment to see whether it is free, or to end it."""
        until = self._reactor.seconds() + PATIENCE
        while True:
            lock = take_lock(self._folder / "daemon.lock")
            if lock is not None or self._reactor.seconds() >= until:
                return lock
            await deferLater(self._reactor, 0.01)

    @as_deferred
    async def stop(self) -> None:
        """End it: it is asked to, killed when it does not, and gone when this fires."""
        self._stopping = True
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        if self._restarting is not None:
            await self._restarting
        life = self._life
        if life is not None:
            # Where its socket is gone nobody can ask it.
            grace = GRACE if self._socket.exists() else 0.0
            try:
                await self._ask(("SHUTDOWN",))
            except Unavailable:
                # Hanging up is how it answers.
                pass
            if not await self._gone(grace):
                await self._kill(life.pid)
            await life.ended()
        if self._daemon_lock is not None:
            remove_socket(self._folder, self._socket)
            os.close(self._daemon_lock)
            self._daemon_lock = None

    async def _run(self) -> None:
        """One answers, and its end will be noticed."""
        life = await self._adopt() if self._lives() else None
        if life is None:
            life = await self._spawn()
        self._life = life
        life.on_end(self._died)

    async def _adopt(self) -> _Life | None:
        until = self._reactor.seconds() + PATIENCE
        while True:
            try:
                pid = await self._recognise()
            except Unavailable as error:
                if not self._lives():
                    return None
                if self._reactor.seconds() < until:
                    # It may have been started a moment ago.
                    await deferLater(self._reactor, 0.05)
                    continue
                self._log.warn("the Redis that was left is of no use ({why}) and is ended", why=str(error))
                await self._kill(written_pid(self._folder))
                return None
            self._log.info("took over the Redis that was left, process {pid}", pid=pid)
            life = _Life(pid, self._reactor.seconds())
            self._watch(life)
            return life

    async def _recognise(self) -> int:
        """Return the process id of the one at the socket: ready, ours, and set as it must be; or Unavailable."""
        folder, info = await self._ask(("CONFIG", "GET", "dir"), ("INFO", "server"))
        if isinstance(folder, Exception) or isinstance(info, Exception):
            raise Unavailable(f"it will not tell who it is: {folder}")
        if os.path.realpath(os.fsdecode(folder[1])) != os.path.realpath(self._folder):
            raise Unavailable("it keeps its data elsewhere")
        for reply in await self._ask(*(("CONFIG", "SET", name, value) for name, value in SETTINGS)):
            if isinstance(reply, Exception):
                raise Unavailable(str(reply))
        await self._ready(None)
        return int(info.split(b"process_id:", 1)[1].split(b"\r\n", 1)[0])

    async def _spawn(self) -> _Life:
        lock = take_lock(self._folder / "redis.lock")
        if lock is None:
            raise Unavailable(f"a Redis that cannot be ended has {self._folder}")
        life = _Life(0, self._reactor.seconds())
        descriptors = [lock]
        try:
            self._socket.unlink(missing_ok=True)
            (self._folder / "redis.pid").unlink(missing_ok=True)
            nothing, log = os.open(os.devnull, os.O_RDONLY), open_log(self._folder)
            descriptors += [nothing, log]
            life.pid = self._reactor.spawnProcess(
                _Child(life), sys.executable,
                [sys.executable, "-I", "-S", guardian.__file__, str(self._folder / "daemon.lock"), str(self._linger),
                 self._program, *arguments(self._socket)],
                env={"LC_ALL": "C"}, path=str(self._folder), childFDs={0: nothing, 1: log, 2: log, 3: lock},
            ).pid
        finally:
            # From now on the lock is the child's alone, and ends with it.
            for descriptor in descriptors:
                os.close(descriptor)
        try:
            await self._ready(life)
        except BaseException:
            if not life.over:
                await self._kill(life.pid)
                await life.ended()
            raise
        return life

    async def _ready(self, life: _Life | None) -> None:
        """Wait until it answers, its data loaded, for as long as C{life} lasts; None: it must, or Unavailable."""
        while True:
            try:
                [reply] = await self._ask(("PING",))
                if reply == b"PONG":
                    return
            except Unavailable:
                if life is None:
                    raise
            if life is not None and life.over:
                raise Unavailable(f"{self._program} did not start: {last_words(self._folder)}")
            if self._stopping:
                raise Unavailable("it is being stopped")
            await deferLater(self._reactor, 0.01)

    def _died(self) -> None:
        life, self._life = self._life, None
        if not self._stopping and life is not None:
            if self._reactor.seconds() - life.since >= STEADY:
                self._deaths = 0
            self._again(last_words(self._folder))

    def _again(self, why: str) -> None:
        delay = DELAYS[min(self._deaths, len(DELAYS) - 1)]
        self._deaths += 1
        self._log.error("Redis ended ({why}); another starts in {delay} s", why=why, delay=delay)
        self._timer = self._reactor.callLater(delay, self._restart)

    def _restart(self) -> None:
        def done(result: Failure | None) -> None:
            self._restarting = None
            if result is not None and not self._stopping:
                self._again(result.getErrorMessage())

        self._restarting = Deferred.fromCoroutine(self._run())
        self._restarting.addBoth(done)

    def _watch(self, life: _Life) -> None:
        # It is no child of ours, so nobody tells of its end.
        if self._lives():
            self._reactor.callLater(0.1, self._watch, life)
        else:
            life.end()

    def _ask(self, *commands: tuple[str, ...]) -> Deferred[list[Any]]:
        return ask(self._reactor, str(self._socket), *commands)

    def _lives(self) -> bool:
        try:
            lock = take_lock(self._folder / "redis.lock")
        except OSError:
            # The folder is away, or its disk refuses: all that is known is the process.
            return self._life is not None and not self._life.over and runs(self._life.pid)
        if lock is None:
            return True
        os.close(lock)
        return False

    async def _gone(self, within: float) -> bool:
        until = self._reactor.seconds() + within
        while self._lives():
            if self._reactor.seconds() >= until:
                return False
            await deferLater(self._reactor, 0.005)
        return True

    async def _kill(self, pid: int | None) -> None:
        # One lives, as its lock shows, and wrote this process id: it is not another's by now.
        if pid is not None:
            # One that was stopped ends only when it goes on.
            for numbers in ((signal.SIGTERM, signal.SIGCONT), (signal.SIGKILL,)):
                for number in numbers:
                    send_signal(pid, number)
                if await self._gone(GRACE / 2):
                    return
        raise Unavailable(f"a Redis that cannot be ended has {self._folder}")
