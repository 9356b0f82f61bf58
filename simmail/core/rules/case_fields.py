"""
Cases from fields: completed, merged.

The people of a case may be named by persona id or address, or be described;
whoever is described becomes a persona (provider C{case}) unless somebody has
that address already, which is C{universe.people.cases}' matter.  Source: decisions,
section 6.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from msgspec import UNSET
from msgspec.structs import asdict

from simmail.core.records.case import Case, CasePerson, Note
from simmail.core.records.fields import LINE, a_list, an_object, below, convert, given
from simmail.errors import Invalid

_PERSON = CasePerson.__struct_fields__


class PersonEntry(NamedTuple):
    """
    One of the people of a case as sent.

    @ivar person: as it will be stored; without C{persona_id} and C{address} when it is described.
    @ivar fields: the fields of the persona described, None for somebody named.
    """

    person: CasePerson
    fields: dict[str, Any] | None = None


def entries(fields: Mapping[str, Any]) -> tuple[PersonEntry, ...] | None:
    """
    Return the people a body names or describes, None when it does not speak of people.

    @raise Invalid: naming the dotted field, C{people.0.address} ...
    """
    if an_object(fields).get("people") is None:
        return () if "people" in fields else None
    return tuple(_entry(one, f"people.{n}") for n, one in enumerate(a_list(fields["people"], "people")))


def new_case(fields: Mapping[str, Any], id: str, now: datetime, people: tuple[CasePerson, ...] = ()) -> Case:
    """
    Return a case; C{status} is C{open}, C{opened} is now, C{title} is made from the id where they are not given.

    @param id: used unless the fields give one; people: the people of L{entries}, each with its persona id or address.
    @raise Invalid: naming the dotted field.
    """
    values = {"id": id, "status": "open", "opened": now, **_given(fields, now), "people": people}
    return convert({"title": f"Case {values.get('external_id', values['id'])}"[:LINE], **values}, Case)


def merged(
    case: Case, fields: Mapping[str, Any], now: datetime, people: tuple[CasePerson, ...] | None = None
) -> tuple[Case, tuple[str, ...]]:
    """
    Return a case with some fields changed, and the names of those that really did, sorted.

    Fields left out stay, C{null} takes one away, objects and lists are replaced whole.

    @raise Invalid: naming the dotted field; another C{id}.
    """
    values = _given(fields, now)
    if values.get("id", case.id) != case.id:
        raise Invalid("id", "is another case's")
    for name in ("id", "title", "status"):
        if name in fields and name not in values:
            raise Invalid(name, "cannot be taken away")
    kept = {name: value for name, value in asdict(case).items()
            if value is not UNSET and (name not in fields or name == "people")}
    found = convert({**kept, **values, **({} if people is None else {"people": people})}, Case)
    return found, tuple(sorted(
        name for name in found.__struct_fields__ if getattr(found, name) != getattr(case, name)))


def _given(fields: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """What is given of a case but its people, notes with their instants."""
    found = given(fields, Case)
    found.pop("people", None)
    if isinstance(found.get("notes"), (list, tuple)):
        found["notes"] = [_note(one, now) for one in found["notes"]]
    return found


def _note(value: Any, now: datetime) -> Any:
    note = {"text": value} if isinstance(value, str) else value
    return {"at": now, **given(note, Note)} if isinstance(note, Mapping) else note


def _entry(value: Any, field: str) -> PersonEntry:
    if isinstance(value, str):
        # Short for somebody with nothing else to say about.
        value = {"address" if "@" in value else "persona_id": value}
    named = [name for name in ("persona_id", "address", "addresses") if an_object(value, field).get(name) is not None]
    if len(named) != 1:
        raise Invalid(field, "needs one of persona_id, address, or addresses (a new persona)")
    if named[0] != "addresses":
        return PersonEntry(convert(value, CasePerson, field))
    if not a_list(value["addresses"], below(field, "addresses")):
        raise Invalid(below(field, "addresses"), "at least one address is required")
    # The rest is checked as persona fields when the persona is made.
    person = convert({name: one for name, one in value.items() if name in _PERSON}, CasePerson, field)
    return PersonEntry(person, {str(name): one for name, one in value.items()})
