"""Tests of how the store of objects in memory fails; what it does otherwise is in tests/contracts."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.errors import Unavailable
from simmail.testing.objects import MemoryObjects


class MemoryObjectsTests(SynchronousTestCase):
    """A store that fails as it is told."""

    def setUp(self) -> None:
        """It is empty."""
        self.store = MemoryObjects()

    def test_away(self) -> None:
        """While it is away nothing is done."""
        self.store.trouble = "gone fishing"
        for done in (self.store.put("a", b""), self.store.put_new("a", b""), self.store.get("a"), self.store.list(""),
                     self.store.delete("a")):
            self.assertIn("gone fishing", str(self.failureResultOf(done, Unavailable).value))
        self.assertEqual(self.store.objects, {})

    def test_losing(self) -> None:
        """What is put is there, whatever was answered; asked again it is known to be the same."""
        self.store.losing = True
        self.failureResultOf(self.store.put_new("a", b"x"), Unavailable)
        self.store.losing = False
        self.assertTrue(self.successResultOf(self.store.put_new("a", b"x")))

    def test_held(self) -> None:
        """What is put is there when its answer is let go."""
        self.store.held = []
        done = self.store.put("a", b"x")
        self.assertNoResult(done)
        self.assertEqual(self.store.objects, {})
        self.store.held.pop()()
        self.successResultOf(done)
        self.assertEqual(self.store.objects, {"a": b"x"})
