"""
All rules of an inspection by name; what they are about, weigh and go back to is data (C{rules.yaml}).

The junk filter's own rules (C{core.rules.spam_rules}) are among the findings: there is one truth about a spam score.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple, get_args

from simmail.core.inspection import content_rules, header_rules, list_rules, mime_rules, sender_rules
from simmail.core.inspection.finding import Finding, Group, Rule
from simmail.core.inspection.subject import InspectedMail
from simmail.core.language_data import read_yaml
from simmail.core.rules.spam import SpamScore
from simmail.core.rules.spam_rules import RULES as SPAM_RULES

_MODULES = (header_rules, mime_rules, content_rules, list_rules, sender_rules)


class RuleEntry(NamedTuple):
    """A rule: its name, group, what it adds when it fails, what it asks for, who asks, and how it looks."""

    name: str
    group: Group
    score: float
    description: str
    source: str
    look: Rule


def _read() -> dict[str, RuleEntry]:
    found = {}
    for group, rules in read_yaml("inspection", "rules.yaml")["rules"].items():
        if group not in get_args(Group):
            raise ValueError(f"{group} is no group of rules")
        for name, row in rules.items():
            look = next(getattr(module, name.lower()) for module in _MODULES if hasattr(module, name.lower()))
            found[name] = RuleEntry(name, group, float(row["score"]), row["asks"], row["source"], look)
    return found


RULES: Mapping[str, RuleEntry] = MappingProxyType(_read())

#: Where the junk filter's rules come from, by name.
SPAM_SOURCES: Mapping[str, str] = MappingProxyType(dict(read_yaml("inspection", "rules.yaml")["spam_sources"]))


def findings(one: InspectedMail, spam: SpamScore) -> tuple[Finding, ...]:
    """Return what every rule says of a mail, those of the junk filter first."""
    hits = {hit.name: hit for hit in spam.rules}
    found = []
    for test in SPAM_RULES:
        hit = hits.get(test.name)
        # A rule that speaks for a mail passes by firing.
        outcome: Finding = Finding(
            test.name, "spam", "fail" if hit is not None and hit.score > 0 else "pass", hit.score if hit else 0.0,
            hit.description if hit else "not seen", test.description, SPAM_SOURCES[test.name])
        found.append(outcome)
    for rule in RULES.values():
        seen = rule.look(one)
        found.append(Finding(rule.name, rule.group, seen.outcome, rule.score if seen.outcome == "fail" else 0.0,
                             seen.evidence, rule.description, rule.source))
    return tuple(found)
