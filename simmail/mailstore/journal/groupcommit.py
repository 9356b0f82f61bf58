"""
What the writer of a journal does: what waits becomes durable at once, then visible, in runs.

All of it is done by the one who writes, in the order asked, whether that is a
process of its own (L{writing}) or, in tests, whoever asks.  What is owed is
L{ledger}'s, the files are L{pool}'s.
Source: decisions, section 20.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from time import sleep
from typing import Any

from twisted.logger import Logger

from simmail.core.records.delivery import Copy, Delivery
from simmail.errors import Unavailable
from simmail.mailstore.delivery.batch import Files
from simmail.mailstore.delivery.copymove import after_reboot
from simmail.mailstore.delivery.delivery import Filed, Filer
from simmail.mailstore.journal.condition import Condition
from simmail.mailstore.journal.disks import Disks
from simmail.mailstore.journal.doubts import Doubts
from simmail.mailstore.journal.notes import Book
from simmail.mailstore.journal.repair import JUMP, Mending
from simmail.mailstore.journal.retained import kept_in
from simmail.mailstore.journal.segment import (
    DELIVERY, ERASED, FILED, FOREIGN, Id, LEFT, Left, Octets, REFUSED, SETTLED, boot_id, describe, record,
)
from simmail.mailstore.journal.segmentpool import Clock, Pool
from simmail.mailstore.journal.uncommitted import Ledger, Owing, Recovery, Replayed, undisturbed
from simmail.mailstore.threads import ISender, Job
from simmail.mailstore.writer import office

#: Deliveries that are filed in one go, and copies, at most.  Those that are told of meanwhile send their next ones:
#: with larger runs the two processes would take turns at doing nothing.
_RUN, _RUN_COPIES = 8, 64
#: Real seconds between attempts to get the lock of the journal.
_ATTEMPT = 0.02
#: Deliveries that are written again at once.
_SLICE = 100

#: Files deliveries; answers for each what became of it.
File = Callable[[Sequence[Delivery]], "list[Filed | Exception]"]


class Entry:
    """
    A delivery that waits to be journalled, then filed with those of its run.

    @param described: what the journal says of it, where that is known already.
    @param asked: whoever asked is to be told once it is durable.
    @ivar key: what the journal knows it by.
    @ivar promised: it will be visible, whatever happens now.
    """

    __slots__ = ("key", "delivery", "file", "described", "asked", "promised", "refused", "run", "outcome")

    def __init__(self, delivery: Delivery, file: File, described: bytes = b"", asked: bool = False) -> None:
        self.key = Id(delivery.universe, delivery.id)
        self.delivery = delivery
        self.file = file
        self.described = described
        self.asked = asked
        self.promised = False
        self.refused: Exception | None = None
        self.run: _Run | None = None
        self.outcome: Filed | Exception | None = None


class _Run:
    """Deliveries that are filed in one go."""

    __slots__ = ("entries", "copies")

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.copies = 0

    def takes(self, entry: Entry) -> bool:
        """Whether one more belongs here."""
        return (self.entries[0].file == entry.file and len(self.entries) < _RUN
                and self.copies + len(entry.delivery.filings) <= _RUN_COPIES)

    def add(self, entry: Entry) -> None:
        """It does."""
        self.entries.append(entry)
        self.copies += len(entry.delivery.filings)
        entry.run = self


class Clerk:
    """
    The writer's side of the journal in one directory.

    Where a process of its own writes, one that is never asked anything stands for it elsewhere.

    @param segment: octets of a segment, after which the next one is begun.
    @param clock: real time; disks: that hold mail.
    @param writer, syncer: send a call to who writes, and to a thread that may wait for the disk.
    @param sync_disks: everything on the disks that hold mail is written; asked of the syncer.
    @param patience: real seconds in which an earlier writer may let go of the journal.
    @param tell: called when the condition of the journal is another one.
    @ivar lock: descriptor of the lock, -1 before and after.
    """

    log = Logger()

    def __init__(
        self, path: str, segment: int, clock: Clock, disks: Disks, writer: Callable[[], ISender],
        syncer: Callable[[], ISender], sync_disks: Callable[[], None], patience: float = 0.0,
        tell: Callable[[Condition], None] = lambda condition: None,
    ) -> None:
        self.path = path
        self.lock = -1
        self._disks = disks
        self._patience = patience
        self._opened = False
        self._failed: Unavailable | None = None
        self._tell = tell
        self._settled: list[Id] = []
        self._refused: list[Id] = []
        self._urgent = False
        self._filers: dict[str, Filer] = {}
        self._ledger = Ledger()
        self._pool = Pool(path, segment, boot_id(), clock, writer, syncer, sync_disks, self.doubt)
        self._book = Book(self._pool, clock, self._notes, self._doubted)
        self._doubts = Doubts(self._book.renew, self._rewrite, writer, syncer, sync_disks, self._undoubted)

    def __reduce__(self) -> tuple[Any, ...]:
        # In calls that go to the process that writes.
        return office.the_clerk, ()

    # Beginning and end

    def ready(self) -> None:
        """@raise Unavailable: the journal of an earlier process cannot be read, or another process uses it."""
        if self._failed is not None:
            raise self._failed

    def _open(self) -> None:
        try:
            self._read_all()
        except OSError as error:
            self._failed = Unavailable(f"the journal in {self.path} cannot be read: {error.strerror or error}")
        except Unavailable as error:
            self._failed = error
        if self._failed is not None:
            self._book.closed = True
            self.log.error("{error}", error=self._failed)
            return
        for one in self._pool.damage:
            self.log.error("the journal is damaged: {damage}", damage=one)
        if self._pool.damage:
            self._tell_condition()
        try:
            # Begun at once: it tells the next process whether the machine went down since.
            self._pool.current()
        except OSError as error:
            # Mail can be read; none is taken until there is room.
            self.log.warn("the journal cannot be written: {error}", error=error)

    def _tell_condition(self) -> None:
        self._tell(Condition(self._doubts.reason, tuple(self._pool.damage)))

    def _read_all(self) -> None:
        os.makedirs(self.path, mode=0o700, exist_ok=True)
        self.lock = os.open(f"{self.path}/lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._take_lock()
        with undisturbed():
            for one in self._pool.open():
                self._ledger.read(one)

    def _take_lock(self) -> None:
        left = self._patience
        while True:
            try:
                fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                if left <= 0:
                    raise Unavailable(f"the journal in {self.path} is in use by another process") from None
            # The writer of a process that was killed finishes what it is doing.
            sleep(_ATTEMPT)
            left -= _ATTEMPT

    def attach(self, path: str) -> None:
        """A disk that holds mail."""
        self._disks.attach(path)

    def begin(self, filer: Filer) -> list[str]:
        """A universe's mail is about to be used; answers what a crash left to be cleared away."""
        self._filers[filer.layout.universe] = filer
        filer.left = self.left
        filer.layout.doubted = self.doubt
        if self._pool.rebooted:
            after_reboot(filer, JUMP)
        return filer.layout.leftovers()

    def shut(self, synced: bool) -> None:
        """Nothing more is asked; C{synced}: all mail is on the disk."""
        self._book.note()
        self._pool.close(bool(self._ledger) or not synced or bool(self._doubts.reason))
        if self.lock >= 0:
            os.close(self.lock)
            self.lock = -1

    # Group commit

    def before(self, jobs: Sequence[Job]) -> None:
        """What is settled is noted, and all deliveries among what is to be done next become durable at once."""
        if not self._opened:
            self._opened = True
            self._open()
        settle, file, all_owed = self.settle, self.file, self._ledger.owed
        for job in jobs:
            if job.function == settle:
                self._settled += job.args[0]
        fresh: dict[Id, Entry] = {}
        records: list[Octets] = []
        run: _Run | None = None
        for job in jobs:
            if job.function != file:
                run = None
                continue
            entry = job.args[0]
            key = entry.key
            owed = all_owed.get(key)
            if owed is not None and owed.copies is None:
                # It was promised, and could not be filed.
                entry.promised = True
                _Run().add(entry)
                run = None
                continue
            if owed is not None or key in fresh:
                continue
            try:
                records.append((DELIVERY, entry.described or describe(entry.delivery), entry.delivery.octets))
            except Exception as error:
                entry.refused = error
                continue
            fresh[key] = entry
            if run is None or not run.takes(entry):
                run = _Run()
            run.add(entry)
        if fresh:
            self._append_durably(fresh, records)
        else:
            self._book.note()

    def _append_durably(self, fresh: dict[Id, Entry], records: list[Octets]) -> None:
        alone = _alone(fresh.values())
        try:
            self.ready()
            meanwhile = partial(alone.begin, next(iter(fresh.values())).delivery) if alone is not None else None
            segment = self._book.write(records, meanwhile)
        except Exception as error:
            if alone is not None:
                alone.abandon()
            why = Unavailable(f"the journal is away: {getattr(error, 'strerror', None) or error}")
            for entry in fresh.values():
                entry.refused = why
            # What of them is on disk is unknown; it must not come to life at the next start.
            self._refuse(fresh)
            return
        self._ledger.add(fresh, segment)
        if any(entry.asked for entry in fresh.values()) and self._disks.have_room():
            for entry in fresh.values():
                entry.promised = entry.asked

    def after(self) -> None:
        """What must be noted at once is, and old segments go; all else is noted with what comes next."""
        if self._failed is not None:
            return
        if self._urgent:
            self._book.note()
        self._book.sync_notes()
        if not self._doubts.reason:
            self._pool.check(self._ledger.mending)

    def _notes(self) -> list[Octets]:
        """Records of what happened since, which need not be synced."""
        records: list[Octets] = []
        filed = self._ledger.take_filed()
        if filed:
            records.append(record(FILED, filed))
        settled = [key for key in self._settled if key in self._ledger]
        self._settled = []
        if settled:
            records.append(record(SETTLED, settled))
            for key in settled:
                self._ledger.release(key)
        if self._refused:
            records.append(record(REFUSED, self._refused))
            self._refused = []
        self._urgent = False
        return records

    def _refuse(self, keys: Iterable[Id]) -> None:
        self._refused.extend(keys)
        self._urgent = True

    def left(self, left: Left) -> None:
        """Messages have left a folder: noted before anybody is told."""
        self._book.note(record(LEFT, [left]))

    # Doubts

    def doubt(self, error: OSError) -> None:
        """The disk may have lost what was written."""
        self._book.doubt(error)

    def _doubted(self, reason: str) -> None:
        self._pool.hold = True
        self._doubts.arise(reason)

    def _undoubted(self) -> None:
        """It is another doubt, or there is none."""
        self._book.closed = self._pool.hold = bool(self._doubts.reason)
        self._tell_condition()

    def recheck(self) -> None:
        """While there is a doubt: see whether the disk can be written to again."""
        self._doubts.check()

    def _rewrite(self) -> Iterator[None]:
        """Step by step, everything that the journal has."""
        self._book.note()
        kept = kept_in(self._pool.segments())
        for universe, filer in list(self._filers.items()):
            if filer.layout.root < 0:
                del self._filers[universe]
                continue
            filer.rewrite_uids()
            mending, taken = Mending(filer), kept.take(universe)
            for begin in range(0, len(taken), _SLICE):
                yield
                if filer.layout.root >= 0:
                    mending.rewrite(taken[begin:begin + _SLICE])

    # What is asked

    def file(self, entry: Entry) -> Filed:
        """A delivery that is durable now becomes visible, with those of its run."""
        if entry.refused is not None:
            raise entry.refused
        if entry.outcome is None:
            if entry.run is not None:
                self._file_run(entry.run.entries)
            else:
                entry.outcome = self._asked_again(entry.key)
        if isinstance(entry.outcome, Exception):
            raise entry.outcome
        assert entry.outcome is not None
        return entry.outcome

    def _asked_again(self, key: Id) -> Filed | Exception:
        owed = self._ledger.owed.get(key)
        if owed is None or owed.copies is None:
            # It was asked for twice at once, and the first was refused.
            return Unavailable("the mail store is away; try again")
        return Filed(owed.copies, [])

    def _file_run(self, run: list[Entry]) -> None:
        try:
            outcomes = run[0].file([entry.delivery for entry in run])
        except Exception as error:
            outcomes = [error] * len(run)
        for entry, outcome in zip(run, outcomes):
            # Holding each other, they and all their mail would be there until the next collection.
            entry.outcome, entry.run = outcome, None
            if not isinstance(outcome, Exception):
                self._note_filed(entry.key, outcome.copies, bool(entry.delivery.commit))
            elif not entry.promised:
                self._ledger.release(entry.key)
                self._refuse([entry.key])

    def _note_filed(self, key: Id, copies: tuple[Copy, ...], owes: bool) -> None:
        # Of what is owed nothing more, a restart would make what is expunged visible again.
        self._urgent = self._urgent or not owes
        self._ledger.filed(key, copies, owes)

    def settle(self, keys: Sequence[Id]) -> None:
        """The commits of these deliveries are made; see C{before}."""

    def refuse(self, keys: Sequence[Id]) -> None:
        """Who asked for these deliveries was told that they were not taken."""
        for key in keys:
            self._ledger.release(key)
        self._refuse(keys)

    def owe(self, universe: str, ids: Iterable[str]) -> None:
        """
        What another program delivered is owed a commit, until it is settled.

        @raise OSError: the disk refused; nothing is owed.
        """
        self.ready()
        keys = [Id(universe, one) for one in ids]
        self._ledger.owe(keys, self._book.write([record(FOREIGN, keys)]))

    def owed(self, universe: str, recovery: Recovery) -> Owing:
        """What is owed a commit; all else that the journal has is on the disk again."""
        self.ready()
        with undisturbed():
            return self._ledger.find(universe, recovery)

    def replay(
        self, universe: str, known: Collection[str], recovery: Recovery, among: Collection[str] | None = None
    ) -> Replayed:
        """Make the deliveries that are owed visible."""
        return self._ledger.replay(universe, known, recovery, among)

    def foreign(self, universe: str) -> list[str]:
        """The ids given to C{owe} and not settled, in order."""
        return [key.id for key in self._ledger.foreign if key.universe == universe]

    # Universes

    def keep(self, universes: Collection[str]) -> None:
        """Nothing is owed for any other universe."""
        for universe in self._ledger.universes() - set(universes):
            self.erase(universe)

    def erase(self, universe: str) -> None:
        """Nothing is owed for a universe."""
        self._ledger.release_all(universe)
        self._book.write([record(ERASED, universe)])


def _alone(fresh: Collection[Entry]) -> Files | None:
    """
    Where the file of a delivery is written while the disk is busy with the journal: it is visible sooner.

    Not where somebody waits for the journal only, nor of many, which take more time to write than the disk needs.
    """
    if len(fresh) != 1:
        return None
    entry, = fresh
    return entry.file if isinstance(entry.file, Files) and not entry.asked and entry.delivery.filings else None
