"""Tests for C{simmail.cli.shell}."""

from __future__ import annotations

import shutil
import subprocess
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

from twisted.trial.unittest import SkipTest, SynchronousTestCase

import simmail
from simmail.cli.command import main

PAGE = Path(simmail.__file__).parent / "docs" / "simmail.1"


def printed(*arguments: str) -> str:
    """What a command prints."""
    out = StringIO()
    with redirect_stdout(out):
        try:
            main(list(arguments))
        except SystemExit:
            pass
    return out.getvalue()


class CompletionTests(SynchronousTestCase):
    """C{simmail completion}."""

    def test_bash(self) -> None:
        """Bash completes commands, what stands below them, options and choices; options on the way do not lead off."""
        bash = shutil.which("bash")
        if bash is None:
            raise SkipTest("there is no bash")
        asked = {
            "simmail c": ["completion"], "simmail completion ": ["bash", "fish", "zsh", "--help"],
            "simmail --state /tmp admin us": ["users"],
            "simmail admin universes create x --log": ["--login"], "simmail run --port": ["--port-base"],
            "simmail nothing": []}
        script = printed("completion", "bash")
        for line in asked:
            words = line + "''" if line.endswith(" ") else line
            script += (f"COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _simmail\n"
                       'echo "${COMPREPLY[@]}"\n')
        ran = subprocess.run([bash, "--norc"], input=script, capture_output=True, text=True, timeout=20)
        self.assertEqual(ran.stderr, "")
        found = [sorted(line.split()) for line in ran.stdout.split("\n")[:-1]]
        self.assertEqual(found, [sorted(one) for one in asked.values()])

    def test_others(self) -> None:
        """Zsh uses the same script; fish has a line for each word, with its help."""
        self.assertIn(printed("completion", "bash"), printed("completion", "zsh"))
        lines = printed("completion", "fish").splitlines()
        self.assertIn("complete -c simmail -n '__simmail_at \" admin users\"' -a list -d "
                      "'everybody who can sign in, with their roles'", lines)
        self.assertIn("complete -c simmail -n '__simmail_at \" ready\"' -l wait -d "
                      "'wait until it is (30 seconds unless given)'", lines)


class ManualTests(SynchronousTestCase):
    """C{simmail manual}."""

    def test_shipped(self) -> None:
        """The page that is installed is the one the parser makes now: simmail manual > simmail/docs/simmail.1."""
        self.assertEqual(PAGE.read_text(encoding="utf-8"), printed("manual"))

    def test_page(self) -> None:
        """It has each command with its options, and nothing that is kept to ourselves."""
        page = printed("manual")
        self.assertIn(".SS admin universes create\n", page)
        self.assertIn("\nsimmail admin universes create [options] [id]\n", page)
        self.assertIn(".B \\-\\-port\\-base N\nadded to every default port\n", page)
        self.assertNotIn("default\\-state", page)
