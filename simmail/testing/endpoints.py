"""
Endpoints of webhooks in memory: what a test says they answer.
"""

from __future__ import annotations

from collections.abc import Callable

from twisted.internet.defer import Deferred, succeed
from zope.interface import implementer

from simmail.core.net.egress import NOWHERE
from simmail.core.net.url import BadUrl, parse
from simmail.core.webhook.retry import WebhookAnswer
from simmail.interfaces import IWebhookSender

Headers = tuple[tuple[str, str], ...]
Reply = WebhookAnswer | Callable[[Headers, bytes], "Deferred[WebhookAnswer]"]


@implementer(IWebhookSender)
class MemoryEndpoints:
    """
    Endpoints by address; nobody is anywhere else.

    @ivar got: C{(url, headers, body)} in the order they came.
    """

    def __init__(self) -> None:
        self.replies: dict[str, Reply] = {}
        self.got: list[tuple[str, dict[str, str], bytes]] = []

    def send(self, url: str, headers: Headers, body: bytes) -> Deferred[WebhookAnswer]:
        """Answer as a test said."""
        self.got.append((url, dict(headers), body))
        reply = self.replies.get(url, WebhookAnswer(error=NOWHERE))
        return succeed(reply) if isinstance(reply, WebhookAnswer) else reply(headers, body)

    def vet(self, url: str) -> Deferred[str]:
        """Return why nothing may be sent there."""
        try:
            place = parse(url)
        except BadUrl as error:
            return succeed(str(error))
        return succeed(NOWHERE if place.literal and url not in self.replies else "")
