"""
Verdicts to compare between processes: recipient rules and fault rules drawn from a fixed seed, and what they say.

Run as a program it prints the verdicts as JSON; its argument is the seed of
the order in which they are asked for.
"""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from simmail.core.rng import Dice
from simmail.core.rules.fault_rule import rules_of as fault_rules_of
from simmail.core.rules.faults import FaultCount, FaultEvent, judge
from simmail.core.rules.recipients import rules_of, verdict

KINDS = ("unknown", "domain", "full", "disabled", "blocked")
DOMAINS = ("acme.test", "beta.test", "sub.acme.test", "münchen.test", "[192.0.2.1]")

#: Rule documents, and addresses asked of each.
DOCUMENTS, ASKED = 150, 12


def _rule(chance: Random) -> dict[str, Any]:
    return {
        "create": chance.random() < 0.8, "silent": chance.random() < 0.1, "bad_rate": round(chance.random(), 3),
        "bad_kinds": chance.sample(KINDS, chance.randrange(4)), "fail_at": chance.choice(("dsn", "rcpt")),
        "stranger": chance.choice(("off", "basic", "ai"))}


def recipients(order: int) -> dict[str, Any]:
    """What recipient rules say, by what was asked; asked for in an order drawn from C{order}."""
    chance = Random(4)
    asked: list[tuple[str, Any, str, bool, bool, str]] = []
    for n in range(DOCUMENTS):
        document = {
            "default": _rule(chance), "seed": f"s{n % 7}",
            "domains": {domain: _rule(chance) for domain in chance.sample(DOMAINS, chance.randrange(4))},
            "status": {f"user{i}@acme.test": chance.choice(KINDS) for i in range(chance.randrange(3))}}
        rules = rules_of(document)
        for i in range(ASKED):
            address = f"user{i}@{chance.choice(DOMAINS)}" if i % 2 else f"user{chance.randrange(999)}@acme.test"
            asked.append((f"{n} {i} {address}", rules, address, chance.random() < 0.1, chance.random() < 0.1,
                          f"universe {n % 5}"))
    Random(order).shuffle(asked)
    found = {}
    for key, rules, address, exists, own, seed in asked:
        said = verdict(address, rules, exists, own, seed)
        found[key] = [said.kind, said.bad, said.stranger]
    return dict(sorted(found.items()))


def faults(order: int) -> dict[str, list[int]]:
    """
    Which mails of each pair a rule with a rate meets.

    C{order} draws how the mails of different pairs are mixed, each pair's own order kept.
    """
    rules = fault_rules_of([
        {"name": f"r{n}", "kind": "defer", "stage": "rcpt", "match": match, "rate": rate}
        for n, (match, rate) in enumerate((("acme.test", 0.1), ("", 0.3), ("beta.test", 0.7)))])
    pairs = [(f"s{n % 3}@sim.test", f"u{n}@{DOMAINS[n % 2]}") for n in range(40)]
    mixed = [pair for pair in pairs for _ in range(10)]
    Random(order).shuffle(mixed)
    marks: dict[str, FaultCount] = {}
    found: dict[str, list[int]] = {}
    now = datetime(2026, 3, 2, 9, tzinfo=UTC)
    for sender, recipient in mixed:
        now += timedelta(seconds=1)
        judged = judge(rules, FaultEvent("rcpt", "192.0.2.1", sender, recipient), marks, now, Dice("seed"))
        marks.update(judged.marks)
        found.setdefault(f"{sender} {recipient}", []).append(-1 if judged.verdict is None else judged.verdict.index)
    return dict(sorted(found.items()))


if __name__ == "__main__":
    print(json.dumps([recipients(int(sys.argv[1])), faults(int(sys.argv[1]))]))
