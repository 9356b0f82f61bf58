"""
What is owed for mail that was copied: it goes with the copy in a file, and into the journal when that is opened.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import msgspec
from msgspec import Struct

from simmail.core.records.delivery import Copy
from simmail.mailstore.journal.records import Described, Id
from simmail.mailstore.journal.retained import Journalled, retained_in
from simmail.mailstore.journal.segment import Segment
from simmail.mailstore.journal.uncommitted import Uncommitted

#: What the file is called, in the directory of a universe.
FILE = ".owed"

#: A message that is there: its mailbox, folder and UID.
Place = tuple[str, str, int]
#: Answers the UIDVALIDITY that a folder has.
UidvalidityOf = Callable[[str, str], int]


class _Carried(Struct, frozen=True, array_like=True):
    described: Described
    octets: bytes
    places: list[Place]


class _All(Struct, frozen=True, array_like=True):
    deliveries: list[_Carried]
    foreign: list[Place]


class Owed(NamedTuple):
    """
    What is to be owed for the copy.

    @ivar deliveries: each without its octets, those, and where it is; foreign: what another program delivered.
    """

    deliveries: list[tuple[Described, bytes, tuple[Copy, ...]]]
    foreign: list[Copy]


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(_All).decode


def packed(
    uncommitted: Uncommitted, segments: Iterable[Segment], universe: str, place_of: Callable[[str], Copy]
) -> bytes:
    """
    What a universe is owed for mail that is visible, C{b""} for nothing.

    @param place_of: answers where what another program delivered is, by its id.
    """
    visible = {key: owed.copies for key, owed in uncommitted.deliveries.items()
               if key.universe == universe and owed.copies is not None}
    foreign = [key.id for key in uncommitted.foreign if key.universe == universe]
    if not visible and not foreign:
        return b""
    kept: dict[Id, Journalled] = retained_in(segments).deliveries if visible else {}
    return _encode(_All(
        [_Carried(kept[key].described, kept[key].octets(), list(map(_place, copies)))
         for key, copies in visible.items() if key in kept],
        [_place(place_of(one)) for one in foreign]))


def _place(copy: Copy) -> Place:
    return copy.mailbox, copy.folder, copy.uid


def unpacked(octets: bytes, universe: str, uidvalidity_of: UidvalidityOf) -> Owed:
    """The same for another universe."""
    carried = _decode(octets)
    return Owed(
        [(msgspec.structs.replace(one.described, universe=universe), one.octets,
          tuple([_copy(place, uidvalidity_of) for place in one.places])) for one in carried.deliveries],
        [_copy(place, uidvalidity_of) for place in carried.foreign])


def _copy(place: Place, uidvalidity_of: UidvalidityOf) -> Copy:
    mailbox, folder, uid = place
    return Copy(mailbox, folder, uid, uidvalidity_of(mailbox, folder))
