"""
Personas from fields: completed, changed.

Takes decoded JSON or YAML and gives a L{Persona}, or refuses it naming the
dotted field.  Who may change a persona, and whether an address is taken, is
C{universe.people.personas}' matter.  Source: API contract, "Persona" and "Personas";
decisions, section 23 ("Personas").
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from msgspec import UNSET
from msgspec.structs import asdict, replace

from simmail.core.language_data import spoken
from simmail.core.mime.address import local_part
from simmail.core.records import temperaments
from simmail.core.records.fields import an_object, convert, given
from simmail.core.records.persona import Behaviors, Client, Persona, Provider, Style
from simmail.core.rng import Dice
from simmail.core.time.instant import parse_instant
from simmail.errors import Invalid

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
        values["temperament"] = temperaments.draw(dice)
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
