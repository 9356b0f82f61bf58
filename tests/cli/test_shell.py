"""Tests for C{simmail.cli.shell}."""

from __future__ import annotations

import os
import pty
import re
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

    def test_zsh(self) -> None:
        """Zsh completes by the same script what is typed at a terminal."""
        zsh = shutil.which("zsh")
        if zsh is None:
            raise SkipTest("there is no zsh")
        self.assertIn(printed("completion", "bash"), printed("completion", "zsh"))
        folder = Path(self.mktemp())
        folder.mkdir()
        tell = 'simmail() { print -r -- "ran $*;" }\n'
        (folder / ".zshrc").write_text(printed("completion", "zsh") + tell, "utf-8")
        process, terminal = pty.fork()
        if process == 0:
            os.execve(zsh, [zsh, "-d", "-i"], {**os.environ, "ZDOTDIR": str(folder), "TERM": "dumb"})
        os.write(terminal, b"simmail comp\tz\t\nsimmail --state /tmp admin us\t\nsimmail run --port\t\nexit\n")
        said = b""
        try:
            while more := os.read(terminal, 4096):
                said += more
        except OSError:
            # Nobody is at the other end any more.
            pass
        os.close(terminal)
        os.waitpid(process, 0)
        self.assertEqual(re.findall(rb"ran ([^;$]*?) ?;", said), [
            b"completion zsh", b"--state /tmp admin users", b"run --port-base"], said)

    def test_fish(self) -> None:
        """Fish completes commands and options, each with its help, and files where a value is to come."""
        fish = shutil.which("fish")
        if fish is None:
            raise SkipTest("there is no fish")
        folder = Path(self.mktemp()).absolute()
        (folder / "state").mkdir(parents=True)
        asked = {
            "simmail c": ["completion"], "simmail completion ": ["bash", "fish", "zsh"],
            "simmail --state /tmp admin us": ["users"],
            "simmail admin universes create x --log": ["--login"], "simmail run --port": ["--port-base"],
            "simmail nothing": [], f"simmail --state {folder}/s": [f"{folder}/state/"]}
        script = printed("completion", "fish") + "".join(f"complete -C '{line}'; echo ---\n" for line in asked)
        ran = subprocess.run([fish, "--no-config"], input=script, capture_output=True, text=True, timeout=20,
                             env={**os.environ, "HOME": str(folder)})
        self.assertEqual(ran.stderr, "")
        found = [[line.partition("\t")[0] for line in part.splitlines()] for part in ran.stdout.split("---\n")[:-1]]
        self.assertEqual(found, list(asked.values()))

    def test_lines(self) -> None:
        """For fish there is a line for each word, with its help."""
        lines = printed("completion", "fish").splitlines()
        self.assertIn("complete -c simmail -n '__simmail_at \" admin users\"' -f -a list -d "
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
