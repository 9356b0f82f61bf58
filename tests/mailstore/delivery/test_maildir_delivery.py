"""Deliveries that are filed together."""

from __future__ import annotations

import fcntl
import os
from typing import Any

from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.delivery import Delivery
from simmail.errors import NotFound, Unavailable
from simmail.mailstore.delivery.maildir_delivery import BatchDelivery, DeliveryResult, MaildirDelivery
from simmail.mailstore.journal.groupcommit import PendingDelivery
from simmail.mailstore.journal.segment import Segment
from simmail.mailstore.maildir.layout import Layout
from tests.contracts.mailstores import QuickJournal, a_delivery, result_of

MARIA, TOM = "maria@acme.test", "tom@acme.test"


class AheadTests(SynchronousTestCase):
    """What is done for one who waits alone while the disk is busy with the journal."""

    def setUp(self) -> None:
        self.path = self.mktemp()
        os.makedirs(self.path)
        self.maildirs = MaildirDelivery(Layout(self.path, "main", lambda: 77))
        self.addCleanup(self.maildirs.close)
        self.journal = QuickJournal(self.mktemp(), Clock(), apart=False)
        self.addCleanup(lambda: result_of(self.journal.close()))
        self.steps: list[str] = []
        BatchDelivery(self.maildirs)([a_delivery(0, MARIA)])

    def watch(self) -> None:
        for where, name, said in (
                (MaildirDelivery, "write", "file"), (Segment, "start", "start"), (Segment, "sync", "sync"),
                (MaildirDelivery, "_appear", "visible")):
            def noted(*args: Any, real: Any = getattr(where, name), said: str = said) -> Any:
                self.steps.append(said)
                return real(*args)
            self.patch(where, name, noted)

    def file(self, *deliveries: Delivery, asked: bool = False) -> list[Any]:
        """All at once, by the writer."""
        entries = [PendingDelivery(one, BatchDelivery(self.maildirs), asked=asked) for one in deliveries]
        self.journal.commit.before(entries)
        return [self.journal.commit.file(one).copies[0].uid for one in entries]

    def temporary(self) -> list[str]:
        return os.listdir(f"/proc/self/fd/{self.maildirs.root}/.tmp")

    def test_alone(self) -> None:
        """The file is written once, and is visible when the journal is durable."""
        self.watch()
        self.assertEqual(self.file(a_delivery(1, MARIA)), [2])
        self.assertEqual(self.steps, ["start", "file", "sync", "visible"])
        self.assertEqual(self.temporary(), [])

    def test_not_alone(self) -> None:
        """Of many, and where somebody waits for the journal only, the journal comes first."""
        self.watch()
        self.file(a_delivery(1, MARIA), a_delivery(2, MARIA))
        self.file(a_delivery(3, MARIA), asked=True)
        self.assertEqual(self.steps, ["sync", "file", "visible", "file", "visible", "sync", "file", "visible"])

    def test_not_durable(self) -> None:
        """When the journal cannot be synced nothing of it is left."""
        def broken(segment: Segment) -> None:
            self.assertEqual(len(self.temporary()), 1)
            raise OSError(5, "broken")
        trouble = self.patch(Segment, "sync", broken)
        self.assertRaises(Unavailable, self.file, a_delivery(1, MARIA))
        self.assertEqual(self.temporary(), [])
        trouble.restore()
        self.journal.commit.doubts.check()
        self.assertEqual(self.file(a_delivery(2, MARIA)), [2])

    def test_cannot_be_written(self) -> None:
        """A file that could not be written ahead is written when it is filed, or refused then."""
        real, left = os.write, [0, 1]

        def full(*args: Any) -> int:
            if left.pop():
                raise OSError(28, "full")
            return real(*args)
        self.patch(os, "write", full)
        self.assertEqual(self.file(a_delivery(1, MARIA)), [2])
        left[:] = [1, 1]
        self.assertRaises(OSError, self.file, a_delivery(2, MARIA))
        self.assertEqual(self.temporary(), [])


