"""Real time without the time that others took."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path


class Stopwatch:
    """
    How long something takes on a machine that has nothing else to do, as the promises mean it.

    Not counted are the real seconds for which this thread, and the processes that this one has started, were kept
    from a processor by others (C{/proc/PID/schedstat}; where there is none, everything counts).
    """

    def __init__(self) -> None:
        self._waited = _kept_waiting()
        self._begin = time.monotonic()

    def seconds(self) -> float:
        """So far."""
        return time.monotonic() - self._begin - max(0.0, _kept_waiting() - self._waited)


def _kept_waiting() -> float:
    own = Path("/proc/thread-self")
    return _queued(own) + sum(map(_queued, _started(os.getpid())))


def _started(pid: int) -> Iterator[Path]:
    """The threads of the processes that one has started, and of those that they have."""
    for thread in _threads(pid):
        for child in map(int, _read(thread / "children").split()):
            yield from _threads(child)
            yield from _started(child)


def _threads(pid: int) -> list[Path]:
    place = Path(f"/proc/{pid}/task")
    try:
        return [place / name for name in os.listdir(place)]
    except OSError:
        return []


def _queued(thread: Path) -> float:
    # Nanoseconds that it ran, then nanoseconds that it could have run and did not.
    figures = _read(thread / "schedstat").split()
    return int(figures[1]) / 1e9 if figures else 0.0


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii")
    except OSError:
        # It has ended meanwhile.
        return ""
