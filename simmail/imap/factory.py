"""
All connections of one listener: how many there may be.

Source: decisions, section 23 (time-outs); promises, R10, R12.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from typing import Any

from twisted.internet.defer import Deferred, maybeDeferred
from twisted.internet.interfaces import IReactorTime
from twisted.internet.protocol import Protocol, ServerFactory

from simmail.config import Config
from simmail.imap.connection import ListenerContext
from simmail.imap.relocation import unbound
from simmail.imap.session import ImapSession
from simmail.interfaces import Handover
from simmail.server.sasl import LoginPortal
from simmail.server.signin import Login, Proto
from simmail.universe.universe import Universe

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

    @ivar connections: those open now, with the address of each.
    @param sign_in: C{await sign_in(username, password, "imap", remote)} gives a C{Login} or raises a Refusal.
    @param implicit_tls: the listener speaks TLS from the start (IMAPS).
    @param tls_context, loopback_only, in_thread, default_universe: as for L{ListenerContext}.
    """

    noisy = False

    def __init__(
        self, config: Config, sign_in: Callable[[str, str, Proto, str], Awaitable[Login]], reactor: IReactorTime,
        tls_context: Any = None, implicit_tls: bool = False, loopback_only: bool = False,
        in_thread: Callable[..., Deferred[Any]] = maybeDeferred,
        default_universe: Callable[[str], Universe | None] = lambda username: None,
    ) -> None:
        self.context = ListenerContext(
            config, LoginPortal(sign_in, "imap"), reactor, None if implicit_tls else tls_context, loopback_only,
            in_thread, default_universe)
        self.implicit_tls = implicit_tls
        self.connections: dict[ImapSession, str] = {}
        self._limits = config.imap
        self._connected: dict[str, int] = {}

    def buildProtocol(self, addr: Any) -> Protocol:
        """One more connection, or one too many."""
        host = getattr(addr, "host", "")
        limits = self._limits
        if (len(self.connections) >= limits.connections
                or self._connected.get(host, 0) >= limits.connections_per_address):
            return _TurnedAway()
        return self._session(host)

    def resumed(self, handover: Handover) -> Protocol:
        """A session that another process has begun."""
        session = self._session(handover.remote)
        session.handover = handover
        return session

    def unbound(self) -> Iterator[tuple[Any, Callable[[], Handover | None]]]:
        """Yield the transports of sessions, and how those go on in any process that may."""
        yield from ((one.transport, partial(unbound, one)) for one in list(self.connections))

    def _session(self, host: str) -> ImapSession:
        session = ImapSession(self.context, self.implicit_tls, self.left)
        self.connections[session] = host
        self._connected[host] = self._connected.get(host, 0) + 1
        return session

    def left(self, session: ImapSession) -> None:
        """A connection is closed."""
        host = self.connections.pop(session, None)
        if host is not None:
            self._connected[host] -= 1
            if not self._connected[host]:
                del self._connected[host]

    def close(self) -> None:
        """Say goodbye to everybody."""
        for session in list(self.connections):
            session.hang_up("Server is going down")
