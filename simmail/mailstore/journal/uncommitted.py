"""
What the journal owes: deliveries whose commit is not known to be made.

Known from the records of an earlier process, and of this one as it goes on.
Everything here is done by the writer.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from operator import attrgetter
from typing import NamedTuple

from msgspec import Struct
from twisted.logger import Logger

from simmail.core.records.delivery import Copy, Delivery
from simmail.mailstore.delivery.maildir_delivery import DeliveryResult
from simmail.mailstore.journal.records import (
    DELIVERY, Departure, ERASED, FILED, FOREIGN, FiledAt, Id, REFUSED, SETTLED,
)
from simmail.mailstore.journal.repair import Repaired
from simmail.mailstore.journal.retained import Journalled, Retained
from simmail.mailstore.journal.segment import Record, Segment

#: As it is told.
_KEPT = "a message that was taken cannot be filed; it is kept, and tried again at the next start"

_place_of: Callable[[Copy], tuple[int, int]] = attrgetter("uid", "uidvalidity")


class Recovery(NamedTuple):
    """How a universe's Maildirs are repaired, by the writer."""

    file: Callable[[Delivery], DeliveryResult]
    compare: Callable[[Sequence[Journalled]], Repaired]


class Owing(NamedTuple):
    """
    What is owed after a crash.

    @ivar ids: of deliveries that are owed a commit, in order; filed: what was filed again just now.
    @ivar lost: the disk had lost what was written to it.
    """

    ids: list[str]
    filed: list[DeliveryResult]
    lost: bool


class Replayed(NamedTuple):
    """
    What became of what is owed.

    @ivar deliveries: those whose commit is to be made, with their copies; filed: what was filed for it.
    @ivar left: ids of those that the disk refuses now; they are owed as before.
    """

    deliveries: list[tuple[Delivery, tuple[Copy, ...]]]
    filed: list[DeliveryResult]
    left: list[str]


class _Owed(Struct, eq=False):
    """A delivery whose commit is not known to be made; C{journalled}: of an earlier process; C{copies} once visible."""

    segment: Segment
    journalled: Journalled | None = None
    copies: tuple[Copy, ...] | None = None


