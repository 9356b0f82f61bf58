"""
What a loaded folder says at once: UIDs, flags, sizes, dates, counts.

In the reactor thread; nothing here touches the disk.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, repeat
from operator import lt
from typing import Any

from simmail.core.records.folder import Entry, FolderChange, FolderStatus
from simmail.core.time.instant import of_microseconds
from simmail.errors import NotFound
from simmail.mailstore.folder.rows import Rows
from simmail.mailstore.listeners import Listeners
from simmail.mailstore.maildir.filename import Row, bit_of_keyword, bit_of
from simmail.mailstore.maildir.flags import SYSTEM


class KeywordTable:
    """
    Which keyword has which bit.

    @ivar places: the keywords by their places in the table; C{""} for a free one.
    @ivar known: flags by mask, of masks that C{flags_of} was asked for.
    """

    __slots__ = ("places", "known")

    def __init__(self) -> None:
        self.places: tuple[str, ...] = ()
        self.known: dict[int, frozenset[str]] = {}

    def learn(self, places: tuple[str, ...]) -> None:
        """Take the table as it is on disk now."""
        if places is not self.places and places != self.places:
            self.known.clear()
        self.places = places

    def keywords_of(self, mask: int) -> tuple[str, ...]:
        """Return the keywords in a mask."""
        return tuple(keyword for at, keyword in enumerate(self.places) if keyword and mask & bit_of_keyword(at))

    def flags_of(self, mask: int) -> frozenset[str]:
        """Return all flags in a mask."""
        flags = self.known.get(mask)
        if flags is None:
            system = (name for at, (name, _) in enumerate(SYSTEM) if mask >> at & 1)
            flags = self.known[mask] = frozenset((*system, *self.keywords_of(mask)))
        return flags

    def bit(self, flag: str) -> int:
        """Return the bit of a flag, 0 for a keyword that no message can have."""
        return bit_of(flag, self.places)

    def mask(self, flags: Iterable[str]) -> int:
        """Return the bits of flags."""
        mask = 0
        for flag in flags:
            mask |= self.bit(flag)
        return mask


#: Messages that are remembered, at most.
MOST_VANISHED = 50_000


class Vanished:
    """
    UIDs by the MODSEQ of their removal, which ascends.

    @ivar since: all from this MODSEQ on are known.
    """

    __slots__ = ("_modseqs", "_uids", "since")

    def __init__(self, since: int = 1) -> None:
        # Numbers alone: a pair of Python's own takes ten times as much, and a folder may have tens of thousands.
        self._modseqs, self._uids = array("Q"), array("I")
        self.since = since

    def packed(self) -> bytes:
        """All of it but C{since} as octets (of this machine's order)."""
        return self._modseqs.tobytes() + self._uids.tobytes()

    @classmethod
    def unpacked(cls, octets: bytes, since: int) -> Vanished:
        """What was packed.  @raise ValueError: it cannot be that."""
        vanished = cls(since)
        modseqs, uids = vanished._modseqs, vanished._uids
        end = len(octets) // (modseqs.itemsize + uids.itemsize) * modseqs.itemsize
        modseqs.frombytes(octets[:end])
        uids.frombytes(octets[end:])
        if len(modseqs) != len(uids):
            raise ValueError("not as many MODSEQs as UIDs")
        return vanished

    def add(self, uids: Iterable[int], modseq: int) -> None:
        """Remember messages that are gone now; of too many the oldest are forgotten."""
        self._uids.extend(uids)
        self._modseqs.extend(repeat(modseq, len(self._uids) - len(self._modseqs)))
        dropped = len(self._uids) - MOST_VANISHED // 2
        if len(self._uids) > MOST_VANISHED:
            self.since = self._modseqs[dropped - 1]
            del self._modseqs[:dropped], self._uids[:dropped]

    def after(self, modseq: int) -> list[int] | None:
        """Return the UIDs expunged after a MODSEQ, None when they are not known so far back."""
        if modseq < self.since and self.since > 1:
            return None
        return sorted(self._uids[bisect_right(self._modseqs, modseq):])


_COLUMNS = {"uid": "uids", "size": "sizes", "modseq": "modseqs", "arrival": "dates"}


class FolderState(Listeners[[FolderChange]]):
    """
    The state of one folder, and who listens for its changes.

    @ivar rows: its messages; table: its keywords.
    @ivar gone: the folder is no more, or called something else.
    """

    def __init__(self, mailbox: str, name: str) -> None:
        super().__init__(name)
        self.mailbox = mailbox
        self.name = name
        self.special_use = ""
        self.objectid = ""
        self.uidvalidity = 0
        self.uidnext = 1
        self.highestmodseq = 1
        self.gone = False
        self.rows = Rows()
        self.table = KeywordTable()

    @property
    def keywords(self) -> tuple[str, ...]:
        """The keywords defined here."""
        return tuple(keyword for keyword in self.table.places if keyword)

    def require(self) -> None:
        """@raise NotFound: the folder is gone."""
        if self.gone:
            raise NotFound(f"folder {self.name} of {self.mailbox} is gone")

    # Messages

    @property
    def uids(self) -> Sequence[int]:
        """The UIDs, ascending."""
        return self.rows.uids

    def _entry(self, at: int) -> Entry:
        rows = self.rows
        return Entry(rows.uids[at], self.table.flags_of(rows.masks[at]), rows.sizes[at],
                     of_microseconds(rows.dates[at]), rows.modseqs[at], bool(rows.recent[at]))

    def entry(self, uid: int) -> Entry | None:
        at = self.rows.find(uid)
        return self._entry(at) if at >= 0 else None

    def entries(self, uids: Iterable[int]) -> list[Entry]:
        return [self._entry(at) for at in map(self.rows.find, uids) if at >= 0]

    def there(self, uids: Sequence[int]) -> Sequence[int]:
        """Those that are there."""
        if self.rows.stretch(uids) >= 0:
            return uids
        having = set(self.rows.uids).__contains__ if len(uids) > len(self.rows) // 8 else self.rows.has
        return list(filter(having, uids))

    def column(self, name: str, uids: Sequence[int]) -> list[Any]:
        rows = self.rows
        begin = rows.stretch(uids)
        if begin >= 0:
            return self._stretch(name, begin, begin + len(uids))
        value = self._column(name)
        return [value(at) if at >= 0 else None for at in map(rows.find, uids)]

    def _stretch(self, name: str, begin: int, end: int) -> list[Any]:
        """One field of neighbours: no step of its own for each."""
        rows = self.rows
        if name == "flags":
            masks, flags_of = rows.masks[begin:end], self.table.flags_of
            for mask in set(masks):
                flags_of(mask)
            return list(map(self.table.known.__getitem__, masks))
        if name in _COLUMNS:
            column: array[int] = getattr(rows, _COLUMNS[name])
            return column[begin:end].tolist()
        return list(map(self._column(name), range(begin, end)))

    def _column(self, name: str) -> Callable[[int], Any]:
        rows = self.rows
        if name == "flags":
            masks, flags_of, known = rows.masks, self.table.flags_of, self.table.known

            def flags(at: int) -> frozenset[str]:
                mask = masks[at]
                return known[mask] if mask in known else flags_of(mask)
            return flags
        if name == "date":
            return lambda at: of_microseconds(rows.dates[at])
        if name == "recent":
            return lambda at: bool(rows.recent[at])
        if name == "key":
            return rows.key
        column: Callable[[int], Any] = getattr(rows, _COLUMNS[name]).__getitem__
        return column

    def paths(self, uids: Sequence[int]) -> list[str | None]:
        """Where the files of messages are, below the folder; None for those that are gone."""
        rows = self.rows
        begin = rows.stretch(uids)
        if begin >= 0:
            return list[str | None](rows.paths(range(begin, begin + len(uids))))
        return [rows.path(at) if at >= 0 else None for at in map(rows.find, uids)]

    def having(self, flag: str, on: bool = True) -> Sequence[int]:
        return self.rows.having(self.table.bit(flag), on)

    def unseen(self) -> list[int]:
        return list(self.having("\\Seen", False))

    def first_unseen(self) -> int | None:
        return self.rows.first_unseen()

    def changed(self, since: int) -> list[int]:
        return self.rows.changed(since) if since < self.highestmodseq else []

    def find(self, key: str) -> int | None:
        at = self.rows.find_key(key)
        return self.rows.uids[at] if at >= 0 else None

    def counts(self) -> tuple[int, int, int]:
        return len(self.rows), self.rows.unseen, self.rows.recent.count(1)

    def status(self) -> FolderStatus:
        return FolderStatus(
            self.name, self.special_use, *self.counts(), self.uidvalidity, self.uidnext, self.highestmodseq,
            self.rows.size, self.objectid)

    # Changes that have happened

    def append_rows(self, rows: Sequence[Row]) -> None:
        """Messages have appeared; those known already are not told again."""
        last = self.rows.uids[-1] if self.rows.uids else 0
        if len(rows) == 1 and rows[0].uid > last:
            # As nearly always, somebody waiting for it.
            row, = rows
            self.rows.append(row)
            self.uidnext = max(self.uidnext, row.uid + 1)
            self.highestmodseq = max(self.highestmodseq, row.modseq)
            self.tell(FolderChange("added", (row.uid,), self.highestmodseq))
            return
        uids = [row.uid for row in rows]
        if not all(map(lt, (last, *uids), uids)):
            rows = [row for row, highest in zip(rows, accumulate((last, *uids), max)) if row.uid > highest]
            uids = [row.uid for row in rows]
        if rows:
            self.rows.extend(rows)
            self.uidnext = max(self.uidnext, uids[-1] + 1)
            self.highestmodseq = max(self.highestmodseq, max([row.modseq for row in rows]))
            self.tell(FolderChange("added", tuple(uids), self.highestmodseq))

    def reset(self) -> None:
        """The folder is gone, or called something else."""
        if self.gone:
            return
        self.gone = True
        self.rows = Rows()
        self.tell(FolderChange("reset", ()))
