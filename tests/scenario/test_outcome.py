"""Tests of L{simmail.scenario.outcome} and L{simmail.scenario.report}."""

from __future__ import annotations

from datetime import timedelta
from xml.etree import ElementTree

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.score.expectations import Expectation
from simmail.core.score.grade import grade
from simmail.core.score.truth import ApplicationMail
from simmail.scenario.outcome import Played, Result, held
from simmail.scenario.report import html, junit, text
from simmail.scenario.script import START, ScenarioFile, ScenarioStep

ANNA, TOM = "anna@mail.test", "tom@mail.test"
SCRIPT = ScenarioFile(
    "one", "One & only", steps=(ScenarioStep(advance="1h"),), require={"attacks": 1.0},
    expect=(Expectation("told", what="Anna is <told>", to=(ANNA,)), Expectation(
        "quiet", effect="forbidden", to=(TOM,)), Expectation("later", to=(TOM,), after=START, within="1w")))


def played(*to: str, late: tuple[str, ...] = ()) -> Played:
    """A run in which the application wrote to these."""
    mails = [ApplicationMail(f"<{one}>", START, "app@acme.test", (one,), "Hello") for one in to]
    report = grade((), (), mails, (), SCRIPT.expect, ("app@acme.test",), None, START + timedelta(days=1))
    return Played(held(SCRIPT, report, {"told": late}), report.score, "f" * 64, ("2026-03-02 09:00:00  <b> & \x01",),
                  2, ("status 1",))


class OutcomeTests(SynchronousTestCase):
    """What held, and how it is told."""

    def test_held(self) -> None:
        """An expectation holds by its points; what nothing can be said about yet did not hold."""
        self.assertEqual(played(ANNA).failed, ("later", "attacks"))
        self.assertEqual(played(TOM).failed, ("told", "quiet", "attacks"))
        self.assertEqual(played(ANNA, late=("too late",)).failed, ("told", "later", "attacks"))
        why = {one.id: one.why for one in played(TOM).held}
        self.assertEqual(why["quiet"], ("tom@mail.test got the mail that was forbidden",))
        self.assertEqual(why["attacks"], ("nothing to judge, at least 1 is required",))

    def test_pass_k(self) -> None:
        """Of four runs of which three passed, two drawn pass with one half, four never."""
        good, bad = Played((), None, "a", ()), played()
        result = Result(SCRIPT, "s", (good, bad, good, good))
        self.assertEqual(result.pass_k, (0.75, 0.5, 0.25, 0.0))
        self.assertFalse(result.passed)
        self.assertEqual(result.fingerprints, ("a", "f" * 64))

    def test_reports(self) -> None:
        """Each tells what failed and why; XML is well-formed, and HTML has nothing that was not escaped."""
        results = [Result(SCRIPT, "s", (played(TOM), Played((), 1.0, "a", ())))]
        told = text(results)
        for line in (
                "one: One & only", "    FAIL  told: Anna is <told>", "          anna@mail.test got no such mail so far",
                "  failed: 1 of 2 runs, pass^1 0.50, pass^2 0.00, 2 fingerprints, seed s"):
            self.assertIn(line, told.splitlines())
        top = ElementTree.fromstring(junit(results).encode())
        self.assertEqual((top.get("tests"), top.get("failures")), ("4", "3"))
        self.assertEqual([case.get("name") for case in top.iter("testcase") if case.find("failure") is not None],
                         ["told", "quiet", "attacks"])
        page = html(results)
        self.assertIn("Anna is &lt;told&gt;", page)
        for never in ("<script", "<b>", "http", "<told>"):
            self.assertNotIn(never, page)
