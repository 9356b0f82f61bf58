"""What the writer of a journal does: deliveries that wait become durable at once, then visible, in runs."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Sequence
from typing import Any

from twisted.internet.task import Clock
from twisted.logger import capturedLogs
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.delivery import Copy, Delivery
from simmail.errors import Unavailable
from simmail.mailstore.delivery.maildir_delivery import DeliveryResult
from simmail.mailstore.journal import groupcommit
from simmail.mailstore.journal.groupcommit import GroupCommit, PendingDelivery
from simmail.mailstore.journal.records import Id
from simmail.mailstore.journal.repair import Repaired
from simmail.mailstore.journal.segment import Segment
from simmail.mailstore.journal.sync import Disks, NotSynced, Hands, Condition
from simmail.mailstore.journal.uncommitted import Recovery
from tests.contracts.mailstores import a_delivery

MARIA = "maria@acme.test"


class CommitTestCase(SynchronousTestCase):
    """A journal's writer, and a stand-in for Maildirs."""

    def setUp(self) -> None:
        self.path = self.mktemp()
        self.clock, self.disks = Clock(), Disks()
        self.queue: list[tuple[Callable[..., Any], tuple[Any, ...]]] = []
        self.conditions: list[Condition] = []
        self.runs: list[list[str]] = []
        self.full: set[str] = set()
        self.commit = self.opened()
        self.addCleanup(lambda: self.commit.shut(True))

    def opened(self, patience: float = 0.0) -> GroupCommit:
        return GroupCommit(
            self.path, 1 << 20, self.disks, Hands(self.clock.seconds, self.send, self.send, lambda: None), patience,
            self.conditions.append)

    def send(self, function: Callable[..., Any], *args: Any) -> None:
        self.queue.append((function, args))

    def file(self, deliveries: Sequence[Delivery]) -> list[DeliveryResult | Exception]:
        self.runs.append([one.id for one in deliveries])
        return [OSError(errno.ENOSPC, "full") if one.id in self.full else
                DeliveryResult((Copy(MARIA, "INBOX", number, 7),), []) for number, one in enumerate(deliveries, 1)]

    def pending(self, *names: int | str, asked: bool = False, file: Any = None) -> list[PendingDelivery]:
        return [PendingDelivery(a_delivery(name, MARIA), file or self.file, asked=asked) for name in names]

    def do(self, *pending: PendingDelivery | None) -> list[Any]:
        """All of it; what each became."""
        self.commit.before(pending)
        found: list[Any] = []
        for one in pending:
            if one is not None:
                try:
                    found.append(self.commit.file(one).copies[0].uid)
                except (OSError, Unavailable) as error:
                    found.append(type(error))
        self.commit.after()
        return found

    def crash(self) -> None:
        os.close(self.commit.lock)
        self.commit = self.opened()
        self.commit.before(())

    def owed(self) -> list[str]:
        recovery = Recovery(lambda one: self.file([one])[0], lambda some: Repaired([], {}, [], False))  # type: ignore
        return self.commit.find_uncommitted("main", recovery).ids


