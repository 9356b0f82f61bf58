"""Deliveries whose commit is not known to be made."""

from __future__ import annotations

import gc
from collections.abc import Sequence

from twisted.logger import capturedLogs

from simmail.core.records.delivery import Copy, Delivery
from simmail.mailstore.delivery.maildir_delivery import DeliveryResult
from simmail.mailstore.journal.records import Departure, Destination, FiledAt, Id, Octets
from simmail.mailstore.journal.repair import Repaired
from simmail.mailstore.journal.retained import Journalled
from simmail.mailstore.journal.uncommitted import Recovery, Uncommitted, undisturbed
from tests.contracts.mailstores import a_delivery
from tests.mailstore.journal.records import (
    MARIA, RecordsTestCase, TOM, committed, delivered, erased, filed, foreign, refused,
)

ONE, TWO, THREE = (delivered(a_delivery(number, MARIA)) for number in (1, 2, 3))
QUIET = delivered(a_delivery("quiet", MARIA, commit=b""))


class UncommittedTests(RecordsTestCase):
    """From records, and as it goes on."""

    def setUp(self) -> None:
        super().setUp()
        self.filed: list[str] = []
        self.compared: list[str] = []
        self.full: set[str] = set()
        self.recovery = Recovery(self.file, self.compare)

    def file(self, delivery: Delivery) -> DeliveryResult:
        if delivery.id in self.full:
            raise OSError(28, "full")
        self.filed.append(delivery.id)
        return DeliveryResult((Copy(MARIA, "INBOX", len(self.filed), 7),), [])

    def compare(self, journalled: object) -> Repaired:
        assert isinstance(journalled, list)
        self.compared += [one.described.id for one in journalled if isinstance(one, Journalled)]
        return Repaired([], {}, [], False)

    def read(self, *written: Octets) -> Uncommitted:
        uncommitted = Uncommitted()
        for one in self.records(*written):
            uncommitted.read(one)
        return uncommitted

    def owed(self, *written: Octets) -> list[str]:
        return self.read(*written).find("main", self.recovery).ids

    def test_owed(self) -> None:
        """What is neither committed nor refused, in the order of acceptance; foreign mail by itself."""
        self.assertEqual(self.owed(TWO, ONE, THREE, committed("d-1")), ["d-2", "d-3"])
        self.assertEqual(self.owed(ONE, refused("d-1"), TWO, erased("other")), ["d-2"])
        self.assertEqual(self.owed(ONE, erased("main"), TWO), ["d-2"])
        one = self.read(ONE, foreign("f-1", "f-2"), committed("f-1"))
        self.assertEqual([key.id for key in one.foreign], ["f-2"])
        self.assertEqual([one.is_uncommitted(Id("main", name)) for name in ("d-1", "f-1", "f-2")], [True, False, True])

    def test_nothing_owed(self) -> None:
        """Once all is released it owes nothing, and its segment can go."""
        one = self.read(ONE, foreign("f-1"))
        segment = one.deliveries[Id("main", "d-1")].segment
        self.assertEqual((bool(one), one.universes(), len(segment.ids)), (True, {"main"}, 2))
        one.find("main", self.recovery)
        for name in ("d-1", "f-1", "f-1"):
            one.release(Id("main", name))
        self.assertEqual((bool(one), one.universes(), segment.ids), (False, set(), set()))

    def test_compared(self) -> None:
        """All that the journal has is compared with the files once, also what is committed."""
        one = self.read(ONE, filed("d-1", (1, 7)), committed("d-1"), TWO)
        self.assertTrue(one.mending)
        one.find("main", self.recovery)
        one.find("main", self.recovery)
        self.assertEqual((self.compared, one.mending), (["d-1", "d-2"], False))

    def test_compared_later(self) -> None:
        """What could not be compared is where it is by then: what has left meanwhile does not come back."""
        one = self.read(ONE, filed("d-1", (5, 7)), committed("d-1"))
        failed: list[Journalled] = []

        def fail(journalled: Sequence[Journalled]) -> Repaired:
            failed.extend(journalled)
            return Repaired([], {}, list(journalled), False)

        one.find("main", self.recovery._replace(compare=fail))
        self.assertTrue(one.mending)
        one.departed(Departure("main", MARIA, "INBOX", 7, (5,), Destination(TOM, "Kept", 9, (3,))))
        one.find("main", self.recovery._replace(compare=fail))
        self.assertEqual(failed[1].places, [Copy(TOM, "Kept", 3, 9)])
        one.departed(Departure("main", TOM, "Kept", 9, (3,)))
        one.find("main", self.recovery._replace(compare=fail))
        self.assertEqual(failed[2].places, [None])

    def test_filed_before_compared(self) -> None:
        """What was filed for its commit is filed, also where it could not be compared before."""
        one = self.read(TWO)
        left: list[Journalled] = []

        def fail(journalled: Sequence[Journalled]) -> Repaired:
            left.extend(journalled)
            return Repaired([], {}, list(journalled), False)

        one.find("main", self.recovery._replace(compare=fail))
        one.replay("main", (), self.recovery)
        one.release(Id("main", "d-2"))
        one.departed(Departure("main", MARIA, "INBOX", 7, (1,)))
        one.find("main", self.recovery)
        self.assertEqual((self.filed, left[0].places), (["d-2"], [None]))

    def test_no_commit(self) -> None:
        """Of what nobody is to be told it is visible before anybody asks, or is tried again."""
        self.full = {"d-quiet"}
        with capturedLogs() as events:
            one = self.read(QUIET, ONE)
            self.assertEqual(one.find("main", self.recovery).ids, ["d-quiet", "d-1"])
        self.assertIn("cannot be filed", events[0]["trouble"])
        self.full = set()
        found = one.find("main", self.recovery)
        self.assertEqual((found.ids, len(found.filed), self.filed), (["d-1"], 1, ["d-quiet"]))
        self.assertEqual(self.owed(QUIET, filed("d-quiet", (1, 7))), [])

    def test_replayed(self) -> None:
        """What was filed is answered as it was, all else is filed; what is known is not answered."""
        one = self.read(ONE, filed("d-1", (9, 7)), TWO, THREE)
        found = one.replay("main", {"d-3"}, self.recovery)
        self.assertEqual([(delivery, copies) for delivery, copies in found.deliveries], [
            (a_delivery(1, MARIA), (Copy(MARIA, "INBOX", 9, 7),)),
            (a_delivery(2, MARIA), (Copy(MARIA, "INBOX", 1, 7),))])
        self.assertEqual((self.filed, len(found.filed), found.left), (["d-2", "d-3"], 2, []))
        self.assertEqual(one.take_filed(), [FiledAt("main", "d-2", ((1, 7),)), FiledAt("main", "d-3", ((2, 7),))])
        self.assertEqual(one.take_filed(), [])

    def test_replayed_in_part(self) -> None:
        """What the disk refuses stays owed, and keeps nothing else; only some can be asked for."""
        one = self.read(ONE, TWO, THREE)
        self.full = {"d-1"}
        with capturedLogs():
            found = one.replay("main", (), self.recovery, {"d-1", "d-2"})
        self.assertEqual((self.filed, found.left), (["d-2"], ["d-1"]))
        self.assertEqual(one.replay("other", (), self.recovery).deliveries, [])
        self.assertEqual(len(one.find("main", self.recovery).ids), 3)

    def test_visible(self) -> None:
        """What is visible and owes nothing is released at once, all else keeps its copies."""
        one, segment = Uncommitted(), next(iter(self.records(ONE))).segment
        keys = [Id("main", "a"), Id("main", "b")]
        one.add_uncommitted(keys, segment)
        copies = (Copy(MARIA, "INBOX", 4, 7),)
        one.filed(keys[0], copies, True)
        one.filed(keys[1], copies, False)
        self.assertEqual(([*one.deliveries], one.deliveries[keys[0]].copies), ([keys[0]], copies))
        self.assertEqual(len(one.take_filed()), 2)

    def test_undisturbed(self) -> None:
        """The collector is off meanwhile, and as it was afterwards, whatever happens."""
        was = gc.isenabled()
        try:
            with undisturbed():
                self.assertFalse(gc.isenabled())
                raise ZeroDivisionError
        except ZeroDivisionError:
            pass
        self.assertEqual(gc.isenabled(), was)
