"""
The HTTP site of a running service, put together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from simmail.config import Config
from simmail.core.time.instant import parse_duration
from simmail.interfaces import IPeers
from simmail.rest.api.health import figures, looked
from simmail.rest.app import Application
from simmail.rest.context import Certificate, MailListener, Services
from simmail.rest.http.server import ApiSite, Traffic
from simmail.rest.render.conversation import Conversations
from simmail.rest.render.list import Listings
from simmail.rest.routes import all_routes

if TYPE_CHECKING:
    from simmail.server.server import MailServer

#: Octets of a body that anybody may send, as to sign in: whatever is declared there fits, escaped as JSON can.
UNASKED = 32 * 1024

_LISTENERS: tuple[tuple[str, Literal["SMTP", "SUBMISSION", "SMTPS", "IMAP", "IMAPS"],
                        Literal["none", "starttls", "tls"]], ...] = (
    ("smtp", "SMTP", "starttls"), ("submission", "SUBMISSION", "starttls"), ("smtps", "SMTPS", "tls"),
    ("imap", "IMAP", "starttls"), ("imaps", "IMAPS", "tls"),
)


def api_site(
    config: Config, server: MailServer, reactor: Any, tls: Any = None,
    endpoints: Mapping[str, Mapping[str, Any]] | None = None,
    in_thread: Callable[..., Any] | None = None,
    checks: tuple[tuple[str, Callable[[], str]], ...] = (),
    metrics: tuple[Callable[[], str], ...] = (),
    warnings: tuple[Callable[[], Iterable[str]], ...] = (), peers: IPeers | None = None,
) -> ApiSite:
    """
    Return the factory that serves the API.

    @param tls: what mail programs are shown; its C{facts} describe the certificate (C{simmail.daemon.tls.ServerTls}).
    @param endpoints: host and port of each listener, by its name in lower case.
    @param in_thread: runs a function in a thread, answering a Deferred; without it large mail is read at once.
    @param checks, metrics, warnings, peers: as L{Services} has them.
    """
    bound = endpoints or {}
    listeners = tuple(
        MailListener(title, str(bound[name]["host"]), int(bound[name]["port"]), security if tls else "none")
        for name, title, security in _LISTENERS if name in bound)

    def certificate() -> Certificate | None:
        facts: Certificate | None = None if tls is None else tls.facts
        return facts

    threads = in_thread or (lambda work: work())
    traffic = Traffic()
    services = Services(
        server, config, reactor, traffic, Listings(reactor), listeners, certificate,
        threads, checks, metrics, lambda: len(site.connections), conversations=Conversations(threads),
        warnings=warnings, peers=peers)
    application = Application(services, all_routes())
    limits = config.limits
    rooms = {}
    for route in application.routes:
        if route.role is None:
            # Nobody has shown a key when the body of such a call comes.
            rooms[route.method.encode(), route.path.encode()] = min(UNASKED, limits.json)
        elif route.large:
            rooms[route.method.encode(), route.path.encode()] = limits.message
    site = ApiSite(
        application.dispatcher, reactor, parse_duration(config.http.timeout).total_seconds(),
        config.http.connections, limits.json, rooms, config.http.connections_per_address, traffic.answered)
    site.answers = {
        "looked": partial(looked, services),
        "figures": lambda: (None if peers is None else peers.number, figures(services))}
    return site
