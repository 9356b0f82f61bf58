"""
Which event numbers were used, as a file beside the mail says: what Redis lost it cannot tell itself.

Written once a second at the most and when the service stops.  After a crash it
may be behind by what came since, so numbers jump ahead, unless the same run of
Redis goes on.  Source: decisions, section 20.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from simmail.durable import write

#: Numbers left out after a crash: more than a second can use.
JUMP = 100_000


class NotedNumbers(Struct, frozen=True):
    """
    What the file says.

    @ivar run: of Redis (C{synced.run_of}); clean: nothing was used since.
    @ivar last: the highest event number used, by hash tag.
    """

    run: str = ""
    clean: bool = False
    last: dict[str, int] = {}


class EventNumbers:
    """The file of one state folder; C{broken}: it was there and could not be read."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.broken = False

    def read(self) -> NotedNumbers | None:
        """What an earlier process noted; None when there was none."""
        try:
            octets = self._path.read_bytes()
        except FileNotFoundError:
            return None
        try:
            return msgspec.json.decode(octets, type=NotedNumbers)
        except msgspec.DecodeError:
            # The machine went down while it was new.
            self.broken = True
            return NotedNumbers()

    def write(self, run: str, last: Mapping[str, int], clean: bool) -> None:
        """Note it, whole or not at all.  @raise OSError: the disk refused."""
        write(self._path, msgspec.json.encode(NotedNumbers(run, clean, dict(last))))


def ahead(noted: NotedNumbers, run: str, prefix: str, last: int) -> int:
    """The number a universe's events go on from, where C{last} is what Redis says."""
    known = max(last, noted.last.get(prefix, 0))
    if noted.clean or run and noted.run == run:
        # All that was used is known, or nothing was lost.
        return known
    return known + JUMP
