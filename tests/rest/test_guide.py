"""The documentation's page about the API."""

from __future__ import annotations

import re
from importlib.resources import files

from twisted.trial.unittest import SynchronousTestCase

from simmail.rest.routes import HEADINGS, all_routes


class GuideTests(SynchronousTestCase):
    """http-api.rst."""

    def test_headings(self) -> None:
        """Each heading of the API has one on the page, with a call and an answer."""
        page = files("simmail.docs").joinpath("http-api.rst").read_text(encoding="utf-8")
        parts = re.split(r"^([A-Z][^\n]*)\n-+\n", page, flags=re.MULTILINE)
        sections = dict(zip(parts[1::2], parts[2::2]))
        for heading in {module.HEADING for module in HEADINGS}:
            self.assertIn("curl ", sections[heading])
            self.assertIn("answers::", sections[heading])

    def test_paths(self) -> None:
        """Every path on the page is one of the API."""
        page = files("simmail.docs").joinpath("http-api.rst").read_text(encoding="utf-8")
        rules = [re.sub(r"\\\{[a-z_]+\\\}", "[^/]+", re.escape(route.path)) for route in all_routes()]
        found = set(re.findall(r"\$BASE(/[^\"' ?]*)", page))
        self.assertGreater(len(found), 20)
        for path in found:
            self.assertTrue(any(re.fullmatch(rule, path) for rule in rules), path)
