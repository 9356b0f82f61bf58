"""
Refusals as HTTP tells them: the only place with status numbers for them.

Source: API contract, "Errors"; decisions, "Conventions".
"""

from __future__ import annotations

import math
from typing import NamedTuple

import msgspec
from msgspec import Struct

from simmail import errors

#: Seconds after which a client may try again while Redis or the mail store is away.
RETRY_UNAVAILABLE = 2

STATUSES: tuple[tuple[type[errors.Refusal], int], ...] = (
    (errors.Invalid, 400),
    (errors.NotFound, 404),
    (errors.Conflict, 409),
    (errors.Unauthenticated, 401),
    (errors.Forbidden, 403),
    (errors.FeatureMissing, 402),
    (errors.OverAllowance, 400),
    (errors.OverMailLimit, 500),
    (errors.TooLarge, 413),
    (errors.TooMany, 429),
    (errors.TimedOut, 408),
    (errors.Elsewhere, 503),
    (errors.Fenced, 503),
    (errors.Replaced, 503),
    (errors.Unavailable, 503),
)

#: What each status means, for the OpenAPI document.
MEANINGS: dict[int, str] = {
    400: "malformed JSON, a missing or unknown field, an invalid value, or a limit of the plan",
    401: "no key, or an invalid one",
    402: "the plan lacks the feature",
    403: "the role is too low, or the key belongs to another universe",
    404: "there is no such thing",
    405: "wrong method",
    408: "the wait timed out",
    409: "the state of the thing forbids it",
    413: "the body is over the limit",
    429: "too many requests",
    500: "server failure",
    503: "Redis or the mail store is away; try again later",
}


#: Statuses that are no refusal.
UNCHANGED = "what was asked for has not changed since"


class Error(Struct, frozen=True):
    """Every refusal.  C{error}: what is wrong, naming the field or rule."""

    error: str


class ErrorReply(NamedTuple):
    """A refusal, ready to be sent."""

    status: int
    body: bytes
    headers: tuple[tuple[str, str], ...] = ()


def error_reply(refusal: errors.Refusal) -> ErrorReply:
    """Say a refusal as HTTP does."""
    status = next((status for kind, status in STATUSES if isinstance(refusal, kind)), 400)
    headers: tuple[tuple[str, str], ...] = ()
    if isinstance(refusal, errors.TooMany):
        headers = (("Retry-After", str(max(1, math.ceil(refusal.retry_after)))),)
    elif status == 503:
        headers = (("Retry-After", str(RETRY_UNAVAILABLE)),)
    elif status == 401:
        headers = (("WWW-Authenticate", "Bearer"),)
    return ErrorReply(status, body(str(refusal) or type(refusal).__name__), headers)


def wrong_method(method: str, allowed: list[str]) -> ErrorReply:
    """Say 405; C{allowed} are the methods the path answers (RFC 9110 section 15.5.6)."""
    allow = ", ".join(allowed)
    return ErrorReply(405, body(f"{method} is not allowed here, only {allow}"), (("Allow", allow),))


def defect(incident: str) -> ErrorReply:
    """Say 500 for what should not have happened; C{incident} is in the log as well."""
    return ErrorReply(500, body(f"internal error; the log has it as incident {incident}"))


def body(text: str) -> bytes:
    """Return C{{"error": text}}."""
    return msgspec.json.encode(Error(text))
