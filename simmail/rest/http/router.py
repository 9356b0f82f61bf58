"""
The look-up of paths by their shape: which segments are words, and which stand for names.

For paths as nearly all are.  What is not found here, such as folders whose
name has a slash that is not escaped, is left to Klein's map, which finds the
same; by that alone a small read costs twice the processor time
(C{scripts/bench/rest --klein}).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Generic, TypeVar

T = TypeVar("T")

#: Names in a path that are numbers.
NUMBERS = frozenset(("uid", "n"))

_NUMBER = re.compile(rb"[0-9]{1,10}")
_SEGMENT = re.compile(r"\{([a-z_]+)\}")

#: What is found at words, and the names between them by their places.
_Named = tuple[T, tuple[tuple[int, str], ...]]
#: Paths of one method and number of segments: where their words are, and by those words what is found.
_Shapes = list[tuple[tuple[int, ...], dict[tuple[bytes, ...], _Named[T]]]]


class Router(Generic[T]):
    """
    What belongs to a method and path.

    @param table: (method, path, what is found); in paths, names are in braces.  HEAD finds what GET does.
    """

    def __init__(self, table: Iterable[tuple[str, str, T]]) -> None:
        self._shapes: dict[tuple[bytes, int], _Shapes[T]] = {}
        for method, path, found in table:
            self._add(method.encode(), path, found)
            if method == "GET":
                self._add(b"HEAD", path, found)

    def _add(self, method: bytes, path: str, found: T) -> None:
        segments = path[1:].split("/")
        named = [_SEGMENT.fullmatch(one) for one in segments]
        names = tuple([(at, match[1]) for at, match in enumerate(named) if match is not None])
        words = tuple([at for at, match in enumerate(named) if match is None])
        shapes = self._shapes.setdefault((method, len(segments)), [])
        table = next((table for places, table in shapes if places == words), None)
        if table is None:
            table = {}
            shapes.append((words, table))
            # A word is preferred to a name, the sooner in the path the more.
            shapes.sort(key=lambda shape: [at not in shape[0] for at in range(len(segments))])
        table[tuple([segments[at].encode() for at in words])] = found, names

    def find(self, method: bytes, segments: Sequence[bytes]) -> tuple[T, dict[str, Any]] | None:
        """Find what belongs to a path, and the values of its names; C{segments} have their escapes undone."""
        for words, table in self._shapes.get((method, len(segments)), ()):
            named = table.get(tuple([segments[at] for at in words]))
            if named is not None:
                found, names = named
                values = _values(names, segments)
                if values is not None:
                    return found, values
        return None


def _values(names: tuple[tuple[int, str], ...], segments: Sequence[bytes]) -> dict[str, Any] | None:
    """Return what stands for names, C{None} when something cannot."""
    values: dict[str, Any] = {}
    for at, name in names:
        segment = segments[at]
        if name in NUMBERS:
            if _NUMBER.fullmatch(segment) is None:
                return None
            values[name] = int(segment)
            continue
        try:
            text = segment.decode("utf-8")
        except UnicodeDecodeError:
            return None
        if not text or "\0" in text:
            return None
        values[name] = text
    return values
