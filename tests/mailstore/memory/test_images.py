"""The stores of one server in memory."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.errors import Unavailable
from simmail.mailstore.memory.images import MemoryMailImages
from tests.contracts.mailstores import AT, a_delivery, a_mail, result_of

MARIA = "maria@acme.test"


class MemoryImagesTests(SynchronousTestCase):
    """C{MemoryMailImages}."""

    def test_stores(self) -> None:
        """A store is made once, and has what was left in it; one that is away cannot be copied."""
        images = MemoryMailImages()
        store = images.store("main")
        result_of(store.accept(a_delivery(1, MARIA)))
        self.assertIs(images.store("main"), store)
        store.away = True
        self.assertRaises(Unavailable, result_of, images.copy("main", "kept"))
        store.away = False
        result_of(images.copy("main", "kept"))
        self.assertEqual(images.store("kept").universe, "kept")

    def test_keys(self) -> None:
        """What is put into a copy is called like nothing that came with it."""
        images = MemoryMailImages()
        store = images.store("main")
        result_of(store.create(MARIA))
        result_of(result_of(store.folder(MARIA, "INBOX")).append(a_mail("one"), [], AT))
        result_of(images.copy("main", "kept"))
        inbox = result_of(images.store("kept").folder(MARIA, "INBOX"))
        result_of(inbox.append(a_mail("two"), [], AT))
        self.assertEqual(len(set(inbox.column("key", inbox.uids))), 2)

    def test_foreign(self) -> None:
        """What another program delivered is told in a copy too, where it is there."""
        images = MemoryMailImages()
        images.store("main").deliver_foreign(MARIA, a_mail("foreign"), AT)
        result_of(images.copy("main", "kept", True))
        told: list[int] = []
        images.store("kept").watch(lambda foreign, copy: told.append(copy.uidvalidity))
        self.assertEqual(told, [result_of(images.store("kept").folder(MARIA, "INBOX")).uidvalidity])
