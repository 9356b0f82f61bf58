"""The journal: group commit, what is owed, and when segments go."""

from __future__ import annotations

import gc
import os
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.delivery import Copy, Delivery
from simmail.errors import Unavailable
from simmail.mailstore.delivery.maildir_delivery import DeliveryResult
from simmail.mailstore.delivery.request import Into, StoreId
from simmail.mailstore.journal import segmentpool
from simmail.mailstore.journal.groupcommit import PendingDelivery
from simmail.mailstore.journal.journal import Journal
from simmail.mailstore.journal.records import (
    DELIVERY, Octets, SETTLED, decode_described, decode_ids, describe, record,
)
from simmail.mailstore.journal.repair import Repaired
from simmail.mailstore.journal.retained import Journalled
from simmail.mailstore.journal.segment import Segment
from simmail.mailstore.journal.segmentpool import LONGEST_WAITING
from simmail.mailstore.journal.uncommitted import Recovery
from simmail.mailstore.writer.client import InlineWriter
from tests.contracts.mailstores import QuickJournal, a_delivery, result_of

MARIA = "maria@acme.test"
MAIN, OTHER = StoreId("", "main"), StoreId("", "other")
INTO = Into(MAIN)


def delivery_record(delivery: Delivery) -> Octets:
    """The record of a delivery."""
    return DELIVERY, describe(delivery), delivery.octets


class JournalTestCase(SynchronousTestCase):
    """A journal, and a stand-in for the Maildirs."""

    def setUp(self) -> None:
        self.path = self.mktemp()
        self.clock = Clock()
        self.visible: dict[str, int] = {}
        self.refuse: Exception | None = None
        self.journal = self.opened()
        self.compared: list[str] = []

    def tearDown(self) -> None:
        result_of(self.journal.close())

    def opened(self, segment: int = 1 << 20) -> QuickJournal:
        journal = QuickJournal(self.path, self.clock, apart=False, segment=segment)
        assert isinstance(journal.writer, InlineWriter)
        self.patch(journal.writer.handler, "batch", lambda into: self.file_all)
        self.patch(journal.writer.handler, "recovery", lambda at: Recovery(self.file, self.compare))
        return journal

    def file(self, delivery: Delivery) -> DeliveryResult:
        if self.refuse is not None:
            raise self.refuse
        uid = self.visible.setdefault(delivery.id, len(self.visible) + 1)
        return DeliveryResult(tuple(Copy(one.mailbox, one.folder, uid, 7) for one in delivery.placements), [])

    def file_all(self, deliveries: Sequence[Delivery]) -> list[DeliveryResult | Exception]:
        outcomes: list[DeliveryResult | Exception] = []
        for delivery in deliveries:
            try:
                outcomes.append(self.file(delivery))
            except OSError as error:
                outcomes.append(error)
        return outcomes

    def compare(self, journalled: Sequence[Journalled]) -> Repaired:
        self.compared += [one.described.id for one in journalled]
        return Repaired([], {}, [], False)

    def accept(self, number: int, **kwargs: Any) -> Any:
        return result_of(self.journal.accept(a_delivery(number, MARIA, **kwargs), INTO))

    def settle(self, *ids: str) -> None:
        self.journal.committed("main", ids)
        self.clock.advance(2)

    def crash(self, segment: int = 1 << 20) -> None:
        if self.journal.commit.lock >= 0:
            os.close(self.journal.commit.lock)
        for call in self.clock.getDelayedCalls():
            call.cancel()
        self.journal = self.opened(segment)

    def owed(self) -> list[str]:
        ids: list[str] = result_of(self.journal.uncommitted(MAIN))[0]
        return ids

    def segments(self) -> list[str]:
        return sorted(name for name in os.listdir(self.path) if name.endswith(".journal"))


