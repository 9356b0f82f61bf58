"""What the tutorial and the guides show is run as it stands there."""

from __future__ import annotations

import os
import shutil

from twisted.trial.unittest import SkipTest

from tests.docs.blocks import run, tools
from tests.journeys.running import DEMO, JourneyCase, environment

#: Pages, and how many blocks of each are run at least.
GUIDES = {"tutorial": 14, "howto": 4, "recipes": 8, "insights": 3, "world": 1, "score": 2, "snapshots": 1}


class GuideTests(JourneyCase):
    """One service for all."""

    def test_pages(self) -> None:
        """A reader types and pastes."""
        if shutil.which("curl") is None:
            raise SkipTest("curl is not installed")
        service, commands = self.service(DEMO), self.folder()
        service.start()
        tools(commands)
        around = {**environment(), "BASE": f"http://127.0.0.1:{service.port('http')}", "KEY": service.key,
                  "SMTP": f"127.0.0.1:{service.port('smtp')}", "IMAP": f"127.0.0.1:{service.port('imap')}",
                  "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
                  "PYTEST_ADDOPTS": "-p simmail.testing.pytest_plugin -p no:cacheprovider"}
        for page, least in GUIDES.items():
            self.assertGreaterEqual(run(page, self.folder(), around), least, page)
