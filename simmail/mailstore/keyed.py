"""
Folders as the writer knows them: their UID files, and which messages are in them already.

A delivery may be filed again after a crash; by the hashes of the keys it is
found out at once that a message is not there, without looking at the disk.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from simmail.mailstore import maildir
from simmail.mailstore.flags import SYSTEM
from simmail.mailstore.uids import Uids

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
        self.sorted = maildir.keys(root, self.directory)
        self.unsorted = set()

    def may_have(self, key: str) -> bool:
        """Whether a message with this key may be here; what is not here is never said to be."""
        number = hash(key)
        if number in self.unsorted:
            return True
        assert self.sorted is not None
        at = bisect_left(self.sorted, number)
        return at < len(self.sorted) and self.sorted[at] == number

    def remember(self, key: str) -> None:
        """There is one more key."""
        if self.sorted is not None:
            self.unsorted.add(hash(key))
            if len(self.unsorted) > _UNSORTED:
                self._sort()

    def remember_all(self, keys: Iterable[str]) -> None:
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
                bit = maildir.bit_of_keyword(at) if at is not None else 0
            mask |= bit
        return mask


class Share:
    """
    A folder that several deliveries are filed into under one lock.

    @param uid, modseq: the first of those that were used up for them.
    """

    __slots__ = ("place", "_uid", "_modseq")

    def __init__(self, place: Place, uid: int, modseq: int) -> None:
        self.place = place
        self._uid = uid
        self._modseq = modseq

    def take(self) -> tuple[int, int]:
        """The next UID and MODSEQ."""
        taken = self._uid, self._modseq
        self._uid += 1
        self._modseq += 1
        return taken


NO_SHARES: Mapping[tuple[str, str], Share] = MappingProxyType({})
