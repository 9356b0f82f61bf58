"""Folders and messages as values: columns, rows, counts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.folder import MailboxCounts, as_columns, by_uid, counted, only

ROWS = st.dictionaries(st.integers(1, 50), st.tuples(st.integers(), st.text(max_size=3)))


class ColumnTests(SynchronousTestCase):
    """Columns are rows told the other way."""

    @given(ROWS, st.lists(st.integers(1, 60)))
    def test_there_and_back(self, rows: dict[int, tuple[int, str]], asked: list[int]) -> None:
        """Of the UIDs asked for those that are there, each once, in the order asked."""
        uids, columns = as_columns(asked, rows, ("size", "name"))
        self.assertEqual(uids, [uid for n, uid in enumerate(asked) if uid in rows and uid not in asked[:n]])
        self.assertEqual(by_uid(uids, columns), {uid: rows[uid] for uid in uids})

    @given(ROWS, st.sets(st.integers(1, 60)))
    def test_only(self, rows: dict[int, tuple[int, str]], wanted: set[int]) -> None:
        """Some of the rows of columns, in their order."""
        uids, columns = as_columns(rows, rows, ("size", "name"))
        kept, left = only(uids, wanted, columns)
        self.assertEqual(kept, [uid for uid in rows if uid in wanted])
        self.assertEqual(by_uid(kept, left), {uid: rows[uid] for uid in kept})

    def test_no_columns(self) -> None:
        """Without columns rows are empty."""
        self.assertEqual(by_uid([1, 2], []), {1: (), 2: ()})

    def test_counted(self) -> None:
        """A mailbox has what its folders have."""
        folders = {"INBOX": (3, 2), "Sent": (4, 0)}
        self.assertEqual(counted(folders), MailboxCounts(7, 2, folders))
        self.assertEqual(counted({}), MailboxCounts(0, 0, {}))
