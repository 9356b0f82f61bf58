"""
Sends webhooks, through the gate.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from zope.interface import implementer

from simmail.core.webhook.retry import WebhookAnswer
from simmail.interfaces import IWebhookSender
from simmail.outbound.http_client import Gate, Request, Unreachable

#: Octets of an answer that are kept; real seconds that a connection is kept (most servers keep theirs for longer).
MOST, KEPT = 1024, 4.0

#: Requests at once, from all universes: those of slow endpoints must leave room for others.
AT_ONCE = 512


@implementer(IWebhookSender)
class WebhookSender:
    """
    Posts to endpoints.

    @param lab: places (C{host:port}) that are reached wherever they are (C{webhooks.lab_hosts}).
    """

    def __init__(self, gate: Gate, reactor: IReactorTime, lab: Collection[str] = ()) -> None:
        self._gate = gate
        self._reactor = reactor
        self._lab = frozenset(lab)

    def send(self, url: str, headers: tuple[tuple[str, str], ...], body: bytes) -> Deferred[WebhookAnswer]:
        """Post a body."""
        return Deferred.fromCoroutine(self._sent(Request(
            url, "POST", headers, body, self._lab, redirects=0, most=MOST, fields=("retry-after", "webhook-delivery"))))

    async def _sent(self, request: Request) -> WebhookAnswer:
        begin = self._reactor.seconds()
        try:
            answer: Any = await self._gate.fetch(request)
        except Unreachable as error:
            return WebhookAnswer(ms=self._since(begin), error=str(error))
        return WebhookAnswer(
            answer.status, self._since(begin), "" if answer.status else "no answer",
            answer.body.decode("utf-8", "replace"), answer.fields["retry-after"], answer.fields["webhook-delivery"])

    def vet(self, url: str) -> Deferred[str]:
        """Return why nothing may be sent to an address, C{""} where it may."""
        return Deferred.fromCoroutine(self._gate.vet(url, self._lab))

    def _since(self, begin: float) -> int:
        return max(0, round((self._reactor.seconds() - begin) * 1000))
