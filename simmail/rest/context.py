"""
What the API is given to work with: the server, the configuration, and what only the wiring knows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Literal, Protocol
from weakref import WeakValueDictionary

from msgspec import Struct, field

from simmail.concurrency import Shared
from simmail.config import Config
from simmail.interfaces import IPeers
from simmail.rest.http.server import Traffic
from simmail.rest.render.conversation import Conversations
from simmail.rest.render.list import Listings, UniverseNumbers
from simmail.rest.render.shown import Showings

if TYPE_CHECKING:
    from simmail.server.server import MailServer


class MailListener(Struct, frozen=True):
    """
    One port that mail programs connect to.

    @ivar name: protocol; address: that is listened on; port: TCP port, 1 to 65535; security: how TLS begins.
    """

    name: Literal["SMTP", "SUBMISSION", "SMTPS", "IMAP", "IMAPS"]
    address: str
    port: int
    security: Literal["none", "starttls", "tls"]


class Certificate(Protocol):
    """The TLS certificate in use; C{simmail.daemon.tls.CertificateFacts} is one."""

    @property
    def self_signed(self) -> bool:
        """Whether it is its own issuer."""

    @property
    def sha256(self) -> str:
        """Its fingerprint, in lower-case hexadecimal."""

    @property
    def subject(self) -> str:
        """Whose it is (RFC 4514)."""

    @property
    def pem(self) -> bytes:
        """The certificate itself."""


def _no_certificate() -> None:
    return None


def _at_once(work: Callable[[], Any]) -> Any:
    return work()


class Services(Struct, frozen=True):
    """
    Everything a call may reach.

    @ivar reactor: IReactorTime, for real seconds only.
    @ivar listings, showings: JSON of listed messages and of whole ones, kept at hand; numbers: of universes, for them.
    @ivar awaited: messages that are being read for those who waited for them.
    @ivar traffic: counts the requests answered; connections: how many are open now.
    @ivar listeners: the mail listeners, as they are bound.
    @ivar certificate: the TLS certificate in use, None for none.
    @ivar in_thread: C{in_thread(work)}: what C{work()} answers, or a Deferred of it when it is done elsewhere.
    @ivar checks: for C{/readyz}, by name: what is wrong, C{""} for nothing.
    @ivar warnings: for C{/readyz}: what somebody should see to, though the service is ready.
    @ivar peers: the other processes of the service, None for none.
    @ivar metrics: for C{/metrics}: text in Prometheus's exposition format, to be put behind the API's own.
    """

    server: MailServer
    config: Config
    reactor: Any
    traffic: Traffic
    listings: Listings
    listeners: tuple[MailListener, ...] = ()
    certificate: Callable[[], Certificate | None] = _no_certificate
    in_thread: Callable[[Callable[[], Any]], Any] = _at_once
    checks: tuple[tuple[str, Callable[[], str]], ...] = ()
    metrics: tuple[Callable[[], str], ...] = ()
    connections: Callable[[], int] = lambda: 0
    showings: Showings = field(default_factory=Showings)
    numbers: UniverseNumbers = field(default_factory=UniverseNumbers)
    awaited: WeakValueDictionary[Any, Shared[Any]] = field(default_factory=WeakValueDictionary)
    conversations: Conversations = field(default_factory=lambda: Conversations(_at_once))
    warnings: tuple[Callable[[], Iterable[str]], ...] = ()
    peers: IPeers | None = None
