"""
What rules about senders ask the name system, and records that are given with the question.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

Kind = Literal["A", "AAAA", "MX", "PTR", "TXT"]

#: The values of a name: addresses; exchangers in order of preference; texts, each joined.  Empty where there are none.
Lookup = Callable[[str, Kind], tuple[str, ...]]

#: By name, then kind.
Records = Mapping[str, Mapping[Kind, tuple[str, ...]]]


class NoAnswer(Exception):
    """The name system did not answer: nobody can tell whether there is such a record."""


def nowhere(name: str, kind: Kind) -> tuple[str, ...]:
    """Answer nothing.  @raise NoAnswer: always."""
    raise NoAnswer("no name system is asked")


def given(records: Records, otherwise: Lookup) -> Lookup:
    """Return a look-up that answers with records where a name is among them, and asks C{otherwise} where it is not."""
    known = {name.lower().rstrip("."): kinds for name, kinds in records.items()}

    def look(name: str, kind: Kind) -> tuple[str, ...]:
        found = known.get(name.lower().rstrip("."))
        return otherwise(name, kind) if found is None else tuple(found.get(kind, ()))

    return look
