"""
What may stand in a field of a record: types with bounds, and readers for what bounds cannot say.

C{msgspec} checks the bounds wherever a record is decoded, and the OpenAPI document shows them.  A reader
(C{extra["read"]}) gets a value from outside with its dotted field and returns what is stored, or refuses it; see
L{conversion}.  Source: decisions, "Conventions" (errors).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from typing import Annotated, Any

from msgspec import Meta

from simmail.core.mime.address import parse as parse_address
from simmail.core.time.instant import parse_clock, parse_date, parse_days, parse_duration, parse_instant, zone
from simmail.errors import Invalid

#: Longest texts, in characters, and longest lists.
LINE, TEXT, LIST = 200, 10_000, 100

LONGEST_DELAY = timedelta(days=400)

# In a line nothing that ends one, for it may end up in a header; NUL has no place in mail at all.
_NOT_IN_LINES = re.compile("[\x00-\x1f\x7f\x85\u2028\u2029]")
_SURROGATE = re.compile("[\ud800-\udfff]")

Reader = Callable[[Any, str], Any]


class FieldError(ValueError):
    """
    Raised by a record that contradicts itself (C{__post_init__}).

    @ivar field: of the record, C{""} for the whole; text: what is wrong with it.
    """

    def __init__(self, field: str, text: str) -> None:
        super().__init__(f"{field}: {text}")
        self.field = field
        self.text = text


def of_text(read: Callable[[str, str], Any]) -> Reader:
    """Make a reader of one that takes text; what is something else is refused by its type."""
    return lambda value, field: read(value, field) if isinstance(value, str) else value


def checked(parse: Callable[[str, str], object]) -> Reader:
    """Make a reader that keeps a text as it is written, once it parses."""
    def read(text: str, field: str) -> str:
        parse(text, field)
        return text
    return of_text(read)


def check_line(text: str, field: str) -> None:
    """Refuse control characters and what is no character.  @raise Invalid: naming the field."""
    if _NOT_IN_LINES.search(text):
        raise Invalid(field, "must not contain control characters")
    _check_unicode(text, field)


def check_prose(text: str, field: str) -> None:
    """Refuse NUL and what is no character.  @raise Invalid: naming the field."""
    if "\0" in text:
        raise Invalid(field, "must not contain NUL")
    _check_unicode(text, field)


def _check_unicode(text: str, field: str) -> None:
    if _SURROGATE.search(text):
        raise Invalid(field, "must be valid Unicode")


def _delay(text: str, field: str) -> None:
    if parse_duration(text, field) > LONGEST_DELAY:
        raise Invalid(field, f"must not be longer than {LONGEST_DELAY.days}d")


def _time_of_day(value: Any, field: str) -> Any:
    # YAML 1.1 reads 9:00 as a number; only quoted text arrives here as text.
    if not isinstance(value, str):
        raise Invalid(field, "must be a time of day HH:MM, in quotes")
    parse_clock(value, field)
    return value


def _date(value: Any, field: str) -> Any:
    # YAML has a date type of its own.
    if isinstance(value, date) and not isinstance(value, datetime):
        return value.isoformat()
    return parse_date(value, field).isoformat() if isinstance(value, str) else value


def once(values: Any, field: str) -> Any:
    """Keep the first of equal texts."""
    return list(dict.fromkeys(values)) if isinstance(values, list) and all(
        isinstance(one, str) for one in values) else values


def _tongue(text: str, field: str = "") -> None:
    if not (2 <= len(text) <= 3 and text.isascii() and text.isalpha() and text.islower()):
        raise Invalid(field, "must be the code of a language, such as en or de")


Line = Annotated[str, Meta(max_length=LINE, extra={"read": checked(check_line)})]
Prose = Annotated[str, Meta(max_length=TEXT, extra={"read": checked(check_prose)})]
Share = Annotated[float, Meta(ge=0, le=1)]
Email = Annotated[str, Meta(max_length=TEXT, extra={"read": of_text(parse_address)})]
Lines = Annotated[tuple[Line, ...], Meta(max_length=LIST, extra={"read": once})]
Emails = Annotated[tuple[Email, ...], Meta(max_length=LIST, extra={"read": once})]
Tongue = Annotated[str, Meta(max_length=LINE, extra={"read": checked(_tongue)})]
Tongues = Annotated[tuple[Tongue, ...], Meta(min_length=1, max_length=LIST, extra={"read": once})]
Zone = Annotated[str, Meta(max_length=LINE, extra={"read": checked(zone)})]
Days = Annotated[str, Meta(max_length=LINE, extra={"read": checked(parse_days)})]
Clock = Annotated[str, Meta(max_length=LINE, extra={"read": _time_of_day})]
Date = Annotated[str, Meta(max_length=LINE, extra={"read": _date})]
Wait = Annotated[str, Meta(max_length=LINE, extra={"read": checked(_delay)})]
Instant = Annotated[datetime, Meta(tz=True, extra={"read": of_text(parse_instant)})]


def below(field: str, name: object) -> str:
    """Return the dotted path of a member."""
    shown = str(name)[:LINE]
    return f"{field}.{shown}" if field else shown


def an_object(value: Any, field: str = "") -> Mapping[Any, Any]:
    """Return what is an object.  @raise Invalid: it is none."""
    if not isinstance(value, Mapping):
        raise Invalid(field, "must be an object")
    return value


def a_list(value: Any, field: str = "") -> list[Any]:
    """Return what is a list of at most L{LIST} items, whatever they are.  @raise Invalid: it is none."""
    if not isinstance(value, (list, tuple)):
        raise Invalid(field, "must be a list")
    if len(value) > LIST:
        raise Invalid(field, f"must not have more than {LIST} items")
    return list(value)
