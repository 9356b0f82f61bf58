"""Which images the writer is making."""

from __future__ import annotations

import os

from twisted.trial.unittest import SynchronousTestCase

from simmail.errors import Unavailable
from simmail.mailstore.delivery.request import StoreId
from simmail.mailstore.writer.images import ImageMakers


class ImageMakersTests(SynchronousTestCase):
    """C{ImageMakers}."""

    def setUp(self) -> None:
        self.path = self.mktemp()
        os.makedirs(self.path)
        self.makers = ImageMakers(lambda: 0.0, lambda at: False)

    def at(self, universe: str) -> StoreId:
        """A universe."""
        return StoreId(self.path, universe)

    def test_one_for_each(self) -> None:
        """An image is gone on with until it is done; one of another source is begun anew."""
        maker = self.makers.begun(self.at("main"), self.at("kept"))
        self.assertIs(self.makers.begun(self.at("main"), self.at("kept")), maker)
        other = self.makers.begun(self.at("other"), self.at("kept"))
        self.assertIsNot(other, maker)
        self.assertEqual(self.makers.leftovers(self.path), [maker.fresh])
        self.makers.done(self.at("kept"))
        self.makers.done(self.at("kept"))
        self.assertEqual(sorted(self.makers.leftovers(self.path)), sorted([maker.fresh, other.fresh]))

    def test_renewed(self) -> None:
        """What is prepared can still be asked for with other UIDVALIDITYs, but for what is links only."""
        maker = self.makers.begun(self.at("main"), self.at("kept"))
        self.assertIs(self.makers.begun(self.at("main"), self.at("kept"), True), maker)
        self.assertTrue(maker.renewed)
        maker.links = True
        self.assertIsNot(self.makers.begun(self.at("main"), self.at("kept"), False), maker)

    def test_made(self) -> None:
        """Only what was finished can be let be there: another process knows nothing of it."""
        maker = self.makers.begun(self.at("main"), self.at("kept"))
        self.assertRaises(Unavailable, self.makers.made, self.at("kept"))
        maker.finish()
        self.assertIs(self.makers.made(self.at("kept")), maker)
        self.assertIsNot(self.makers.begun(self.at("main"), self.at("kept")), maker)
        self.assertRaises(Unavailable, self.makers.made, self.at("kept"))
        self.assertRaises(Unavailable, ImageMakers(lambda: 0.0, lambda at: False).made, self.at("kept"))
