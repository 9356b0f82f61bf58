"""What another program puts into a Maildir of a replicated universe, or does to it."""

from __future__ import annotations

import os
from typing import Any

from tests.contracts.mailstores import result_of
from tests.mailstore.replication.test_writer import MARIA, ReplicatedCase


class ForeignTests(ReplicatedCase):
    """Another program works in Maria's INBOX."""

    def path(self) -> str:
        """Where that is."""
        return f"{self.provider.path}/mail/main/{MARIA}"

    def watched(self) -> list[Any]:
        """Who is told of deliveries."""
        told: list[Any] = []
        self.store.watch(lambda id, copy: told.append((id, copy.uid)))
        return told

    def test_delivered(self) -> None:
        """It is there on another machine, and owed until it is settled."""
        self.watched()
        with open(f"{self.path()}/new/1.2.other", "wb") as file:
            file.write(b"Subject: Foreign\n\nHello\n")
        os.utime(f"{self.path()}/new", ns=(10**18, 10**18))
        folder = self.folder()
        result_of(folder.poll())
        self.provider.later()
        result_of(folder.poll())
        self.assertEqual(list(folder.uids), [1, 2])
        self.provider.later()
        self.lose()
        folder, told = self.folder(), self.watched()
        self.assertEqual(result_of(folder.read(2)), b"Subject: Foreign\r\n\r\nHello\r\n")
        self.assertEqual([uid for _, uid in told], [2])
        self.store.committed([id for id, _ in told])
        self.provider.later()
        self.lose()
        self.assertEqual(self.watched(), [])
        self.assertEqual(self.uids(), [1, 2])

    def test_removed(self) -> None:
        """What it removes is gone there too."""
        folder = self.folder()
        name, = os.listdir(f"{self.path()}/new")
        os.unlink(f"{self.path()}/new/{name}")
        result_of(folder.poll())
        self.assertEqual(list(folder.uids), [])
        self.provider.later()
        self.lose()
        self.assertEqual(self.uids(), [])

    def test_folder_replaced(self) -> None:
        """A folder that is made anew under its name has nothing of the old one, there too."""
        work = self.path() + "/.Work"
        result_of(self.store.create_folder(MARIA, "Work"))
        result_of(self.folder().copy([1], self.folder("Work")))
        validity = self.folder("Work").uidvalidity
        os.rename(work, self.provider.path + "/elsewhere")
        for part in ("new", "cur", "tmp"):
            os.makedirs(f"{work}/{part}")
        self.provider.later()
        try:
            self.uids("Work")
        except Exception:
            pass
        self.assertEqual(self.uids("Work"), [])
        result_of(self.folder().copy([1], self.folder("Work")))
        before = self.uids("Work")
        self.provider.later()
        self.lose()
        self.assertEqual(self.uids("Work"), before)
        self.assertGreater(self.folder("Work").uidvalidity, validity)
