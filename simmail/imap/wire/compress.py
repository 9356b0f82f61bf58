"""
COMPRESS: everything in both directions is deflated from here on.

What comes in is inflated a piece at a time and only while something is done
with it, so that the limits of lines and literals hold for what comes out, and
a bomb costs no memory.  What goes out is flushed with every write.
Source: RFC 4978; promises, R9, R10, S4.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

#: Octets that are inflated at once, and before the reactor has its turn.
PIECE, TURN = 32 * 1024, 512 * 1024
#: Octets that may come out of each that came in, over the whole connection; twice the largest message is free.
RATIO, FREE = 200, 2
#: Of the deflater, raw: its window and tables take 64 KiB.
_WINDOW, _MEMORY, _LEVEL = -13, 6, 1


class Inflater:
    """
    What the client sends, inflated.

    @param free: octets that may come out whatever came in.
    """

    def __init__(self, free: int) -> None:
        self._inflate = zlib.decompressobj(-zlib.MAX_WBITS)
        self._tail = b""
        self._more = False
        self._room = free

    def receive(self, octets: bytes, take: Callable[[bytes], None], going: Callable[[], bool]) -> bool:
        """
        Hand on what comes out, while that goes on.

        @param octets: what came in; empty to go on with what is left.
        @return: whether others should have their turn before the rest.
        @raise ValueError: it is no deflate stream, its end has come, or it inflates beyond all measure.
        """
        # What came out before and was not looked at.
        take(b"")
        self._tail += octets
        inflated = 0
        while (self._tail or self._more) and going():
            before = len(self._tail)
            try:
                piece = self._inflate.decompress(self._tail, PIECE)
            except zlib.error:
                raise ValueError("Not a deflate stream") from None
            self._tail = self._inflate.unconsumed_tail
            # It may hold what it has already read of.
            self._more = len(piece) == PIECE
            self._room += RATIO * (before - len(self._tail)) - len(piece)
            if self._room < 0:
                raise ValueError("Inflates too far")
            take(piece)
            if self._inflate.eof:
                raise ValueError("The deflate stream has ended")
            inflated += len(piece)
            if inflated >= TURN:
                return True
        return False

    def forget(self) -> None:
        """Nothing more is looked at."""
        self._tail, self._more = b"", False


class Deflated:
    """A transport that deflates what is written to it, and is otherwise the one below."""

    def __init__(self, transport: Any) -> None:
        self._transport = transport
        self._deflate = zlib.compressobj(_LEVEL, zlib.DEFLATED, _WINDOW, _MEMORY)

    def write(self, octets: bytes) -> None:
        """Send octets; the client can inflate all of them when they have come."""
        self._transport.write(self._deflate.compress(octets) + self._deflate.flush(zlib.Z_SYNC_FLUSH))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)
