"""
Events: what happened, as the log, the stream and webhooks tell it.

Source: API contract, "Events"; decisions, section 14.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from msgspec import Struct

#: Every event type that can be recorded.
TYPES: tuple[str, ...] = (
    "account.updated", "auth.failed", "auth.ok", "case.updated", "clock", "fault.hit", "faults.updated",
    "inspect.links", "inspect.scored", "job.done", "job.failed", "job.scheduled", "job.updated",
    "link.failed", "link.opened", "link.sender", "link.skipped", "mail.delivered", "pace",
    "persona.batched", "persona.bounced", "persona.created", "persona.deleted", "persona.ignored",
    "persona.junked", "persona.memory", "persona.promised", "persona.received", "persona.sent", "persona.updated",
    "persona.waiting", "retention.pruned", "settings.updated", "webhook.failed", "world.mail",
    "world.updated", "writer.fallback",
)


class PersonaTag(Struct, frozen=True):
    """
    The C{persona} object an event carries when its data has C{persona_id}.

    @ivar id: the persona's; name: full name; addresses: the first is the one they write from.
    @ivar external_ids: their id in other systems, by the system's name.
    """

    id: str
    name: str
    addresses: tuple[str, ...]
    external_ids: dict[str, str] = {}


class Event(Struct, frozen=True):
    """Something that happened; its number is given by the commit that records it."""

    type: str
    at: datetime
    data: dict[str, Any]
    persona: PersonaTag | None = None

    @property
    def persona_id(self) -> str | None:
        """The persona it is about, if any."""
        return self.data.get("persona_id")

    @property
    def case_id(self) -> str | None:
        """The case it belongs to, if any."""
        return self.data.get("case_id") or None

    @property
    def message_ids(self) -> tuple[str, ...]:
        """The Message-IDs of the mail it tells of: its own, and of those that are answered."""
        own = self.data.get("message_id")
        answers = tuple(self.data.get("answers") or ())
        return (own, *answers) if own and own not in answers else answers


class Recorded(Struct, frozen=True, omit_defaults=True):
    """
    An event with its number: the webhook body of the contract.

    @ivar type: what happened, such as C{persona.sent}; id: its number in the universe's log, from 1.
    @ivar at: when, in simulated time; source: the service's name.
    @ivar data: fields of this type of event, as the documentation lists them.
    @ivar persona: who it is about, null for nobody; case_id: which case it belongs to, null for none.
    """

    type: str
    id: int
    at: datetime
    source: str
    data: dict[str, Any]
    persona: PersonaTag | None = None
    case_id: str | None = None


def matches(filters: tuple[str, ...], type: str) -> bool:
    """Whether C{type} passes: no filter passes all, C{x.*} passes a prefix, and C{-x} all but those C{x} passes."""
    wanted = [one for one in filters if one[:1] != "-"]
    return (not wanted or any(_passes(one, type) for one in wanted)) and not any(
        _passes(one[1:], type) for one in filters if one[:1] == "-")


def _passes(one: str, type: str) -> bool:
    return type.startswith(one[:-1]) if one.endswith("*") else type == one
