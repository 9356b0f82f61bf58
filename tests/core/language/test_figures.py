"""What has digits in a text."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language import figures
from simmail.core.language.tables import language

EN, DE = language("en"), language("de")


class FigureTests(SynchronousTestCase):
    """Sums, references, percentages, minutes, codes, marks."""

    def test_amounts(self) -> None:
        """Sums with their currency, as they were written, each once; the total comes first."""
        text = "EUR 1,240.00 or 45 € or $12.50, not 300 pieces, CHF 9, 45 €"
        self.assertEqual(figures.amounts(text, (), EN), ("EUR 1,240.00", "45 €", "$12.50", "CHF 9"))
        self.assertEqual(figures.amounts("40 EUR and 2 EUR", ("40 EUR and 2 EUR", "The total is 42 EUR."), EN),
                         ("42 EUR", "40 EUR", "2 EUR"))

    def test_references(self) -> None:
        """References by their looks or by the word before, as they are spoken of; other numbers are none."""
        self.assertEqual(figures.references(
            "Ticket #48213, order 77120 and PO-7781. We sold 5000 of them in 2026, see https://x.example/AB-12.", EN),
            [("#48213", "ticket #48213"), ("77120", "order 77120"), ("PO-7781", "PO-7781")])

    def test_small_things(self) -> None:
        """Minutes, percentages, codes, marks, pictures without a description; each may be missing."""
        self.assertEqual((figures.minutes("a 15-minute call"), figures.minutes("a call")), ("15", ""))
        self.assertEqual((figures.percentage("18% and 4%", EN), figures.percentage("18%", DE)), ("18%", "18%"))
        self.assertEqual([figures.has_code(one) for one in ("Code: 493817.", "in 12 days", "4,938.17")],
                         [True, False, False])
        self.assertEqual([figures.highest_mark(one, EN) for one in ("Rate us from 1 to 5", "from 1 to 5 of them")],
                         [5, 0])
        self.assertEqual(figures.unlabelled_images('<img src="a"><img alt="b" src="c"><IMG alt="">'), 2)
