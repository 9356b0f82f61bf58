"""What the documents say is true: their lines work as printed."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SkipTest

import simmail
from tests.journeys.running import ROOT, SOON, JourneyCase

DOCS = Path(simmail.__file__).parent / "docs"


class DocumentTests(JourneyCase):
    """A newcomer pastes."""

    def test_http_api(self) -> None:
        """Each line of the newcomer's page works, and answers with the fields that are shown."""
        if shutil.which("curl") is None:
            raise SkipTest("curl is not installed")
        service = self.service()
        service.start()
        environment = {**os.environ, "API": f"http://127.0.0.1:{service.port('http')}", "KEY": service.key}
        page = (DOCS / "http-api.rst").read_text(encoding="utf-8")
        found = re.findall(r"^    (curl .+)\n\n    (.+)$", page, re.MULTILINE)
        self.assertGreater(len(found), 15)
        for line, shown in found:
            ran = subprocess.run(["sh", "-c", line], env=environment, capture_output=True, text=True, timeout=SOON)
            self.assertEqual(ran.returncode, 0, line)
            answer = json.loads(ran.stdout)
            self.assertEqual("error" in answer, '"error"' in shown, (line, answer))
            if isinstance(answer, list):
                self.assertTrue(answer, line)
                answer = answer[0]
            self.assertLessEqual(top_level(shown), set(answer), line)

    def test_readme(self) -> None:
        """The README's lines are those that are printed, and its links lead somewhere."""
        path = ROOT / "README.rst"
        if not path.exists():
            raise SkipTest("not run from a checkout")
        text = path.read_text(encoding="utf-8")
        for target in re.findall(r"<([a-z/.-]+\.rst)>`_", text):
            self.assertTrue((ROOT / target).exists(), target)
        service = self.service()
        service.start()
        for printed in service.out.read_text(encoding="utf-8").rstrip().split("\n")[-3:]:
            for name, port in (("smtp", 2525), ("imap", 2143), ("http", 8025)):
                printed = printed.replace(f"127.0.0.1:{service.port(name)}", f"127.0.0.1:{port}")
            printed = printed.replace(f"'Authorization: Bearer {service.key}'",
                                      '"Authorization: Bearer $(cat .state/admin.key)"')
            printed = printed.replace(f"-u 'app@sim.test:{service.password}'", "-u app@sim.test")
            self.assertIn(printed, text)


def top_level(shown: str) -> set[str]:
    """The names of the fields that an example shows, without those of what is inside."""
    names: set[str] = set()
    depth = 0
    for mark in re.finditer(r'"(?:[^"\\]|\\.)*"|[{}\[\]]', shown.removeprefix("[").removesuffix("]")):
        token: Any = mark[0]
        if token in "{[":
            depth += 1
        elif token in "}]":
            depth -= 1
        elif depth == 1 and shown.removeprefix("[")[mark.end():mark.end() + 1] == ":":
            names.add(json.loads(token))
    return names
