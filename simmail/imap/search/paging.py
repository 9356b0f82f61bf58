"""
Pages of results and of messages.

Source: RFC 9394 (PARTIAL).
"""

from __future__ import annotations

from typing import NamedTuple

from simmail.imap.wire.parser import Arguments
from simmail.imap.wire.replies import Bad
from simmail.imap.wire.sequence import LARGEST


class Page(NamedTuple):
    """Some of the results, counted from 1, or from the last one backwards; C{text}: as it was asked for."""

    low: int
    high: int
    backwards: bool
    text: bytes

    def cut(self, count: int) -> tuple[int, int]:
        """Of so many results, (begin, end) for slicing; equal for none."""
        low, high = min(self.low - 1, count), min(self.high, count)
        return (count - high, count - low) if self.backwards else (low, high)


def parse_page(arguments: Arguments) -> Page:
    """A range of results such as C{1:500} or C{-1:-100}."""
    start = arguments.at
    backwards = arguments.skip(b"-")
    first = arguments.number(1, LARGEST)
    arguments.expect(b":")
    if arguments.skip(b"-") is not backwards:
        raise Bad("Expected a range of results such as 1:500 or -1:-100")
    second = arguments.number(1, LARGEST)
    text = arguments.octets[start:arguments.at]
    return Page(min(first, second), max(first, second), backwards, text)
