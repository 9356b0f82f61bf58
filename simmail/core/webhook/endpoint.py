"""
A webhook as it is configured, stored and shown, and where it stands in the event log.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from simmail.core.net.url import BadUrl, parse
from simmail.core.records.event import TYPES
from simmail.core.time.instant import parse_duration
from simmail.core.webhook.signature import LONGEST, SHARED, SigningKeys, decoded, public_key, signing_keys
from simmail.errors import Invalid

#: What is shown of a secret, and keeps the stored one when it is sent.
HIDDEN = "••••"

MOST_WEBHOOKS = 50

#: How long the secret before signs too when a new one is given, unless told otherwise.
OVERLAP = "24h"
_LONGEST_OVERLAP = 400 * 86_400

_Name = Annotated[str, Meta(max_length=200)]
_Filters = Annotated[tuple[Annotated[str, Meta(min_length=1, max_length=60)], ...], Meta(max_length=100)]


class WebhookFields(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=False):
    """
    What may be said of a webhook.

    @ivar url: where to POST; name: what it is called.
    @ivar events: types, or prefixes ending in C{*}; empty: every event but C{webhook.failed}.
    @ivar secret: any text, C{whsec_} and base64, or C{whsk_} and the base64 of an ed25519 key; C{••••} keeps the one
        that is stored for the same url.
    @ivar overlap: how long the secret before signs too when this one is new: a duration of real time.
    @ivar order: C{strict} sends one event after the other, each only when the one before has come to its end.
    @ivar enabled: whether it gets anything.
    """

    url: Annotated[str, Meta(min_length=1, max_length=2000)]
    name: _Name = ""
    events: _Filters = ()
    secret: Annotated[str, Meta(max_length=LONGEST)] = ""
    overlap: Annotated[str, Meta(max_length=20)] = OVERLAP
    order: Literal["any", "strict"] = "any"
    enabled: bool = True


class Webhook(Struct, frozen=True, omit_defaults=True):
    """
    A webhook, as stored.

    @ivar id: given once; it keeps its place in the log by it.
    @ivar previous: the secret before, which signs too until C{until} (real Unix seconds).
    """

    id: str
    url: str
    name: str = ""
    events: tuple[str, ...] = ()
    secret: str = ""
    overlap: str = OVERLAP
    order: Literal["any", "strict"] = "any"
    enabled: bool = True
    previous: str = ""
    until: float = 0.0

    @property
    def filters(self) -> tuple[str, ...]:
        """Return which events it gets: without a filter all but those that tell of webhooks that failed."""
        return self.events or ("-webhook.failed",)

    def keys(self, now: float) -> tuple[SigningKeys, ...]:
        """Return what its requests are signed with, C{now} in real Unix seconds."""
        secrets = [self.secret, self.previous if now < self.until else ""]
        return tuple(signing_keys(one) for one in secrets if one)


class Undelivered(Struct, frozen=True, array_like=True):
    """An event that is not delivered yet: its number, the attempts made, and when the next is due (Unix seconds)."""

    event_id: int
    attempts: int = 0
    due: float = 0.0


class LastFailure(Struct, frozen=True):
    """
    The latest attempt that failed.

    @ivar at: when, in real time; event_id: number of the event.
    @ivar status: HTTP status, 0 without an answer; error: what went wrong.
    """

    at: datetime
    event_id: int
    status: int
    error: str


class Stopped(Struct, frozen=True):
    """
    Why an endpoint gets nothing any more: it said so at an event.

    @ivar at: when, in real time; event_id: number of the event; why: what it said.
    """

    at: datetime
    event_id: int
    why: str


class WebhookState(Struct, frozen=True, omit_defaults=True):
    """
    Where a webhook stands, as stored.

    @ivar place: the highest event number that was taken up; what C{waiting} lists of it is not done.
    @ivar ordered: up to this number events are sent one after the other (a replay).
    @ivar delivered, given_up: events, ever; failing: attempts in a row that failed.
    """

    place: int = 0
    waiting: tuple[Undelivered, ...] = ()
    ordered: int = 0
    delivered: int = 0
    given_up: int = 0
    failing: int = 0
    last_success: datetime | None = None
    last_failure: LastFailure | None = None
    stopped: Stopped | None = None


class Attempt(Struct, frozen=True, kw_only=True):
    """
    One attempt to deliver an event, as it is kept and shown.

    @ivar id: number of the attempt; webhook: id of the webhook; url: where it went.
    @ivar request_id: what the header C{webhook-request-id} said.
    @ivar event_id: number of the event, 0 for a test call; type: of the event; attempt: from 1; at: when, in real time.
    @ivar status: HTTP status, 0 without an answer; ms: real milliseconds that it took.
    @ivar error: what went wrong, C{""} for nothing; answer: the first 1 KiB of what came back.
    @ivar next: when it is tried again, in real time; null for never.
    """

    id: int
    webhook: str
    url: str
    request_id: str
    event_id: int
    type: str
    attempt: int
    at: datetime
    status: int
    ms: int
    error: str = ""
    answer: str = ""
    next: datetime | None = None


class Health(Struct, frozen=True):
    """
    How it goes with a webhook.

    @ivar state: C{new} before the first event, C{ok}, C{failing} since the last attempt failed, C{off}.
    @ivar place: number of the last event that was taken up.
    @ivar behind: events it has still to get, at most, those it filters out counted.
    @ivar waiting: events that were taken up and are not delivered.
    @ivar delivered: events, ever; given_up: events, ever, after the last attempt.
    @ivar last_success: when, in real time; null for never.
    @ivar last_failure: null for none; stopped: why it gets nothing any more, null while it does.
    """

    state: Literal["new", "ok", "failing", "off"]
    place: int
    behind: int
    waiting: int
    delivered: int
    given_up: int
    last_success: datetime | None
    last_failure: LastFailure | None
    stopped: Stopped | None


class ShownWebhook(Struct, frozen=True):
    """
    A webhook, as the API shows it.

    @ivar id: given once, C{wh_} and hexadecimal digits; url: where to POST; name: what it is called.
    @ivar events: types, or prefixes ending in C{*}; empty: every event but C{webhook.failed}.
    @ivar secret: C{••••} where there is one, C{""} for none.
    @ivar overlap: how long the secret before signs too when it is new: a duration of real time.
    @ivar order: whether events come one after the other; enabled: whether it gets anything.
    @ivar public_key: C{whpk_} key that checks its signatures, C{""} where the secret is a shared one.
    @ivar rotating_until: until then the secret before signs too, in real time; null for no such secret.
    @ivar note: what a consumer has to know of this secret; health: how it goes with it.
    """

    id: str
    name: str
    url: str
    events: tuple[str, ...]
    secret: str
    overlap: str
    order: Literal["any", "strict"]
    enabled: bool
    public_key: str
    rotating_until: datetime | None
    note: str
    health: Health


def shown(webhook: Webhook, state: WebhookState, last: int, now: float) -> ShownWebhook:
    """Return a webhook as it is shown: its secret never."""
    on = webhook.enabled and state.stopped is None
    how: Literal["new", "ok", "failing", "off"] = (
        "off" if not on else "failing" if state.failing else "ok" if state.last_success else "new")
    rotating = webhook.previous and now < webhook.until
    return ShownWebhook(
        webhook.id, webhook.name, webhook.url, webhook.events, HIDDEN if webhook.secret else "", webhook.overlap,
        webhook.order, on, public_key(webhook.secret) if webhook.secret else "",
        datetime.fromtimestamp(webhook.until, UTC) if rotating else None, note(webhook.secret),
        Health(how, state.place, max(0, last - state.place) + len(state.waiting), len(state.waiting),
               state.delivered, state.given_up, state.last_success, state.last_failure, state.stopped))


def note(secret: str) -> str:
    """Return what a consumer has to know of a secret, C{""} for nothing."""
    keys = signing_keys(secret) if secret else None
    if keys is None or keys.private is not None or secret.startswith(SHARED) or decoded(secret) is not None:
        return ""
    return ("this secret is no base64: libraries for Standard Webhooks take it as bytes only; X-Service-Signature "
            "works with any")


def configured(
    fields: Sequence[WebhookFields], before: Sequence[Webhook], unique: Any, now: float
) -> tuple[Webhook, ...]:
    """
    Return the webhooks that a new list makes of those before: the same url keeps id, place and hidden secret.

    @param unique: makes an id; now: real Unix seconds.
    @raise Invalid: by the index and name of a field.
    """
    if len(fields) > MOST_WEBHOOKS:
        raise Invalid("", f"at most {MOST_WEBHOOKS} webhooks")
    left = list(before)
    made = []
    for n, one in enumerate(fields):
        same = next((old for old in left if (old.url, old.name) == (one.url, one.name)), None) or next(
            (old for old in left if old.url == one.url), None)
        if same is not None:
            left.remove(same)
        made.append(_one(one, same, unique, now, f"{n}."))
    return tuple(made)


def _one(given: WebhookFields, same: Webhook | None, unique: Any, now: float, at: str) -> Webhook:
    try:
        parse(given.url)
    except BadUrl as error:
        raise Invalid(f"{at}url", str(error)) from None
    for field, text in (("name", given.name), ("overlap", given.overlap)):
        if not text.isprintable():
            raise Invalid(at + field, "must not contain line breaks or control characters")
    for n, one in enumerate(given.events):
        bare = one.removesuffix("*")
        if not (any(type.startswith(bare) for type in TYPES) if one.endswith("*") else one in TYPES):
            raise Invalid(f"{at}events.{n}", f"no such event type: {one[:60]}")
    overlap = parse_duration(given.overlap, f"{at}overlap").total_seconds()
    if overlap > _LONGEST_OVERLAP:
        raise Invalid(f"{at}overlap", "at most 400 days")
    secret = given.secret
    if secret == HIDDEN:
        if same is None:
            raise Invalid(f"{at}secret", f"{HIDDEN} keeps the secret stored for the same url, and there is none")
        secret = same.secret
    elif secret:
        signing_keys(secret, f"{at}secret")
    made = Webhook(
        same.id if same is not None else f"wh_{unique()}", given.url, given.name, given.events, secret,
        given.overlap, given.order, given.enabled)
    if same is None:
        return made
    if secret == same.secret:
        return replace(made, previous=same.previous, until=same.until)
    if secret and same.secret and overlap:
        return replace(made, previous=same.secret, until=now + overlap)
    return made
