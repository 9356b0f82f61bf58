"""
The SMTP server: who may connect, and what all its sessions share.

One factory for each listener: SMTP, submission (both with STARTTLS) and
SMTPS.
"""

from __future__ import annotations

from collections import Counter
from itertools import count
from math import inf
from typing import TYPE_CHECKING, Any

from twisted.internet import protocol
from twisted.internet.defer import Deferred

from simmail.config import Config
from simmail.core.time.instant import parse_duration
from simmail.errors import Unavailable
from simmail.smtp import replies
from simmail.smtp.sasl import MECHANISMS
from simmail.smtp.session import Session

if TYPE_CHECKING:
    from simmail.server.server import Roster
    from simmail.smtp.protocol import Pump
    from simmail.universe.universe import Universe


#: A disk with fewer free octets is full.
FULL = 1 << 20


class SmtpFactory(protocol.ServerFactory):
    """
    Makes a session for each connection, within the limits.

    @param reactor: real time (C{IReactorTime}).
    @param implicit_tls: TLS is on before the first octet; the caller wraps this factory.
    @param tls_context: for STARTTLS (C{IOpenSSLServerConnectionCreator}), None: it is not announced.
    @param submission: this is the submission port; it differs in the log only, for every port takes submissions.
    @param loopback_only: plain-text AUTH is on unless the configuration says otherwise.
    """

    noisy = False

    def __init__(
        self, config: Config, roster: Roster, reactor: Any, implicit_tls: bool = False, tls_context: Any = None,
        submission: bool = False, loopback_only: bool = True,
    ) -> None:
        self.config, self.roster, self.reactor = config, roster, reactor
        self.implicit_tls, self.tls_context = implicit_tls, tls_context
        self.service = "SMTPS" if implicit_tls else "SUBMISSION" if submission else "SMTP"
        allowed = config.smtp.plain_auth_allowed
        self.plain_auth_allowed = loopback_only if allowed is None else allowed
        self.auth_required = config.auth_required
        self.timeout = parse_duration(config.smtp.timeout, "smtp.timeout").total_seconds()
        self.total_time = parse_duration(config.smtp.total_time, "smtp.total_time").total_seconds()
        self.greeting = replies.greeting(config.server.domain)
        self.helo = replies.reply(250, "", config.server.domain)
        self.draining = False
        self._ehlo = {
            (secure, signed_in): self._announce(secure, signed_in)
            for secure in (False, True) for signed_in in (False, True)}
        self._sessions: set[Pump] = set()
        self._by_remote: Counter[str] = Counter()
        self._numbers = count(1)
        self._sweep: Any = None
        self._drained: list[Deferred[None]] = []

    def logPrefix(self) -> str:
        """What Twisted writes in front of log lines."""
        return self.service

    def buildProtocol(self, addr: Any) -> Session:  # type: ignore[override]
        """A session for a new connection."""
        session = Session(self, getattr(addr, "host", "") or "local")
        session.host = self.config.server.domain
        return session

    def ehlo(self, secure: bool, signed_in: bool) -> bytes:
        """The answer to EHLO: what is served in this state, and nothing else."""
        return self._ehlo[secure, signed_in]

    def _announce(self, secure: bool, signed_in: bool) -> bytes:
        lines = [self.config.server.domain, "PIPELINING", f"SIZE {self.config.limits.message}", "8BITMIME",
                 "SMTPUTF8", "ENHANCEDSTATUSCODES", "DSN", "CHUNKING"]
        if self.tls_context is not None and not secure:
            lines.append("STARTTLS")
        if not signed_in and (secure or self.plain_auth_allowed):
            lines.append("AUTH " + b" ".join(MECHANISMS).decode("ascii"))
        return replies.reply(250, "", *lines, "HELP")

    def away(self, octets: int = 0) -> bytes:
        """
        What is said while no mail can be taken: that the disk is full where it is, for Redis is often on the same.

        @param octets: of the message that was not taken.
        """
        universe = self.home()
        try:
            full = universe is not None and universe.store.space()[0] < FULL + 2 * octets
        except Unavailable:
            full = False
        return replies.DISK_FULL if full else replies.AWAY

    def number(self) -> str:
        """A name for a session or a defect, in the log."""
        return f"{next(self._numbers):x}"

    def home(self, login: str = "") -> Universe | None:
        """The universe a login belongs to, else the one for mail of nobody's; None when there is no such."""
        return self.roster.home(login)

    # Who is connected

    def enter(self, session: Pump) -> bool:
        """A connection is made; answers whether it may stay."""
        self._sessions.add(session)
        self._by_remote[session.remote] += 1
        if self._sweep is None:
            self._sweep = self.reactor.callLater(self._interval, self._check)
        limits = self.config.smtp
        return (not self.draining and len(self._sessions) <= limits.connections
                and self._by_remote[session.remote] <= limits.connections_per_address)

    def leave(self, session: Pump) -> None:
        """A connection is gone."""
        self._sessions.discard(session)
        self._by_remote[session.remote] -= 1
        if not self._by_remote[session.remote]:
            del self._by_remote[session.remote]
        if not self._sessions:
            if self._sweep is not None:
                self._sweep.cancel()
                self._sweep = None
            while self._drained:
                self._drained.pop().callback(None)

    @property
    def connections(self) -> set[Pump]:
        """Everybody who is connected."""
        return self._sessions

    @property
    def _interval(self) -> float:
        return min(5.0, self.timeout / 10, self.total_time / 10)

    def _check(self) -> None:
        # One timer for all: moving one for every command of every session costs more than looking at all now and then.
        self._sweep = self.reactor.callLater(self._interval, self._check)
        now = self.reactor.seconds()
        due = min([session.check(now) for session in list(self._sessions)], default=inf) - now
        # Nobody's time is up sooner than it was, so whoever comes next is cut off when it is and not at the next look.
        if self._sweep is not None and due < self._interval:
            self._sweep.reset(max(due, self._interval / 20))

    def drain(self, patience: float = 5.0) -> Deferred[None]:
        """
        Say goodbye to everybody (421 4.3.2), letting messages that are on their way in arrive.

        @return: Deferred that fires when nobody is left, after C{patience} real seconds at the latest.
        """
        self.draining = True
        drained: Deferred[None] = Deferred()
        if not self._sessions:
            drained.callback(None)
            return drained
        self._drained.append(drained)
        overdue = self.reactor.callLater(patience, self._abort)
        drained.addCallback(lambda _: overdue.active() and overdue.cancel() or None)
        for session in list(self._sessions):
            if session.at_rest():
                session.finish(replies.SHUTTING_DOWN)
        return drained

    def _abort(self) -> None:
        for session in list(self._sessions):
            session.drop()
