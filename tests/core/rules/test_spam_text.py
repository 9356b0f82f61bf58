"""A mail, taken apart for spam rules."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.rules.spam_text import LOOKED_AT, UNSEEN, letter
from tests.core.scenes import mail


class TextTests(SynchronousTestCase):
    """What rules look at."""

    def test_seen(self) -> None:
        """Letters nobody sees hide no words, and are counted; apostrophes are straight; white space is one blank."""
        one = letter(mail("fr\u200bee vi\u00adagra\n\n  it\u2019s", subject="ACT now"), "A@B.test", "C@D.test")
        self.assertEqual((one.low, one.unseen, one.words), ("act now free viagra it's", 2, 3))
        self.assertEqual((one.envelope_sender, one.recipient), ("a@b.test", "c@d.test"))

    def test_links_and_headers(self) -> None:
        """Hosts of links, and the first value of each header field."""
        one = letter(mail("see http://A.site/x and mailto:b@c.test", headers=(("X-A", "1"), ("x-a", "2"))), "", "")
        self.assertEqual((one.hosts[0], one.headers), ("a.site", {"x-a": "1"}))

    @given(st.text(st.sampled_from("aB " + UNSEEN + "\n<>"), max_size=40))
    def test_any_text(self, text: str) -> None:
        """Nothing unseen is left in what is compared."""
        one = letter(mail(text, subject=text), "", "")
        self.assertFalse(set(one.low) & set(UNSEEN))
        self.assertEqual(one.low, one.low.lower())

    def test_large(self) -> None:
        """Only the beginning of a large mail is looked at."""
        self.assertEqual(len(letter(mail("x" * LOOKED_AT * 2), "", "").text), LOOKED_AT)
