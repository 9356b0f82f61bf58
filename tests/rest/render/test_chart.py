"""Tests for C{simmail.rest.render.chart}."""

from __future__ import annotations

from xml.etree import ElementTree

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.rest.render.chart import Bar, bars, key, meter, scale_of


class ChartTests(SynchronousTestCase):
    """Pictures that are read as XML."""

    @settings(max_examples=100, deadline=None)
    @given(st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 5000), st.text(
        st.characters(exclude_categories=["C"]), max_size=8)), min_size=1, max_size=40))
    def test_bars(self, items: list[tuple[int, int, str]]) -> None:
        """Each bar stands on the ground, its parts upon each other, and none is higher than the scale."""
        top = scale_of(max(one + other for one, other, _ in items))
        picture = ElementTree.fromstring(bars([
            Bar((("replied", one), ("bounced", other)), text) for one, other, text in items], top, "<So many>"))
        self.assertEqual((picture.get("role"), picture.get("aria-label")), ("img", "<So many>"))
        self.assertEqual(len(picture), len(items))
        for group, (one, other, text) in zip(picture, items):
            self.assertEqual("".join(group[0].itertext()), text)
            parts = [(rect.get("class"), float(rect.get("y", "")), int(rect.get("height", ""))) for rect in group[2:]]
            self.assertEqual([(name, height) for name, _, height in parts],
                             [(name, height) for name, height in (("replied", one), ("bounced", other)) if height])
            floor = float(top)
            for _, y, height in parts:
                self.assertEqual(y + height, floor)
                floor = y
            self.assertGreaterEqual(floor, 0)

    def test_scale(self) -> None:
        """An even round number, so that its half is a number too."""
        self.assertEqual([scale_of(most) for most in (0, 1, 3, 5, 7, 10, 11, 61, 412)],
                         [2, 2, 4, 6, 10, 10, 20, 100, 600])

    def test_meter(self) -> None:
        """Filled by its share, which is never more than all of it."""
        for share, width in ((0.0, None), (0.456, "45.6"), (1.5, "100")):
            filled = ElementTree.fromstring(meter(share))[1:]
            self.assertEqual(filled[0].get("width") if filled else None, width)
        self.assertEqual(ElementTree.fromstring(key("bounced"))[0].get("class"), "bounced")
