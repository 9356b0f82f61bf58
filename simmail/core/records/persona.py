"""
The persona: a simulated correspondent, and what may be said of one.

One declaration is stored, shown, taken from the API and from YAML files (L{fields.convert}), and documented.
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
    """
    How a persona writes and reads mail; a field not set is left out.

    @ivar length: of what they write, in words of people; formality: how they address others.
    @ivar typos: share of their words that are mistyped, 0 to 1; signature: text below their mail.
    @ivar client: the mail program they read and write with, which decides what HTML is shown; drawn unless given.
    @ivar links: which links in mail they open: as people do, all that interest them, few, none.
    @ivar filter: how much their provider's junk filter lets through.
    @ivar access: what they read the screen with, where it is not with good eyes.
    """

    length: Literal["short", "medium", "long"] | UnsetType = UNSET
    formality: Literal["casual", "neutral", "formal"] | UnsetType = UNSET
    typos: Share | UnsetType = UNSET
    signature: Prose | UnsetType = UNSET
    client: Client | UnsetType = UNSET
    links: Literal["usual", "curious", "wary", "never"] | UnsetType = UNSET
    filter: Literal["strict", "normal", "lenient", "none"] | UnsetType = UNSET
    access: Literal["screen_reader", "low_vision"] | UnsetType = UNSET


class Delay(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """
    How long replies take: log-normal.

    @ivar median: half of the replies take no longer, simulated time: a duration such as C{45m}, at most 400d.
    @ivar spread: geometric standard deviation, without unit; 1: always the median.
    """

    median: Wait | UnsetType = UNSET
    spread: Annotated[float, Meta(ge=1, le=100)] | UnsetType = UNSET


class Hours(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, rename={"from_": "from"}):
    """
    A time of the week; where it is not set, any time is in it.

    @ivar tz: IANA name of the time zone, such as C{Europe/Berlin}; days: days of the week, such as C{mon-fri}.
    @ivar from_: time of day C{HH:MM} at which it begins.
    @ivar to: time of day C{HH:MM} at which it ends; one before C{from} is on the next day.
    """

    tz: Zone | UnsetType = UNSET
    days: Days | UnsetType = UNSET
    from_: Clock | UnsetType = UNSET
    to: Clock | UnsetType = UNSET


class OutOfOffice(Struct, frozen=True, forbid_unknown_fields=True, rename={"from_": "from"}):
    """
    Days away, and what the notice says.

    @ivar from_: first day away on the simulated calendar, C{YYYY-MM-DD}; to: last day away, C{YYYY-MM-DD}.
    @ivar message: what the notice says; one is made up where it is empty.
    """

    from_: Date
    to: Date
    message: Prose = ""

    def __post_init__(self) -> None:
        if self.to < self.from_:
            raise FieldError("to", "must not be before from")


class Timing(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """
    When, and how often, a persona answers.

    @ivar reply_rate: share of the mails they answer, 0 to 1; delay: how long replies take.
    @ivar hours: when they work: mail that comes at other times is answered later; ooo: when they are away.
    """

    reply_rate: Share | UnsetType = UNSET
    delay: Delay | UnsetType = UNSET
    hours: Hours | UnsetType = UNSET
    ooo: Annotated[tuple[OutOfOffice, ...], Meta(max_length=LIST)] | UnsetType = UNSET


class Behaviors(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """
    Chances of the less usual things people do.

    @ivar double_reply: chance of a second mail after a reply, 0 to 1; bounce: chance that mail to them bounces, 0 to 1.
    @ivar cc_someone: chance that a reply goes in copy to a colleague, 0 to 1.
    @ivar forward_to: who gets everything that comes to them: id of a persona, or an address.
    @ivar keep_promises: chance that they do what they have promised, 0 to 1.
    """

    double_reply: Share | UnsetType = UNSET
    bounce: Share | UnsetType = UNSET
    cc_someone: Share | UnsetType = UNSET
    forward_to: ForwardTo | UnsetType = UNSET
    keep_promises: Share | UnsetType = UNSET


class Persona(Struct, frozen=True, forbid_unknown_fields=True):
    """
    One simulated correspondent, as stored and as shown.

    @ivar id: set by the service, C{p_} and letters or digits.
    @ivar provider: where the persona comes from, set by the service; C{config}: a YAML file, and it cannot be changed
        here.
    @ivar created: when it was made, in simulated time; name: full name, as in the From header field.
    @ivar addresses: their addresses, of which the first is the one they write from.
    @ivar temperament: how they behave; drawn by the odds of C{GET /api/temperaments} unless given.
    @ivar role: what they do for a living; org: their organization, as signatures have it.
    @ivar who: who they are, in free text, for the writer; wants: what they are after, in free text.
    @ivar character: what they are like, in free text.
    @ivar knows: how much of a case's facts they know; C{some} unless given.
    @ivar languages: ISO 639 codes, the first is their own; case_ids: cases they are on.
    @ivar style: how they write and read mail; timing: when, and how often, they answer.
    @ivar behaviors: chances of the less usual things people do.
    @ivar external_ids: their id in other systems, by the system's name; paused: they do not answer.
    """

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
