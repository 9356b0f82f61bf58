"""Tests for C{simmail.core.message.folding}."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.message.folding import fold
from simmail.core.message.sort import collation_key


class FoldTests(SynchronousTestCase):
    """What is the same to a search."""

    def test_pairs(self) -> None:
        """Case of all scripts, composition, compatibility."""
        for one, other in (
            ("Hello", "hELLO"), ("Grüße", "GRÜSSE"), ("GRU\u0308SSE", "grüße"), ("ΣΊΣΥΦΟΣ", "σίσυφος"),
            ("Ёлка", "ёЛКА"), ("ﬁn", "FIN"), ("ＡＢＣ", "abc"), ("a\u00a0b", "A b"), ("\u1e9e", "ß"), ("\u212a", "k"),
        ):
            self.assertEqual(fold(one), fold(other), (one, other))
        self.assertNotEqual(fold("u"), fold("ü"))
        self.assertNotIn(fold("über"), fold("uber"))

    @given(st.text(), st.text())
    def test_more_than_casemap(self, one: str, other: str) -> None:
        """What i;unicode-casemap (RFC 5051) calls the same is the same; folding twice changes nothing."""
        if collation_key(one) == collation_key(other):
            self.assertEqual(fold(one), fold(other))
        self.assertEqual(fold(one), fold(fold(one)))
        self.assertEqual(fold(one), fold(collation_key(one)))
