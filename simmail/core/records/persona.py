"""
The persona: a simulated correspondent, and what may be said of one.

One declaration is stored, shown, taken from the API and from YAML files (L{conversion.convert}), and documented.
Source: API contract, "Resources and their fields / Persona".
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from simmail.core.mime.address import parse as parse_address
from simmail.core.records.fields import (
    Clock, Date, Days, Emails, FieldError, LINE, LIST, Line, Lines, Prose, Share, Tongues, Wait, Zone, check_line,
    of_text,
)

Provider = Literal["api", "case", "stranger", "world", "mail", "config"]
TemperamentName = Literal[
    "responsive", "busy", "procedural", "skeptical", "flaky", "difficult", "ghost"
]
Client = Literal["gmail", "outlook", "apple", "iphone", "android", "plain"]
Knows = Literal["all", "some", "little"]


def _forward_to(text: str, field: str) -> str:
    """Who gets everything: a persona by id, or an address."""
    check_line(text, field)
    return text if text.startswith("p_") and "@" not in text else parse_address(text, field)


ForwardTo = Annotated[str, Meta(max_length=LINE, extra={"read": of_text(_forward_to)})]


class Style(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """How a persona writes and reads mail; a field not set is left out."""

    length: Literal["short", "medium", "long"] | UnsetType = UNSET
    formality: Literal["casual", "neutral", "formal"] | UnsetType = UNSET
    typos: Share | UnsetType = UNSET
    signature: Prose | UnsetType = UNSET
    client: Client | UnsetType = UNSET
    links: Literal["usual", "curious", "wary", "never"] | UnsetType = UNSET
    filter: Literal["strict", "normal", "lenient", "none"] | UnsetType = UNSET
    access: Literal["screen_reader", "low_vision"] | UnsetType = UNSET


class Delay(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Reply delay: log-normal, C{median} a duration such as C{45m}, C{spread} its geometric deviation (>= 1)."""

    median: Wait | UnsetType = UNSET
    spread: Annotated[float, Meta(ge=1, le=100)] | UnsetType = UNSET


class Hours(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, rename={"from_": "from"}):
    """Working hours in an IANA zone; C{days} such as C{mon-fri}; C{from}/C{to} C{HH:MM}, may cross midnight."""

    tz: Zone | UnsetType = UNSET
    days: Days | UnsetType = UNSET
    from_: Clock | UnsetType = UNSET
    to: Clock | UnsetType = UNSET


class OutOfOffice(Struct, frozen=True, forbid_unknown_fields=True, rename={"from_": "from"}):
    """Days away, both inclusive (C{YYYY-MM-DD}), and what the notice says."""

    from_: Date
    to: Date
    message: Prose = ""

    def __post_init__(self) -> None:
        if self.to < self.from_:
            raise FieldError("to", "must not be before from")


class Timing(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """When, and how often, a persona answers."""

    reply_rate: Share | UnsetType = UNSET
    delay: Delay | UnsetType = UNSET
    hours: Hours | UnsetType = UNSET
    ooo: Annotated[tuple[OutOfOffice, ...], Meta(max_length=LIST)] | UnsetType = UNSET


class Behaviors(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Chances (0 to 1) of the less usual things people do."""

    double_reply: Share | UnsetType = UNSET
    bounce: Share | UnsetType = UNSET
    cc_someone: Share | UnsetType = UNSET
    forward_to: ForwardTo | UnsetType = UNSET
    keep_promises: Share | UnsetType = UNSET


class Persona(Struct, frozen=True, forbid_unknown_fields=True):
    """One simulated correspondent, as stored and as shown; C{languages}: ISO 639 codes, the first is their own."""

    id: str
    provider: Provider
    created: datetime
    name: Line
    addresses: Emails
    temperament: TemperamentName
    role: Line | UnsetType = UNSET
    org: Line | UnsetType = UNSET
    who: Prose | UnsetType = UNSET
    wants: Prose | UnsetType = UNSET
    character: Prose | UnsetType = UNSET
    knows: Knows | UnsetType = UNSET
    languages: Tongues | UnsetType = UNSET
    case_ids: Lines | UnsetType = UNSET
    style: Style | UnsetType = UNSET
    timing: Timing | UnsetType = UNSET
    behaviors: Behaviors | UnsetType = UNSET
    external_ids: Annotated[dict[Line, Line], Meta(max_length=LIST, extra={"each": Line})] | UnsetType = UNSET
    paused: bool | UnsetType = UNSET

    @property
    def address(self) -> str:
        """The address this persona writes from."""
        return self.addresses[0]
