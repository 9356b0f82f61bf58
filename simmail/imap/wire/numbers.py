"""
Many numbers as they are sent: runs of neighbours are found by bisection and cut out of one long row of digits.

A mailbox of a hundred thousand unread messages is then searched without a
step for each.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence

#: The highest number whose digits are kept, which takes seven megabytes.
_MOST = 1_000_000
#: So few neighbours are written one by one.
_FEW = 8
#: So few numbers are looked at one by one.
_SMALL = 32


class Digits:
    """C{1 2 3 4 ...} as far as anybody has asked for it."""

    def __init__(self) -> None:
        self._octets = b""
        self._last = 0

    def run(self, first: int, last: int) -> bytes:
        """The numbers from one to another, with blanks between."""
        if last - first < _FEW or last > _MOST:
            return b" ".join([b"%d" % number for number in range(first, last + 1)])
        if last > self._last:
            self._learn(min(max(last, 2 * self._last), _MOST))
        return self._octets[_before(first):_before(last + 1) - 1]

    def _learn(self, last: int) -> None:
        """Up to a number, or a little further."""
        begin, end = (self._last + 1) // 1000, last // 1000 + 1
        below = b"".join([b"\0%03d " % number for number in range(1000)])
        pieces = [self._octets, *[below.replace(b"\0", b"%d" % thousand) for thousand in range(max(begin, 1), end)]]
        if not begin:
            pieces[0] = b"%d " * 999 % tuple(range(1, 1000))
        self._octets = b"".join(pieces)
        self._last = 1000 * end - 1


def _before(number: int) -> int:
    """Octets of all numbers from 1 to before this one, each with a blank."""
    octets, first = 0, 1
    for digits in range(1, len(str(number)) + 1):
        octets += (digits + 1) * (min(number, 10 * first) - first)
        first *= 10
    return octets


def runs(count: int, number: Callable[[int], int]) -> Iterator[tuple[int, int]]:
    """
    Runs of neighbours among ascending numbers, as (first, last); one may be told in two pieces.

    @param number: the number in a place, from 0 to before C{count}.
    """
    waiting = [(0, count)] if count else []
    while waiting:
        begin, end = waiting.pop()
        first, last = number(begin), number(end - 1)
        if last - first == end - 1 - begin:
            yield first, last
        elif end - begin <= _SMALL:
            for at in range(begin, end):
                one = number(at)
                yield one, one
        else:
            middle = (begin + end) // 2
            waiting += [(middle, end), (begin, middle)]


def placed(found: Sequence[int], uids: Sequence[int]) -> Callable[[int], int]:
    """Turns a place in some of the UIDs into a sequence number."""
    return lambda at: bisect_left(uids, found[at]) + 1
