"""How many messages each mailbox has: counted once, followed from then on."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings, strategies as st

from tests.contracts.mailstores import a_delivery, result_of
from tests.mailstore.folders import JOE, MARIA, FolderCase


class CountTests(FolderCase):
    """C{MessageCounts}, as the store keeps it."""

    def counts(self) -> Any:
        return {mailbox: (one.total, one.unread, dict(one.folders))
                for mailbox, one in result_of(self.store.counts()).items()}

    def test_followed(self) -> None:
        """What is filed, flagged, moved and removed is counted, in loaded folders and in others."""
        self.assertEqual(self.counts(), {MARIA: (0, 0, {})})
        self.fill(3)
        self.assertEqual(self.counts()[MARIA], (3, 3, {"INBOX": (3, 3)}))
        result_of(self.folder.flag([1], ["\\Seen"], "+"))
        result_of(self.folder.move([2], self.archive))
        self.assertEqual(self.counts()[MARIA], (3, 2, {"INBOX": (2, 1), "Archive": (1, 1)}))
        result_of(self.folder.expunge([1, 3]))
        result_of(self.store.accept(a_delivery(1, JOE, (JOE, "Lists", ("\\Seen",)))))
        self.assertEqual(self.counts(), {
            MARIA: (1, 1, {"Archive": (1, 1)}), JOE: (2, 1, {"INBOX": (1, 1), "Lists": (1, 0)})})
        self.assertEqual(result_of(self.store.totals()), {"Archive": 1, "INBOX": 1, "Lists": 1})

    def test_renamed_and_deleted(self) -> None:
        """Counts go with a folder that is called something else, and with a mailbox that is removed."""
        result_of(self.store.accept(a_delivery(1, (MARIA, "Lists"))))
        self.counts()
        result_of(self.store.rename_folder(MARIA, "Lists", "Old"))
        self.assertEqual(self.counts()[MARIA], (1, 1, {"Old": (1, 1)}))
        result_of(self.store.delete(MARIA))
        self.assertEqual((self.counts(), result_of(self.store.totals())), ({}, {}))

    def test_same_as_counted(self) -> None:
        """What was followed is what the next process counts."""
        @settings(max_examples=10, deadline=None)
        @given(st.lists(st.tuples(st.sampled_from("afmx"), st.integers(1, 8)), max_size=6))
        def same(steps: list[tuple[str, int]]) -> None:
            self.folder, self.archive = self.loaded("INBOX"), self.loaded("Archive")
            self.counts()
            for step, uid in steps:
                if step == "a":
                    self.fill(1)
                elif step == "f":
                    result_of(self.folder.flag([uid], ["\\Seen"], "+"))
                elif step == "m":
                    result_of(self.folder.move([uid], self.archive))
                else:
                    result_of(self.archive.expunge([uid]))
            followed = self.counts()
            self.store = self.provider.restart()
            self.assertEqual(self.counts(), followed)

        same()
