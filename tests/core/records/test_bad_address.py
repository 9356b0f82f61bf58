"""What can be wrong with an address."""

from __future__ import annotations

from typing import get_args

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.bad_address import BadKind, REPLIES, kind_of


class KindTests(SynchronousTestCase):
    """Kinds, and what servers say of them."""

    def test_replies(self) -> None:
        """Every kind has a reply for good, of which the enhanced code agrees (RFC 3463 section 2)."""
        self.assertEqual(set(REPLIES), set(get_args(BadKind)))
        for code, enhanced, text in REPLIES.values():
            self.assertEqual((code // 100, enhanced[:2]), (5, "5."))
            self.assertTrue(text.isascii() and text)

    def test_read_back(self) -> None:
        """What is said of a kind is understood as that kind."""
        for kind, (_, enhanced, _) in REPLIES.items():
            self.assertEqual(kind_of(enhanced), kind)

    @given(st.text(max_size=12))
    def test_anything(self, enhanced: str) -> None:
        """What is not known is policy."""
        self.assertIn(kind_of(enhanced), get_args(BadKind))
        self.assertEqual(kind_of("5.7.26"), "blocked")
