"""
What is owed for mail that was copied: it goes with the copy in a file, and into the journal when that is opened.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import msgspec
from msgspec import Struct

from simmail.core.records.delivery import Copy
from simmail.mailstore.journal.records import Departure, Described, Destination, Id
from simmail.mailstore.journal.retained import Journalled, retained_in
from simmail.mailstore.journal.segment import Segment
from simmail.mailstore.journal.uncommitted import Uncommitted

#: A message that is there: its mailbox, folder and UID.
Place = tuple[str, str, int]
#: Answers the UIDVALIDITY that a folder has.
UidvalidityOf = Callable[[str, str], int]


class _Carried(Struct, frozen=True, array_like=True):
    """C{places}: where it was filed; C{now}: where its messages are, those that are gone left out, by their number."""

    described: Described
    octets: bytes
    places: list[Place]
    now: dict[int, Place]


class _All(Struct, frozen=True, array_like=True):
    deliveries: list[_Carried]
    foreign: list[Place]


class OwedDelivery(NamedTuple):
    """
    A delivery that is to be owed for the copy.

    @ivar copies: where it was filed; departures: what has become of its messages since.
    """

    described: Described
    octets: bytes
    copies: tuple[Copy, ...]
    departures: list[Departure]


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
    return _encode(_All([
        _Carried(kept[key].described, kept[key].octets(), list(map(_place, copies)),
                 {at: _place(copy) for at, copy in enumerate(kept[key].places or copies) if copy is not None})
        for key, copies in visible.items() if key in kept], [_place(place_of(one)) for one in foreign]))


def gathered(
    deliveries: Iterable[tuple[Described, bytes, Iterable[Place], dict[int, Place]]], foreign: Iterable[Place]
) -> bytes:
    """
    What is owed, packed, where no journal has it; C{b""} for nothing.

    @param deliveries: each with its octets, where it was filed, and where its messages are, by their number.
    """
    all = _All([_Carried(described, octets, list(places), now) for described, octets, places, now in deliveries],
               list(foreign))
    return _encode(all) if all.deliveries or all.foreign else b""


def _place(copy: Copy) -> Place:
    return copy.mailbox, copy.folder, copy.uid


def unpacked(octets: bytes, universe: str, uidvalidity_of: UidvalidityOf) -> tuple[list[OwedDelivery], list[Copy]]:
    """Return the same for another universe: deliveries, and what another program delivered."""
    def copy(place: Place) -> Copy:
        mailbox, folder, uid = place
        return Copy(mailbox, folder, uid, uidvalidity_of(mailbox, folder))

    carried = _decode(octets)
    return [OwedDelivery(
        msgspec.structs.replace(one.described, universe=universe), one.octets, tuple(map(copy, one.places)),
        list(_departures(one, universe, copy))) for one in carried.deliveries], list(map(copy, carried.foreign))


def _departures(one: _Carried, universe: str, copy: Callable[[Place], Copy]) -> Iterator[Departure]:
    for at, place in enumerate(one.places):
        now = one.now.get(at)
        # Where two placements are one message, it is the first one's.
        if now != place and place not in one.places[:at]:
            was, to = copy(place), copy(now) if now is not None else None
            yield Departure(
                universe, was.mailbox, was.folder, was.uidvalidity, (was.uid,),
                Destination(to.mailbox, to.folder, to.uidvalidity, (to.uid,)) if to is not None else None)
