"""
What happens at a stage by the fault rules there are, as a function of values.

The seam: a room that serves a protocol asks C{universe.faults.judge(passing)}
at each stage, with a L{FaultEvent}, and does what the L{FaultVerdict} says, or
nothing when it answers None.  The answer is immediate.  What was counted so
far is the caller's: L{judge} is given it and answers what has changed.
Source: API contract, "Fault rule"; decisions, section 12.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from msgspec import Struct

from simmail.core.rng import Dice
from simmail.core.rules.fault_rule import Certificate, FaultKind, NumberedRule, Stage, default_reply
from simmail.core.time.instant import parse_duration
from simmail.core.time.working_hours import is_open

#: What a greylisted triplet has to wait when the rule does not say.
GREYLIST_DELAY = timedelta(minutes=5)


class FaultEvent(NamedTuple):
    """
    What passes a stage.  Fields that are not known yet are empty.

    @ivar ip: the peer's address; login: the name it signs in with; connection: its number.
    @ivar recipients: all of them at C{data} and C{body}, where a rule matches when it matches any.
    @ivar tls: at C{connect}, whether TLS comes before the first octet.
    """

    stage: Stage
    ip: str = ""
    sender: str = ""
    recipient: str = ""
    login: str = ""
    connection: str = ""
    recipients: tuple[str, ...] = ()
    tls: bool = False

    @property
    def addresses(self) -> tuple[str, ...]:
        """What rules are matched against at this stage."""
        if self.stage in ("rcpt", "deliver"):
            return (self.recipient,)
        if self.stage in ("data", "body"):
            return self.recipients
        if self.stage == "mail":
            return (self.sender,)
        return (self.ip if self.stage in ("connect", "helo", "starttls") else self.login,)


class FaultCount(NamedTuple):
    """
    What was counted under one key.

    @ivar matches, fired: how often; since: the instant from which C{rate_limit} and C{greylist} count.
    """

    matches: int = 0
    fired: int = 0
    since: datetime | None = None


class FaultVerdict(Struct, frozen=True):
    """
    A rule fires.

    @ivar index: its place in the list, from 0; rule: its name; kind: what goes wrong; stage: at which step.
    @ivar address: what it matched.
    @ivar code, enhanced, message: the reply, where the kind gives one (0 at IMAP stages).
    @ivar delay: seconds, real or simulated as the kind has it; bytes_per_second: octets a real second, for C{throttle}.
    @ivar certificate: the one that TLS begins with, for C{tls_fail}.
    """

    index: int
    rule: str
    kind: FaultKind
    stage: Stage
    address: str
    code: int = 0
    enhanced: str = ""
    message: str = ""
    delay: float = 0.0
    bytes_per_second: int = 0
    certificate: Certificate = ""


class Judged(NamedTuple):
    """The verdict, and the marks that have changed."""

    verdict: FaultVerdict | None
    marks: tuple[tuple[str, FaultCount], ...]


def judge(
    rules: Sequence[NumberedRule], passing: FaultEvent, marks: Mapping[str, FaultCount], now: datetime, dice: Dice
) -> Judged:
    """
    What happens at a stage: rules are tried in order, the first that fires wins.

    @param marks: what was counted so far.
    @param now: simulated instant.
    @param dice: of the universe.
    """
    changed: dict[str, FaultCount] = {}
    addresses = tuple(one.lower() for one in passing.addresses)
    for index, rule in enumerate(rules):
        if rule.stage != passing.stage or not rule.enabled or (
                rule.stage == "connect" and rule.kind == "tls_fail" and not passing.tls):
            continue
        matched = [one for one in addresses if one.endswith(rule.match)]
        if not matched or (rule.window is not None and not is_open(rule.window, now)):
            continue
        one = passing if passing.recipient else passing._replace(recipient=matched[0] if passing.recipients else "")
        if _fires(rule, one, marks, changed, now, dice):
            return Judged(_verdict(index, rule, one, matched[0]), tuple(changed.items()))
    return Judged(None, tuple(changed.items()))


def is_fleeting(key: str) -> bool:
    """Whether a mark is about one connection: it need not outlive it."""
    return key.split("\0", 5)[4] == "connection"


def is_lasting(key: str) -> bool:
    """Whether a mark is one of the few that a rule has for the whole universe: it is never forgotten for others."""
    return key.split("\0", 4)[4] in ("hits", "per\0")


def hits(rule: NumberedRule, marks: Mapping[str, FaultCount]) -> int:
    """How often a rule has fired."""
    return marks.get(_key(rule, "hits"), FaultCount()).fired


def _fires(
    rule: NumberedRule, passing: FaultEvent, marks: Mapping[str, FaultCount], changed: dict[str, FaultCount],
    now: datetime, dice: Dice,
) -> bool:
    """Whether a rule that matches fires; counts the match."""
    subject = _subject(rule, passing)
    key = _key(rule, "connection" if rule.per == "connection" else "per", subject)
    mark = marks.get(key, FaultCount())
    count = mark.matches + 1
    mark = mark._replace(matches=count)
    fires = (not rule.first or count <= rule.first) and (not rule.every or count % rule.every == 0)
    if fires and rule.kind == "rate_limit":
        mark, fires = _over_limit(rule, mark, now)
    if fires and rule.kind == "greylist":
        triplet = _key(rule, "triplet", passing.ip, passing.sender, passing.recipient)
        since = marks.get(triplet, FaultCount()).since
        if since is None:
            changed[triplet] = FaultCount(since=now)
        else:
            wait = timedelta(milliseconds=rule.delay_ms) if rule.delay_ms else GREYLIST_DELAY
            fires = now - since < wait
    if fires and rule.rate < 1:
        fires = _drawn(rule, passing, marks, changed, dice)
    if fires and rule.times and mark.fired >= rule.times:
        fires = False
    if fires:
        mark = mark._replace(fired=mark.fired + 1)
        total = _key(rule, "hits")
        changed[total] = FaultCount(fired=marks.get(total, FaultCount()).fired + 1)
    changed[key] = mark
    return fires


def _over_limit(rule: NumberedRule, mark: FaultCount, now: datetime) -> tuple[FaultCount, bool]:
    """Counts begin anew with the first match after an interval has passed."""
    interval = parse_duration(rule.interval)
    if mark.since is None or now - mark.since >= interval:
        mark = FaultCount(matches=1, fired=mark.fired, since=now)
    return mark, mark.matches > rule.limit


def _drawn(
    rule: NumberedRule, passing: FaultEvent, marks: Mapping[str, FaultCount], changed: dict[str, FaultCount], dice: Dice
) -> bool:
    # Decisions, "Conventions": a draw is about the n-th time for this pair, whatever else goes on.
    pair = (passing.sender, passing.recipient, passing.login or ("" if passing.sender else passing.ip))
    key = _key(rule, "pair", *pair)
    nth = marks.get(key, FaultCount()).matches
    changed[key] = FaultCount(matches=nth + 1)
    return dice.on("fault", *rule.identity.split("\0")).chance(rule.rate, *pair, nth)


def _subject(rule: NumberedRule, passing: FaultEvent) -> str:
    if rule.per == "universe":
        return ""
    if rule.per == "sender":
        return passing.sender or passing.login
    return getattr(passing, rule.per)  # type: ignore[no-any-return] # the others are its fields


def _key(rule: NumberedRule, *what: str) -> str:
    return "\0".join((rule.identity, *what))


def _verdict(index: int, rule: NumberedRule, passing: FaultEvent, address: str) -> FaultVerdict:
    code, enhanced, message = (0, "", "") if rule.certificate else default_reply(rule.kind, rule.stage)
    if rule.code:
        if rule.code // 100 != code // 100:
            enhanced = f"{rule.code // 100}.0.0"
        code = rule.code
    return FaultVerdict(
        index, rule.name, rule.kind, rule.stage, address, code, rule.enhanced or enhanced,
        _filled(rule.message or message, passing), rule.delay_ms / 1000, rule.bytes_per_second,
        rule.certificate)


def _filled(message: str, passing: FaultEvent) -> str:
    """Real servers name whom they mean: {ip}, {sender}, its {domain} and {recipient} in a message stand for that."""
    if "{" in message:
        message = message.replace("{domain}", passing.sender.rpartition("@")[2])
        for name in ("ip", "sender", "recipient"):
            message = message.replace(f"{{{name}}}", getattr(passing, name))
    return message
