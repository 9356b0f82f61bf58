"""
Tests for L{simmail.core.language.clause.declarative.french.retold}.
"""

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause.declarative.french.retold import retold


class RetoldTests(SynchronousTestCase):
    """What a mail tells, as its reader says it."""

    def test_speaker(self) -> None:
        """Who tells is called by its name, with the verb that goes with it."""
        self.assertEqual(retold("j'habite au troisième et je n'ai plus d'eau", True, True),
                         "vous habitez au troisième et vous n'avez plus d'eau")
        self.assertEqual(retold("mon train est annulé, je suis coincé à Rennes", False, False),
                         "ton train est annulé, tu es coincé à Rennes")

    def test_reader(self) -> None:
        """Who reads speaks for itself, or for a firm."""
        self.assertEqual(retold("vous m'avez envoyé la mauvaise taille", True, True),
                         "nous vous avons envoyé la mauvaise taille")

    def test_no_statement(self) -> None:
        """What tells nothing for certain is not said again."""
        self.assertEqual(retold("impossible d'assurer mes cours", True, True), "")
        self.assertEqual(retold("on a reçu la mauvaise taille", True, True), "")
