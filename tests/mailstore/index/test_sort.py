"""Messages in an order, whatever the index knows of them."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred, fail

from simmail.core.message.sort import Criterion
from simmail.errors import Unavailable
from tests.contracts.mailstores import AT, a_mail, result_of
from tests.mailstore.folders import MARIA, FolderCase

BY_SUBJECT, BY_ARRIVAL, BY_SIZE = Criterion("order_subject"), Criterion("arrival", True), Criterion("size")


class SortTests(FolderCase):
    """C{ordered}."""

    def setUp(self) -> None:
        super().setUp()
        for days, subject in enumerate(("pears", "apples", "figs", "apples")):
            result_of(self.folder.append(a_mail(subject, "x" * (10 - days)), [], AT + timedelta(days=days)))

    def ordered(self, *criteria: Criterion) -> list[int]:
        uids: list[int] = result_of(self.folder.ordered(list(self.folder.uids), criteria))
        return uids

    def test_orders(self) -> None:
        """By a digest, by what the folder knows, by one after the other; the same again when it is known."""
        for _ in range(2):
            self.assertEqual(self.ordered(BY_ARRIVAL), [4, 3, 2, 1])
            self.assertEqual(self.ordered(BY_SIZE), [3, 4, 1, 2])
            self.assertEqual(self.ordered(BY_SUBJECT, BY_ARRIVAL), [4, 2, 3, 1])

    def test_index_away(self) -> None:
        """Without the index the order is the same."""
        expected = self.ordered(BY_SUBJECT, BY_ARRIVAL)

        def away(*args: Any) -> Deferred[Any]:
            return fail(Unavailable("the index is away"))

        self.patch(self.store.index, "call", away)
        self.assertEqual(self.ordered(BY_SUBJECT, BY_ARRIVAL), expected)
        self.assertEqual(self.ordered(BY_SIZE), [3, 4, 1, 2])

    def test_gone(self) -> None:
        """Those that are gone are left out, whoever removed them."""
        result_of(self.folder.expunge([4]))
        os.unlink(Path(self.path, "mail", "main", MARIA, self.folder.paths([2])[0]))
        self.assertEqual(self.ordered(BY_SUBJECT), [3, 1])
        self.assertEqual(result_of(self.folder.ordered([7, 8], (BY_SUBJECT,))), [])
