"""Scenarios that are shipped, played with the command: the careful application passes, the careless one fails."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from textwrap import dedent
from xml.etree import ElementTree

from simmail.scenario.application import TestedCommand
from simmail.scenario.library import load
from tests.journeys.running import JourneyCase, command
from tests.journeys.test_docs import DOCS

#: The others are played by C{scripts/bench/scenarios}.
PLAYED = ("greylisting", "injection-replies", "unsubscribe-data-request")

#: An application that stays, and looks into its mail again and again.
STAYS = """
import runpy, time
while True:
    runpy.run_path({path!r}, run_name="__main__")
    time.sleep(0.1)
"""

#: The kinds of steps that those do not have, and an application that may send one mail.
STEPS = """
name: steps
title: Other steps
app: {most: 1}
steps:
  - people: [{addresses: [late@mail.test], timing: {reply_rate: 0}}]
  - reply: {from: late@mail.test, text: To nothing}
  - world: {company: {inboxes: [app@acme.test]}, streams: [{id: orders, kind: order, per_day: 0}]}
  - fire: {stream: orders}
  - absent: 1h
  - expect: [answered]
  - until: 2026-03-02T12:00:00Z
expect:
  - {id: answered, on: {kind: order}, within: 2h}
"""


class ScenarioTests(JourneyCase):
    """One service for all."""

    def test_all(self) -> None:
        """Both applications end as each scenario says, for the reason that it names; one seed tells one thing."""
        service, folder = self.service(), self.folder()
        service.start()
        before = service.good("GET", "/api/admin/universes")
        page = re.search(r"``lunch.yaml``::\n\n((?:    .*\n)+)", (DOCS / "scenarios.rst").read_text(encoding="utf-8"))
        assert page is not None
        (folder / "lunch.yaml").write_text(dedent(page[1]).replace(
            "name: Maria Rossi", "name: Maria Rossi, timing: {reply_rate: 0}"), encoding="utf-8")
        place = ("--url", f"http://127.0.0.1:{service.port('http')}", "--key", service.key, "--report", str(folder))
        good = command("scenario", "run", *PLAYED, "--app", "careful", *place, timeout=60)
        self.assertEqual(good.returncode, 0, good.stdout + good.stderr)
        self.assertEqual(good.stdout, (folder / "report.txt").read_text(encoding="utf-8"))
        self.assertIn("<h1>Scenarios</h1>", (folder / "report.html").read_text(encoding="utf-8"))
        self.assertIn("unsubscribe-data-request: step 7/7 advance  Tue 2026-03-03 10:00\n", good.stderr)
        bad = command("scenario", "run", *PLAYED, "--app", "careless", "--format", "junit", *place, timeout=60)
        self.assertEqual(bad.returncode, 1, bad.stdout + bad.stderr)
        for suite in ElementTree.fromstring(bad.stdout.encode()).iter("testsuite"):
            failed = {case.get("name") for case in suite.iter("testcase") if case.find("failure") is not None}
            self.assertLessEqual(set(load(str(suite.get("name"))).careless), failed)
        again = command("scenario", "run", PLAYED[1], "--app", "careful", "--runs", "3", *place, timeout=60)
        self.assertIn("3 of 3 runs, pass^1 1.00, pass^3 1.00, one fingerprint", again.stdout, again.stderr)
        self.steps(folder / "steps.yaml", place)
        self.resident(folder / "lunch.yaml", place)
        self.assertEqual(service.good("GET", "/api/admin/universes"), before)

    def steps(self, file: Path, place: tuple[str, ...]) -> None:
        """Steps do what they say, an expectation fails at the step that wants it, and too many mails are too many."""
        file.write_text(STEPS, encoding="utf-8")
        ran = command("scenario", "run", str(file), "--app", "careless", *place, timeout=60)
        self.assertEqual(ran.returncode, 1, ran.stderr)
        for line in ("    FAIL  answered: answered", "          had not come true by 2026-03-02T10:00:00Z",
                     "    FAIL  most: It sends no more than 1 mails", "          it had sent 2 and was stopped",
                     "      2026-03-02 09:00:00  step: late@mail.test has nothing to answer"):
            self.assertIn(line, ran.stdout.splitlines())
        self.assertRegex(ran.stdout, r"  2026-03-02 09:00:00  .* came by itself .* \(order\)\n")

    def resident(self, lunch: Path, place: tuple[str, ...]) -> None:
        """An application that stays does it too; one that cannot be started plays nothing."""
        path = TestedCommand("careful").arguments()[1]
        app = f"{sys.executable} -c '{STAYS.format(path=path)}'".replace(f"'{path}'", f'"{path}"')
        ran = command("scenario", "run", str(lunch), "--app", app, "--resident", "--quiet", "2", *place, timeout=60)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        for app, said in (("no-such-program", "no-such-program: No such file or directory"),
                          (f"{sys.executable} -c 0/0", "no turn ended well; the last: 2026-03-02T09:00:00Z: status 1")):
            ran = command("scenario", "run", str(lunch), "--app", app, *place, timeout=60)
            self.assertEqual((ran.returncode, ran.stdout), (2, ""))
            self.assertIn(said, ran.stderr)
