"""The files of the pages."""

from __future__ import annotations

from importlib.resources import files

from twisted.trial.unittest import SynchronousTestCase

from simmail.rest.render.assets import assets


class AssetTests(SynchronousTestCase):
    """What is found."""

    def test_all(self) -> None:
        """Every file of a page's kind is there by its folder and name; nothing else is."""
        root = files("simmail.pages")
        found = assets()
        self.assertEqual(found["index.html"].octets, root.joinpath("index.html").read_bytes())
        self.assertEqual(found["app/icon.svg"].content_type, "image/svg+xml")
        self.assertNotIn("__init__.py", found)
        self.assertEqual(len({one.tag for one in found.values()}), len(found))
