"""
All connections of one listener: how many there may be, and what they share.

Source: decisions, section 23 (time-outs); promises, R10, R12.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from itertools import count
from typing import Any, TypeVar

from twisted.internet.defer import Deferred, maybeDeferred
from twisted.internet.interfaces import IReactorTime
from twisted.internet.protocol import Protocol, ServerFactory

from simmail.config import Config
from simmail.core.time.instant import parse_duration
from simmail.imap.selected import SharedLists
from simmail.imap.server import ImapServer
from simmail.imap.wire.numbers import Digits

T = TypeVar("T")

#: Said to a connection that is one too many.
TOO_MANY = b"* BYE Too many connections; try again later\r\n"


class _TurnedAway(Protocol):
    """A connection over the limit: told so and closed."""

    transport: Any

    def connectionMade(self) -> None:
        self.transport.write(TOO_MANY)
        self.transport.loseConnection()


class ImapFactory(ServerFactory):
    """
    All connections of one listener.

    @param sign_in: C{await sign_in(username, password, "imap", remote)} gives a C{Login} or raises a Refusal.
    @param tls_context: for STARTTLS, None to offer none.
    @param implicit_tls: the listener speaks TLS from the start (IMAPS).
    @param loopback_only: every listener is on a loopback address, so that passwords may be sent in clear text
        unless the configuration says otherwise.
    @param in_thread: C{in_thread(call, *args)} gives a Deferred of its result, worked out in a thread.
    @param home: the universe whose fault rules a name meets that signs in, None for none.
    """

    noisy = False

    def __init__(
        self, config: Config, sign_in: Callable[[str, str, Any, str], Awaitable[Any]], reactor: IReactorTime,
        tls_context: Any = None, implicit_tls: bool = False, loopback_only: bool = False,
        in_thread: Callable[..., Deferred[Any]] = maybeDeferred, home: Callable[[str], Any] = lambda username: None,
    ) -> None:
        self.config = config
        self.sign_in = sign_in
        self.reactor = reactor
        self.in_thread = in_thread
        self.tls_context = None if implicit_tls else tls_context
        self.implicit_tls = implicit_tls
        allowed = config.imap.plain_auth_allowed
        self.plain_auth_allowed = loopback_only if allowed is None else allowed
        self.timeout = parse_duration(config.imap.timeout).total_seconds()
        self.login_timeout = parse_duration(config.imap.login_timeout).total_seconds()
        self.connections: set[ImapServer] = set()
        self.shared = SharedLists()
        self.digits = Digits()
        self.marks = count(1)
        self.home = home
        # No number comes again after a restart: what rules counted for a connection outlives the process.
        self.numbers = count(int(reactor.seconds() * 1000))
        self._places: dict[ImapServer, str] = {}
        self._at: dict[str, int] = {}

    async def in_thread_if(self, worth: bool, call: Callable[[], T]) -> T:
        """Make a call, in a thread if it may take long."""
        if not worth:
            return call()
        result: T = await self.in_thread(call)
        return result

    def buildProtocol(self, addr: Any) -> Protocol:
        """One more connection, or one too many."""
        host = getattr(addr, "host", "")
        limits = self.config.imap
        if len(self._places) >= limits.connections or self._at.get(host, 0) >= limits.connections_per_address:
            return _TurnedAway()
        server = ImapServer(self, self.implicit_tls)
        self._places[server] = host
        self._at[host] = self._at.get(host, 0) + 1
        self.connections.add(server)
        return server

    def left(self, server: ImapServer) -> None:
        """A connection is gone."""
        host = self._places.pop(server, None)
        self.connections.discard(server)
        if host is not None:
            self._at[host] -= 1
            if not self._at[host]:
                del self._at[host]

    def close(self) -> None:
        """Say goodbye to everybody."""
        for server in list(self.connections):
            server.hang_up("Server is going down")
