"""Tests of L{simmail.testing.pytest_plugin}: a run of pytest that needs nothing running."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import simmail
from simmail.testing import service
from tests.journeys.running import JourneyCase, environment

DOCS = Path(simmail.__file__).parent / "docs"

#: Real seconds for a run of a few tests with a cold start; the machine may be busy.
SOON = 120.0

FAILING = """
import pytest
from simmail.testing.checks import assert_no_loops, assert_score

@pytest.mark.parametrize("n", range(3))
def test_alone(simmail, n):
    assert simmail.inbox("app@sim.test") == []
    simmail.send("maria@acme.test", "app@sim.test", "Only one")
    assert len(simmail.inbox("app@sim.test")) == 1
    assert_no_loops(simmail)

@pytest.mark.simmail(seed="another")
def test_story(simmail):
    simmail.send("app@sim.test", "maria@acme.test", "Lunch?", "Do you have time?")
    assert_score(simmail, 0.5)
"""


class PluginTests(JourneyCase):
    """Runs of pytest."""

    def pytest(self, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
        """Run the tests of a folder to their end."""
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "simmail.testing.pytest_plugin", "-p", "no:cacheprovider", "-q",
             *options, str(folder)], cwd=folder, capture_output=True, text=True, timeout=SOON,
            env={**environment(), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"})

    def test_elsewhere(self) -> None:
        """A service that runs is used as well, and has no more universes afterwards than before."""
        folder = self.folder()
        (folder / "test_one.py").write_text(
            "def test_own(simmail):\n    assert simmail.inbox('app@sim.test') == []\n", encoding="utf-8")
        service = self.service()
        service.start()
        before = service.good("GET", "/api/admin/universes")
        url = f"http://127.0.0.1:{service.port('http')}"
        ran = self.pytest(folder, "--simmail-url", url, "--simmail-key", service.key)
        self.assertIn("1 passed", ran.stdout, ran.stdout + ran.stderr)
        self.assertEqual(service.good("GET", "/api/admin/universes"), before)
        refused = self.pytest(folder, "--simmail-url", url, "--simmail-key", "sm_no_key")
        self.assertIn("1 error", refused.stdout)

    def test_refused(self) -> None:
        """A service that does not start ends the wait for it, and tells why each time it is asked."""
        self.patch(service, "CONFIG", {"listen": {"smtp": "everywhere"}})
        own = service.OwnService()
        self.addCleanup(own.stop)
        for _ in range(2):
            self.assertRaises(RuntimeError, lambda: own.place)

    def test_run(self) -> None:
        """The page's tests pass, each test is alone, and one that fails tells the story."""
        folder = self.folder()
        page = (DOCS / "testing.rst").read_text(encoding="utf-8")
        block = re.search(r"::\n\n((?:    .*\n|\n)*?    def test_.*\n(?:    .*\n|\n)*)", page)
        assert block is not None
        (folder / "test_page.py").write_text(dedent(block[1]), encoding="utf-8")
        (folder / "test_more.py").write_text(FAILING, encoding="utf-8")
        ran = self.pytest(folder, "--simmail")
        self.assertIn("1 failed, 4 passed", ran.stdout, ran.stdout + ran.stderr)
        for told in ("app@sim.test sent “Lunch?” to maria@acme.test", "the score is None", "what happened"):
            self.assertIn(told, ran.stdout)
        self.assertNotIn("Warning", ran.stdout)
