"""
Tests for L{simmail.core.language.clause.declarative.spanish.retold}.
"""

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.clause.declarative.spanish.retold import retold


class RetoldTests(SynchronousTestCase):
    """What a mail tells, as its reader says it."""

    def test_speaker(self) -> None:
        """Who tells is not named, so that its verbs alone change."""
        self.assertEqual(retold("el viernes llevé a mi perro Thor a la consulta", True, True),
                         "el viernes llevó a su perro Thor a la consulta")
        self.assertEqual(retold("estoy muy cansada y ni me acordaba", False, False),
                         "estás muy cansada y ni te acordabas")

    def test_others(self) -> None:
        """What somebody else does stays, and is done to who tells."""
        self.assertEqual(retold("me han pasado dos cargos", True, True), "le han pasado dos cargos")
        self.assertEqual(retold("se nos ha averiado el camión", True, True), "se les ha averiado el camión")

    def test_unclear(self) -> None:
        """Where nobody knows who is meant nothing is said again."""
        self.assertEqual(retold("le dije en marzo que no aguantan", True, True), "")
        self.assertEqual(retold("buenos días a todos", True, True), "")
