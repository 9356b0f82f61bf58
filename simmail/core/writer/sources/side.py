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
    **dict.fromkeys(("confirmation", "redress", "delivery", "received", "booked", "private"),
                    {"broken": "complaint"}),
    **dict.fromkeys(("information", "support", "outage", "incident", "notice", "account", "task", "news", "document"),
                    {"fails": "bug", "broken": "complaint"}),
    "code": {"fails": "bug"}, "question": {"fails": "bug", "broken": "complaint"},
})

#: What a mail is not about, by what its reader is in the thread: nobody orders from a customer, or bills a supplier.
_NOT_OF: Mapping[str, frozenset[str]] = MappingProxyType({part: frozenset(intents.split()) for part, intents in {
    "customer": "order enquiry returns bug complaint application sales approval",
    "supplier": "bill invoice bank renewal approval payment", "applicant": "application recruiting enquiry order",
    "seller": "sales", "recruiter": "application recruiting",
}.items()})


@cache
def side_words(code: str) -> SideWords:
    """Return the phrases of a language, none for one that has no such file."""
    return convert(read_optional(code, "side.yaml") or {}, SideWords, strict=False)


def _has(text: str, cues: tuple[str, ...]) -> bool:
    return any(f" {cue}" in text for cue in cues)


def is_not_of(part: str, intent: str) -> bool:
    """Return whether a mail in a thread is not about what it seems to be, by what its reader is there."""
    return intent in _NOT_OF.get(part, ())


def is_served(found: Findings, persona: Persona, language: Language) -> bool:
    """Return whether a mail is written to its reader as to one who sells: by what it says, else by the reader's job."""
    return _is_served(_text(found), persona, side_words(language.code))


def _is_served(low: str, persona: Persona, how: SideWords) -> bool:
    if _has(low, how.serving):
        return False
    role, org = persona.role or "", persona.org or ""
    return _has(low, how.served) or bool(org) and f" {org.lower()}" in low or _has(f" {role.lower()}", how.roles)


def seen(intent: str, found: Findings, persona: Persona, language: Language) -> str:
    """Return what a mail of some kind is on the side of its reader."""
    others = _SERVED.get(intent)
    if not others or intent == "question" and not any(
            asks_what_is_done(one.text, language) for one in found.points) and not all(
            one.type == "request" for one in found.points):
        return intent
    how, low = side_words(language.code), _text(found)
    if intent == "sales" and _has(low, how.offers_help):
        return "question"  # "what can we do for you?"
    if not _is_served(low, persona, how):
        return intent
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