class OwedTests(JournalTestCase):
    """What is owed."""

    def test_mail_is_let_go(self) -> None:
        """Nothing of a delivery that was filed waits for the collection of what holds itself."""
        self.addCleanup(gc.enable)
        gc.collect()
        gc.disable()
        for n in range(20):
            self.accept(n)
        self.assertEqual([one for one in gc.get_objects() if isinstance(one, PendingDelivery)], [])

    def test_lazily_settled(self) -> None:
        """Settling is written within a second or so, without a sync of its own."""
        self.accept(1)
        self.accept(2)
        self.settle("d-1")
        self.crash()
        self.assertEqual(self.owed(), ["d-2"])

    def test_filed_is_noted(self) -> None:
        """After a crash what was visible is not filed again, but answered as it was."""
        self.accept(1)
        # It is noted with whatever is done next, at the latest a second later.
        self.clock.advance(1)
        self.visible.clear()
        self.crash()
        self.assertEqual(self.owed(), ["d-1"])
        replayed, filed, left = result_of(self.journal.replay(MAIN, ()))
        self.assertEqual([(delivery.id, copies[0].uid) for delivery, copies in replayed], [("d-1", 1)])
        self.assertEqual((filed, left, self.visible), ([], [], {}))

    def test_journalled_only(self) -> None:
        """What was durable and not yet visible is made visible; of what nobody is owed, before anybody asks."""
        entries = [a_delivery(1, MARIA), a_delivery(2, MARIA, commit=b""), a_delivery(3, MARIA)]
        result_of(self.journal.ready)
        self.journal.commit.before([PendingDelivery(one, self.file_all) for one in entries])
        self.crash()
        self.assertEqual(self.owed(), ["d-1", "d-3"])
        self.assertEqual(self.visible, {"d-2": 1})
        replayed, filed, left = result_of(self.journal.replay(MAIN, {"d-3"}))
        self.assertEqual([(delivery, copies[0].uid) for delivery, copies in replayed], [(entries[0], 2)])
        # That it is known is no proof that it is visible.
        self.assertEqual((len(filed), left, sorted(self.visible)), (2, [], ["d-1", "d-2", "d-3"]))
        self.settle("d-1", "d-3")
        self.crash()
        self.assertEqual(self.owed(), [])

    def test_refused_stays_refused(self) -> None:
        """What could not be made visible was refused, and is not owed."""
        self.refuse = OSError(28, "full")
        self.assertRaises(Unavailable, self.accept, 1)
        self.refuse = None
        self.accept(2)
        self.assertEqual(self.owed(), ["d-2"])
        self.crash()
        self.assertEqual(self.owed(), ["d-2"])
        self.assertEqual(self.accept(1)[0][0].uid, 2)

    def test_twice_at_once(self) -> None:
        """The same id asked for twice at once is durable once, and refused twice when the disk is full."""
        result_of(self.journal.ready)
        for refused in (True, False):
            entries = [PendingDelivery(a_delivery(1, MARIA), self.file_all) for _ in range(2)]
            trouble = self.patch(os, "pwritev", lambda *args: 1 / 0) if refused else None
            self.journal.commit.before(entries)
            for entry in entries:
                if refused:
                    self.assertRaises(Unavailable, self.journal.commit.file, entry)
                else:
                    self.assertEqual(self.journal.commit.file(entry).copies[0].uid, 1)
            if trouble is not None:
                trouble.restore()
        self.crash()
        self.assertEqual(self.owed(), ["d-1"])

    def test_universes(self) -> None:
        """Universes share the journal and know nothing of one another."""
        self.accept(1)
        other = Delivery("d-1", "other", a_delivery(1, MARIA).placements, b"x", a_delivery(1).at, b"y")
        result_of(self.journal.accept(other, Into(OTHER)))
        self.settle("d-1")
        self.assertEqual(self.owed(), [])
        self.assertEqual(result_of(self.journal.uncommitted(OTHER))[0], ["d-1"])
        result_of(self.journal.erase("other"))
        self.crash()
        self.assertEqual(result_of(self.journal.uncommitted(OTHER))[0], [])

    def test_universes_that_are_gone(self) -> None:
        """What is owed for universes that are not there any more can be dropped."""
        self.accept(1)
        result_of(self.journal.keep({"main", "demo"}))
        self.assertEqual(self.owed(), ["d-1"])
        result_of(self.journal.keep({"demo"}))
        self.crash()
        self.assertEqual(self.owed(), [])

    def test_order(self) -> None:
        """Order is that of acceptance, across segments."""
        self.crash(segment=150)
        for number in (5, 3, 9, 1, 7):
            self.accept(number)
        self.assertGreater(len(self.segments()), 2)
        self.crash()
        self.assertEqual(self.owed(), ["d-5", "d-3", "d-9", "d-1", "d-7"])


