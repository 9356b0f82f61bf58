"""
What was accepted and is not yet both synced in the Maildir and committed.

One journal serves all universes of a process, with one thread that writes.
Everything that waits is appended and synced at once (group commit); only then
is each message made visible.  A segment is dropped when the commits of all
its deliveries are made and the disk that holds the mail has been synced.
Source: decisions, section 20.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
from collections import deque
from collections.abc import Callable, Collection, Iterable
from typing import Any, NamedTuple

from twisted.internet.defer import Deferred, succeed
from twisted.logger import Logger

from simmail.core.delivery import Copy, Delivery
from simmail.errors import Unavailable
from simmail.mailstore.filing import Filed
from simmail.mailstore.segments import (
    DELIVERY, ERASED, FILED, FOREIGN, REFUSED, SETTLED, Described, FiledAt, Id, Record, Segment, boot_id,
    decode_described, decode_filed, decode_ids, decode_universe, delivery_record, record,
)
from simmail.mailstore.worker import Inline, IWorker, Job, Worker

#: Octets of a segment, after which the next one is begun.
SEGMENT = 16 * 1024 * 1024
#: Octets of segments that may wait, and real seconds that they may, before the disk is synced for their sake.
MOST_WAITING, LONGEST_WAITING = 128 * 1024 * 1024, 30.0
#: Real seconds that a settled id may wait to be written down.
_LAZY = 1.0

File = Callable[[Delivery], Filed]


class Recovery(NamedTuple):
    """How a universe's Maildirs are mended, in the writer thread."""

    file: File
    mend: Callable[[Delivery], None]


class _Owed:
    """A delivery whose commit is not known to be made."""

    __slots__ = ("segment", "described", "at", "length", "copies")

    def __init__(self, segment: Segment, described: Described | None, at: int, length: int) -> None:
        self.segment = segment
        self.described = described
        self.at = at
        self.length = length
        self.copies: tuple[Copy, ...] | None = None


class _Entry:
    """A delivery that waits to be journalled, then filed."""

    __slots__ = ("delivery", "file", "refused")

    def __init__(self, delivery: Delivery, file: File) -> None:
        self.delivery = delivery
        self.file = file
        self.refused: Exception | None = None


