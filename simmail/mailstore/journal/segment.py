"""
The files of the journal: records with checksums, in segments that are appended to.

A record that was cut short by a crash ends its segment: nothing behind it was
promised to anybody.  When there are records behind one that cannot be read, it
is damaged: those are read, and what is between is told.  A busy journal writes
into files that were filled before, so that a sync has octets to write and no
metadata of the file system.  The checksums of a record and of its head begin
from the salt of the segment, which nobody outside knows: nothing in a message,
and nothing that an earlier use left behind, is taken for a record.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from struct import Struct as Format
from typing import NamedTuple
from zlib import crc32

from simmail.mailstore.journal.records import (
    DELIVERY, DEPARTED, ERASED, FILED, FOREIGN, Id, Octets, REFUSED, SETTLED,
)
from simmail.mailstore.journal.sync import sync_data, sync_directory, sync_file

_MAGIC = b"simmail journal 3\n"
#: As it was before heads had checksums of their own.
_FORMER = b"simmail journal 2\n"
#: Of one that is left to be used again.
_UNUSED = b"simmail journal -\n"
_KINDS = b"".join((DELIVERY, FILED, SETTLED, REFUSED, FOREIGN, ERASED, DEPARTED))
# After the magic: boot id, salt, in lines.
_HEADER = len(_MAGIC) + 65 + 9
# What is written of a file that is filled before the disk is waited for: who syncs something else meanwhile waits for
# no more than that.
_ZEROS = bytes(256 * 1024)
# Checksum of all that follows but the next, checksum of the rest of the head, kind, octets of the description, octets
# of the message.  Before heads had checksums the second was not there.
_CHECKSUM, _CHECKSUMS, _TOLD = Format("<I"), Format("<II"), Format("<cII")
_BOOT_ID = "/proc/sys/kernel/random/boot_id"
_MOST_PIECES = 512
#: Octets that are looked through at once.
_WINDOW = 1 << 20
#: Octets of the head of a record.
_HEAD_OCTETS = 17

_TABLE = [crc32(bytes((octet,)), 0xFFFFFFFF) ^ 0xFFFFFFFF for octet in range(256)]
_BY_TOP = {entry >> 24: (number, entry) for number, entry in enumerate(_TABLE)}


class _Head(NamedTuple):
    """The head of a record; C{begun}: the checksum of it, which that of the whole goes on from."""

    checksum: int
    kind: bytes
    description: int
    length: int
    begun: int


class Hole(NamedTuple):
    """Octets of a segment that cannot be read."""

    at: int
    length: int


class Record(NamedTuple):
    """One record as it was read: C{at} is where the octets of the message are."""

    kind: bytes
    description: bytes
    segment: Segment
    at: int
    length: int


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
    @ivar fd: -1 when it is closed.
    @ivar filled: it is written over so many octets that are there, 0 for none.
    @ivar failed: what is on disk of it is not known; it is not appended to any more.
    @ivar size: where its records end; of one that was opened, of all of it until they were read.
    @ivar damage: what of it could not be read, by then.
    @ivar torn: octets behind the end that begin as a record does: a crash came while it was written.
    """

    def __init__(
        self, path: str, fd: int, boot: str, salt: int, filled: int = 0, size: int = _HEADER, headed: bool = True
    ) -> None:
        self.path, self.fd, self.size = path, fd, size
        self.damage: list[Hole] = []
        self.torn = 0
        self.boot = boot
        self.ids: set[Id] = set()
        self.filled = filled
        self.failed = False
        self._salt = salt
        self._headed = headed
        self._width = (_CHECKSUMS if headed else _CHECKSUM).size + _TOLD.size

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
                sync_data(fd)
            sync_file(fd)
            if beside != path:
                os.rename(beside, path)
            sync_directory(os.path.dirname(path))
        except BaseException:
            os.close(fd)
            os.unlink(beside)
            raise
        return cls(path, fd, boot, int.from_bytes(salt, "big"), octets and max(there, octets))

    @classmethod
    def open(cls, path: str, write: bool = True) -> Segment | None:
        """One that is there; None for one that was never used.  Damage that hides its beginning is told as any."""
        fd = os.open(path, (os.O_RDWR if write else os.O_RDONLY) | os.O_CLOEXEC)
        head, size = os.pread(fd, _HEADER, 0), os.fstat(fd).st_size
        try:
            salt = int(head[-9:-1], 16)
        except ValueError:
            salt = -1
        if len(head) == _HEADER and head.startswith((_MAGIC, _FORMER)) and salt >= 0:
            boot = head[len(_MAGIC):-10].decode("ascii", "replace").strip()
            return cls(path, fd, boot, salt, 0, size, head.startswith(_MAGIC))
        if not head.startswith(_UNUSED):
            # The first record tells the salt.
            first = os.pread(fd, _CHECKSUMS.size + _TOLD.size, _HEADER)
            if len(first) == _CHECKSUMS.size + _TOLD.size:
                _, checksum = _CHECKSUMS.unpack_from(first)
                segment = cls(path, fd, "", start_of(first[-_TOLD.size:], checksum), 0, size)
                if segment._record(_HEADER) is not None:
                    segment.damage.append(Hole(0, _HEADER))
                    return segment
            if os.pread(fd, size, _HEADER).strip(b"\0"):
                segment = cls(path, fd, "", 0, 0, _HEADER)
                segment.damage.append(Hole(0, size))
                return segment
        os.close(fd)
        return None

    def _pieces(self, records: Sequence[Octets]) -> list[bytes]:
        pieces, salt = [], self._salt
        for kind, description, octets in records:
            told = _TOLD.pack(kind, len(description), len(octets))
            head = crc32(told, salt)
            pieces.append(_CHECKSUMS.pack(crc32(octets, crc32(description, head)), head) + told + description)
            if octets:
                pieces.append(octets)
        return pieces

    def append(self, records: Sequence[Octets]) -> None:
        """Write behind what is there; the file is as before when it cannot be.  @raise OSError: the disk refused."""
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

        @raise NotSynced: it is unknown what is; the segment is not to be appended to any more.
        """
        try:
            sync_data(self.fd)
        except OSError:
            self.failed = True
            raise

    def records(self) -> Iterator[Record]:
        """
        Every whole record, in order.

        Afterwards C{size} is where they end, C{damage} and C{torn} are known, and one that was opened is not appended
        to.
        """
        at, self.damage = _HEADER, [hole for hole in self.damage if hole.at < _HEADER]
        while True:
            found = self._record(at)
            if found is None:
                begin, at = at, self._next(at + 1)
                if at < 0:
                    break
                self.damage.append(Hole(begin, at - begin))
                continue
            yield found
            at = found.at + found.length
        self.torn = self.size - begin if self._headed and self._head(begin) is not None else 0
        self.size = begin

    def _head(self, at: int) -> _Head | None:
        """What is a head there, of a record that has an end."""
        octets = os.pread(self.fd, self._width, at)
        if len(octets) < self._width:
            return None
        told = octets[-_TOLD.size:]
        (checksum,), (kind, description, length) = _CHECKSUM.unpack_from(octets), _TOLD.unpack(told)
        head = _Head(checksum, kind, description, length, crc32(told, self._salt))
        if self._headed and _CHECKSUMS.unpack_from(octets)[1] != head.begun:
            return None
        good = head.kind in _KINDS and at + self._width + head.description + head.length <= self.size
        return head if good else None

    def _record(self, at: int) -> Record | None:
        head = self._head(at)
        if head is None:
            return None
        at += self._width
        body = os.pread(self.fd, head.description + head.length, at)
        if crc32(body, head.begun) != head.checksum:
            return None
        return Record(head.kind, body[:head.description], self, at + head.description, head.length)

    def _next(self, at: int) -> int:
        """Where the first record from there on is, -1 for nowhere."""
        if not self._headed:
            return -1
        return _search(
            _candidates(_KINDS, self.size), self._salt, partial(os.pread, self.fd), at, self.size,
            lambda at: self._record(at) is not None)

    def octets(self, at: int, length: int) -> bytes:
        """The octets of a message in it."""
        return os.pread(self.fd, length, at)

    def close(self) -> None:
        """It stays on disk."""
        fd, self.fd = self.fd, -1
        os.close(fd)

    def drop(self) -> None:
        """It is not needed any more."""
        self.close()
        os.unlink(self.path)

    def leave(self, path: str, unused: bool = True) -> None:
        """It is not needed any more; its octets are at another path, to be used again if they are C{unused}."""
        try:
            if unused:
                os.pwrite(self.fd, _UNUSED, 0)
            os.rename(self.path, path)
        finally:
            self.close()


# What can still be read of a damaged one.

def _candidates(kinds: bytes, most: int) -> re.Pattern[bytes]:
    """Where a head may be: a kind, and two lengths; C{most}: no length is greater."""
    length = b"...[\\0-" + re.escape(bytes((most >> 24,))) + b"]"
    return re.compile(b"(?s)[" + kinds + b"](?=" + length + length + b")")


def _search(
    pattern: re.Pattern[bytes], salt: int, read: Callable[[int, int], bytes], at: int, end: int,
    good: Callable[[int], bool],
) -> int:
    """
    Where the first head is from C{at} on that is C{good}; -1 for nowhere.

    A head is eight octets, the last four of which are the checksum of the nine behind them, which the pattern finds.

    @param read: takes how many octets and from where.
    """
    while at + _HEAD_OCTETS <= end:
        octets = read(min(_WINDOW, end - at), at)
        for found in pattern.finditer(octets, 8):
            begin = found.start()
            told = crc32(octets[begin:begin + 9], salt)
            if octets[begin - 4:begin] == told.to_bytes(4, "little") and good(at + begin - 8):
                return at + begin - 8
        if len(octets) < _WINDOW:
            return -1
        at += len(octets) - _HEAD_OCTETS + 1
    return -1


def start_of(octets: bytes, checksum: int) -> int:
    """From what the CRC-32 of some octets was begun when this is what came out."""
    state = checksum ^ 0xFFFFFFFF
    for octet in reversed(octets):
        number, entry = _BY_TOP[state >> 24]
        state = ((state ^ entry) << 8) & 0xFFFFFFFF | number ^ octet
    return state ^ 0xFFFFFFFF
