"""
Cases: what a thread of mail is about, who is on it and what they may say of it; how one is completed and changed.

One declaration is stored, shown, taken from the API (L{fields.convert}) and documented.  The people of a case may be
named by persona id or address, or be described; whoever is described becomes a persona (provider C{case}) unless
somebody has that address already, which is C{universe.people.cases}' matter.  Source: decisions, section 6.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Annotated, Any, Literal, NamedTuple

from msgspec import Meta, Struct, UNSET, UnsetType
from msgspec.structs import asdict

from simmail.core.records.fields import (
    Email, Instant, LINE, LIST, Line, Lines, Prose, a_list, an_object, below, check_line, convert, given, of_text,
)
from simmail.core.records.persona import Knows, Persona
from simmail.core.rng import Dice
from simmail.errors import Invalid

How = Literal["header", "thread", "key", "persona", "none"]
Status = Literal["open", "waiting", "closed"]

#: Characters of a mail's text that are looked at for what is about a case.
LOOKED_AT = 65_536

#: Longest text of all facts or secrets together, in characters, as JSON counts them roughly.
FACTS = 200_000


def _id(text: str, field: str) -> str:
    # It stands in a path of the API and in a header.
    check_line(text, field)
    if not text or not text.isascii() or any(c in ' /?#"<>\\' for c in text):
        raise Invalid(field, "must be ASCII text without spaces, slashes, quotes, ? and #")
    return text


def _title(text: str, field: str) -> str:
    check_line(text, field)
    if not text.strip():
        raise Invalid(field, "must not be empty")
    return text


def _facts(value: Any, field: str) -> Any:
    if not isinstance(value, Mapping):
        return value
    if len(repr(value)) > FACTS:
        raise Invalid(field, f"must not be longer than {FACTS} characters in all")
    return {name: one for name, one in value.items() if one is not None}


CaseId = Annotated[str, Meta(max_length=LINE, extra={"read": of_text(_id)})]
Title = Annotated[str, Meta(max_length=LINE, extra={"read": of_text(_title)})]
Facts = Annotated[dict[Line, Any], Meta(max_length=LIST * 2, extra={"read": _facts})]


class CasePerson(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """
    Somebody on a case: a persona by id, or an address (the application's own, mostly).

    @ivar persona_id: a persona; address: or an address; role: what they are in the case, such as C{customer}.
    @ivar knows: how much of its facts they know; as the persona does unless given.
    @ivar wants: what they are after in the case.
    """

    persona_id: Line | UnsetType = UNSET
    address: Email | UnsetType = UNSET
    role: Line | UnsetType = UNSET
    knows: Knows | UnsetType = UNSET
    wants: Prose | UnsetType = UNSET


class Note(Struct, frozen=True, forbid_unknown_fields=True):
    """
    Something written down about a case.

    @ivar at: when, in simulated time; now unless given; text: what was written; source: where it comes from.
    """

    at: Instant
    text: Annotated[Prose, Meta(min_length=1)]
    source: Line = ""


class Deliverable(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """
    Something a persona is to send by an instant.

    @ivar name: what it is called; persona_id: who is to send it; due: by when, in simulated time; text: what it holds.
    """

    name: Annotated[Line, Meta(min_length=1)]
    persona_id: Line | UnsetType = UNSET
    due: Instant | UnsetType = UNSET
    text: Prose | UnsetType = UNSET


class Case(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """
    One case, as stored and as shown.

    @ivar id: given by who pushes the case, else made up; ASCII without spaces, slashes, quotes, ? and #.
    @ivar title: one line on what it is about; status: whether it is going on.
    @ivar external_id: its id in the application, by which it is found again.
    @ivar kind: what sort of case, in words of the application; summary: what has happened so far, in free text.
    @ivar facts: what may be told, by name: any JSON values, at most 200000 characters in all.
    @ivar secrets: what must not be told, in the same form; a leak of one costs points in C{GET /api/score}.
    @ivar goal: what the people on it are to reach; people: who is on it.
    @ivar keys: tokens such as C{INV-2041} that mark its mail.
    @ivar opened: since when, in simulated time; due: by when it is to be done, in simulated time.
    @ivar notes: what was written down, in order; deliverables: what personas are to send.
    """

    id: CaseId
    title: Title
    status: Status | UnsetType = UNSET
    external_id: Line | UnsetType = UNSET
    kind: Line | UnsetType = UNSET
    summary: Prose | UnsetType = UNSET
    facts: Facts | UnsetType = UNSET
    secrets: Facts | UnsetType = UNSET
    goal: Prose | UnsetType = UNSET
    people: Annotated[tuple[CasePerson, ...], Meta(max_length=LIST)] | UnsetType = UNSET
    keys: Lines | UnsetType = UNSET
    opened: Instant | UnsetType = UNSET
    due: Instant | UnsetType = UNSET
    notes: Annotated[tuple[Note, ...], Meta(max_length=LIST)] | UnsetType = UNSET
    deliverables: Annotated[tuple[Deliverable, ...], Meta(max_length=LIST)] | UnsetType = UNSET


def person_on(case: Case, persona: Persona) -> CasePerson | None:
    """What a case says of a persona, None if it is not on it."""
    for one in case.people or ():
        if one.persona_id == persona.id or (one.address and one.address in persona.addresses):
            return one
    return None


def knows(case: Case, persona: Persona) -> Knows:
    """How much a persona knows of a case: as the case says, else as the persona does."""
    person = person_on(case, persona)
    if person is not None and person.knows:
        return person.knows
    return persona.knows or "some"


def facts(case: Case, persona: Persona, dice: Dice) -> dict[str, str]:
    """
    The facts a persona may state, as text: all, the same half every time, or none.

    @param dice: the universe's.
    """
    level = knows(case, persona)
    names = list(case.facts or ())
    if level == "little" or not names:
        return {}
    if level == "some":
        own = dice.on("knows", case.id, persona.id)
        kept = set(sorted(names, key=lambda name: own.bits(name))[:(len(names) + 1) // 2])
        names = [name for name in names if name in kept]
    return {name: said(case.facts[name]) for name in names if case.facts}


def wants(case: Case | None, persona: Persona) -> str:
    """What a persona is after in a case: its own C{wants} there, else the persona's."""
    person = person_on(case, persona) if case is not None else None
    return (person.wants if person is not None else "") or persona.wants or ""


def confided(case: Case, asker: str, question: str) -> dict[str, str]:
    """
    The secrets a persona may tell somebody who asks: those that allow the asker and are asked for by name.

    A secret is told only where its value is C{{"text": ..., "allow": [addresses]}}; any other never is.
    """
    low = question[:LOOKED_AT].lower()
    found = {}
    for name, value in (case.secrets or {}).items():
        if isinstance(value, dict) and asker in [str(one).lower() for one in _listed(value.get("allow"))]:
            words = [word for word in name.lower().replace("_", " ").replace("-", " ").split() if len(word) > 2]
            if words and all(word in low for word in words):
                found[name] = said(value.get("text", ""))
    return found


def leaks(case: Case, text: str, confided: Iterable[str] = ()) -> tuple[str, ...]:
    """The names of the secrets whose value stands in a text though they were not C{confided}."""
    low = " ".join(text.lower().split())
    found = []
    for name, value in (case.secrets or {}).items():
        secret = value.get("text", "") if isinstance(value, dict) and "allow" in value else value
        told = " ".join(said(secret).lower().split())
        if name not in confided and len(told) > 2 and told in low:
            found.append(name)
    return tuple(found)


def said(value: Any) -> str:
    """A fact as a person would write it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, dict):
        return ", ".join(f"{name} {said(one)}" for name, one in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(said(one) for one in value)
    return "" if value is None else str(value)


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [] if value is None else [value]


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
