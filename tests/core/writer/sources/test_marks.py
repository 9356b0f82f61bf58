"""The figures of a sentence."""

from __future__ import annotations

from datetime import date

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.tables import language
from simmail.core.writer.sources.marks import Marks, agree, marks
from tests.core.writer.samples import NOW

EN, DE = language("en"), language("de")


class MarkTests(SynchronousTestCase):
    """Days, times, sums, numbers."""

    def test_read(self) -> None:
        """Each figure is what it is: a day is no number, a sum has its cents."""
        self.assertEqual(marks("on 9 March", NOW, EN).days, frozenset((date(2026, 3, 9),)))
        self.assertEqual(marks("EUR 1.240,50 or 12 %", NOW, EN).sums, frozenset((1240.5,)))
        self.assertEqual(marks("€1,240 and 7.5%", NOW, EN).sums, frozenset((1240.0,)))
        self.assertEqual(marks("7.5%", NOW, EN).shares, frozenset((7.5,)))
        self.assertEqual(marks("Donnerstag um 14:00 Uhr", NOW, DE).times, frozenset((840,)))
        self.assertEqual(marks("12 boxes", NOW, EN).numbers, frozenset((12,)))
        self.assertEqual(marks("nothing in it", NOW, EN), Marks())

    def test_agree(self) -> None:
        """The same figures agree, others do not, and what cannot be compared says nothing."""
        for one, other, so in (
            ("you said Wednesday", "Thursday at 14:00", False), ("you said Thursday", "Thursday at 14:00", True),
            ("it was EUR 450", "EUR 480.00", False), ("it was EUR 480", "EUR 480.00", True),
            ("it was EUR 480", "Thursday", None), ("12 boxes, right", "12", True), ("12 boxes", "13", False),
        ):
            self.assertEqual(agree(marks(one, NOW, EN), marks(other, NOW, EN)), so, one)

    @given(st.text(max_size=120))
    def test_anything(self, text: str) -> None:
        """Any text has figures or none."""
        self.assertIn(agree(marks(text, NOW, EN), marks(text, NOW, EN)), (True, None))
