"""What was read from the index lately."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.folder import Columns
from simmail.mailstore.index.kept_columns import KeptColumns

_KEY = ("maria@acme.test", "INBOX", 7)
_NAMES = ("envelope", "structure")


class _Store:
    """One store is no other."""


def _columns(first: int, count: int = 40, size: int = 100) -> Columns:
    return list(range(first, first + count)), [[b"e" * size] * count, [b"s" * size] * count]


class KeptColumnsTests(SynchronousTestCase):
    """C{KeptColumns}."""

    def setUp(self) -> None:
        self.kept, self.store = KeptColumns(), _Store()

    def has(self, found: Columns) -> bool:
        return self.kept.find(self.store, _KEY, found[0], _NAMES) == found

    def test_same(self) -> None:
        """Only the same question about the same messages of the same folder has the same answer."""
        found = _columns(3)
        self.kept.keep(self.store, _KEY, found, _NAMES)
        uids = found[0]
        self.assertEqual(self.kept.find(self.store, _KEY, range(3, 43), _NAMES), found)
        for other in ((_Store(), _KEY, uids, _NAMES), (self.store, (*_KEY[:2], 8), uids, _NAMES),
                      (self.store, _KEY, uids[1:], _NAMES), (self.store, _KEY, uids[:-1], _NAMES),
                      (self.store, _KEY, uids, _NAMES[:1])):
            self.assertIsNone(self.kept.find(*other))
        longer = _columns(3, 41)
        self.kept.keep(self.store, _KEY, longer, _NAMES)
        self.assertEqual((self.has(found), self.has(longer)), (False, True))

    def test_room(self) -> None:
        """Short ones are not kept, nor long ones, and those used last are."""
        for other in (_columns(1, 3), _columns(1, 40, 20_000)):
            self.kept.keep(self.store, _KEY, other, _NAMES)
            self.assertFalse(self.has(other))
        self.kept.keep(self.store, _KEY, _columns(1), ("text", "header"))
        self.assertIsNone(self.kept.find(self.store, _KEY, _columns(1)[0], ("text", "header")))
        self.patch(self.kept._kept, "room", 40_000)
        some = [_columns(first) for first in (1, 101, 201)]
        for one in some:
            self.kept.keep(self.store, _KEY, one, _NAMES)
            self.assertTrue(self.has(some[0]))
        self.assertEqual(list(map(self.has, some)), [True, False, True])

    def test_store_gone(self) -> None:
        """No store is kept alive, and what was its is nobody else's."""
        found = _columns(1)
        self.kept.keep(self.store, _KEY, found, _NAMES)
        del self.store
        self.store = _Store()
        self.assertFalse(self.has(found))
