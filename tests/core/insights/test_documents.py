"""Tests for C{simmail.core.insights.documents}; that nothing is lost on the way is shown by the report's."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.insights.cells import Figure
from simmail.core.insights.documents import DAYS, GROUPS, MAILS, TABLES, changes, restored
from simmail.core.insights.state import CHUNK, SentMail, State


class DocumentTests(SynchronousTestCase):
    """What is written down."""

    def test_changes_only(self) -> None:
        """Only what changed is put, and what is gone is dropped; how far it goes is said each time."""
        state = State()
        group = state.campaign("a@b.test", "Grüße")
        state.add(5, group, Figure.SENT)
        state.keep_sent("<1@b.test>", SentMail(1, 5 * 86_400, group, ("b.test",), ("rp_1",)))
        puts, drops = changes(state, state.take_changed())
        self.assertEqual({(table, key) for table, key, _ in puts}, {
            (DAYS, "state"), (DAYS, "day 5"), (GROUPS, str(group)), (MAILS, "0")})
        self.assertEqual(drops, ())
        state.through = 7
        state.keep_sent("<2@b.test>", SentMail(5000, 500 * 86_400, group, ()))
        state.add(500, group, Figure.SENT)
        puts, drops = changes(state, state.take_changed())
        self.assertEqual({key for _, key, _ in puts}, {"state", "day 500", str(5000 >> CHUNK)})
        self.assertEqual(set(drops), {(DAYS, "day 5"), (MAILS, "0")})

    def test_nothing(self) -> None:
        """Without documents it begins at the beginning."""
        self.assertEqual(restored({name: {} for name in TABLES}).through, 0)