class RunTests(CommitTestCase):
    """Runs."""

    def test_runs(self) -> None:
        """What goes the same way is filed in one go, so many at once, and nothing across what is asked between."""
        self.assertEqual(self.do(*self.pending(*range(10))), [*range(1, 9), 1, 2])
        self.assertEqual([len(run) for run in self.runs], [8, 2])
        self.runs.clear()
        first, second, third = self.pending("a", "b", "c")
        self.do(first, None, second, third)
        self.assertEqual(self.runs, [["d-a"], ["d-b", "d-c"]])
        self.runs.clear()

        def other(deliveries: Sequence[Delivery]) -> list[DeliveryResult | Exception]:
            return self.file(deliveries)
        self.do(*self.pending("e"), *self.pending("f", file=other), *self.pending("g"))
        self.assertEqual(self.runs, [["d-e"], ["d-f"], ["d-g"]])

    def test_copies(self) -> None:
        """A run has no more copies than can be filed in a moment."""
        self.patch(groupcommit, "_RUN_COPIES", 3)
        many = [PendingDelivery(a_delivery(number, MARIA, "tom@acme.test"), self.file) for number in range(3)]
        self.do(*many)
        self.assertEqual([len(run) for run in self.runs], [1, 1, 1])

    def test_unsettled(self) -> None:
        """That nothing else is owed is on the disk when it is said, or it is not said."""
        self.do(*self.pending(1, 2))
        self.commit.add_uncommitted("main", ["foreign-1"])
        self.commit.add_uncommitted("other", ["foreign-2"])
        self.commit.before((), [Id("main", "d-1")])
        synced: list[Segment] = []
        real = Segment.sync
        self.patch(Segment, "sync", lambda segment: synced.append(segment) or real(segment))
        self.assertEqual(self.commit.unsettled("main"), ["d-2", "foreign-1"])
        self.assertEqual(len(synced), 1)
        self.crash()
        self.assertEqual(self.commit.unsettled("main"), ["d-2", "foreign-1"])

        def refuse(segment: Segment) -> None:
            raise OSError(errno.EIO, "broken")

        self.patch(Segment, "sync", refuse)
        self.assertRaises(OSError, self.commit.unsettled, "main")

    def test_one_sync(self) -> None:
        """All that wait are durable with one sync."""
        synced: list[Segment] = []
        real = Segment.sync
        self.patch(Segment, "sync", lambda segment: synced.append(segment) or real(segment))
        self.do(*self.pending(*range(30)))
        self.assertEqual(len(synced), 1)

    def test_refused(self) -> None:
        """What the disk refuses is refused, stays so after a crash, and harms no other."""
        self.full = {"d-1"}
        self.assertEqual(self.do(*self.pending(0, 1, 2)), [1, OSError, 3])
        self.crash()
        self.assertEqual(self.owed(), ["d-0", "d-2"])

    def test_promised(self) -> None:
        """What may be promised is, while there is room; it is not forgotten when it cannot be filed."""
        self.disks.have_room = lambda: False  # type: ignore[method-assign]
        one, = self.pending("no", asked=True)
        self.do(one)
        self.assertFalse(one.promised)
        self.disks.have_room = lambda: True  # type: ignore[method-assign]
        self.full = {"d-yes"}
        one, other = *self.pending("yes", asked=True), *self.pending("other")
        self.assertEqual(self.do(one, other), [OSError, 2])
        self.assertEqual((one.promised, other.promised), (True, False))
        self.crash()
        self.full = set()
        self.assertEqual(self.owed(), ["d-no", "d-yes", "d-other"])

    def test_asked_again(self) -> None:
        """Of what is owed the first answer is given again, and it is filed no second time."""
        self.do(*self.pending("x", 1))
        self.runs.clear()
        self.assertEqual(self.do(*self.pending(1)), [2])
        self.assertEqual(self.runs, [])

    def test_committed(self) -> None:
        """What is committed is owed no more, whatever else is named."""
        self.do(*self.pending(1, 2))
        self.commit.before((), [Id("main", "d-1"), Id("main", "d-9"), Id("other", "d-2")])
        self.commit.after()
        self.crash()
        self.assertEqual(self.owed(), ["d-2"])

    def test_taken_back(self) -> None:
        """What its writer died over was not taken."""
        self.do(*self.pending(1, 2))
        self.commit.refuse([Id("main", "d-1")])
        self.commit.after()
        self.crash()
        self.assertEqual(self.owed(), ["d-2"])

    def test_taken_back_by_the_next(self) -> None:
        """The same where it was durable and not filed yet: the next one does not file it."""
        self.commit.before(self.pending(1, 2, asked=True))
        self.crash()
        self.commit.refuse([Id("main", "d-1")])
        self.assertEqual((self.owed(), self.runs), (["d-2"], []))

    def test_foreign(self) -> None:
        """Mail of other programs is owed a commit as ours is, by itself."""
        self.commit.before(())
        self.commit.add_uncommitted("main", ["f-1", "f-2"])
        self.commit.add_uncommitted("other", ["f-3"])
        self.commit.before((), [Id("main", "f-1")])
        self.crash()
        self.assertEqual(list(self.commit.uncommitted.foreign), [Id("main", "f-2"), Id("other", "f-3")])
        self.commit.erase("other")
        self.crash()
        self.assertEqual(list(self.commit.uncommitted.foreign), [Id("main", "f-2")])


