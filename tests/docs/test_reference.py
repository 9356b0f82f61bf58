"""Tests for C{simmail.docs.reference}."""

from __future__ import annotations

import re

from msgspec import structs
from twisted.trial.unittest import SynchronousTestCase

from simmail.config import Config
from simmail.docs import reference
from simmail.rest.routes import all_routes
from tests.docs.blocks import DOCS
from tests.test_references import is_setting


class ReferenceTests(SynchronousTestCase):
    """What the pages of reference say."""

    def test_http(self) -> None:
        """Each call of the service once, with parameters that say type, default and bounds; records they name exist."""
        text = reference.http()
        shown = re.findall(r"^\.\. rubric:: ``([A-Z]+ /\S*)``$", text, re.MULTILINE)
        self.assertEqual(len(shown), len(set(shown)))
        self.assertGreater(len(shown), 120)
        self.assertLessEqual({path for _, path in map(str.split, shown)}, {route.path for route in all_routes()})
        self.assertIn('``timeout``: string, ``"30s"`` unless given\n    how long to hold the line', text)
        self.assertIn("``limit``: integer (at least 1, at most 1000), ``100`` unless given", text)
        made = set(re.findall(r"^\.\. _([\w-]+):$", text, re.MULTILINE))
        self.assertEqual({*re.findall(r"<(record-\w+)>`", text)} - made, set())

    def test_settings(self) -> None:
        """Each setting once, in order, with its default, what it is and its type."""
        text = reference.settings()
        self.assertEqual(re.findall(r"^``([a-z_.]+)``: ", text, re.MULTILINE), [
            f"{part.name}.{one.name}" for part in structs.fields(Config)
            for one in structs.fields(getattr(Config(), part.name))])
        self.assertIn("``smtp.timeout``: ``5m``\n    No command for so long: 421. (string)\n", text)
        self.assertIn("``listen.imap``: ``2143``\n    (integer (at least 0, at most 65535) or null)\n", text)

    def test_named(self) -> None:
        """A setting that a page names is one."""
        parts = "|".join(one.name for one in structs.fields(Config))
        for path in DOCS.glob("*.rst"):
            for name in re.findall(rf"``((?:{parts})\.[a-z_]+)(?:``|: )", path.read_text(encoding="utf-8")):
                self.assertTrue(is_setting(name), f"{path.stem}: {name}")
