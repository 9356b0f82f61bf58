"""
How likely a reply is: the persona's rate, raised and lowered by what the mail is.

Each reason multiplies the odds, so a rate of 0 stays 0 and a rate of 1 stays
1 whatever the mail.  Source: decisions, section 8 step 7.
"""

from __future__ import annotations

from typing import NamedTuple

from simmail.core.records.relationship import Dossier

#: Odds are multiplied by these.
QUESTION, KNOWN, CASE, PROMISE = 1.5, 1.2, 1.4, 2.0
BULK, COPY, NUDGED, FAREWELL = 0.25, 0.35, 0.75, 0.1
#: A copy of what one colleague wrote to somebody else.
INFORMED = 0.02
WARM, IMPATIENT = 1.2, 0.75

#: An unanswered run lowers the odds so often at most.
MOST_NUDGES = 4


class Reason(NamedTuple):
    """Something that raises (over 1) or lowers the odds, in words."""

    odds: float
    text: str


class Inclination(NamedTuple):
    """The chance of a reply, and how it came about: C{flaky 0.50, +0.10 direct question, -0.10 cc only}."""

    rate: float
    told: str


def reasons(
    *, question: bool, known: bool, case: bool, promise: bool, bulk: str, copy: bool, dossier: Dossier,
    farewell: bool = False, informed: bool = False,
) -> tuple[Reason, ...]:
    """Everything that raises or lowers the odds of a reply to one mail."""
    run = dossier.unanswered
    found = (
        (question, Reason(QUESTION, "direct question")),
        (known, Reason(KNOWN, "known correspondent")),
        (case, Reason(CASE, "a case")),
        (promise, Reason(PROMISE, "a promise outstanding")),
        (bool(bulk), Reason(BULK, f"bulk mail ({bulk})")),
        (copy, Reason(COPY, "cc only")),
        (informed, Reason(INFORMED, "informed by a colleague")),
        (farewell, Reason(FAREWELL, "nothing left to answer")),
        (run > 0, Reason(NUDGED ** min(run, MOST_NUDGES), f"{run} unanswered before" if run > 1 else "a nudge")),
        (dossier.warmth is not None and dossier.warmth > 0.75, Reason(WARM, "liked")),
        (dossier.patience is not None and dossier.patience < 0.2, Reason(IMPATIENT, "out of patience")),
    )
    return tuple(reason for so, reason in found if so)


def inclined(rate: float, label: str, found: tuple[Reason, ...]) -> Inclination:
    """The rate with the reasons applied one after the other, each told by what it added."""
    told = [label]
    for reason in found:
        changed = _times(rate, reason.odds)
        told.append(f"{changed - rate:+.2f} {reason.text}")
        rate = changed
    return Inclination(rate, ", ".join(told))


def _times(rate: float, odds: float) -> float:
    """A chance with its odds multiplied."""
    return rate * odds / (rate * odds + (1 - rate))
