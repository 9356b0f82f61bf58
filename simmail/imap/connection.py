"""
What commands see of a connection, and what all connections of a listener share.

Commands and all that tells a client something take an L{ImapConnection}; they never import the session that is one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from itertools import count
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from twisted.internet.defer import Deferred, maybeDeferred
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger

from simmail.config import Config
from simmail.core.time.histogram import Histogram
from simmail.core.time.instant import parse_duration
from simmail.imap.kept_answers import KeptAnswers
from simmail.imap.pending import PendingResponses
from simmail.imap.progress import Progress
from simmail.imap.selected import Selected, SharedLists
from simmail.imap.wire.compress import Inflater
from simmail.imap.wire.input import CommandReader
from simmail.imap.wire.numbers import Digits
from simmail.imap.wire.output import Output
from simmail.interfaces import IMailStore, IPeers
from simmail.server.sasl import Challenge, Portal
from simmail.server.signin import Login
from simmail.universe.universe import Universe

if TYPE_CHECKING:
    from simmail.server.server import MailServer

T = TypeVar("T")


class ListenerContext:
    """
    What all connections of one listener share.

    @param portal: signs in: C{portal.login(credentials, remote, ILogin)} (L{simmail.server.sasl}).
    @param tls_context: for STARTTLS, None to offer none.
    @param loopback_only: every listener is on a loopback address, so that passwords may be sent in clear text
        unless the configuration says otherwise.
    @param in_thread: C{in_thread(call, *args)} gives a Deferred of its result, worked out in a thread.
    @param default_universe: the universe whose fault rules a name meets that signs in, None for none.
    @ivar peers: other processes of the service, None for none; server: who signed in there is told to it.
    @ivar marks: numbers of defects, in the log and for the client; fetches: how long each FETCH took.
    """

    def __init__(
        self, config: Config, portal: Portal, reactor: IReactorTime, tls_context: Any, loopback_only: bool,
        in_thread: Callable[..., Deferred[Any]] = maybeDeferred,
        default_universe: Callable[[str], Universe | None] = lambda username: None,
    ) -> None:
        self.config = config
        self.portal = portal
        self.reactor = reactor
        self.tls_context = tls_context
        allowed = config.imap.plain_auth_allowed
        self.plain_auth_allowed = loopback_only if allowed is None else allowed
        self.in_thread = in_thread
        self.default_universe = default_universe
        self.peers: IPeers | None = None
        self.server: MailServer | None = None
        self.timeout = parse_duration(config.imap.timeout).total_seconds()
        self.login_timeout = parse_duration(config.imap.login_timeout).total_seconds()
        self.lists = SharedLists()
        self.digits = Digits()
        self.answers = KeptAnswers()
        self.marks: Iterator[int] = count(1)
        self.fetches = Histogram()
        # No number comes again after a restart: what rules counted for a connection outlives the process.
        self.numbers: Iterator[int] = count(int(reactor.seconds() * 1000))

    async def in_thread_if(self, worth: bool, call: Callable[[], T]) -> T:
        """Make a call, in a thread if it may take long."""
        if not worth:
            return call()
        result: T = await self.in_thread(call)
        return result


class Waker(Protocol):
    """Tells the client what is pending, soon."""

    def wake(self) -> None:
        """Something is pending."""


class Notifier(Waker, Protocol):
    """Tells the client what it has asked for with NOTIFY."""

    @property
    def at_once(self) -> bool:
        """Whether messages may vanish from the selected mailbox at any time."""

    @property
    def telling(self) -> bool:
        """Whether something is being told between commands."""

    def apply(self) -> None:
        """Another mailbox is selected: of it too, tell what was asked for."""

    async def gather(self) -> None:
        """Tell what other mailboxes are like now, if it is time for that."""

    async def show_new(self, selected: Selected) -> None:
        """Show what was asked for of messages that came into the selected mailbox."""


class ImapConnection(Protocol):
    """
    One connection, as commands see it.

    @ivar context: what it shares with others of its listener.
    @ivar portal: where one signs in.
    @ivar login: who has signed in, None before.
    @ivar selected: the selected folder, None outside the selected state.
    @ivar enabled: extensions the client has switched on.
    @ivar tag: of the command that is being done.
    @ivar number: names the connection where fault rules count.
    @ivar tls: TLS is on.
    @ivar pending: what is to be told beside the selected folder.
    @ivar notifier: tells what the client has asked to be told of, None before it has asked for anything.
    @ivar idling: tells a client that idles, None while it does not.
    @ivar causing: names of mailboxes that the command makes, removes or subscribes to.
    @ivar inflater: of what the client sends, None while it is not compressed.
    @ivar messages: the octets of those that came with the command, in order.
    @ivar failures: logins that failed.
    @ivar hung: a fault rule has it that this client is never answered again.
    @ivar closing: nothing more is taken.
    @ivar input: what the client sends; paused: none of it is taken now.
    @ivar implicit_tls: the listener's; hops: how often other processes have given it away.
    @ivar store: all mail of the universe, once somebody has signed in.
    @ivar address: the mailbox, likewise.
    """

    log: Logger
    context: ListenerContext
    portal: Portal
    config: Config
    reactor: IReactorTime
    login: Login | None
    selected: Selected | None
    enabled: set[bytes]
    tag: bytes
    remote: str
    number: str
    state: str
    tls: bool
    pending: PendingResponses
    progress: Progress
    notifier: Notifier | None
    idling: Waker | None
    causing: frozenset[str]
    inflater: Inflater | None
    output: Output
    messages: list[bytes]
    failures: int
    logging_out: bool
    hung: bool
    closing: bool
    implicit_tls: bool
    hops: int
    transport: Any
    input: CommandReader
    paused: bool

    # Whose it is, once somebody has signed in

    store: IMailStore
    address: str

    def now(self) -> datetime:
        """The simulated instant."""

    def is_full(self) -> bool:
        """Whether the mailbox has the status C{full}."""

    @property
    def utf8(self) -> bool:
        """Whether mailbox names go over the wire in UTF-8."""

    # Answering

    def answer(self, line: bytes) -> None:
        """Send the tagged answer; there is one for each command."""

    def write(self, octets: bytes) -> None:
        """Send a short answer.  @raise ClientGone: the client has left."""

    async def send(self, octets: bytes) -> None:
        """Send part of a long answer: waits while the client does not read, and lets others have a turn."""

    async def yield_to_reactor(self) -> None:
        """Let the reactor turn if this command has had its slice."""

    async def sleep(self, seconds: float) -> None:
        """Wait real seconds.  @raise ClientGone: the client leaves meanwhile."""

    async def ask(self, prompt: bytes) -> bytes:
        """Send a continuation request and wait for one line.  @raise ClientGone: the client leaves instead."""

    def listen(self) -> Deferred[bytes]:
        """Wait for the next line the client sends, outside of any command."""

    def callLater(self, period: float, func: Callable[..., Any], *args: Any) -> IDelayedCall:
        """Call a function after real seconds."""

    def resetTimeout(self) -> None:
        """The client is not idle."""

    # States

    def begin_session(self, login: Login) -> None:
        """The client is who it says it is."""

    def begin_tls(self) -> None:
        """Begin TLS."""

    @property
    def challengers(self) -> Mapping[bytes, Callable[[], Challenge]]:
        """What makes a SASL challenge, by the mechanism."""

    def can_start_tls(self) -> bool:
        """Whether STARTTLS is possible now."""

    def mechanisms(self) -> list[bytes]:
        """The SASL mechanisms that may be used now, none where no password may come over this connection."""

    def begin_compression(self) -> None:
        """From here on everything is deflated, in both directions."""

    def sent_ahead(self) -> bytes:
        """What has come behind the command; it is forgotten."""

    def select(self, selected: Selected) -> None:
        """A folder is selected."""

    def deselect(self) -> None:
        """No folder is selected any more."""

    def require_selected(self, writable: bool = False) -> Selected:
        """The selected folder.  @raise No: it is to be changed and was opened with EXAMINE."""

    @property
    def working(self) -> bool:
        """Whether a command is being done that does not wait for the client."""

    def noticed(self) -> None:
        """Something is to be told, now if the client waits for it."""

    def pace(self) -> None:
        """Read, or do not read, as things stand."""

    def hang_up(self, why: str) -> None:
        """Say goodbye and close; without a word to a client that is never answered."""

    def drop(self) -> None:
        """Hang up without a word."""
