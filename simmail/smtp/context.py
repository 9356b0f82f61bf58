"""
What all sessions of one listener share: how they are configured, and what they say of it.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

from twisted.internet.interfaces import IReactorTime

from simmail.config import Config
from simmail.core.time.instant import parse_duration
from simmail.errors import Unavailable
from simmail.interfaces import IPeers
from simmail.server.sasl import LoginPortal, Portal
from simmail.smtp import replies

if TYPE_CHECKING:
    from simmail.server.server import MailServer

#: A disk with fewer free octets is full.
FULL = 1 << 20


class SmtpContext:
    """
    Of one listener.

    @ivar database: of the server: healthy while changes can be recorded.
    @ivar portal: signs in: C{portal.login(credentials, remote, ILogin)} (L{simmail.server.sasl}).
    @ivar timeout, total_time: real seconds a client may be silent, and a session last.
    @ivar ehlo: answers to EHLO, by whether TLS is on and somebody has signed in; as far as they were asked for.
    @ivar draining: the server shuts down; peers: other processes of the service, None for none.
    @param submission: this is the submission port; it differs in the log only, for every port takes submissions.
    """

    def __init__(
        self, config: Config, server: MailServer, reactor: IReactorTime, implicit_tls: bool, tls_context: Any,
        submission: bool, loopback_only: bool,
    ) -> None:
        self.config, self.server, self.reactor = config, server, reactor
        self.database = server.database
        self.portal: Portal = LoginPortal(server.sign_in, "smtp")
        self.implicit_tls, self.tls_context = implicit_tls, tls_context
        self.service = "SMTPS" if implicit_tls else "SUBMISSION" if submission else "SMTP"
        allowed = config.smtp.plain_auth_allowed
        self.plain_auth_allowed = loopback_only if allowed is None else allowed
        self.auth_required = config.auth_required
        self.timeout = parse_duration(config.smtp.timeout, "smtp.timeout").total_seconds()
        self.total_time = parse_duration(config.smtp.total_time, "smtp.total_time").total_seconds()
        self.greeting = replies.greeting(config.server.domain)
        self.helo = replies.reply(250, "", config.server.domain)
        self.ehlo: dict[tuple[bool, bool], bytes] = {}
        self.draining = False
        self.peers: IPeers | None = None
        self._numbers = count(1)

    def number(self) -> str:
        """Return a name for a session or a defect, in the log."""
        return f"{next(self._numbers):x}"

    def unavailable_reply(self, octets: int = 0) -> bytes:
        """
        Return what is said while no mail can be taken: that the disk is full where it is, for Redis is often on it.

        @param octets: of the message that was not taken.
        """
        universe = self.server.default_universe()
        try:
            full = universe is not None and universe.store.space()[0] < FULL + 2 * octets
        except Unavailable:
            full = False
        return replies.DISK_FULL if full else replies.AWAY
