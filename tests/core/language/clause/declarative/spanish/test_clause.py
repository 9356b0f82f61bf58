"""Spanish questions cut up."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause.declarative.spanish.clause import (
    asking_words, parted, parts_of_question, verb_at, without_fillers,
)
from simmail.core.language.clause.declarative.spanish.verbs import spanish

HOW = spanish()


class ClauseTests(SynchronousTestCase):
    """A verb, and who it is said of."""

    def test_words(self) -> None:
        """A question begins at its mark; what says nothing goes."""
        self.assertEqual(parts_of_question("Hola Ana ¿vienes?"), [["Hola", "Ana"], ["vienes"]])
        self.assertEqual(without_fillers("y vienes por favor hoy".split(), HOW), ["vienes", "hoy"])

    def test_asking_words(self) -> None:
        """The clause behind "si"; no verb that may be somebody else's."""
        self.assertEqual(asking_words("¿Sabes si está libre?", HOW), ["está", "libre"])
        self.assertEqual(asking_words("¿Hay que pagar?", HOW), ["Hay", "que", "pagar"])
        self.assertEqual(asking_words("Mi hijo está mejor, ¿puede ir?", HOW), [])

    def test_parted(self) -> None:
        """Of its reader, of another, or nobody knows."""
        for text, addressed in {
            "puedes venir": True, "puede venir": True, "tiene usted tiempo": True, "han recibido mi correo": True,
            "está libre la sala": False, "ha preguntado alguien": False, "se puede aparcar": False,
            "me interesa": False,
            "tiene garantía": None, "podría ir al curso": None, "está bien": None,
        }.items():
            clause = parted(text.split(), HOW)
            self.assertEqual(None if clause is None else clause.addressed, addressed, text)

    def test_verb_at(self) -> None:
        """Behind its pronouns; "la entrada" is none."""
        self.assertEqual((verb_at(["me", "lo", "das"], 0, HOW), verb_at(["la", "entrada"], 0, HOW)), (2, None))
