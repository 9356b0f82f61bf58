"""
Fault rules as the API takes and shows them.

Source: API contract, "Fault rule" and "Faults"; decisions, section 12.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, get_args

import msgspec
from msgspec.structs import replace

from simmail.core.mime.address import u_labels
from simmail.core.records.persona import Hours
from simmail.core.rules.faults import Certificate, FaultRule, KINDS, PAIRS, Per, STAGES, default_reply
from simmail.core.rules.fields import Check, LINE, flag, line, list_of, members, one_of, share, text
from simmail.core.time.instant import LONGEST, parse_clock, parse_days, parse_duration, zone
from simmail.errors import Invalid

#: A real delay is shorter than any client's patience; more is C{hang}.
LONGEST_DELAY_MS = 60 * 60 * 1000

#: Lines of a reply.
MOST_LINES = 10

#: Which kinds answer with a code, and its first digits.
_CODES: Mapping[str, tuple[int, ...]] = {
    "reject": (5,), "defer": (4,), "greylist": (4,), "rate_limit": (4,), "tls_fail": (4, 5), "auth_fail": (4, 5),
    "bounce": (5,),
}

#: Kinds of which the plan feature C{chaos} is asked when they are enabled.
_ADVANCED = ("greylist", "rate_limit", "drop")


def rules_of(value: Any) -> tuple[FaultRule, ...]:
    """
    The rules of a document, checked.

    @raise Invalid: naming the rule by its place and the field.
    """
    found: list[FaultRule] = []
    seen: Counter[str] = Counter()
    for index, one in enumerate(list_of(value, "")):
        rule = rule_of(one, str(index))
        nth = seen[rule.identity]
        seen[rule.identity] += 1
        found.append(replace(rule, nth=nth))
    return tuple(found)


def rule_of(value: Any, field: str = "") -> FaultRule:
    """
    One rule, checked.

    @raise Invalid: naming the field, below C{field}.
    """
    given = members(value, field, _CHECKS)
    given.pop("hits", None)
    for name in ("kind", "stage"):
        if name not in given:
            raise Invalid(_below(field, name), "is required")
    rule = FaultRule(**{"name": "", **given})
    if rule.stage not in PAIRS[rule.kind]:
        raise Invalid(_below(field, "stage"), f"{rule.kind} may stand at {', '.join(PAIRS[rule.kind])}")
    if rule.stage.startswith("imap_") and "\n" in rule.message:
        raise Invalid(_below(field, "message"), "must be one line over IMAP")
    _check_needs(rule, field)
    _check_reply(rule, field)
    return rule


def shown(rule: FaultRule, hits: int = 0) -> dict[str, Any]:
    """A rule as the API shows it: what is not set is left out."""
    fields: dict[str, Any] = msgspec.to_builtins(rule)
    del fields["nth"]
    always = ("name", "kind", "stage", "match", "rate", "enabled")
    found = {name: one for name, one in fields.items() if name in always or one not in (0, "", None)}
    if rule.per == "universe":
        del found["per"]
    return {**found, "hits": hits}


def is_advanced(rule: FaultRule) -> bool:
    """Whether the plan must have the feature C{chaos} for it."""
    return rule.enabled and (rule.kind in _ADVANCED or rule.window is not None or bool(rule.scenario))


def window_of(value: Any, field: str = "window") -> Hours:
    """
    The C{window} of a rule, checked.

    @raise Invalid: naming the field.
    """
    given = members(value, field, {"days": _days, "from": _clock, "to": _clock, "tz": _zone})
    return Hours(**{"from_" if name == "from" else name: one for name, one in given.items()})


def _check_needs(rule: FaultRule, field: str) -> None:
    """What a kind cannot be without."""
    if rule.kind in ("delay", "late") and not rule.delay_ms:
        raise Invalid(_below(field, "delay_ms"), f"is required for {rule.kind}")
    if rule.kind == "delay" and rule.delay_ms > LONGEST_DELAY_MS:
        raise Invalid(_below(field, "delay_ms"), f"must not be longer than {LONGEST_DELAY_MS} for delay")
    if rule.kind == "throttle" and not rule.bytes_per_second:
        raise Invalid(_below(field, "bytes_per_second"), "is required for throttle")
    if rule.certificate and (rule.kind != "tls_fail" or rule.stage != "starttls" or rule.code):
        raise Invalid(_below(field, "certificate"), "is for tls_fail at starttls, without a code")
    if rule.kind == "rate_limit" and not rule.interval:
        raise Invalid(_below(field, "interval"), "is required for rate_limit")


def _check_reply(rule: FaultRule, field: str) -> None:
    """A reply says one thing: its code and its enhanced code agree (RFC 3463 section 2)."""
    classes = _CODES.get(rule.kind, (4, 5))
    if rule.code and rule.code // 100 not in classes:
        wanted = " or ".join(f"{one}00 to {one}99" for one in classes)
        raise Invalid(_below(field, "code"), f"must be from {wanted} for {rule.kind}")
    code = rule.code or default_reply(rule.kind, rule.stage)[0]
    if rule.enhanced and rule.kind in _CODES and code and rule.enhanced[0] != str(code)[0]:
        raise Invalid(_below(field, "enhanced"), "must begin as code does")


def _below(field: str, name: str) -> str:
    return f"{field}.{name}" if field else name


def whole(low: int, high: int) -> Check:
    """A whole number in a range."""
    def check(value: Any, field: str) -> int:
        if isinstance(value, bool) or not (isinstance(value, int) or isinstance(value, float) and value.is_integer()):
            raise Invalid(field, "must be a whole number")
        if not low <= value <= high:
            raise Invalid(field, f"must be from {low} to {high}")
        return int(value)
    return check


def _code(value: Any, field: str) -> int:
    code: int = _from_zero(value, field)
    if code and not 400 <= code <= 599:
        raise Invalid(field, "must be from 400 to 599")
    return code


def _enhanced(value: Any, field: str) -> str:
    told: str = line(value, field)
    parts = told.split(".")
    if told and not (len(parts) == 3 and parts[0] in ("4", "5") and all(
            part.isascii() and part.isdigit() and len(part) <= 3 for part in parts)):
        raise Invalid(field, "must be an enhanced status code such as 4.7.1")
    return told


def _message(value: Any, field: str) -> str:
    """The lines of a reply (RFC 5321 section 4.2.1), ended by LF."""
    told: str = _lines(value, field)
    if told.count("\n") >= MOST_LINES:
        raise Invalid(field, f"must not have more than {MOST_LINES} lines")
    for one in told.split("\n"):
        _line(one, field)
    return told


def match_of(value: Any, field: str = "match") -> str:
    """The C{match} of a rule, as addresses are stored.  @raise Invalid: naming the field."""
    local, at, domain = str(line(value, field)).strip().lower().rpartition("@")
    return f"{local}{at}{u_labels(domain)}"


def _interval(value: Any, field: str) -> str:
    told: str = line(value, field)
    if told and parse_duration(told, field) == timedelta(0):
        raise Invalid(field, "must be longer than nothing")
    return told


def _days(value: Any, field: str) -> str:
    told: str = line(value, field)
    parse_days(told, field)
    return told


def _clock(value: Any, field: str) -> str:
    told: str = line(value, field)
    parse_clock(told, field)
    return told


def _zone(value: Any, field: str) -> str:
    told: str = line(value, field)
    zone(told, field)
    return told


_lines = text(MOST_LINES * 2 * LINE, lines=True)
_line = text(2 * LINE, lines=False)
_from_zero = whole(0, 1_000_000_000)

_CHECKS: Mapping[str, Check] = {
    "name": line, "kind": one_of(KINDS), "stage": one_of(STAGES), "match": match_of, "rate": share, "code": _code,
    "enhanced": _enhanced, "message": _message,
    "delay_ms": whole(0, int(LONGEST / timedelta(milliseconds=1))), "bytes_per_second": _from_zero,
    "limit": _from_zero, "interval": _interval, "window": window_of, "enabled": flag, "scenario": line,
    "first": _from_zero, "every": _from_zero, "times": _from_zero, "per": one_of(get_args(Per)),
    "certificate": one_of(get_args(Certificate)),
    "hits": lambda value, field: value,
}
