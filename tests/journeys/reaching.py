"""
Attempts to have the service connect to the machine it runs on (promises, S6), made from outside.

Every notation is tried three ways: as a link in a mail, as where an allowed site redirects to, and, where it can stand
behind an at sign, as the domain of a sender who is looked up.
"""

from __future__ import annotations

import socket
from contextlib import suppress
from html import escape
from smtplib import SMTPSenderRefused
from statistics import median
from threading import Thread
from typing import Any, NamedTuple

from tests.journeys.running import Service
from tests.journeys.site import Site
from tests.outbound.notations import HOSTS, urls

NINE = "2026-03-02T09:00:00Z"

#: Links in one mail, people who get each mail (who open most of the links they get), tries for the time it takes.
MOST, READERS, TIMED = 90, 4, 24


class Reached(NamedTuple):
    """
    What came of it.

    @ivar connections: to the ports that must not be reached; followed: redirects that the service came to.
    @ivar words: what was said of the redirected; open_ms, closed_ms: medians for a port with a listener and without.
    """

    notations: int
    connections: int
    followed: int
    words: set[str]
    open_ms: float
    closed_ms: float


class Closet:
    """A port of the own machine, IPv4 and IPv6, that counts who comes."""

    def __init__(self) -> None:
        self.connections = 0
        self._sockets = [socket.create_server(("0.0.0.0", 0))]
        self.port = int(self._sockets[0].getsockname()[1])
        try:
            self._sockets.append(socket.create_server(("::", self.port), family=socket.AF_INET6, dualstack_ipv6=False))
        except OSError:
            pass  # a machine without IPv6
        for one in self._sockets:
            Thread(target=self._listen, args=(one,), daemon=True).start()

    def _listen(self, server: socket.socket) -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            self.connections += 1
            connection.close()

    def close(self) -> None:
        """Listen no more."""
        for one in self._sockets:
            one.close()


def closed_port() -> int:
    """A port nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as one:
        return int(one.getsockname()[1])


def reach(service: Service, site: Site) -> Reached:
    """
    Try everything.

    @param service: running, with C{site} in its C{links.lab_hosts}.
    """
    closet = Closet()
    try:
        return _reach(service, site, closet)
    finally:
        closet.close()


def _reach(service: Service, site: Site, closet: Closet) -> Reached:
    key = service.universe("reach", NINE)
    service.good("PUT", "/api/links", {"max_links": 100, "sender_check": 1, "local_links": "ignore"}, key=key)
    for n in range(READERS):
        service.good("POST", "/api/personas", {
            "addresses": [f"reader{n}@reach.test"], "style": {"links": "curious", "filter": "none"},
            "timing": {"reply_rate": 0}}, key=key)
    tried = urls(closet.port)
    redirected = [one for one in tried if one.isprintable() and one.strip() == one]
    site.pages.update({f"/r/{n}": (302, one, 0.0) for n, one in enumerate(redirected)})
    closed = closed_port()
    for n in range(TIMED):
        site.pages[f"/open/{n}"] = (302, f"http://127.0.0.1:{closet.port}/", 0.0)
        site.pages[f"/closed/{n}"] = (302, f"http://127.0.0.1:{closed}/", 0.0)
    _send(service, "app@shop.test", tried)
    _send(service, "app@shop.test", [f"http://{site.place}/r/{n}" for n in range(len(redirected))])
    _send(service, "app@shop.test", [
        f"http://{site.place}/{one}/{n}" for n in range(TIMED) for one in ("open", "closed")])
    for host in HOSTS:
        if host.isascii() and host.replace(".", "").replace("-", "").isalnum() and not host.endswith("."):
            with suppress(SMTPSenderRefused):
                _send(service, f"app@{host}", [], 1)
    service.good("POST", "/api/clock/advance", {"by": "10d"}, key=key)

    failed = [one["data"] for one in service.events("link.failed", key)]
    timed: dict[str, list[int]] = {"open": [], "closed": []}
    words = set()
    for one in failed:
        path = one["url"].rpartition(site.place)[2].split("/")
        if path[1:2] == ["r"]:
            words.add(one["error"])
        elif path[1:2] in (["open"], ["closed"]):
            timed[path[1]].append(one["ms"])
    return Reached(
        len(tried), closet.connections, len({one for one in site.paths if one.startswith("/r/")}), words,
        median(timed["open"]), median(timed["closed"]))


def _send(service: Service, sender: str, links: list[str], readers: int = READERS) -> None:
    """Mails with links, in HTML so that any character can stand in them."""
    with service.smtp() as session:
        for start in range(0, max(len(links), 1), MOST):
            body = "".join(f'<p><a href="{escape(one)}">Look at this</a></p>\r\n' for one in links[start:start + MOST])
            for n in range(readers):
                to = f"reader{n}@reach.test"
                session.sendmail(sender, [to], (
                    f"From: {sender}\r\nTo: {to}\r\nSubject: Links {start}\r\nMIME-Version: 1.0\r\n"
                    f"Content-Type: text/html; charset=utf-8\r\n\r\n<html>{_lines(body)}</html>\r\n").encode())


def _lines(body: str) -> str:
    # NUL is no character of a mail; a bare line break would be refused as well.
    return body.replace("\0", "&#0;").replace("\r\n", "\0").replace("\r", "&#13;").replace("\n", "&#10;").replace(
        "\0", "\r\n")


def wrong(found: Reached) -> list[str]:
    """What of the promise is not kept."""
    faults: list[str] = []

    def need(kept: Any, told: str) -> None:
        if not kept:
            faults.append(told)

    need(found.connections == 0, f"{found.connections} connections")
    need(found.notations >= 86, f"{found.notations} notations only")
    need(found.followed >= 86, f"only {found.followed} redirects were come to")
    low, high = sorted((found.open_ms, found.closed_ms))
    need(high <= 3 * low + 20, f"open {found.open_ms} ms, closed {found.closed_ms} ms")
    need(not any("refused" in one or "connect" in one for one in found.words), f"told: {sorted(found.words)}")
    return faults
