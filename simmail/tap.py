"""
Options and C{makeService}: the only place that builds and wires the real things.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from functools import partial
from pathlib import Path
from secrets import token_hex
from typing import Any

from twisted.application import service
from twisted.internet.defer import Deferred
from twisted.internet.threads import deferToThreadPool
from twisted.logger import Logger
from twisted.python import usage
from twisted.python.threadpool import ThreadPool

from simmail import __version__
from simmail.config import Config, load
from simmail.core.times import parse_duration
from simmail.errors import Invalid, Refusal
from simmail.listeners import TITLES, Listener, bind, is_loopback
from simmail.tls import ServerTls

THREADS = 8


class Options(usage.Options):
    """What C{twistd simmail} takes."""

    optParameters = [
        ["config", "c", None, "YAML file with what differs from the defaults (see etc/simmail.yaml)."],
        ["state", "s", None, "Folder for mail, Redis, certificate and keys (server.state)."],
        ["default-state", None, None, "The state folder when neither --state nor the configuration names one."],
        ["port-base", "p", 0, "Added to every port.", int],
    ]
    longdesc = "A universe of simulated e-mail: SMTP, IMAP and an HTTP API, with people who answer."

    def opt_version(self) -> None:
        """Show the version and exit."""
        print(f"simmail {__version__}")
        sys.exit(0)


def makeService(options: Options) -> service.Service:
    """
    The whole service, its ports already taken.

    Exits with a clear message when the configuration is wrong or a port is busy.
    """
    try:
        config = load(options["config"])
        chosen = options["state"] or config.server.state or options["default-state"]
        state = Path(chosen) if chosen else Path.home() / ".local" / "state" / "simmail"
        listeners = bind(config.listen, options["port-base"])
        return Daemon(config, state.absolute(), listeners)
    except Invalid as error:
        raise SystemExit(f"simmail: {error}") from None


class Daemon(service.Service):
    """
    Everything that runs, started and stopped in order.

    @param listeners: bound sockets; connections wait in their backlog until all is ready.
    """

    log = Logger()

    def __init__(self, config: Config, state: Path, listeners: list[Listener]) -> None:
        self._config = config
        self._state = state
        self._listeners = listeners
        self._ports: list[Any] = []
        self._pool = ThreadPool(0, THREADS, "simmail")
        self._stopping: list[Any] = []
        self._started: Deferred[None] | None = None
        self.tls: ServerTls | None = None

    def startService(self) -> None:
        """Begin to start; what fails ends the process with status 1 and a message."""
        super().startService()
        from twisted.internet import reactor

        self._reactor = reactor
        self._started = Deferred.fromCoroutine(self._start())
        self._started.addErrback(self._failed)

    def _failed(self, failure: Any) -> None:
        if failure.check(Refusal):
            print(f"simmail: {failure.value}", file=sys.stderr)
        else:
            self.log.failure("the service did not start", failure)
            print(f"simmail: did not start: {failure.getErrorMessage()}", file=sys.stderr)
        self._reactor.addSystemEventTrigger("after", "shutdown", os._exit, 1)
        self._reactor.callWhenRunning(self._reactor.stop)

    async def _start(self) -> None:
        from simmail.core.digesting import digest
        from simmail.database.database import RedisDatabase
        from simmail.database.server import PrivateRedis
        from simmail.firststart import first_start
        from simmail.mailstore.journal import Journal
        from simmail.mailstore.mailstore import MailStore
        from simmail.universe.roster import Roster

        config, state, reactor = self._config, self._state, self._reactor
        state.mkdir(mode=0o700, parents=True, exist_ok=True)
        own = bool(config.tls.certificate)
        self.tls = ServerTls(
            config.tls.certificate or str(state / "certificate.pem"), config.tls.key or str(state / "key.pem"),
            own, (*config.tls.names, config.server.domain))
        self._pool.start()
        self._stopping.append(self._pool.stop)
        url = config.redis.url
        if not url:
            redis = PrivateRedis(reactor, str(state), config.redis.server)
            await redis.start()
            self._stopping.append(redis.stop)
            url = redis.url
        database = RedisDatabase(reactor, url, parse_duration(config.redis.timeout).total_seconds())
        await database.connect()
        self._stopping.append(database.close)
        journal = Journal(str(state / "journal"), reactor)
        self._stopping.append(journal.close)
        stores = partial(
            MailStore, root=str(state / "mail"), journal=journal, index=str(state / "index"), reactor=reactor,
            digest=digest)
        roster = Roster(config, database, stores, reactor, partial(deferToThreadPool, reactor, self._pool),
                        partial(token_hex, 12))
        await roster.start()
        self._stopping.append(roster.stop)
        await first_start(roster, config, state)
        self._listen(roster)
        self._previous = signal.signal(signal.SIGHUP, self._hangup) if hasattr(signal, "SIGHUP") else None
        self._announce()

    def _listen(self, roster: Any) -> None:
        from simmail.imap.server import ImapFactory
        from simmail.rest.site import api_site
        from simmail.smtp.server import SmtpFactory

        config, reactor, tls = self._config, self._reactor, self.tls
        for one in self._listeners:
            if one.name in ("smtp", "smtps", "submission"):
                factory: Any = SmtpFactory(
                    config, roster, reactor, implicit_tls=one.name == "smtps", tls_context=tls,
                    submission=one.name == "submission", loopback_only=is_loopback(config.listen.host))
            elif one.name in ("imap", "imaps"):
                factory = ImapFactory(
                    config, roster.sign_in, reactor, tls_context=tls, implicit_tls=one.name == "imaps",
                    loopback_only=is_loopback(config.listen.host))
            else:
                factory = api_site(config, roster, reactor, tls=tls, endpoints=self.endpoints())
            if one.name in ("smtps", "imaps"):
                from twisted.protocols.tls import TLSMemoryBIOFactory

                factory = TLSMemoryBIOFactory(tls, False, factory)
            self._ports.append(reactor.adoptStreamPort(one.socket.fileno(), one.socket.family, factory))
            one.socket.close()

    def endpoints(self) -> dict[str, dict[str, object]]:
        """Where to connect, by listener."""
        return {one.name: {"host": one.host, "port": one.port} for one in self._listeners}

    def _announce(self) -> None:
        from simmail.firststart import banner, secret

        secret(self._state / "endpoints.json", json.dumps(self.endpoints(), indent=1) + "\n")
        print(banner(self._state, self.endpoints(), TITLES), flush=True)

    def _hangup(self, number: int, frame: Any) -> None:
        self._reactor.callFromThread(self._reload)

    def _reload(self) -> None:
        """SIGHUP: certificates and files are read again; on an error the old ones stay in force."""
        try:
            assert self.tls is not None
            self.tls.reload()
            self.log.info("certificate read again")
        except Invalid as error:
            self.log.error("the certificate was not read again: {error}", error=error)

    def stopService(self) -> Deferred[None]:
        """Stop listening, tell sessions, finish what is being done, then close everything in reverse order."""
        super().stopService()
        return Deferred.fromCoroutine(self._stop())

    async def _stop(self) -> None:
        if self._started is not None and not self._started.called:
            self._started.cancel()
        for one in self._listeners:
            if one.socket.fileno() != -1:
                one.socket.close()
        for port in self._ports:
            stopped = port.stopListening()
            if stopped is not None:
                await stopped
        for step in reversed(self._stopping):
            try:
                result = step()
                if hasattr(result, "__await__"):
                    await result
            except Exception:
                self.log.failure("stopping {step} failed", step=step)
