"""
What a loaded folder says at once: UIDs, flags, sizes, dates, counts.

In the reactor thread; nothing here touches the disk.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from operator import lt
from typing import Any

from twisted.logger import Logger

from simmail.core.records.folder import Entry, FolderChange, FolderStatus
from simmail.mailstore.folder.rows import Rows
from simmail.mailstore.maildir.filename import Row, bit_of_keyword
from simmail.mailstore.maildir.flags import SYSTEM, instant

Listener = Callable[[FolderChange], None]

_COLUMNS = {"uid": "uids", "size": "sizes", "modseq": "modseqs", "arrival": "dates"}
_SYSTEM_BITS = {name.lower(): 1 << at for at, (name, _) in enumerate(SYSTEM)}


class FolderState:
    """The state of one folder, and who listens for its changes."""

    log = Logger()

    def __init__(self, mailbox: str, name: str) -> None:
        self.mailbox = mailbox
        self.name = name
        self.special_use = ""
        self.objectid = ""
        self.uidvalidity = 0
        self.uidnext = 1
        self.highestmodseq = 1
        self._rows = Rows()
        #: Places in the table of keywords; "" for a free one.
        self._table: tuple[str, ...] = ()
        self._flags: dict[int, frozenset[str]] = {}
        self._listeners: list[Listener] = []

    # Flags

    def _learn(self, table: tuple[str, ...]) -> None:
        if table is not self._table and table != self._table:
            self._flags.clear()
        self._table = table

    @property
    def keywords(self) -> tuple[str, ...]:
        """The keywords defined here."""
        return tuple(keyword for keyword in self._table if keyword)

    def _keywords_of(self, mask: int) -> tuple[str, ...]:
        return tuple(keyword for at, keyword in enumerate(self._table) if keyword and mask & bit_of_keyword(at))

    def _flags_of(self, mask: int) -> frozenset[str]:
        flags = self._flags.get(mask)
        if flags is None:
            system = (name for at, (name, _) in enumerate(SYSTEM) if mask >> at & 1)
            flags = self._flags[mask] = frozenset((*system, *self._keywords_of(mask)))
        return flags

    def _bit(self, flag: str) -> int:
        """The bit of a flag, 0 for a keyword that no message can have."""
        flag = flag.lower()
        bit = _SYSTEM_BITS.get(flag)
        if bit is None:
            at = next((at for at, keyword in enumerate(self._table) if keyword.lower() == flag), None)
            bit = 0 if at is None else bit_of_keyword(at)
        return bit

    def _mask(self, flags: Iterable[str]) -> int:
        mask = 0
        for flag in flags:
            mask |= self._bit(flag)
        return mask

    # Messages

    @property
    def uids(self) -> Sequence[int]:
        """The UIDs, ascending."""
        return self._rows.uids

    def _entry(self, at: int) -> Entry:
        rows = self._rows
        return Entry(rows.uids[at], self._flags_of(rows.masks[at]), rows.sizes[at], instant(rows.dates[at]),
                     rows.modseqs[at], bool(rows.recent[at]))

    def entry(self, uid: int) -> Entry | None:
        """One message, or None when it is gone."""
        at = self._rows.find(uid)
        return self._entry(at) if at >= 0 else None

    def entries(self, uids: Iterable[int]) -> list[Entry]:
        """Those messages that are there, in the order of C{uids}."""
        return [self._entry(at) for at in map(self._rows.find, uids) if at >= 0]

    def there(self, uids: Sequence[int]) -> Sequence[int]:
        """Those that are there."""
        if self._rows.stretch(uids) >= 0:
            return uids
        having = set(self._rows.uids).__contains__ if len(uids) > len(self._rows) // 8 else self._rows.has
        return list(filter(having, uids))

    def column(self, name: str, uids: Sequence[int]) -> list[Any]:
        """One field of each message, None for those that are gone."""
        rows = self._rows
        begin = rows.stretch(uids)
        if begin >= 0:
            return self._stretch(name, begin, begin + len(uids))
        value = self._column(name)
        return [value(at) if at >= 0 else None for at in map(rows.find, uids)]

    def _stretch(self, name: str, begin: int, end: int) -> list[Any]:
        """One field of neighbours: no step of its own for each."""
        rows = self._rows
        if name == "flags":
            masks, flags_of = rows.masks[begin:end], self._flags_of
            for mask in set(masks):
                flags_of(mask)
            return list(map(self._flags.__getitem__, masks))
        if name in _COLUMNS:
            column: array[int] = getattr(rows, _COLUMNS[name])
            return column[begin:end].tolist()
        return list(map(self._column(name), range(begin, end)))

    def _column(self, name: str) -> Callable[[int], Any]:
        rows = self._rows
        if name == "flags":
            masks, flags_of, known = rows.masks, self._flags_of, self._flags

            def flags(at: int) -> frozenset[str]:
                mask = masks[at]
                return known[mask] if mask in known else flags_of(mask)
            return flags
        if name == "date":
            return lambda at: instant(rows.dates[at])
        if name == "recent":
            return lambda at: bool(rows.recent[at])
        if name == "key":
            return rows.key
        column: Callable[[int], Any] = getattr(rows, _COLUMNS[name]).__getitem__
        return column

    def having(self, flag: str, on: bool = True) -> Sequence[int]:
        """The UIDs of messages with a flag, or without it."""
        return self._rows.having(self._bit(flag), on)

    def unseen(self) -> list[int]:
        """The UIDs of messages without C{\\Seen}."""
        return list(self.having("\\Seen", False))

    def first_unseen(self) -> int | None:
        """The lowest of them."""
        return self._rows.first_unseen()

    def changed(self, since: int) -> list[int]:
        """The UIDs of messages with a greater modseq."""
        return self._rows.changed(since) if since < self.highestmodseq else []

    def find(self, key: str) -> int | None:
        """The UID of the message of a delivery."""
        at = self._rows.find_key(key)
        return self._rows.uids[at] if at >= 0 else None

    def counts(self) -> tuple[int, int, int]:
        """(total, unseen, recent)."""
        return len(self._rows), self._rows.unseen, self._rows.recent.count(1)

    def status(self) -> FolderStatus:
        """The same, with the rest that C{STATUS} shows."""
        return FolderStatus(
            self.name, self.special_use, *self.counts(), self.uidvalidity, self.uidnext, self.highestmodseq,
            self._rows.size, self.objectid)

    # Changes that have happened

    def _append(self, rows: Sequence[Row]) -> None:
        """Messages have appeared; those known already are not told again."""
        uids = [row.uid for row in rows]
        last = self._rows.uids[-1] if self._rows.uids else 0
        if not all(map(lt, (last, *uids), uids)):
            rows = [row for row, highest in zip(rows, accumulate((last, *uids), max)) if row.uid > highest]
            uids = [row.uid for row in rows]
        if rows:
            self._rows.extend(rows)
            self.uidnext = max(self.uidnext, uids[-1] + 1)
            self.highestmodseq = max(self.highestmodseq, max([row.modseq for row in rows]))
            self._tell(FolderChange("added", tuple(uids), self.highestmodseq))

    # Who watches

    @property
    def watched(self) -> bool:
        """Whether anybody listens."""
        return bool(self._listeners)

    def listen(self, listener: Listener) -> None:
        """Call it for each change."""
        self._listeners.append(listener)

    def unlisten(self, listener: Listener) -> None:
        """Stop."""
        if listener in self._listeners:
            self._listeners.remove(listener)

    def _tell(self, change: FolderChange) -> None:
        for listener in list(self._listeners):
            try:
                listener(change)
            except Exception:
                self.log.failure("a listener of {name} failed", name=self.name)
