"""How deep a stack may get: what grows with the number of those who wait is found at once."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def shallow(frames: int = 100) -> Iterator[None]:
    """So many frames more than here, and none besides."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + frames)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
