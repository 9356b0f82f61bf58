"""Key names."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.database import layout

ids = st.text(max_size=700) | st.text("ab{}:*%~.", max_size=8)


class KeysTests(SynchronousTestCase):
    """Names that hold ids."""

    def test_plain(self) -> None:
        """A plain id stands as it is; the server's own place has a tag no universe has."""
        self.assertEqual(layout.escape("per_01.x-y@acme.test"), "per_01.x-y@acme.test")
        self.assertEqual(layout.prefix("main"), "{main}")
        self.assertEqual(layout.prefix(""), "{~}")
        self.assertNotEqual(layout.prefix("~"), "{~}")

    @given(ids)
    def test_harmless(self, id: str) -> None:
        """Whatever the id, its name has nothing in it that Redis or a pattern takes for more than a letter."""
        escaped = layout.escape(id)
        self.assertTrue(escaped.isascii())
        self.assertFalse(set(escaped) & set("{}[]*?:^\\~ \0\r\n"), escaped)
        self.assertTrue(len(escaped) <= 600)

    @given(ids, ids)
    def test_one_to_one(self, one: str, other: str) -> None:
        """Two ids never share a name."""
        self.assertEqual(layout.escape(one) == layout.escape(other), one == other)

    def test_lua(self) -> None:
        """Scripts get every name of this module."""
        self.assertIn("EVENTS", layout.lua())
        self.assertIn("':events'", layout.lua())
        self.assertNotIn("_PLAIN", layout.lua())
