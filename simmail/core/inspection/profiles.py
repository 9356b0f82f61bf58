"""
What large providers would make of a mail: dated data (C{profiles.yaml}) over the findings of rules.

What they answer is the fault library's, so the reply that is shown is the reply that a fault rule sends.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Literal, get_args

from msgspec import Struct

from simmail.core.inspection.finding import Finding, Outcome
from simmail.core.language_data import read_yaml
from simmail.core.rules.fault_library import SCENARIOS

Provider = Literal["gmail", "yahoo", "microsoft"]


class ProviderReply(Struct, frozen=True):
    """
    What a provider answers in the conversation, and the call that makes a fault rule of it.

    @ivar make: method and path; the rule is appended, C{match} of its body says for whom.
    @ivar code: SMTP reply code, 400 to 599; enhanced: enhanced status code (RFC 3463); text: of the reply.
    @ivar stage: step of SMTP at which it comes; scenario: id of the fault scenario that does the same.
    """

    code: int
    enhanced: str
    text: str
    stage: str
    scenario: str
    make: str


class Demand(Struct, frozen=True):
    """One thing a provider asks for; C{bulk}: of senders of many mails only."""

    asks: str
    rules: tuple[str, ...]
    any_of: bool
    bulk: bool
    instead: str
    reply: ProviderReply | None


class Profile(Struct, frozen=True):
    """A provider's demands, as of a date."""

    name: str
    as_of: str
    source: str
    demands: tuple[Demand, ...]


class DemandReport(Struct, frozen=True):
    """
    What becomes of one demand.

    @ivar asks: the demand, in a sentence; outcome: what became of it; evidence: what was seen; rules: names of those
        that tell.
    @ivar reply: what the provider would answer, where it fails; else null; instead: what it would do without a word.
    """

    asks: str
    outcome: Outcome
    evidence: str
    rules: tuple[str, ...]
    reply: ProviderReply | None = None
    instead: str = ""


class ProfileReport(Struct, frozen=True):
    """
    What a provider would make of a mail.

    @ivar name: the provider's; as_of: day of its demands, C{YYYY-MM-DD}; source: where they are written.
    @ivar outcome: C{fail} where any demand does; demands: each of them.
    """

    name: str
    as_of: str
    source: str
    outcome: Outcome
    demands: tuple[DemandReport, ...]


def _reply(scenario: str) -> ProviderReply:
    rule = SCENARIOS[scenario].rule
    return ProviderReply(rule.code, rule.enhanced, rule.message, rule.stage, scenario,
                         f"POST /api/faults/scenarios/{scenario}")


def _read() -> dict[Provider, Profile]:
    data = read_yaml("inspection", "profiles.yaml")
    return {name: Profile(data[name]["name"], data[name]["as_of"], data[name]["source"], tuple(
        Demand(one["asks"], tuple(one["rules"]), one.get("need") == "any", one.get("applies") == "bulk",
               one.get("instead", ""), _reply(one["scenario"]) if "scenario" in one else None)
        for one in data[name]["asks"])) for name in get_args(Provider)}


PROFILES: Mapping[Provider, Profile] = MappingProxyType(_read())


def by_provider(findings: Sequence[Finding], bulk: str) -> dict[Provider, ProfileReport]:
    """
    Return what each provider would make of a mail.

    @param bulk: the sign that it went to many, C{""} for none.
    """
    found = {one.rule: one for one in findings}
    reports = {}
    for name, profile in PROFILES.items():
        demands = tuple(_judged(demand, [found[rule] for rule in demand.rules], bulk) for demand in profile.demands)
        outcomes = {one.outcome for one in demands}
        outcome: Outcome = "fail" if "fail" in outcomes else "unseen" if "unseen" in outcomes else "pass"
        reports[name] = ProfileReport(profile.name, profile.as_of, profile.source, outcome, demands)
    return reports


def _judged(demand: Demand, findings: Sequence[Finding], bulk: str) -> DemandReport:
    if demand.bulk and not bulk:
        return DemandReport(demand.asks, "pass", "asked of senders of many mails only", demand.rules)
    # The outcome that decides: the best where one is enough, else the worst.
    order: tuple[Outcome, ...] = ("pass", "unseen", "fail") if demand.any_of else ("fail", "unseen", "pass")
    deciding = min(findings, key=lambda one: order.index(one.outcome))
    if deciding.outcome != "fail":
        return DemandReport(demand.asks, deciding.outcome, deciding.evidence, demand.rules)
    failing = [one for one in findings if one.outcome == "fail"]
    return DemandReport(demand.asks, "fail", "; ".join(one.evidence for one in failing), demand.rules, demand.reply,
                        demand.instead)
