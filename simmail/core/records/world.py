"""
The C{world} settings document: which mail comes to the company by itself, how much and when.

Source: decisions, section 13.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from simmail.core.mime.address import domain_of, parse
from simmail.core.records.fields import Emails, FieldError, LINE, LIST, Line, below, convert, of_text, once
from simmail.errors import Invalid

#: Kinds of mail that a stream may bring.
WorldKind = Literal[
    "inquiry", "order", "complaint", "support", "invoice", "payment_reminder", "newsletter", "sales_pitch",
    "recruiting", "job_application", "notification", "calendar", "auto_reply", "bounce_backscatter", "spam", "phishing",
    "prompt_injection", "thread_hijack",
]
#: When mail comes: see L{simmail.core.world.arrivals}.
Profile = Literal["office", "evening", "flat"]
#: Whose mail it is: somebody's who was never heard of, somebody's who wrote before, one more in a conversation.
MixShare = Literal["new", "known", "follow_up"]

#: Mails a day that a stream has at most.
MOST_PER_DAY = 10_000

_NAMEABLE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")


def _domains(value: Any, field: str) -> Any:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        return value
    found = []
    for n, one in enumerate(value):
        try:
            # A domain is what can stand behind an @.
            found.append(domain_of(parse(f"x@{one}")))
        except Invalid:
            raise Invalid(below(field, n), "is not a domain") from None
    return once(found, field)


def _name(text: str, field: str) -> str:
    if not text or not _NAMEABLE.issuperset(text):
        raise Invalid(field, "must be letters, digits, - and _")
    return text


StreamName = Annotated[str, Meta(max_length=60, extra={"read": of_text(_name)})]
Weight = Annotated[float, Meta(ge=0, le=1000)]


class WorldMix(Struct, frozen=True, forbid_unknown_fields=True):
    """
    How often who writes, as weights against each other.

    @ivar new: somebody who was never heard of; known: somebody who wrote before.
    @ivar follow_up: one more mail in a conversation.
    """

    new: Weight = 0.6
    known: Weight = 0.25
    follow_up: Weight = 0.15

    def __post_init__(self) -> None:
        if not self.new + self.known + self.follow_up > 0:
            raise FieldError("", "must have a weight over 0")


class Company(Struct, frozen=True, forbid_unknown_fields=True):
    """
    Whom the world writes to.

    @ivar name: of the company; industry: what it does, which decides what it is written about.
    @ivar domains: the company's own, for mail without sign-in; inboxes: where mail goes.
    """

    name: Line = ""
    industry: Line = ""
    domains: Annotated[tuple[Annotated[str, Meta(max_length=LINE)], ...],
                       Meta(max_length=LIST, extra={"read": _domains})] = ()
    inboxes: Emails = ()


class WorldStream(Struct, frozen=True, forbid_unknown_fields=True):
    """
    One stream of mail.

    @ivar id: its name in paths: letters, digits, - and _; kind: of mail, one of C{GET /api/world/kinds}.
    @ivar to: inboxes, the company's unless given; per_day: mails a simulated day, on the average of a week.
    @ivar profile: at which hours: of work, the evening, or all alike; mix: how often who writes.
    @ivar enabled: whether mail comes; cap_per_day: no more on any simulated day, null for as many as come.
    @ivar injection: share of its people's answers to questions of the company that have orders for a language model in
        them, 0 to 1.
    """

    id: StreamName
    kind: WorldKind
    to: Emails = ()
    per_day: Annotated[float, Meta(ge=0, le=MOST_PER_DAY)] = 5.0
    profile: Profile = "office"
    mix: WorldMix = WorldMix()
    enabled: bool = True
    cap_per_day: Annotated[int, Meta(ge=1, le=MOST_PER_DAY)] | None = None
    injection: Annotated[float, Meta(ge=0, le=1)] = 0.0


class WorldSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """
    The settings document.

    @ivar enabled: whether mail comes by itself; seed: drawn with beside that of the universe.
    @ivar company: whom it goes to; streams: what comes.
    """

    enabled: bool = False
    seed: Line = ""
    company: Company = Company()
    streams: Annotated[tuple[WorldStream, ...], Meta(max_length=LIST)] = ()

    def addressees(self, stream: WorldStream) -> tuple[str, ...]:
        """Return the inboxes that a stream writes to."""
        return stream.to or self.company.inboxes

    @property
    def inboxes(self) -> frozenset[str]:
        """Every address that the world writes to: the company's own."""
        return frozenset((*self.company.inboxes, *(one for stream in self.streams for one in stream.to)))

    @property
    def by_id(self) -> Mapping[str, WorldStream]:
        """The streams by their ids."""
        return MappingProxyType({one.id: one for one in self.streams})


def world_of(value: Any) -> WorldSettings:
    """
    Return the settings of a document.

    @raise Invalid: a bad field, by its path; two streams of one id; a stream that writes to nobody.
    """
    world = convert(value, WorldSettings)
    seen: set[str] = set()
    for n, stream in enumerate(world.streams):
        if stream.id in seen:
            raise Invalid(f"streams.{n}.id", "is the id of another stream")
        seen.add(stream.id)
        if not world.addressees(stream):
            raise Invalid(f"streams.{n}.to", "is required where company.inboxes is empty")
    return world
