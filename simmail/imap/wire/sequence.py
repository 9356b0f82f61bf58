"""
Sequence sets: sorted, merged, and looked up by bisection, whatever numbers they name.

C{1:4294967295} is one range; nothing ever counts through a range.
Source: RFC 3501 section 9 (C{sequence-set}), RFC 7162 (C{known-uids}), RFC 9394 (C{partial-range}).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from simmail.imap.wire.replies import Bad

Ranges = list[tuple[int, int]]

LARGEST = (1 << 32) - 1
_SHAPE = re.compile(rb"(?:\d{1,10}|\*)(?::(?:\d{1,10}|\*))?(?:,(?:\d{1,10}|\*)(?::(?:\d{1,10}|\*))?)*")


class PartialRange(NamedTuple):
    """Some of the results, counted from 1, or from the last one backwards; C{text}: as it was asked for."""

    low: int
    high: int
    backwards: bool
    text: bytes

    def cut(self, count: int) -> tuple[int, int]:
        """Of so many results, (begin, end) for slicing; equal for none."""
        low, high = min(self.low - 1, count), min(self.high, count)
        return (count - high, count - low) if self.backwards else (low, high)


def parse_set(text: bytes, last: int) -> Ranges:
    """
    The ranges of a set, ascending and merged.

    @param last: what C{*} means.
    @raise Bad: not a set, or a number out of range.
    """
    if not _SHAPE.fullmatch(text):
        raise Bad("Malformed message set")
    found: Ranges = []
    for piece in text.split(b","):
        first, colon, second = piece.partition(b":")
        low = last if first == b"*" else int(first)
        high = low if not colon else last if second == b"*" else int(second)
        if low > high:
            low, high = high, low
        # Zero is no number; but "*" of an empty mailbox is.
        if (low == 0 and b"*" not in piece) or first.strip(b"0") == b"" or high > LARGEST or (
                colon and second.strip(b"0") == b""):
            raise Bad("Message number out of range")
        found.append((low, high))
    return merged(found)


def merged(found: Ranges) -> Ranges:
    """Ranges ascending, without overlap or touch."""
    found.sort()
    result: Ranges = []
    for low, high in found:
        if result and low <= result[-1][1] + 1:
            if high > result[-1][1]:
                result[-1] = result[-1][0], high
        else:
            result.append((low, high))
    return result


def slices(ranges: Ranges, numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Where in an ascending sequence the members of a set are: (begin, end) for slicing."""
    at = 0
    for low, high in ranges:
        begin = bisect_left(numbers, low, at)
        end = bisect_right(numbers, high, begin)
        if begin < end:
            yield begin, end
        at = end


def members(ranges: Ranges, numbers: Sequence[int]) -> list[int]:
    """The members of a set that are in an ascending sequence."""
    found: list[int] = []
    for begin, end in slices(ranges, numbers):
        found.extend(numbers[begin:end])
    return found


def gaps(ranges: Ranges, numbers: Sequence[int], last: int) -> Ranges:
    """What of a set, up to C{last}, an ascending sequence lacks."""
    found: Ranges = []
    for low, high in ranges:
        at, high = max(low, 1), min(high, last)
        for number in numbers[bisect_left(numbers, at):bisect_right(numbers, high)]:
            if at < number:
                found.append((at, number - 1))
            at = number + 1
        if at <= high:
            found.append((at, high))
    return found


def show_ranges(ranges: Ranges) -> bytes:
    """Ranges as a set."""
    return b",".join([b"%d" % low if low == high else b"%d:%d" % (low, high) for low, high in ranges])


def spread(ranges: Ranges, most: int) -> Iterator[int]:
    """The numbers of a set one by one, not more than some."""
    for low, high in ranges:
        for number in range(low, min(high, low + most) + 1):
            if not most:
                return
            most -= 1
            yield number


def show_set(numbers: Iterable[int]) -> bytes:
    """Ascending numbers as a set, empty for none."""
    pieces: list[bytes] = []
    low = high = -1
    for number in numbers:
        if number == high + 1 and high > 0:
            high = number
            continue
        if low > 0:
            pieces.append(b"%d" % low if low == high else b"%d:%d" % (low, high))
        low = high = number
    if low > 0:
        pieces.append(b"%d" % low if low == high else b"%d:%d" % (low, high))
    return b",".join(pieces)
