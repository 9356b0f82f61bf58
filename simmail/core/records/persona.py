"""
The persona: a simulated correspondent, and what may be said of one.

Source: API contract, "Resources and their fields / Persona".
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from msgspec import UNSET, Struct, UnsetType

Provider = Literal["api", "case", "stranger", "world", "mail", "config"]
TemperamentName = Literal[
    "responsive", "busy", "procedural", "skeptical", "flaky", "difficult", "ghost"
]
Client = Literal["gmail", "outlook", "apple", "iphone", "android", "plain"]


class Style(Struct, frozen=True, omit_defaults=True):
    """How a persona writes and reads mail; a field not set is left out."""

    length: Literal["short", "medium", "long"] | UnsetType = UNSET
    formality: Literal["casual", "neutral", "formal"] | UnsetType = UNSET
    typos: float | UnsetType = UNSET
    signature: str | UnsetType = UNSET
    client: Client | UnsetType = UNSET
    links: Literal["usual", "curious", "wary", "never"] | UnsetType = UNSET
    filter: Literal["strict", "normal", "lenient", "none"] | UnsetType = UNSET
    access: Literal["screen_reader", "low_vision"] | UnsetType = UNSET


class Delay(Struct, frozen=True, omit_defaults=True):
    """Reply delay: log-normal, C{median} a duration such as C{45m}, C{spread} its geometric deviation (>= 1)."""

    median: str | UnsetType = UNSET
    spread: float | UnsetType = UNSET


class Hours(Struct, frozen=True, omit_defaults=True, rename={"from_": "from"}):
    """Working hours in an IANA zone; C{days} such as C{mon-fri}; C{from}/C{to} C{HH:MM}, may cross midnight."""

    tz: str | UnsetType = UNSET
    days: str | UnsetType = UNSET
    from_: str | UnsetType = UNSET
    to: str | UnsetType = UNSET


class OutOfOffice(Struct, frozen=True, rename={"from_": "from"}):
    """Days away, both inclusive (C{YYYY-MM-DD}), and what the notice says."""

    from_: str
    to: str
    message: str = ""


class Timing(Struct, frozen=True, omit_defaults=True):
    """When, and how often, a persona answers."""

    reply_rate: float | UnsetType = UNSET
    delay: Delay | UnsetType = UNSET
    hours: Hours | UnsetType = UNSET
    ooo: tuple[OutOfOffice, ...] | UnsetType = UNSET


class Behaviors(Struct, frozen=True, omit_defaults=True):
    """Chances (0 to 1) of the less usual things people do."""

    double_reply: float | UnsetType = UNSET
    bounce: float | UnsetType = UNSET
    cc_someone: float | UnsetType = UNSET
    forward_to: str | UnsetType = UNSET
    keep_promises: float | UnsetType = UNSET


class Persona(Struct, frozen=True):
    """One simulated correspondent, as stored and as shown."""

    id: str
    provider: Provider
    created: datetime
    name: str
    addresses: tuple[str, ...]
    temperament: TemperamentName
    role: str | UnsetType = UNSET
    org: str | UnsetType = UNSET
    who: str | UnsetType = UNSET
    wants: str | UnsetType = UNSET
    character: str | UnsetType = UNSET
    knows: Literal["all", "some", "little"] | UnsetType = UNSET
    case_ids: tuple[str, ...] | UnsetType = UNSET
    style: Style | UnsetType = UNSET
    timing: Timing | UnsetType = UNSET
    behaviors: Behaviors | UnsetType = UNSET
    external_ids: dict[str, str] | UnsetType = UNSET
    paused: bool | UnsetType = UNSET

    @property
    def address(self) -> str:
        """The address this persona writes from."""
        return self.addresses[0]
