"""The languages whose questions are said again."""

from __future__ import annotations

from random import Random

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause.declarative.languages import (
    clause_stated, either_stated, is_own_deed, stated, wondered,
)


class LanguageTests(SynchronousTestCase):
    """One way to each."""

    def test_own_deed(self) -> None:
        """Only where no pronoun says it, a verb tells that its speaker acts."""
        self.assertTrue(is_own_deed(["Hago", "una", "tarta"], "es"))
        self.assertFalse(is_own_deed(["una", "tarta"], "es"))
        self.assertFalse(is_own_deed(["fais", "un"], "fr"))

    def test_known(self) -> None:
        """A language is asked by its code."""
        self.assertEqual(stated("Geht das?", "de", False, True), ("das geht", "das geht nicht"))
        self.assertEqual(either_stated("Gehst du oder bleibst du?", "de", False, True), ("ich gehe", "ich bleibe"))
        self.assertEqual(stated("Ça va ?", "fr", False, True), ("ça va", "ça ne va pas"))
        self.assertEqual(stated("¿Es normal?", "es", False, True), ("es normal", "no es normal"))
        self.assertEqual(wondered("Wo ist der Schlüssel?", "de", False, True), "wo der Schlüssel ist")

    def test_clause(self) -> None:
        """A German clause behind "ob" has its verb last."""
        self.assertEqual(clause_stated("das Zimmer frei ist", "de", False, True), (
            "das Zimmer ist frei", "das Zimmer ist nicht frei"))
        self.assertEqual(clause_stated("la salle est libre", "fr", False, True), (
            "la salle est libre", "la salle n'est pas libre"))
        self.assertIsNone(clause_stated("das Zimmer ist frei", "de", False, True))

    def test_unknown(self) -> None:
        """Of another nothing is said."""
        self.assertIsNone(stated("Går det?", "sv", False, True))
        self.assertEqual(either_stated("A eller B?", "sv", False, True), ())
        self.assertEqual(wondered("Var är nyckeln?", "sv", False, True), "")

    def test_fillers(self) -> None:
        """What says nothing may stand behind a question, and alone."""
        self.assertEqual(stated("Ça va, au fait ?", "fr", False, True), ("ça va", "ça ne va pas"))
        self.assertEqual(stated("Geht das, bitte?", "de", False, True), ("das geht", "das geht nicht"))
        self.assertEqual(stated("¿Es normal, por favor?", "es", False, True), ("es normal", "no es normal"))
        self.assertEqual([stated(one, code, False, True) for one, code in (
            ("Svp ?", "fr"), ("Bitte?", "de"), ("¿Por favor?", "es"))], [None, None, None])

    def test_question(self) -> None:
        """A question is no clause behind "ob": its verb does not stand last."""
        self.assertIsNone(clause_stated("Ist Ihnen im Bad etwas aufgefallen?", "de", False, True))
        told = clause_stated("das Zimmer frei ist", "de", False, True)
        self.assertEqual((told or ("", ""))[0], "das Zimmer ist frei")

    def test_anything(self) -> None:
        """Words in whatever order, cut wherever, are said again or not, and nothing fails."""
        texts = {
            "de": (
                "Hat bitte , ihn das Zimmer noch wir nicht ob jemand, oder am 3. Uhr etwas "
                "Sie mitkommt zu ihr der und"),
            "fr": (
                "Est-ce au fait , svp , alors qu' l' a-t-il vous encore quelque chose si, ou un en y quelqu'un "
                "quel tout le monde ne -il"),
            "es": (
                "¿Le por favor , entonces , podría se su con usted algo todavía si, o hay que tú "
                "darme cuándo la una nos ya"),
        }
        dice = Random("anything")
        for code, text in texts.items():
            words = text.split()
            for _ in range(300):
                dice.shuffle(words)
                said = f"{' '.join(words[:dice.randrange(len(words))])}?"
                for we in (True, False):
                    self.assertIsInstance(stated(said, code, we, not we), (tuple, type(None)))
                    self.assertIsInstance(either_stated(said, code, we, we), tuple)
                    self.assertIsInstance(wondered(said, code, we, we), str)
