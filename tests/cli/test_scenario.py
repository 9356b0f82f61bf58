"""Tests for C{simmail.cli.scenario}: what needs no service; tests.journeys.test_scenarios plays."""

from __future__ import annotations

from contextlib import redirect_stderr, redirect_stdout
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from simmail.cli.command import main
from simmail.cli.scenario import ProgressLine


class ScenarioCommandTests(SynchronousTestCase):
    """The commands."""

    def ran(self, *words: str) -> tuple[object, str, str]:
        """Exit status and what is printed."""
        out, err = StringIO(), StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            error = self.assertRaises(SystemExit, main, ["scenario", *words])
        return error.code, out.getvalue(), err.getvalue()

    def test_shown(self) -> None:
        """All are listed, and one that is shown is a file to begin with."""
        status, listed, _ = self.ran("list")
        self.assertEqual(status, 0)
        self.assertIn("greylisting               A server that puts off who it does not know\n", listed)
        file = Path(self.mktemp()).with_suffix(".yaml")
        file.write_text(self.ran("show", "greylisting")[1], encoding="utf-8")
        self.assertEqual(self.ran("show", str(file))[1], file.read_text(encoding="utf-8"))
        file.write_text("name: a\ntitle: b\nsteps: [{advance: 1x}]\n", encoding="utf-8")
        status, out, err = self.ran("run", str(file))
        self.assertEqual((status, out), (2, ""))
        self.assertIn(f"simmail: {file}:3: steps.0.advance: must be a duration", err)
        for words, said in ((("run", "nothing"), "nothing is none of collections, greylisting"),
                            (("run", "none.yaml"), "none.yaml: No such file"),
                            (("run", "greylisting", "--runs", "0"), "must be from 1 to 10000"),
                            (("run", "greylisting", "--app", "'"), "--app: no closing quotation")):
            status, _, err = self.ran(*words)
            self.assertEqual(status, 2)
            self.assertIn(said, err)

    def test_progress(self) -> None:
        """On a terminal one line changes; elsewhere each step is a line."""
        at, told = datetime(2026, 3, 2, 9, tzinfo=UTC), []
        for terminal in (False, True):
            err = StringIO()
            err.isatty = lambda: terminal  # type: ignore[method-assign]
            with redirect_stderr(err):
                line = ProgressLine()
                line.tell("a: step 1/1 advance", at)
                line.tell("a: the application's turn", at)
                line.tell("a: passed", None)
            told.append(err.getvalue())
        self.assertEqual(told[0], "a: step 1/1 advance  Mon 2026-03-02 09:00\na: passed\n")
        self.assertEqual(told[1], "\r\x1b[Ka: step 1/1 advance  Mon 2026-03-02 09:00\r\x1b[Ka: the application's turn  "
                         "Mon 2026-03-02 09:00\r\x1b[Ka: passed\n")
