"""
Options and C{makeService}: the only place that builds and wires the real things.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from twisted.application import service
from twisted.internet.defer import Deferred, gatherResults
from twisted.internet.task import LoopingCall, deferLater
from twisted.internet.threads import deferToThreadPool
from twisted.logger import Logger, globalLogPublisher
from twisted.python import usage
from twisted.python.failure import Failure
from twisted.python.threadpool import ThreadPool

from simmail import __version__
from simmail.config import Config, load, load_people, load_plans
from simmail.core.net.loopback import is_loopback
from simmail.core.time.instant import parse_duration
from simmail.daemon.descriptors import Descriptors, Door, held, raise_limit
from simmail.daemon.gc import prefer_latency
from simmail.daemon.listeners import Listener, TITLES, bind
from simmail.daemon.malloc import TRIM, give_back, trim
from simmail.daemon.metrics import MailFigures, exposition, process_figures
from simmail.daemon.monotonic import LOOK, SteadyTime
from simmail.daemon.signals import hear, hold
from simmail.daemon.tls import ServerTls
from simmail.daemon.warnings import Troubles
from simmail.durable import write
from simmail.errors import Invalid, Refusal, Unavailable

if TYPE_CHECKING:
    from simmail.daemon.bootstrap import First
    from simmail.database.redis import RedisDatabase

#: Threads for passwords and for reading large mail; the mail store brings its own.
THREADS = 8

#: Real seconds that sessions are given to finish what they are doing, and all of stopping may take.
FAREWELL, STOP = 4.0, 9.0
#: Turns of the reactor in which an answer that is known is sent.
ANSWERED = 3

#: Real seconds after which whoever waits is told what the start waits for.
TOLD = 0.8

#: Real seconds before something is tried again that the disk had no room for.
ROOM = 1.0

#: Real seconds between two looks for what the owner of the state folder asks for there.
RESETS = 0.5


#: Real seconds after which a file that did not change is taken for written, and after which nobody waits for that.
WRITTEN, LONGEST_WRITING = 0.5, 5.0

#: Listeners that take mail.
SMTP = ("smtp", "submission", "smtps")


class Options(usage.Options):
    """What C{twistd simmail} takes."""

    optParameters = [
        ["config", "c", None, "YAML file with what differs from the defaults (see etc/simmail.yaml)."],
        ["state", "s", None, "Folder for mail, Redis, certificate and keys (server.state)."],
        ["default-state", None, None, "The state folder when neither --state nor the configuration names one."],
        ["port-base", "p", 0, "Added to every default port.", int],
    ]
    optFlags = [
        ["banner", None, "Print addresses, and at the first start secrets, to standard output instead of the log."],
    ]
    longdesc = "A universe of simulated e-mail: SMTP, IMAP and an HTTP API, with people who answer."

    def opt_version(self) -> None:
        """Show the version and exit."""
        print(f"simmail {__version__}")
        sys.exit(0)


def makeService(options: Options) -> service.Service:
    """
    The whole service, its state folder and its ports already taken.

    Exits with a clear message when the configuration is wrong, another daemon
    has the state folder or a port is busy.
    """
    try:
        config = load(options["config"])
        chosen = options["state"] or config.server.state or options["default-state"]
        state = (Path(chosen) if chosen else Path.home() / ".local" / "state" / "simmail").absolute()
        lock = take(state)
        listeners = bind(config.listen, options["port-base"])
        if not listeners:
            raise Invalid("listen", "every listener is switched off")
        return Daemon(config, state, lock, listeners, bool(options["banner"]))
    except Refusal as error:
        raise SystemExit(f"simmail: {error}") from None


def take(state: Path) -> int:
    """
    The state folder is made and is ours while the descriptor answered is open.

    @raise Invalid: it cannot be made or written.  @raise Unavailable: another daemon has it.
    """
    try:
        state.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(state / "daemon.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise Invalid("server.state", f"{state} cannot be used: {error.strerror}") from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise Unavailable(f"another simmail is running on {state}; stop it, or name another folder with --state"
                          ) from None
    # Where an earlier daemon listened is of no use to anybody who waits for this one.
    (state / "endpoints.json").unlink(missing_ok=True)
    return lock


def _written(path: str) -> list[Any]:
    """
    The personas of a file that nobody is just writing: one that changes is looked at again; for a thread.

    @raise Invalid: as C{load_people}, or it goes on changing.
    """
    deadline = time.monotonic() + LONGEST_WRITING
    while True:
        before = _state_of(path)
        if before is None or time.time() - before[0] / 1e9 > WRITTEN:
            return load_people(path)
        time.sleep(WRITTEN / 2)
        if before == _state_of(path):
            return load_people(path)
        if time.monotonic() > deadline:
            raise Invalid("people.file", f"{path}: is being written")


def _state_of(path: str) -> tuple[int, int, int] | None:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


class Daemon(service.Service):
    """
    Everything that runs, started and stopped in order.

    @param lock: a descriptor that holds the state folder.
    @param listeners: bound sockets; connections wait in their backlog until all is ready.
    @param banner: what a start tells goes to standard output; else to the log, without secrets.
    """

    log = Logger()

    def __init__(
        self, config: Config, state: Path, lock: int, listeners: list[Listener], banner: bool = False
    ) -> None:
        self._config = config
        self._state = state
        self._lock = lock
        self._banner = banner
        self._listeners = listeners
        self._factories: dict[str, Any] = {}
        self._ports: list[Any] = []
        self._pool = ThreadPool(0, THREADS, "simmail")
        self._figures = MailFigures()
        self._troubles = Troubles()
        self._stopping: list[Callable[[], Any]] = []
        self._started: Deferred[None] | None = None
        self._failed = self._ending = False
        self._roster: Any = None
        self._warnings: dict[str, str] = {}
        self._people_read = 0
        self._noting: Any = None

    def startService(self) -> None:
        """Begin to start once the reactor runs; what fails ends the process with status 1 and a message."""
        hold()
        super().startService()
        from twisted.internet import reactor

        self._reactor: Any = reactor
        self._reactor.callWhenRunning(self._begin)

    def _begin(self) -> None:
        hear({signal.SIGTERM: self._end, signal.SIGINT: self._end, signal.SIGHUP: self._reload,
              signal.SIGUSR1: self._reopen}, self._reactor.callFromThread)
        self._started = Deferred.fromCoroutine(self._start())
        self._started.addErrback(self._did_not_start)

    def _end(self) -> None:
        """SIGTERM, SIGINT: stop in order; a second one changes nothing."""
        if not self._ending:
            self._ending = True
            self._reactor.stop()

    def _did_not_start(self, failure: Failure) -> None:
        if self._ending:
            return
        self._failed = True
        if failure.check(Refusal):
            self.log.error("did not start: {error}", error=failure.value)
        else:
            self.log.failure("did not start", failure)
        print(f"simmail: {failure.getErrorMessage()}", file=sys.__stderr__, flush=True)
        # The reactor has no status of its own to end with.
        self._reactor.addSystemEventTrigger("after", "shutdown", os._exit, 1)
        self._end()

    async def _start(self) -> None:
        from simmail.core.message.search_match import Sought
        from simmail.core.message.summarize import digest
        from simmail.core.mime.bodystructure import shown
        from simmail.daemon.bootstrap import first_start, reset_first
        from simmail.database.private.server import PrivateRedis
        from simmail.database.redis import RedisDatabase
        from simmail.mailstore.journal.journal import Journal
        from simmail.mailstore.mailstore import MailStore
        from simmail.outbound.browser import browser
        from simmail.outbound.http_client import Gate
        from simmail.outbound.resolver import Names
        from simmail.server.server import Roster

        config, state, reactor = self._config, self._state, self._reactor
        steady = self._keep_time()
        give_back()
        self._limit = raise_limit()
        in_thread = partial(deferToThreadPool, reactor, self._pool)
        for observer in (self._figures, self._troubles):
            globalLogPublisher.addObserver(observer)
            self._stopping.append(partial(globalLogPublisher.removeObserver, observer))
        self._pool.start()
        self._stopping.append(self._pool.stop)
        self._tls = ServerTls(
            config.tls.certificate or str(state / "certificate.pem"), config.tls.key or str(state / "key.pem"),
            bool(config.tls.certificate), (*config.tls.names, config.server.domain))
        # First, for its writer takes a moment to begin.
        journal = Journal(str(state / "journal"), reactor)
        self._stopping.append(journal.close)
        url = config.redis.url
        if not url:
            redis = PrivateRedis(
                reactor, state, config.redis.server, parse_duration(config.redis.linger).total_seconds())
            self._stopping.append(redis.stop)
            url = await redis.start()
        database = RedisDatabase(
            reactor, url, parse_duration(config.redis.timeout).total_seconds(), state / "numbers.json")
        self._stopping.append(database.close)
        waiting = reactor.callLater(TOLD, self._tell_of_redis, database)
        try:
            await database.connect()
        finally:
            if waiting.active():
                waiting.cancel()
        await journal.ready
        stores = partial(
            MailStore, root=str(state / "mail"), journal=journal, index=str(state / "index"), reactor=reactor,
            digest=digest, shown=shown, most=config.limits.message, wall=time.time, sought=Sought)
        gate = Gate(reactor, Names(reactor).addresses)
        self._stopping.append(gate.close)
        roster = Roster(
            config, database, stores, reactor, in_thread, partial(token_hex, 12), browser(config.links, gate, reactor),
            load_plans(config.server.plans), steady.wall_clock)
        self._stopping.append(roster.stop)
        await roster.start()
        await reset_first(roster, config, state)
        first = await first_start(roster, config, state)
        await journal.keep([universe.id for universe in roster.universes()])
        self._roster = roster
        self._in_thread: Callable[..., Any] = in_thread
        # With a file that is wrong the people stay who there were, and everything else is served.
        await self._people("started with the personas there were")
        self._serve(roster, journal, in_thread)
        roster.begin()
        resets = LoopingCall(self._look_for_resets, partial(reset_first, roster, config, state), in_thread)
        resets.start(RESETS, now=False)
        self._stopping.append(resets.stop)
        trimming = LoopingCall(trim)
        trimming.clock = reactor
        trimming.start(TRIM, now=False)
        self._stopping.append(trimming.stop)
        prefer_latency()
        self._announce(first)

    async def _look_for_resets(self, reset: Callable[[], Any], in_thread: Callable[..., Any]) -> None:
        """Whether the owner of the state folder asks for another first key (C{admin keys reset-first})."""
        from simmail.daemon.bootstrap import RESET

        try:
            if await in_thread((self._state / RESET).exists):
                await reset()
                self.log.warn("there is another first key, as was asked for; the others of that kind are revoked")
        except (OSError, Unavailable) as error:
            self.log.warn("another first key cannot be made now: {error}", error=error)

    def _tell_of_redis(self, database: RedisDatabase) -> None:
        """It may be starting too, so there is patience; but whoever mistyped its address knows now."""
        self.log.warn("waiting for Redis: {trouble}", trouble=database.trouble)
        print(f"simmail: waiting for Redis: {database.trouble}", file=sys.__stderr__, flush=True)

    def _keep_time(self) -> SteadyTime:
        """From here on until the end the seconds of the reactor go on evenly, whoever sets the wall clock."""
        reactor, steady = self._reactor, SteadyTime()
        before, reactor.seconds = reactor.seconds, steady.seconds
        self._stopping.append(lambda: setattr(reactor, "seconds", before))
        looking = LoopingCall(steady.look)
        looking.clock = reactor
        looking.start(LOOK, now=False)
        self._stopping.append(looking.stop)
        return steady

    def _serve(self, roster: Any, journal: Any, in_thread: Callable[..., Any]) -> None:
        from simmail.imap.factory import ImapFactory, TOO_MANY
        from simmail.rest.http.server import BUSY
        from simmail.rest.site import api_site
        from simmail.smtp.replies import TOO_MANY_CONNECTIONS
        from simmail.smtp.server import SmtpFactory

        config, reactor, tls = self._config, self._reactor, self._tls
        loopback = is_loopback(config.listen.host)
        descriptors = Descriptors(self._limit, held(), self._connections)
        for one in self._listeners:
            if one.name in SMTP:
                factory: Any = SmtpFactory(
                    config, roster, reactor, implicit_tls=one.name == "smtps", tls_context=tls,
                    submission=one.name == "submission", loopback_only=loopback)
                words = TOO_MANY_CONNECTIONS
            elif one.name in ("imap", "imaps"):
                factory = ImapFactory(
                    config, roster.sign_in, reactor, tls_context=tls, implicit_tls=one.name == "imaps",
                    loopback_only=loopback, home=roster.home, in_thread=in_thread)
                words = TOO_MANY
            else:
                factory = api_site(
                    config, roster, reactor, tls=tls, endpoints=self.endpoints(), in_thread=in_thread,
                    checks=(("listeners", self._check_listeners), ("store", lambda: journal.condition.told)),
                    warnings=(self._warnings.values, self._troubles.told,
                              lambda: [f"journal: {one}" for one in journal.condition.damage]),
                    metrics=(process_figures, partial(exposition, roster, self._factories, self._figures)))
                words = BUSY
            self._factories[one.name] = factory
            if one.name in ("smtps", "imaps"):
                from twisted.protocols.tls import TLSMemoryBIOFactory

                factory = TLSMemoryBIOFactory(tls, False, factory)
                factory.noisy = False
                words = b""
            door = Door(factory, descriptors, words)
            self._ports.append(reactor.adoptStreamPort(one.socket.fileno(), one.socket.family, door))
            one.socket.close()

    def _connections(self) -> int:
        """Open now, of all listeners."""
        return sum(factory.connections if name == "http" else len(factory.connections)
                   for name, factory in self._factories.items())

    def endpoints(self) -> dict[str, dict[str, object]]:
        """Where to connect, by listener."""
        return {one.name: {"host": one.host, "port": one.port} for one in self._listeners}

    def _check_listeners(self) -> str:
        return "" if self.running and all(port.connected for port in self._ports) else "not listening"

    def _announce(self, first: First) -> None:
        from simmail.daemon.bootstrap import First, banner

        config = self._config
        self._note_endpoints()
        allowed = config.imap.plain_auth_allowed
        plain = is_loopback(config.listen.host) if allowed is None else allowed
        if self._banner:
            print(banner(self._state, self.endpoints(), TITLES, first, plain, config.auth_required),
                  file=sys.__stdout__, flush=True)
        else:
            # Without secrets, which are no matter of a log: where they are kept.
            text = banner(self._state, self.endpoints(), TITLES, First(False, False, first.found), plain)
            for line in filter(None, text.split("\n")):
                self.log.info("{line}", line=line)
        self.log.info("ready: {listeners}", listeners=", ".join(
            f"{TITLES[one.name]} {one.host}:{one.port}" for one in self._listeners))

    def _note_endpoints(self) -> None:
        """For other programs; on a full disk as soon as there is room."""
        try:
            write(self._state / "endpoints.json", json.dumps(self.endpoints(), indent=1).encode() + b"\n", 0o644)
        except OSError as error:
            if self._noting is None:
                self.log.warn("endpoints.json cannot be written: {error}", error=error)
                self._stopping.append(lambda: self._noting.active() and self._noting.cancel())
            self._noting = self._reactor.callLater(ROOM, self._note_endpoints)

    async def _people(self, otherwise: str) -> None:
        """
        Personas of the file that is configured become those of the default universe.

        @param otherwise: what is told when the file is wrong: it changes nobody then.
        """
        path = self._config.people.file
        if not path or self._roster is None:
            return
        self._people_read += 1
        nth = self._people_read
        try:
            entries = await self._in_thread(_written, path)
            if nth != self._people_read:
                # It was asked for again meanwhile, and what was read then counts.
                return
            await self._roster.universe(self._config.smtp.default_universe).people.configured(entries)
        except Invalid as error:
            self.log.error("{otherwise}: {error}", otherwise=otherwise, error=error)
            self._warnings["people"] = str(error)
        else:
            self._warnings.pop("people", None)

    def _reopen(self) -> None:
        """SIGUSR1: whoever rotates logs has moved the log file."""
        self.log.info("log file opened again", reopen=True)

    def _reload(self) -> None:
        """SIGHUP: certificate and personas are read again; on an error the old ones stay in force.  So is the log."""
        self._reopen()
        if self._started is None or not self._started.called:
            return
        try:
            self._tls.reload()
            self.log.info("certificate read again: {sha256}", sha256=self._tls.facts.sha256)
        except Invalid as error:
            self.log.error("the certificate was not read again: {error}", error=error)
        otherwise = "the personas were not read again"
        Deferred.fromCoroutine(self._people(otherwise)).addErrback(
            lambda failure: self.log.error("{otherwise}: {error}", otherwise=otherwise, error=failure.value))

    def stopService(self) -> Deferred[None]:
        """Stop listening, tell sessions, finish what is being done, then close everything in reverse order."""
        super().stopService()
        # Nothing acknowledged is lost by a hard end: what was accepted is in the journal.
        overdue = threading.Timer(STOP, self._give_up)
        overdue.daemon = True
        overdue.start()
        return Deferred.fromCoroutine(self._stop()).addBoth(lambda result: overdue.cancel())

    def _give_up(self) -> None:
        self.log.critical("stopping took longer than {seconds} s: gave up", seconds=STOP)
        os._exit(1)

    async def _halt(self) -> None:
        """Who moves a clock is answered what was done so far."""
        if self._roster is None:
            return
        halted = self._roster.halt()
        halted.addTimeout(FAREWELL, self._reactor)
        try:
            await halted
        except Exception as error:
            self.log.warn("a clock is still being moved: {error}", error=error)
        # What was answered is sent in the turns that follow.
        for _ in range(ANSWERED):
            await deferLater(self._reactor, 0)

    async def _stop(self) -> None:
        if self._started is not None and not self._started.called:
            # What it had begun it takes back first: a Redis that is just being started is no orphan.
            self._started.cancel()
            await self._started
        for one in self._listeners:
            one.socket.close()
        for port in self._ports:
            stopped = port.stopListening()
            if stopped is not None:
                await stopped
        if not self._failed:
            (self._state / "endpoints.json").unlink(missing_ok=True)
        drained = [factory.drain(FAREWELL) for name, factory in self._factories.items() if name in SMTP]
        for name, factory in self._factories.items():
            if name not in (*SMTP, "http"):
                factory.close()
        await self._halt()
        if "http" in self._factories:
            self._factories["http"].close()
        await gatherResults(drained)
        for step in reversed(self._stopping):
            try:
                result = step()
                if hasattr(result, "__await__"):
                    await result
            except Exception:
                self.log.failure("stopping {step} failed", step=step)
        os.close(self._lock)
        self.log.info("stopped")
