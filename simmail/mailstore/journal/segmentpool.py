"""
The segments of the journal: which is written to, and when old ones go.

A segment is dropped when nothing in it is owed and the disk that holds the
mail has been synced.  Once a journal is busy the next segment is made ready
beside it, filled, so that syncs are cheap; of those that are dropped some are
used again.  All but the making and the syncing is done by the writer.
Source: decisions, section 20.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial

from twisted.logger import Logger

from simmail.mailstore.journal.segment import Record, Segment
from simmail.mailstore.journal.sync import Hands, NotSynced

#: Octets of segments that may wait, and real seconds that they may, before the disk is synced for their sake.
MOST_WAITING, LONGEST_WAITING = 128 * 1024 * 1024, 30.0
#: Octets after which a journal is busy (soon: until its segment is filled each sync waits for the disk's own journal,
#: with all that others renamed meanwhile), and octets that must be free on its disk for filled segments.
BUSY, ROOM = 16 * 1024, 2 * 1024 * 1024 * 1024
#: Octets of the first filled segment, and how many times as large the next one is: who is about to write little does
#: not wait for a disk that is filled for one who writes much.
FIRST, GROWTH = 1024 * 1024, 4
#: Dropped segments that are kept to be used again.
MOST_SPARE = 4

_SPARE = ".spare"
#: What segments are called, and those that are damaged when they are not needed any more.
ENDING, DAMAGED = ".journal", ".damaged"


class SegmentPool:
    """
    The segments in one directory.

    @param limit: octets of a segment, after which the next one is begun; some are smaller.
    @param boot: of the machine.
    @param doubted: called by the writer when the disk may have lost what was written.
    @ivar rebooted: the machine went down since the journal was last written.
    @ivar damage: what could not be read, for people; the files are kept (C{*.damaged}).
    @ivar hold: no segment goes.
    """

    log = Logger()

    def __init__(self, path: str, limit: int, boot: str, hands: Hands, doubted: Callable[[OSError], None]) -> None:
        self.rebooted = self.hold = False
        self.damage: list[str] = []
        self._path, self._limit, self._boot, self._hands, self._doubted = path, limit, boot, hands, doubted
        self._segment: Segment | None = None
        self._next: Segment | None = None
        self._closed: list[Segment] = []
        self._closed_since: float | None = None
        self._spare: list[str] = []
        self._number = 0
        self._written = 0
        self._filled = min(FIRST, limit)
        self._making = self._syncing = self._ended = False

    def open(self) -> Iterator[Record]:
        """Every record that is there, in order."""
        for name in sorted(os.listdir(self._path)):
            path = f"{self._path}/{name}"
            number, ending = os.path.splitext(name)
            if ending == _SPARE:
                os.unlink(path)
            if ending == DAMAGED:
                self.damage.append(f"{name} was kept, with what can be read of it; remove it when it is of no more use")
                self._number = max(self._number, int(number) if number.isdigit() else 0)
            if ending != ENDING or not number.isdigit():
                continue
            self._number = max(self._number, int(number))
            segment = Segment.open(path)
            if segment is None:
                os.unlink(path)
                continue
            if segment.boot != self._boot:
                self.rebooted = True
            yield from segment.records()
            self.damage += describe_damage(name, segment)
            if segment.torn:
                self.log.info("{name} ends with {torn} octets of a record that is not whole, as a crash leaves it",
                              name=name, torn=segment.torn)
            self._closed.append(segment)

    def segments(self) -> list[Segment]:
        """All of them, in order."""
        return [*self._closed, *([self._segment] if self._segment is not None else [])]

    def fail(self) -> None:
        """What was written last may be lost: nothing goes into the segment, nor into the one made ready, nor away."""
        self.hold = True
        if self._segment is not None:
            self._segment.failed = True
        made, self._next = self._next, None
        if made is not None:
            self._go(made.drop)

    def _go(self, how: Callable[..., None], *args: object) -> bool:
        """A segment goes; it stays where the disk refuses that."""
        try:
            how(*args)
        except OSError as error:
            self.log.warn("a segment cannot be removed: {error}", error=error)
            return False
        return True

    def current(self) -> Segment:
        """The segment to append to.  @raise OSError: there is no room for one."""
        segment = self._segment
        if segment is not None and (self._left(segment) <= 0 or segment.failed):
            self._retire()
            segment = None
        if segment is None:
            segment, self._next = self._next, None
            if segment is None:
                self._number += 1
                segment = Segment.create(self._numbered(self._number), self._boot)
            self._segment = segment
        return segment

    def _left(self, segment: Segment) -> int:
        """Octets that may still be appended to a segment."""
        return (segment.filled or self._limit) - segment.size

    def _numbered(self, number: int) -> str:
        return f"{self._path}/{number:010d}{ENDING}"

    def _retire(self) -> None:
        if self._segment is not None:
            self._written += self._segment.size
            self._closed.append(self._segment)
            self._segment = None

    def close(self, keep: bool) -> None:
        """Nothing more is written; all mail was synced.  C{keep}: something is still owed."""
        self._ended = True
        self._retire()
        if self._next is not None:
            self._go(self._next.drop)
        for segment in self._closed:
            if keep:
                segment.close()
            elif segment.damage:
                segment.leave(self._damaged(segment), unused=False)
            else:
                segment.drop()
        for path in self._spare:
            os.unlink(path)
        self._next, self._closed, self._spare = None, [], []

    def _damaged(self, segment: Segment) -> str:
        return os.path.splitext(segment.path)[0] + DAMAGED

    # The next one

    def check(self, mending: bool) -> None:
        """Make the next segment ready when it is time; see whether old ones can go, unless files are C{mending}."""
        if self._ended:
            return
        segment = self._segment
        if segment is not None and self._left(segment) <= 0:
            self._retire()
        if not self._making and self._next is None and self._wants_next():
            self._making = True
            self._number += 1
            again = bool(self._spare)
            beside = self._spare.pop() if again else f"{self._path}/{self._number:010d}{_SPARE}"
            self._hands.syncer(self._make, self._numbered(self._number), beside, again, self._filled)
        if not (self._syncing or mending or not self._closed or self._closed[0].ids):
            self._check_old()

    def _wants_next(self) -> bool:
        """Whether the journal is busy, and half of a segment that is filled is used up."""
        segment = self._segment
        if segment is not None and 2 * segment.size < segment.filled:
            return False
        return self._written + (segment.size if segment is not None else 0) >= BUSY

    def _make(self, path: str, beside: str, again: bool, octets: int) -> None:
        """In the syncer's thread."""
        made: Segment | None = None
        failed: OSError | None = None
        try:
            disk = os.statvfs(self._path)
            if disk.f_bavail * disk.f_frsize >= ROOM:
                made = Segment.filled_to(path, self._boot, octets, beside, again)
        except OSError as error:
            self.log.info("no segment could be made ready: {error}", error=error)
            failed = error
        self._hands.writer(self._made, made, failed)

    def _made(self, made: Segment | None, failed: OSError | None) -> None:
        if isinstance(failed, NotSynced):
            self._doubted(failed)
        if self._ended or self.hold:
            self._making = False
            if made is not None:
                self._go(made.drop)
            return
        self._making = False
        if made is None:
            # Without room for it nothing is tried for a while.
            self._written = -self._limit
        elif any(one.path > made.path for one in self.segments()[-1:]):
            # One was begun meanwhile.  They are read in the order of their numbers, so this gets another.
            self._spare_it(made)
        else:
            self._next = made
            self._filled = min(GROWTH * made.filled, self._limit)
            if self._segment is not None and not self._segment.filled:
                self._retire()

    # Old ones

    def _check_old(self) -> None:
        now = self._hands.seconds()
        if self._closed_since is None:
            self._closed_since = now
        if (now - self._closed_since < LONGEST_WAITING
                and sum(segment.size for segment in self._closed) < MOST_WAITING):
            return
        self._syncing = True
        count = next((at for at, segment in enumerate(self._closed) if segment.ids), len(self._closed))
        self._hands.sync(partial(self._drop, self._closed[:count]))

    def _drop(self, dropped: list[Segment], failed: OSError | None) -> None:
        if self._ended:
            return
        self._closed_since = None
        self._syncing = False
        if failed is not None:
            self.log.warn("the disk cannot be synced: {error}", error=failed)
            self._doubted(failed)
        if self.hold:
            return
        for segment in dropped:
            self._closed.remove(segment)
            if segment.damage:
                self._go(segment.leave, self._damaged(segment), False)
            elif segment.filled and len(self._spare) < MOST_SPARE:
                self._spare_it(segment)
            else:
                self._go(segment.drop)

    def _spare_it(self, segment: Segment) -> None:
        """A segment is to be used again."""
        self._number += 1
        beside = f"{self._path}/{self._number:010d}{_SPARE}"
        if self._go(segment.leave, beside):
            self._spare.append(beside)


def describe_damage(name: str, segment: Segment) -> list[str]:
    """What of a segment could not be read, for people."""
    return [f"{name}: {hole.length} octets at {hole.at} cannot be read" for hole in segment.damage]
