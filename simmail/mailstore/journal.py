"""
What was accepted and is not yet both synced in the Maildir and committed.

One journal serves all universes of a process, with one thread that writes.
Everything that waits is appended and synced at once (group commit); only then
is it made visible, in runs.  What is owed is L{ledger}'s, the files are
L{pool}'s.
Source: decisions, section 20.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
from collections import deque
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from twisted.internet.defer import Deferred, succeed
from twisted.logger import Logger

from simmail.core.delivery import Copy, Delivery
from simmail.errors import Unavailable
from simmail.mailstore.filing import Filed
from simmail.mailstore.ledger import Ledger, Recovery
from simmail.mailstore.pool import Pool
from simmail.mailstore.segments import (
    ERASED, FILED, FOREIGN, REFUSED, SETTLED, Id, Octets, boot_id, decode_ids, delivery_record, record,
)
from simmail.mailstore.worker import Inline, IWorker, Job, Worker

#: Octets of a segment, after which the next one is begun.
SEGMENT = 16 * 1024 * 1024
#: Real seconds that a settled id may wait to be written down.
_LAZY = 1.0
#: Deliveries that are filed in one go, and copies, at most.  Those that are told of meanwhile send their next ones:
#: with larger runs the two threads would take turns at doing nothing.
_RUN, _RUN_COPIES = 8, 64

#: Files deliveries; answers for each what became of it.
File = Callable[[Sequence[Delivery]], "list[Filed | Exception]"]


class _Entry:
    """A delivery that waits to be journalled, then filed with those of its run."""

    __slots__ = ("delivery", "file", "refused", "run", "outcome")

    def __init__(self, delivery: Delivery, file: File) -> None:
        self.delivery = delivery
        self.file = file
        self.refused: Exception | None = None
        self.run: _Run | None = None
        self.outcome: Filed | Exception | None = None


class _Run:
    """Deliveries that are filed in one go."""

    __slots__ = ("entries", "copies")

    def __init__(self) -> None:
        self.entries: list[_Entry] = []
        self.copies = 0

    def takes(self, entry: _Entry) -> bool:
        """Whether one more belongs here."""
        return (self.entries[0].file == entry.file and len(self.entries) < _RUN
                and self.copies + len(entry.delivery.filings) <= _RUN_COPIES)

    def add(self, entry: _Entry) -> None:
        """It does."""
        self.entries.append(entry)
        self.copies += len(entry.delivery.filings)
        entry.run = self


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
        self._lock = -1
        self._closing = False
        self._opened = False
        self._failed: Unavailable | None = None
        self._settled: deque[Id] = deque()
        self._refused: list[Id] = []
        self._urgent = False
        self._lazy: Any = None
        self._roots: dict[str, int] = {}
        self._file_job = self._file
        boot = boot_id()
        self._ledger = Ledger(boot)
        self._pool = Pool(
            path, segment, boot, reactor, lambda: self.writer, lambda: self._syncer, lambda: self._sync_disks())
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
        self._write_soon()
        return self.writer.call(self._file_job, _Entry(delivery, file))

    def settle(self, universe: str, ids: Iterable[str]) -> None:
        """The commits of these deliveries are made."""
        self._settled.extend([Id(universe, one) for one in ids])
        self._write_soon()

    def _write_soon(self) -> None:
        if self._lazy is None and not self._closing:
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
        return self.writer.call(self._ledger.replay, universe, known, recovery)

    def foreign(self, universe: str) -> Deferred[list[str]]:
        """Deferred of the ids given to C{owe} and not settled, in order."""
        return self.writer.call(lambda: [key.id for key in self._ledger.foreign if key.universe == universe])

    def erase(self, universe: str) -> Deferred[None]:
        """Deferred: nothing is owed for a universe."""
        return self.writer.call(self._erase, universe)

    def keep(self, universes: Collection[str]) -> Deferred[None]:
        """Deferred: nothing is owed for any other universe (what was erased when a crash came)."""
        return self.writer.call(self._keep, frozenset(universes))

    @property
    def rebooted(self) -> bool:
        """Whether the machine went down since the journal was last written (known in the writer thread)."""
        return self._pool.rebooted

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
            self._pool.current()
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
        for one in self._pool.open():
            self._ledger.read(one)

    def _nothing(self) -> None:
        if self._failed is not None:
            raise self._failed

    def _shut(self) -> None:
        self._pool.close(bool(self._ledger))
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
        records = self._notes()
        run: _Run | None = None
        for job in jobs:
            if job.function is not self._file_job:
                run = None
                continue
            entry = job.args[0]
            key = Id(entry.delivery.universe, entry.delivery.id)
            if key in self._ledger.owed or key in fresh:
                continue
            try:
                records.append(delivery_record(entry.delivery))
            except Exception as error:
                entry.refused = error
                continue
            fresh[key] = entry
            if run is None or not run.takes(entry):
                run = _Run()
            run.add(entry)
        if fresh:
            self._append_durably(fresh, records)
        elif records:
            self._append_notes(records)

    def _append_durably(self, fresh: dict[Id, _Entry], records: list[Octets]) -> None:
        try:
            self._nothing()
            segment = self._pool.current()
            segment.append(records)
            segment.sync()
        except Exception as error:
            why = Unavailable(f"the journal is away: {getattr(error, 'strerror', None) or error}")
            for entry in fresh.values():
                entry.refused = why
            # What of them is on disk is unknown; it must not come to life at the next start.
            self._refuse(fresh)
            self._not_written(records)
            return
        self._ledger.add(fresh, segment)

    def _after(self) -> None:
        """What must be noted at once is, and old segments go; all else is noted with what comes next."""
        if self._failed is not None:
            return
        if self._urgent:
            self._append_notes(self._notes())
        self._pool.check(self._ledger.mending)

    def _notes(self) -> list[Octets]:
        """Records of what happened since, which need not be synced."""
        records: list[Octets] = []
        filed = self._ledger.take_filed()
        if filed:
            records.append(record(FILED, filed))
        settled = [self._settled.popleft() for _ in range(len(self._settled))]
        settled = [key for key in settled if key in self._ledger]
        if settled:
            records.append(record(SETTLED, settled))
            for key in settled:
                self._ledger.release(key)
        if self._refused:
            records.append(record(REFUSED, self._refused))
            self._refused = []
        self._urgent = False
        return records

    def _append_notes(self, records: list[Octets]) -> None:
        try:
            self._pool.current().append(records)
        except OSError as error:
            # Without the others a restart does more work, to the same end.
            self._not_written(records)
            self.log.warn("the journal cannot be written: {error}", error=error)

    def _not_written(self, records: list[Octets]) -> None:
        """What was refused has to be noted some time."""
        self._refused += [key for kind, description, _ in records if kind == REFUSED for key in decode_ids(description)]

    def _refuse(self, keys: Iterable[Id]) -> None:
        self._refused.extend(keys)
        self._urgent = True

    def _file(self, entry: _Entry) -> Filed:
        if entry.refused is not None:
            raise entry.refused
        if entry.outcome is None:
            if entry.run is not None:
                self._file_run(entry.run.entries)
            else:
                entry.outcome = self._asked_again(entry.delivery)
        if isinstance(entry.outcome, Exception):
            raise entry.outcome
        assert entry.outcome is not None
        return entry.outcome

    def _asked_again(self, delivery: Delivery) -> Filed | Exception:
        owed = self._ledger.owed.get(Id(delivery.universe, delivery.id))
        if owed is None or owed.copies is None:
            # It was asked for twice at once, and the first was refused.
            return Unavailable("the mail store is away; try again")
        return Filed(owed.copies, [])

    def _file_run(self, run: list[_Entry]) -> None:
        try:
            outcomes = run[0].file([entry.delivery for entry in run])
        except Exception as error:
            outcomes = [error] * len(run)
        for entry, outcome in zip(run, outcomes):
            delivery, entry.outcome = entry.delivery, outcome
            key = Id(delivery.universe, delivery.id)
            if isinstance(outcome, Exception):
                self._ledger.release(key)
                self._refuse([key])
            else:
                self._note_filed(key, outcome.copies, bool(delivery.commit))

    def _note_filed(self, key: Id, copies: tuple[Copy, ...], owes: bool) -> None:
        # Of what is owed nothing more, a restart would make what is expunged visible again.
        self._urgent = self._urgent or not owes
        self._ledger.filed(key, copies, owes)

    def owe(self, universe: str, ids: Iterable[str]) -> None:
        """
        In the writer thread: what another program delivered is owed a commit, until it is settled.

        @raise OSError: the disk refused; nothing is owed.
        """
        self._nothing()
        keys, segment = [Id(universe, one) for one in ids], self._pool.current()
        segment.append([record(FOREIGN, keys)])
        segment.sync()
        self._ledger.owe(keys, segment)

    # In the writer thread: universes

    def _find_owed(self, universe: str, recovery: Recovery) -> tuple[list[str], list[Filed]]:
        self._nothing()
        return self._ledger.find(universe, recovery)

    def _keep(self, universes: Collection[str]) -> None:
        for universe in self._ledger.universes() - set(universes):
            self._erase(universe)

    def _erase(self, universe: str) -> None:
        self._ledger.release_all(universe)
        segment = self._pool.current()
        segment.append([record(ERASED, universe)])
        segment.sync()

    def _sync_disks(self) -> None:
        for fd in self._roots.values():
            _sync_disk(fd)


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
