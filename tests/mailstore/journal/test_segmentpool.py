"""The segments of a journal: which is written to, and when old ones go."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from twisted.internet.task import Clock
from twisted.logger import capturedLogs
from twisted.trial.unittest import SynchronousTestCase

from simmail.mailstore.journal import segmentpool
from simmail.mailstore.journal.records import Id, SETTLED
from simmail.mailstore.journal.segment import Segment
from simmail.mailstore.journal.segmentpool import LONGEST_WAITING, SegmentPool
from simmail.mailstore.journal.sync import NotSynced, Hands


class PoolTests(SynchronousTestCase):
    """One directory."""

    def setUp(self) -> None:
        self.path, self.clock = self.mktemp(), Clock()
        os.makedirs(self.path)
        self.queue: list[tuple[Callable[..., Any], tuple[Any, ...]]] = []
        self.doubts: list[OSError] = []
        self.synced = 0
        self.sync_error: OSError | None = None
        self.patch(segmentpool, "ROOM", 0)
        self.pool = self.pool_of("boot")
        self.addCleanup(lambda: self.pool.close(True))

    def pool_of(self, boot: str) -> SegmentPool:
        return SegmentPool(
            self.path, 1000, boot, Hands(self.clock.seconds, self.send, self.send, self.sync), self.doubts.append)

    def send(self, function: Callable[..., Any], *args: Any) -> None:
        self.queue.append((function, args))

    def sync(self) -> None:
        self.synced += 1
        if self.sync_error is not None:
            raise self.sync_error

    def run_all(self) -> None:
        while self.queue:
            function, args = self.queue.pop(0)
            function(*args)

    def fill(self, name: str = "x", octets: int = 1000) -> Segment:
        """Write into the segment that is written to; C{name}: owed in it."""
        segment = self.pool.current()
        segment.append([(SETTLED, name.encode(), b"x" * octets)])
        segment.ids.add(Id("main", name))
        return segment

    def names(self, ending: str = ".journal") -> list[str]:
        return sorted(name for name in os.listdir(self.path) if name.endswith(ending))

    def again(self, boot: str = "boot") -> list[bytes]:
        """Another process reads what is there."""
        self.pool.close(True)
        self.pool = self.pool_of(boot)
        return [one.description for one in self.pool.open()]

    def test_next(self) -> None:
        """A segment that is full, or may have lost something, is written to no more."""
        first = self.fill()
        second = self.fill("y", 10)
        self.assertIsNot(first, second)
        self.assertIs(self.pool.current(), second)
        self.pool.fail()
        self.assertIsNot(self.pool.current(), second)
        self.assertEqual((len(self.pool.segments()), len(self.names())), (3, 3))

    def test_read(self) -> None:
        """Records are read in the order written; whether the machine went down since is known."""
        for name in ("a", "b", "c"):
            self.fill(name)
        self.assertEqual(self.again(), [b"a", b"b", b"c"])
        self.assertFalse(self.pool.rebooted)
        self.assertEqual(self.again("another"), [b"a", b"b", b"c"])
        self.assertTrue(self.pool.rebooted)

    def test_strangers(self) -> None:
        """What is no segment is left alone, what was never used goes, what was kept for its damage is told."""
        for name in ("x.journal", "notes", "0000000007.damaged", "0000000003.spare"):
            open(f"{self.path}/{name}", "w").close()
        open(f"{self.path}/0000000002.journal", "w").close()
        self.assertEqual(self.again(), [])
        self.assertEqual(sorted(os.listdir(self.path)), ["0000000007.damaged", "notes", "x.journal"])
        self.assertIn("remove it", self.pool.damage[0])
        self.assertTrue(self.fill().path.endswith("0000000008.journal"))

    def test_closed(self) -> None:
        """When nothing is owed nothing stays, else everything does."""
        self.fill()
        self.pool.close(True)
        self.assertEqual(len(self.names()), 1)
        self.pool = self.pool_of("boot")
        list(self.pool.open())
        self.pool.close(False)
        self.assertEqual(self.names(), [])
        self.pool = self.pool_of("boot")

    def test_made_ready(self) -> None:
        """Of a busy journal the next segment is filled meanwhile, each larger than the last up to the limit."""
        self.patch(segmentpool, "BUSY", 200)
        self.patch(segmentpool, "FIRST", 300)
        self.pool.close(True)
        self.pool = self.pool_of("boot")
        self.fill(octets=10)
        self.pool.check(False)
        self.assertEqual(self.queue, [])
        self.fill(octets=100)
        sizes = []
        for _ in range(3):
            self.pool.check(False)
            self.run_all()
            segment = self.fill(octets=10)
            sizes.append(segment.filled)
            self.fill(octets=segment.filled)
        self.assertEqual(sizes, [300, 1000, 1000])

    def test_made_late(self) -> None:
        """Records are read in the order written though a segment was begun while an earlier one was made ready."""
        self.patch(segmentpool, "BUSY", 1)
        self.fill("a", 10)
        self.pool.check(False)
        self.fill("b")
        self.fill("c", 10)
        sizes = []
        for name in ("d", "e"):
            self.run_all()
            self.pool.check(False)
            sizes.append(self.fill(name, 10).filled)
        self.assertEqual(self.again(), [b"a", b"b", b"c", b"d", b"e"])
        self.assertEqual(sizes, [0, 1000])

    def test_no_room(self) -> None:
        """Without room for a filled one nothing is made, nor tried again for a while."""
        self.patch(segmentpool, "BUSY", 1)
        self.patch(segmentpool, "ROOM", 1 << 62)
        self.fill()
        for _ in range(3):
            self.pool.check(False)
            self.run_all()
        self.assertEqual((self.fill().filled, len(self.names())), (0, 2))

    def test_not_made(self) -> None:
        """That one could not be made is a doubt only when the disk may have lost something."""
        self.patch(segmentpool, "BUSY", 1)
        for error, doubts in ((OSError(28, "full"), 0), (NotSynced(5, "broken"), 1)):
            def refuse(*args: Any, error: OSError = error) -> Segment:
                raise error
            trouble = self.patch(Segment, "filled_to", refuse)
            self.fill(octets=3000)
            self.pool.check(False)
            self.run_all()
            trouble.restore()
            self.assertEqual(len(self.doubts), doubts)

    def dropped(self) -> None:
        """Time goes by, twice looked at."""
        self.pool.check(False)
        self.clock.advance(LONGEST_WAITING)
        self.pool.check(False)
        self.run_all()

    def test_dropped(self) -> None:
        """Segments in which nothing is owed go after a sync, the oldest first, none behind one that is owed."""
        segments = [self.fill(name) for name in ("a", "b", "c")]
        segments[0].ids.clear()
        segments[2].ids.clear()
        self.dropped()
        self.assertEqual((self.names(), self.synced), ([os.path.basename(one.path) for one in segments[1:]], 1))
        segments[1].ids.clear()
        self.dropped()
        self.assertEqual(self.names(), [])

    def test_kept(self) -> None:
        """None goes while files are compared, on hold, or when the disk could not be synced, which is a doubt."""
        self.fill().ids.clear()
        self.fill("y", 10)
        self.clock.advance(LONGEST_WAITING)
        self.pool.check(True)
        self.assertEqual(self.queue, [])
        self.pool.hold = True
        self.dropped()
        self.sync_error = NotSynced(5, "broken")
        with capturedLogs():
            self.dropped()
        self.assertEqual((len(self.names()), self.doubts), (2, [self.sync_error]))
        self.sync_error, self.pool.hold = None, False
        self.dropped()
        self.assertEqual(len(self.names()), 1)

    def test_damage_kept(self) -> None:
        """A damaged one is kept under another name when it is needed no more."""
        self.fill("a", 100)
        self.fill("b", 100)
        path = f"{self.path}/{self.names()[0]}"
        self.pool.close(True)
        with open(path, "r+b") as file:
            file.seek(100)
            file.write(b"\xff\xff")
        self.pool = self.pool_of("boot")
        self.assertEqual([one.description for one in self.pool.open()], [b"b"])
        self.assertIn("cannot be read", self.pool.damage[0])
        self.pool.close(False)
        self.assertEqual((self.names(), len(self.names(".damaged"))), ([], 1))
        self.pool = self.pool_of("boot")
