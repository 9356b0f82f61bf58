"""What is in the journal, and where its messages are."""

from __future__ import annotations

from simmail.core.records.delivery import Copy, DeliveryPart
from simmail.mailstore.journal.records import Destination, Octets
from simmail.mailstore.journal.retained import Retained, retained_in
from tests.contracts.mailstores import AT, a_delivery
from tests.mailstore.journal.records import (
    MARIA, RecordsTestCase, TOM, committed, delivered, departed, erased, filed, foreign, refused,
)

ONE = delivered(a_delivery(1, MARIA, (TOM, "Archive")))
TWO = delivered(a_delivery(2, MARIA))


class RetainedTests(RecordsTestCase):
    """Deliveries and their places, from records."""

    def read(self, *written: Octets) -> Retained:
        retained = Retained()
        for one in self.records(*written):
            retained.read(one)
        return retained

    def places(self, *written: Octets) -> dict[str, list[Copy | None] | None]:
        """Where the messages of each delivery are."""
        return {one.described.id: one.places for one in self.read(*written).deliveries.values()}

    def test_order(self) -> None:
        """Deliveries are there in the order of acceptance, committed or not, unless refused."""
        found = self.read(TWO, ONE, delivered(a_delivery(3, MARIA)), committed("d-2"), foreign("f-1"), refused("d-1"))
        self.assertEqual([key.id for key in found.deliveries], ["d-2", "d-3"])

    def test_octets(self) -> None:
        """The message itself is read where it is."""
        (one,) = self.read(TWO).deliveries.values()
        self.assertEqual(one.octets(), a_delivery(2, MARIA).octets)

    def test_filed(self) -> None:
        """Before it was filed no place is known; then that of each placement."""
        self.assertEqual(self.places(ONE), {"d-1": None})
        self.assertEqual(self.places(ONE, filed("d-1", (5, 7), (1, 8)), filed("d-9", (1, 1))), {
            "d-1": [Copy(MARIA, "INBOX", 5, 7), Copy(TOM, "Archive", 1, 8)]})

    def test_one_message_twice(self) -> None:
        """Where two placements are one message it is the first one's."""
        twice = delivered(a_delivery(1, MARIA, MARIA))
        self.assertEqual(self.places(twice, filed("d-1", (5, 7), (5, 7))), {"d-1": [Copy(MARIA, "INBOX", 5, 7), None]})

    def test_filed_again(self) -> None:
        """It is where it was filed last."""
        self.assertEqual(self.places(TWO, filed("d-2", (5, 7)), filed("d-2", (6, 7)), departed(MARIA, "INBOX", 5)), {
            "d-2": [Copy(MARIA, "INBOX", 6, 7)]})

    def test_filed_again_without_one(self) -> None:
        """What was expunged before the others were filed again, and so has no UID, is nowhere still."""
        self.assertEqual(self.places(
            ONE, filed("d-1", (5, 7), (5, 8)), departed(MARIA, "INBOX", 5), filed("d-1", (0, 0), (6, 9))), {
            "d-1": [None, Copy(TOM, "Archive", 6, 9)]})

    def test_expunged(self) -> None:
        """What left for good is nowhere; of another UIDVALIDITY, or folder, nothing is meant."""
        start = (ONE, filed("d-1", (5, 7), (5, 8)))
        for one in (departed(MARIA, "Archive", 5), departed(MARIA, "INBOX", 6),
                    departed(MARIA, "INBOX", 5, uidvalidity=9)):
            self.assertEqual(self.places(*start, one)["d-1"], [Copy(MARIA, "INBOX", 5, 7), Copy(TOM, "Archive", 5, 8)])
        gone = self.read(*start, departed(MARIA, "INBOX", 5, uidvalidity=7))
        (one,) = gone.deliveries.values()
        self.assertEqual((one.places, one.former), ([None, Copy(TOM, "Archive", 5, 8)], (Copy(MARIA, "INBOX", 5, 7),)))

    def test_moved(self) -> None:
        """What was moved is where it was moved to, and can be moved again."""
        found = self.places(
            TWO, filed("d-2", (5, 7)), departed(MARIA, "INBOX", 5, to=Destination(TOM, "Sent", 9, (3,))),
            departed(TOM, "Sent", 3, to=Destination(TOM, "Archive", 4, (1,))))
        self.assertEqual(found, {"d-2": [Copy(TOM, "Archive", 1, 4)]})

    def test_folder_renamed(self) -> None:
        """All of a folder goes with it, under the UIDs they had; of a mailbox that is gone nothing is left."""
        renamed = (TWO, filed("d-2", (5, 7)), departed(MARIA, "INBOX", to=Destination(MARIA, "Old", 0, ())))
        self.assertEqual(self.places(*renamed), {"d-2": [Copy(MARIA, "Old", 5, 0)]})
        self.assertEqual(self.places(*renamed, departed(MARIA, "")), {"d-2": [None]})

    def test_universes(self) -> None:
        """A universe that was erased has nothing; what is taken is not there any more."""
        found = self.read(ONE, TWO)
        self.assertEqual([one.described.id for one in found.take("main")], ["d-1", "d-2"])
        self.assertEqual((found.take("main"), found.deliveries), ([], {}))
        self.assertEqual(self.places(ONE, erased("main"), TWO), {"d-2": None})

    def test_several(self) -> None:
        """Several messages of one delivery are each by itself, with its own octets and place."""
        single = a_delivery(1, MARIA, MARIA, octets=b"firstsecond")
        several = single.__class__(
            single.id, "main", single.placements, single.octets, AT,
            parts=(DeliveryPart(5, AT), DeliveryPart(6, AT)))
        (one,) = self.read(delivered(several), filed("d-1", (5, 7), (6, 7))).deliveries.values()
        self.assertEqual([(part.described.id, part.octets(), part.places) for part in one.messages()], [
            ("d-1-1", b"first", [Copy(MARIA, "INBOX", 5, 7)]), ("d-1-2", b"second", [Copy(MARIA, "INBOX", 6, 7)])])
        (plain,) = self.read(TWO).deliveries.values()
        self.assertEqual(plain.messages(), [plain])

    def test_segments(self) -> None:
        """Records go on from one segment to the next."""
        segments = [next(iter(self.records(*some))).segment for some in ((TWO,), (filed("d-2", (5, 7)),))]
        (one,) = retained_in(segments).deliveries.values()
        self.assertEqual(one.places, [Copy(MARIA, "INBOX", 5, 7)])
