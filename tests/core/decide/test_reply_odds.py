"""How likely a reply is."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.decide.reply_odds import Reason, inclined, reasons
from simmail.core.records.relationship import Dossier

EVERYTHING = reasons(
    question=True, known=True, case=True, promise=True, bulk="a crowd", copy=True, informed=True,
    dossier=Dossier("a@b.test", unanswered=2, warmth=0.9, patience=0.1))


class InclinationTests(SynchronousTestCase):
    """Raising and lowering."""

    def test_sentence(self) -> None:
        """The sentence tells the base and what each reason added, and the sum is the rate."""
        found = inclined(0.5, "flaky 0.50", (Reason(1.5, "direct question"), Reason(0.35, "cc only")))
        self.assertEqual(found.told, "flaky 0.50, +0.10 direct question, -0.26 cc only")
        self.assertAlmostEqual(found.rate, 0.525 / (0.525 + 1), 6)

    def test_nothing(self) -> None:
        """Without a reason the rate is the rate."""
        self.assertEqual(inclined(0.7, "x", ()), (0.7, "x"))
        self.assertEqual(reasons(question=False, known=False, case=False, promise=False, bulk="", copy=False,
                                 dossier=Dossier("a@b.test")), ())

    def test_every_reason(self) -> None:
        """Ten circumstances, five that raise and five that lower."""
        self.assertEqual(len([one for one in EVERYTHING if one.odds > 1]), 5)
        self.assertEqual(len([one for one in EVERYTHING if one.odds < 1]), 5)

    @given(st.floats(0, 1), st.lists(st.sampled_from(EVERYTHING), max_size=9))
    def test_stays_a_chance(self, rate: float, found: list[Reason]) -> None:
        """It stays between 0 and 1, keeps 0 and 1, and never moves against its reasons."""
        result = inclined(rate, "x", tuple(found)).rate
        self.assertTrue(0 <= result <= 1)
        if rate in (0, 1):
            self.assertEqual(result, rate)
        if all(one.odds > 1 for one in found):
            self.assertGreaterEqual(result, rate * (1 - 1e-12))