class SegmentTests(JournalTestCase):
    """When segments go."""

    def test_dropped(self) -> None:
        """Segments go when all in them is settled and some time has passed, the oldest first."""
        synced: list[list[str]] = []
        self.patch(QuickJournal, "_sync_disks", lambda journal: synced.append(self.segments()))
        self.crash(segment=150)
        for number in range(6):
            self.accept(number)
        first, second = self.segments()[:2]
        self.settle("d-0", "d-2", "d-3", "d-4", "d-5")
        self.accept(6)
        self.assertIn(first, self.segments())
        self.clock.advance(LONGEST_WAITING)
        self.accept(7)
        self.assertEqual(len(synced), 1)
        self.assertIn(first, synced[0])
        self.assertNotIn(first, self.segments())
        self.assertIn(second, self.segments())
        self.crash(segment=150)
        self.assertEqual(self.owed(), ["d-1", "d-6", "d-7"])
        self.settle("d-1", "d-6", "d-7")
        for number in (8, 9):
            self.accept(number)
            self.clock.advance(LONGEST_WAITING)
        self.accept(10)
        self.assertNotIn(second, self.segments())

    def test_not_dropped_unsynced(self) -> None:
        """While the disk cannot be synced, nothing goes."""
        def fail(journal: Journal) -> None:
            raise OSError(5, "broken")
        trouble = self.patch(QuickJournal, "_sync_disks", fail)
        self.crash(segment=150)
        for number in range(4):
            self.accept(number)
        self.settle("d-0", "d-1", "d-2", "d-3")
        before = self.segments()
        self.clock.advance(LONGEST_WAITING)
        self.accept(4)
        self.assertIn("broken", self.journal.condition.doubt)
        self.assertEqual(set(before) - set(self.segments()), set())
        self.assertRaises(Unavailable, self.accept, 5)
        trouble.restore()
        self.clock.advance(LONGEST_WAITING)
        self.accept(5)
        self.clock.advance(LONGEST_WAITING)
        self.accept(6)
        self.assertNotEqual(set(before) - set(self.segments()), set())

    def test_orderly_end(self) -> None:
        """After an orderly end nothing is left when nothing is owed, and what is owed otherwise."""
        self.accept(1)
        result_of(self.journal.close())
        self.assertEqual(len(self.segments()), 1)
        self.journal = self.opened()
        self.assertEqual(self.owed(), ["d-1"])
        self.settle("d-1")
        result_of(self.journal.close())
        self.assertEqual(self.segments(), [])
        self.journal = self.opened()

    def test_group(self) -> None:
        """All that wait together become durable with one sync."""
        result_of(self.journal.ready)
        syncs: list[int] = []
        real = os.fdatasync

        def fdatasync(fd: int) -> None:
            syncs.append(fd)
            real(fd)
        self.patch(os, "fdatasync", fdatasync)
        self.journal.commit.before([PendingDelivery(a_delivery(number, MARIA), self.file_all) for number in range(100)])
        self.assertEqual(len(syncs), 1)
        self.crash()
        self.assertEqual(len(self.owed()), 100)


