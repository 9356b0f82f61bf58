"""The languages whose questions are said again."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause.declarative.languages import either_stated, stated, wondered


class LanguageTests(SynchronousTestCase):
    """One way to each."""

    def test_known(self) -> None:
        """A language is asked by its code."""
        self.assertEqual(stated("Geht das?", "de", False, True), ("das geht", "das geht nicht"))
        self.assertEqual(either_stated("Gehst du oder bleibst du?", "de", False, True), ("ich gehe", "ich bleibe"))
        self.assertEqual(stated("Ça va ?", "fr", False, True), ("ça va", "ça ne va pas"))
        self.assertEqual(stated("¿Es normal?", "es", False, True), ("es normal", "no es normal"))
        self.assertEqual(wondered("Wo ist der Schlüssel?", "de", False, True), "wo der Schlüssel ist")

    def test_unknown(self) -> None:
        """Of another nothing is said."""
        self.assertIsNone(stated("Går det?", "sv", False, True))
        self.assertEqual(either_stated("A eller B?", "sv", False, True), ())
        self.assertEqual(wondered("Var är nyckeln?", "sv", False, True), "")
