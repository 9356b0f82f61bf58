"""The words of a sentence that may be turned round."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause.tables import clause_words, cut, fit, led_in, restating, third

EN = restating("en")


class WordTests(SynchronousTestCase):
    """Words and marks."""

    def test_words(self) -> None:
        """A time keeps its colon, a comma is a word of its own; nothing is taken of a text with an address."""
        self.assertEqual(clause_words("At 10:00, please, or at 9.30?"), [
            "At", "10:00", ",", "please", ",", "or", "at", "9.30", "?"])
        self.assertEqual(clause_words("Write to a@b.test"), [])
        self.assertEqual(clause_words("See www.x.test"), [])

    def test_led_in(self) -> None:
        """What leads in and what begins anew is left out."""
        self.assertEqual(led_in(["Could", "you", "tell", "me", "who"], EN), ["who"])
        self.assertEqual(cut([",", "yes", ",", "no"], EN), ["yes"])

    def test_third(self) -> None:
        """Signs is a verb of hers, sign is none."""
        self.assertEqual((third("signs", EN), third("matches", EN), third("sign", EN)), (True, False, False))

    def test_fit(self) -> None:
        """A long clause is none."""
        self.assertEqual((fit(" a  b "), fit("a" * 200)), ("a b", ""))
