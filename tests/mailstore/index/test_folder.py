"""What the index needs of a folder."""

from __future__ import annotations

import inspect

from twisted.trial.unittest import SynchronousTestCase

from simmail.mailstore.folder.folder import Folder
from simmail.mailstore.index.folder import IIndexed, key_of
from tests.contracts.mailstores import DiskProvider, a_delivery, result_of

MARIA = "maria@acme.test"


class IndexedTests(SynchronousTestCase):
    """C{IIndexed} and C{key_of}."""

    def setUp(self) -> None:
        provider = DiskProvider(self.mktemp())
        self.addCleanup(provider.stop)
        self.store = provider.store
        result_of(self.store.accept(a_delivery(1, MARIA)))

    def test_of_a_folder(self) -> None:
        """A loaded folder has all that is needed, with the same parameters."""
        folder = result_of(self.store.folder(MARIA, "INBOX"))
        for name in ("mailbox", "name", "uidvalidity", "directory", "gone", "uids"):
            self.assertTrue(hasattr(folder, name), name)
        for name, needed in inspect.getmembers(IIndexed, inspect.isfunction):
            if not name.startswith("_"):
                self.assertEqual(list(inspect.signature(getattr(Folder, name)).parameters),
                                 list(inspect.signature(needed).parameters), name)

    def test_keys(self) -> None:
        """Another folder of that name has another key."""
        result_of(self.store.create_folder(MARIA, "Work"))
        first = result_of(self.store.folder(MARIA, "Work"))
        self.assertEqual(key_of(first), (MARIA, "Work", first.uidvalidity))
        result_of(self.store.delete_folder(MARIA, "Work"))
        result_of(self.store.create_folder(MARIA, "Work"))
        second = result_of(self.store.folder(MARIA, "Work"))
        self.assertGreater(key_of(second), key_of(first))
