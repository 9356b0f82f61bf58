"""
C{/api/webhooks}: endpoints that are told what happens.

Source: API contract, "Webhooks" and "Webhook request"; decisions, sections 14 and 23.
"""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from simmail.core.webhook.endpoint import Attempt, HIDDEN, MOST_WEBHOOKS, ShownWebhook, WebhookFields
from simmail.core.webhook.verification import Verdict, verify
from simmail.errors import Invalid
from simmail.rest.answer import Paged
from simmail.rest.api.events import Number
from simmail.rest.route import Body, Call, Query, Route

HEADING = "Webhooks"

_Which = Annotated[str, Meta(min_length=1, max_length=2000)]


class WhichAttempts(Query, frozen=True):
    """
    Newest first unless C{after} is given.

    @ivar webhook: an id, name or url; event_id: attempts at this event only.
    @ivar before: only attempts with a smaller id; after: only attempts with a greater id.
    """

    webhook: _Which | None = None
    event_id: Number | None = None
    before: Number | None = None
    after: Number | None = None
    limit: Annotated[int, Meta(ge=1, le=1000)] = 100


class WhichWebhook(Body, frozen=True):
    """C{webhook}: an id, name or url."""

    webhook: _Which


class Redelivery(Body, frozen=True):
    """
    What to send once more: one event, or every event after one.

    @ivar webhook: an id, name or url; event_id: number of the event.
    @ivar after: number of an event: all behind it, in order; 0 for all there are.
    """

    webhook: _Which
    event_id: Number | None = None
    after: Number | None = None


class SignedRequest(Body, frozen=True):
    """
    A request as it was received.

    @ivar headers: by name, of any case; body: the octets as they came, as text.
    @ivar secret: the webhook's, or the C{whpk_} key of a C{whsk_} secret.
    """

    headers: Annotated[dict[str, Annotated[str, Meta(max_length=10_000)]], Meta(max_length=200)]
    body: Annotated[str, Meta(max_length=1_000_000)]
    secret: Annotated[str, Meta(min_length=1, max_length=1000)]


def list_webhooks(call: Call) -> list[ShownWebhook]:
    return call.universe.webhooks.shown()


async def replace_webhooks(call: Call) -> list[ShownWebhook]:
    return await call.universe.webhooks.put(call.body)


def list_attempts(call: Call) -> Paged:
    asked: WhichAttempts = call.query
    found = call.universe.webhooks.attempts(
        asked.webhook, asked.event_id, asked.before, asked.after, asked.limit + 1)
    page = found[:asked.limit]
    more: dict[str, str | int] | None = None
    if len(found) > asked.limit:
        more = {"before" if asked.after is None else "after": page[-1].id, "limit": asked.limit}
    return Paged(list(page), more)


async def send_test(call: Call) -> Attempt:
    return await call.universe.webhooks.test(call.body.webhook)


async def redeliver(call: Call) -> ShownWebhook:
    asked: Redelivery = call.body
    if (asked.event_id is None) == (asked.after is None):
        raise Invalid("event_id", "give event_id or after, one of them")
    return await call.universe.webhooks.redeliver(asked.webhook, asked.event_id, asked.after)


def verify_request(call: Call) -> Verdict:
    asked: SignedRequest = call.body
    return verify(asked.headers, asked.body, asked.secret, call.services.reactor.seconds())


_URL = "https://app.example.com/hooks/mail"
_GIVEN: dict[str, Any] = {
    "name": "app", "url": _URL, "events": ["persona.*", "mail.delivered"],
    "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}
_SHOWN: dict[str, Any] = {
    "id": "wh_5d1f0c2b9a7e", **_GIVEN, "secret": HIDDEN, "overlap": "24h", "order": "any", "enabled": True,
    "public_key": "", "rotating_until": None, "note": "", "health": {
        "state": "ok", "place": 118, "behind": 0, "waiting": 0, "delivered": 73, "given_up": 0,
        "last_success": "2026-03-02T10:15:02Z", "last_failure": None, "stopped": None}}
_ATTEMPT: dict[str, Any] = {
    "id": 74, "webhook": "wh_5d1f0c2b9a7e", "url": _URL, "request_id": "wr_0b1c2d3e4f5a", "event_id": 118,
    "type": "persona.sent", "attempt": 1, "at": "2026-03-02T10:15:02Z", "status": 503, "ms": 12,
    "error": "HTTP status 503", "answer": "busy", "next": "2026-03-02T10:15:05Z"}

ROUTES: tuple[Route, ...] = (
    Route("GET", "/api/webhooks", list_webhooks, "List webhooks, secrets hidden, and how it goes with them",
          list[ShownWebhook], answer_example=[_SHOWN]),
    Route("PUT", "/api/webhooks", replace_webhooks,
          "Replace all webhooks; the same url keeps its place in the log, and its secret where that is sent hidden",
          list[ShownWebhook], role="admin", feature="webhooks",
          body=Annotated[list[WebhookFields], Meta(max_length=MOST_WEBHOOKS)], example=[_GIVEN],
          answer_example=[_SHOWN]),
    Route("GET", "/api/webhooks/attempts", list_attempts, "List the last 1000 attempts to deliver, newest first",
          list[Attempt], query=WhichAttempts, statuses=(404,),
          query_example="webhook=app&limit=20", answer_example=[_ATTEMPT]),
    Route("POST", "/api/webhooks/test", send_test, "Send a test event to a webhook, once, and tell what came back",
          Attempt, role="admin", feature="webhooks", body=WhichWebhook, example={"webhook": "app"},
          statuses=(404,), answer_example={**_ATTEMPT, "event_id": 0, "type": "webhook.test", "next": None}),
    Route("POST", "/api/webhooks/redeliver", redeliver,
          "Send one event once more, or every event after one, in order", ShownWebhook, role="admin",
          feature="webhooks", body=Redelivery, example={"webhook": "app", "after": 0}, statuses=(404, 409),
          answer_example=_SHOWN),
    Route("POST", "/api/webhooks/verify", verify_request,
          "Say why the signature of a request does or does not match", Verdict, role="member", body=SignedRequest,
          example={"headers": {"X-Service-Signature": "sha256=00"}, "body": "{}", "secret": "s3cret"},
          answer_example={"valid": False, "matched": [], "why": [
              "X-Service-Signature does not match: another secret signed it, or the body is not the one that was "
              "signed"]}),
)
