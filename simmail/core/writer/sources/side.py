"""
On which side of a business somebody stands, and what a mail is there: "your invoice" asks for no payment.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from msgspec import Struct, convert

from simmail.core.language.reader import Findings
from simmail.core.language.tables import Language
from simmail.core.language_data import read_optional
from simmail.core.records.persona import Persona


_CURLY, _PLAIN = "\u2019", "'"


class SideWords(Struct, frozen=True, forbid_unknown_fields=True):
    """Phrases of one language; the data files say what each is for."""

    served: tuple[str, ...] = ()
    serving: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    offers_help: tuple[str, ...] = ()
    fails: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    corrections: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    proposals: tuple[str, ...] = ()
    orders: tuple[str, ...] = ()


#: What mail is to who sells that would be something else to who buys, by what it has to say; C{""} for nothing.
_SERVED: Mapping[str, Mapping[str, str]] = MappingProxyType({
    "sales": {"": "enquiry"}, **dict.fromkeys(("invoice", "bill"), {"corrections": "question"}),
    "order": {"broken": "complaint", "changes": "question"},
    **dict.fromkeys(("confirmation", "redress", "delivery", "question"), {"broken": "complaint"}),
    **dict.fromkeys(("information", "support", "outage", "incident", "notice", "account", "task", "news"),
                    {"fails": "bug"}),
})


@cache
def side_words(code: str) -> SideWords:
    """Return the phrases of a language, none for one that has no such file."""
    return convert(read_optional(code, "side.yaml") or {}, SideWords, strict=False)


def _has(text: str, cues: tuple[str, ...]) -> bool:
    return any(f" {cue}" in text for cue in cues)


def is_served(found: Findings, persona: Persona, language: Language) -> bool:
    """Return whether a mail is written to its reader as to one who sells: by what it says, else by the reader's job."""
    how, low = side_words(language.code), _text(found)
    if _has(low, how.serving):
        return False
    role, org = persona.role or "", persona.org or ""
    return _has(low, how.served) or bool(org) and f" {org.lower()}" in low or _has(f" {role.lower()}", how.roles)


def seen(intent: str, found: Findings, persona: Persona, language: Language) -> str:
    """Return what a mail of some kind is on the side of its reader."""
    how = side_words(language.code)
    if intent == "sales" and _has(_text(found), how.offers_help):
        return "question"  # "what can we do for you?"
    if intent == "question" and not any(asks_what_is_done(one.text, language) for one in found.points):
        return intent
    others = _SERVED.get(intent)
    if not others or not is_served(found, persona, language):
        return intent
    low = _text(found)
    return next((other for said, other in others.items() if not said or _has(low, getattr(how, said))), intent)


def takes_order_back(found: Findings, language: Language) -> bool:
    """Return whether what a mail calls off is something bought, and no appointment."""
    return found.called_off and (not found.takes_back or _has(_text(found), side_words(language.code).orders))


def asks_what_is_done(question: str, language: Language) -> bool:
    """Return whether a question asks what will be done about a trouble: doing it is the answer."""
    return _has(f" {question.lower().replace(_CURLY, _PLAIN)}", side_words(language.code).proposals)


def names_damage(found: Findings, language: Language) -> bool:
    """Return whether a mail says that something arrived broken."""
    return _has(_text(found), side_words(language.code).broken)


def _text(found: Findings) -> str:
    return " " + " ".join(f"{found.mail.subject[:200]} {found.prose.body}".lower().replace(_CURLY, _PLAIN).split())
