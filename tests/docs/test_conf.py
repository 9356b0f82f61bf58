"""Tests for C{simmail.docs.conf}: the site is built without a warning."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

import simmail
from tests.journeys.running import environment

DOCS = Path(simmail.__file__).parent / "docs"


class SiteTests(SynchronousTestCase):
    """Sphinx, as C{scripts/docs} calls it."""

    def test_site(self) -> None:
        """Every page is in it and in the index, and links between pages lead to pages."""
        folder = Path(self.mktemp()).absolute()
        ran = subprocess.run(
            [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "-d", f"{folder}-read",
             str(DOCS), str(folder)], capture_output=True, text=True, timeout=300,
            env=environment())
        self.assertEqual((ran.stderr, ran.returncode), ("", 0))
        pages = {path.stem for path in DOCS.glob("*.rst")}
        index = (folder / "index.html").read_text(encoding="utf-8")
        for page in sorted(pages):
            shown = (folder / f"{page}.html").read_text(encoding="utf-8")
            self.assertEqual(re.findall(r'href="[^"/]*\.rst[^"]*"', shown), [], page)
            self.assertIn(f'href="{"#" if page == "index" else page + ".html"}', index)
        self.assertIn('href="people.html"', (folder / "architecture.html").read_text(encoding="utf-8"))
