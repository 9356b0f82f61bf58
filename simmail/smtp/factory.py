"""
The SMTP server: who may connect, and what all its sessions share.

One factory for each listener: SMTP, submission (both with STARTTLS) and
SMTPS.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.internet.protocol import ServerFactory

from simmail.config import Config
from simmail.interfaces import Handover
from simmail.smtp import replies
from simmail.smtp.context import SmtpContext
from simmail.smtp.relocation import unbound
from simmail.smtp.session import Session

if TYPE_CHECKING:
    from simmail.server.server import MailServer


class SmtpFactory(ServerFactory):
    """
    Makes a session for each connection, within the limits.

    @param reactor: real time.
    @param implicit_tls: TLS is on before the first octet; the caller wraps this factory.
    @param tls_context: for STARTTLS (C{IOpenSSLServerConnectionCreator}), None: it is not announced.
    @param submission: this is the submission port; it differs in the log only, for every port takes submissions.
    @param loopback_only: plain-text AUTH is on unless the configuration says otherwise.
    @ivar connections: everybody who is connected.
    """

    noisy = False

    def __init__(
        self, config: Config, server: MailServer, reactor: IReactorTime, implicit_tls: bool = False,
        tls_context: Any = None, submission: bool = False, loopback_only: bool = True,
    ) -> None:
        self.context = SmtpContext(config, server, reactor, implicit_tls, tls_context, submission, loopback_only)
        self._reactor = reactor
        self._limits = config.smtp
        self.connections: set[Session] = set()
        self._by_remote: Counter[str] = Counter()
        self._sweep: IDelayedCall | None = None
        self._drained: list[Deferred[None]] = []

    def logPrefix(self) -> str:
        """What Twisted writes in front of log lines."""
        return self.context.service

    def buildProtocol(self, addr: Any) -> Session:  # type: ignore[override]
        """A session for a new connection."""
        return Session(self.context, getattr(addr, "host", "") or "local", self)

    def resumed(self, handover: Handover) -> Session:
        """A session that another process has begun."""
        session = Session(self.context, handover.remote, self)
        session.secure, session.handover = handover.secure, handover
        return session

    def unbound(self) -> Iterator[tuple[Any, Callable[[], Handover | None]]]:
        """Yield the transports of sessions, and how those go on in any process that may."""
        yield from ((one.transport, partial(unbound, one)) for one in list(self.connections))

    # Who is connected

    def enter(self, session: Session) -> bool:
        """A connection is made; answers whether it may stay."""
        self.connections.add(session)
        self._by_remote[session.remote] += 1
        if self._sweep is None:
            self._sweep = self._reactor.callLater(self._interval, self._check)
        limits = self._limits
        return (not self.context.draining and len(self.connections) <= limits.connections
                and self._by_remote[session.remote] <= limits.connections_per_address)

    def leave(self, session: Session) -> None:
        """A connection is closed."""
        self.connections.discard(session)
        self._by_remote[session.remote] -= 1
        if not self._by_remote[session.remote]:
            del self._by_remote[session.remote]
        if not self.connections:
            if self._sweep is not None:
                self._sweep.cancel()
                self._sweep = None
            while self._drained:
                self._drained.pop().callback(None)

    @property
    def _interval(self) -> float:
        return min(5.0, self.context.timeout / 10, self.context.total_time / 10)

    def _check(self) -> None:
        # One timer for all: moving one for every command of every session costs more than looking at all now and then.
        self._sweep = self._reactor.callLater(self._interval, self._check)
        now = self._reactor.seconds()
        due = min([session.pump.check(now) for session in list(self.connections)], default=inf) - now
        # Nobody's time is up sooner than it was, so whoever comes next is cut off when it is and not at the next look.
        if self._sweep is not None and due < self._interval:
            self._sweep.reset(max(due, self._interval / 20))

    def drain(self, patience: float = 5.0) -> Deferred[None]:
        """
        Say goodbye to everybody (421 4.3.2), letting messages that are on their way in arrive.

        @return: Deferred that fires when nobody is left, after C{patience} real seconds at the latest.
        """
        self.context.draining = True
        drained: Deferred[None] = Deferred()
        if not self.connections:
            drained.callback(None)
            return drained
        self._drained.append(drained)
        overdue = self._reactor.callLater(patience, self._abort)
        drained.addCallback(lambda _: overdue.cancel() if overdue.active() else None)
        for session in list(self.connections):
            if session.pump.is_idle():
                session.pump.finish(replies.SHUTTING_DOWN)
        return drained

    def _abort(self) -> None:
        for session in list(self.connections):
            session.pump.drop()
