"""
What can still be read of a damaged segment: the next record behind the damage, and the salt when the beginning is gone.

The head of each record has a checksum of its own, begun from the salt of the
segment, which nobody outside knows: nothing in a message, and nothing that an
earlier use left behind, is taken for a record.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from zlib import crc32

#: Octets that are looked through at once.
_WINDOW = 1 << 20
_HEAD = 17

_TABLE = [crc32(bytes((octet,)), 0xFFFFFFFF) ^ 0xFFFFFFFF for octet in range(256)]
_BY_TOP = {entry >> 24: (number, entry) for number, entry in enumerate(_TABLE)}


def candidates(kinds: bytes, most: int) -> re.Pattern[bytes]:
    """
    Where a head may be: a kind, and two lengths.

    @param most: no length is greater.
    """
    length = b"...[\\0-" + re.escape(bytes((most >> 24,))) + b"]"
    return re.compile(b"(?s)[" + kinds + b"](?=" + length + length + b")")


def search(
    pattern: re.Pattern[bytes], salt: int, read: Callable[[int, int], bytes], at: int, end: int,
    good: Callable[[int], bool],
) -> int:
    """
    Where the first head is from C{at} on that is C{good}; -1 for nowhere.

    A head is eight octets, the last four of which are the checksum of the nine behind them, which the pattern finds.

    @param read: takes how many octets and from where.
    """
    while at + _HEAD <= end:
        octets = read(min(_WINDOW, end - at), at)
        for found in pattern.finditer(octets, 8):
            begin = found.start()
            told = crc32(octets[begin:begin + 9], salt)
            if octets[begin - 4:begin] == told.to_bytes(4, "little") and good(at + begin - 8):
                return at + begin - 8
        if len(octets) < _WINDOW:
            return -1
        at += len(octets) - _HEAD + 1
    return -1


def start_of(octets: bytes, checksum: int) -> int:
    """From what the CRC-32 of some octets was begun when this is what came out."""
    state = checksum ^ 0xFFFFFFFF
    for octet in reversed(octets):
        number, entry = _BY_TOP[state >> 24]
        state = ((state ^ entry) << 8) & 0xFFFFFFFF | number ^ octet
    return state ^ 0xFFFFFFFF
