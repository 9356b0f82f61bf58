"""
Messages of a folder as JSON, kept at hand.

What a list shows of a message never changes but for its flags, so its JSON is
kept under where it is and which flags it has; only what is new is asked of
the index.  Nothing is kept that could be wrong: a UID means one message for
ever as long as UIDVALIDITY is the same (RFC 3501 section 2.3.1.1).
"""

from __future__ import annotations

from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Sequence
from itertools import count
from typing import Any
from weakref import WeakKeyDictionary

import msgspec

from simmail.mailstore.records import Entry
from simmail.rest.presenting import listed

#: Messages kept; those looked at longest ago go first.
MOST = 8192

#: Messages asked of the index before others get their turn.
SLICE = 200

_encode = msgspec.json.Encoder().encode


class Numbers:
    """A number for each universe, so that one made anew under the id of another is not taken for it."""

    def __init__(self) -> None:
        self._next = count(1)
        self._given: WeakKeyDictionary[Any, int] = WeakKeyDictionary()

    def of(self, universe: Any) -> int:
        """The number of a universe, the same as long as it is there."""
        number = self._given.get(universe)
        if number is None:
            number = self._given[universe] = next(self._next)
        return number


class Listings:
    """JSON of listed messages, of all universes."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._kept: OrderedDict[tuple[Any, ...], bytes] = OrderedDict()

    async def page(
        self, universe: int, folder: Any, limit: int, before: int | None, among: Sequence[int] | None = None
    ) -> tuple[list[int], list[bytes]]:
        """
        The newest C{limit} messages with UIDs below C{before}: their UIDs, and the JSON of each.

        @param universe: its number.  @param folder: an C{IFolder}.  @param among: only of these UIDs, ascending.
        """
        uids = folder.uids if among is None else among
        end = len(uids) if before is None else bisect_left(uids, before)
        wanted = list(uids[max(0, end - limit):end])[::-1]
        found = await self.items(universe, folder, wanted)
        there = [uid for uid in wanted if uid in found]
        return there, [found[uid] for uid in there]

    async def items(self, universe: int, folder: Any, wanted: Sequence[int]) -> dict[int, bytes]:
        """The JSON of messages of a folder by UID; what is gone is left out."""
        kept = self._kept
        place = (universe, folder.mailbox, folder.name, folder.uidvalidity)
        found: dict[int, bytes] = {}
        missing: dict[int, tuple[tuple[Any, ...], Entry]] = {}
        for uid in wanted:
            entry = folder.entry(uid)
            if entry is None:
                continue
            key = (place, uid, entry.flags)
            octets = kept.get(key)
            if octets is None:
                missing[uid] = key, entry
            else:
                kept.move_to_end(key)
                found[uid] = octets
        uids = list(missing)
        for begin in range(0, len(uids), SLICE):
            digests = await folder.digests(uids[begin:begin + SLICE])
            for uid, digest in digests.items():
                key, entry = missing[uid]
                found[uid] = kept[key] = _encode(listed(folder.name, entry, digest))
        while len(kept) > self._most:
            kept.popitem(last=False)
        return found
