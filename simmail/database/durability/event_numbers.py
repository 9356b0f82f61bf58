"""
Which event numbers were used, as a file beside the mail says: what Redis lost it cannot tell itself.

Written once a second at the most and when the service stops.  After a crash it
may be behind by what came since, so numbers jump ahead, unless the same run of
Redis goes on.  Source: decisions, section 20.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from twisted.internet.defer import Deferred
from twisted.internet.threads import deferToThreadPool
from twisted.logger import Logger

from simmail.durable import write

#: Real seconds between two notes.
NOTED = 1.0

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


class NoteKeeper:
    """
    Keeps the file up to what is used.

    @param run: of Redis now; used: the highest event number that was told of, by hash tag.
    @ivar continued: it is the Redis that was noted, which then had all there was.
    """

    _log = Logger()

    def __init__(
        self, file: EventNumbers, reactor: Any, run: Callable[[], str], used: Callable[[], Mapping[str, int]]
    ) -> None:
        self.file = file
        self.continued = False
        self._reactor, self._run, self._used = reactor, run, used
        self._recovered = self._closed = False
        self._noted: Mapping[str, int] = {}
        self._noted_at = 0.0
        self._noting: Deferred[None] | None = None

    def read(self) -> NotedNumbers | None:
        """What an earlier process noted; None when there was none."""
        noted, run = self.file.read(), self._run()
        self.continued = noted is not None and bool(run) and noted.run == run
        return noted

    def write(self, clean: bool = False) -> None:
        """Note what is used now."""
        self._noted = self._used()
        try:
            # Of a run that may still lack something nothing is known.
            run = self._run() if self.continued or self._recovered else ""
            self.file.write(run, self._noted, clean)
        except OSError as error:
            self._log.warn("which event numbers were used cannot be noted: {error}", error=error)

    def look(self) -> None:
        """Note it in a thread, once a second at the most."""
        if self._reactor.seconds() - self._noted_at >= NOTED and self._noted != self._used():
            self._note()

    def recovered(self) -> None:
        """Redis has all there was: the note says so from now on."""
        if not self._recovered:
            self._recovered = True
            self._noted = {}
            self._note()

    def _note(self) -> None:
        if self._noting is None and not self._closed:
            self._noted_at = self._reactor.seconds()
            self._noting = deferToThreadPool(self._reactor, self._reactor.getThreadPool(), self.write)
            self._noting.addBoth(self._noted_now)

    def _noted_now(self, result: object) -> None:
        self._noting = None

    async def close(self) -> None:
        """Nothing is used any more: what was is noted for good."""
        self._closed = True
        if self._noting is not None:
            await self._noting
        self.write(clean=True)


def ahead(noted: NotedNumbers, run: str, prefix: str, last: int) -> int:
    """The number a universe's events go on from, where C{last} is what Redis says."""
    known = max(last, noted.last.get(prefix, 0))
    if noted.clean or run and noted.run == run:
        # All that was used is known, or nothing was lost.
        return known
    return known + JUMP
