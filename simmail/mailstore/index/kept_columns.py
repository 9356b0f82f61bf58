"""
What FETCH shows of messages, as it was read from the index lately: for who asks for the same messages again.

Messages never change, so what the index knew of one is true for good.
"""

from __future__ import annotations

from collections.abc import Sequence
from weakref import ref

from simmail.core.lru import Lru
from simmail.core.records.folder import Columns
from simmail.mailstore.index.folder import Key
from simmail.mailstore.index.messages import is_shown

#: Octets of all columns, and of those of one question; so few messages are read as fast again.
_ROOM, _LONGEST, _FEW = 8 << 20, 1 << 20, 32
#: Octets of a value beside its own, with its place in a list and its UID.
_OBJECT = 80

#: Whose messages, which fields, and from which UID on.
Place = tuple[ref[object], Key, tuple[str, ...], int]


class KeptColumns:
    """The columns asked for last, of all stores of a process."""

    def __init__(self) -> None:
        # One whose store has gone is equal to no other.
        self._kept: Lru[Place, Columns] = Lru(_ROOM, _cost)

    def find(self, store: object, key: Key, uids: Sequence[int], names: Sequence[str]) -> Columns | None:
        """Return what is known of all these messages of a folder, C{None} where it has to be read."""
        kept = self._kept.use((ref(store), key, tuple(names), uids[0])) if len(uids) > _FEW else None
        return kept if kept is not None and kept[0] == list(uids) else None

    def keep(self, store: object, key: Key, found: Columns, names: Sequence[str]) -> None:
        """Remember in the place of what began with the same message, unless it is not for FETCH, short or too long."""
        if len(found[0]) > _FEW and is_shown(names) and _cost(found) <= _LONGEST:
            self._kept.put((ref(store), key, tuple(names), found[0][0]), found)


def _cost(columns: Columns) -> int:
    return sum([sum(map(len, column)) + _OBJECT * len(column) for column in columns[1]])