class Uncommitted:
    """
    Deliveries whose commit is not known to be made.

    @ivar deliveries: ours; foreign: ids of what another program delivered; both in the order of acceptance.
    """

    log = Logger()

    def __init__(self) -> None:
        self.deliveries: dict[Id, _Owed] = {}
        self.foreign: dict[Id, Segment] = {}
        # Of an earlier process, until it was compared with the files.
        self._retained = Retained()
        self._filed: list[FiledAt] = []

    def is_uncommitted(self, key: Id) -> bool:
        """Whether a commit is owed for a delivery, ours or another program's."""
        return key in self.deliveries or key in self.foreign

    def __bool__(self) -> bool:
        return bool(self.deliveries or self.foreign or self.mending)

    @property
    def mending(self) -> bool:
        """Whether deliveries are still to be compared with the files."""
        return bool(self._retained.deliveries)

    def universes(self) -> set[str]:
        """Those that anything is owed for."""
        return {key.universe for key in (*self.deliveries, *self.foreign, *self._retained.deliveries)}

    # Records

    def read(self, one: Record) -> None:
        """A record of an earlier process."""
        said = self._retained.read(one)
        if one.kind == DELIVERY:
            key = Id(said.universe, said.id)
            self.deliveries[key] = _Owed(one.segment, self._retained.deliveries[key])
            one.segment.ids.add(key)
        elif one.kind == FILED:
            for filed in said:
                owed = self.deliveries.get(Id(filed.universe, filed.id))
                if owed is not None and owed.journalled is not None:
                    described = owed.journalled.described
                    owed.copies = tuple(
                        Copy(placement.mailbox, placement.folder, *place)
                        for placement, place in zip(described.placements, filed.places))
                    if not described.commit:
                        self.release(Id(filed.universe, filed.id))
        elif one.kind in (SETTLED, REFUSED):
            for key in said:
                self.release(key)
        elif one.kind == FOREIGN:
            self.add_foreign(said, one.segment)
        elif one.kind == ERASED:
            self.erase(said)

    def add_uncommitted(self, keys: Iterable[Id], segment: Segment) -> None:
        """Deliveries are durable in a segment."""
        for key in keys:
            self.deliveries[key] = _Owed(segment)
            segment.ids.add(key)

    def carry(self, key: Id, journalled: Journalled, copies: tuple[Copy, ...]) -> None:
        """A delivery that is visible was owed for mail that was copied, and is durable here now."""
        self.deliveries[key] = _Owed(journalled.segment, journalled, copies)
        journalled.segment.ids.add(key)

    def add_foreign(self, keys: Iterable[Id], segment: Segment) -> None:
        """What another program delivered is owed a commit."""
        for key in keys:
            self.foreign[key] = segment
            segment.ids.add(key)

    def release(self, key: Id) -> None:
        """Nothing is owed for it any more."""
        segment = self.foreign.pop(key, None)
        if segment is not None:
            segment.ids.discard(key)
        owed = self.deliveries.pop(key, None)
        if owed is not None:
            owed.segment.ids.discard(key)

    def refuse(self, key: Id) -> None:
        """It was not taken: nothing is owed for it, and it is not filed, also where an earlier process took it."""
        self.release(key)
        self._retained.drop(key)

    def erase(self, universe: str) -> None:
        """Nothing is owed for a universe."""
        for key in [key for key in (*self.deliveries, *self.foreign) if key.universe == universe]:
            self.release(key)
        self._retained.erase(universe)

    def filed(self, key: Id, copies: tuple[Copy, ...], owes: bool) -> None:
        """A delivery is visible; without a commit that is all."""
        self._filed.append(FiledAt(key.universe, key.id, tuple(map(_place_of, copies))))
        if not owes:
            self.release(key)
        elif key in self.deliveries:
            self.deliveries[key].copies = copies

    def departed(self, departure: Departure) -> None:
        """Messages are not where they were: nor does what is compared later put them there again."""
        if self.mending:
            self._retained.departed(departure)

    def take_filed(self) -> list[FiledAt]:
        """What was filed since this was last asked."""
        filed, self._filed = self._filed, []
        return filed

    # After a crash

    def find(self, universe: str, recovery: Recovery) -> Owing:
        """What is owed; whatever the journal has is on the disk again, and visible if nobody is to be told of it."""
        taken = self._retained.take(universe)
        repaired = recovery.compare(taken)
        for one in repaired.failed:
            self._retained.put_back(one)
        done = [DeliveryResult((), [one]) for one in repaired.added]
        for id, copies in repaired.copies.items():
            if Id(universe, id) in self.deliveries:
                self.filed(Id(universe, id), copies, True)
        for one in taken:
            key = Id(universe, one.described.id)
            if one.places is None and key not in self.deliveries:
                # That it was filed could not be read.
                try:
                    done.append(recovery.file(one.delivery()))
                except OSError as error:
                    self._not_filed(key, error)
                    self._retained.put_back(one)
        ids = []
        for key, owed in list(self.deliveries.items()):
            if key.universe != universe:
                continue
            if owed.journalled is not None and not owed.journalled.described.commit:
                # Where nobody is to be told of it, it is to be visible all the same: L{replay} tries again.
                finished = self._finish(key, owed.journalled, recovery)
                if finished is not None:
                    done.append(finished[1])
                    continue
            ids.append(key.id)
        return Owing(ids, done, repaired.lost)

    def replay(
        self, universe: str, known: Collection[str], recovery: Recovery, among: Collection[str] | None = None
    ) -> Replayed:
        """
        Make the deliveries that are owed visible.

        @param known: ids of those whose commit is made.  @param among: only of these, None: of all.
        """
        result, done, left = list[tuple[Delivery, tuple[Copy, ...]]](), [], []
        for key, owed in list(self.deliveries.items()):
            one = owed.journalled
            if key.universe != universe or one is None or among is not None and key.id not in among:
                continue
            if owed.copies is None:
                finished = self._finish(key, one, recovery)
                if finished is None:
                    left.append(key.id)
                    continue
                delivery, filed = finished
                done.append(filed)
                copies = filed.copies
            elif key.id not in known:
                delivery, copies = one.delivery(), owed.copies
            if key.id not in known:
                result.append((delivery, copies))
        return Replayed(result, done, left)

    def _not_filed(self, key: Id, error: OSError) -> None:
        self.log.error("{trouble} ({where}): {error}", universe=key.universe, where=key.id, trouble=_KEPT, error=error)

    def _finish(self, key: Id, one: Journalled, recovery: Recovery) -> tuple[Delivery, DeliveryResult] | None:
        """None for what cannot be filed: it stays owed, and keeps nothing else from being finished."""
        delivery = one.delivery()
        try:
            filed = recovery.file(delivery)
        except OSError as error:
            self._not_filed(key, error)
            return None
        self.filed(key, filed.copies, bool(delivery.commit))
        self._retained.filed(FiledAt(key.universe, key.id, tuple(map(_place_of, filed.copies))))
        return delivery, filed


@contextmanager
def undisturbed() -> Iterator[None]:
    """Many things are made that stay: looking through all of them again and again would take as long as all else."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
