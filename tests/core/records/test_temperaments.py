"""Temperaments and the odds of each."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.records.persona import TEMPERAMENTS, draw_temperament, temperament_named
from simmail.core.rng import Dice


class TemperamentTests(SynchronousTestCase):
    """The table of decisions, section 8."""

    def test_table(self) -> None:
        """Names, weights, reply rates and median delays are those decided."""
        self.assertEqual(
            [(one.name, one.weight, one.reply_rate, one.median_delay) for one in TEMPERAMENTS],
            [("responsive", 30, 0.95, timedelta(minutes=20)), ("busy", 25, 0.75, timedelta(hours=3)),
             ("procedural", 15, 0.90, timedelta(minutes=90)), ("skeptical", 12, 0.70, timedelta(hours=2)),
             ("flaky", 8, 0.50, timedelta(hours=9)), ("difficult", 6, 0.80, timedelta(hours=1)),
             ("ghost", 4, 0.05, timedelta(days=2))])

    def test_drawn_by_weight(self) -> None:
        """Over 7,000 personas each temperament has its share within four standard errors."""
        count = 7000
        found = Counter(draw_temperament(Dice("w").on("persona", n)) for n in range(count))
        for one in TEMPERAMENTS:
            share = one.weight / 100
            error = (share * (1 - share) / count) ** 0.5
            self.assertLess(abs(found[one.name] / count - share), 4 * error, one.name)

    def test_every_one_speaks(self) -> None:
        """Each has a sentence for the writer, and numbers from 0 to 1."""
        for one in TEMPERAMENTS:
            self.assertGreater(len(one.text), 30)
            for number in (one.keep_promises, one.warmth, one.trust, one.patience):
                self.assertTrue(0 < number < 1)
            self.assertIs(temperament_named(one.name), one)
        self.assertRaises(KeyError, temperament_named, "cheerful")
