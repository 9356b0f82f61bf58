"""
What is in the journal, owed or not: until its segments go, files can be compared with it and made again.

Known are also the places of messages: where they were filed, where they were
moved to, and which have left for good.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from simmail.core.records.delivery import Copy, Delivery
from simmail.mailstore.journal.records import (
    DELIVERY, DEPARTED, Departure, Described, ERASED, FILED, FOREIGN, FiledAt, Id, REFUSED, SETTLED, decode_departures,
    decode_described, decode_filed, decode_ids, decode_universe, delivery_of,
)
from simmail.mailstore.journal.segment import Record, Segment


class Journalled(Struct, eq=False):
    """
    A delivery in the journal.

    @ivar places: where the message of each placement is now, None for one that is gone; None before it was filed.
    @ivar former: where its messages are no more.
    """

    described: Described
    segment: Segment
    at: int
    length: int
    places: list[Copy | None] | None = None
    former: tuple[Copy, ...] = ()

    def octets(self) -> bytes:
        """Those of the message."""
        return self.segment.octets(self.at, self.length)

    def delivery(self) -> Delivery:
        """The delivery again."""
        return delivery_of(self.described, self.octets())

    def messages(self) -> list[Journalled]:
        """Where it is several messages, each of them as a delivery of its own (see L{maildir_delivery.messages})."""
        described = self.described
        if not described.parts:
            return [self]
        found, at = [], self.at
        for number, (part, placement) in enumerate(zip(described.parts, described.placements)):
            one = Journalled(Described(
                f"{described.id}-{number + 1}", described.universe, (placement,), part.at, b"", saved=described.saved),
                self.segment, at, part.size)
            if self.places is not None:
                one.places = [self.places[number]]
            # What is not its own has another key.
            one.former = self.former
            found.append(one)
            at += part.size
        return found


_DECODERS = {
    DELIVERY: decode_described, FILED: decode_filed, SETTLED: decode_ids, REFUSED: decode_ids, FOREIGN: decode_ids,
    ERASED: decode_universe, DEPARTED: decode_departures}
_Folder = tuple[str, str, str]


def decoded(one: Record) -> Any:
    """What a record says.  @raise MsgspecError: nothing that can be understood."""
    return _DECODERS[one.kind](one.description)


class Retained:
    """
    All of it, from the records in their order.

    @ivar deliveries: those that were not refused, in the order of acceptance.
    """

    def __init__(self) -> None:
        self.deliveries: dict[Id, Journalled] = {}
        # By universe, mailbox and folder, then UID: a delivery and which of its placements.
        self._folders: dict[_Folder, dict[int, tuple[Journalled, int]]] = {}

    def read(self, one: Record) -> Any:
        """One more record; answers what it says, decoded."""
        said = decoded(one)
        if one.kind == DELIVERY:
            self.deliveries[Id(said.universe, said.id)] = Journalled(said, one.segment, one.at, one.length)
        elif one.kind == FILED:
            for filed in said:
                self.filed(filed)
        elif one.kind == DEPARTED:
            for departure in said:
                self.departed(departure)
        elif one.kind == REFUSED:
            for key in said:
                self.drop(key)
        elif one.kind == ERASED:
            self.erase(said)
        return said

    def filed(self, filed: FiledAt) -> None:
        """A delivery is visible."""
        one = self.deliveries.get(Id(filed.universe, filed.id))
        if one is None:
            return
        self._unplace(one)
        one.places = [None] * len(filed.places)
        here = [Copy(placement.mailbox, placement.folder, *place)
                for placement, place in zip(one.described.placements, filed.places)]
        for at, copy in enumerate(here):
            # Where two placements are one message, it is the first one's; one that was gone before has no UID.
            if copy.uid and copy not in here[:at]:
                self._place(one, at, copy)

    def _place(self, one: Journalled, at: int, copy: Copy | None) -> None:
        assert one.places is not None
        one.places[at] = copy
        if copy is not None:
            folder = one.described.universe, copy.mailbox, copy.folder
            self._folders.setdefault(folder, {})[copy.uid] = one, at

    def _unplace(self, one: Journalled) -> None:
        for at, copy in enumerate(one.places or ()):
            if copy is not None:
                folder = self._folders[one.described.universe, copy.mailbox, copy.folder]
                if folder.get(copy.uid) == (one, at):
                    del folder[copy.uid]

    def departed(self, departure: Departure) -> None:
        """Messages are not where they were."""
        to = departure.to
        new_uids = dict(zip(departure.uids, to.uids)) if to is not None else {}
        for folder in self._meant(departure):
            here = self._folders[folder]
            for uid in departure.uids or list(here):
                found = here.get(uid)
                if found is None:
                    continue
                one, at = found
                assert one.places is not None
                copy = one.places[at]
                assert copy is not None
                if departure.uidvalidity not in (0, copy.uidvalidity):
                    continue
                del here[uid]
                if departure.uids:
                    one.former += copy,
                self._place(one, at, Copy(
                    to.mailbox, to.folder, new_uids.get(uid, uid), to.uidvalidity) if to is not None else None)

    def _meant(self, departure: Departure) -> list[_Folder]:
        if departure.folder:
            folder = departure.universe, departure.mailbox, departure.folder
            return [folder] if folder in self._folders else []
        return [folder for folder in self._folders if folder[:2] == (departure.universe, departure.mailbox)]

    def drop(self, key: Id) -> None:
        """It was refused."""
        one = self.deliveries.pop(key, None)
        if one is not None:
            self._unplace(one)

    def erase(self, universe: str) -> None:
        """Nothing of a universe is wanted any more."""
        self.take(universe)

    def take(self, universe: str) -> list[Journalled]:
        """What there is of a universe; it is not here any more."""
        taken = [one for key, one in self.deliveries.items() if key.universe == universe]
        self.deliveries = {key: one for key, one in self.deliveries.items() if key.universe != universe}
        self._folders = {folder: one for folder, one in self._folders.items() if folder[0] != universe}
        return taken

    def put_back(self, one: Journalled) -> None:
        """One that was taken is here again, where its messages were then."""
        self.deliveries[Id(one.described.universe, one.described.id)] = one
        for at, copy in enumerate(one.places or ()):
            self._place(one, at, copy)


def retained_in(segments: Iterable[Segment]) -> Retained:
    """All that is in some segments."""
    retained = Retained()
    for segment in segments:
        for one in segment.records():
            retained.read(one)
    return retained
