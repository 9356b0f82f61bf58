"""
The persona: a simulated correspondent, what may be said of one, and how one is completed from what is said.

One declaration is stored, shown, taken from the API and from YAML files (L{fields.convert}), and documented.
Who may change a persona, and whether an address is taken, is C{universe.people.personas}' matter.  Source: API
contract, "Resources and their fields / Persona" and "Personas"; decisions, sections 8 (name, weight, reply rate and
median delay of the temperaments) and 23 ("Personas").  What a temperament feels at first and how it keeps promises is
ours; its text is what the writer is told.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from math import log10
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, UNSET, UnsetType
from msgspec.structs import asdict, replace

from simmail.core.language_data import spoken
from simmail.core.mime.address import local_part, parse as parse_address
from simmail.core.records.fields import (
    Clock, Date, Days, Emails, FieldError, LINE, LIST, Line, Lines, Prose, Share, Tongues, Wait, Zone, an_object,
    check_line, convert, given, of_text,
)
from simmail.core.rng import Dice
from simmail.core.time.instant import parse_instant
from simmail.errors import Invalid

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


class Temperament(Struct, frozen=True):
    """
    How somebody is with mail unless the persona says otherwise.

    @ivar weight: odds of being drawn.
    @ivar reply_rate: chance of a reply to a plain first mail.
    @ivar median_delay: half of the replies come sooner.
    @ivar keep_promises: chance of doing in time what was promised; nudges: of asking for what was promised to them.
    @ivar warmth, trust, patience: towards somebody new, 0 to 1.
    @ivar text: one sentence for the writer.
    """

    name: TemperamentName
    weight: int
    reply_rate: float
    median_delay: timedelta
    keep_promises: float
    nudges: float
    warmth: float
    trust: float
    patience: float
    text: str


#: Geometric standard deviation of the delay where a persona has no C{delay.spread}.
SPREAD = 2.0

TEMPERAMENTS: tuple[Temperament, ...] = (
    Temperament(
        "responsive", 30, 0.95, timedelta(minutes=20), 0.95, 1.0, 0.60, 0.60, 0.60,
        "Answers quickly, warmly and completely, and says what happens next.",
    ),
    Temperament(
        "busy", 25, 0.75, timedelta(hours=3), 0.80, 0.7, 0.50, 0.50, 0.45,
        "Has little time: answers in a line or two, deals with the most important point and leaves the rest.",
    ),
    Temperament(
        "procedural", 15, 0.90, timedelta(minutes=90), 0.95, 1.0, 0.45, 0.50, 0.60,
        "Goes by the rules: wants reference numbers, forms and the right channel, and answers point by point.",
    ),
    Temperament(
        "skeptical", 12, 0.70, timedelta(hours=2), 0.85, 0.9, 0.40, 0.30, 0.50,
        "Doubts claims and asks for proof, sources and reasons before agreeing to anything.",
    ),
    Temperament(
        "flaky", 8, 0.50, timedelta(hours=9), 0.45, 0.3, 0.55, 0.50, 0.55,
        "Friendly but scattered: forgets, answers half the questions, promises more than comes.",
    ),
    Temperament(
        "difficult", 6, 0.80, timedelta(hours=1), 0.70, 1.0, 0.30, 0.35, 0.25,
        "Irritable and demanding: complains, finds fault and is hard to please, but does answer.",
    ),
    Temperament(
        "ghost", 4, 0.05, timedelta(days=2), 0.30, 0.1, 0.40, 0.45, 0.40,
        "Hardly ever answers; when an answer comes it is late, short and noncommittal.",
    ),
)

# Those that are about how often and how fast somebody answers, and not about the tone.
_HABITS = ("responsive", "busy", "flaky", "ghost")


def nearest_temperament(reply_rate: float, delay: timedelta | None) -> TemperamentName:
    """
    The temperament of somebody who answers so often, and half of the time so soon.

    @param delay: None when it is not known.  Ten times as long weighs as much as a sixth of all mail.
    """
    def distance(one: Temperament) -> float:
        apart = abs(one.reply_rate - reply_rate)
        if delay is not None:
            apart += abs(log10(max(delay.total_seconds(), 1.0) / one.median_delay.total_seconds())) / 6
        return apart
    return min((temperament_named(name) for name in _HABITS), key=distance).name


def temperament_named(name: str) -> Temperament:
    """
    The temperament of that name.

    @raise KeyError: there is none (persona fields are checked before they get here).
    """
    for one in TEMPERAMENTS:
        if one.name == name:
            return one
    raise KeyError(name)


def draw_temperament(dice: Dice) -> TemperamentName:
    """A temperament by weight; C{dice} is keyed for the persona."""
    return dice.weighted([(one.name, one.weight) for one in TEMPERAMENTS], "temperament")


#: How common mail programs are, for those who name none.
CLIENT_WEIGHTS: tuple[tuple[Client, float], ...] = (
    ("gmail", 30), ("outlook", 28), ("iphone", 16), ("apple", 12), ("android", 9), ("plain", 5),
)


def new_persona(fields: Mapping[str, Any], id: str, provider: Provider, created: datetime, dice: Dice) -> Persona:
    """
    Return a complete persona; what is drawn or defaulted is filled in.

    C{temperament} is drawn from C{dice} (keyed for this persona), C{style.client} by C{id}, so that it is the same
    again when a later change leaves it out; C{name} defaults to the local part of the first address, C{knows} to
    C{some}, C{style.links} to C{usual}, C{style.filter} to C{normal}; C{languages} are drawn by address and name.

    @raise Invalid: naming the dotted field; no address; unknown fields; a read-only field that says otherwise.
    """
    own = {"id": id, "provider": provider, "created": created}
    _check_read_only(fields, own)
    return _completed({**fields, **own}, dice)


def patched(persona: Persona, fields: Mapping[str, Any]) -> Persona:
    """
    Return the persona with some fields changed, as C{PATCH} does: fields left out stay, C{style}, C{timing} and
    C{behaviors} are replaced whole, C{null} takes an optional field away; what is left out of C{style} is drawn or
    defaulted as it was at first.

    @raise Invalid: as L{new_persona}.
    """
    own = {"id": persona.id, "provider": persona.provider, "created": persona.created}
    _check_read_only(fields, own)
    kept = {name: value for name, value in asdict(persona).items() if value is not UNSET}
    return _completed({**kept, **fields, **own}, Dice(persona.id))


def _completed(fields: Mapping[str, Any], dice: Dice) -> Persona:
    """What is drawn or defaulted is stored, so that it is shown and never changes by itself."""
    values = given(fields, Persona)
    if not values.get("addresses"):
        raise Invalid("addresses", "at least one address is required")
    if "temperament" not in values:
        values["temperament"] = draw_temperament(dice)
    persona = convert({"name": "", "knows": "some", **values}, Persona)
    behaviors = persona.behaviors
    if isinstance(behaviors, Behaviors) and behaviors.forward_to in persona.addresses:
        raise Invalid("behaviors.forward_to", "must be somebody else")
    style, name = persona.style or Style(), persona.name or local_part(persona.address)
    return replace(
        persona,
        name=name,
        languages=persona.languages or spoken(persona.address, name, Dice(persona.id).on("languages").chance),
        style=replace(
            style,
            client=style.client or Dice(persona.id).weighted(CLIENT_WEIGHTS, "client"),
            links=style.links or "usual",
            filter=style.filter or "normal",
        ))


def _check_read_only(fields: Mapping[str, Any], own: Mapping[str, Any]) -> None:
    """What the service sets may be sent back as it was read."""
    for name in an_object(fields):
        if name in own and not _is_same(fields[name], own[name]):
            raise Invalid(name, "is set by the service and cannot be changed")


def _is_same(value: Any, own: Any) -> bool:
    if isinstance(own, datetime) and isinstance(value, str):
        try:
            value = parse_instant(value)
        except Invalid:
            return False
    return type(value) is type(own) and value == own
