"""Words of one root, and sums with the words that are theirs."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.tables import language
from simmail.core.writer.sources.said_words import content, has_number, has_span, prices, shared

EN, DE, ES = language("en"), language("de"), language("es")


class WordsTests(SynchronousTestCase):
    """What two sentences share."""

    def test_shared(self) -> None:
        """Endings and accents do not count, other words do; what every mail has is no word of its own."""
        for one, other, same in (
            ("starting", "start", True), ("serving", "served", True), ("envío", "envíos", True),
            ("contact", "window", False), ("price", "print", False), ("kostet", "kosten", True),
            ("anfangen", "fangen", True), ("versandkosten", "kosten", True), ("pause", "use", False),
        ):
            self.assertEqual(bool(shared(content(one, "en"), content(other, "en"))), same, one)
        self.assertEqual(content("When will you be at the gate?", "en"), {"gat"})

    def test_numbers(self) -> None:
        """Numbers in figures or in words, but no sums; spans have a unit of time."""
        self.assertEqual([has_number(one, EN) for one in ("two men", "12 men", "£12 a man", "a man")],
                         [True, True, False, False])
        self.assertEqual([has_span(one, EN) for one in ("it takes three days", "three men", "some days")],
                         [True, False, False])

    def test_prices(self) -> None:
        """What stands behind a joint belongs to the next sum; "each" makes a sum one for each."""
        door, lock = prices("The door comes to £1,450 plus £180 for the lock.", EN)
        self.assertEqual((door.value, lock.value, door.each), (1450.0, 180.0, False))
        self.assertEqual((shared({"door"}, door.words), shared({"lock"}, door.words)), ({"door"}, set()))
        self.assertEqual(shared({"lock"}, lock.words), {"lock"})
        self.assertEqual([one.value for one in prices("2.400 Euro für den Transport und 350 Euro für Kartons", DE)],
                         [2400.0, 350.0])
        self.assertTrue(prices("Chairs are £45 each.", EN)[0].each)
        self.assertEqual(prices("Nothing to pay.", EN), [])
