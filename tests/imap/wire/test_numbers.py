"""Many numbers at once."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.imap.wire import numbers
from simmail.imap.wire.numbers import Digits, placed, runs

_BLOCKS = st.lists(st.tuples(st.integers(1, 60), st.integers(1, 90)), max_size=12)


def blocks(some: list[tuple[int, int]]) -> list[int]:
    """Ascending numbers: so many left out, so many in a row."""
    found, at = [], 0
    for gap, length in some:
        found += range(at + gap, at + gap + length)
        at = found[-1] + 1
    return found


class NumberTests(SynchronousTestCase):
    """Runs and their digits."""

    def test_digits(self) -> None:
        """Every run reads as its numbers do."""
        digits = Digits()
        for first, last in ((1, 1), (1, 9), (5, 20), (98, 102), (990, 10_011), (1, 20_000), (99_999, 100_001), (7, 7)):
            self.assertEqual(digits.run(first, last).split(b" "), [b"%d" % one for one in range(first, last + 1)])

    def test_most(self) -> None:
        """What is kept of digits has a limit, what is asked for has none."""
        self.patch(numbers, "_MOST", 5000)
        digits = Digits()
        for first, last in ((4000, 5000), (4000, 5001), (70_000, 70_100)):
            self.assertEqual(digits.run(first, last).split(b" "), [b"%d" % one for one in range(first, last + 1)])
        self.assertLess(len(digits._octets), 30_000)

    @given(_BLOCKS)
    def test_runs(self, some: list[tuple[int, int]]) -> None:
        """Runs hold every number once, in order."""
        found = blocks(some)
        told = [one for first, last in runs(len(found), found.__getitem__) for one in range(first, last + 1)]
        self.assertEqual(told, found)

    def test_few(self) -> None:
        """One run of a hundred thousand is one step."""
        self.assertEqual(list(runs(100_000, range(5, 100_005).__getitem__)), [(5, 100_004)])

    @given(_BLOCKS, _BLOCKS)
    def test_placed(self, known: list[tuple[int, int]], wanted: list[tuple[int, int]]) -> None:
        """UIDs become sequence numbers."""
        uids = blocks(known)
        among = set(blocks(wanted))
        found = [uid for uid in uids if uid in among]
        told = [one for first, last in runs(len(found), placed(found, uids)) for one in range(first, last + 1)]
        self.assertEqual(told, [uids.index(uid) + 1 for uid in found])
