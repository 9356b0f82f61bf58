"""
How the interpreter is set so that no turn of the reactor is long.

For a process that serves; tests and tools leave it as it is.
"""

from __future__ import annotations

import gc
import sys

#: Real seconds after which a busy thread hands the interpreter on.  A reactor that waits for it at each of a few system
#: calls would otherwise (5 ms) keep everybody waiting while a thread works out something.
_SWITCH = 0.001
#: Allocations between collections of the youngest, and how many of those between collections of the others.  What
#: answers a question about 100,000 messages is then not looked through again and again while it is put together.
_THRESHOLDS = 5000, 10, 100
#: The same of a start, which makes much that stays, and hardly anything that goes.
_STARTING = 50_000, 10, 100


def expect_much() -> None:
    """Look seldom for what can go; for a start, until L{prefer_latency}."""
    gc.set_threshold(*_STARTING)


def prefer_latency() -> None:
    """Keep what is in memory now for good, and put short turns before throughput."""
    sys.setswitchinterval(_SWITCH)
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS)
