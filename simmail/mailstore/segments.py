"""
The files of the journal: records with checksums, in segments that are appended to.

A record that was cut short by a crash ends its segment; what is behind it was
never promised to anybody.  A busy journal writes into files that were filled
before, so that a sync has octets to write and no metadata of the file system.
Checksums begin from the salt of the segment: what an earlier use left behind
the end is none of its records.
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

from simmail.core.delivery import Delivery, Filing, Part, Replaced

#: Kinds of records: a delivery; deliveries that are visible, with their UIDs; those whose commit is made;
#: those that were refused after all; a universe that was erased; messages that another program delivered and
#: that get their UIDs now.
DELIVERY, FILED, SETTLED, REFUSED, ERASED, FOREIGN = b"D", b"F", b"S", b"R", b"E", b"O"

_MAGIC = b"simmail journal 2\n"
_KINDS = frozenset((DELIVERY, FILED, SETTLED, REFUSED, FOREIGN, ERASED))
# After the magic: boot id, salt, in lines.
_HEADER = len(_MAGIC) + 65 + 9
# What is written of a file that is filled before the disk is waited for: who syncs something else meanwhile waits for
# no more than that.
_ZEROS = bytes(256 * 1024)
# Checksum of what follows, kind, octets of the description, octets of the message.
_HEAD = Format("<IcII")
_CHECKSUM, _TOLD = Format("<I"), Format("<cII")
_BOOT_ID = "/proc/sys/kernel/random/boot_id"
_MOST_PIECES = 512


class Described(Struct, frozen=True, array_like=True):
    """A delivery without its octets."""

    id: str
    universe: str
    filings: tuple[Filing, ...]
    at: datetime
    commit: bytes
    parts: tuple[Part, ...] = ()
    replaces: Replaced | None = None
    saved: datetime | None = None


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


Octets = tuple[bytes, bytes, bytes]
"""A record: kind, description, octets of the message."""


def describe(delivery: Delivery) -> bytes:
    """All of a delivery but its octets."""
    return _encode(Described(
        delivery.id, delivery.universe, delivery.filings, delivery.at, delivery.commit, delivery.parts,
        delivery.replaces, delivery.saved))


def delivery_of(described: Described, octets: bytes) -> Delivery:
    """The delivery again."""
    return Delivery(
        described.id, described.universe, described.filings, octets, described.at, described.commit, described.parts,
        described.replaces, described.saved)


def record(kind: bytes, value: object) -> Octets:
    """Any other record."""
    return kind, _encode(value), b""


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
    @ivar filled: it is written over so many octets that are there, 0 for none.
    @ivar failed: what is on disk of it is not known; it is not appended to any more.
    """

    def __init__(self, path: str, fd: int, boot: str, salt: int, filled: int = 0) -> None:
        self.path = path
        self.fd = fd
        self.size = _HEADER
        self.boot = boot
        self.ids: set[Id] = set()
        self.filled = filled
        self.failed = False
        self._salt = salt

    @classmethod
    def create(cls, path: str, boot: str) -> Segment:
        """A new, empty one, whose name is on disk."""
        return cls._made(path, path, boot, os.O_CREAT | os.O_EXCL, 0)

    @classmethod
    def filled_to(cls, path: str, boot: str, octets: int, beside: str, again: bool) -> Segment:
        """
        One whose octets are on disk already.

        @param beside: the path it has until it is whole, which is no segment's.
        @param again: what is at C{beside} was one and is used again.
        """
        return cls._made(path, beside, boot, 0 if again else os.O_CREAT | os.O_TRUNC, octets)

    @classmethod
    def _made(cls, path: str, beside: str, boot: str, flags: int, octets: int) -> Segment:
        fd = os.open(beside, os.O_RDWR | os.O_CLOEXEC | flags, 0o600)
        try:
            salt = os.urandom(4)
            os.pwrite(fd, _MAGIC + boot.encode("ascii").ljust(64) + b"\n" + salt.hex().encode("ascii") + b"\n", 0)
            there = max(os.fstat(fd).st_size, _HEADER)
            for at in range(there, octets, len(_ZEROS)):
                os.pwrite(fd, _ZEROS[:octets - at], at)
                os.fdatasync(fd)
            os.fsync(fd)
            if beside != path:
                os.rename(beside, path)
            sync_directory(os.path.dirname(path))
        except BaseException:
            os.close(fd)
            os.unlink(beside)
            raise
        return cls(path, fd, boot, int.from_bytes(salt, "big"), octets and max(there, octets))

    @classmethod
    def open(cls, path: str) -> Segment | None:
        """One that is there; None for one that was never used."""
        fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        head = os.pread(fd, _HEADER, 0)
        try:
            salt = int(head[-9:-1], 16)
        except ValueError:
            salt = -1
        if len(head) < _HEADER or not head.startswith(_MAGIC) or salt < 0:
            os.close(fd)
            return None
        return cls(path, fd, head[len(_MAGIC):-10].decode("ascii", "replace").strip(), salt)

    def _pieces(self, records: Sequence[Octets]) -> list[bytes]:
        pieces, salt = [], self._salt
        for kind, description, octets in records:
            told = _TOLD.pack(kind, len(description), len(octets)) + description
            pieces.append(_CHECKSUM.pack(crc32(octets, crc32(told, salt))) + told)
            if octets:
                pieces.append(octets)
        return pieces

    def append(self, records: Sequence[Octets]) -> None:
        """
        Write behind what is there; the file is as before when it cannot be.

        @raise OSError: the disk refused.
        """
        at, pieces = self.size, self._pieces(records)
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
                if self.filled:
                    self.failed = True
                else:
                    os.ftruncate(self.fd, self.size)
            except OSError:
                self.failed = True
            raise
        self.size = at

    def start(self, at: int) -> None:
        """What was appended from there on is on its way to the disk; it is not on it before L{sync}."""
        # Asked to forget octets, Linux begins to write those that are not on disk; it keeps them until they are.
        os.posix_fadvise(self.fd, at, self.size - at, os.POSIX_FADV_DONTNEED)

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
        """Every whole record, in order; afterwards C{size} is where they end, and it is not appended to."""
        end = os.fstat(self.fd).st_size
        at = self.size
        while at + _HEAD.size <= end:
            head = os.pread(self.fd, _HEAD.size, at)
            checksum, kind, description_length, length = _HEAD.unpack(head)
            if kind not in _KINDS or at + _HEAD.size + description_length + length > end:
                break
            body = os.pread(self.fd, description_length + length, at + _HEAD.size)
            if crc32(body, crc32(head[4:], self._salt)) != checksum:
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

    def leave(self, path: str) -> None:
        """It is not needed any more; its octets may be used again from another path."""
        try:
            os.pwrite(self.fd, bytes(_HEADER), 0)
            os.rename(self.path, path)
        finally:
            os.close(self.fd)


def sync_directory(path: str) -> None:
    """The names in a directory are on disk."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