class RunTests(SynchronousTestCase):
    """One run."""

    def setUp(self) -> None:
        self.path = self.mktemp()
        os.makedirs(self.path)
        self.maildirs = MaildirDelivery(Layout(self.path, "main", lambda: 77))
        self.addCleanup(self.maildirs.close)

    def filed(self, *deliveries: Delivery, create: bool = True) -> list[Any]:
        """UIDs of each, or what it raised."""
        return [[copy.uid for copy in one.copies] if isinstance(one, DeliveryResult) else type(one)
                for one in BatchDelivery(self.maildirs, create)(deliveries)]

    def visible(self, mailbox: str, folder: str = "INBOX") -> list[str]:
        """Keys of what is in a folder, by UID."""
        place = self.maildirs.folders.open(mailbox, folder, False)
        names = [name for part in ("new", "cur") for name in os.listdir(os.path.join(
            f"/proc/self/fd/{self.maildirs.root}", place.directory, part))]
        return [name.partition(",")[0] for name in sorted(names, key=lambda one: int(one.split("=")[1].split(",")[0]))]

    def test_order(self) -> None:
        """UIDs and MODSEQs ascend in the order given, in each folder; each folder is locked once."""
        self.filed(a_delivery(0, MARIA), a_delivery(1, (TOM, "Sent", ("\\Seen",))))
        locks: list[int] = []
        real = fcntl.flock

        def flock(fd: int, operation: int) -> None:
            locks.append(operation)
            real(fd, operation)
        self.patch(fcntl, "flock", flock)
        outcomes = BatchDelivery(self.maildirs)([
            a_delivery(2, MARIA), a_delivery(3, (TOM, "Sent", ("\\Seen",)), MARIA), a_delivery(4, MARIA)])
        self.assertEqual(locks.count(fcntl.LOCK_EX), 2)
        added = [[(one.mailbox, one.row.uid, one.row.modseq, one.row.recent) for one in outcome.added]
                 for outcome in outcomes if isinstance(outcome, DeliveryResult)]
        self.assertEqual(
            added, [[(MARIA, 2, 3, True)], [(TOM, 2, 3, False), (MARIA, 3, 4, True)], [(MARIA, 4, 5, True)]])
        self.assertEqual(self.visible(MARIA), ["d-0", "d-2", "d-3", "d-4"])
        self.assertEqual(self.filed(a_delivery(5, MARIA)), [[5]])

    def test_one_goes_wrong(self) -> None:
        """It does not touch the others, and leaves nothing; UIDs that were used up are not used again."""
        real = os.rename

        def rename(source: str, target: str, **where: int) -> None:
            if "d-2" in source:
                raise OSError(28, "full")
            real(source, target, **where)
        self.patch(os, "rename", rename)
        first, second, third = self.filed(a_delivery(1, MARIA), a_delivery(2, TOM, MARIA), a_delivery(3, MARIA))
        self.assertEqual((first, second), ([1], OSError))
        self.assertEqual(self.visible(MARIA), ["d-1", "d-3"])
        self.assertEqual(self.visible(TOM), [])
        self.assertEqual(os.listdir(os.path.join(f"/proc/self/fd/{self.maildirs.root}", ".tmp")), [])
        self.assertGreater(self.filed(a_delivery(4, MARIA))[0], third)

    def test_known(self) -> None:
        """What is there already is not filed again; the same id twice in a run is filed once."""
        self.filed(a_delivery(1, MARIA))
        self.assertEqual(self.filed(a_delivery(1, MARIA), a_delivery(2, MARIA), a_delivery(2, MARIA)), [[1], [2], [2]])
        self.assertEqual(self.visible(MARIA), ["d-1", "d-2"])

    def test_not_there(self) -> None:
        """A folder that is not to be made fails those that go there, and no others."""
        self.filed(a_delivery(1, MARIA))
        self.assertEqual(self.filed(a_delivery(2, TOM), a_delivery(3, MARIA), create=False), [NotFound, [2]])

    def test_removed(self) -> None:
        """A mailbox that another program removed meanwhile is made again."""
        self.filed(a_delivery(1, MARIA), a_delivery(2, TOM))
        box = self.maildirs.folders.open(TOM, "INBOX", False).directory
        os.rename(os.path.join(f"/proc/self/fd/{self.maildirs.root}", box), f"{self.path}/gone")
        outcomes = self.filed(a_delivery(3, TOM), a_delivery(4, MARIA), a_delivery(5, TOM))
        self.assertNotIn(FileNotFoundError, outcomes)
        self.assertEqual(self.visible(TOM), ["d-3", "d-5"])
        self.assertEqual(self.visible(MARIA), ["d-1", "d-4"])
