"""
What one rule says of a mail: pass, fail, or that it cannot be seen from here; always with its evidence.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from msgspec import Struct

from simmail.core.inspection.subject import InspectedMail

#: C{unseen}: nobody can tell from a message alone (complaints, reputation), or what is needed was not given.
Outcome = Literal["pass", "fail", "unseen"]

Group = Literal["spam", "headers", "mime", "content", "links", "accessibility", "unsubscribe", "authentication",
                "reputation"]


class Observation(NamedTuple):
    """What a rule saw: its outcome, and the evidence in words."""

    outcome: Outcome
    evidence: str


class Finding(Struct, frozen=True):
    """
    What a rule says of one mail.

    @ivar source: the document that asks for it.
    @ivar rule: its name; group: what it is about; outcome: C{unseen} where it cannot be told from here.
    @ivar evidence: what was seen; description: what the rule asks for.
    @ivar score: what it adds to the spam score, without unit; 0 unless it fails (of the junk filter's rules, less than
        0 where they speak for a mail).
    """

    rule: str
    group: Group
    outcome: Outcome
    score: float
    evidence: str
    description: str
    source: str


Rule = Callable[[InspectedMail], Observation]


def passed(evidence: str) -> Observation:
    """Return that all is as it should be."""
    return Observation("pass", evidence)


def failed(evidence: str) -> Observation:
    """Return that something is not as it should be."""
    return Observation("fail", evidence)


def unseen(evidence: str) -> Observation:
    """Return that nobody can tell from here, and why."""
    return Observation("unseen", evidence)
