"""What is denied in Spanish."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause.declarative.spanish.clause import parted
from simmail.core.language.clause.declarative.spanish.denial import denied
from simmail.core.language.clause.declarative.spanish.persons import SpanishReader
from simmail.core.language.clause.declarative.spanish.verbs import spanish

HOW = spanish()


class DenialTests(SynchronousTestCase):
    """Before the verb and its pronouns."""

    def test_denied(self) -> None:
        """Somebody is nobody, and a number is none."""
        for text, wanted in {
            "me lo das": "no te lo doy", "está libre todavía la sala": "ya no está libre la sala",
            "has votado ya": "todavía no he votado", "hay un número": "no hay ningún número",
            "tienes un momento": "no tengo un momento", "has visto algo": "no he visto nada",
            "alguien puede ir": "nadie puede ir", "quieres una": "no quiero ninguna", "vienes también": "no voy",
            "hay que pagar": "no hace falta pagar", "sigue libre el puesto": "", "tienes pan y vino": "",
        }.items():
            words = text.split()
            clause = parted(words, HOW)
            assert clause is not None, text
            told = SpanishReader.of(words, clause, False, True).said(clause)
            assert told is not None, text
            self.assertEqual(" ".join(denied(clause, told, HOW)), wanted, text)
