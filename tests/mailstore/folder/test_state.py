"""What a loaded folder says at once."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.folder import FolderChange
from simmail.core.time.instant import of_microseconds
from simmail.errors import NotFound
from simmail.mailstore.folder.state import FolderState
from simmail.mailstore.maildir.filename import Row

COLUMNS = ("uid", "size", "modseq", "arrival", "flags", "date", "recent", "key")


def a_state(uids: Sequence[int], keywords: tuple[str, ...] = ("Key",)) -> FolderState:
    """A folder; every second message is seen, every third has a keyword."""
    state = FolderState("maria@acme.test", "INBOX")
    state.table.learn(keywords)
    seen, key = state.table.bit("\\Seen"), state.table.bit("Key")
    state.append_rows([
        Row(uid, seen * (not uid % 2) | key * (not uid % 3), 100 + uid, 1_000_000 * uid, 10 + uid, not uid % 5,
            f"d-{uid}") for uid in uids])
    return state


class StateTests(SynchronousTestCase):
    """C{FolderState}."""

    def test_counts(self) -> None:
        """Counts, the status and what is next are those of the messages that are there."""
        state = a_state([1, 2, 3, 6, 10])
        self.assertEqual(state.counts(), (5, 2, 1))
        status = state.status()
        self.assertEqual((status.total, status.unseen, status.recent, status.uidnext, status.highestmodseq),
                         (5, 2, 1, 11, 20))
        self.assertEqual(status.size, 5 * 100 + 22)
        self.assertEqual((state.unseen(), state.first_unseen()), ([1, 3], 1))
        self.assertEqual(list(state.having("key")), [3, 6])
        self.assertEqual(list(state.having("Other")), [])
        self.assertEqual((state.find("d-6"), state.find("d-7")), (6, None))
        self.assertEqual((state.changed(13), state.changed(20)), ([6, 10], []))

    def test_known_again(self) -> None:
        """Messages that are known already are not told again."""
        state, told = a_state([1, 2]), list[FolderChange]()
        state.listen(told.append)
        self.assertTrue(state.watched)
        row = Row(2, 0, 1, 0, 30, False, "d-2")
        state.append_rows([row])
        self.assertEqual(told, [])
        state.append_rows([row, row._replace(uid=4, key="d-4"), row._replace(uid=3, key="d-3")])
        self.assertEqual([(change.kind, change.uids) for change in told], [("added", (4,))])
        state.unlisten(told.append)
        self.assertFalse(state.watched)
        self.assertEqual(list(state.uids), [1, 2, 4])

    def test_gone(self) -> None:
        """Of a folder that is gone nothing is left; that is told once."""
        state, told = a_state([1, 2]), list[str]()
        state.listen(lambda change: told.append(change.kind))
        state.require()
        state.reset()
        state.reset()
        self.assertEqual((told, list(state.uids), state.counts()), (["reset"], [], (0, 0, 0)))
        self.assertRaises(NotFound, state.require)

    @given(st.sets(st.integers(1, 60)), st.lists(st.integers(0, 61)))
    def test_columns(self, there: set[int], asked: list[int]) -> None:
        """A column says what entries say one by one, of neighbours or of any; None for those that are not there."""
        state = a_state(sorted(there))
        for uids in (asked, sorted(there), sorted(there)[1:4]):
            entries = [state.entry(uid) for uid in uids]
            for name in COLUMNS:
                expected = [
                    None if one is None else f"d-{one.uid}" if name == "key" else 1_000_000 * one.uid
                    if name == "arrival" else getattr(one, name) for one in entries]
                self.assertEqual(state.column(name, uids), expected, name)
            self.assertEqual(list(state.there(uids)), [one.uid for one in entries if one is not None])
            self.assertEqual(state.entries(uids), [one for one in entries if one is not None])
            self.assertEqual([path is None for path in state.paths(uids)], [one is None for one in entries])
        self.assertTrue(all(one.date == of_microseconds(1_000_000 * one.uid) for one in state.entries(sorted(there))))
