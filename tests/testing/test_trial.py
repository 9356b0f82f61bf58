"""Tests of L{simmail.testing.trial}: a run of trial that needs nothing running."""

from __future__ import annotations

import re
import subprocess
import sys
from textwrap import dedent

from tests.journeys.running import JourneyCase, environment
from tests.testing.test_pytest_plugin import DOCS, SOON

MORE = """
class AloneTests(UniverseTestCase):
    seed = "another"

    def test_alone(self):
        self.assertEqual(self.simmail.inbox("app@sim.test"), [])
        self.simmail.send("maria@acme.test", "app@sim.test", "Only one")

    test_alone_again = test_alone

    async def test_story(self):
        await self.later(self.simmail.send, "app@sim.test", "maria@acme.test", "Lunch?", "Do you have time?")
        self.assertEqual(self.simmail.inbox("app@sim.test"), None)
"""


class TrialTests(JourneyCase):
    """Runs of trial."""

    def test_run(self) -> None:
        """The page's test passes, each test is alone, one that fails tells the story, and nothing is left running."""
        folder = self.folder()
        page = (DOCS / "testing.rst").read_text(encoding="utf-8")
        block = re.search(r"::\n\n((?:    .*\n|\n)*?    class LunchTests.*\n(?:    .*\n|\n)*)", page)
        assert block is not None
        (folder / "test_page.py").write_text(dedent(block[1]) + MORE, encoding="utf-8")
        ran = subprocess.run(
            [sys.executable, "-m", "twisted.trial", "test_page"], cwd=folder, capture_output=True, text=True,
            timeout=SOON, env={**environment(), "TMPDIR": str(folder)})
        self.assertIn("FAILED (failures=1, successes=3)", ran.stdout, ran.stdout + ran.stderr)
        self.assertIn("app@sim.test sent “Lunch?” to maria@acme.test", ran.stdout)
        self.assertEqual(ran.stdout.count("what happened"), 1)
        self.assertEqual(list(folder.glob("simmail-*")), [])
