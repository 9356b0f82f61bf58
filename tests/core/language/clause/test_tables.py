"""The words of a sentence that may be turned round."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause.tables import asked, clause_words, cut, fit, led_in, question_head, restating, third

EN, DE = restating("en"), restating("de")


class WordTests(SynchronousTestCase):
    """Words and marks."""

    def test_words(self) -> None:
        """A time keeps its colon, a comma is a word of its own; nothing is taken of a text with an address."""
        self.assertEqual(clause_words("At 10:00, please, or at 9.30?"), [
            "At", "10:00", ",", "please", ",", "or", "at", "9.30", "?"])
        self.assertEqual(clause_words("Write to a@b.test"), [])
        self.assertEqual(clause_words("See www.x.test"), [])

    def test_asked(self) -> None:
        """What leads in, what fills, and what begins anew is left out."""
        self.assertEqual(asked("And, by the way, is it actually open, or shut?", EN), ["is", "it", "open"])
        self.assertEqual(led_in(["Could", "you", "tell", "me", "who"], EN), ["who"])
        self.assertEqual(cut([",", "yes", ",", "no"], EN), ["yes"])
        self.assertEqual(asked("word " * 40, EN), [])

    def test_head(self) -> None:
        """The question word with its noun."""
        self.assertEqual(question_head("which delivery address should".split(), EN), 3)
        self.assertEqual(question_head("Wie viele neue Lizenzen brauchen".split(), DE), 4)
        self.assertEqual(question_head("it rains".split(), EN), 0)

    def test_third(self) -> None:
        """Signs is a verb of hers, sign is none."""
        self.assertEqual((third("signs", EN), third("matches", EN), third("sign", EN)), (True, False, False))

    def test_fit(self) -> None:
        """A long clause is none."""
        self.assertEqual((fit(" a  b "), fit("a" * 200)), ("a b", ""))
