"""Tests for C{simmail.cli.command}."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import socket
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from threading import Thread

from twisted.trial.unittest import SynchronousTestCase

from simmail import __version__
from simmail.cli.command import main, state_folder


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

    def serving(self, answer: bytes) -> str:
        """A state folder whose server says this to whatever it is asked."""
        server = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(server.close)

        def serve() -> None:
            with contextlib.suppress(OSError):
                while True:
                    with server.accept()[0] as one:
                        one.recv(4096)
                        one.sendall(answer)

        Thread(target=serve, daemon=True).start()
        state = Path(self.mktemp())
        state.mkdir()
        (state / "admin.key").write_text("sm_1_x")
        (state / "endpoints.json").write_text(json.dumps(
            {"http": {"host": "127.0.0.1", "port": server.getsockname()[1]}}))
        return str(state)

    def test_somebody_else(self) -> None:
        """A port at which something other than a web server listens is no server of ours, and that is told."""
        state = self.serving(b"220 mail.test ready\r\n")
        with redirect_stderr(StringIO()) as out:
            self.assertEqual(self.assertRaises(SystemExit, main, ["ready", "--state", state]).code, 1)
        self.assertIn("not ready: 220 mail.test ready", out.getvalue())
        error = self.assertRaises(SystemExit, main, ["admin", "keys", "list", "--state", state])
        self.assertIn("does not answer: 220 mail.test ready", str(error.code))

    def test_proxy(self) -> None:
        """The server is on this machine: it is not looked for behind a proxy."""
        state = self.serving(b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n[]")
        self.patch(os, "environ", {"http_proxy": "http://127.0.0.1:9", "HOME": "/"})
        self.assertEqual(self.printed("ready", "--state", state), "")
        self.printed("admin", "keys", "list", "--state", state)

    def test_roles(self) -> None:
        """A role is named for an organisation, and is one of three."""
        for bad in ("member", "shop=", "shop=boss"):
            with redirect_stderr(StringIO()) as out:
                self.assertRaises(SystemExit, main, ["admin", "users", "create", "a@b.test", "--role", bad])
            self.assertIn("must be ORG=ROLE", out.getvalue())

    def test_usual_state_folder(self) -> None:
        """Help names the folder that is used when none is given."""
        for words in (["run", "--default-state", "/a 100%/.state", "--help"],
                      ["--default-state", "/a 100%/.state", "ready", "--help"]):
            with redirect_stdout(StringIO()) as out:
                self.assertRaises(SystemExit, main, words)
            self.assertIn("/a 100%/.state", " ".join(out.getvalue().split()))
            self.assertNotIn("SIMMAILD_STATE", out.getvalue())
        with redirect_stdout(StringIO()) as out:
            self.assertRaises(SystemExit, main, ["run", "--help"])
        self.assertIn("$SIMMAILD_STATE", out.getvalue())

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
