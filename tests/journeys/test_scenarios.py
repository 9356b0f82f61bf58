"""Scenarios that are shipped, played with the command: the careful application passes, the careless one fails."""

from __future__ import annotations

from xml.etree import ElementTree

from simmail.scenario.library import load
from tests.journeys.running import JourneyCase, command

#: The others are played by C{scripts/bench/scenarios}.
PLAYED = ("greylisting",)


class ScenarioTests(JourneyCase):
    """One service for all."""

    def test_all(self) -> None:
        """Both applications end as each scenario says, for the reason that it names, one seed tells one thing."""
        service, folder = self.service(), self.folder()
        service.start()
        place = ("--url", f"http://127.0.0.1:{service.port('http')}", "--key", service.key, "--report", str(folder))
        good = command("scenario", "run", *PLAYED, "--app", "careful", *place, timeout=60)
        self.assertEqual(good.returncode, 0, good.stdout + good.stderr)
        self.assertEqual(good.stdout, (folder / "report.txt").read_text(encoding="utf-8"))
        self.assertIn("<h1>Scenarios</h1>", (folder / "report.html").read_text(encoding="utf-8"))
        bad = command("scenario", "run", *PLAYED, "--app", "careless", "--format", "junit", *place, timeout=60)
        self.assertEqual(bad.returncode, 1, bad.stdout + bad.stderr)
        for suite in ElementTree.fromstring(bad.stdout.encode()).iter("testsuite"):
            failed = {case.get("name") for case in suite.iter("testcase") if case.find("failure") is not None}
            self.assertLessEqual(set(load(str(suite.get("name"))).careless), failed)
        for n, app in enumerate(("careful", "no-such-program")):
            ran = command("scenario", "run", PLAYED[0], "--app", app, "--runs", "3", *place, timeout=60)
            self.assertEqual(ran.returncode, 2 * n, ran.stderr)
            self.assertEqual("3 of 3 runs, pass^1 1.00, pass^3 1.00, one fingerprint" in ran.stdout, not n, ran.stdout)
