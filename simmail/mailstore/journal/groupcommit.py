"""
What the writer of a journal does: what waits becomes durable at once, then visible, in runs.

All of it is done by the one who writes, in the order asked, whether that is a
process of its own (L{process<simmail.mailstore.writer.process>}) or, in tests,
whoever asks.  What is owed is L{uncommitted}'s, the files are L{segmentpool}'s.
Source: decisions, section 20.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from time import sleep

from msgspec import Struct
from twisted.logger import Logger

from simmail.core.records.delivery import Copy, Delivery
from simmail.errors import NotFound, Unavailable
from simmail.mailstore.delivery.external import foreign_copy, foreign_id
from simmail.mailstore.delivery.folders import raise_uidnexts
from simmail.mailstore.delivery.maildir_delivery import BatchDelivery, DeliveryResult, MaildirDelivery
from simmail.mailstore.journal import carried
from simmail.mailstore.journal.notes import JournalNotes
from simmail.mailstore.journal.records import (
    DELIVERY, DEPARTED, Departure, ERASED, FILED, FOREIGN, FiledAt, Id, Octets, REFUSED, SETTLED, describe,
    encode_described, record,
)
from simmail.mailstore.journal.repair import JUMP, Repair
from simmail.mailstore.journal.retained import retained_in
from simmail.mailstore.journal.segment import boot_id
from simmail.mailstore.journal.segmentpool import SegmentPool
from simmail.mailstore.journal.sync import Disks, Hands, Condition, Doubts, NotSynced
from simmail.mailstore.journal.uncommitted import Owing, Recovery, Uncommitted, undisturbed
from simmail.mailstore.maildir.layout import Layout, OWED
from simmail.mailstore.maildir.names import mailbox_dir

#: Deliveries that are filed in one go, and copies, at most: so many of ten recipients each that lock each of their
#: folders once.  Those that are told of meanwhile send their next ones: with larger runs the two processes would take
#: turns at doing nothing.
_RUN, _RUN_COPIES = 8, 80
#: Real seconds between attempts to get the lock of the journal.
_ATTEMPT = 0.02
#: Deliveries that are written again at once.
_SLICE = 100

#: Files deliveries; answers for each what became of it.
File = Callable[[Sequence[Delivery]], "list[DeliveryResult | Exception]"]


class PendingDelivery(Struct, eq=False):
    """
    A delivery that waits to be journalled, then filed with those of its run.

    @ivar described: what the journal says of it, where that is known already.
    @ivar asked: whoever asked is to be told once it is durable; promised: it will be visible, whatever happens now.
    """

    delivery: Delivery
    file: File
    described: bytes = b""
    asked: bool = False
    promised: bool = False
    refused: Exception | None = None
    run: _Run | None = None
    outcome: DeliveryResult | Exception | None = None

    @property
    def key(self) -> Id:
        """What the journal knows it by."""
        return Id(self.delivery.universe, self.delivery.id)


class _Run(Struct, eq=False):
    """Deliveries that are filed in one go."""

    entries: list[PendingDelivery] = []
    copies: int = 0

    def takes(self, entry: PendingDelivery) -> bool:
        """Whether one more belongs here."""
        return (self.entries[0].file == entry.file and len(self.entries) < _RUN
                and self.copies + len(entry.delivery.placements) <= _RUN_COPIES)

    def add(self, entry: PendingDelivery) -> None:
        """It does."""
        self.entries.append(entry)
        self.copies += len(entry.delivery.placements)
        entry.run = self


class GroupCommit:
    """
    The writer's side of the journal in one directory.

    @param segment: octets of a segment, after which the next one is begun.
    @param patience: real seconds in which an earlier writer may let go of the journal.
    @param tell: called when the condition of the journal is another one.
    @ivar lock: descriptor of the lock, -1 before and after.
    @ivar disks: that hold mail; uncommitted: what is owed a commit; doubts: whether what was written is on the disk.
    """

    log = Logger()

    def __init__(
        self, path: str, segment: int, disks: Disks, hands: Hands, patience: float = 0.0,
        tell: Callable[[Condition], None] = lambda condition: None,
    ) -> None:
        self.path = path
        self.lock = -1
        self.disks = disks
        self._patience = patience
        self._opened = False
        self._failed: Unavailable | None = None
        self._tell = tell
        self._committed: list[Id] = []
        self._refused: list[Id] = []
        self._urgent = False
        self._deliveries: dict[str, MaildirDelivery] = {}
        self.uncommitted = Uncommitted()
        self._pool = SegmentPool(path, segment, boot_id(), hands, self.doubt)
        self._notes = JournalNotes(self._pool, hands.seconds, self._due, lambda reason: self.doubts.arise(reason))
        self.doubts = Doubts(self._notes.renew, self._rewrite, hands, self._undoubted)

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
            self._notes.closed = True
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
        self._tell(Condition(self.doubts.reason, tuple(self._pool.damage)))

    def _read_all(self) -> None:
        os.makedirs(self.path, mode=0o700, exist_ok=True)
        self.lock = os.open(f"{self.path}/lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._take_lock()
        self.disks.watch(self.path)
        with undisturbed():
            for one in self._pool.open():
                self.uncommitted.read(one)

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

    def begin(self, delivery: MaildirDelivery) -> list[str]:
        """Take notice that a universe's mail is about to be used; answers what a crash left to be cleared away."""
        layout = delivery.layout
        self._deliveries[layout.universe] = delivery
        delivery.folders.departed = self.departed
        layout.doubted = self.doubt
        if self._pool.rebooted:
            raise_uidnexts(layout, JUMP)
        if layout.has(OWED):
            self._take_carried(layout)
        return layout.leftovers()

    def owed(self, universe: str) -> bytes:
        """Return what a copy of a universe's mail is owed, packed (L{carried}); C{b""} for nothing."""
        self._notes.note()
        return carried.packed(self.uncommitted, self._pool.segments(), universe, foreign_copy)

    def _take_carried(self, layout: Layout) -> None:
        """What is owed for mail that was copied is owed in the journal from here on."""
        def uidvalidity_of(mailbox: str, folder: str) -> int:
            try:
                directory = layout.directory(mailbox_dir(mailbox), folder)
            except NotFound:
                directory = None
            return layout.read_uids(directory).uidvalidity if directory is not None else 0

        self.ready()
        universe = layout.universe
        deliveries, foreign = carried.unpacked(layout.read(OWED), universe, uidvalidity_of)
        # A crash may have come when they were in the journal, and this was still there.
        fresh = {key: one for one in deliveries
                 if not self.uncommitted.is_uncommitted(key := Id(universe, one.described.id))}
        keys = [Id(universe, foreign_id(copy)) for copy in foreign]
        segment = self._notes.write([
            *((DELIVERY, encode_described(one.described), one.octets) for one in fresh.values()),
            record(FILED, [FiledAt(universe, key.id, tuple([(copy.uid, copy.uidvalidity) for copy in one.copies]))
                           for key, one in fresh.items()]),
            record(DEPARTED, [departure for one in fresh.values() for departure in one.departures]),
            record(FOREIGN, keys)])
        journalled = retained_in([segment]).deliveries
        for key, one in fresh.items():
            self.uncommitted.carry(key, journalled[key], one.copies)
        self.uncommitted.add_foreign(keys, segment)
        os.unlink(OWED, dir_fd=layout.root)

    def shut(self, synced: bool) -> None:
        """Nothing more is asked; C{synced}: all mail is on the disk."""
        self._notes.note()
        self._pool.close(bool(self.uncommitted) or not synced or bool(self.doubts.reason))
        if self.lock >= 0:
            os.close(self.lock)
            self.lock = -1

    # Group commit

    def before(self, pending: Iterable[PendingDelivery | None], committed: Iterable[Id] = ()) -> None:
        """
        Make all deliveries among what is to be done next durable at once, and note what is committed.

        @param pending: what is to be done, in order; C{None} for what is no delivery.
        """
        if not self._opened:
            self._opened = True
            self._open()
        self._committed += committed
        uncommitted = self.uncommitted.deliveries
        fresh: dict[Id, PendingDelivery] = {}
        records: list[Octets] = []
        run: _Run | None = None
        for entry in pending:
            if entry is None:
                run = None
                continue
            key = entry.key
            owed = uncommitted.get(key)
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
            self._notes.note()

    def _append_durably(self, fresh: dict[Id, PendingDelivery], records: list[Octets]) -> None:
        alone = _alone(fresh.values())
        try:
            self.ready()
            self._look()
            meanwhile = partial(alone.begin, next(iter(fresh.values())).delivery) if alone is not None else None
            segment = self._notes.write(records, meanwhile)
        except Exception as error:
            if alone is not None:
                alone.abandon()
            why = Unavailable(f"the journal is away: {getattr(error, 'strerror', None) or error}")
            for entry in fresh.values():
                entry.refused = why
            # What of them is on disk is unknown; it must not come to life at the next start.
            self.refuse(fresh)
            return
        self.uncommitted.add_uncommitted(fresh, segment)
        if any(entry.asked for entry in fresh.values()) and self.disks.have_room():
            for entry in fresh.values():
                entry.promised = entry.asked

    def _look(self) -> None:
        """Nothing is taken while the folders are not where they were.  @raise NotSynced: so it is."""
        try:
            self.disks.check()
        except NotSynced as error:
            self.doubt(error)
            raise

    def touch(self) -> None:
        """Find out whether the disk takes anything; one that an error made read-only may say so of no folder."""
        if self.lock >= 0:
            try:
                os.utime(self.lock)
            except OSError as error:
                self.doubt(error)

    def after(self) -> None:
        """What must be noted at once is, and old segments go; all else is noted with what comes next."""
        if self._failed is not None:
            return
        if self._urgent:
            self._notes.note()
        self._notes.sync_notes()
        if not self.doubts.reason:
            self._pool.check(self.uncommitted.mending)

    def _due(self) -> list[Octets]:
        """Records of what happened since, which need not be synced."""
        records: list[Octets] = []
        filed = self.uncommitted.take_filed()
        if filed:
            records.append(record(FILED, filed))
        committed = [key for key in self._committed if self.uncommitted.is_uncommitted(key)]
        self._committed = []
        if committed:
            records.append(record(SETTLED, committed))
            for key in committed:
                self.uncommitted.release(key)
        if self._refused:
            records.append(record(REFUSED, self._refused))
            self._refused = []
        self._urgent = False
        return records

    def departed(self, departure: Departure) -> None:
        """Messages have left a folder: noted before anybody is told."""
        self._notes.note(record(DEPARTED, [departure]))
        self.uncommitted.departed(departure)

    # Doubts

    def doubt(self, error: OSError) -> None:
        """The disk may have lost what was written."""
        self._notes.doubt(error)

    def _undoubted(self) -> None:
        """It is another doubt, or there is none."""
        self._notes.closed = self._pool.hold = bool(self.doubts.reason)
        self._tell_condition()

    def _rewrite(self) -> Iterator[None]:
        """Step by step, everything that the journal has."""
        self._notes.note()
        retained = retained_in(self._pool.segments())
        for universe, delivery in list(self._deliveries.items()):
            if delivery.layout.root < 0:
                del self._deliveries[universe]
                continue
            delivery.folders.rewrite_uids()
            taken = retained.take(universe)
            for begin in range(0, len(taken), _SLICE):
                yield
                if delivery.layout.root >= 0:
                    Repair(delivery, taken[begin:begin + _SLICE]).rewrite()

    # What is asked

    def file(self, entry: PendingDelivery) -> DeliveryResult:
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

    def _asked_again(self, key: Id) -> DeliveryResult | Exception:
        owed = self.uncommitted.deliveries.get(key)
        if owed is None or owed.copies is None:
            # It was asked for twice at once, and the first was refused.
            return Unavailable("the mail store is away; try again")
        return DeliveryResult(owed.copies, [])

    def _file_run(self, run: list[PendingDelivery]) -> None:
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
                self.refuse([entry.key])

    def _note_filed(self, key: Id, copies: tuple[Copy, ...], owes: bool) -> None:
        # Of what is owed nothing more, a restart would make what is expunged visible again.
        self._urgent = self._urgent or not owes
        self.uncommitted.filed(key, copies, owes)

    def refuse(self, keys: Collection[Id]) -> None:
        """Who asked for these deliveries was told that they were not taken."""
        for key in keys:
            self.uncommitted.refuse(key)
        self._refused.extend(keys)
        self._urgent = True

    def add_uncommitted(self, universe: str, ids: Iterable[str]) -> None:
        """
        Owe what another program delivered a commit, until that is made.

        @raise OSError: the disk refused; nothing is owed.
        """
        self.ready()
        keys = [Id(universe, one) for one in ids]
        self.uncommitted.add_foreign(keys, self._notes.write([record(FOREIGN, keys)]))

    def find_uncommitted(self, universe: str, recovery: Recovery) -> Owing:
        """Find what is owed a commit; all else that the journal has is on the disk again."""
        self.ready()
        with undisturbed():
            return self.uncommitted.find(universe, recovery)

    def unsettled(self, universe: str) -> list[str]:
        """
        List the ids that are owed a commit; that no others are is durable.

        @raise OSError: the disk refused.
        """
        self.ready()
        self._notes.write([])
        uncommitted = self.uncommitted
        return [key.id for key in (*uncommitted.deliveries, *uncommitted.foreign) if key.universe == universe]

    def erase(self, universe: str) -> None:
        """Nothing is owed for a universe."""
        self.uncommitted.erase(universe)
        self._notes.write([record(ERASED, universe)])


def _alone(fresh: Collection[PendingDelivery]) -> MaildirDelivery | None:
    """Who writes the file of a delivery while the disk is busy with the journal, if its sender waits for it alone."""
    if len(fresh) != 1:
        return None
    entry, = fresh
    file, begins = entry.file, not entry.asked and bool(entry.delivery.placements)
    return file.delivery if begins and isinstance(file, BatchDelivery) else None
