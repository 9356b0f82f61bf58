"""
How the C library is set so that memory that is not used any more goes back to the system.

For a process that serves; without the GNU C library there is nothing to set.
"""

from __future__ import annotations

import ctypes

#: Octets from which on a block is got from the system and given back on its own, and free octets at the end of a heap
#: that are kept.  Left alone the library raises both with the largest block it has seen, to 32 and 64 MiB: hashing
#: one password takes 16 MiB, which each thread that ever did it would then keep.
_BLOCK, _KEPT = 1 << 18, 1 << 18

#: Numbers of C{mallopt} (malloc.h).
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3

#: Real seconds between two times of L{trim}.
TRIM = 5.0


def give_back() -> bool:
    """Set it; answers whether it was."""
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return False
    return bool(mallopt(_M_MMAP_THRESHOLD, _BLOCK)) and bool(mallopt(_M_TRIM_THRESHOLD, _KEPT))


def trim() -> bool:
    """
    Give back what is free between things that are used, too; answers whether there was any.

    It takes half a millisecond, and about one more for each 5 MiB that go.
    """
    try:
        malloc_trim = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return False
    return bool(malloc_trim(_KEPT))
