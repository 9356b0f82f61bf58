"""A store whose Maildirs another program reads and writes too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from tests.contracts.mailstores import DiskProvider, a_delivery, result_of

MARIA, TOM = "maria@acme.test", "tom@acme.test"


class ForeignTestCase(SynchronousTestCase):
    """A store with three messages in one INBOX, and another program's view of it."""

    shared = False

    def setUp(self) -> None:
        self.path = self.mktemp()
        self.provider = DiskProvider(self.path, self.shared)
        self.store = self.provider.store
        for number in range(3):
            self.accept(number)
        self.box = Path(self.path, "mail", "main", MARIA)
        self.folder = result_of(self.store.folder(MARIA, "INBOX"))
        self.told: list[Any] = []
        self.folder.listen(lambda change: self.told.append((change.kind, change.uids)))

    def tearDown(self) -> None:
        self.provider.stop()

    def accept(self, number: int, *places: Any) -> Any:
        return result_of(self.store.accept(a_delivery(number, *(places or (MARIA,)))))

    def poll(self) -> list[Any]:
        """What is told when somebody looks."""
        result_of(self.folder.poll())
        told, self.told[:] = list(self.told), []
        return told

    def later(self) -> None:
        """Time enough for files to get their names."""
        self.provider.clock.advance(2)

    def again(self) -> Any:
        """The folder after an orderly restart."""
        self.store = self.provider.restart()
        self.folder = result_of(self.store.folder(MARIA, "INBOX"))
        return self.folder
