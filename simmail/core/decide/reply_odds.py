"""
How likely a reply is: the persona's rate, raised and lowered by what the mail is.

Each reason multiplies the odds, so a rate of 0 stays 0 and a rate of 1 stays 1 whatever the mail; only that somebody is
merely informed wins over 1, or copies of copies would never end.  Source: decisions, section 8 step 7.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import NamedTuple

from simmail.core.language import agreements
from simmail.core.language.intents import recognise
from simmail.core.language.reader import Findings
from simmail.core.records.relationship import Dossier

#: Odds are multiplied by these.
QUESTION, KNOWN, CASE, PROMISE = 1.5, 1.2, 1.4, 2.0
BULK, COPY, NUDGED, FAREWELL, NOTICE = 0.25, 0.35, 0.75, 0.1, 0.02
#: What wants no answer: of those who answer nearly everything one in thirty does.  Likewise a copy of what one
#: colleague wrote to somebody else, and the highest rate that begins from.
UNWANTED, INFORMED, NEARLY = 0.002, 0.002, 0.9
WARM, IMPATIENT = 1.2, 0.75
#: A mail in a language that its writer was told is not read, for those who always remind.
UNREAD = 0.03

#: An unanswered run lowers the odds so often at most.
MOST_NUDGES = 4

#: Kinds of mail that want no answer, and those that many got.
_UNWANTED = MappingProxyType({
    "code": "a one-time code", "phishing": "phishing", "injection": "no mail of a person",
})
_BULK = MappingProxyType({"newsletter": "a newsletter", "webinar": "an advertisement"})


class Reason(NamedTuple):
    """Something that raises (over 1) or lowers the odds, in words; C{wins}: also over a rate of 1."""

    odds: float
    text: str
    wins: bool = False


class Inclination(NamedTuple):
    """The chance of a reply, and how it came about: C{flaky 0.50, +0.10 direct question, -0.10 cc only}."""

    rate: float
    told: str


class Making(NamedTuple):
    """What a mail is that no person wrote to one: C{unwanted} or C{bulk} as a phrase, C{""} for neither."""

    unwanted: str = ""
    bulk: str = ""


def making(found: Findings, address: str) -> Making:
    """
    Return what a mail is by its words, where its header fields do not say.

    @param address: where a reply would go.
    """
    if agreements.nobody_reads(address):
        return Making("a no-reply sender")
    text = f"{found.mail.subject[:200]}\n{found.new}"
    if not (agreements.looks_made(text) or found.mail.html and "href" in found.mail.html[:50_000] or "://" in text):
        return Making()
    kind = recognise(found, False)
    if kind in _UNWANTED:
        return Making(_UNWANTED[kind])
    if kind in _BULK:
        return Making("", _BULK[kind])
    return Making("a parcel notice") if found.of_a_parcel else Making()


def reasons(
    *, question: bool, known: bool, case: bool, promise: bool, bulk: str, copy: bool, dossier: Dossier,
    farewell: bool = False, notice: bool = False, informed: bool = False, unwanted: str = "", unread: float = 0.0,
) -> tuple[Reason, ...]:
    """
    Everything that raises or lowers the odds of a reply to one mail.

    @param unread: its writer was told that its language is not read: how readily one reminds of that, 0 for neither.
    """
    run = dossier.unanswered
    found = (
        (question, Reason(QUESTION, "direct question")),
        (known, Reason(KNOWN, "known correspondent")),
        (case, Reason(CASE, "a case")),
        (promise, Reason(PROMISE, "a promise outstanding")),
        (bool(bulk), Reason(BULK, f"bulk mail ({bulk})")),
        (copy, Reason(COPY, "cc only")),
        (bool(unwanted), Reason(UNWANTED, f"wants no answer ({unwanted})")),
        (informed, Reason(INFORMED, "informed by a colleague", wins=True)),
        (bool(unread), Reason(UNREAD * unread, "in a language that is not read, as was said", wins=True)),
        (farewell, Reason(FAREWELL, "nothing left to answer")),
        (notice, Reason(NOTICE, "a notice to many")),
        (run > 0, Reason(NUDGED ** min(run, MOST_NUDGES), f"{run} unanswered before" if run > 1 else "a nudge")),
        (dossier.warmth is not None and dossier.warmth > 0.75, Reason(WARM, "liked")),
        (dossier.patience is not None and dossier.patience < 0.2, Reason(IMPATIENT, "out of patience")),
    )
    return tuple(reason for so, reason in found if so)


def inclined(rate: float, label: str, found: tuple[Reason, ...]) -> Inclination:
    """The rate with the reasons applied one after the other, each told by what it added."""
    told = [label]
    for reason in found:
        changed = _times(min(rate, NEARLY) if reason.wins else rate, reason.odds)
        told.append(f"{changed - rate:+.2f} {reason.text}")
        rate = changed
    return Inclination(rate, ", ".join(told))


def _times(rate: float, odds: float) -> float:
    """A chance with its odds multiplied."""
    return rate * odds / (rate * odds + (1 - rate))
