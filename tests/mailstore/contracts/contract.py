"""The tests that every mail store passes, on the one in memory, the one on disk and the replicated one."""

from __future__ import annotations

from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.folder import FolderChange
from tests.contracts.mailstores import DiskProvider, MemoryProvider, a_delivery, result_of
from tests.mailstore.replication.providers import ReplicatedProvider

MARIA, TOM = "maria@acme.test", "tom@acme.test"
INBOX = "INBOX"


class Contract:
    """The tests; C{provider} makes a store."""

    provider_of: Any

    def setUp(self) -> None:
        self.provider = self.provider_of(self.mktemp())
        self.store = self.provider.store

    def tearDown(self) -> None:
        self.provider.stop()

    # What tests use

    def accept(self, *args: Any, **kwargs: Any) -> Any:
        return result_of(self.store.accept(a_delivery(*args, **kwargs)))

    def settle(self, *ids: str) -> None:
        self.store.committed(ids)
        # Settling is lazy; owed() is in the same queue.
        result_of(self.store.uncommitted())

    def folder(self, mailbox: str = MARIA, name: str = INBOX) -> Any:
        return result_of(self.store.folder(mailbox, name))

    def filled(self, count: int, mailbox: str = MARIA, name: str = INBOX, flags: tuple[str, ...] = ()) -> Any:
        for number in range(count):
            self.accept(f"{mailbox[0]}{name[0]}{number}", (mailbox, name, flags))
        return self.folder(mailbox, name)

    def changes(self, folder: Any) -> list[FolderChange]:
        changes: list[FolderChange] = []
        folder.listen(changes.append)
        return changes

    def names(self, mailbox: str = MARIA) -> list[str]:
        return [status.name for status in result_of(self.store.folders(mailbox))]

    def status(self, name: str, mailbox: str = MARIA) -> Any:
        return next(one for one in result_of(self.store.folders(mailbox)) if one.name == name)


def on_both(module: str, *contracts: type[Contract]) -> dict[str, type]:
    """Test cases of a module by name: each contract for each kind of store."""
    cases = {}
    for contract in contracts:
        for provider in (MemoryProvider, DiskProvider, ReplicatedProvider):
            name = f"{contract.__name__.removesuffix('Contract')}{provider.__name__.removesuffix('Provider')}Tests"
            cases[name] = type(name, (contract, SynchronousTestCase), {
                "provider_of": provider, "__module__": module, "__doc__": contract.__doc__, "__qualname__": name})
    return cases
