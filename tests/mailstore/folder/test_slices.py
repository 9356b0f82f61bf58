"""Work on many messages, a slice at a time."""

from __future__ import annotations

from collections.abc import Sequence

from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from simmail.mailstore.folder import changes
from simmail.mailstore.folder.changes import in_slices


class SliceTests(SynchronousTestCase):
    """C{in_slices}."""

    def setUp(self) -> None:
        self.patch(changes, "SLICE", 8)
        self.patch(changes, "FIRST", 2)
        self.under_way: list[tuple[list[int], Deferred[list[int]]]] = []

    def do(self, count: int, size: int = 0, ahead: int = 0) -> Deferred[list[int]]:
        async def do(items: list[int]) -> list[int]:
            done: Deferred[list[int]] = Deferred()
            self.under_way.append((items, done))
            return await done

        def todo(uids: Sequence[int]) -> list[int]:
            return [uid for uid in uids if uid % 10]

        return Deferred.fromCoroutine(in_slices(list(range(1, count + 1)), todo, do, size, ahead))

    def next(self, lost: list[int] | None = None) -> list[int]:
        items, done = self.under_way.pop(0)
        done.callback(lost or [])
        return items

    def test_one_after_the_other(self) -> None:
        """A slice is begun when the one before is done; what was lost in each is answered."""
        done = self.do(20)
        self.assertEqual(len(self.under_way), 1)
        self.assertEqual(self.next([3]), list(range(1, 9)))
        self.assertEqual(self.next(), [9, 11, 12, 13, 14, 15, 16])
        self.assertEqual(self.next([18]), [17, 18, 19])
        self.assertEqual(self.successResultOf(done), [3, 18])

    def test_ahead(self) -> None:
        """Slices that are begun ahead are small at first, so that the first is soon done."""
        done = self.do(30, ahead=2)
        self.assertEqual([len(items) for items, _ in self.under_way], [2, 4, 7])
        self.next()
        self.assertEqual([len(items) for items, _ in self.under_way], [4, 7, 7])
        while self.under_way:
            self.next()
        self.assertEqual(self.successResultOf(done), [])

    def test_size(self) -> None:
        """A slice may have another size; a slice in which nothing is to be done is not begun."""
        done = self.do(10, size=1)
        for uid in range(1, 10):
            self.assertEqual(self.next(), [uid])
        self.assertEqual(self.successResultOf(done), [])

    def test_one_fails(self) -> None:
        """When one fails no more are begun, and those that were begun are waited for."""
        done = self.do(100, ahead=1)
        self.under_way.pop(0)[1].errback(ValueError("no"))
        self.assertNoResult(done)
        self.next()
        self.failureResultOf(done, ValueError)
        self.assertEqual(self.under_way, [])
