"""
Assertions about a report: C{spam.score lt 3}, C{auth.dkim eq pass}, C{rules.LIST_UNSUBSCRIBE eq pass}.

Source: decisions, section 10 (C{assertions: [{what, op, value}]}).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec
from msgspec import UNSET, Meta, Struct

from simmail.core.inspection.report import Report
from simmail.errors import Invalid

Op = Literal["eq", "ne", "lt", "le", "gt", "ge", "in", "contains", "not_contains", "starts_with", "ends_with"]

_ORDERED = {"lt": lambda a, b: a < b, "le": lambda a, b: a <= b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b}


class Assertion(Struct, frozen=True, forbid_unknown_fields=True):
    """
    One thing that has to hold.

    @ivar what: a path in the report; C{rules.NAME} is the outcome of a rule, a number one of a list, C{count} at the
        end of one its length.
    @ivar value: what it is compared with; required, C{null} counts.
    @ivar op: how C{what} is compared with C{value}.
    """

    what: Annotated[str, Meta(min_length=1, max_length=200)]
    op: Op = "eq"
    value: Any = UNSET


class AssertionResult(Struct, frozen=True):
    """
    One assertion, and whether it holds.

    @ivar what: the path in the report; op: how it was compared; value: what it was compared with.
    @ivar holds: whether it holds; actual: what was found; why: why it does not hold, C{""} where it does.
    """

    what: str
    op: Op
    value: Any
    holds: bool = msgspec.field(name="pass")
    actual: Any = None
    why: str = ""


def judge(report: Report, assertions: Sequence[Assertion]) -> list[AssertionResult]:
    """
    Return what becomes of assertions, in order.

    @raise Invalid: a path that no report has, no value, or one that cannot be compared so; by number and field.
    """
    shown: dict[str, Any] = msgspec.to_builtins(report)
    shown["rules"] = {one.rule: one.outcome for one in report.rules}
    return [_judged(shown, one, f"assertions.{n}") for n, one in enumerate(assertions)]


def _judged(shown: Mapping[str, Any], one: Assertion, field: str) -> AssertionResult:
    actual = _found(shown, one.what, f"{field}.what")
    if one.value is UNSET:
        raise Invalid(f"{field}.value", "is required")
    holds = _holds(actual, one, f"{field}.value")
    why = "" if holds else f"{one.what} is {_short(actual)}, not {one.op} {_short(one.value)}"
    return AssertionResult(one.what, one.op, one.value, holds, actual, why)


def _found(shown: Mapping[str, Any], path: str, field: str) -> Any:
    value: Any = shown
    kind: Any = Report
    done: list[str] = []
    for name in path.split("."):
        if isinstance(value, Mapping) and name in value:
            value = value[name]
        elif isinstance(value, Sequence) and not isinstance(value, str) and name == "count":
            value = len(value)
        elif isinstance(value, Sequence) and not isinstance(value, str) and _digits(name):
            # A link that is not there is nothing, not a mistake of who asks.
            value = value[int(name)] if int(name) < len(value) else None
        elif value is not None or _below(kind, name) is None:
            where = ".".join(done) or "the report"
            raise Invalid(field, f"{where} has no {name[:60]}")
        kind = _below(kind, name)
        done.append(name)
    return value


def _below(kind: Any, name: str) -> Any:
    """The type of what stands under a name in values of a type; None where nothing ever does."""
    for one in get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,):
        origin, inner = get_origin(one), get_args(one)
        if origin is not None and issubclass(origin, Mapping):
            return inner[1]
        if origin is tuple and (name == "count" or _digits(name)):
            return int if name == "count" else inner[0]
        if isinstance(one, type) and issubclass(one, Struct):
            return next((each.type for each in msgspec.structs.fields(one) if each.encode_name == name), None)
    return None


def _digits(name: str) -> bool:
    return name.isascii() and name.isdecimal() and len(name) < 6


def _holds(actual: Any, one: Assertion, field: str) -> bool:
    value = one.value
    if one.op == "eq":
        return bool(actual == value) and isinstance(actual, bool) == isinstance(value, bool)
    if one.op == "ne":
        return bool(actual != value)
    if one.op in _ORDERED:
        if not _number(value):
            raise Invalid(field, f"{one.op} needs a number")
        return _number(actual) and bool(_ORDERED[one.op](actual, value))
    if one.op == "in":
        if not isinstance(value, list):
            raise Invalid(field, "in needs a list")
        return actual in value
    if not isinstance(value, str):
        raise Invalid(field, f"{one.op} needs a text")
    if one.op == "starts_with":
        return isinstance(actual, str) and actual.startswith(value)
    if one.op == "ends_with":
        return isinstance(actual, str) and actual.endswith(value)
    inside = any(value in (each if isinstance(each, str) else str(each)) for each in (
        actual if isinstance(actual, list | tuple) else [actual if isinstance(actual, str) else ""]))
    return inside == (one.op == "contains")


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _short(value: Any) -> str:
    return msgspec.json.encode(value).decode()[:200]
