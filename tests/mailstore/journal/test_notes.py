"""What is written into the journal at once, and notes that are not."""

from __future__ import annotations

import errno
import os
from typing import Any

from twisted.internet.task import Clock
from twisted.logger import capturedLogs
from twisted.trial.unittest import SynchronousTestCase

from simmail.mailstore.journal.notes import JournalNotes
from simmail.mailstore.journal.records import Octets, SETTLED
from simmail.mailstore.journal.segment import Segment
from simmail.mailstore.journal.segmentpool import SegmentPool
from simmail.mailstore.journal.sync import NotSynced, Hands


def note(number: int) -> Octets:
    """One note."""
    return SETTLED, b"note %d" % number, b""


class NotesTests(SynchronousTestCase):
    """The writing side of one journal."""

    def setUp(self) -> None:
        self.path, self.clock = self.mktemp(), Clock()
        self.clock.advance(100)
        os.makedirs(self.path)
        self.due: list[Octets] = []
        self.doubts: list[str] = []
        self.syncs = 0
        self.pool = SegmentPool(
            self.path, 1 << 20, "", Hands(self.clock.seconds, self.later, self.later, lambda: None), lambda error: None)
        self.notes = JournalNotes(self.pool, self.clock.seconds, self.take, self.doubts.append)
        real = Segment.sync

        def sync(segment: Segment) -> None:
            self.syncs += 1
            real(segment)
        self.patch(Segment, "sync", sync)
        self.addCleanup(lambda: self.pool.close(True))

    def later(self, *args: Any) -> None:
        raise AssertionError("nothing is made ready")

    def take(self) -> list[Octets]:
        due, self.due = self.due, []
        return due

    def written(self) -> list[bytes]:
        return [one.description for segment in self.pool.segments() for one in segment.records()]

    def test_durable(self) -> None:
        """What is written is synced, with the notes that are due before it."""
        self.due = [note(1)]
        segment = self.notes.write([note(2)])
        self.assertEqual((self.written(), self.syncs, self.pool.segments()), ([b"note 1", b"note 2"], 1, [segment]))

    def test_meanwhile(self) -> None:
        """While the disk is busy something else is done, after all is on its way."""
        seen: list[tuple[list[bytes], int]] = []
        self.notes.write([note(1)], lambda: seen.append((self.written(), self.syncs)))
        self.assertEqual((seen, self.syncs), ([([b"note 1"], 0)], 1))

    def test_lazy(self) -> None:
        """Notes are written at once and synced before long, once; nothing is nothing."""
        self.notes.note()
        self.assertEqual(self.pool.segments(), [])
        self.notes.write([note(0)])
        self.notes.note(note(1))
        self.notes.sync_notes()
        self.assertEqual(self.syncs, 1)
        self.clock.advance(0.5)
        self.notes.sync_notes()
        self.notes.sync_notes()
        self.assertEqual((self.written(), self.syncs), ([b"note 0", b"note 1"], 2))

    def test_no_room(self) -> None:
        """Notes that find no room are written with what comes next; what must be durable is refused."""
        trouble = self.patch(os, "pwritev", self.refuse(OSError(errno.ENOSPC, "full")))
        with capturedLogs() as events:
            self.notes.note(note(1))
        self.assertRaises(OSError, self.notes.write, [note(2)])
        trouble.restore()
        self.assertEqual((len(events), self.doubts), (1, []))
        self.notes.write([note(3)])
        self.assertEqual(self.written(), [b"note 1", b"note 3"])

    def refuse(self, error: Exception) -> Any:
        def refuse(*args: Any) -> Any:
            raise error
        return refuse

    def test_not_synced(self) -> None:
        """When what was written may be lost nothing more is, until a new segment has all notes."""
        self.notes.note(note(1))
        trouble = self.patch(Segment, "sync", self.refuse(NotSynced(errno.EIO, "broken")))
        self.assertRaises(NotSynced, self.notes.write, [note(2)])
        self.assertEqual((self.doubts, self.notes.closed), (["broken"], True))
        self.notes.note(note(3))
        self.assertRaises(OSError, self.notes.write, [note(4)])
        self.assertRaises(OSError, self.notes.renew)
        trouble.restore()
        self.notes.renew()
        first, second, *more = self.pool.segments()
        segments = [[one.description for one in segment.records()] for segment in (first, second, *more)]
        self.assertEqual((segments[0], segments[-1]), ([b"note 1", b"note 2"], [b"note 1", b"note 3"]))

    def test_broken(self) -> None:
        """So it is when the disk says that it is broken, or somebody else found out."""
        trouble = self.patch(os, "pwritev", self.refuse(OSError(errno.EROFS, "read-only")))
        with capturedLogs():
            self.notes.note(note(1))
        trouble.restore()
        self.assertEqual(self.doubts, ["read-only"])
        self.notes.doubt(OSError("odd"))
        self.assertEqual(self.doubts, ["read-only", "odd"])
