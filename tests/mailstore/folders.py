"""A store on disk with a folder of some messages, everything done in the calling thread."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.folder import FolderChange
from tests.contracts.mailstores import AT, DiskProvider, a_mail, result_of

MARIA, JOE = "maria@acme.test", "joe@acme.test"


class FolderCase(SynchronousTestCase):
    """
    Has Maria's INBOX with messages, and an empty Archive.

    @cvar shared: other processes serve the same mail.
    """

    shared = False

    def setUp(self) -> None:
        self.path = self.mktemp()
        self.provider = DiskProvider(self.path, shared=self.shared)
        self.addCleanup(lambda: self.provider.stop())
        self.store = self.provider.store
        result_of(self.store.create(MARIA))
        self.folder, self.archive = self.loaded("INBOX"), self.loaded("Archive")
        self.told: list[FolderChange] = []
        self.folder.listen(self.told.append)

    def loaded(self, name: str) -> Any:
        """One of Maria's folders."""
        return result_of(self.store.folder(MARIA, name))

    def fill(self, count: int, *flags: str) -> list[int]:
        """Append messages; their UIDs."""
        return [result_of(self.folder.append(a_mail(f"mail {n}"), flags, AT)) for n in range(count)]

    def files(self, name: str = "") -> list[str]:
        """The names of the files of a folder, sorted by their UIDs."""
        box = Path(self.path, "mail", "main", MARIA, name)
        return sorted((path.name for part in ("new", "cur") for path in (box / part).iterdir()),
                      key=lambda one: int(one.partition("U=")[2].partition(",")[0]))

    def kinds(self) -> list[tuple[str, tuple[int, ...]]]:
        """What was told of the INBOX since it was last asked."""
        told, self.told[:] = [(change.kind, change.uids) for change in self.told], []
        return told
