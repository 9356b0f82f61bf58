"""
What follows an attempt to deliver an event to a webhook.

Four attempts in all, 3, 9 and 27 seconds apart, in real time (API contract, "Webhook request", delivery rules).
C{Retry-After} (RFC 9110 section 10.2.3) can make a pause longer, C{410} and C{webhook-delivery: disable} end them
all, C{webhook-delivery: abort-message} those of one event.
"""

from __future__ import annotations

from email.utils import parsedate_to_datetime
from typing import Literal

from msgspec import Struct

#: Real seconds before the second, third and fourth attempt, at least.
PAUSES = (3.0, 9.0, 27.0)

#: No pause that an endpoint asks for is longer.
LONGEST_PAUSE = 3600.0

_BUSY = (429, 503)


class WebhookAnswer(Struct, frozen=True):
    """
    What came back from an endpoint.

    @ivar status: 0 where there was no answer, and C{error} says why.
    @ivar ms: real milliseconds from the beginning.
    @ivar body: its first 1 KiB as text.
    @ivar retry_after, directive: the fields C{Retry-After} and C{webhook-delivery}, as sent.
    """

    status: int = 0
    ms: int = 0
    error: str = ""
    body: str = ""
    retry_after: str = ""
    directive: str = ""

    @property
    def delivered(self) -> bool:
        """Return whether the endpoint has it."""
        return 200 <= self.status < 300

    @property
    def told(self) -> str:
        """Return what went wrong, in a few words."""
        return self.error or f"HTTP status {self.status}"


class NextStep(Struct, frozen=True):
    """
    What is to be done.

    @ivar kind: C{delivered}; C{again} at C{due}; C{give_up} this event; C{stop} the webhook.
    @ivar due: real Unix seconds; hold: nothing else goes to the endpoint before this, 0 for no such wish.
    """

    kind: Literal["delivered", "again", "give_up", "stop"]
    due: float = 0.0
    hold: float = 0.0


def next_step(answer: WebhookAnswer, attempt: int, now: float) -> NextStep:
    """
    Return what follows the n-th attempt of an event.

    @param attempt: from 1; now: real Unix seconds.
    """
    if answer.delivered:
        return NextStep("delivered")
    directive = answer.directive.strip().lower()
    if answer.status == 410 or directive == "disable":
        return NextStep("stop")
    pause = wished(answer.retry_after, now)
    hold = now + pause if pause and answer.status in _BUSY else 0.0
    if directive == "abort-message" or attempt > len(PAUSES):
        return NextStep("give_up", hold=hold)
    return NextStep("again", now + max(PAUSES[attempt - 1], pause), hold)


def wished(retry_after: str, now: float) -> float:
    """Return the seconds that C{Retry-After} asks for, 0 where it asks for none."""
    text = retry_after.strip()
    if text.isdecimal() and len(text) < 10:
        return min(float(text), LONGEST_PAUSE)
    try:
        return min(max(0.0, parsedate_to_datetime(text).timestamp() - now), LONGEST_PAUSE) if text else 0.0
    except (ValueError, TypeError, OverflowError):
        return 0.0
