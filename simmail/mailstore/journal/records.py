"""
What the journal says: deliveries, where their messages are, and what became of them.

A record is a kind, a description (msgpack) and, of a delivery, the octets of the message.
"""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

import msgspec
from msgspec import Struct

from simmail.core.records.delivery import Delivery, DeliveryPart, Placement, ReplacedMessage

#: Kinds of records: a delivery; deliveries that are visible, with their UIDs; those whose commit is made;
#: those that were refused after all; a universe that was erased; messages that another program delivered and
#: that get their UIDs now; messages that have left a folder.
DELIVERY, FILED, SETTLED, REFUSED, ERASED, FOREIGN, DEPARTED = b"D", b"F", b"S", b"R", b"E", b"O", b"L"


class Described(Struct, frozen=True, array_like=True):
    """A delivery without its octets."""

    id: str
    universe: str
    placements: tuple[Placement, ...]
    at: datetime
    commit: bytes
    parts: tuple[DeliveryPart, ...] = ()
    replaces: ReplacedMessage | None = None
    saved: datetime | None = None


class FiledAt(Struct, frozen=True, array_like=True):
    """A delivery that is visible; (UID, UIDVALIDITY) for each of its placements."""

    universe: str
    id: str
    places: tuple[tuple[int, int], ...]


class Id(NamedTuple):
    """A delivery in a journal that several universes share."""

    universe: str
    id: str


class Departure(Struct, frozen=True, array_like=True):
    """
    Messages that are not where they were.

    @ivar folder: C{""} for all of the mailbox; uids: none for all of the folder.
    @ivar uidvalidity: of the folder, 0 for any.
    @ivar to: where each is now; None: they are gone.
    """

    universe: str
    mailbox: str
    folder: str
    uidvalidity: int
    uids: tuple[int, ...]
    to: Destination | None = None


class Destination(Struct, frozen=True, array_like=True):
    """Where messages have gone: the UID of each, none where they keep them; C{uidvalidity} 0: not known."""

    mailbox: str
    folder: str
    uidvalidity: int
    uids: tuple[int, ...]


_encode = msgspec.msgpack.Encoder().encode
encode_described = _encode
decode_described = msgspec.msgpack.Decoder(Described).decode
decode_filed = msgspec.msgpack.Decoder(list[FiledAt]).decode
decode_ids = msgspec.msgpack.Decoder(list[Id]).decode
decode_departures = msgspec.msgpack.Decoder(list[Departure]).decode
decode_universe = msgspec.msgpack.Decoder(str).decode


Octets = tuple[bytes, bytes, bytes]
"""A record: kind, description, octets of the message."""


def describe(delivery: Delivery) -> bytes:
    """All of a delivery but its octets."""
    return _encode(Described(
        delivery.id, delivery.universe, delivery.placements, delivery.at, delivery.commit, delivery.parts,
        delivery.replaces, delivery.saved))


def delivery_of(described: Described, octets: bytes) -> Delivery:
    """The delivery again."""
    return Delivery(
        described.id, described.universe, described.placements, octets, described.at, described.commit, described.parts,
        described.replaces, described.saved)


def record(kind: bytes, value: object) -> Octets:
    """Any other record."""
    return kind, _encode(value), b""
