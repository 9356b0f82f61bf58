"""French questions cut up."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause.declarative.french.clause import (
    FrenchClause, asking_words, parted, parts_of_question, without_fillers,
)
from simmail.core.language.clause.declarative.french.verbs import IL, ILS, PRESENT, VOUS, FrenchForm, french

HOW = french()
BE = FrenchForm("être", PRESENT, IL)


class ClauseTests(SynchronousTestCase):
    """Subject, pronouns, verb and rest."""

    def test_words(self) -> None:
        """What has lost its vowel is a word of its own; what says nothing goes."""
        self.assertEqual(parts_of_question("Salut, m'avez-vous vu ?"), [["Salut"], ["m'", "avez-vous", "vu"]])
        self.assertEqual(without_fillers("et tu viens vraiment demain".split(), HOW), ["tu", "viens", "demain"])

    def test_asking_words(self) -> None:
        """The last part that asks, or the clause behind "si"; no statement behind a question."""
        self.assertEqual(asking_words("Est-ce que la salle est libre ?", HOW), ["la", "salle", "est", "libre"])
        self.assertEqual(asking_words("Savez-vous si elle est libre ?", HOW), ["elle", "est", "libre"])
        self.assertEqual(asking_words("Viendrez-vous, elle est malade ?", HOW), [])

    def test_parted(self) -> None:
        """However it asks."""
        for question, wanted in {
            "la salle est-elle libre": FrenchClause(("la", "salle"), (), BE, ("libre",)),
            "la salle est libre": FrenchClause(("la", "salle"), (), BE, ("libre",)),
            "vous l' avez vu": FrenchClause(("vous",), ("l'",), FrenchForm("avoir", PRESENT, VOUS), ("vu",)),
            "y a-t-il un train": FrenchClause(("il",), ("y",), FrenchForm("avoir", PRESENT, IL), ("un", "train")),
            "les clés sont là": FrenchClause(("les", "clés"), (), FrenchForm("être", PRESENT, ILS), ("là",)),
            "bleu ou vert": None, "": None,
        }.items():
            self.assertEqual(parted(question.split(), HOW), wanted, question)
        clause = parted(["tout", "le", "monde", "est", "là"], HOW)
        assert clause is not None
        self.assertEqual((clause.subject, clause.alone), (("tout", "le", "monde"), ""))
