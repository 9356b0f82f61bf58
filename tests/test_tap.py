"""Tests for C{simmail.tap}; the service itself is met in C{journeys}."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from twisted.application.service import IServiceMaker
from twisted.plugin import IPlugin, getPlugins
from twisted.trial.unittest import SynchronousTestCase

from simmail.tap import Options, makeService


class TapTests(SynchronousTestCase):
    """What twistd is given."""

    def test_plugin(self) -> None:
        """twistd knows simmail and its options."""
        import twisted.plugins

        [maker] = [one for one in getPlugins(IPlugin, twisted.plugins)
                   if IServiceMaker.providedBy(one) and one.tapname == "simmail"]
        self.assertIs(maker.options, Options)
        self.assertIs(maker.makeService, makeService)

    def test_options(self) -> None:
        """Options have their types."""
        options = Options()
        options.parseOptions(["--config", "a.yaml", "--state", "b", "--port-base", "7"])
        self.assertEqual((options["config"], options["state"], options["port-base"]), ("a.yaml", "b", 7))

    def test_late(self) -> None:
        """What no start needs is not imported by it: libraries that ask the name system."""
        ran = subprocess.run(
            [sys.executable, "-c", "import sys, simmail.outbound.records, simmail.rest.site\n"
             "print(sorted({'dkim', 'dns'} & {*sys.modules}))"],
            capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
        self.assertEqual(ran.stdout, "[]\n")

    def test_wrong(self) -> None:
        """What cannot be is told in one line: no such configuration, no listener, a port that is no port."""
        folder = self.mktemp()
        os.mkdir(folder)
        (Path(folder) / "off.yaml").write_text(json.dumps({
            "listen": dict.fromkeys(("smtp", "smtps", "submission", "imap", "imaps", "http"))}))
        for given, words in ((["--config", f"{folder}/none.yaml"], "none.yaml"),
                             (["--config", f"{folder}/off.yaml", "--state", folder], "every listener is switched off")):
            options = Options()
            options.parseOptions(given)
            error = self.assertRaises(SystemExit, makeService, options)
            self.assertTrue(str(error).startswith("simmail: "), str(error))
            self.assertIn(words, str(error))
