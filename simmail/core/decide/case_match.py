"""
The case that a mail belongs to: by its header, its thread, a key in its text, or the people between whom it goes.

Source: decisions, section 6.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from simmail.core.message.mail import Mail
from simmail.core.records.case import Case, How, LOOKED_AT
from simmail.core.records.persona import Persona

#: The header field that names a case outright.
HEADER = "X-Service-Case"
#: What C{str.isalnum} is all true of.
_WORD = re.compile(r"[^\W_]+")


class CaseKey(NamedTuple):
    """A key of a case in lower case; C{place}: where it stands among all, longest first."""

    place: int
    text: str
    case_id: str


class Shelved(NamedTuple):
    """All cases, arranged for matching: by id and external id, and their keys by the rarest of their words."""

    by_id: Mapping[str, Case]
    by_word: Mapping[str, tuple[CaseKey, ...]]
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
    return Shelved(by_id, _by_word(keys), {name: tuple(ids) for name, ids in by_persona.items()})


def _by_word(keys: Sequence[tuple[str, str]]) -> Mapping[str, tuple[CaseKey, ...]]:
    """
    Keys by the rarest of their words, C{""} for those without any.

    A key stands alone where it counts, so each of its words stands there as a whole.
    """
    words = [_WORD.findall(text) or [""] for text, _ in keys]
    often = Counter(word for some in words for word in some)
    found: dict[str, list[CaseKey]] = {}
    for place, ((text, case_id), some) in enumerate(zip(keys, words)):
        found.setdefault(min(some, key=lambda word: (often[word], word)), []).append(CaseKey(place, text, case_id))
    return {word: tuple(some) for word, some in found.items()}


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
        likely = [key for word in cases.by_word.keys() & {"", *_WORD.findall(low)} for key in cases.by_word[word]]
        for key in sorted(likely):
            if _whole(key.text, low):
                return cases.by_id[key.case_id], "key"
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
