"""
The notes in a persona's memory, by case: its own, of which the oldest go, and those given to it, which stay.

Source: API contract, "Personas"; decisions, section 23.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

#: Notes of one case that a persona makes itself and keeps; notes given to one persona, in all cases together.
MOST_OWN, MOST_GIVEN = 200, 1000

#: By case id, C{""} for what lies outside any case; oldest first.
Notes = dict[str, list[str]]


class GivenNote(str):
    """A note that was given through the API."""

    __slots__ = ()


# Stored as an array of one text, which is no work for the many personas that were given none.
_own = msgspec.json.Decoder(dict[str, list[str]]).decode
_both = msgspec.json.Decoder(dict[str, list[str | tuple[str]]]).decode

#: Notes, to be stored.
encode: Callable[[Notes], bytes] = msgspec.json.Encoder(enc_hook=lambda one: (str(one),)).encode


def decode(octets: bytes | None) -> Notes:
    """Notes as they are stored; none for None."""
    if not octets:
        return {}
    try:
        return _own(octets)
    except msgspec.ValidationError:
        return {case: [one if isinstance(one, str) else GivenNote(one[0]) for one in some]
                for case, some in _both(octets).items()}


def add_own(notes: Notes, case: str, texts: Iterable[str]) -> None:
    """The persona remembers something; the oldest that it made itself go when there are too many."""
    kept = notes.setdefault(case, [])
    kept.extend(texts)
    over = len(kept) - MOST_OWN
    if over > 0:
        over -= sum(isinstance(one, GivenNote) for one in kept)
    if over > 0:
        gone = set([at for at, one in enumerate(kept) if not isinstance(one, GivenNote)][:over])
        kept[:] = [one for at, one in enumerate(kept) if at not in gone]


def given(notes: Notes) -> int:
    """How many were given."""
    return sum(isinstance(one, GivenNote) for some in notes.values() for one in some)
