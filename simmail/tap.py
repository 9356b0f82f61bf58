"""
Options and C{makeService}: the only place that builds and wires the real things.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace
from twisted.application import service
from twisted.internet.defer import Deferred, gatherResults, succeed
from twisted.internet.task import LoopingCall, deferLater
from twisted.internet.threads import deferToThreadPool
from twisted.logger import Logger, globalLogPublisher
from twisted.python import usage
from twisted.python.threadpool import ThreadPool

from simmail import __version__
from simmail.config import Config, lab_host, Listen, load, load_plans
from simmail.core.time.instant import parse_duration
from simmail.daemon.listening.descriptors import Descriptors, Door, held, raise_limit
from simmail.daemon.gc import prefer_latency
from simmail.daemon.listening.listeners import Listener, bind, inherited, reached_at
from simmail.daemon.listening.proxy_protocol import ProxyProtocol
from simmail.daemon.malloc import TRIM, give_back, trim
from simmail.daemon.metrics import LogFigures, ReactorLag, exposition, process_figures
from simmail.daemon.monotonic import SteadyTime
from simmail.daemon.people_file import PeopleFile
from simmail.daemon.signals import SignalledService
from simmail.daemon.state_folder import Announcement, EXPORTS, note_processes, take, unfinished
from simmail.daemon.tls import ServerTls
from simmail.errors import Invalid, Refusal, Unavailable
from simmail.workers.share import WorkerShare, end_with
from simmail.workers.supervisor import Supervisor

if TYPE_CHECKING:
    from simmail.daemon.bootstrap import First
    from simmail.workers.nodes import Nodes
    from simmail.workers.peers import Peers
    from simmail.database.redis import RedisDatabase
    from simmail.mailstore.images import MailImages
    from simmail.mailstore.journal.journal import Journal
    from simmail.mailstore.replication.replicas import Replicas
    from simmail.outbound.object_store import S3ObjectStore
    from simmail.outbound.resolver import Names
    from simmail.server.server import MailServer

#: Threads for passwords and for reading large mail; the mail store brings its own.
THREADS = 8

#: Real seconds that sessions are given to finish what they are doing, and all of stopping may take.
FAREWELL, STOP = 4.0, 9.0
#: Turns of the reactor in which an answer that is known is sent; real seconds in which what is asked is answered.
ANSWERED, ANSWERING = 3, 1.0

#: Real seconds after which whoever waits is told what the start waits for.
TOLD = 0.8

#: How often is tried to file what a run with another number of processes has left.
SETTLING = 5

#: Real seconds between two looks for what the owner of the state folder asks for there.
RESETS = 0.5

#: Real seconds between two looks whether the state folder is where it was and may be written into, and at Redis.
LOOK = 1.0

#: What C{/readyz} says of listeners that are not there, of replicated universes while they are opened, and of commits
#: that no replica is known to have, before why.
NOT_LISTENING, NOT_OPEN = "not listening", "universes are not open yet"
UNCONFIRMED = "what is committed is not known to outlive its Redis"

#: Where a service listens in which nothing goes on.
RESTING = Listen(smtp=None, smtps=None, submission=None, imap=None, imaps=None, http=0)

#: Listeners that take mail.
SMTP = ("smtp", "submission", "smtps")


class Options(usage.Options):
    """What C{twistd simmail} takes."""

    optParameters = [
        ["config", "c", None, "YAML file with what differs from the defaults (see etc/simmail.yaml)."],
        ["state", "s", None, "Folder for mail, Redis, certificate and keys (server.state)."],
        ["default-state", None, None, "The state folder when neither --state nor the configuration names one."],
        ["port-base", "p", 0, "Added to every default port.", int],
        ["settle", None, 0, "File what so many processes have left to be filed, and stop.", int],
        ["worker", None, None, "What one of several processes is told by the one that starts it."],
    ]
    optFlags = [
        ["banner", None, "Print addresses, and at the first start secrets, to standard output instead of the log."],
        ["resting", None, "Serve the HTTP API alone, on any port of this machine, while nothing goes on."],
        ["ready-line", None, "Print one line of JSON once it serves: where, and the files that hold secrets."],
    ]
    longdesc = "A universe of simulated e-mail: SMTP, IMAP and an HTTP API, with people who answer."

    def __init__(self) -> None:
        super().__init__()
        self["webhook-hosts"] = ()

    def opt_webhook_host(self, place: str) -> None:
        """HOST:PORT of a test endpoint that webhooks may reach wherever it is (webhooks.lab_hosts); may be repeated."""
        self["webhook-hosts"] = (*self["webhook-hosts"], lab_host(place, "--webhook-host"))

    def opt_version(self) -> None:
        """Show the version and exit."""
        print(f"simmail {__version__}")
        sys.exit(0)


def makeService(options: Options) -> service.Service:
    """
    Return the whole service, its state folder and its ports already taken.

    Exits with a clear message when the configuration is wrong, another daemon
    has the state folder or a port is busy.
    """
    try:
        config = load(options["config"], os.environ)
        chosen = options["state"] or config.server.state or options["default-state"]
        state = (Path(chosen) if chosen else Path.home() / ".local" / "state" / "simmail").absolute()
        if options["resting"]:
            # One process is enough for what comes and goes as a whole.
            config = replace(config, server=replace(config.server, workers=1))
        if options["worker"]:
            return _worker(config, state, WorkerShare.decode(options["worker"]), options["webhook-hosts"])
        before = unfinished(state)
        if options["settle"]:
            return Supervisor(config, state, take(state), [], None, _command(options, state), options["settle"])
        if before not in (0, config.server.workers):
            _settle(_command(options, state), state, before)
        lock = take(state)
        note_processes(state, config.server.workers)
        listeners = bind(RESTING if options["resting"] else config.listen, options["port-base"],
                         inherited(os.environ, os.getpid()))
        if not listeners:
            raise Invalid("listen", "every listener is switched off")
        from twisted.internet import reactor

        told = Announcement(config, state, listeners, bool(options["banner"]), bool(options["ready-line"]), reactor)
        if config.server.workers > 1:
            return Supervisor(config, state, lock, listeners, told, _command(options, state), config.server.workers)
        return Daemon(config, state, lock, listeners, told.tell, told.end, options["webhook-hosts"],
                      resting=bool(options["resting"]))
    except Refusal as error:
        raise SystemExit(f"simmail: {error}") from None


def _command(options: Options, state: Path) -> list[str]:
    """Return the command that starts another process of the service, but for what that is to do."""
    command = [sys.executable, "-m", "simmail", "run", "--state", str(state)]
    if options["config"]:
        command += ["--config", os.path.abspath(options["config"])]
    for place in options["webhook-hosts"]:
        command += ["--webhook-host", place]
    return command


def _settle(command: list[str], state: Path, count: int) -> None:
    """
    Have what so many processes had accepted filed by so many, before universes belong to others.

    @raise Unavailable: it is not.
    """
    for _ in range(SETTLING):
        subprocess.run([*command, "--settle", str(count)], stdin=subprocess.DEVNULL, check=False)
        if not unfinished(state):
            return
    raise Unavailable(f"what {count} processes had accepted could not be filed; their logs say why")


def _worker(config: Config, state: Path, share: WorkerShare, webhook_hosts: tuple[str, ...]) -> Daemon:
    """Return one of several processes: whoever started it hears that it serves, and ends it by ending."""
    end_with(0)
    return Daemon(config, state, None, share.taken(), lambda first: print(
        json.dumps(first._asdict()), file=sys.__stdout__, flush=True), webhook_hosts=webhook_hosts, share=share)


class Daemon(SignalledService):
    """
    Everything that runs, started and stopped in order.

    @param lock: a descriptor that holds the state folder, None for one of several processes.
    @param listeners: bound sockets; connections wait in their backlog until all is ready.
    @param resting: nothing goes on in any universe.
    @param ready: told what the start made, once it serves; stopping: called when nobody is to come any more.
    @param webhook_hosts: test endpoints besides those of the configuration.
    @param share: of this process, when it is one of several.
    """

    log = Logger()

    def __init__(
        self, config: Config, state: Path, lock: int | None, listeners: list[Listener],
        ready: Callable[[First], object] = lambda first: None, stopping: Callable[[], object] = lambda: None,
        webhook_hosts: tuple[str, ...] = (), share: WorkerShare | None = None, resting: bool = False,
    ) -> None:
        super().__init__()
        self._config = config
        self._state = state
        self._lock = lock
        self._ready, self._no_more = ready, stopping
        self._share = share
        self._peers: Peers | Nodes | None = None
        self._away: Callable[[], list[str]] = list
        self._leaving = False
        self._resting = resting
        self._lab_hosts = webhook_hosts
        self._listeners = listeners
        self._factories: dict[str, Any] = {}
        self._ports: list[Any] = []
        self._pool = ThreadPool(0, THREADS, "simmail")
        self._figures = LogFigures()
        self._stopping: list[Callable[[], Any]] = []
        self._server: MailServer | None = None
        self._objects: S3ObjectStore | None = None
        self._replicas: Replicas | None = None
        self._people: PeopleFile | None = None

    def acts(self) -> Mapping[int, Callable[[], object]]:
        """Return what is done at signals."""
        more: dict[int, Callable[[], object]] = {} if self._share is None else {signal.SIGUSR2: self._leave}
        return {signal.SIGHUP: self._reload, signal.SIGUSR1: self._reopen, **more}

    def _leave(self) -> None:
        """SIGUSR2: another process takes the place of this one, and others are there meanwhile."""
        self._leaving = True
        self._end()

    async def start(self) -> None:
        """Start everything in order."""
        from simmail.database.private.server import PrivateRedis
        from simmail.mailstore.journal.journal import Journal

        config, state, reactor = self._config, self._state, self._reactor
        steady = SteadyTime()
        self._stopping.append(steady.install(reactor))
        self._lag = ReactorLag(reactor)
        self._lag.start()
        self._stopping.append(self._lag.stop)
        give_back()
        self._limit = raise_limit()
        in_thread = partial(deferToThreadPool, reactor, self._pool)
        globalLogPublisher.addObserver(self._figures)
        self._stopping.append(partial(globalLogPublisher.removeObserver, self._figures))
        self._pool.start()
        self._stopping.append(self._pool.stop)
        self._tls = ServerTls(
            config.tls.certificate or str(state / "certificate.pem"), config.tls.key or str(state / "key.pem"),
            bool(config.tls.certificate), (*config.tls.names, config.server.domain))
        # Each begins a process, which takes a moment: the rest is imported meanwhile.
        share = self._share
        suffix, url = ("", config.redis.url) if share is None else (share.suffix, share.redis)
        journal = Journal(str(state / f"journal{suffix}"), reactor)
        self._stopping.append(journal.close)
        begun = succeed(url)
        if not url and config.redis.private:
            redis = PrivateRedis(
                reactor, state, config.redis.server, parse_duration(config.redis.linger).total_seconds())
            self._stopping.append(redis.stop)
            begun = redis.start()
            if redis.left:
                begun = succeed(await begun)  # importing would keep it from being heard in time

        from simmail.core.message.search_match import Sought
        from simmail.core.message.summarize import digest
        from simmail.core.message.thread_keys import thread_keys
        from simmail.core.mime.bodystructure import shown
        from simmail.daemon.bootstrap import First, first_start, look_for_reset, reset_first
        from simmail.daemon.pdf_reader import PdfReader
        from simmail.database.redis import RedisDatabase
        from simmail.imap.factory import ImapFactory, TOO_MANY
        from simmail.mailstore.export.carrying import ArrivingTree, CarriedTree
        from simmail.mailstore.export.folder import ExportFolder
        from simmail.mailstore.images import MailImages
        from simmail.mailstore.index.kept_columns import KeptColumns
        from simmail.mailstore.mailstore import MailStore
        from simmail.outbound.browser import browser
        from simmail.outbound.http_client import Gate
        from simmail.outbound.language_model import KEPT as MODEL_KEPT, language_model
        from simmail.outbound.records import Records
        from simmail.outbound.resolver import Names
        from simmail.outbound.spam_engines import spam_engines
        from simmail.outbound.web_files import WebFiles
        from simmail.outbound.webhook_sender import AT_ONCE, KEPT, WebhookSender
        from simmail.rest.http.server import BUSY
        from simmail.rest.site import api_site
        from simmail.server.documents import SERVER
        from simmail.server.installation.moving import Carriers
        from simmail.server.server import MailServer
        from simmail.smtp.factory import SmtpFactory
        from simmail.smtp.replies import TOO_MANY_CONNECTIONS

        if share is not None:
            from simmail.workers.peers import Peers

            self._peers = Peers(reactor, share, frozenset((SERVER, "demo", config.smtp.default_universe)))
            self._stopping.append(self._peers.close)
        if config.server.peers:
            from simmail.workers.nodes import Nodes

            self._peers = nodes = Nodes(reactor, config.server.node, config.server.peers, config.server.secret)
            self._stopping.append(nodes.close)
            self._away = nodes.away
        database = RedisDatabase(
            reactor, await begun, parse_duration(config.redis.timeout).total_seconds(),
            state / f"numbers{suffix}.json", config.server.node, config.redis.cluster,
            bool(config.server.peers), config.redis.replica)
        self._stopping.append(database.close)
        waiting = reactor.callLater(TOLD, self._tell_of_redis, database)
        try:
            await database.connect()
        finally:
            if waiting.active():
                waiting.cancel()
        await journal.ready

        def look() -> None:
            journal.look()
            database.look()

        looking = LoopingCall(look)
        looking.clock = reactor
        looking.start(LOOK, now=False)
        self._stopping.append(looking.stop)
        names = Names(reactor)
        images = MailImages(str(state / "mail"), journal, str(state / "index"))
        replicas = self._replicated(in_thread, images, names)
        stores = partial(
            MailStore, root=str(state / "mail"), journal=journal, index=str(state / "index"), reactor=reactor,
            digest=digest, shown=shown, most=config.limits.message, wall=time.time, sought=Sought,
            threaded=thread_keys, kept=KeptColumns(),
            replicate=replicas.find if replicas is not None else lambda universe: None)
        gate = Gate(reactor, names.addresses)
        self._stopping.append(gate.close)
        calls = Gate(reactor, names.addresses, at_once=AT_ONCE, kept=KEPT, quiet=0.0)
        self._stopping.append(calls.close)
        chats = Gate(reactor, names.addresses, at_once=config.ai.at_once, kept=MODEL_KEPT, quiet=0.0)
        self._stopping.append(chats.close)
        model = language_model(config.ai, chats, reactor, os.environ.get(config.ai.api_key_env, ""))
        server = MailServer(
            config, database, stores, images, reactor,
            in_thread, partial(token_hex, 12), browser(config.links, gate, reactor),
            WebhookSender(calls, reactor, (*config.webhooks.lab_hosts, *self._lab_hosts)), model,
            load_plans(config.server.plans), steady.wall_clock, Records(),
            spam_engines(config.inspect, gate, reactor), WebFiles(gate, config.links.lab_hosts), PdfReader(reactor),
            self._peers, partial(ExportFolder, str(state / EXPORTS), str(state / "mail")), replicas,
            Carriers(partial(CarriedTree, str(state / "mail")), partial(ArrivingTree, str(state / "mail"))))
        self._stopping.append(server.stop)
        await server.start()
        first = First(False, False, "")
        if self._peers is None or self._peers.mine(SERVER):
            async with server.founding():
                await reset_first(server, config, state)
                first = await first_start(server, config, state)
            self._people = PeopleFile(
                config.people.file, in_thread,
                # Looked for each time: another may have been put in its place.
                lambda people: server.universe(config.smtp.default_universe).people.configured(people))
            if any(one.id == config.smtp.default_universe for one in server.universes()):
                # With a file that is wrong the people stay who there were, and everything else is served.
                await self._people.read("started with the personas there were")
            resets = LoopingCall(look_for_reset, server, config, state, in_thread)
            resets.start(RESETS, now=False)
            self._stopping.append(resets.stop)
        await journal.keep([*(universe.id for universe in server.universes()), *server.awaited])
        self._server = server
        self._serve(server, journal, database, in_thread, {
            "smtp": (SmtpFactory, TOO_MANY_CONNECTIONS), "imap": (ImapFactory, TOO_MANY), "http": (api_site, BUSY)})
        await server.catch_up()
        if not self._resting:
            server.begin()
        # Nobody waits for it: what cannot be reached now is tried again when it is wanted.
        model.probe().addErrback(lambda failure: None)
        trimming = LoopingCall(trim)
        trimming.clock = reactor
        trimming.start(TRIM, now=False)
        self._stopping.append(trimming.stop)
        self._ready(first)
        prefer_latency()

    def _replicated(self, in_thread: Callable[..., Any], images: MailImages, names: Names) -> Replicas | None:
        """Return what keeps mail in a store of objects too, None where none is configured."""
        objects, reactor = self._config.objects, self._reactor
        if not objects.url:
            return None
        from simmail.mailstore.replication.replicas import Replicas
        from simmail.outbound.http_client import Gate
        from simmail.outbound.object_store import KEPT, S3ObjectStore, Secret

        gate = Gate(reactor, names.addresses, kept=KEPT, quiet=0.0)
        self._stopping.append(gate.close)
        store = S3ObjectStore(
            gate, reactor, objects.url, objects.region, Secret(
                os.environ.get(objects.access_key_env, ""), os.environ.get(objects.secret_key_env, "")),
            parse_duration(objects.timeout).total_seconds(), time.time, in_thread)
        self._objects = store
        replicas = self._replicas = Replicas(
            store, reactor, in_thread, str(self._state / "mail"), images,  # type: ignore[arg-type]
            standby=objects.standby)
        return replicas

    def _tell_of_redis(self, database: RedisDatabase) -> None:
        """It may be starting too, so there is patience; but whoever mistyped its address knows now."""
        self.log.warn("waiting for Redis: {trouble}", trouble=database.trouble)
        print(f"simmail: waiting for Redis: {database.trouble}", file=sys.__stderr__, flush=True)

    def _serve(
        self, server: MailServer, journal: Journal, database: RedisDatabase, in_thread: Callable[..., Any],
        doors: dict[str, tuple[Callable[..., Any], bytes]],
    ) -> None:
        """Listen; C{doors}: what serves each protocol, and its words to whom there is no room for."""
        config, reactor, tls = self._config, self._reactor, self._tls
        loopback, proxies = config.local, config.server.networks
        descriptors = Descriptors(self._limit, held())
        for one in self._listeners:
            if one.name == "auth":
                from simmail.rest.nginx_auth import nginx_auth_site

                self._ports.append(reactor.adoptStreamPort(
                    one.socket.fileno(), one.socket.family, nginx_auth_site(server, reached_at(self._listeners))))
                one.socket.close()
                continue
            make, words = doors["smtp" if one.name in SMTP else one.name[:4]]
            if one.name in SMTP:
                factory = make(
                    config, server, reactor, implicit_tls=one.name == "smtps", tls_context=tls,
                    submission=one.name == "submission", loopback_only=loopback)
            elif one.name in ("imap", "imaps"):
                factory = make(
                    config, server.sign_in, reactor, tls_context=tls, implicit_tls=one.name == "imaps",
                    loopback_only=loopback, default_universe=server.default_universe, in_thread=in_thread)
            else:
                factory = make(
                    config, server, reactor, tls=tls, endpoints=reached_at(self._listeners),
                    in_thread=in_thread, peers=self._peers,
                    checks=(("listeners", self._check_listeners), ("store", lambda: _store(journal)),
                            ("redis", lambda: database.away), *((
                                ("objects", self._check_objects), ("replica", lambda: self._check_replica(database))
                            ) if self._replicas is not None else ())),
                    warnings=(self._people_warnings, self._figures.damage, self._away,
                              lambda: [f"journal: {one}" for one in journal.condition.damage]),
                    metrics=(process_figures, database.figures, self._object_figures,
                             partial(exposition, server, self._factories, self._figures, self._lag.seen)))
            self._factories[one.name] = factory
            descriptors.factories.append(factory)
            if one.name in ("smtps", "imaps"):
                from twisted.protocols.tls import TLSMemoryBIOFactory

                factory = TLSMemoryBIOFactory(tls, False, factory)
                factory.noisy = False
                words = b""
            if proxies:
                factory = ProxyProtocol(factory, proxies, reactor)
                descriptors.factories.append(factory)
            door = Door(factory, descriptors, words)
            self._ports.append(reactor.adoptStreamPort(one.socket.fileno(), one.socket.family, door))
            one.socket.close()
        if self._peers is not None:
            self._peers.begin(server, self._factories)

    def _people_warnings(self) -> list[str]:
        return [self._people.wrong] if self._people is not None and self._people.wrong else []

    def _check_listeners(self) -> str:
        return "" if self.running and all(port.connected for port in self._ports) else NOT_LISTENING

    def _object_figures(self) -> str:
        parts = (self._objects, self._replicas)
        return "\n".join(one.figures() for one in parts if one is not None)

    def _check_objects(self) -> str:
        """What is wrong with the store of objects, as far as universes here are concerned."""
        if self._server is None or self._replicas is None or self._objects is None:
            return ""
        if self._replicas.trouble or not self._server.awaited:
            return self._replicas.trouble
        return self._objects.told or NOT_OPEN

    def _check_replica(self, database: RedisDatabase) -> str:
        return f"{UNCONFIRMED}: {database.unconfirmed}" if database.unconfirmed else ""

    def _reopen(self) -> None:
        """SIGUSR1: whoever rotates logs has moved the log file."""
        self.log.info("log file opened again", reopen=True)

    def _reload(self) -> None:
        """SIGHUP: certificate and personas are read again; on an error the old ones stay in force.  So is the log."""
        self._reopen()
        if self.starting:
            return
        try:
            self._tls.reload()
            self.log.info("certificate read again: {sha256}", sha256=self._tls.facts.sha256)
        except Invalid as error:
            self.log.error("the certificate was not read again: {error}", error=error)
        otherwise = "the personas were not read again"
        if self._people is not None:
            Deferred.fromCoroutine(self._people.read(otherwise)).addErrback(
                lambda failure: self.log.error("{otherwise}: {error}", otherwise=otherwise, error=failure.value))

    def stopService(self) -> Deferred[None]:
        """Stop listening, tell sessions, finish what is being done, then close everything in reverse order."""
        super().stopService()
        # Nothing acknowledged is lost by a hard end: what was accepted is in the journal.
        overdue = threading.Timer(STOP, self._give_up)
        overdue.daemon = True
        overdue.start()
        return Deferred.fromCoroutine(self._stop()).addErrback(
            lambda failure: self.log.failure("stopping failed", failure)).addCallback(lambda _: overdue.cancel())

    def _give_up(self) -> None:
        self.log.critical("stopping took longer than {seconds} s: gave up", seconds=STOP)
        os._exit(1)

    async def _halt(self) -> None:
        """Who moves a clock is answered what was done so far."""
        if self._server is None:
            return
        halted = self._server.halt()
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
        self._no_more()
        if self._peers is not None:
            self._peers.drain()
            if self._leaving:
                await self._peers.leave()
        drained = [factory.drain(FAREWELL) for name, factory in self._factories.items() if name in SMTP]
        for name, factory in self._factories.items():
            if name not in (*SMTP, "http"):
                factory.close()
        await self._halt()
        if "http" in self._factories:
            await self._factories["http"].drain(ANSWERING)
        await gatherResults(drained)
        for step in reversed(self._stopping):
            try:
                result = step()
                if hasattr(result, "__await__"):
                    await result
            except Exception:
                self.log.failure("stopping {step} failed", step=step)
        if self._lock is not None:
            os.close(self._lock)
        self.log.info("stopped")


def _store(journal: Journal) -> str:
    """What is wrong with the disks; what is not known yet is asked for, for whoever asks next."""
    journal.touch()
    return journal.condition.told
