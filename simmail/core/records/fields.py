"""
What may stand in a field of a record, and from decoded JSON or YAML to records or a refusal that names the field.

C{msgspec} checks types and bounds wherever a record is decoded, and the OpenAPI document shows them.  What bounds
cannot say is said by a reader (C{extra["read"]}): it gets a value from outside with its dotted field and returns what
is stored, or refuses it.  What C{msgspec} finds is put into the words of somebody who writes a client.  Source: API
contract, "Errors"; decisions, "Conventions" (errors).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import cache, partial
from types import UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, overload

import msgspec
from msgspec import Meta, StructMeta, inspect

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


T = TypeVar("T")

_WHERE = re.compile(r"(.*) - at (?:`key` in )?`\$?([^`]*)`\Z", re.DOTALL)
_QUOTED = re.compile(r"`([^`]*)`")
_BOUND = re.compile(r"Expected `[a-z| ]+` ([<>]=?) ([-0-9.e+]+)\Z")
_LENGTH = re.compile(r"Expected `([a-z| ]+)` of length ([<>]=?|==) ([0-9]+)\Z")

_WORDS = {
    "str": "text", "int": "a whole number", "float": "a number", "bool": "true or false",
    "array": "a list", "object": "an object", "null": "null", "bytes": "base64 text", "datetime": "an RFC 3339 time",
}
_BOUNDS = {"<=": "at most", ">=": "at least", "<": "less than", ">": "more than", "==": "exactly"}
_TOO_MANY = {
    "str": "must not be longer than {} characters", "array": "must not have more than {} items",
    "object": "must not have more than {} members",
}
_LONGEST_SHOWN = 60
_SIZED = (str, list, tuple, dict)

#: Said of a field that is not declared.
UNKNOWN = "unknown field"
#: The same of a parameter of a query, of which every value is text.
PARAMETER = "unknown parameter"


@overload
def convert(value: Any, type: type[T], field: str = "", unknown: str = ...) -> T:
    ...


@overload
def convert(value: Any, type: Any, field: str = "", unknown: str = ...) -> Any:
    ...


def convert(value: Any, type: Any, field: str = "", unknown: str = UNKNOWN) -> Any:
    """
    Return a decoded value as the record C{type}; a member that is null counts as left out where it may not be null.

    @param field: where the value stands; unknown: said of what is not declared.
    @raise Invalid: it is no such record.
    """
    try:
        read = _reading(type)
        return msgspec.convert(value if read is None else read(value, field), type)
    except msgspec.ValidationError as error:
        raise refusal(error, type, field, unknown, declared=True) from None


def given(fields: Any, type: type[msgspec.Struct], field: str = "") -> dict[str, Any]:
    """
    Return the members of an object that are given for a record: not those that are null.

    @raise Invalid: it is no object.
    """
    return {name: value for name, value in an_object(fields, field).items()
            if value is not None or name not in _fields(type)}


@cache
def _reading(type: Any) -> Reader | None:
    return _reader(inspect.type_info(type))


def _reader(info: inspect.Type) -> Reader | None:
    """
    Return what reads values of a type, None where they are taken as they are.

    What is of a wrong type or too long is left for C{msgspec} to refuse.
    """
    if isinstance(info, inspect.Metadata):
        return _declared(_reader(info.type), getattr(info.type, "max_length", None), info.extra or {})
    if isinstance(info, inspect.StructType):
        return partial(_members, _fields(info.cls))
    if isinstance(info, inspect.DictType):
        return _mapping(_reader(info.key_type), _reader(info.value_type))
    if isinstance(info, (inspect.ListType, inspect.VarTupleType)):
        return _items(_reader(info.item_type), info.max_length)
    if isinstance(info, inspect.UnionType):
        return _any_of([one for one in map(_reader, info.types) if one is not None])
    return _whole if isinstance(info, inspect.IntType) else None


def _declared(inner: Reader | None, longest: int | None, extra: Mapping[str, Any]) -> Reader | None:
    each, own = extra.get("each"), extra.get("read")
    if each is None and own is None:
        return inner

    def read(value: Any, field: str) -> Any:
        if longest is not None and isinstance(value, _SIZED) and len(value) > longest:
            return value
        if each is not None and isinstance(value, Mapping):
            value = {name: convert(one, each, below(field, name)) for name, one in value.items()}
        if inner is not None:
            value = inner(value, field)
        return value if own is None else own(value, field)
    return read


@cache
def _fields(struct: type[msgspec.Struct]) -> Mapping[str, tuple[Reader | None, bool]]:
    """For each name what reads its values, and whether it may be null."""
    info = inspect.type_info(struct)
    assert isinstance(info, inspect.StructType)
    return {one.encode_name: (_reader(one.type), isinstance(one.type, inspect.UnionType) and any(
        isinstance(kind, inspect.NoneType) for kind in one.type.types)) for one in info.fields}


def _members(fields: Mapping[str, tuple[Reader | None, bool]], value: Any, field: str) -> Any:
    if not isinstance(value, Mapping):
        return value
    found = {}
    for key, one in value.items():
        name = str(key)
        read, may_be_null = fields.get(name, (None, True))
        if one is not None or may_be_null:
            found[name] = one if read is None else read(one, below(field, name))
    return found


def _mapping(key: Reader | None, value: Reader | None) -> Reader | None:
    if key is None and value is None:
        return None
    return lambda members, field: {
        name if key is None else key(name, field): one if value is None else value(one, below(field, name))
        for name, one in members.items()} if isinstance(members, Mapping) else members


def _items(item: Reader | None, longest: int | None) -> Reader | None:
    if item is None:
        return None

    def read(items: Any, field: str) -> Any:
        if not isinstance(items, (list, tuple)) or longest is not None and len(items) > longest:
            return items
        return [item(one, below(field, n)) for n, one in enumerate(items)]
    return read


def _any_of(readers: list[Reader]) -> Reader | None:
    if len(readers) < 2:
        return readers[0] if readers else None

    def read(value: Any, field: str) -> Any:
        for one in readers:
            value = one(value, field)
        return value
    return read


def _whole(value: Any, field: str) -> Any:
    return int(value) if type(value) is float and value.is_integer() else value


def refusal(
    error: msgspec.ValidationError, type: Any, inside: str = "", unknown: str = UNKNOWN, whole: str = "",
    declared: bool = False,
) -> Invalid:
    """
    Return the refusal that tells what C{msgspec} has found wrong.

    @param type: what was decoded into; inside: where it stands; unknown: said of what is not declared.
    @param whole: what the value is called where no field of it is at fault, with a space behind.
    @param declared: choices are told in the order of their declaration, both bounds of a number, and what is counted.
    """
    text, where = str(error), ""
    match = _WHERE.match(text)
    if match is not None:
        text, where = match[1], match[2]
    path = where.replace("[...]", "").replace("[", ".").replace("]", "").lstrip(".")
    field = f"{inside}.{path}" if inside and path else inside or path
    cause = error.__cause__
    if isinstance(cause, FieldError):
        return Invalid(below(field, cause.field) if cause.field else field, cause.text)
    quoted = _QUOTED.findall(text)
    if text.startswith("Object contains unknown field"):
        return Invalid(_under(field, text[31:-1]), unknown)
    if text.startswith("Object missing required field") and quoted:
        return Invalid(_under(field, quoted[0]), "is required")
    types = list(_at(type, [part for part in path.split(".") if part]))
    if text.startswith("Invalid enum value"):
        allowed = [str(value) for one in types if get_origin(one) is Literal for value in get_args(one)]
        allowed = allowed if declared else sorted(allowed)
        return Invalid(field, f"must be one of {', '.join(allowed)}" if allowed else text)
    match = _BOUND.match(text)
    if match is not None:
        for meta in (meta for one in types for meta in getattr(one, "__metadata__", ()) if declared):
            if meta.ge is not None and meta.le is not None:
                return Invalid(field, f"must be from {_number(meta.ge)} to {_number(meta.le)}")
        return Invalid(field, f"must be {_BOUNDS[match[1]]} {_number(float(match[2]))}")
    match = _LENGTH.match(text)
    if match is not None:
        return Invalid(field, _length(match[1], match[2], match[3], declared))
    if text.startswith("Expected `") and quoted:
        wanted = " or ".join(_WORDS.get(one, one) for one in quoted[0].split(" | "))
        got = f", not {_WORDS.get(quoted[1], quoted[1])}" if len(quoted) > 1 and unknown != PARAMETER else ""
        return Invalid(field, f"must be {wanted}{got}" if field else f"{whole}must be {wanted}{got}")
    return Invalid(field, text[:1].lower() + text[1:])


def _length(kind: str, bound: str, count: str, declared: bool) -> str:
    if (bound, count) == (">=", "1"):
        return "must not be empty"
    if declared and bound == "<=" and kind in _TOO_MANY:
        return _TOO_MANY[kind].format(count)
    return f"must have a length of {_BOUNDS[bound]} {count}"


def _number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else f"{value:g}"


def _at(type: Any, path: Sequence[str]) -> Iterator[Any]:
    """The types that may stand at a dotted path, as they are declared."""
    origin, args = get_origin(type), get_args(type)
    if origin in (Union, UnionType):
        for one in args:
            yield from _at(one, path)
    elif origin is dict:
        # Its names are not in the path.
        yield from _at(args[1], path)
    elif not path:
        yield type
    elif origin is Annotated:
        yield from _at(args[0], path)
    elif origin in (list, tuple):
        yield from _at(args[0], path[1:])
    elif isinstance(type, StructMeta):
        struct: Any = type
        for field in msgspec.structs.fields(struct):
            if field.encode_name == path[0]:
                yield from _at(field.type, path[1:])


def _under(field: str, name: str) -> str:
    return f"{field}.{shown(name)}" if field else shown(name)


def shown(name: str) -> str:
    """Return a name as an error text may hold it: printable and short."""
    printable = "".join(character if character.isprintable() else "?" for character in name)
    return printable if len(printable) <= _LONGEST_SHOWN else printable[:_LONGEST_SHOWN] + "…"