class Journal:
    """
    The journal in one directory.

    @param reactor: of the process (C{IReactorFromThreads}, C{IReactorTime}).
    @param threads: False does everything at once in the calling thread, for tests.
    @ivar writer, reader, indexer: the threads that stores share; only C{writer} changes Maildirs.
    """

    log = Logger()

    def __init__(self, path: str, reactor: Any, threads: bool = True, segment: int = SEGMENT) -> None:
        self.path = path
        self.writer: IWorker
        self.reader: IWorker
        self.indexer: IWorker
        self._syncer: IWorker
        self._reactor = reactor
        self._limit = segment
        self._boot = boot_id()
        self._lock = -1
        self._segment: Segment | None = None
        self._closed: list[Segment] = []
        self._closed_since: float | None = None
        self._number = 0
        self._syncing = False
        self._closing = False
        self._owed: dict[Id, _Owed] = {}
        self._foreign: dict[Id, Segment] = {}
        self._mend: list[tuple[Described, Segment, int, int]] = []
        self._rebooted = False
        self._opened = False
        self._failed: Unavailable | None = None
        self._filed: list[FiledAt] = []
        self._settled: deque[Id] = deque()
        self._refused: list[Id] = []
        self._lazy: Any = None
        self._roots: dict[str, int] = {}
        self._file_job = self._file
        if threads:
            self.writer = Worker(reactor, "mail writer", self._before, self._after)
            self.reader = Worker(reactor, "mail reader")
            self.indexer = Worker(reactor, "mail index")
            self._syncer = Worker(reactor, "mail syncer")
        else:
            self.writer, self.reader, self.indexer = Inline(self._before, self._after), Inline(), Inline()
            self._syncer = Inline()

    @property
    def ready(self) -> Deferred[None]:
        """
        Deferred: the journal of an earlier process has been read.

        Fails with Unavailable when it cannot be, or another process uses it.
        """
        return self.writer.call(self._nothing)

    # What stores ask

    def attach(self, path: str) -> None:
        """A disk that holds mail: it is synced before segments are dropped."""
        if path not in self._roots:
            os.makedirs(path, mode=0o700, exist_ok=True)
            self._roots[path] = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)

    def accept(self, delivery: Delivery, file: File) -> Deferred[Filed]:
        """
        Deferred of what C{file} answered, in the writer thread, once the delivery is durable.

        Of a delivery that is still owed: what it answered before.
        Fails with Unavailable, and it is as if it had never been asked.
        """
        return self.writer.call(self._file_job, _Entry(delivery, file))

    def settle(self, universe: str, ids: Iterable[str]) -> None:
        """The commits of these deliveries are made."""
        self._settled.extend(Id(universe, one) for one in ids)
        if self._lazy is None:
            self._lazy = self._reactor.callLater(_LAZY, self._write_lazily)

    def _write_lazily(self) -> None:
        self._lazy = None
        self.writer.send(self._nothing)

    def owed(self, universe: str, recovery: Recovery) -> Deferred[tuple[list[str], list[Filed]]]:
        """
        Deferred of the ids that are owed a commit, in order, and of what was filed again just now:
        what nobody waits for, and, when the machine went down, what had been settled.
        """
        return self.writer.call(self._find_owed, universe, recovery)

    def replay(
        self, universe: str, known: Collection[str], recovery: Recovery
    ) -> Deferred[tuple[list[tuple[Delivery, tuple[Copy, ...]]], list[Filed]]]:
        """Deferred of the deliveries that are owed and not C{known}, visible now, and of what was filed for it."""
        return self.writer.call(self._replay, universe, known, recovery)

    def foreign(self, universe: str) -> Deferred[list[str]]:
        """Deferred of the ids given to C{owe} and not settled, in order."""
        return self.writer.call(lambda: [key.id for key in self._foreign if key.universe == universe])

    def erase(self, universe: str) -> Deferred[None]:
        """Deferred: nothing is owed for a universe."""
        return self.writer.call(self._erase, universe)

    def keep(self, universes: Collection[str]) -> Deferred[None]:
        """Deferred: nothing is owed for any other universe (what was erased when a crash came)."""
        return self.writer.call(self._keep, frozenset(universes))

    @property
    def rebooted(self) -> bool:
        """Whether the machine went down since the journal was last written (known in the writer thread)."""
        return self._rebooted

    def sync(self) -> Deferred[None]:
        """Deferred: all mail that is visible now is on disk."""
        return self._syncer.call(self._sync_disks)

    def close(self) -> Deferred[None]:
        """Deferred: all that was asked is done, on disk, and the threads have ended."""
        if self._closing:
            return succeed(None)
        self._closing = True
        if self._lazy is not None:
            self._lazy.cancel()
            self._lazy = None

        async def closing() -> None:
            await self.sync()
            await self.writer.call(self._shut)
            for worker in (self.writer, self.reader, self.indexer, self._syncer):
                await worker.stop()
            for fd in self._roots.values():
                os.close(fd)
            self._roots.clear()
        return Deferred.fromCoroutine(closing())

    # In the writer thread: beginning and end

    def _open(self) -> None:
        try:
            self._read_all()
            # Begun at once: it tells the next process whether the machine went down since.
            self._current()
        except OSError as error:
            self._failed = Unavailable(f"the journal in {self.path} cannot be read: {error.strerror or error}")
        except Unavailable as error:
            self._failed = error
        if self._failed is not None:
            self.log.error("{error}", error=self._failed)

    def _read_all(self) -> None:
        os.makedirs(self.path, mode=0o700, exist_ok=True)
        self._lock = os.open(f"{self.path}/lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Unavailable(f"the journal in {self.path} is in use by another process") from None
        for name in sorted(os.listdir(self.path)):
            number, _, kind = name.partition(".")
            if kind != "journal" or not number.isdigit():
                continue
            self._number = max(self._number, int(number))
            segment = Segment.open(f"{self.path}/{name}")
            if segment is None:
                os.unlink(f"{self.path}/{name}")
                continue
            if segment.boot != self._boot:
                self._rebooted = True
            for one in segment.records():
                self._read(one)
            self._closed.append(segment)

    def _read(self, one: Record) -> None:
        if one.kind == DELIVERY:
            described = decode_described(one.description)
            key = Id(described.universe, described.id)
            self._owed[key] = _Owed(one.segment, described, one.at, one.length)
            one.segment.ids.add(key)
        elif one.kind == FILED:
            for filed in decode_filed(one.description):
                owed = self._owed.get(Id(filed.universe, filed.id))
                if owed is not None and owed.described is not None:
                    owed.copies = tuple(
                        Copy(filing.mailbox, filing.folder, *place)
                        for filing, place in zip(owed.described.filings, filed.places))
                    if not owed.described.commit:
                        self._release(Id(filed.universe, filed.id), mend=True)
        elif one.kind == SETTLED:
            for key in decode_ids(one.description):
                self._release(key, mend=True)
        elif one.kind == REFUSED:
            for key in decode_ids(one.description):
                self._release(key)
        elif one.kind == FOREIGN:
            self._owe(decode_ids(one.description), one.segment)
        elif one.kind == ERASED:
            self._release_all(decode_universe(one.description))

    def _owe(self, keys: Iterable[Id], segment: Segment) -> None:
        for key in keys:
            self._foreign[key] = segment
            segment.ids.add(key)

    def _release(self, key: Id, mend: bool = False) -> None:
        segment = self._foreign.pop(key, None)
        if segment is not None:
            segment.ids.discard(key)
        owed = self._owed.pop(key, None)
        if owed is None:
            return
        owed.segment.ids.discard(key)
        if mend and owed.described is not None and owed.segment.boot != self._boot:
            self._mend.append((owed.described, owed.segment, owed.at, owed.length))

    def _release_all(self, universe: str) -> None:
        for key in [key for key in (*self._owed, *self._foreign) if key.universe == universe]:
            self._release(key)
        self._mend = [one for one in self._mend if one[0].universe != universe]

    def _nothing(self) -> None:
        if self._failed is not None:
            raise self._failed

    def _shut(self) -> None:
        segments = self._closed + ([self._segment] if self._segment else [])
        for segment in segments:
            # All mail was synced just now.
            if self._owed or self._foreign or self._mend:
                segment.close()
            else:
                segment.drop()
        self._segment, self._closed = None, []
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    # In the writer thread: group commit

    def _before(self, jobs: list[Job]) -> None:
        """All deliveries among what is to be done next become durable at once."""
        if not self._opened:
            self._opened = True
            self._open()
        fresh: dict[Id, _Entry] = {}
        pieces = self._notes()
        for job in jobs:
            if job.function is self._file_job:
                entry = job.args[0]
                key = Id(entry.delivery.universe, entry.delivery.id)
                if key not in self._owed and key not in fresh:
                    try:
                        pieces += delivery_record(entry.delivery)
                    except Exception as error:
                        entry.refused = error
                        continue
                    fresh[key] = entry
        if fresh:
            self._append_durably(fresh, pieces)
        elif pieces:
            self._append_notes(pieces)

    def _append_durably(self, fresh: dict[Id, _Entry], pieces: list[bytes]) -> None:
        try:
            self._nothing()
            segment = self._current()
            segment.append(pieces)
            segment.sync()
        except Exception as error:
            why = Unavailable(f"the journal is away: {getattr(error, 'strerror', None) or error}")
            for entry in fresh.values():
                entry.refused = why
            # What of them is on disk is unknown; it must not come to life at the next start.
            self._refused.extend(fresh)
            return
        for key in fresh:
            self._owed[key] = _Owed(segment, None, 0, 0)
            segment.ids.add(key)

    def _after(self) -> None:
        """What was done is noted, and old segments go."""
        if self._failed is not None:
            return
        pieces = self._notes()
        if pieces:
            self._append_notes(pieces)
        self._check()

    def _notes(self) -> list[bytes]:
        """Records of what happened since, which need not be synced."""
        pieces: list[bytes] = []
        if self._filed:
            pieces += record(FILED, self._filed)
            self._filed = []
        settled = [self._settled.popleft() for _ in range(len(self._settled))]
        settled = [key for key in settled if key in self._owed or key in self._foreign]
        if settled:
            pieces += record(SETTLED, settled)
            for key in settled:
                self._release(key)
        if self._refused:
            pieces += record(REFUSED, self._refused)
            self._refused = []
        return pieces

    def _append_notes(self, pieces: list[bytes]) -> None:
        try:
            self._current().append(pieces)
        except OSError as error:
            # Without them a restart does more work, to the same end.
            self.log.warn("the journal cannot be written: {error}", error=error)

    def _current(self) -> Segment:
        segment = self._segment
        if segment is not None and (segment.size >= self._limit or segment.failed):
            self._closed.append(segment)
            self._segment = segment = None
        if segment is None:
            self._number += 1
            segment = self._segment = Segment.create(f"{self.path}/{self._number:010d}.journal", self._boot)
        return segment

    def _file(self, entry: _Entry) -> Filed:
        if entry.refused is not None:
            raise entry.refused
        delivery = entry.delivery
        key = Id(delivery.universe, delivery.id)
        owed = self._owed.get(key)
        if owed is None:
            # It was asked for twice at once, and the first was refused.
            raise Unavailable("the mail store is away; try again")
        if owed.copies is not None:
            return Filed(owed.copies, [])
        try:
            filed = entry.file(delivery)
        except BaseException:
            self._release(key)
            self._refused.append(key)
            raise
        self._note_filed(key, filed.copies, bool(delivery.commit))
        return filed

    def _note_filed(self, key: Id, copies: tuple[Copy, ...], owes: bool) -> None:
        self._filed.append(FiledAt(key.universe, key.id, tuple((copy.uid, copy.uidvalidity) for copy in copies)))
        if owes:
            if key in self._owed:
                self._owed[key].copies = copies
        else:
            self._release(key)

    def owe(self, universe: str, ids: Iterable[str]) -> None:
        """
        In the writer thread: what another program delivered is owed a commit, until it is settled.

        @raise OSError: the disk refused; nothing is owed.
        """
        self._nothing()
        keys, segment = [Id(universe, one) for one in ids], self._current()
        segment.append(record(FOREIGN, keys))
        segment.sync()
        self._owe(keys, segment)

    # In the writer thread: after a crash

    def _find_owed(self, universe: str, recovery: Recovery) -> tuple[list[str], list[Filed]]:
        self._nothing()
        done = []
        for described, segment, at, length in self._mend:
            if described.universe == universe:
                done.append(self._again(_delivery(described, segment.octets(at, length)), recovery, True))
        self._mend = [one for one in self._mend if one[0].universe != universe]
        owed = []
        for key, one in list(self._owed.items()):
            if key.universe != universe:
                continue
            if one.described is not None and not one.described.commit:
                done.append(self._finish(key, one, recovery)[1])
            else:
                owed.append(key.id)
        return owed, done

    def _replay(
        self, universe: str, known: Collection[str], recovery: Recovery
    ) -> tuple[list[tuple[Delivery, tuple[Copy, ...]]], list[Filed]]:
        result, done = [], []
        for key, owed in list(self._owed.items()):
            if key.universe != universe or owed.described is None:
                continue
            again = owed.segment.boot != self._boot
            if key.id in known and not again:
                continue
            if owed.copies is not None and not again:
                octets = owed.segment.octets(owed.at, owed.length)
                result.append((_delivery(owed.described, octets), owed.copies))
                continue
            delivery, filed = self._finish(key, owed, recovery)
            done.append(filed)
            if key.id not in known:
                result.append((delivery, filed.copies))
        return result, done

    def _finish(self, key: Id, owed: _Owed, recovery: Recovery) -> tuple[Delivery, Filed]:
        assert owed.described is not None
        delivery = _delivery(owed.described, owed.segment.octets(owed.at, owed.length))
        filed = self._again(delivery, recovery, owed.segment.boot != self._boot)
        self._note_filed(key, filed.copies, bool(delivery.commit))
        return delivery, filed

    @staticmethod
    def _again(delivery: Delivery, recovery: Recovery, mend: bool) -> Filed:
        if mend:
            recovery.mend(delivery)
        return recovery.file(delivery)

    def _keep(self, universes: Collection[str]) -> None:
        known = {key.universe for key in (*self._owed, *self._foreign)} | {one[0].universe for one in self._mend}
        for universe in known:
            if universe not in universes:
                self._erase(universe)

    def _erase(self, universe: str) -> None:
        self._release_all(universe)
        segment = self._current()
        segment.append(record(ERASED, universe))
        segment.sync()

    # Dropping segments

    def _check(self) -> None:
        """See whether old segments can go."""
        if self._segment is not None and self._segment.size >= self._limit:
            self._closed.append(self._segment)
            self._segment = None
        if self._syncing or not self._closed or self._closed[0].ids or self._mend:
            return
        now = self._reactor.seconds()
        if self._closed_since is None:
            self._closed_since = now
        if (now - self._closed_since < LONGEST_WAITING
                and sum(segment.size for segment in self._closed) < MOST_WAITING):
            return
        self._syncing = True
        count = next((at for at, segment in enumerate(self._closed) if segment.ids), len(self._closed))
        dropped = self._closed[:count]
        self._syncer.send(self._sync_and_drop, dropped)

    def _sync_and_drop(self, dropped: list[Segment]) -> None:
        try:
            self._sync_disks()
        except OSError as error:
            self.log.warn("the disk cannot be synced: {error}", error=error)
            dropped = []
        self.writer.send(self._drop, dropped)

    def _drop(self, dropped: list[Segment]) -> None:
        for segment in dropped:
            self._closed.remove(segment)
            segment.drop()
        self._closed_since = None
        self._syncing = False

    def _sync_disks(self) -> None:
        for fd in self._roots.values():
            _sync_disk(fd)


def _delivery(described: Described, octets: bytes) -> Delivery:
    return Delivery(described.id, described.universe, described.filings, octets, described.at, described.commit)


def _sync_disk(fd: int) -> None:
    """Everything on the disk of a descriptor is written (C{syncfs}, or C{sync} where there is none)."""
    libc = ctypes.CDLL(None, use_errno=True)
    try:
        syncfs = libc.syncfs
    except AttributeError:
        os.sync()
        return
    if syncfs(fd) != 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
