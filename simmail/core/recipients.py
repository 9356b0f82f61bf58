"""
Recipient rules: what happens to mail for an address, as a function of values.

The order is fixed status, existing mailbox, C{silent}, C{create: false}, bad
draw, create.  Source: API contract, "Recipient rules"; decisions, section 23
("Recipients").
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec import Struct

from simmail.core.dice import Dice
from simmail.errors import Invalid

BadKind = Literal["unknown", "domain", "full", "disabled", "blocked"]

#: Shares of the kinds of bad addresses where a rule names none.
DEFAULT_KINDS: tuple[tuple[BadKind, float], ...] = (
    ("unknown", 0.7), ("domain", 0.1), ("full", 0.1), ("blocked", 0.1),
)


class Rule(Struct, frozen=True, forbid_unknown_fields=True):
    """What happens to addresses not seen before."""

    create: bool = True
    bad_rate: float = 0.0
    bad_kinds: tuple[BadKind, ...] = ()
    fail_at: Literal["dsn", "rcpt"] = "dsn"
    stranger: Literal["off", "basic", "ai"] = "off"
    silent: bool = False


class RecipientRules(Struct, frozen=True, forbid_unknown_fields=True):
    """The settings document; C{status} holds forced outcomes by address."""

    default: Rule = Rule()
    domains: dict[str, Rule] = {}
    status: dict[str, BadKind] = {}
    seed: str = ""


class Verdict(Struct, frozen=True):
    """
    What happens to mail for one address.

    @ivar kind: C{deliver} to a mailbox there is; C{create} it first; C{refuse} at RCPT; C{bounce} after accepting;
        C{discard} after accepting.
    @ivar bad: what is wrong with the address, for C{refuse} and C{bounce}.
    @ivar stranger: who is behind a mailbox that is created.
    """

    kind: Literal["deliver", "create", "refuse", "bounce", "discard"]
    bad: BadKind | None = None
    stranger: Literal["off", "basic", "ai"] = "off"


_DELIVER = Verdict("deliver")
_DISCARD = Verdict("discard")


def rules_of(value: Any) -> RecipientRules:
    """
    A settings document, checked.

    @raise Invalid: a bad field, by its path.
    """
    try:
        rules = msgspec.convert(value, RecipientRules)
    except msgspec.ValidationError as error:
        raise Invalid("", str(error)) from None
    for path, rule in (("default", rules.default), *((f"domains.{name}", one) for name, one in rules.domains.items())):
        if not 0 <= rule.bad_rate <= 1:
            raise Invalid(f"{path}.bad_rate", "must be from 0 to 1")
    return msgspec.structs.replace(
        rules,
        domains={name.lower(): rule for name, rule in rules.domains.items()},
        status={address.lower(): kind for address, kind in rules.status.items()})


def verdict(address: str, rules: RecipientRules, exists: bool, own: bool, seed: str) -> Verdict:
    """
    What happens to mail for C{address} (lower case).

    @param exists: it has a mailbox; own: it is the application's own, which exists and is never a stranger.
    @param seed: of the universe.
    """
    rule = rules.domains.get(address.rpartition("@")[2], rules.default)
    forced = rules.status.get(address)
    if forced is not None:
        return Verdict("refuse" if rule.fail_at == "rcpt" else "bounce", forced)
    if exists or own:
        return _DELIVER
    if rule.silent:
        return _DISCARD
    if not rule.create:
        return Verdict("refuse", "unknown")
    if rule.bad_rate:
        dice = Dice(seed).on("recipient", rules.seed, address)
        if dice.chance(rule.bad_rate, "bad"):
            kinds = tuple((kind, 1.0) for kind in rule.bad_kinds) or DEFAULT_KINDS
            return Verdict("refuse" if rule.fail_at == "rcpt" else "bounce", dice.weighted(kinds, "kind"))
    return Verdict("create", stranger=rule.stranger)
