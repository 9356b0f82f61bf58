"""Tests of L{simmail.scenario.application}."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from simmail.config import PREFIX, Config, load
from simmail.scenario.application import ApplicationProcess, TestedCommand
from simmail.scenario.script import START, Seat
from tests.docs.blocks import DOCS

CLIENT: Any = SimpleNamespace(
    url="http://127.0.0.1:8025", key="sm_1_s", place=lambda name: ("127.0.0.1", 2525),
    login=SimpleNamespace(username="app@acme.test%one", password="secret", address="app@acme.test"))


class EnvironmentTests(SynchronousTestCase):
    """What the application finds in its environment."""

    def test_names(self) -> None:
        """It is what the page on scenarios says, and no service that the application starts stumbles over it."""
        out = Path(self.mktemp())
        program = f"import os, json; json.dump(dict(os.environ), open({str(out.absolute())!r}, 'w'))"
        process = ApplicationProcess(TestedCommand(shlex.join([sys.executable, "-c", program])), CLIENT, Seat())
        self.addCleanup(process.stop)
        process.turn(START)
        self.assertEqual(process.failures, [])
        found = json.loads(out.read_text(encoding="utf-8"))
        names = {name for name in found if name.startswith(PREFIX)}
        page = (DOCS / "scenarios.rst").read_text(encoding="utf-8")
        self.assertEqual(names, set(re.findall(rf"``({PREFIX}\w+)``", page)))
        self.assertEqual(load(None, found), Config())
