"""
Persona fields from outside: checked, completed, merged.

Takes decoded JSON or YAML and gives a L{Persona}, or refuses it naming the
dotted field.  Who may change a persona, and whether an address is taken, is
C{universe.people}'s matter.  Source: API contract, "Persona" and "Personas";
decisions, section 23 ("Personas").
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, get_args

from msgspec import UNSET
from msgspec.structs import replace

from simmail.core.mime.address import local_part
from simmail.core.records import temperaments
from simmail.core.records.persona import Behaviors, Client, Delay, Hours, OutOfOffice, Persona, Provider, Style, Timing
from simmail.core.rng import Dice
from simmail.core.rules.fields import (
    Check, LINE, LIST, address, addresses, date, flag, line, lines, list_of, members, number, one_of, prose, record,
    share,
)
from simmail.core.time.instant import parse_clock, parse_days, parse_duration, parse_instant, zone
from simmail.errors import Invalid

LONGEST_DELAY = timedelta(days=400)

#: How common mail programs are, for those who name none.
CLIENT_WEIGHTS: tuple[tuple[Client, float], ...] = (
    ("gmail", 30), ("outlook", 28), ("iphone", 16), ("apple", 12), ("android", 9), ("plain", 5),
)


def new_persona(fields: Mapping[str, Any], id: str, provider: Provider, created: datetime, dice: Dice) -> Persona:
    """
    A complete persona from fields; what is drawn or defaulted is filled in.

    C{temperament} is drawn from C{dice} (keyed for this persona), C{style.client} by C{id}, so that it is the same
    again when a later change leaves it out; C{name} defaults to the local part of the first address, C{knows} to
    C{some}, C{style.links} to C{usual}, C{style.filter} to C{normal}.

    @raise Invalid: naming the dotted field; no address; unknown fields; a read-only field that says otherwise.
    """
    values = _checked(fields, id, provider, created)
    own = values.get("addresses", ())
    if not own:
        raise Invalid("addresses", "at least one address is required")
    if not values.get("name"):
        values["name"] = local_part(own[0])
    if "temperament" not in values:
        values["temperament"] = temperaments.draw(dice)
    values.setdefault("knows", "some")
    values["style"] = _completed(values.get("style", Style()), id)
    _check_whole(values)
    return Persona(id=id, provider=provider, created=created, **values)


def patched(persona: Persona, fields: Mapping[str, Any]) -> Persona:
    """
    The persona with some fields changed, as C{PATCH} does: fields left out stay, C{style}, C{timing} and
    C{behaviors} are replaced whole, C{null} takes an optional field away; what is left out of C{style} is drawn or
    defaulted as it was at first.

    @raise Invalid: as L{new_persona}.
    """
    values = _checked(fields, persona.id, persona.provider, persona.created)
    own = values.get("addresses", () if "addresses" in fields else persona.addresses)
    if not own:
        raise Invalid("addresses", "at least one address is required")
    for name in fields:
        if name not in values and name not in _READ_ONLY:
            # null: back to what a new persona would have.
            values[name] = {
                "name": "", "temperament": temperaments.draw(Dice(persona.id)), "knows": "some", "style": Style(),
            }.get(name, UNSET)
    if "name" in values and not values["name"]:
        values["name"] = local_part(own[0])
    if "style" in values:
        values["style"] = _completed(values["style"], persona.id)
    changed = replace(persona, **values)
    _check_whole({"addresses": changed.addresses, "behaviors": changed.behaviors})
    return changed


def _completed(style: Style, id: str) -> Style:
    """What is drawn or defaulted is stored, so that it is shown and never changes by itself."""
    return replace(
        style,
        client=Dice(id).weighted(CLIENT_WEIGHTS, "client") if style.client is UNSET else style.client,
        links="usual" if style.links is UNSET else style.links,
        filter="normal" if style.filter is UNSET else style.filter,
    )


def _check_whole(values: Mapping[str, Any]) -> None:
    behaviors = values.get("behaviors", UNSET)
    if isinstance(behaviors, Behaviors) and behaviors.forward_to in values["addresses"]:
        raise Invalid("behaviors.forward_to", "must be somebody else")


def _checked(fields: Mapping[str, Any], id: str, provider: str, created: datetime) -> dict[str, Any]:
    """Fields by attribute name, each checked; those that are null are left out."""
    if not isinstance(fields, Mapping):
        raise Invalid("", "must be an object")
    values: dict[str, Any] = {}
    own = {"id": id, "provider": provider}
    for name, value in fields.items():
        if name in _READ_ONLY:
            if name == "created" and not _same_instant(value, created) or value != own.get(name, value):
                raise Invalid(name, "is set by the service and cannot be changed")
        elif name not in _FIELDS:
            raise Invalid(str(name)[:LINE], "unknown field")
        elif value is not None:
            values[name] = _FIELDS[name](value, name)
    return values


def _same_instant(value: Any, created: datetime) -> bool:
    if isinstance(value, str):
        try:
            value = parse_instant(value)
        except Invalid:
            return False
    return isinstance(value, datetime) and value.tzinfo is not None and value == created


def _duration(value: Any, field: str) -> str:
    if not isinstance(value, str):
        raise Invalid(field, "must be a duration such as 45m")
    if parse_duration(value, field) > LONGEST_DELAY:
        raise Invalid(field, f"must not be longer than {LONGEST_DELAY.days}d")
    return value


def _read_by(read: Callable[[str, str], object], what: str) -> Check:
    def check(value: Any, field: str) -> str:
        if not isinstance(value, str):
            raise Invalid(field, f"must be {what}")
        read(value, field)
        return value
    return check


def _clock(value: Any, field: str) -> str:
    # YAML 1.1 reads 9:00 as a number; only quoted text arrives here as text.
    if not isinstance(value, str):
        raise Invalid(field, "must be a time of day HH:MM, in quotes")
    parse_clock(value, field)
    return value


def _forward_to(value: Any, field: str) -> str:
    text = str(line(value, field))
    return text if text.startswith("p_") and "@" not in text else address(text, field)


def _away(value: Any, field: str) -> tuple[OutOfOffice, ...]:
    return tuple(_period(one, f"{field}.{i}") for i, one in enumerate(list_of(value, field)))


def _period(value: Any, field: str) -> OutOfOffice:
    values = members(value, field, {"from": date, "to": date, "message": prose})
    for name in ("from", "to"):
        if name not in values:
            raise Invalid(f"{field}.{name}", "is required")
    if values["to"] < values["from"]:
        raise Invalid(f"{field}.to", "must not be before from")
    return OutOfOffice(from_=values["from"], to=values["to"], message=values.get("message", ""))


def _externals(value: Any, field: str) -> dict[str, str]:
    if not isinstance(value, Mapping):
        raise Invalid(field, "must be an object")
    if len(value) > LIST:
        raise Invalid(field, f"must not have more than {LIST} members")
    return {line(system, field): line(id, f"{field}.{system}") for system, id in value.items()}


_READ_ONLY = ("id", "provider", "created")
_FIELDS: dict[str, Check] = {
    "name": line, "role": line, "org": line, "who": prose, "wants": prose, "character": prose,
    "addresses": addresses,
    "temperament": one_of(temperaments.NAMES),
    "knows": one_of(("all", "some", "little")),
    "case_ids": lines,
    "style": record(Style, {
        "length": one_of(("short", "medium", "long")),
        "formality": one_of(("casual", "neutral", "formal")),
        "typos": share,
        "signature": prose,
        "client": one_of(get_args(Client)),
        "links": one_of(("usual", "curious", "wary", "never")),
        "filter": one_of(("strict", "normal", "lenient", "none")),
        "access": one_of(("screen_reader", "low_vision")),
    }),
    "timing": record(Timing, {
        "reply_rate": share,
        "delay": record(Delay, {"median": _duration, "spread": number(1, 100, "from 1 to 100")}),
        "hours": record(Hours, {
            "tz": _read_by(zone, "an IANA time zone name"), "days": _read_by(parse_days, "days such as mon-fri"),
            "from": _clock, "to": _clock,
        }),
        "ooo": _away,
    }),
    "behaviors": record(Behaviors, {
        "double_reply": share, "bounce": share, "cc_someone": share,
        "forward_to": _forward_to, "keep_promises": share,
    }),
    "external_ids": _externals,
    "paused": flag,
}
