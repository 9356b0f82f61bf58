"""Tests for C{simmail.core.world.people}: who writes for the first time."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.persona import new_persona
from simmail.core.rng import Dice
from simmail.core.world.people import newcomer, plain
from simmail.core.world.words import TONGUES, common
from tests.core.world.scenes import NOW


class NewcomerTests(SynchronousTestCase):
    """Fields of personas."""

    def test_taken(self) -> None:
        """Nobody has the address of somebody else, however many of one name there are."""
        taken: set[str] = set()
        dice = Dice("one")
        for _ in range(40):
            (address,) = newcomer("de", "customer", dice, taken.__contains__)["addresses"]
            self.assertNotIn(address, taken)
            taken.add(address)
        self.assertGreater(len(taken), 39)

    def test_sorts(self) -> None:
        """Suppliers and sellers write from firms, applicants from home, customers from either; all are personas."""
        for language in TONGUES:
            for sort, low, high in (("supplier", 40, 40), ("seller", 40, 40), ("applicant", 0, 0), ("customer", 5, 30)):
                fields = [newcomer(language, sort, Dice("x").on(sort, n), lambda one: False) for n in range(40)]
                self.assertTrue(low <= sum("org" in one for one in fields) <= high, (language, sort))
                for one in fields:
                    persona = new_persona(one, "p_x", "world", NOW, Dice("x"))
                    self.assertEqual((persona.languages or ("",))[0], language)
                    self.assertTrue(persona.address.isascii() and persona.address.endswith(".example"), persona.address)

    def test_plain(self) -> None:
        """Names of every language stand in addresses."""
        self.assertEqual([plain(one) for one in ("Ayşe", "Krämer", "Groß", "Da Silva", "Élise", "Ibáñez")],
                         ["ayse", "kraemer", "gross", "dasilva", "elise", "ibanez"])
        for language in TONGUES:
            for name in (*common(language).given, *common(language).family):
                self.assertTrue(plain(name), name)
