"""
Bodies and parameters as declared records, or a refusal that names the field.

Source: API contract, "Errors"; decisions, section 21 ("JSON depth 64").
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import msgspec
from msgspec import inspect

from simmail.core.records.conversion import PARAMETER, refusal, shown
from simmail.errors import Invalid
from simmail.rest.duplicate_names import twice


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
