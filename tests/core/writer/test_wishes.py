"""What a persona wants, as a subject and as a sentence."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.tables import Language, language
from simmail.core.writer.wishes import want_sentence, want_subject, without_wish

EN, DE = language("en"), language("de")


class WishTests(SynchronousTestCase):
    """Wishes in both languages."""

    def test_without(self) -> None:
        """"Wants to" is not said of oneself."""
        self.assertEqual(without_wish("wants to get a refund", EN), "get a refund")
        self.assertEqual(without_wish("a refund", EN), "a refund")
        self.assertEqual(without_wish("möchte eine Gutschrift", DE), "eine Gutschrift")

    def test_subject(self) -> None:
        """A short line with a capital, without verb and article; a story is none."""
        self.assertEqual(want_subject("wants to get the January invoice corrected", EN), "January invoice corrected")
        self.assertEqual(want_subject("a refund", EN), "Refund")
        self.assertEqual(want_subject("a story that " * 10, EN), "")

    def test_sentence(self) -> None:
        """In the first person; a question and a sentence stay as they are."""
        for want, known, expected in (
            ("wants to get her invoice corrected", EN, "I would like to get my invoice corrected."),
            ("a refund.", EN, "I would like a refund."), ("When does it come?", EN, "When does it come?"),
            ("I need a refund", EN, "I need a refund."), ("Ich brauche Hilfe", DE, "Ich brauche Hilfe."),
        ):
            self.assertEqual(want_sentence(want, known), expected)

    @given(st.text(max_size=200), st.sampled_from((EN, DE)))
    def test_anything(self, want: str, known: Language) -> None:
        """Any wish is told, and a subject is short."""
        self.assertLessEqual(len(want_subject(want, known)), 61)
        self.assertIsInstance(want_sentence(want, known), str)
