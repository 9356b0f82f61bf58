"""What is owed goes with a copy, once."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.delivery import Copy
from simmail.mailstore.journal.carried import packed, unpacked
from simmail.mailstore.journal.records import Departure, Destination
from simmail.mailstore.journal.uncommitted import Uncommitted
from tests.contracts.mailstores import AT, DiskProvider, a_delivery, a_mail, result_of

MARIA, TOM = "maria@acme.test", "tom@acme.test"


class CarriedTests(SynchronousTestCase):
    """A universe and a copy of it."""

    def setUp(self) -> None:
        self.provider = DiskProvider(self.mktemp())
        self.addCleanup(lambda: self.provider.stop())
        self.store: Any = self.provider.store
        self.owed = Path(self.provider.path) / "mail" / "kept" / ".owed"

    def test_nothing(self) -> None:
        """Where nothing is owed nothing is carried."""
        self.assertEqual(packed(Uncommitted(), [], "main", lambda id: Copy("", "", 0, 0)), b"")
        result_of(self.store.accept(a_delivery(1, MARIA, commit=b"")))
        result_of(self.provider.images.copy("main", "kept"))
        self.assertFalse(self.owed.exists())

    def test_where_it_is(self) -> None:
        """It is told where each was filed, with the UIDVALIDITY it has by now, and where it went since."""
        result_of(self.store.accept(a_delivery(1, MARIA, TOM, MARIA, (TOM, "Sent"))))
        inbox = result_of(self.store.folder(MARIA, "INBOX"))
        result_of(inbox.move([1], result_of(self.store.folder(MARIA, "Archive"))))
        result_of(result_of(self.store.folder(TOM, "INBOX")).expunge([1]))
        octets = self.provider.journal.commit.owed("main")
        numbers = {MARIA: 70, TOM: 80}
        [one], foreign = unpacked(octets, "other", lambda mailbox, folder: numbers[mailbox])
        self.assertEqual((one.described.id, one.described.universe, one.octets), ("d-1", "other", a_mail("mail 1")))
        self.assertEqual([(copy.mailbox, copy.folder, copy.uid, copy.uidvalidity) for copy in one.copies], [
            (MARIA, "INBOX", 1, 70), (TOM, "INBOX", 1, 80), (MARIA, "INBOX", 1, 70), (TOM, "Sent", 1, 80)])
        self.assertEqual(one.departures, [
            Departure("other", MARIA, "INBOX", 70, (1,), Destination(MARIA, "Archive", 70, (1,))),
            Departure("other", TOM, "INBOX", 80, (1,))])
        self.assertEqual(foreign, [])

    def test_once(self) -> None:
        """It is owed once, also when a crash came between the journal and the removal of the file."""
        result_of(self.store.accept(a_delivery(1, MARIA)))
        result_of(self.provider.images.copy("main", "kept"))
        octets = self.owed.read_bytes()
        kept = self.provider.open("kept")
        self.assertFalse(self.owed.exists())
        self.assertEqual(result_of(kept.uncommitted()), ["d-1"])
        self.owed.write_bytes(octets)
        self.provider.crash()
        kept = self.provider.open("kept")
        self.assertEqual(result_of(kept.uncommitted()), ["d-1"])
        self.assertFalse(self.owed.exists())
        self.assertEqual(len(result_of(kept.replay(set()))), 1)

    def test_foreign(self) -> None:
        """What another program delivered is told to who watches the copy, unless it was settled before."""
        result_of(self.store.create(MARIA))
        told: list[tuple[str, int]] = []
        self.store.watch(lambda foreign, copy: told.append((foreign, copy.uid)))
        for number in range(2):
            # Past a tick of the clock that files have, and past the rest that a slow look is followed by.
            time.sleep(0.05)
            (self.owed.parent.parent / "main" / MARIA / "new" / f"1.{number}").write_bytes(a_mail(f"foreign {number}"))
            for _ in range(100):
                self.provider.later()
                if len(told) > number:
                    break
                time.sleep(0.05)
        self.assertEqual([uid for _, uid in told], [1, 2])
        self.store.committed([told[0][0]])
        result_of(self.provider.images.copy("main", "kept", True))
        again: list[Copy] = []
        kept = self.provider.open("kept")
        kept.watch(lambda foreign, copy: again.append(copy))
        self.provider.later()
        self.assertEqual([(copy.uid, copy.uidvalidity) for copy in again],
                         [(2, result_of(kept.folder(MARIA, "INBOX")).uidvalidity)])

    def test_later_than_it(self) -> None:
        """An image of a copy that nobody has opened carries the same."""
        result_of(self.store.accept(a_delivery(1, MARIA, at=AT)))
        result_of(self.provider.images.copy("main", "kept"))
        self.store.committed(["d-1"])
        result_of(self.provider.images.copy("kept", "fork"))
        self.assertEqual((self.owed.parent.parent / "fork" / ".owed").read_bytes(), self.owed.read_bytes())
        self.assertEqual(result_of(self.provider.open("fork").uncommitted()), ["d-1"])
