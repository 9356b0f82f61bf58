"""
What is written into the journal: what must be durable at once, and notes of what happened, which need not be.

Notes that could not be written, and those that were when the disk failed
before they were synced, are kept and written again.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Sequence

from twisted.logger import Logger

from simmail.mailstore.journal.records import Octets
from simmail.mailstore.journal.segment import Segment
from simmail.mailstore.journal.segmentpool import SegmentPool
from simmail.mailstore.journal.sync import NotSynced

#: Real seconds after which notes are synced, when nothing else has done it by then.
_LAZY = 0.5
#: What a disk that is broken says to who writes.
_BROKEN = (errno.EIO, errno.EROFS, errno.EUCLEAN, errno.ENODEV, errno.ENXIO, errno.ESTALE)


class JournalNotes:
    """
    The writing side of a journal.

    @param seconds: real time.
    @param due: answers the notes that are due, once.
    @param doubted: called with the reason when the disk may have lost what was written; nothing is written then.
    @ivar closed: nothing is written.
    """

    log = Logger()

    def __init__(
        self, pool: SegmentPool, seconds: Callable[[], float], due: Callable[[], list[Octets]],
        doubted: Callable[[str], None],
    ) -> None:
        self.closed = False
        self._pool, self._seconds, self._due, self._doubted = pool, seconds, due, doubted
        self._unwritten: list[Octets] = []
        # In the segment that was last written to.
        self._unsynced: list[Octets] = []
        self._last: Segment | None = None
        self._synced_at = 0.0

    def note(self, *more: Octets) -> None:
        """Write the notes that are due, and these."""
        notes = self._taken()
        notes += more
        if not notes:
            return
        try:
            if self.closed:
                self._unwritten = notes
            else:
                self._append(self._segment(), notes)
        except OSError as error:
            self._unwritten = notes
            self.log.warn("the journal cannot be written: {error}", error=error)
            self._failed(error)

    def _taken(self) -> list[Octets]:
        notes, self._unwritten = self._unwritten, []
        return notes + self._due()

    def write(self, records: list[Octets], meanwhile: Callable[[], None] | None = None) -> Segment:
        """
        Records are durable, with all notes; answers their segment.

        @param meanwhile: called while the disk is busy.
        @raise OSError: what is on the disk of them is unknown.
        """
        if self.closed:
            self._unwritten = self._taken()
            raise OSError(errno.EIO, "the disk may have lost what was written")
        try:
            return self._write(records, meanwhile)
        except OSError as error:
            self._failed(error)
            raise

    def _write(self, records: Sequence[Octets] = (), meanwhile: Callable[[], None] | None = None) -> Segment:
        notes = self._taken()
        try:
            segment = self._segment()
            at = segment.size
            self._append(segment, notes, records)
            notes = []
            if meanwhile is not None:
                segment.start(at)
                meanwhile()
            self._sync(segment)
        except OSError:
            self._unwritten = notes
            raise
        return segment

    def _segment(self) -> Segment:
        segment, last = self._pool.current(), self._last
        if last is not None and last is not segment and last.fd >= 0 and self._unsynced:
            last.sync()
            self._unsynced = []
        self._last = segment
        return segment

    def _append(self, segment: Segment, notes: list[Octets], records: Sequence[Octets] = ()) -> None:
        segment.append([*notes, *records])
        self._unsynced += notes

    def _sync(self, segment: Segment) -> None:
        segment.sync()
        self._unsynced = []
        self._synced_at = self._seconds()

    def sync_notes(self) -> None:
        """Notes that nothing else has synced for a while are durable."""
        if self._unsynced and not self.closed and self._seconds() - self._synced_at >= _LAZY:
            try:
                self._sync(self._segment())
            except OSError as error:
                self._failed(error)

    def _failed(self, error: OSError) -> None:
        if isinstance(error, NotSynced) or error.errno in _BROKEN:
            self.doubt(error)

    def doubt(self, error: OSError) -> None:
        """The disk may have lost what was written."""
        self.closed = True
        self._forget()
        self._doubted(error.strerror or str(error))

    def _forget(self) -> None:
        # In what nobody knows to be there; they are noted again in a segment that is.
        self._pool.fail()
        self._unwritten, self._unsynced = self._unsynced + self._unwritten, []

    def renew(self) -> None:
        """All notes are durable, in a segment that was begun after the doubt.  @raise OSError: the disk refused."""
        try:
            self._write()
        except OSError:
            self._forget()
            raise
