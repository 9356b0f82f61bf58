"""
Recipient rules: what happens to mail for an address, as a function of values.

The order is fixed status, existing mailbox, C{silent}, C{create: false}, bad
draw, create.  Source: API contract, "Recipient rules"; decisions, section 23
("Recipients").
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from simmail.core.mime.address import domain_of, parse
from simmail.core.records.bad_address import BadKind
from simmail.core.records.fields import LIST, Line, Share, below, convert, once
from simmail.core.rng import Dice
from simmail.errors import Invalid

#: Shares of the kinds of bad addresses where a rule names none.
DEFAULT_KINDS: tuple[tuple[BadKind, float], ...] = (
    ("unknown", 0.7), ("domain", 0.1), ("full", 0.1), ("blocked", 0.1),
)

#: Members of C{domains} and C{status}.
MOST = 100_000


def _domains(value: Any, field: str) -> Any:
    if not isinstance(value, Mapping):
        return value
    found: dict[str, Any] = {}
    for name, one in value.items():
        try:
            # A domain is what can stand behind an @.
            domain = domain_of(parse(f"x@{name}"))
        except Invalid:
            raise Invalid(below(field, name), "is not a domain") from None
        if domain in found:
            raise Invalid(below(field, name), "is there twice")
        found[domain] = one
    return found


def _status(value: Any, field: str) -> Any:
    if not isinstance(value, Mapping):
        return value
    return {parse(str(name), below(field, name)): one for name, one in value.items()}


#: What happens to mail for an address: C{deliver} to a mailbox there is; C{create} it first; C{refuse} at RCPT;
#: C{bounce} after accepting; C{discard} after accepting.
Outcome = Literal["deliver", "create", "refuse", "bounce", "discard"]
StrangerMode = Literal["off", "basic", "ai"]


class RecipientRule(Struct, frozen=True, forbid_unknown_fields=True):
    """
    What happens to addresses not seen before.

    @ivar create: make a mailbox and deliver; else refuse them at RCPT with C{550 5.1.1}.
    @ivar bad_rate: share of them that are bad, 0 to 1; a given address is always the same.
    @ivar bad_kinds: what is wrong with bad ones, drawn from; mostly C{unknown} where it is empty.
    @ivar fail_at: C{dsn}: accept, and send a bounce a little later; C{rcpt}: refuse in the SMTP conversation.
    @ivar stranger: who is behind a new mailbox: nobody, a persona made without, or with, the language model.
    @ivar silent: accept and discard.
    """

    create: bool = True
    bad_rate: Share = 0.0
    bad_kinds: Annotated[tuple[BadKind, ...], Meta(max_length=LIST, extra={"read": once})] = ()
    fail_at: Literal["dsn", "rcpt"] = "dsn"
    stranger: StrangerMode = "off"
    silent: bool = False


class RecipientRules(Struct, frozen=True, forbid_unknown_fields=True):
    """
    The settings document.

    @ivar default: rule for addresses not seen before; domains: rules by domain, which win over it.
    @ivar status: fixed outcome by address; seed: changing it selects other bad addresses.
    """

    default: RecipientRule = RecipientRule()
    domains: Annotated[
        dict[str, RecipientRule], Meta(max_length=MOST, extra={"each": RecipientRule, "read": _domains})] = {}
    status: Annotated[dict[str, BadKind], Meta(max_length=MOST, extra={"each": BadKind, "read": _status})] = {}
    seed: Line = ""


class RecipientVerdict(Struct, frozen=True):
    """
    What happens to mail for one address.

    @ivar bad: what is wrong with the address, for C{refuse} and C{bounce}.
    @ivar stranger: who is behind a mailbox that is created.
    """

    kind: Outcome
    bad: BadKind | None = None
    stranger: StrangerMode = "off"


_DELIVER = RecipientVerdict("deliver")
_DISCARD = RecipientVerdict("discard")


def rules_of(value: Any) -> RecipientRules:
    """
    Return the rules of a settings document.

    @raise Invalid: a bad field, by its path.
    """
    return convert(value, RecipientRules)


def verdict(address: str, rules: RecipientRules, exists: bool, own: bool, seed: str) -> RecipientVerdict:
    """
    What happens to mail for C{address} (lower case).

    @param exists: it has a mailbox; own: it is the application's own, which exists and is never a stranger.
    @param seed: of the universe.
    """
    rule = rules.domains.get(address.rpartition("@")[2], rules.default)
    forced = rules.status.get(address)
    if forced is not None:
        return RecipientVerdict("refuse" if rule.fail_at == "rcpt" else "bounce", forced)
    if exists or own:
        return _DELIVER
    if rule.silent:
        return _DISCARD
    if not rule.create:
        return RecipientVerdict("refuse", "unknown")
    if rule.bad_rate:
        dice = Dice(seed).on("recipient", rules.seed, address)
        if dice.chance(rule.bad_rate, "bad"):
            kinds = tuple((kind, 1.0) for kind in rule.bad_kinds) or DEFAULT_KINDS
            return RecipientVerdict("refuse" if rule.fail_at == "rcpt" else "bounce", dice.weighted(kinds, "kind"))
    return RecipientVerdict("create", stranger=rule.stranger)
