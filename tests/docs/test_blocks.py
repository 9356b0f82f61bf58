"""Tests for C{tests.docs.blocks}, and that no block of code is forgotten."""

from __future__ import annotations

from importlib import import_module

from twisted.trial.unittest import SynchronousTestCase

from simmail.config import from_value
from simmail.core.rules.yaml_text import decode
from tests.docs.blocks import DOCS, blocks
from tests.journeys.test_guides import GUIDES

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
