"""
Opens links as a person's browser does, through the gate.

Nothing is run, nothing is kept: no scripts, no cookies, no cache.  The title is
read, and what kind of thing it is.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from zope.interface import implementer

from simmail.config import Links
from simmail.core.decide.page_visit import Errand, Visit
from simmail.core.html.page import read_page
from simmail.core.net.hosts import matches
from simmail.interfaces import IBrowser
from simmail.outbound.http_client import Gate, REDIRECTS, Request, Unreachable
from simmail.outbound.recording import Recorder, Replayer

_ACCEPT = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"
_LANGUAGE = "en,de;q=0.7"

#: RFC 8058 section 3.1: what a client posts to unsubscribe.
_ONE_CLICK = b"List-Unsubscribe=One-Click"


@implementer(IBrowser)
class Browser:
    """
    Visits pages.

    @param lab: places (C{host:port}) that are visited wherever they are.
    """

    def __init__(self, gate: Gate, reactor: IReactorTime, lab: Collection[str] = ()) -> None:
        self._gate = gate
        self._reactor = reactor
        self._lab = frozenset(lab)

    def visit(self, errand: Errand) -> Deferred[Visit]:
        """Open one page."""
        return Deferred.fromCoroutine(self._visited(errand))

    async def _visited(self, errand: Errand) -> Visit:
        headers: list[tuple[str, str]] = [("User-Agent", errand.user_agent)]
        if errand.one_click:
            headers.append(("Content-Type", "application/x-www-form-urlencoded"))
        else:
            headers += [("Accept", _ACCEPT), ("Accept-Language", _LANGUAGE)]

        def permitted(host: str) -> bool:
            return not matches(host, errand.deny) and (errand.allow is None or matches(host, errand.allow))

        begin = self._reactor.seconds()
        try:
            answer: Any = await self._gate.fetch(Request(
                errand.url, "POST" if errand.one_click else "GET", tuple(headers),
                _ONE_CLICK if errand.one_click else None, self._lab, permitted, 0 if errand.one_click else REDIRECTS))
        except Unreachable as error:
            return Visit(ms=self._since(begin), error=str(error))
        title, form = read_page(answer.body, answer.content_type)
        return Visit(
            answer.status, answer.url, title, answer.content_type.partition(";")[0].strip().lower()[:100],
            self._since(begin), form=form)

    def _since(self, begin: float) -> int:
        return max(0, round((self._reactor.seconds() - begin) * 1000))


def browser(links: Links, gate: Gate, reactor: IReactorTime) -> Any:
    """
    Return the C{IBrowser} that is configured.

    @raise Invalid: a folder for visits that cannot be.
    """
    if links.replay:
        return Replayer(links.replay)
    real = Browser(gate, reactor, links.lab_hosts)
    return Recorder(real, links.record) if links.record else real
