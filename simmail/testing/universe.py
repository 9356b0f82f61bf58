"""
A server in memory: real rules, real rooms, no disk, no Redis, no sockets, no waiting.

Everything fires synchronously, or when the reactor of the test has had its
turn, so a test reads like a story: make a universe, let a message in, move
the clock, look.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from datetime import UTC, datetime
from itertools import count
from typing import Any, Literal, TypeVar

from twisted.internet.defer import Deferred, maybeDeferred
from twisted.internet.task import Clock

from simmail.config import Config
from simmail.core.inspection.engine import SpamEngine
from simmail.core.inspection.sender.lookup import Kind, NoAnswer
from simmail.core.inspection.sender.published import WebFile
from simmail.core.message.summarize import digest
from simmail.core.net.egress import NOWHERE
from simmail.core.rules.quota_plan import Plan, SELF_HOSTED
from simmail.core.wording.attached import ReadPdf, not_read
from simmail.database.memory import MemoryDatabase
from simmail.mailstore.memory.images import MemoryMailImages
from simmail.mailstore.memory.mailstore import MemoryMailStore
from simmail.server.server import MailServer
from simmail.testing.endpoints import MemoryEndpoints
from simmail.testing.language_model import MemoryModel
from simmail.testing.web import MemoryWeb
from simmail.universe.mailflow.envelope import Recipient, Submission
from simmail.universe.universe import Universe

T = TypeVar("T")

#: A Monday; tests tell time from here.
START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def now(coroutine: Coroutine[Any, Any, T] | Deferred[T]) -> T:
    """The result of what has to be finished already; its exception is raised."""
    result: list[Any] = []
    deferred = coroutine if isinstance(coroutine, Deferred) else Deferred.fromCoroutine(coroutine)
    deferred.addBoth(result.append)
    if not result:
        raise AssertionError("it is not finished")
    failure = result[0]
    if hasattr(failure, "raiseException"):
        failure.raiseException()
    value: T = failure
    return value


def turned(universe: Universe, coroutine: Coroutine[Any, Any, T] | Deferred[T]) -> T:
    """The same of what need only wait for its turn: the reactor of C{universe}, a C{Clock}, is given its own."""
    deferred = coroutine if isinstance(coroutine, Deferred) else Deferred.fromCoroutine(coroutine)
    reactor: Any = universe.reactor
    reactor.advance(0)
    return now(deferred)


class MemoryServer:
    """
    A mail server in memory with the organisation C{default}.

    @ivar reactor: a C{task.Clock} for real time.
    @ivar web: the pages there are; none until a test puts some there; endpoints: likewise, of webhooks;
        model: what words mail, where the configuration names one.
    @ivar files: what domains publish for mail, by address.
    @ivar zone: records of the name system, by name and kind; without any it does not answer.
    @ivar plans: by name; that of the organisation is C{self-hosted}.
    @ivar in_thread: runs what takes long, read_pdf: reads PDFs; at once and not at all, until a test puts something
        else there.
    """

    def __init__(self, config: Config | None = None, real: float = START.timestamp()) -> None:
        self.config = config or Config()
        self.reactor = Clock()
        self.reactor.rightNow = real
        self.database = MemoryDatabase(self.reactor.seconds, self.config.server.node)
        numbers = count(1)
        self.unique: Callable[[], str] = lambda: f"d{next(numbers):06d}"
        self.images = MemoryMailImages(lambda universe: MemoryMailStore(universe, digest=digest))
        self._store = self.images.store
        self.web = MemoryWeb()
        self.endpoints = MemoryEndpoints()
        self.model = MemoryModel(self.config.ai.model)
        self.engines: list[SpamEngine] = []
        self.files: dict[str, WebFile] = {}
        self.zone: dict[tuple[str, Kind], tuple[str, ...]] = {}
        self.plans: dict[str, Plan] = {SELF_HOSTED.name: SELF_HOSTED}
        self.in_thread: Callable[..., Deferred[Any]] = maybeDeferred
        self.read_pdf: ReadPdf = not_read
        self.roster = self.started()
        self.roster.begin()
        now(self.roster.create_org("default"))

    def started(self) -> MailServer:
        """Another mail server that has started on what is there, and has not begun."""
        roster = MailServer(
            self.config, self.database, self._store, self.images, self.reactor, lambda *work: self.in_thread(*work),
            self.unique, self.web, self.endpoints, self.model, self.plans, lookup=self._looked_up,
            engines=self.engines, files=self._fetched, read_pdf=lambda octets: self.read_pdf(octets))
        now(roster.start())
        return roster

    @property
    def stores(self) -> dict[str, MemoryMailStore]:
        """The mail of each universe by its id; that of another server may be put here, which was killed."""
        return self.images.stores

    @stores.setter
    def stores(self, stores: dict[str, MemoryMailStore]) -> None:
        self.images.stores = stores

    async def _fetched(self, url: str, redirects: bool) -> WebFile:
        return self.files.get(url, WebFile(error=NOWHERE))

    def _looked_up(self, name: str, kind: Kind) -> tuple[str, ...]:
        if not self.zone:
            raise NoAnswer("there is no name system")
        return self.zone.get((name, kind), ())

    def universe(self, name: str = "main", clock: datetime | None = START, **options: Any) -> Universe:
        """A new universe, frozen at C{START} unless told otherwise."""
        return now(self.roster.create_universe(name, clock=clock, **options))

    def send(self, universe: Universe, sender: str, recipients: str | list[str], octets: bytes,
             via: Literal["smtp", "api"] = "smtp") -> Any:
        """Let a message in, as SMTP would; lines of C{octets} may end in LF."""
        addresses = [recipients] if isinstance(recipients, str) else recipients
        return now(universe.postoffice.accept(Submission(
            sender=sender,
            recipients=tuple(Recipient(one, universe.policy.recipient(one, sender)) for one in addresses),
            octets=octets.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"), via=via)))
