"""Tests for C{simmail.command}."""

from __future__ import annotations

import argparse
import os
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO

from twisted.trial.unittest import SynchronousTestCase

from simmail import __version__
from simmail.command import main, state_folder


class CommandTests(SynchronousTestCase):
    """The command line."""

    def printed(self, *arguments: str) -> str:
        """What a command prints; it must succeed."""
        out = StringIO()
        with redirect_stdout(out):
            error = self.assertRaises(SystemExit, main, list(arguments))
        self.assertIn(error.code, (0, None))
        return out.getvalue()

    def test_help(self) -> None:
        """Every command has help."""
        for words in ((), ("run",), ("ready",), ("version",), ("admin",), ("admin", "keys"), ("admin", "universes"),
                      ("admin", "orgs"), ("admin", "users", "create"), ("admin", "plans", "list"),
                      ("admin", "keys", "create"), ("admin", "universes", "create")):
            self.assertIn("usage: simmail", self.printed(*words, "--help"))

    def test_version(self) -> None:
        """The version is that of the package."""
        self.assertEqual(self.printed("version"), f"simmail {__version__}\n")

    def test_nothing_runs(self) -> None:
        """Asking a state folder nobody serves is an error that says so."""
        state = self.mktemp()
        for words in (["admin", "keys", "list", "--state", state], ["admin", "keys", "--state", state, "list"],
                      ["admin", "--state", state, "keys", "list"], ["--state", state, "admin", "keys", "list"],
                      ["ready", "--state", state], ["--state", state, "ready"]):
            with redirect_stderr(StringIO()) as out:
                error = self.assertRaises(SystemExit, main, words)
            self.assertIn("nothing was started", str(error.code) + out.getvalue())
            self.assertIn(state, str(error.code) + out.getvalue())

    def test_roles(self) -> None:
        """A role is named for an organisation, and is one of three."""
        for bad in ("member", "shop=", "shop=boss"):
            with redirect_stderr(StringIO()) as out:
                self.assertRaises(SystemExit, main, ["admin", "users", "create", "a@b.test", "--role", bad])
            self.assertIn("must be ORG=ROLE", out.getvalue())

    def test_state_folder(self) -> None:
        """The argument wins, then the configuration, the checkout, the environment, the user's own."""
        def chosen(state: str | None = None, default: str | None = None, configured: str = "") -> str:
            return str(state_folder(argparse.Namespace(state=state, default_state=default), configured))

        self.patch(os, "environ", {"SIMMAILD_STATE": "/environment", "HOME": "/home/somebody"})
        self.assertEqual(chosen("/argument", "/checkout", "/configured"), "/argument")
        self.assertEqual(chosen(None, "/checkout", "/configured"), "/configured")
        self.assertEqual(chosen(None, "/checkout"), "/checkout")
        self.assertEqual(chosen(), "/environment")
        del os.environ["SIMMAILD_STATE"]
        self.assertEqual(chosen(), "/home/somebody/.local/state/simmail")
