"""Octets that are kept for a while, in blocks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.database.durability import synced
from simmail.database.durability.synced import Blocks


class BlockTests(SynchronousTestCase):
    """What is kept."""

    @given(st.lists(st.binary(max_size=200), max_size=30))
    def test_kept(self, many: list[bytes]) -> None:
        """All stays as it was, whatever is kept behind it, also what is longer than a block."""
        self.patch(synced, "BLOCK", 100)
        kept = Blocks()
        views = [kept.keep(octets) for octets in many]
        self.assertEqual([bytes(view) for view in views], many)

    def test_together(self) -> None:
        """What fits is in one block; what does not begins another."""
        self.patch(synced, "BLOCK", 100)
        kept = Blocks()
        first, second, third = kept.keep(b"a" * 60), kept.keep(b"b" * 40), kept.keep(b"c")
        self.assertIs(first.obj, second.obj)
        self.assertIsNot(second.obj, third.obj)

    def test_read_only(self) -> None:
        """Nobody changes it."""
        view = Blocks().keep(b"abc")
        with self.assertRaises(TypeError):
            view[0] = 1
