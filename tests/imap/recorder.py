"""A connection without a server: what commands do to it and say over it is noted."""

from __future__ import annotations

from collections.abc import Coroutine
from datetime import datetime
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall
from twisted.logger import Logger

from simmail.config import Config
from simmail.imap.connection import ImapConnection, ListenerContext
from simmail.imap.pending import PendingResponses
from simmail.imap.progress import Progress
from simmail.imap.selected import Selected
from simmail.imap.wire.parser import Arguments
from simmail.imap.wire.replies import ClientGone, No
from simmail.server.sasl import CHALLENGERS, LoginPortal
from tests.imap.play import ADDRESS, House, PASSWORD, now


class Recorder:
    """
    One connection that has signed in.

    @ivar sent: all that was said.
    @ivar said_goodbye: why it was hung up, in order; C{""}: without a word.
    @ivar lines: what the client answers when it is asked, in order.
    @ivar asked: what it was asked.
    @ivar noticed_times: how often something was to be told.
    """

    log = Logger()

    def __init__(self, house: House | None = None, folder: str = "", read_only: bool = False) -> None:
        self.house = house = house or House()
        self.sent = b""
        self.said_goodbye: list[str] = []
        self.lines: list[bytes] = []
        self.asked: list[bytes] = []
        self.noticed_times = 0
        self.reactor: Any = house.reactor
        self.config = Config()
        self.context = ListenerContext(self.config, LoginPortal(house.sign_in, "imap"), self.reactor, None, True)
        self.portal, self.challengers = self.context.portal, CHALLENGERS
        self.login: Any = now(Deferred.fromCoroutine(house.sign_in(ADDRESS, PASSWORD, "imap", "")))
        self.store: Any = house.store
        self.address = ADDRESS
        self.selected: Selected | None = None
        self.enabled: set[bytes] = set()
        self.tag, self.remote, self.number, self.state = b"a", "192.0.2.1", "imap-1", "auth"
        self.tls = self.utf8 = self.logging_out = self.hung = self.closing = self.working = False
        self.pending = PendingResponses(self.noticed)
        self.progress = Progress(self.reactor, self.write, lambda: True)
        self.notifier: Any = None
        self.idling: Any = None
        self.inflater: Any = None
        self.output: Any = None
        self.causing = frozenset[str]()
        self.messages: list[bytes] = []
        self.failures = 0
        self.mechanisms_now = list(CHALLENGERS)
        self.ahead = self.tls_possible = self.compressed = False
        if folder:
            self.select(Selected(house.folder(folder), read_only, self.enabled, self.context.lists))

    # What tests do

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        """The result of a command that waits for nothing."""
        return now(Deferred.fromCoroutine(work))

    def do(self, command: Any, arguments: bytes, *messages: bytes, **options: Any) -> tuple[bytes, Any]:
        """What a command with arguments says, and the text of its OK."""
        self.messages = list(messages)
        before = len(self.sent)
        answer = self.run(command(connection(self), Arguments(b" " + arguments if arguments else b""), **options))
        return self.sent[before:], answer

    # What commands use

    def now(self) -> datetime:
        return self.house.instant

    def is_full(self) -> bool:
        return self.house.status == "full"

    def answer(self, line: bytes) -> None:
        self.write(b"%b %b\r\n" % (self.tag, line))

    def write(self, octets: bytes) -> None:
        if self.closing:
            raise ClientGone
        self.progress.quiet = False
        self.sent += octets

    async def send(self, octets: bytes) -> None:
        self.write(octets)

    async def yield_to_reactor(self) -> None:
        """Nobody else is here."""

    async def sleep(self, seconds: float) -> None:
        self.reactor.advance(seconds)

    async def ask(self, prompt: bytes) -> bytes:
        self.asked.append(prompt)
        return self.lines.pop(0)

    def listen(self) -> Deferred[bytes]:
        self.listening: Deferred[bytes] = Deferred()
        return self.listening

    def callLater(self, period: float, func: Any, *args: Any) -> IDelayedCall:
        call: IDelayedCall = self.reactor.callLater(period, func, *args)
        return call

    def resetTimeout(self) -> None:
        """No time-out is kept."""

    def begin_session(self, login: Any) -> None:
        self.login, self.state = login, "auth"

    def begin_tls(self) -> None:
        self.tls = True

    def can_start_tls(self) -> bool:
        return self.tls_possible

    def mechanisms(self) -> list[bytes]:
        return self.mechanisms_now

    def begin_compression(self) -> None:
        self.compressed = True

    def sent_ahead(self) -> bytes:
        return b"ahead" if self.ahead else b""

    def select(self, selected: Selected) -> None:
        self.selected, self.state = selected, "select"

    def require_selected(self, writable: bool = False) -> Selected:
        assert self.selected is not None
        if writable and self.selected.read_only:
            raise No("The mailbox is selected read-only", "READ-ONLY")
        return self.selected

    def deselect(self) -> None:
        if self.selected is not None:
            self.selected.close()
            self.selected = None

    def noticed(self) -> None:
        self.noticed_times += 1

    def pace(self) -> None:
        """It reads at any time."""

    def hang_up(self, why: str) -> None:
        self.said_goodbye.append(why)
        self.closing = True

    def drop(self) -> None:
        self.hang_up("")


def connection(recorder: Recorder) -> ImapConnection:
    """The same, as its interface: mypy sees that nothing is missing."""
    return recorder
