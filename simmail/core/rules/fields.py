"""
Checks of decoded values from outside (JSON, YAML): each gives the stored value, or refuses naming the dotted field.

A check is called with a value and its dotted field.  Source: decisions,
"Conventions" (errors).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from datetime import date as Date
from datetime import datetime, timezone
from typing import Any, TypeVar

from simmail.core.mime.address import parse as parse_address
from simmail.core.time.instant import parse_date, parse_instant
from simmail.errors import Invalid

T = TypeVar("T")
Check = Callable[[Any, str], Any]

#: Longest texts, in characters, and longest lists.
LINE, TEXT, LIST = 200, 10_000, 100


def text(longest: int, lines: bool) -> Check:
    """Text of at most so many characters; without C{lines} no control character, for it may end up in a header."""
    def check(value: Any, field: str) -> str:
        if not isinstance(value, str):
            raise Invalid(field, "must be text")
        if len(value) > longest:
            raise Invalid(field, f"must not be longer than {longest} characters")
        # NUL has no place in mail at all.
        if "\0" in value or (not lines and any(c < " " or c in "\x7f\x85\u2028\u2029" for c in value)):
            raise Invalid(field, "must not contain control characters" if not lines else "must not contain NUL")
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raise Invalid(field, "must be valid Unicode") from None
        return value
    return check


def one_of(allowed: tuple[str, ...]) -> Check:
    """One of some words."""
    def check(value: Any, field: str) -> str:
        if not isinstance(value, str) or value not in allowed:
            raise Invalid(field, f"must be one of {', '.join(allowed)}")
        return value
    return check


def number(low: float, high: float, what: str) -> Check:
    """A finite number in a range, which C{what} tells."""
    def check(value: Any, field: str) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise Invalid(field, "must be a number")
        if not math.isfinite(value) or not low <= value <= high:
            raise Invalid(field, f"must be {what}")
        return float(value)
    return check


def flag(value: Any, field: str) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise Invalid(field, "must be true or false")
    return value


def list_of(value: Any, field: str) -> list[Any]:
    """A list of at most L{LIST} items, whatever they are."""
    if not isinstance(value, (list, tuple)):
        raise Invalid(field, "must be a list")
    if len(value) > LIST:
        raise Invalid(field, f"must not have more than {LIST} items")
    return list(value)


def lines(value: Any, field: str) -> tuple[str, ...]:
    """A list of short texts, each once."""
    return tuple(dict.fromkeys(line(one, f"{field}.{i}") for i, one in enumerate(list_of(value, field))))


def addresses(value: Any, field: str) -> tuple[str, ...]:
    """A list of email addresses in lower case, each once."""
    found = [address(one, f"{field}.{i}") for i, one in enumerate(list_of(value, field))]
    return tuple(dict.fromkeys(found))


def address(value: Any, field: str) -> str:
    """An email address, in lower case."""
    if not isinstance(value, str):
        raise Invalid(field, "must be an email address")
    return parse_address(value, field)


def members(value: Any, field: str, checks: Mapping[str, Check]) -> dict[str, Any]:
    """The members of an object, each checked; those that are null are left out, others are refused."""
    if not isinstance(value, Mapping):
        raise Invalid(field, "must be an object")
    found: dict[str, Any] = {}
    for name, one in value.items():
        path = f"{field}.{str(name)[:LINE]}" if field else str(name)[:LINE]
        if name not in checks:
            raise Invalid(path, "unknown field")
        if one is not None:
            found[name] = checks[name](one, path)
    return found


def record(build: Callable[..., T], checks: Mapping[str, Check]) -> Check:
    """An object that becomes a record; a member C{from} is its C{from_}."""
    def check(value: Any, field: str) -> T:
        values = members(value, field, checks)
        return build(**{"from_" if name == "from" else name: one for name, one in values.items()})
    return check


def date(value: Any, field: str) -> str:
    """A date C{YYYY-MM-DD}."""
    if isinstance(value, Date) and not isinstance(value, datetime):
        # YAML has a date type of its own.
        return value.isoformat()
    if not isinstance(value, str):
        raise Invalid(field, "must be a date YYYY-MM-DD")
    return parse_date(value, field).isoformat()


def instant(value: Any, field: str) -> datetime:
    """An RFC 3339 time, in UTC."""
    if isinstance(value, datetime) and value.tzinfo is not None:
        return value.astimezone(timezone.utc)
    if not isinstance(value, str):
        raise Invalid(field, "must be an RFC 3339 time")
    return parse_instant(value, field)


line = text(LINE, lines=False)
prose = text(TEXT, lines=True)
share = number(0, 1, "from 0 to 1")
