"""
The files of the journal: records with checksums, in segments that are appended to.

A record that was cut short by a crash ends its segment; what is behind it was
never promised to anybody.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from struct import Struct as Format
from typing import NamedTuple
from zlib import crc32

import msgspec
from msgspec import Struct

from simmail.core.delivery import Delivery, Filing

#: Kinds of records: a delivery; deliveries that are visible, with their UIDs; those whose commit is made;
#: those that were refused after all; a universe that was erased; messages that another program delivered and
#: that get their UIDs now.
DELIVERY, FILED, SETTLED, REFUSED, ERASED, FOREIGN = b"D", b"F", b"S", b"R", b"E", b"O"

_MAGIC = b"simmail journal 1\n"
# Checksum of what follows, kind, octets of the description, octets of the message.
_HEAD = Format("<IcII")
_BOOT_ID = "/proc/sys/kernel/random/boot_id"
_MOST_PIECES = 512


class Described(Struct, frozen=True, array_like=True):
    """A delivery without its octets."""

    id: str
    universe: str
    filings: tuple[Filing, ...]
    at: datetime
    commit: bytes


class FiledAt(Struct, frozen=True, array_like=True):
    """A delivery that is visible; (UID, UIDVALIDITY) for each of its filings."""

    universe: str
    id: str
    places: tuple[tuple[int, int], ...]


class Id(NamedTuple):
    """A delivery in a journal that several universes share."""

    universe: str
    id: str


class Record(NamedTuple):
    """One record as it was read: C{at} is where the octets of the message are."""

    kind: bytes
    description: bytes
    segment: Segment
    at: int
    length: int


_encode = msgspec.msgpack.Encoder().encode
decode_described = msgspec.msgpack.Decoder(Described).decode
decode_filed = msgspec.msgpack.Decoder(list[FiledAt]).decode
decode_ids = msgspec.msgpack.Decoder(list[Id]).decode
decode_universe = msgspec.msgpack.Decoder(str).decode


def delivery_record(delivery: Delivery) -> list[bytes]:
    """The pieces of the record of a delivery."""
    description = _encode(Described(
        delivery.id, delivery.universe, delivery.filings, delivery.at, delivery.commit))
    return _record(DELIVERY, description, delivery.octets)


def record(kind: bytes, value: object) -> list[bytes]:
    """The pieces of any other record."""
    return _record(kind, _encode(value), b"")


def _record(kind: bytes, description: bytes, octets: bytes) -> list[bytes]:
    head = _HEAD.pack(0, kind, len(description), len(octets))
    checksum = crc32(octets, crc32(description, crc32(head[4:])))
    return [checksum.to_bytes(4, "little") + head[4:] + description, octets] if octets else [
        checksum.to_bytes(4, "little") + head[4:] + description]


def boot_id() -> str:
    """What is another one after the machine went down; C{""} where that cannot be known."""
    try:
        return Path(_BOOT_ID).read_text(encoding="ascii").strip()
    except OSError:
        return ""


class Segment:
    """
    One file.

    @ivar ids: deliveries in it that are owed.
    @ivar boot: of the machine when it was begun.
    """

    def __init__(self, path: str, fd: int, size: int, boot: str) -> None:
        self.path = path
        self.fd = fd
        self.size = size
        self.boot = boot
        self.ids: set[Id] = set()
        #: What was appended since the last sync that somebody waits for.
        self.failed = False

    @classmethod
    def create(cls, path: str, boot: str) -> Segment:
        """A new, empty one, whose name is on disk."""
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            head = _MAGIC + boot.encode("ascii").ljust(64) + b"\n"
            os.pwrite(fd, head, 0)
            os.fsync(fd)
            sync_directory(os.path.dirname(path))
        except BaseException:
            os.close(fd)
            os.unlink(path)
            raise
        return cls(path, fd, len(head), boot)

    @classmethod
    def open(cls, path: str) -> Segment | None:
        """One that is there; None for one that was never used."""
        fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        head = os.pread(fd, len(_MAGIC) + 65, 0)
        if len(head) < len(_MAGIC) + 65 or not head.startswith(_MAGIC):
            os.close(fd)
            return None
        return cls(path, fd, len(head), head[len(_MAGIC):-1].decode("ascii", "replace").strip())

    def append(self, pieces: Sequence[bytes]) -> None:
        """
        Write behind what is there; the file is as before when it cannot be.

        @raise OSError: the disk refused.
        """
        at = self.size
        try:
            for first in range(0, len(pieces), _MOST_PIECES):
                some = pieces[first:first + _MOST_PIECES]
                length = sum(map(len, some))
                written = os.pwritev(self.fd, some, at)
                if written < length:
                    rest = memoryview(b"".join(some))
                    while written < length:
                        written += os.pwrite(self.fd, rest[written:], at + written)
                at += length
        except OSError:
            try:
                os.ftruncate(self.fd, self.size)
            except OSError:
                self.failed = True
            raise
        self.size = at

    def sync(self) -> None:
        """
        All of it is on disk.

        @raise OSError: it is unknown what is; the segment is not to be appended to any more.
        """
        try:
            os.fdatasync(self.fd)
        except OSError:
            self.failed = True
            raise

    def records(self) -> Iterator[Record]:
        """Every whole record, in order; afterwards C{size} is where they end."""
        end = os.fstat(self.fd).st_size
        at = self.size
        while at + _HEAD.size <= end:
            head = os.pread(self.fd, _HEAD.size, at)
            checksum, kind, description_length, length = _HEAD.unpack(head)
            if at + _HEAD.size + description_length + length > end:
                break
            body = os.pread(self.fd, description_length + length, at + _HEAD.size)
            if crc32(body, crc32(head[4:])) != checksum:
                break
            yield Record(kind, body[:description_length], self, at + _HEAD.size + description_length, length)
            at += _HEAD.size + len(body)
            self.size = at

    def octets(self, at: int, length: int) -> bytes:
        """The octets of a message in it."""
        return os.pread(self.fd, length, at)

    def close(self) -> None:
        """It stays on disk."""
        os.close(self.fd)

    def drop(self) -> None:
        """It is not needed any more."""
        os.close(self.fd)
        os.unlink(self.path)


def sync_directory(path: str) -> None:
    """The names in a directory are on disk."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
