"""Tests for C{simmail.core.rules.login_name}."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.rules.login_name import qualified, split


class LoginNameTests(SynchronousTestCase):
    """Names that say in which universe they are."""

    def test_split(self) -> None:
        """What stands behind the last percent sign is a universe where it can be one; in an address it cannot."""
        for name, parts in (
            ("app@sim.test%run-7", ("app@sim.test", "run-7")), ("billing%main", ("billing", "main")),
            ("a%b%c", ("a%b", "c")), ("app@sim.test", ("app@sim.test", "")), ("%main", ("%main", "")),
            ("user%relay@sim.test", ("user%relay@sim.test", "")), ("app%", ("app%", "")), ("app%A", ("app%A", "")),
            ("app%a\n", ("app%a\n", "")),
        ):
            self.assertEqual(split(name), parts)

    @given(st.text(min_size=1), st.from_regex(r"[a-z0-9][a-z0-9_-]{0,62}", fullmatch=True))
    def test_back(self, name: str, universe: str) -> None:
        """Whatever name is qualified is found again."""
        self.assertEqual(split(qualified(name, universe)), (name, universe))
