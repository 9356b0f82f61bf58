"""
The case that a mail belongs to: by its header, its thread, a key in its text, or the people between whom it goes.

Source: decisions, section 6.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from simmail.core.message.mail import Mail
from simmail.core.records.case import Case, How, LOOKED_AT
from simmail.core.records.persona import Persona

#: The header field that names a case outright.
HEADER = "X-Service-Case"


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
