"""
From decoded JSON or YAML to records, or a refusal that names the dotted field.

C{msgspec} checks types and bounds; L{fields} reads what bounds cannot say; what C{msgspec} finds is put into the words
of somebody who writes a client.  Source: API contract, "Errors"; decisions, "Conventions" (errors).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from types import UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, overload

import msgspec
from msgspec import StructMeta, inspect

from simmail.core.records.fields import FieldError, Reader, an_object, below
from simmail.errors import Invalid

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
