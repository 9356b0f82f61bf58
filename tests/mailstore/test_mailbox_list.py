"""Which folders may hold mail, and texts in many of them."""

from __future__ import annotations

import os
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from simmail.mailstore.index import search
from tests.contracts.mailstores import AT, DiskProvider, a_delivery, a_mail, result_of

MARIA, JOE = "maria@acme.test", "joe@acme.test"


class PlacesTests(SynchronousTestCase):
    """The store on disk."""

    def setUp(self) -> None:
        self.provider = DiskProvider(self.mktemp())
        self.addCleanup(self.provider.stop)
        self.store = self.provider.store
        result_of(self.store.accept(a_delivery(1, MARIA)))

    def counted(self) -> list[Any]:
        """Looks at the disk, from now on."""
        looks: list[Any] = []
        folders = self.store.layout.folders
        self.patch(self.store.layout, "folders", lambda box: looks.append(box) or folders(box))
        return looks

    def test_followed(self) -> None:
        """The disk is asked once a second; what is filed in between is there at once."""
        self.assertEqual(result_of(self.store.places()), [(MARIA, "INBOX")])
        looks = self.counted()
        result_of(self.store.accept(a_delivery(2, JOE, (MARIA, "Archive"))))
        self.assertEqual(set(result_of(self.store.places())), {(MARIA, "INBOX"), (MARIA, "Archive"), (JOE, "INBOX")})
        self.assertEqual(looks, [])

    def test_foreign(self) -> None:
        """What another program made is noticed a second later; what is as it was is not listed again."""
        result_of(self.store.accept(a_delivery(2, JOE)))
        result_of(self.store.places())
        for box in (MARIA, JOE):
            os.utime(f"{self.store.layout.path}/{self.store.boxes.find(box)}", (1, 1))
        self.provider.clock.advance(1.1)
        result_of(self.store.places())
        looks = self.counted()
        os.makedirs(f"{self.store.layout.path}/{self.store.boxes.find(JOE)}/.Foreign/cur")
        self.assertNotIn((JOE, "Foreign"), result_of(self.store.places()))
        self.provider.clock.advance(1.1)
        self.assertIn((JOE, "Foreign"), result_of(self.store.places()))
        self.assertEqual(looks, [self.store.boxes.find(JOE)])

    def test_shared(self) -> None:
        """What another process files is there at once."""
        provider = DiskProvider(self.mktemp(), shared=True)
        self.addCleanup(provider.stop)
        result_of(provider.store.accept(a_delivery(1, MARIA)))
        result_of(provider.store.places())
        os.makedirs(f"{provider.store.layout.path}/{provider.store.boxes.find(MARIA)}/.Other/cur")
        self.assertIn((MARIA, "Other"), result_of(provider.store.places()))

    def test_deleted(self) -> None:
        """Of a mailbox that is deleted nothing is left after a second."""
        result_of(self.store.accept(a_delivery(2, JOE)))
        result_of(self.store.places())
        result_of(self.store.delete(JOE))
        self.provider.clock.advance(1.1)
        self.assertEqual(result_of(self.store.places()), [(MARIA, "INBOX")])

    def test_packs(self) -> None:
        """More folders and messages than one question holds; the index thrown away in between."""
        self.patch(search, "LOOKED", 5)
        expected = []
        folders = []
        for n in range(6):
            mailbox = f"b{n}@sim.test"
            result_of(self.store.create(mailbox))
            folder = result_of(self.store.folder(mailbox, "INBOX"))
            for k in range(n + 2):
                result_of(folder.append(a_mail("wanted" if k % 2 else "other"), [], AT))
            folders.append(folder)
            expected.append([uid for uid in range(1, n + 3) if uid % 2 == 0])
        wanted = [(("in_subject", "in_body"), "wanted")]
        for _ in range(2):
            found = result_of(self.store.containing(folders[::-1], wanted))
            self.assertEqual([list(one) for one in found], expected[::-1])
            self.assertEqual(result_of(self.store.containing(folders[5:], ())), [[1, 2, 3, 4, 5, 6, 7]])
            self.store.index.tables.erase()
        # Of all that was looked at only what came since is looked at again.
        for _ in range(2):
            result_of(self.store.containing(folders[:1], wanted))
        looked = []
        missing = self.store.index.tables.digests.missing
        self.patch(self.store.index.tables.digests, "missing",
                   lambda number, uids: looked.extend(uids) or missing(number, uids))
        result_of(self.store.containing(folders[:1], wanted))
        result_of(folders[0].append(a_mail("wanted"), [], AT))
        self.assertEqual([list(one) for one in result_of(self.store.containing(folders[:1], wanted))], [[2, 3]])
        self.assertEqual(looked, [3])
