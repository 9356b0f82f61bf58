"""
Case fields from outside: checked, completed, merged.

The people of a case may be named by persona id or address, or be described;
whoever is described becomes a persona (provider C{case}) unless somebody has
that address already, which is C{universe.cases}' matter.  Source: decisions,
section 6.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from msgspec import UNSET
from msgspec.structs import replace

from simmail.core.records.case import Case, CasePerson, Deliverable, Note
from simmail.core.rules.fields import (
    LINE, LIST, TEXT, address, instant, line, lines, list_of, members, one_of, prose, text,
)
from simmail.errors import Invalid

#: Longest text of all facts or secrets together, in characters, as JSON counts them roughly.
FACTS = 200_000


class Entry(NamedTuple):
    """
    One of the people of a case as sent.

    @ivar person: as it will be stored; without C{persona_id} and C{address} when it is described.
    @ivar fields: the fields of the persona described, None for somebody named.
    """

    person: CasePerson
    fields: dict[str, Any] | None = None


def entries(fields: Mapping[str, Any]) -> tuple[Entry, ...] | None:
    """
    The people a body names or describes, None when it does not speak of people.

    @raise Invalid: naming the dotted field, C{people.0.address} ...
    """
    if not isinstance(fields, Mapping):
        raise Invalid("", "must be an object")
    if fields.get("people") is None:
        return () if "people" in fields else None
    return tuple(_entry(one, f"people.{i}") for i, one in enumerate(list_of(fields["people"], "people")))


def new_case(fields: Mapping[str, Any], id: str, now: datetime, people: tuple[CasePerson, ...] = ()) -> Case:
    """
    A case from fields; C{status} is C{open}, C{opened} is now, C{title} is made from the id where they are not given.

    @param id: used unless the fields give one; people: the people of L{entries}, each with its persona id or address.
    @raise Invalid: naming the dotted field.
    """
    values = _checked(fields, now)
    values["people"] = people
    values.setdefault("id", id)
    values.setdefault("title", f"Case {values.get('external_id', values['id'])}")
    values.setdefault("status", "open")
    values.setdefault("opened", now)
    return Case(**values)


def merged(
    case: Case, fields: Mapping[str, Any], now: datetime, people: tuple[CasePerson, ...] | None = None
) -> tuple[Case, tuple[str, ...]]:
    """
    A case with some fields changed, and the names of those that really did, sorted.

    Fields left out stay, C{null} takes one away, objects and lists are replaced whole.

    @raise Invalid: naming the dotted field; another C{id}.
    """
    values = _checked(fields, now)
    if values.get("id", case.id) != case.id:
        raise Invalid("id", "is another case's")
    if people is not None:
        values["people"] = people
    for name in fields:
        if name not in values and name != "people":
            if name in ("id", "title", "status"):
                raise Invalid(name, "cannot be taken away")
            values[name] = UNSET
    changed = tuple(sorted(name for name, value in values.items() if getattr(case, name) != value))
    return replace(case, **values), changed


def _checked(fields: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    if not isinstance(fields, Mapping):
        raise Invalid("", "must be an object")
    values: dict[str, Any] = {}
    for name, value in fields.items():
        if name == "people":
            continue
        if name == "notes" and value is not None:
            values[name] = _notes(value, now)
        elif name not in _FIELDS:
            raise Invalid(str(name)[:LINE], "unknown field")
        elif value is not None:
            values[name] = _FIELDS[name](value, name)
    return values


def _entry(value: Any, field: str) -> Entry:
    if isinstance(value, str):
        # Short for somebody with nothing else to say about.
        value = {"address" if "@" in value else "persona_id": value}
    if not isinstance(value, Mapping):
        raise Invalid(field, "must be an object")
    named = [name for name in ("persona_id", "address", "addresses") if value.get(name) is not None]
    if len(named) != 1:
        raise Invalid(field, "needs one of persona_id, address, or addresses (a new persona)")
    own = {name: one for name, one in value.items() if name in _PERSON}
    person = CasePerson(**members(own, field, _PERSON))
    if named[0] != "addresses":
        for name in value:
            if name not in _PERSON:
                raise Invalid(f"{field}.{str(name)[:LINE]}", "unknown field")
        return Entry(person)
    if not list_of(value["addresses"], f"{field}.addresses"):
        raise Invalid(f"{field}.addresses", "at least one address is required")
    # The rest is checked as persona fields when the persona is made.
    return Entry(person, {str(name): one for name, one in value.items()})


def _id(value: Any, field: str) -> str:
    found = line(value, field)
    # It stands in a path of the API and in a header.
    if not found or not found.isascii() or any(c in ' /?#"<>\\' for c in found):
        raise Invalid(field, "must be ASCII text without spaces, slashes, quotes, ? and #")
    return str(found)


def _title(value: Any, field: str) -> str:
    found = line(value, field)
    if not found.strip():
        raise Invalid(field, "must not be empty")
    return str(found)


def _facts(value: Any, field: str) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise Invalid(field, "must be an object")
    if len(value) > LIST * 2:
        raise Invalid(field, f"must not have more than {LIST * 2} members")
    if len(repr(value)) > FACTS:
        raise Invalid(field, f"must not be longer than {FACTS} characters in all")
    return {str(line(name, field)): one for name, one in value.items() if one is not None}


def _notes(value: Any, now: datetime) -> tuple[Note, ...]:
    found = []
    for i, one in enumerate(list_of(value, "notes")):
        field = f"notes.{i}"
        if isinstance(one, str):
            one = {"text": one}
        values = members(one, field, {"at": instant, "text": prose, "source": line})
        if not values.get("text"):
            raise Invalid(f"{field}.text", "is required")
        found.append(Note(values.get("at", now), values["text"], values.get("source", "")))
    return tuple(found)


def _deliverables(value: Any, field: str) -> tuple[Deliverable, ...]:
    found = []
    for i, one in enumerate(list_of(value, field)):
        values = members(one, f"{field}.{i}", {"name": line, "persona_id": line, "due": instant, "text": prose})
        if not values.get("name"):
            raise Invalid(f"{field}.{i}.name", "is required")
        found.append(Deliverable(**values))
    return tuple(found)


_PERSON = {
    "persona_id": line, "address": address, "role": line, "knows": one_of(("all", "some", "little")),
    "wants": text(TEXT, lines=True),
}
_FIELDS = {
    "id": _id, "external_id": line, "title": _title, "kind": line, "status": one_of(("open", "waiting", "closed")),
    "summary": prose, "facts": _facts, "secrets": _facts, "goal": prose, "keys": lines, "opened": instant,
    "due": instant, "deliverables": _deliverables,
}
