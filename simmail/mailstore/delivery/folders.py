"""
Folders as the writer knows them: their UID files, and which messages are in them already.

A delivery may be filed again after a crash; by the hashes of the keys it is
found out at once that a message is not there, without looking at the disk.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from itertools import count
from operator import attrgetter
from types import MappingProxyType

from simmail.core.records.delivery import Filing
from simmail.mailstore.maildir import filename
from simmail.mailstore.maildir.flags import SYSTEM
from simmail.mailstore.maildir.uidlist import Uids

#: Keys kept apart from the sorted ones before they are sorted in.
_UNSORTED = 4096

_SYSTEM_BITS = {name: 1 << at for at, (name, _) in enumerate(SYSTEM)}
SYSTEM_MASK = (1 << len(SYSTEM)) - 1


class Place:
    """One folder as the writer knows it: its UID file, and hashes of the keys in it."""

    __slots__ = ("mailbox", "name", "directory", "uids", "sorted", "unsorted")

    def __init__(self, mailbox: str, name: str, directory: str, uids: Uids) -> None:
        self.mailbox = mailbox
        self.name = name
        self.directory = directory
        self.uids = uids
        self.sorted: array[int] | None = None
        self.unsorted: set[int] = set()

    def learn(self, root: int) -> None:
        """Look which keys there are."""
        self.sorted = filename.keys(root, self.directory)
        self.unsorted = set()

    def expect(self, key: str) -> bool:
        """
        There is about to be one more key.

        @return: whether a message with it may be here already; of one that is here nothing else is ever said.
        """
        number, known, fresh = hash(key), self.sorted, self.unsorted
        if number in fresh:
            return True
        assert known is not None
        at = bisect_left(known, number)
        if at < len(known) and known[at] == number:
            return True
        fresh.add(number)
        if len(fresh) > _UNSORTED:
            self._sort()
        return False

    def remember(self, keys: Iterable[str]) -> None:
        """There are some more keys."""
        if self.sorted is None:
            return
        self.unsorted.update(map(hash, keys))
        if len(self.unsorted) > _UNSORTED:
            self._sort()

    def _sort(self) -> None:
        self.sorted = array("q", sorted([*(self.sorted or ()), *self.unsorted]))
        self.unsorted = set()

    def mask(self, flags: Iterable[str]) -> int:
        """Flags as bits; keywords that are not in the table are left out."""
        mask = 0
        for flag in flags:
            bit = _SYSTEM_BITS.get(flag)
            if bit is None:
                at = next((at for at, one in enumerate(self.uids.keywords) if one.lower() == flag.lower()), None)
                bit = filename.bit_of_keyword(at) if at is not None else 0
            mask |= bit
        return mask


class Share:
    """
    A folder that several deliveries are filed into under one lock.

    @param uid, modseq: the first of those that were used up for them.
    @ivar take: answers the next UID and MODSEQ.
    """

    __slots__ = ("place", "take")

    def __init__(self, place: Place, uid: int, modseq: int) -> None:
        self.place = place
        self.take = zip(count(uid), count(modseq)).__next__


#: Mailbox and folder of a filing.
key_of: Callable[[Filing], tuple[str, str]] = attrgetter("mailbox", "folder")

NO_SHARES: Mapping[tuple[str, str], Share] = MappingProxyType({})
