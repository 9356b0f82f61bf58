"""Patterns of LIST."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.imap.command.list import Pattern
from tests.core.hostile import seconds


class PatternTests(SynchronousTestCase):
    """C{*} and C{%}."""

    @given(st.text("ab/*%", max_size=10), st.text("ab/", max_size=10))
    def test_model(self, pattern: str, name: str) -> None:
        """A pattern matches as the regular expression it stands for."""
        model = "".join(".*" if c == "*" else "[^/]*" if c == "%" else re.escape(c) for c in pattern)
        self.assertEqual(Pattern(pattern).matches(name), re.fullmatch(model, name) is not None)

    def test_inbox(self) -> None:
        """INBOX is found in any case, and so is what lies below it."""
        for pattern in ("inbox", "InBo%", "*box"):
            self.assertTrue(Pattern(pattern).matches("INBOX"))
        self.assertTrue(Pattern("inbox/%").matches("INBOX/a"))
        self.assertFalse(Pattern("sent").matches("Sent"))

    def test_linear(self) -> None:
        """Stars without end take no time (CVE-2026-106454)."""
        def matched() -> None:
            self.assertFalse(Pattern("*a" * 20000 + "b").matches("a" * 1000))
            self.assertFalse(Pattern("*%" * 30000 + "b").matches("a" * 1000))

        self.assertLess(seconds(matched), 1.0)
