"""
Messages of a folder as JSON, kept at hand.

What a list shows of a message never changes but for its flags, so its JSON is
kept under where it is and which flags it has; only what is new is asked of
the index.  Nothing is kept that could be wrong: a UID means one message for
ever as long as UIDVALIDITY is the same (RFC 3501 section 2.3.1.1).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import count
from typing import Any
from weakref import WeakKeyDictionary, WeakValueDictionary

import msgspec
from twisted.internet.interfaces import IReactorTime

from simmail.concurrency import Lock
from simmail.core.lru import Lru
from simmail.core.records.folder import Entry
from simmail.interfaces import IFolder
from simmail.rest.render.message import listed

#: Messages kept; those looked at longest ago go first.
MOST = 8192

#: Messages asked of the index before others get their turn.
SLICE = 200

_encode = msgspec.json.Encoder().encode


class UniverseNumbers:
    """A number for each universe, so that one made anew under the id of another is not taken for it."""

    def __init__(self) -> None:
        self._next = count(1)
        self._given: WeakKeyDictionary[object, int] = WeakKeyDictionary()

    def of(self, universe: object) -> int:
        """Return the number of a universe, the same as long as it is there."""
        number = self._given.get(universe)
        if number is None:
            number = self._given[universe] = next(self._next)
        return number


class Listings:
    """
    JSON of listed messages, of all universes.

    @param reactor: C{IReactorTime}.
    """

    def __init__(self, reactor: IReactorTime, most: int = MOST) -> None:
        self._reactor = reactor
        self._kept: Lru[tuple[_Place, int, frozenset[str]], bytes] = Lru(most)
        self._places: WeakValueDictionary[tuple[Any, ...], _Place] = WeakValueDictionary()

    async def page(
        self, universe: int, folder: IFolder, limit: int, before: int | None, among: Sequence[int] | None = None,
        offset: int = 0,
    ) -> tuple[list[int], list[bytes]]:
        """
        Return the newest C{limit} messages with UIDs below C{before}: their UIDs, and the JSON of each.

        @param universe: its number.  @param among: only of these UIDs, ascending.  @param offset: newer ones left out.
        """
        uids = folder.uids if among is None else among
        end = max(0, (len(uids) if before is None else bisect_left(uids, before)) - offset)
        stretch = uids[max(0, end - limit):end]
        found = await self._items(universe, folder, list(stretch)[::-1], folder.column("flags", stretch)[::-1])
        return list(found), list(found.values())

    async def items(self, universe: int, folder: IFolder, wanted: Sequence[int]) -> dict[int, bytes]:
        """Return the JSON of messages of a folder by UID, in the order of C{wanted}; what is gone is left out."""
        return await self._items(universe, folder, wanted, folder.column("flags", wanted))

    async def _items(
        self, universe: int, folder: IFolder, wanted: Sequence[int], flags: Sequence[frozenset[str] | None]
    ) -> dict[int, bytes]:
        place = self._place((universe, folder.mailbox, folder.name, folder.uidvalidity))
        found = self._at_hand(place, wanted, flags)
        if None not in found.values():
            return found  # type: ignore[return-value]
        # Many who ask for the same at once have it asked of the index once.
        async with place.turn:
            found = self._at_hand(place, wanted, folder.column("flags", wanted))
            missing = [uid for uid, octets in found.items() if octets is None]
            for begin in range(0, len(missing), SLICE):
                found.update(await self._asked(place, folder, missing[begin:begin + SLICE]))
        return {uid: octets for uid, octets in found.items() if octets is not None}

    def _at_hand(
        self, place: _Place, wanted: Sequence[int], flags: Sequence[frozenset[str] | None]
    ) -> dict[int, bytes | None]:
        """What is kept of those messages that are there, None where it is not."""
        kept = self._kept
        known, used = kept.get, kept.move_to_end
        found: dict[int, bytes | None] = {}
        for uid, one in zip(wanted, flags):
            if one is not None:
                key = (place, uid, one)
                octets = found[uid] = known(key)
                if octets is not None:
                    used(key)
        return found

    async def _asked(self, place: _Place, folder: IFolder, uids: list[int]) -> dict[int, bytes]:
        """The index is asked, and what it says of messages that are there is kept."""
        entries = {uid: folder.entry(uid) for uid in uids}
        found: dict[int, bytes] = {}
        for uid, digest in (await folder.digests(uids)).items():
            entry: Entry | None = entries[uid]
            if entry is not None:
                octets = found[uid] = _encode(listed(folder.name, entry, digest))
                self._kept.put((place, uid, entry.flags), octets)
        return found

    def _place(self, named: tuple[Any, ...]) -> _Place:
        place = self._places.get(named)
        if place is None:
            place = self._places[named] = _Place(self._reactor)
        return place


class _Place:
    """A folder, for as long as something of it is kept or asked; it is told by what it is, which is soon done."""

    __slots__ = ("turn", "__weakref__")

    def __init__(self, reactor: IReactorTime) -> None:
        self.turn = Lock(reactor)
