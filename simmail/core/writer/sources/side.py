"""
On which side of a business somebody stands, and what a mail is there: "your invoice" asks for no payment.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from types import MappingProxyType

from msgspec import Struct, convert

from simmail.core.language.reader import Findings
from simmail.core.language.tables import Language
from simmail.core.language_data import read_optional
from simmail.core.records.persona import Persona


#: Texts that are kept as cues are looked for in them: several things are looked for in one mail.
_KEPT = 256


class SideWords(Struct, frozen=True, forbid_unknown_fields=True):
    """Phrases of one language; the data files say what each is for."""

    served: tuple[str, ...] = ()
    serving: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    offers_help: tuple[str, ...] = ()
    fails: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    goods: tuple[str, ...] = ()
    services: tuple[str, ...] = ()
    admits: tuple[str, ...] = ()
    corrections: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    proposals: tuple[str, ...] = ()
    orders: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()
    seeks: tuple[str, ...] = ()
    part_of: frozenset[str] = frozenset()
    joints: frozenset[str] = frozenset()
    no_things: frozenset[str] = frozenset()
    clock: frozenset[str] = frozenset()
    urgent: tuple[str, ...] = ()
    yours: Mapping[str, tuple[str, str]] = {}
    calls: tuple[str, ...] = ()
    prices: tuple[str, ...] = ()
    buys: tuple[str, ...] = ()
    owes: tuple[str, ...] = ()
    pupils: tuple[str, ...] = ()
    outings: tuple[str, ...] = ()
    budgets: tuple[str, ...] = ()
    visits: tuple[str, ...] = ()
    adverse: tuple[str, ...] = ()
    untold: tuple[str, ...] = ()
    has_none: tuple[str, ...] = ()
    own_fault: tuple[str, ...] = ()
    connectives: tuple[str, ...] = ()


#: What mail is to who sells that would be something else to who buys, by what it has to say; C{""} for nothing.
_SERVED: Mapping[str, Mapping[str, str]] = MappingProxyType({
    "sales": {"": "enquiry"}, **dict.fromkeys(("invoice", "bill"), {"corrections": "question"}),
    "order": {"broken": "complaint", "changes": "question"},
    **dict.fromkeys(("confirmation", "redress", "delivery", "received", "booked", "private"),
                    {"broken": "complaint", "lacking": "complaint"}),
    **dict.fromkeys(("information", "support", "outage", "incident", "notice", "account", "task", "news", "document",
                     "alert", "delay"),
                    {"fails": "bug", "broken": "complaint", "lacking": "complaint"}),
    "question": {"fails": "bug", "broken": "complaint", "lacking": "complaint", "buys": "order", "prices": "enquiry"},
    "offer": {"prices": "enquiry"},
    "code": {"fails": "bug"}, "phishing": {"fails": "bug"},
})


#: What mail with words of each of some fields is to everybody, where it seems to be one of some kinds: who pays late
#: reminds nobody of a bill, who asks for a budget wants no quote, and who takes a class to the zoo invites no parents.
_INDEED: tuple[tuple[tuple[str, ...], frozenset[str], str], ...] = (
    (("owes",), frozenset(("invoice", "bill", "private", "redress", "booked", "delay")), "information"),
    (("budgets",), frozenset(("enquiry", "offer", "sales")), "question"),
    (("pupils", "outings"), frozenset(("event", "meeting", "booked", "private")), "information"),
)


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


@cache
def _spaced(cues: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f" {cue}" for cue in cues)


def _has(text: str, cues: tuple[str, ...]) -> bool:
    return any(map(text.__contains__, _spaced(cues)))


def tells(sentence: str, *cues: tuple[str, ...]) -> bool:
    """Return whether a sentence has one of some cues, at the beginning of a word."""
    low = _folded(sentence)
    return any(_has(low, some) for some in cues)


def is_not_of(part: str, intent: str) -> bool:
    """Return whether a mail in a thread is not about what it seems to be, by what its reader is there."""
    return intent in _NOT_OF.get(part, ())


def _is_served(low: str, persona: Persona, how: SideWords) -> bool:
    if _has(low, how.serving):
        return False
    role, org = persona.role or "", persona.org or ""
    return _has(low, how.served) or bool(org) and f" {org.lower()}" in low or _has(f" {role.lower()}", how.roles)


def seen(intent: str, found: Findings, persona: Persona, language: Language) -> str:
    """Return what a mail of some kind is on the side of its reader."""
    how, low = side_words(language.code), _text(found)
    for fields, kinds, other in _INDEED:
        if intent in kinds and all(_has(low, getattr(how, field)) for field in fields):
            return other
    others = _SERVED.get(intent)
    if not others:
        return intent
    seeks = _has(low, how.seeks)
    sells = intent in ("question", "offer") and bool(persona.org) and _has(low, how.prices + how.buys)
    if intent == "question" and not seeks and not sells and not any(
            asks_what_is_done(one.text, language) for one in found.points) and not all(
            one.type == "request" for one in found.points):
        return intent
    if intent == "phishing" and (not seeks or "http" in low):
        return intent
    if intent == "sales" and _has(low, how.offers_help):
        return "question"  # "what can we do for you?"
    # Whoever has a trade is asked to put right what it did.
    trade = bool(persona.role or persona.org) and (seeks or sells) and not found.sorry and not _has(low, how.serving)
    if not trade and not _is_served(low, persona, how):
        return intent
    return next((other for said, other in others.items() if not said or _has(low, getattr(how, said))), intent)


def asks_to_come(found: Findings, language: Language) -> bool:
    """Return whether a mail asks its reader to come or to begin: "could you start on Monday?"."""
    return any(tells(one.text, side_words(language.code).visits) for one in found.points if one.form == "time")


def takes_order_back(found: Findings, language: Language) -> bool:
    """Return whether what a mail calls off is something bought, and no appointment."""
    return found.called_off and (not found.takes_back or _has(_text(found), side_words(language.code).orders))


def asks_what_is_done(question: str, language: Language) -> bool:
    """Return whether a question asks what will be done about a trouble: doing it is the answer."""
    return tells(question, side_words(language.code).proposals)


def names_damage(found: Findings, language: Language) -> bool:
    """Return whether a mail says that something arrived broken, and not that the heating does not work."""
    how = side_words(language.code)
    return _has(_text(found), how.broken) and (not how.goods or _has(_text(found), how.goods))


def seeks_help(question: str, language: Language) -> bool:
    """Return whether a question or request wants trouble put right: doing it is the answer."""
    how = side_words(language.code)
    return tells(question, how.proposals, how.seeks)


def asks_price(question: str, language: Language) -> bool:
    """Return whether a question wants to know what something would cost: a quote says it."""
    return tells(question, side_words(language.code).prices)


def is_urgent(found: Findings, language: Language) -> bool:
    """Return whether the trouble that a mail tells of cannot wait for another day."""
    return _has(_text(found), side_words(language.code).urgent)


def _text(found: Findings) -> str:
    return _folded(f"{found.mail.subject[:200]} {found.prose.body}")


@lru_cache(_KEPT)
def _folded(text: str) -> str:
    plain = text.lower().replace("\u2019", "'").replace("¿", "").replace("¡", "")
    return " " + " ".join(plain.split())
