"""A suite of tests in Node that goes by way of C{/client.js}."""

from __future__ import annotations

import os
import shutil

from twisted.trial.unittest import SkipTest

from tests.journeys.running import ROOT, JourneyCase, ended


class NodeTests(JourneyCase):
    """The other of its suites is for pytest; C{scripts/bench/parallel} runs both twenty times."""

    def test_suite(self) -> None:
        """Ten tests, four at once, each in a universe of its own; none is left."""
        if shutil.which("node") is None:
            raise SkipTest("Node is not installed")
        service = self.service()
        service.start()
        before = service.good("GET", "/api/admin/universes")
        ran = ended(["node", "--test", "--test-reporter", "tap", str(ROOT / "tests" / "journeys" / "suite.mjs")], env={
            **os.environ, "BASE": f"http://127.0.0.1:{service.port('http')}", "KEY": service.key})
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        self.assertIn("# pass 10\n", ran.stdout)
        self.assertEqual(service.good("GET", "/api/admin/universes"), before)
