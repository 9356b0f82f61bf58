"""What only the store in memory can do: be away, and be given mail as another program would."""

from __future__ import annotations

from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from simmail.errors import NotFound, Unavailable
from simmail.mailstore.memory.mailstore import MemoryMailStore
from tests.contracts.mailstores import AT, a_delivery, a_mail, result_of, tiny_digest

MARIA = "maria@acme.test"


class MemoryStoreTests(SynchronousTestCase):
    """C{MemoryMailStore}."""

    def setUp(self) -> None:
        self.store = MemoryMailStore("main", tiny_digest)
        result_of(self.store.accept(a_delivery(1, MARIA)))
        self.folder: Any = result_of(self.store.folder(MARIA, "INBOX"))

    def test_away(self) -> None:
        """Away it answers nothing and changes nothing; back again, all is as it was."""
        self.store.away = True
        for ask in (lambda: self.store.accept(a_delivery(2, MARIA)), lambda: self.store.folders(MARIA),
                    self.store.counts, lambda: self.folder.read(1), lambda: self.folder.expunge([1]),
                    lambda: self.store.annotations.read(MARIA, "")):
            self.assertRaises(Unavailable, result_of, ask())
        self.store.away = False
        self.assertEqual(list(self.folder.uids), [1])

    def test_foreign(self) -> None:
        """Mail of another program is told to who watches, of before too, until it is committed or gone."""
        self.store.deliver_foreign(MARIA, a_mail("before"), AT)
        self.store.deliver_foreign(MARIA, a_mail("removed"), AT)
        result_of(self.folder.expunge([3]))
        told: list[tuple[str, int]] = []
        self.store.watch(lambda foreign, copy: told.append((foreign, copy.uid)))
        self.store.deliver_foreign(MARIA, a_mail("after"), AT)
        self.assertEqual([uid for _, uid in told], [2, 4])
        self.store.committed([foreign for foreign, _ in told])
        told.clear()
        self.store.watch(lambda foreign, copy: told.append((foreign, copy.uid)))
        self.assertEqual(told, [])

    def test_uncommitted(self) -> None:
        """A delivery is owed a commit until that is made, and is filed once however often it is taken."""
        self.assertEqual(result_of(self.store.accept(a_delivery(1, MARIA)))[0].uid, 1)
        self.assertEqual(result_of(self.store.uncommitted()), ["d-1"])
        [(delivery, copies)] = result_of(self.store.replay([]))
        self.assertEqual((delivery.id, copies[0].uid), ("d-1", 1))
        self.assertEqual(result_of(self.store.replay(["d-1"])), [])
        self.store.committed(["d-1"])
        self.assertEqual(result_of(self.store.uncommitted()), [])

    def test_erased(self) -> None:
        """Nothing is left, and who holds a folder is told."""
        told: list[str] = []
        self.folder.listen(lambda change: told.append(change.kind))
        result_of(self.store.erase())
        self.assertEqual((told, self.store.mailboxes(), result_of(self.store.uncommitted())), (["reset"], [], []))
        self.assertRaises(NotFound, result_of, self.folder.read(1))
