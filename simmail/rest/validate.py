"""
Bodies and parameters as declared records, or a refusal that names the field.

msgspec checks while it decodes; here its findings are put into the words of
somebody who writes a client.  Source: API contract, "Errors"; decisions,
section 21 ("JSON depth 64").
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

import msgspec
from msgspec import inspect

from simmail.errors import Invalid
from simmail.rest.duplicate_names import twice

_WHERE = re.compile(r"(.*) - at `(?:key in )?\$?(.*)`\Z", re.DOTALL)
_QUOTED = re.compile(r"`([^`]*)`")
_ENUM = re.compile(r"Invalid enum value (.*)\Z", re.DOTALL)
_BOUND = re.compile(r"Expected `[a-z| ]+` ([<>]=?) ([-0-9.e+]+)\Z")
_LENGTH = re.compile(r"Expected `[a-z| ]+` of length ([<>]=?|==) ([0-9]+)\Z")

_WORDS = {
    "str": "text", "int": "a whole number", "float": "a number", "bool": "true or false",
    "array": "a list", "object": "an object", "null": "null", "bytes": "base64 text",
}
_BOUNDS = {"<=": "at most", ">=": "at least", "<": "less than", ">": "more than", "==": "exactly"}
_LONGEST_SHOWN = 60


def body(octets: bytes, type: Any, depth: int) -> Any:
    """
    A request body as the record C{type}; an empty one is an empty object.

    @raise Invalid: not JSON, nested deeper than C{depth}, not such a record, or a name given twice in one object.
    """
    if not octets.strip():
        octets = b"{}"
    _check_depth(octets, depth)
    try:
        decoded = msgspec.json.decode(octets, type=type)
    except msgspec.ValidationError as error:
        raise _refused(error, type) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Invalid("", f"the body is not valid JSON: {error}") from None
    except RecursionError:
        raise Invalid("", "the body is nested too deeply") from None
    repeated = twice(octets)
    if repeated is not None:
        raise Invalid(_shown(repeated), "is given more than once")
    return decoded


def query(args: Mapping[bytes, list[bytes]], type: Any, extra: frozenset[str] = frozenset()) -> Any:
    """
    Query parameters as the record C{type}; numbers and booleans (C{1}, C{0}, C{true}, C{false}) are written as text.

    @param args: values by name, as sent; C{extra}: names to overlook.
    @raise Invalid: unknown, given twice (where it is no list), not UTF-8, or not such a value.
    """
    values: dict[str, Any] = {}
    lists = _lists(type)
    for name, given in args.items():
        try:
            key = name.decode("utf-8")
            texts = [value.decode("utf-8") for value in given]
        except UnicodeDecodeError:
            raise Invalid("", "query parameters must be UTF-8") from None
        if key in extra:
            continue
        if any("\0" in text for text in texts):
            raise Invalid(_shown(key), "must not contain NUL")
        if key in lists:
            values[key] = texts
        elif len(texts) > 1:
            raise Invalid(_shown(key), "is given more than once")
        else:
            values[key] = texts[0]
    try:
        return msgspec.convert(values, type, strict=False)
    except msgspec.ValidationError as error:
        raise _refused(error, type, "unknown parameter") from None


@cache
def _lists(type: Any) -> set[str]:
    info = inspect.type_info(type)
    assert isinstance(info, inspect.StructType)
    return {field.encode_name for field in info.fields
            if isinstance(field.type, (inspect.ListType, inspect.VarTupleType))}


def _check_depth(octets: bytes, deepest: int) -> None:
    # Only a body with so many brackets can be so deep; brackets within texts are sorted out below.
    if octets.count(b"{") + octets.count(b"[") <= deepest:
        return
    try:
        level: list[Any] = [msgspec.json.decode(octets)]
    except (msgspec.DecodeError, UnicodeDecodeError):
        return
    except RecursionError:
        raise Invalid("", f"the body is nested deeper than {deepest} levels") from None
    depth = 0
    while level:
        inner: list[Any] = []
        for one in level:
            if isinstance(one, dict):
                inner.extend(value for value in one.values() if isinstance(value, (dict, list)))
            elif isinstance(one, list):
                inner.extend(value for value in one if isinstance(value, (dict, list)))
        depth += 1
        if depth > deepest:
            raise Invalid("", f"the body is nested deeper than {deepest} levels")
        level = inner


def _refused(error: msgspec.ValidationError, type: Any, unknown: str = "unknown field") -> Invalid:
    text, where = str(error), ""
    match = _WHERE.match(text)
    if match is not None:
        text, where = match[1], match[2]
    field = where.replace("[...]", "").replace("[", ".").replace("]", "").lstrip(".")
    quoted = _QUOTED.findall(text)
    if text.startswith("Object contains unknown field"):
        return Invalid(_under(field, text[31:-1]), unknown)
    if text.startswith("Object missing required field") and quoted:
        return Invalid(_under(field, quoted[0]), "is required")
    match = _ENUM.match(text)
    if match is not None:
        allowed = _allowed(inspect.type_info(type), [part for part in field.split(".") if part])
        return Invalid(field, f"must be one of {', '.join(allowed)}" if allowed else text)
    match = _BOUND.match(text)
    if match is not None:
        return Invalid(field, f"must be {_BOUNDS[match[1]]} {float(match[2]):g}")
    match = _LENGTH.match(text)
    if match is not None:
        return Invalid(field, "must not be empty" if (match[1], match[2]) == (">=", "1")
                       else f"must have a length of {_BOUNDS[match[1]]} {match[2]}")
    if text.startswith("Expected `") and quoted:
        wanted = " or ".join(_WORDS.get(one, one) for one in quoted[0].split(" | "))
        got = f", not {_WORDS.get(quoted[1], quoted[1])}" if len(quoted) > 1 and unknown == "unknown field" else ""
        return Invalid(field or "", f"must be {wanted}{got}" if field else f"the body must be {wanted}{got}")
    return Invalid(field, text[:1].lower() + text[1:])


def _allowed(info: inspect.Type, path: list[str]) -> list[str]:
    """What a literal at a dotted path may be."""
    if isinstance(info, inspect.UnionType):
        return [value for one in info.types for value in _allowed(one, path)]
    if isinstance(info, inspect.Metadata):
        return _allowed(info.type, path)
    if isinstance(info, inspect.DictType):
        return _allowed(info.value_type, path)
    if isinstance(info, inspect.LiteralType):
        return [] if path else [str(value) for value in info.values]
    if isinstance(info, inspect.StructType) and path:
        return [value for field in info.fields if field.encode_name == path[0]
                for value in _allowed(field.type, path[1:])]
    if isinstance(info, (inspect.ListType, inspect.VarTupleType)) and path:
        return _allowed(info.item_type, path[1:])
    return []


def _under(field: str, name: str) -> str:
    return f"{field}.{_shown(name)}" if field else _shown(name)


def _shown(name: str) -> str:
    printable = "".join(character if character.isprintable() else "?" for character in name)
    return printable if len(printable) <= _LONGEST_SHOWN else printable[:_LONGEST_SHOWN] + "…"
