"""Careful words for who wants advice."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause.question_types import asking
from tests.core.writer.answers.test_yes_no import acts

CAREFUL = tuple(f"answer.own {one}" for one in asking("en").careful_words)
PRIVATE = {"org": "", "role": ""}


def said(text: str, **fields: str) -> str:
    """What is said to one sentence."""
    (found,) = acts(f"Hi Maria,\n\n{text}\n\nDana", **fields)
    return found


class AdviceTests(SynchronousTestCase):
    """Questions of which one answer alone is sensible."""

    def test_advised(self) -> None:
        """Whether to do something is answered with care, and whether one has to by who has no firm."""
        self.assertIn(said("Should I poke a hole in the plasterboard, as my brother says?"), CAREFUL)
        self.assertIn(said("Do I have to sign the thing they sent?", **PRIVATE), CAREFUL)
        self.assertNotIn(said("Should I bring your ladder back?"), CAREFUL)

    def test_grave(self) -> None:
        """What may be grave is not denied, and of two things it is said."""
        for who in ("", "Ann", "Tom", "Zoe"):
            self.assertIn(said("Is that an emergency?", name=f"Maria {who}".strip()), (
                "answer.so yes, it is", "answer.stated that's an emergency"))
        self.assertEqual(said("Is that an emergency or can it wait till Monday?"), "answer.own That's an emergency.")

    def test_hearsay(self) -> None:
        """Hearsay is denied, in full, by who has no firm."""
        self.assertEqual(said("Is it true that the shop is closing?", **PRIVATE), f"answer.own {asking('en').not_so}")
