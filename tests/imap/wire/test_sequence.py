"""Sequence sets."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.imap.wire.replies import Bad
from simmail.imap.wire.sequence import (
    LARGEST, Ranges, gaps, members, parse_set, show_ranges, show_set, slices,
)
from tests.core.hostile import seconds

NUMBERS = st.integers(1, 30)
PIECES = st.lists(st.tuples(NUMBERS | st.just("*"), NUMBERS | st.just("*") | st.none()), min_size=1, max_size=8)


def holds(ranges: Ranges, number: int) -> bool:
    """Whether a number is in a set."""
    return any(low <= number <= high for low, high in ranges)


class SetTests(SynchronousTestCase):
    """Parsing, looking up, showing."""

    def test_table(self) -> None:
        """Order does not matter, neighbours are joined, C{*} is the last."""
        for text, last, expected in (
            (b"1", 9, [(1, 1)]), (b"3:1", 9, [(1, 3)]), (b"*", 9, [(9, 9)]), (b"*:4", 9, [(4, 9)]),
            (b"1,2,3,7:*", 9, [(1, 3), (7, 9)]), (b"5:6,1:10", 9, [(1, 10)]), (b"12:*", 9, [(9, 12)]),
            (b"1:4294967295", 9, [(1, LARGEST)]), (b"*:*", 0, [(0, 0)]),
        ):
            self.assertEqual(parse_set(text, last), expected, text)

    def test_bad(self) -> None:
        """What is no set is Bad."""
        for text in (b"", b"0", b"0:*", b"1:0", b",1", b"1,", b"1:2:3", b"a", b"1:", b"4294967296", b"99999999999",
                     b"-1", b"1 ", b"+1", b"1_0"):
            self.assertRaises(Bad, parse_set, text, 9)

    def test_fast(self) -> None:
        """64 KiB of odd numbers take no time, nor does the largest range."""
        text = b",".join(b"%d" % number for number in range(1, 26000, 2))
        uids = range(1, 100_000)

        def parsed() -> None:
            self.assertEqual(len(members(parse_set(text, 9), uids)), 13000)
            self.assertEqual(len(members(parse_set(b"1:4294967295", 9), uids)), 99_999)

        self.assertLess(seconds(parsed), 1.0)

    @given(PIECES, st.sets(NUMBERS, max_size=20))
    def test_model(self, pieces: list[tuple[int | str, int | str | None]], numbers: set[int]) -> None:
        """Membership is what counting through would give."""
        last = max(numbers, default=0)
        wanted: set[int] = set()
        for first, second in pieces:
            low = last if first == "*" else int(first)
            high = low if second is None else last if second == "*" else int(second)
            wanted.update(range(min(low, high), max(low, high) + 1))
        text = ",".join(f"{first}" if second is None else f"{first}:{second}" for first, second in pieces).encode()
        ranges = parse_set(text, last)
        ordered = sorted(numbers)
        self.assertEqual(members(ranges, ordered), sorted(wanted & numbers))
        self.assertEqual([n for n in range(1, 40) if holds(ranges, n)], sorted(wanted - {0}))
        self.assertEqual([n for begin, end in slices(ranges, ordered) for n in ordered[begin:end]],
                         sorted(wanted & numbers))

    @given(st.sets(st.integers(1, 60)))
    def test_show(self, numbers: set[int]) -> None:
        """What is shown is read as the same numbers."""
        shown = show_set(sorted(numbers))
        if numbers:
            self.assertEqual(members(parse_set(shown, 60), range(1, 61)), sorted(numbers))
        else:
            self.assertEqual(shown, b"")

    @given(st.sets(NUMBERS), PIECES, NUMBERS)
    def test_gaps(self, numbers: set[int], pieces: list[tuple[int | str, int | str | None]], last: int) -> None:
        """What a set names and is not there."""
        text = ",".join(f"{first}" if second is None else f"{first}:{second}" for first, second in pieces).encode()
        ranges = parse_set(text, 30)
        expected = [n for n in range(1, last + 1) if holds(ranges, n) and n not in numbers]
        found = gaps(ranges, sorted(numbers), last)
        self.assertEqual([n for low, high in found for n in range(low, high + 1)], expected)
        if found:
            self.assertEqual(members(parse_set(show_ranges(found), 30), range(1, 31)), expected)
