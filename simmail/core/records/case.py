"""
Cases: what a thread of mail is about, who is on it and what they may say of it.

Source: decisions, section 6.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Literal, NamedTuple

from msgspec import UNSET, Struct, UnsetType

from simmail.core.message.mail import Mail
from simmail.core.records.persona import Persona
from simmail.core.rng import Dice

How = Literal["header", "thread", "key", "persona", "none"]
Status = Literal["open", "waiting", "closed"]
Knows = Literal["all", "some", "little"]


class CasePerson(Struct, frozen=True, omit_defaults=True):
    """Somebody on a case: a persona by id, or an address (the application's own, mostly)."""

    persona_id: str | UnsetType = UNSET
    address: str | UnsetType = UNSET
    role: str | UnsetType = UNSET
    knows: Knows | UnsetType = UNSET
    wants: str | UnsetType = UNSET


class Note(Struct, frozen=True):
    """Something written down about a case."""

    at: datetime
    text: str
    source: str = ""


class Deliverable(Struct, frozen=True, omit_defaults=True):
    """Something a persona is to send by an instant."""

    name: str
    persona_id: str | UnsetType = UNSET
    due: datetime | UnsetType = UNSET
    text: str | UnsetType = UNSET


class Case(Struct, frozen=True, omit_defaults=True):
    """
    One case, as stored and as shown.

    @ivar facts, secrets: name to any JSON value.
    @ivar keys: tokens such as C{INV-2041} that mark its mail.
    """

    id: str
    title: str
    status: Status | UnsetType = UNSET
    external_id: str | UnsetType = UNSET
    kind: str | UnsetType = UNSET
    summary: str | UnsetType = UNSET
    facts: dict[str, Any] | UnsetType = UNSET
    secrets: dict[str, Any] | UnsetType = UNSET
    goal: str | UnsetType = UNSET
    people: tuple[CasePerson, ...] | UnsetType = UNSET
    keys: tuple[str, ...] | UnsetType = UNSET
    opened: datetime | UnsetType = UNSET
    due: datetime | UnsetType = UNSET
    notes: tuple[Note, ...] | UnsetType = UNSET
    deliverables: tuple[Deliverable, ...] | UnsetType = UNSET


#: The header field that names a case outright.
HEADER = "X-Service-Case"

#: Characters of a mail's text in which keys are looked for.
LOOKED_AT = 65_536


class Shelved(NamedTuple):
    """All cases, arranged for matching: by id and external id, and their keys in lower case, longest first."""

    by_id: Mapping[str, Case]
    keys: tuple[tuple[str, str], ...]
    by_persona: Mapping[str, tuple[str, ...]]


def shelved(cases: Iterable[Case]) -> Shelved:
    """Cases, arranged; made again whenever one changes."""
    by_id: dict[str, Case] = {}
    keys: list[tuple[str, str]] = []
    by_persona: dict[str, list[str]] = {}
    for case in sorted(cases, key=lambda one: one.id):
        if case.external_id and case.external_id not in by_id:
            by_id[case.external_id] = case
        by_id[case.id] = case
        keys += [(key.lower(), case.id) for key in case.keys or () if key.strip()]
        for person in case.people or ():
            for name in (person.persona_id, person.address):
                if name:
                    by_persona.setdefault(name, []).append(case.id)
    # Where one key is part of another the longer one says more; among equals open cases come first.
    keys.sort(key=lambda one: (-len(one[0]), one[0], by_id[one[1]].status == "closed", one[1]))
    return Shelved(by_id, tuple(keys), {name: tuple(ids) for name, ids in by_persona.items()})


def match(
    mail: Mail, cases: Shelved, persona: Persona, correspondent: str, linked: str = ""
) -> tuple[Case | None, How]:
    """
    The case a mail belongs to, and how that is known.

    @param correspondent: whom the mail is from; linked: the case its thread was linked to before.
    """
    named = cases.by_id.get(mail.header(HEADER).strip())
    if named is not None:
        return named, "header"
    if linked in cases.by_id:
        return cases.by_id[linked], "thread"
    for part in (mail.subject[:1000], mail.text[:LOOKED_AT]):
        low = part.lower()
        for key, case_id in cases.keys:
            if key in low and _whole(key, low):
                return cases.by_id[case_id], "key"
    shared = _shared(cases, persona, correspondent)
    return (shared[0], "persona") if len(shared) == 1 else (None, "none")


def _whole(key: str, low: str) -> bool:
    """Whether a key stands alone somewhere: C{INV-204} is not in C{INV-2041}."""
    at = low.find(key)
    while at >= 0:
        before, after = low[at - 1:at] if at else "", low[at + len(key):at + len(key) + 1]
        if not (before.isalnum() or after.isalnum()):
            return True
        at = low.find(key, at + 1)
    return False


def listing(cases: Shelved, persona: Persona) -> tuple[str, ...]:
    """The ids of the cases that name a persona among their people."""
    return tuple(sorted({id for name in (persona.id, *persona.addresses) for id in cases.by_persona.get(name, ())}))


def _shared(cases: Shelved, persona: Persona, correspondent: str) -> list[Case]:
    """Open cases that a persona is on with a correspondent: one who is named, or anybody where nobody is."""
    ids = {*listing(cases, persona), *(id for id in persona.case_ids or () if id in cases.by_id)}
    found = []
    for id in sorted(ids):
        case = cases.by_id[id]
        others = {one.address for one in case.people or () if one.address and one.address not in persona.addresses}
        if case.status != "closed" and case not in found and (not others or correspondent in others):
            found.append(case)
    return found


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
