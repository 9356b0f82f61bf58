"""
Objects that a universe's mail is kept in: their names, and what is in them.

C{universes/<universe>/<epoch>/<number>}: an epoch for each time that a server has opened the universe.  Number 0 says
what there was when it began (a base), the others are segments: changes, and octets of messages.  Whoever begins the
next epoch first puts a seal where the next segment of this one would be.  C{<number>.base} is what there was after
that segment.

C{snapshots/<universe>/<snapshot>/<number>}: the mail of a snapshot, from 1 on; the last one says that it is.

Each object begins with a line that says what it is, and a SHA-256 of all else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha256
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from simmail.errors import Unavailable
from simmail.mailstore.replication.changes import AnyChange, Contents

_SEGMENT, _BASE, _SEAL = b"simmail segment 1\n", b"simmail base 1\n", b"simmail seal 1\n"
_PART = b"simmail snapshot 1\n"
_NAME = re.compile(r"(\d{10})/(\d{10})(\.base)?")
_IMAGE = re.compile(r"([A-Za-z0-9._-]{1,128})!(s_[0-9a-f]+)")
_DIGEST = 32


class LogObject(NamedTuple):
    """A base or segment: its epoch and its number; C{base}: what there was after the segment of that number."""

    epoch: int
    number: int
    base: bool = False


class ContentPlace(NamedTuple):
    """Where octets are: the epoch and the number of a segment, their first octet in it, and how many."""

    epoch: int
    number: int
    begin: int
    size: int


class _Content(NamedTuple):
    digest: bytes
    size: int


class _Head(Struct, frozen=True, array_like=True):
    """C{nonce}: of who has put it, so that no two put the same."""

    nonce: str
    changes: list[AnyChange]
    contents: list[_Content]


#: The octets of a segment, and where in them contents are, as (begin, size), by their digests.
PackedSegment = tuple[bytes, dict[bytes, tuple[int, int]]]


class ReplicaSegment(NamedTuple):
    """
    What a segment says.

    @ivar nonce: of who has put it; places: where in the object which octets are, by their digests, as (begin, size).
    """

    nonce: str
    changes: list[AnyChange]
    places: dict[bytes, tuple[int, int]]


_encode = msgspec.msgpack.Encoder().encode
_decode_head = msgspec.msgpack.Decoder(_Head).decode

SEAL = _SEAL


def prefix_of(universe: str) -> str:
    """Return what the names of all objects of a universe begin with."""
    return f"universes/{universe}/"


def name_of(universe: str, one: LogObject) -> str:
    """Return the name of an object."""
    return f"{prefix_of(universe)}{one.epoch:010}/{one.number:010}{'.base' if one.base and one.number else ''}"


def id_of(universe: str, name: str) -> LogObject | None:
    """Return which object has a name, None for none of ours."""
    found = _NAME.fullmatch(name[len(prefix_of(universe)):])
    if found is None:
        return None
    return LogObject(int(found[1]), int(found[2]), bool(found[3]) or not int(found[2]))


def segment(nonce: str, changes: Sequence[AnyChange], contents: Contents) -> PackedSegment:
    """
    Return the octets of a segment, and where in them C{contents} are.

    @param contents: (digest, octets) of each.
    """
    head = _encode(_Head(nonce, list(changes), [_Content(digest, len(octets)) for digest, octets in contents]))
    places, begin = {}, len(_SEGMENT) + _DIGEST + 4 + len(head)
    for digest, octets in contents:
        places[digest] = begin, len(octets)
        begin += len(octets)
    body = b"".join((len(head).to_bytes(4, "big"), head, *(octets for _, octets in contents)))
    return _SEGMENT + sha256(body).digest() + body, places


def read_segment(octets: bytes, shown: str) -> ReplicaSegment | None:
    """
    Return what a segment says, None for a seal.

    @param shown: its name.  @raise Unavailable: it cannot be understood.
    """
    head = head_of(octets, shown)
    return read_head(head, shown) if head is not None else None


def head_of(octets: bytes, shown: str) -> bytes | None:
    """Return a segment without the octets of messages, None for a seal.  @raise Unavailable: as L{read_segment}."""
    if octets.startswith(_SEAL):
        return None
    body = _body(octets, _SEGMENT, shown)
    return body[4:4 + int.from_bytes(body[:4], "big")]


def read_head(head: bytes, shown: str) -> ReplicaSegment:
    """Return what the segment of a head says.  @raise Unavailable: it cannot be understood."""
    try:
        said = _decode_head(head)
    except msgspec.MsgspecError as error:
        raise Unavailable(f"the object {shown} cannot be understood: {error}") from None
    places, begin = {}, len(_SEGMENT) + _DIGEST + 4 + len(head)
    for digest, length in said.contents:
        places[digest] = begin, length
        begin += length
    return ReplicaSegment(said.nonce, said.changes, places)


def image_prefix(image: str) -> str:
    """Return what the names of all objects of a snapshot begin with, C{""} for what is none.  C{image}: its id."""
    found = _IMAGE.fullmatch(image)
    return f"snapshots/{found[1]}/{found[2]}/" if found is not None else ""


def image_part(rows: Sequence[Any], counter: int = 0) -> bytes:
    """
    Return the octets of a part of a snapshot's mail.

    @param counter: of the last part: a UIDVALIDITY that is as great as any in it.
    """
    body = _encode((counter, rows))
    return _PART + sha256(body).digest() + body


def read_image_part(octets: bytes, shown: str) -> tuple[list[Any], int]:
    """Return the same again.  @raise Unavailable: it is not what was put."""
    counter, rows = msgspec.msgpack.decode(_body(octets, _PART, shown))
    return rows, counter


def base(nonce: str, encoded: bytes) -> bytes:
    """
    Return the octets of a base.

    @param nonce: of who puts it, so that no two who open a universe put the same; encoded: what there is.
    """
    body = _encode(nonce) + encoded
    return _BASE + sha256(body).digest() + body


def read_base(octets: bytes, shown: str) -> tuple[str, bytes]:
    """Return the nonce of who has put a base, and what it says.  @raise Unavailable: it is not what was put."""
    body = _body(octets, _BASE, shown)
    # A short text: its head is an octet.
    begin = 1 + (body[0] & 0x1F)
    return body[1:begin].decode(), body[begin:]


def _body(octets: bytes, begins: bytes, shown: str) -> bytes:
    body = octets[len(begins) + _DIGEST:]
    if not octets.startswith(begins) or octets[len(begins):len(begins) + _DIGEST] != sha256(body).digest():
        raise Unavailable(f"the object {shown} is not what was put there")
    return body
