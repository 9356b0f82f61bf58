"""
The built-in spam score of a mail (engine C{rules}).

The score is the sum of the rules that fire (C{core.rules.spam_rules}); filters
differ only in how much they bear.  Looks at 64 KiB of each body at most, in
time linear in what it looks at.  Source: decisions, sections 8 and 10.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from msgspec import Struct

from simmail.core.message.mail import Mail
from simmail.core.rules.spam_rules import RULES, ScoredMail, letter

#: From which score on a filter files mail as junk; None never does.
THRESHOLDS: Mapping[str, float | None] = MappingProxyType(
    {"strict": 3.0, "normal": 5.0, "lenient": 8.0, "none": None})

#: So many rules are named in a sentence.
_NAMED = 4


class SpamRule(Struct, frozen=True):
    """
    A rule that fired.

    @ivar name: of the rule; score: what it adds, or takes off, without unit; description: what it saw.
    """

    name: str
    score: float
    description: str


class SpamScore(Struct, frozen=True):
    """The score, and the rules that made it, weightiest first."""

    score: float
    rules: tuple[SpamRule, ...]

    @property
    def why(self) -> str:
        """The weightiest rules as a phrase: C{SUBJECT_CAPS 1.5 (...), LOTTERY 2.5 (...)}."""
        told = [f"{rule.name} {rule.score:+.1f} ({rule.description})" for rule in self.rules[:_NAMED]]
        if len(self.rules) > _NAMED:
            told.append(f"and {len(self.rules) - _NAMED} more")
        return ", ".join(told) or "no rule fired"


def score(mail: Mail, envelope_sender: str, recipient: str = "") -> SpamScore:
    """
    The spam score of a mail.

    @param envelope_sender: reverse-path, C{""} for the null one; recipient: whose mailbox it goes to.
    """
    return scored(letter(mail, envelope_sender, recipient))


def scored(one: ScoredMail) -> SpamScore:
    """The spam score of a mail that was taken apart already."""
    fired = []
    for rule in RULES:
        hit = rule.look(one)
        if hit is not None:
            fired.append(SpamRule(rule.name, hit.score, hit.seen))
    fired.sort(key=lambda rule: (-abs(rule.score), rule.name))
    return SpamScore(round(float(sum(rule.score for rule in fired)), 2), tuple(fired))