class TroubleTests(CommitTestCase):
    """What goes wrong with the journal."""

    def test_in_use(self) -> None:
        """A journal that another process uses is not; who waits for a while gets it when it is let go."""
        self.do(*self.pending(1))
        other = self.opened()
        with capturedLogs():
            other.before(self.pending(2))
        self.assertIn("in use", str(self.assertRaises(Unavailable, other.ready)))
        self.assertRaises(Unavailable, other.add_uncommitted, "main", ["x"])
        self.patch(groupcommit, "sleep", lambda seconds: self.commit.shut(True))
        patient = self.opened(1.0)
        patient.before(())
        patient.ready()
        patient.shut(True)
        self.commit = self.opened()

    def test_not_durable(self) -> None:
        """What could not be made durable is refused, all of it; then no mail is taken until the disk is known again."""
        def broken(segment: Segment) -> None:
            raise NotSynced(errno.EIO, "broken")
        self.do(*self.pending(0))
        trouble = self.patch(Segment, "sync", broken)
        with capturedLogs():
            self.assertEqual(self.do(*self.pending(1, 2)), [Unavailable, Unavailable])
        trouble.restore()
        self.assertEqual(self.conditions[-1].doubt, "broken")
        self.assertEqual(self.do(*self.pending(3)), [Unavailable])
        self.commit.doubts.check()
        while self.queue:
            function, args = self.queue.pop(0)
            function(*args)
        self.assertEqual((self.conditions[-1], self.do(*self.pending(4))), (Condition(), [1]))
        self.crash()
        self.assertEqual(self.owed(), ["d-0", "d-4"])

    def test_taken_away(self) -> None:
        """Nothing is taken while the journal is not where it was; when it is back all goes on."""
        self.do(*self.pending(0))
        os.rename(self.path, self.path + ".away")
        self.assertEqual(self.do(*self.pending(1)), [Unavailable])
        self.assertEqual([one.doubt for one in self.conditions],
                         [f"the folder {os.path.basename(self.path)} is not where it was"])
        self.commit.doubts.check()
        self.assertEqual(self.do(*self.pending(2)), [Unavailable])
        os.rename(self.path + ".away", self.path)
        self.commit.doubts.check()
        while self.queue:
            function, args = self.queue.pop(0)
            function(*args)
        self.assertEqual((self.conditions[-1].doubt, self.do(*self.pending(3))), ("", [1]))
        self.crash()
        self.assertEqual(self.owed(), ["d-0", "d-3"])

    def test_touched(self) -> None:
        """A disk that takes nothing is found out without any mail."""
        self.do(*self.pending(0))
        self.commit.touch()
        self.assertEqual(self.conditions, [])

        def refuse(fd: int) -> None:
            raise OSError(errno.EROFS, "Read-only file system")

        self.patch(os, "utime", refuse)
        self.commit.touch()
        self.assertEqual([one.doubt for one in self.conditions], ["Read-only file system"])
        self.assertEqual(self.do(*self.pending(1)), [Unavailable])

    def test_cannot_be_described(self) -> None:
        """A delivery that no record can hold is refused by itself."""
        odd, = self.pending("odd")
        odd.delivery = Delivery("d-odd", "main", (object(),), b"", odd.delivery.at)  # type: ignore[arg-type]
        good, = self.pending("good")
        self.commit.before((odd, good))
        self.assertRaises(TypeError, self.commit.file, odd)
        self.assertEqual(self.commit.file(good).copies[0].uid, 1)

    def test_damage_told(self) -> None:
        """What of the journal cannot be read is told at the start."""
        os.makedirs(self.path)
        with open(f"{self.path}/0000000001.journal", "wb") as file:
            file.write(b"x" * 300)
        with capturedLogs() as events:
            self.commit.before(())
        self.assertEqual((len(self.conditions[-1].damage), len(events)), (1, 1))

    def test_orderly_end(self) -> None:
        """Nothing stays when nothing is owed and all mail is on the disk, else everything."""
        for synced, owed, stays in ((True, False, False), (False, False, True), (True, True, True)):
            self.do(*self.pending(f"{synced}-{owed}"))
            if not owed:
                self.commit.before((), [Id("main", f"d-{synced}-{owed}")])
            self.commit.shut(synced)
            left = [name for name in os.listdir(self.path) if name.endswith(".journal")]
            self.assertEqual(bool(left), stays, (synced, owed))
            for name in left:
                os.unlink(f"{self.path}/{name}")
            self.commit = self.opened()
