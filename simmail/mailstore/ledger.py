"""
What the journal owes: deliveries whose commit is not known to be made.

Known from the records of an earlier process, and of this one as it goes on.
Everything here is done by the writer.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from operator import attrgetter
from typing import NamedTuple

from simmail.core.delivery import Copy, Delivery
from simmail.mailstore.filing import Filed
from simmail.mailstore.segments import (
    DELIVERY, ERASED, FILED, FOREIGN, REFUSED, SETTLED, Described, FiledAt, Id, Record, Segment, decode_described,
    decode_filed, decode_ids, decode_universe, delivery_of,
)


_place_of: Callable[[Copy], tuple[int, int]] = attrgetter("uid", "uidvalidity")


class Recovery(NamedTuple):
    """How a universe's Maildirs are mended, by the writer."""

    file: Callable[[Delivery], Filed]
    mend: Callable[[Delivery], None]


class Owed:
    """A delivery whose commit is not known to be made; C{copies} once it is visible."""

    __slots__ = ("segment", "described", "at", "length", "copies")

    def __init__(self, segment: Segment, described: Described | None = None, at: int = 0, length: int = 0) -> None:
        self.segment = segment
        self.described = described
        self.at = at
        self.length = length
        self.copies: tuple[Copy, ...] | None = None


class Ledger:
    """
    What is owed, and to whom.

    @param boot: of the machine; what an earlier boot left is compared with the files.
    @ivar owed: deliveries; foreign: ids of what another program delivered; both in the order of acceptance.
    """

    def __init__(self, boot: str) -> None:
        self.owed: dict[Id, Owed] = {}
        self.foreign: dict[Id, Segment] = {}
        self._boot = boot
        self._mend: list[tuple[Described, Segment, int, int]] = []
        self._filed: list[FiledAt] = []

    def __contains__(self, key: Id) -> bool:
        return key in self.owed or key in self.foreign

    def __bool__(self) -> bool:
        return bool(self.owed or self.foreign or self._mend)

    @property
    def mending(self) -> bool:
        """Whether deliveries that were settled are still to be compared with the files."""
        return bool(self._mend)

    def universes(self) -> set[str]:
        """Those that anything is owed for."""
        return {key.universe for key in (*self.owed, *self.foreign)} | {one[0].universe for one in self._mend}

    # Records

    def read(self, one: Record) -> None:
        """A record of an earlier process."""
        if one.kind == DELIVERY:
            described = decode_described(one.description)
            key = Id(described.universe, described.id)
            self.owed[key] = Owed(one.segment, described, one.at, one.length)
            one.segment.ids.add(key)
        elif one.kind == FILED:
            for filed in decode_filed(one.description):
                owed = self.owed.get(Id(filed.universe, filed.id))
                if owed is not None and owed.described is not None:
                    owed.copies = tuple(
                        Copy(filing.mailbox, filing.folder, *place)
                        for filing, place in zip(owed.described.filings, filed.places))
                    if not owed.described.commit:
                        self.release(Id(filed.universe, filed.id), mend=True)
        elif one.kind == SETTLED:
            for key in decode_ids(one.description):
                self.release(key, mend=True)
        elif one.kind == REFUSED:
            for key in decode_ids(one.description):
                self.release(key)
        elif one.kind == FOREIGN:
            self.owe(decode_ids(one.description), one.segment)
        elif one.kind == ERASED:
            self.release_all(decode_universe(one.description))

    def add(self, keys: Iterable[Id], segment: Segment) -> None:
        """Deliveries are durable in a segment."""
        for key in keys:
            self.owed[key] = Owed(segment)
            segment.ids.add(key)

    def owe(self, keys: Iterable[Id], segment: Segment) -> None:
        """What another program delivered is owed a commit."""
        for key in keys:
            self.foreign[key] = segment
            segment.ids.add(key)

    def release(self, key: Id, mend: bool = False) -> None:
        """It is owed nothing; C{mend}: its files are compared, when an earlier boot wrote them."""
        segment = self.foreign.pop(key, None)
        if segment is not None:
            segment.ids.discard(key)
        owed = self.owed.pop(key, None)
        if owed is None:
            return
        owed.segment.ids.discard(key)
        if mend and owed.described is not None and owed.segment.boot != self._boot:
            self._mend.append((owed.described, owed.segment, owed.at, owed.length))

    def release_all(self, universe: str) -> None:
        """Nothing is owed for a universe."""
        for key in [key for key in (*self.owed, *self.foreign) if key.universe == universe]:
            self.release(key)
        self._mend = [one for one in self._mend if one[0].universe != universe]

    def filed(self, key: Id, copies: tuple[Copy, ...], owes: bool) -> None:
        """A delivery is visible; without a commit that is all."""
        self._filed.append(FiledAt(key.universe, key.id, tuple(map(_place_of, copies))))
        if not owes:
            self.release(key)
        elif key in self.owed:
            self.owed[key].copies = copies

    def take_filed(self) -> list[FiledAt]:
        """What was filed since this was last asked."""
        filed, self._filed = self._filed, []
        return filed

    # After a crash

    def find(self, universe: str, recovery: Recovery) -> tuple[list[str], list[Filed]]:
        """The ids that are owed a commit, and what was filed again just now."""
        done = []
        for described, segment, at, length in self._mend:
            if described.universe == universe:
                done.append(_again(delivery_of(described, segment.octets(at, length)), recovery, True))
        self._mend = [one for one in self._mend if one[0].universe != universe]
        owed = []
        for key, one in list(self.owed.items()):
            if key.universe != universe:
                continue
            if one.described is not None and not one.described.commit:
                done.append(self._finish(key, one, recovery)[1])
            else:
                owed.append(key.id)
        return owed, done

    def replay(
        self, universe: str, known: Collection[str], recovery: Recovery
    ) -> tuple[list[tuple[Delivery, tuple[Copy, ...]]], list[Filed]]:
        """The deliveries that are owed and not C{known}, visible now, and what was filed for it."""
        result, done = [], []
        for key, owed in list(self.owed.items()):
            if key.universe != universe or owed.described is None:
                continue
            again = owed.segment.boot != self._boot
            if key.id in known and not again:
                continue
            if owed.copies is not None and not again:
                octets = owed.segment.octets(owed.at, owed.length)
                result.append((delivery_of(owed.described, octets), owed.copies))
                continue
            delivery, filed = self._finish(key, owed, recovery)
            done.append(filed)
            if key.id not in known:
                result.append((delivery, filed.copies))
        return result, done

    def _finish(self, key: Id, owed: Owed, recovery: Recovery) -> tuple[Delivery, Filed]:
        assert owed.described is not None
        delivery = delivery_of(owed.described, owed.segment.octets(owed.at, owed.length))
        filed = _again(delivery, recovery, owed.segment.boot != self._boot)
        self.filed(key, filed.copies, bool(delivery.commit))
        return delivery, filed


def _again(delivery: Delivery, recovery: Recovery, mend: bool) -> Filed:
    if mend:
        recovery.mend(delivery)
    return recovery.file(delivery)
