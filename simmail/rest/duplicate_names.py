"""
Names given twice in one object of a JSON body.

RFC 8259 section 4 leaves open what such an object means: of two readers one may
take the first value and one the last.  msgspec takes the last and does not
tell, so what it has accepted is looked through once more, for names only.
"""

from __future__ import annotations

import json
import re
from typing import Any

#: In bodies over so many octets texts over so many are left out before names are looked for: mail is one long text.
LARGE, LONG = 1 << 20, 1024

#: Quotes of a large body that are looked at one by one, and backslashes in a row; a body with more is read as it is.
_MOST_QUOTES, _MOST_ESCAPES = 20_000, 64

_NAMED = re.compile(rb"[ \t\r\n]*:")


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
