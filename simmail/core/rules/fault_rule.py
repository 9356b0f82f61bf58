"""
The fault rule: what goes wrong, where, for whom, how often and what is said then.

One declaration is stored, shown, taken from the API (L{fields.convert}) and documented.  Source: API contract,
"Fault rule" and "Faults"; decisions, section 12.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import timedelta
from types import MappingProxyType
from typing import Annotated, Any, Literal, get_args

from msgspec import Meta, Struct, to_builtins
from msgspec.structs import asdict

from simmail.core.mime.address import u_labels
from simmail.core.records.fields import (
    FieldError, LINE, Line, Share, a_list, an_object, check_line, checked, convert, of_text,
)
from simmail.core.records.persona import Hours
from simmail.core.time.instant import LONGEST, parse_duration
from simmail.errors import Invalid

FaultKind = Literal[
    "reject", "defer", "delay", "throttle", "drop", "hang", "greylist", "rate_limit", "tls_fail", "auth_fail",
    "discard", "duplicate", "late", "corrupt", "bounce",
]
Stage = Literal[
    "connect", "helo", "starttls", "auth", "mail", "rcpt", "data", "body", "deliver",
    "imap_login", "imap_select", "imap_fetch", "imap_idle",
]
Certificate = Literal["", "expired", "wrong_host"]
Per = Literal["universe", "sender", "recipient", "ip", "connection"]

KINDS: tuple[FaultKind, ...] = get_args(FaultKind)
STAGES: tuple[Stage, ...] = get_args(Stage)

_SMTP: tuple[Stage, ...] = STAGES[:9]
_IMAP: tuple[Stage, ...] = STAGES[9:]

#: Where a kind may stand (C{GET /api/faults/kinds}).
PAIRS: Mapping[FaultKind, tuple[Stage, ...]] = MappingProxyType({
    "reject": _SMTP + _IMAP, "defer": _SMTP, "delay": _SMTP + _IMAP, "drop": _SMTP + _IMAP, "hang": _SMTP + _IMAP,
    "throttle": ("data", "body"), "greylist": ("rcpt",), "rate_limit": ("connect", "mail", "rcpt"),
    "tls_fail": ("connect", "starttls"), "auth_fail": ("auth", "imap_login"),
    "discard": ("deliver",), "duplicate": ("deliver",), "late": ("deliver",), "corrupt": ("deliver",),
    "bounce": ("deliver",),
})

#: A real delay is shorter than any client's patience; more is C{hang}.
LONGEST_DELAY_MS = 60 * 60 * 1000

#: Lines of a reply.
MOST_LINES = 10

#: Which kinds answer with a code, and its first digits.
_CODES: Mapping[str, tuple[int, ...]] = MappingProxyType({
    "reject": (5,), "defer": (4,), "greylist": (4,), "rate_limit": (4,), "tls_fail": (4, 5), "auth_fail": (4, 5),
    "bounce": (5,),
})

#: Kinds of which the plan feature C{chaos} is asked when they are enabled.
_ADVANCED = ("greylist", "rate_limit", "drop")


def _code(value: Any, field: str) -> Any:
    if isinstance(value, int) and value and not 400 <= value <= 599:
        raise Invalid(field, "must be from 400 to 599")
    return value


def _enhanced(text: str, field: str) -> None:
    parts = text.split(".")
    if text and not (len(parts) == 3 and parts[0] in ("4", "5") and all(
            part.isascii() and part.isdigit() and len(part) <= 3 for part in parts)):
        raise Invalid(field, "must be an enhanced status code such as 4.7.1")


def _message(text: str, field: str) -> None:
    """The lines of a reply (RFC 5321 section 4.2.1), ended by LF."""
    lines = text.split("\n")
    if len(lines) > MOST_LINES:
        raise Invalid(field, f"must not have more than {MOST_LINES} lines")
    for one in lines:
        if len(one) > 2 * LINE:
            raise Invalid(field, f"must not be longer than {2 * LINE} characters")
        check_line(one, field)


def _match(text: str, field: str) -> str:
    check_line(text, field)
    local, at, domain = text.strip().lower().rpartition("@")
    return f"{local}{at}{u_labels(domain)}"


def _interval(text: str, field: str) -> None:
    if text and not parse_duration(text, field):
        raise Invalid(field, "must be longer than nothing")


Count = Annotated[int, Meta(ge=0, le=1_000_000_000)]
Code = Annotated[int, Meta(ge=0, le=599, extra={"read": _code})]
Enhanced = Annotated[str, Meta(max_length=LINE, extra={"read": checked(_enhanced)})]
Message = Annotated[str, Meta(max_length=MOST_LINES * 2 * LINE, extra={"read": checked(_message)})]
#: As addresses are stored.
Match = Annotated[str, Meta(max_length=LINE, extra={"read": of_text(_match)})]
Interval = Annotated[str, Meta(max_length=LINE, extra={"read": checked(_interval)})]


class FaultRule(Struct, frozen=True, forbid_unknown_fields=True):
    """
    One rule.  Fields that are not set are 0, empty or None; C{kind} and C{stage} have to go together.

    @ivar kind: what goes wrong; stage: at which step of which protocol; name: what the rule is called.
    @ivar match: a suffix of the address in question, in lower case; empty for everything.
    @ivar rate: share of the matches at which it fires, 0 to 1.
    @ivar code: of the reply, from 400 to 599; 0 for the usual one.
    @ivar enhanced: enhanced status code of the reply (RFC 3463), such as C{4.7.1}.
    @ivar message: text of the reply; may hold {ip}, {sender}, {domain}, {recipient}; over SMTP of several lines (LF).
    @ivar delay_ms: real milliseconds for C{delay}, at most an hour; simulated ones for C{greylist} and C{late}.
    @ivar bytes_per_second: octets a real second, for C{throttle}.
    @ivar limit: matches that get through in each interval, for C{rate_limit}.
    @ivar interval: a duration of simulated time, for C{rate_limit}; window: when it holds; null for always.
    @ivar enabled: whether it holds at all; scenario: id of the scenario it was made from, C{""} for none.
    @ivar first: fire for the first so many matches only; 0 for no such limit.
    @ivar every: fire at each so manieth match; 0 for all; times: fire so often at most; 0 for no such limit.
    @ivar per: what matches are counted for.
    @ivar certificate: for C{tls_fail} at C{starttls}: TLS begins, with a certificate that careful clients refuse.
    """

    kind: FaultKind
    stage: Stage
    name: Line = ""
    match: Match = ""
    rate: Share = 1.0
    code: Code = 0
    enhanced: Enhanced = ""
    message: Message = ""
    delay_ms: Annotated[int, Meta(ge=0, le=int(LONGEST / timedelta(milliseconds=1)))] = 0
    bytes_per_second: Count = 0
    limit: Count = 0
    interval: Interval = ""
    window: Hours | None = None
    enabled: bool = True
    scenario: Line = ""
    first: Count = 0
    every: Count = 0
    times: Count = 0
    per: Per = "universe"
    certificate: Certificate = ""

    def __post_init__(self) -> None:
        if self.stage not in PAIRS[self.kind]:
            raise FieldError("stage", f"{self.kind} may stand at {', '.join(PAIRS[self.kind])}")
        if self.stage in _IMAP and "\n" in self.message:
            raise FieldError("message", "must be one line over IMAP")
        self._check_needs()
        self._check_reply()

    def _check_needs(self) -> None:
        """What a kind cannot be without."""
        if self.kind in ("delay", "late") and not self.delay_ms:
            raise FieldError("delay_ms", f"is required for {self.kind}")
        if self.kind == "delay" and self.delay_ms > LONGEST_DELAY_MS:
            raise FieldError("delay_ms", f"must not be longer than {LONGEST_DELAY_MS} for delay")
        if self.kind == "throttle" and not self.bytes_per_second:
            raise FieldError("bytes_per_second", "is required for throttle")
        if self.certificate and (self.kind != "tls_fail" or self.stage != "starttls" or self.code):
            raise FieldError("certificate", "is for tls_fail at starttls, without a code")
        if self.kind == "rate_limit" and not self.interval:
            raise FieldError("interval", "is required for rate_limit")

    def _check_reply(self) -> None:
        """A reply says one thing: its code and its enhanced code agree (RFC 3463 section 2)."""
        classes = _CODES.get(self.kind, (4, 5))
        if self.code and self.code // 100 not in classes:
            wanted = " or ".join(f"{one}00 to {one}99" for one in classes)
            raise FieldError("code", f"must be from {wanted} for {self.kind}")
        code = self.code or default_reply(self.kind, self.stage)[0]
        if self.enhanced and self.kind in _CODES and code and self.enhanced[0] != str(code)[0]:
            raise FieldError("enhanced", "must begin as code does")


class NumberedRule(FaultRule, frozen=True):
    """
    A rule among others.

    @ivar nth: how many rules before it have the same name, kind, stage and match.
    """

    nth: int = 0

    @property
    def identity(self) -> str:
        """What draws and counts of the rule are kept under, whatever else about it is changed."""
        return "\0".join((self.name, self.kind, self.stage, f"{self.match}\1{self.nth}" if self.nth else self.match))


def rules_of(value: Any) -> tuple[NumberedRule, ...]:
    """
    Return the rules of a document.

    @raise Invalid: naming the rule by its place and the field.
    """
    found: list[NumberedRule] = []
    seen: Counter[tuple[str, str, str, str]] = Counter()
    for place, one in enumerate(a_list(value)):
        rule = rule_of(one, str(place))
        same = rule.name, rule.kind, rule.stage, rule.match
        found.append(NumberedRule(**asdict(rule), nth=seen[same]))
        seen[same] += 1
    return tuple(found)


def rule_of(value: Any, field: str = "") -> FaultRule:
    """
    Return one rule; C{hits}, with which it is shown, is no part of it.

    @raise Invalid: naming the field, below C{field}.
    """
    return convert({name: one for name, one in an_object(value, field).items() if name != "hits"}, FaultRule, field)


def shown(rule: FaultRule, hits: int = 0) -> dict[str, Any]:
    """Return a rule as the API shows it: what is not set is left out."""
    always = ("name", "kind", "stage", "match", "rate", "enabled")
    found = {name: one for name, one in to_builtins(rule).items()
             if name != "nth" and (name in always or one not in (0, "", None))}
    if rule.per == "universe":
        del found["per"]
    return {**found, "hits": hits}


def is_advanced(rule: FaultRule) -> bool:
    """Whether the plan must have the feature C{chaos} for it."""
    return rule.enabled and (rule.kind in _ADVANCED or rule.window is not None or bool(rule.scenario))


_REJECT: Mapping[str, tuple[int, str, str]] = MappingProxyType({
    "connect": (554, "5.7.1", "Connection rejected"),
    "helo": (550, "5.7.1", "HELO rejected"),
    "starttls": (554, "5.7.3", "TLS refused"),
    "auth": (535, "5.7.8", "Authentication credentials invalid"),
    "mail": (550, "5.7.1", "Sender rejected"),
    "rcpt": (550, "5.7.1", "Recipient rejected"),
    "data": (554, "5.7.1", "Message refused"),
    "body": (554, "5.7.1", "Message content rejected"),
    "deliver": (554, "5.7.1", "Message rejected"),
})

_DEFER: Mapping[str, tuple[int, str, str]] = MappingProxyType({
    "connect": (421, "4.7.0", "Try again later"),
    "starttls": (454, "4.7.0", "TLS not available due to temporary reason"),
    "auth": (454, "4.7.0", "Temporary authentication failure"),
})


def default_reply(kind: FaultKind, stage: Stage) -> tuple[int, str, str]:
    """Code, enhanced code and text where a rule gives none; 0 and nothing where the kind has no reply."""
    if stage in _IMAP:
        return 0, "", "Authentication failed" if kind == "auth_fail" else "Refused by a fault rule"
    if kind == "reject":
        return _REJECT[stage]
    if kind == "defer":
        return _DEFER.get(stage, (451, "4.3.0", "Try again later"))
    if kind == "greylist":
        return 451, "4.7.1", "Greylisted, try again later"
    if kind == "rate_limit":
        return (421, "4.7.0", "Too many connections") if stage == "connect" else (450, "4.7.1", "Rate limit exceeded")
    if kind == "tls_fail":
        return 454, "4.7.0", "TLS not available due to temporary reason"
    if kind == "auth_fail":
        return 535, "5.7.8", "Authentication credentials invalid"
    if kind == "bounce":
        return 550, "5.0.0", "Delivery failed"
    return 0, "", ""
