"""
Bodies and parameters as declared records, or a refusal that names the field.

Source: API contract, "Errors"; decisions, section 21 ("JSON depth 64").
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

import msgspec
from msgspec import inspect

from simmail.core.records.fields import PARAMETER, refusal, shown
from simmail.errors import Invalid

#: In bodies over so many octets texts over so many are left out before names are looked for: mail is one long text.
LARGE, LONG = 1 << 20, 1024

#: Quotes of a large body that are looked at one by one, and backslashes in a row; a body with more is read as it is.
_MOST_QUOTES, _MOST_ESCAPES = 20_000, 64

_NAMED = re.compile(rb"[ \t\r\n]*:")


def body(octets: bytes, type: Any, depth: int) -> Any:
    """
    Return a request body as the record C{type}; an empty one is an empty object.

    @raise Invalid: not JSON, nested deeper than C{depth}, not such a record, or a name given twice in one object.
    """
    if not octets.strip():
        octets = b"{}"
    _check_depth(octets, depth)
    try:
        decoded = msgspec.json.decode(octets, type=type)
    except msgspec.ValidationError as error:
        raise refusal(error, type, whole="the body ") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Invalid("", f"the body is not valid JSON: {error}") from None
    except RecursionError:
        raise Invalid("", "the body is nested too deeply") from None
    repeated = twice(octets)
    if repeated is not None:
        raise Invalid(shown(repeated), "is given more than once")
    return decoded


def query(args: Mapping[bytes, list[bytes]], type: Any, extra: frozenset[str] = frozenset()) -> Any:
    """
    Return query parameters as the record C{type}; numbers and booleans (C{1}, C{0}, C{true}, C{false}) as text.

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
            raise Invalid(shown(key), "must not contain NUL")
        if key in lists:
            values[key] = texts
        elif len(texts) > 1:
            raise Invalid(shown(key), "is given more than once")
        else:
            values[key] = texts[0]
    try:
        return msgspec.convert(values, type, strict=False)
    except msgspec.ValidationError as error:
        raise refusal(error, type, unknown=PARAMETER) from None


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


# Names given twice in one object.  RFC 8259 section 4 leaves open what such an object means: of two readers one may
# take the first value and one the last.  msgspec takes the last and does not tell, so what it has accepted is looked
# through once more, for names only.

class _Twice(Exception):
    """Its one argument is a name that an object has twice."""


def _once(pairs: list[tuple[str, Any]]) -> None:
    if len(dict(pairs)) < len(pairs):
        names = [name for name, _ in pairs]
        raise _Twice(next(name for name in names if names.count(name) > 1))


# Numbers are not looked at; an int of many digits would be refused.
_decoder = json.JSONDecoder(object_pairs_hook=_once, parse_int=float)


def twice(octets: bytes) -> str | None:
    """
    Return a name that some object has twice, None for none.

    @param octets: valid JSON in UTF-8, not nested so deeply that reading it overflows the stack.
    """
    short = _short(octets) if len(octets) > LARGE else octets
    if short.count(b":") < 2:
        return None
    try:
        _decoder.decode(short.decode("utf-8", "replace"))
    except _Twice as found:
        name: str = found.args[0]
        return name
    return None


def _short(octets: bytes) -> bytes:
    """The same without the inside of long texts that are no names; as it is where that would take long."""
    pieces: list[bytes] = []
    kept = at = looked = 0
    while True:
        begin = octets.find(b'"', at) + 1
        if not begin:
            pieces.append(octets[kept:])
            return b"".join(pieces)
        at, escapes = begin, 1
        while escapes % 2:
            end = octets.find(b'"', at)
            at, looked = end + 1, looked + 1
            before = octets[max(begin, end - _MOST_ESCAPES):end]
            escapes = len(before) - len(before.rstrip(b"\\"))
            if looked > _MOST_QUOTES or escapes == _MOST_ESCAPES:
                return octets
        if end - begin > LONG and _NAMED.match(octets, at) is None:
            pieces.append(octets[kept:begin])
            kept = end
