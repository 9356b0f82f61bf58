"""The order of messages."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.message.sort import collation_key


class CollationTests(SynchronousTestCase):
    """i;unicode-casemap."""

    def test_order(self) -> None:
        """Letters as capitals, so before what stands behind capitals in ASCII; composed or not is the same."""
        ordered = ["apple", "äpfel", "Banana", "Fish", "fisH2", "strasse", "straße", "zebra", "ZOO", "[x]", "_x", "{x}"]
        self.assertEqual(sorted(ordered[::-1], key=collation_key), ordered)
        self.assertEqual(collation_key("a\u0308"), collation_key("Ä"))

    @given(st.text(max_size=20))
    def test_any(self, text: str) -> None:
        """Any text has a key, that of ASCII does not go by case."""
        self.assertIsInstance(collation_key(text), str)
        if text.isascii():
            self.assertEqual(collation_key(text.lower()), collation_key(text.upper()))
