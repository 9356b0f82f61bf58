"""
Finding the route of a path by its shape: which segments are words of the route, and which are names.

For paths as nearly all are.  What is not found here, such as folders whose
name has a slash that is not escaped, is left to Klein's router, which finds
the same and takes forty times as long.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from simmail.rest.route import NUMBERS, Route

_NUMBER = re.compile(rb"[0-9]{1,10}")
_SEGMENT = re.compile(r"\{([a-z_]+)\}")

#: Routes of one method and number of segments: where their names are, and by their words each with its names.
_Shapes = list[tuple[tuple[int, ...], dict[tuple[bytes, ...], tuple[Route, tuple[tuple[int, str], ...]]]]]


class Paths:
    """The routes of a table."""

    def __init__(self, routes: Iterable[Route]) -> None:
        self._shapes: dict[tuple[bytes, int], _Shapes] = {}
        for route in routes:
            self._add(route)

    def _add(self, route: Route) -> None:
        segments = route.path[1:].split("/")
        named = [_SEGMENT.fullmatch(one) for one in segments]
        names = tuple([(at, match[1]) for at, match in enumerate(named) if match is not None])
        words = tuple([at for at, match in enumerate(named) if match is None])
        shapes = self._shapes.setdefault((route.method.encode(), len(segments)), [])
        table = next((table for places, table in shapes if places == words), None)
        if table is None:
            table = {}
            shapes.append((words, table))
            # A word is preferred to a name, the sooner in the path the more.
            shapes.sort(key=lambda shape: [at not in shape[0] for at in range(len(segments))])
        table[tuple([segments[at].encode() for at in words])] = route, names

    def find(self, method: bytes, segments: Sequence[bytes]) -> tuple[Route, dict[str, Any]] | None:
        """The route of a path, and the values of its names; C{segments} have their escapes undone."""
        for words, table in self._shapes.get((method, len(segments)), ()):
            found = table.get(tuple([segments[at] for at in words]))
            if found is not None:
                route, names = found
                values = _values(names, segments)
                if values is not None:
                    return route, values
        return None


def _values(names: tuple[tuple[int, str], ...], segments: Sequence[bytes]) -> dict[str, Any] | None:
    """What stands for names, None when something cannot."""
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
