"""Tests for C{tests.docs.blocks}, and that no block of code is forgotten."""

from __future__ import annotations

import re
from importlib import import_module

from twisted.trial.unittest import SynchronousTestCase

from simmail.config import Config, from_value
from simmail.core.rules.yaml_text import decode
from tests.docs.blocks import DOCS, blocks
from tests.journeys.test_guides import GUIDES
from tests.test_references import is_setting

#: What runs the blocks of the pages that are no guides.
ELSEWHERE = {
    "http-api": "tests.journeys.test_docs.DocumentTests.test_http_api",
    "smtp": "tests.journeys.test_docs.DocumentTests.test_mail",
    "faults": "tests.journeys.test_docs.DocumentTests.test_mail",
    "imap": "tests.journeys.test_docs.DocumentTests.test_mail",
    "scenarios": "tests.journeys.test_scenarios.ScenarioTests.test_all",
    "mcp": "tests.journeys.test_mcp.AgentTests.test_journey",
    "testing": "tests.journeys.test_api_clients.ClientTests.test_all",
}


class BlockTests(SynchronousTestCase):
    """All pages."""

    def test_all(self) -> None:
        """Each block is run by a test that exists, is a configuration that is taken, or says why it is not run."""
        for path in sorted(DOCS.glob("*.rst")):
            if path.stem in GUIDES:
                self.assertEqual([one for one in blocks(path.stem) if not one.kind], [], path.stem)
            elif path.stem not in ELSEWHERE:
                for one in blocks(path.stem):
                    self.assertTrue(one.why or one.kind == "yaml", (path.stem, one.text))
                    if not one.why:
                        from_value(decode(one.text.encode()))
        for name in ELSEWHERE.values():
            module, kind, test = name.rsplit(".", 2)
            self.assertTrue(callable(getattr(getattr(import_module(module), kind), test)), name)

    def test_settings(self) -> None:
        """Places and variables in the recipes are those of the service unless it is told otherwise."""
        page = (DOCS / "recipes.rst").read_text(encoding="utf-8")
        listen = Config().listen
        ports = re.findall(r"port[\"_a-z]*\W{1,3}(\d+)", page, re.IGNORECASE)
        self.assertGreater(len(ports), 5)
        self.assertLessEqual({*map(int, ports)}, {listen.smtp, listen.imap, listen.http})
        self.assertEqual({*re.findall(r"(?:host|address)\W{1,4}(127[\d.]+)", page, re.IGNORECASE)}, {listen.host})
        for name in re.findall(r"SIMMAILD_(\w+)", page):
            self.assertTrue(is_setting(name.lower().replace("_", ".", 1)), name)