class FilledTests(JournalTestCase):
    """A busy journal writes into files that were filled before."""

    def setUp(self) -> None:
        super().setUp()
        self.patch(segmentpool, "BUSY", 1)
        self.patch(segmentpool, "ROOM", 0)
        self.crash(segment=20_000)

    def sizes(self) -> list[int]:
        return [os.path.getsize(f"{self.path}/{name}") for name in self.segments()]

    def test_filled(self) -> None:
        """From the second on they have their size from the beginning, and a crash loses nothing in them."""
        for number in range(9):
            self.accept(number)
            self.assertLessEqual(self.sizes()[-1], 20_000)
        self.assertEqual(self.sizes()[1:], [20_000] * len(self.sizes()[1:]))
        self.crash(segment=20_000)
        self.assertEqual(self.owed(), [f"d-{number}" for number in range(9)])

    def test_grow(self) -> None:
        """The first is small, each is larger than the one before, and the next is made when half of one is used."""
        self.patch(segmentpool, "FIRST", 2000)
        self.crash(segment=20_000)
        seen: list[list[int]] = []
        for number in range(60):
            self.accept(number, octets=b"x" * 300)
            if self.sizes() not in seen:
                seen.append(self.sizes())
        # The last record of one may go over its end.
        self.assertEqual([size // 1000 for size in self.sizes()[1:4]], [2, 8, 20])
        self.assertEqual([len(sizes) for sizes in seen[:2]], [2, 3])
        self.crash(segment=20_000)
        self.assertEqual(self.owed(), [f"d-{number}" for number in range(60)])

    def test_no_room_for_the_next(self) -> None:
        """It is not tried again with every delivery."""
        self.accept(1)
        self.patch(segmentpool, "ROOM", 1 << 62)
        tried: list[str] = []
        real = os.statvfs

        def statvfs(path: str) -> os.statvfs_result:
            tried.append(path)
            return real(path)
        # Of the pool alone: others look whether the disk may be written to.
        self.patch(segmentpool, "os", SimpleNamespace(**{**vars(os), "statvfs": statvfs}))
        for number in range(2, 12):
            self.accept(number, octets=b"x" * 1500)
        self.assertEqual(len(tried), 1)

    def test_used_again(self) -> None:
        """What goes is used again, and nothing of what was in it comes to life."""
        large = b"x" * 15_000
        for number in range(12):
            self.accept(number, octets=large)
            self.settle(f"d-{number}")
            self.clock.advance(LONGEST_WAITING)
        inodes = {os.stat(f"{self.path}/{name}").st_ino for name in os.listdir(self.path)}
        for number in range(20, 24):
            self.accept(number)
        self.assertEqual({os.stat(f"{self.path}/{name}").st_ino for name in self.segments()} - inodes, set())
        self.crash(segment=20_000)
        self.assertEqual(self.owed(), ["d-20", "d-21", "d-22", "d-23"])
        self.assertEqual([name for name in os.listdir(self.path) if name.endswith(".spare")], [])

    def test_orderly_end(self) -> None:
        """Nothing is left of them."""
        self.accept(1)
        self.settle("d-1")
        result_of(self.journal.close())
        self.assertEqual(os.listdir(self.path), ["lock"])
        self.journal = self.opened()

    def test_full(self) -> None:
        """Without room for them the journal goes on without them."""
        self.patch(segmentpool, "ROOM", 1 << 62)
        self.crash(segment=20_000)
        for number in range(3):
            self.accept(number)
        self.assertLess(max(self.sizes()[-1:]), 20_000)
        self.assertEqual(self.owed(), ["d-0", "d-1", "d-2"])

    def test_broken(self) -> None:
        """A write that fails ends the segment: what of it is on disk stays refused."""
        self.accept(1)
        trouble = self.patch(os, "pwritev", half_written)
        self.assertRaises(Unavailable, self.accept, 2)
        trouble.restore()
        self.clock.advance(1)
        self.accept(3)
        self.crash(segment=20_000)
        self.assertEqual(self.owed(), ["d-1", "d-3"])


def half_written(fd: int, pieces: Sequence[bytes], at: int) -> int:
    """All of it is written, and the disk says it is not."""
    os.pwrite(fd, b"".join(pieces), at)
    raise OSError(5, "broken")


class RecordTests(SynchronousTestCase):
    """Records in a segment."""

    def setUp(self) -> None:
        os.makedirs(self.mktemp())
        self.path = f"{self.mktemp()}.journal"
        self.segment = Segment.create(self.path, "boot")
        self.addCleanup(self.segment.close)

    def test_there_and_back(self) -> None:
        """What is appended is read, after a restart too."""
        delivery = a_delivery("x", MARIA, ("tom@acme.test", "Sent", ("\\Seen",)), octets=b"\0" * 5000, commit=b"\xff")
        self.segment.append([delivery_record(delivery)])
        self.segment.append([record(SETTLED, [("main", "d-x")])])
        again = Segment.open(self.path)
        assert again is not None
        self.addCleanup(again.close)
        first, second = again.records()
        described = decode_described(first.description)
        self.assertEqual((again.boot, first.kind, described.id, described.placements, described.at, described.commit),
                         ("boot", DELIVERY, delivery.id, delivery.placements, delivery.at, delivery.commit))
        self.assertEqual(again.octets(first.at, first.length), delivery.octets)
        self.assertEqual((second.kind, decode_ids(second.description)), (SETTLED, [("main", "d-x")]))
        self.assertEqual(again.size, self.segment.size)

    def test_many_pieces(self) -> None:
        """More pieces than one call takes are written all the same."""
        self.segment.append([delivery_record(a_delivery(number, MARIA)) for number in range(1000)])
        again = Segment.open(self.path)
        assert again is not None
        self.addCleanup(again.close)
        self.assertEqual(len(list(again.records())), 1000)

    def test_never_used(self) -> None:
        """A file without a whole beginning is no segment."""
        path = Path(f"{self.mktemp()}.journal")
        for octets in (b"", b"simmail", b"x" * 60, bytes(500)):
            path.write_bytes(octets)
            self.assertIsNone(Segment.open(str(path)))

    @settings(deadline=None, max_examples=60)
    @given(st.integers(1, 400), st.binary(max_size=60))
    def test_torn(self, cut: int, rubbish: bytes) -> None:
        """Whatever a crash made of the end, what is whole before it is read, and nothing else."""
        path = f"{self.path}-{os.urandom(6).hex()}"
        segment = Segment.create(path, "")
        ends = []
        for number in range(3):
            segment.append([delivery_record(a_delivery(number, MARIA))])
            ends.append(segment.size)
        segment.close()
        octets = Path(path).read_bytes()
        Path(path).write_bytes(octets[:-cut] + rubbish)
        whole = [number for number, end in enumerate(ends) if end <= len(octets) - cut]
        again = Segment.open(path)
        if again is None:
            self.assertEqual(whole, [])
            return
        found = [decode_described(one.description).id for one in again.records()]
        again.close()
        self.assertEqual(found, [f"d-{number}" for number in whole])
