"""
Octets that are kept for a while, in blocks of memory that go back to the system as a whole.

Kept one by one they leave holes: something that stays for longer may lie
between any two of them, and then the C library keeps the room of both.
"""

from __future__ import annotations

from mmap import MAP_ANONYMOUS, MAP_PRIVATE, mmap

#: Octets of a block; what is longer has one of its own.
BLOCK = 1 << 18


class Blocks:
    """What is kept one behind the other: a block goes when nobody has anything of it any more."""

    def __init__(self) -> None:
        self._block = memoryview(bytearray())
        self._used = 0

    def keep(self, octets: bytes) -> memoryview:
        """The same octets, as long as the answer is kept."""
        end = self._used + len(octets)
        if end > len(self._block):
            size, self._used, end = max(BLOCK, len(octets)), 0, len(octets)
            self._block = memoryview(mmap(-1, size, MAP_PRIVATE | MAP_ANONYMOUS))
        kept = self._block[self._used:end]
        kept[:] = octets
        self._used = end
        return kept.toreadonly()
