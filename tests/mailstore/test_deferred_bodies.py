"""Messages that are kept for later, on disk and in memory."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from simmail.errors import NotFound
from simmail.mailstore.deferred_bodies import HELD
from tests.contracts.mailstores import DiskProvider, MemoryProvider, result_of


class BodyCases:
    """What both promise."""

    provider: Any

    def test_kept(self: Any) -> None:
        """What is kept is read under each of its keys, in the next process too, until it is dropped."""
        held = self.provider.store.held
        result_of(held.keep(["b", "a"], b"octets"))
        held = self.provider.restart().held
        self.assertEqual(result_of(held.keys()), ["a", "b"])
        self.assertEqual([result_of(held.read(key)) for key in "ab"], [b"octets"] * 2)
        result_of(held.drop(["a", "never"]))
        self.assertEqual(result_of(held.keys()), ["b"])
        self.assertRaises(NotFound, result_of, held.read("a"))
        self.assertEqual(result_of(held.read("b")), b"octets")

    def test_replaced(self: Any) -> None:
        """What was there under a key is replaced; others that had the same octets keep them."""
        held = self.provider.store.held
        result_of(held.keep(["a", "b"], b"first"))
        result_of(held.keep(["b"], b"second"))
        result_of(held.keep(["c", "a"], b"third"))
        self.assertEqual([result_of(held.read(key)) for key in "abc"], [b"third", b"second", b"third"])

    def test_none(self: Any) -> None:
        """Nothing was ever kept."""
        held = self.provider.store.held
        self.assertEqual(result_of(held.keys()), [])
        result_of(held.drop(["a"]))
        self.assertRaises(NotFound, result_of, held.read("a"))

    def test_erased(self: Any) -> None:
        """With a universe goes what was kept for it."""
        store = self.provider.store
        result_of(store.held.keep(["a"], b"octets"))
        result_of(store.erase())
        self.assertEqual(result_of(store.held.keys()), [])


class DiskTests(BodyCases, SynchronousTestCase):
    """C{DeferredBodies}."""

    def setUp(self) -> None:
        self.path = self.mktemp()
        self.provider = DiskProvider(self.path)
        self.addCleanup(lambda: self.provider.stop())

    def test_one_file(self) -> None:
        """Keys of one message share a file, which nobody else may read."""
        held = self.provider.store.held
        result_of(held.keep(["a", "b"], b"octets"))
        directory = Path(self.path, "mail", "main", HELD)
        one, other = (os.stat(directory / key) for key in "ab")
        self.assertEqual((one.st_ino, one.st_nlink), (other.st_ino, 2))
        self.assertEqual(os.stat(directory).st_mode & 0o077, 0)

    def test_crash(self) -> None:
        """It is durable when that is said."""
        result_of(self.provider.store.held.keep(["a"], b"octets"))
        self.assertEqual(result_of(self.provider.crash().held.read("a")), b"octets")


class MemoryTests(BodyCases, SynchronousTestCase):
    """C{DeferredBodiesInMemory}."""

    def setUp(self) -> None:
        self.provider = MemoryProvider(self.mktemp())
