"""What C{simmail admin} asks, and what it prints of the answers."""

from __future__ import annotations

import json
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from typing import Any

from simmail.cli.command import main
from tests.cli.asked import AskedTestCase


class AdminTests(AskedTestCase):
    """Each thing and what can be done with it."""

    def run_admin(self, *words: str, answer: Any = None) -> str:
        """What a command prints; the server answers each question the same."""
        self.says = 200, json.dumps({} if answer is None else answer).encode()
        self.asked.clear()
        with redirect_stdout(StringIO()) as out:
            error = self.assertRaises(SystemExit, main, ["admin", *words, "--state", str(self.state)])
        self.assertIn(error.code, (0, None))
        return out.getvalue()

    def questions(self) -> list[tuple[str, str, Any]]:
        """Method, path below C{/api/admin/} and body of what was asked."""
        return [(method, path.removeprefix("/api/admin/"), json.loads(body) if body else None)
                for method, path, _, body in self.asked]

    def test_key_for_tools(self) -> None:
        """A key is made for one set of tools, and listed as one."""
        made = self.run_admin("keys", "create", "shop", "--tools", "mail", answer={"key": "sm_2_s"})
        self.assertEqual(made, "sm_2_s\n")
        self.assertEqual(self.questions(), [
            ("POST", "keys", {"universe": "shop", "role": "member", "name": "", "tools": "mail"})])
        listed = {"prefix": "2", "universe": "shop", "role": "member", "name": "ci"}
        text = self.run_admin("keys", "list", answer=[{**listed, "tools": "mail"}, {**listed, "tools": None}])
        self.assertEqual(text.split(), ["2", "shop", "member", "mail", "ci", "2", "shop", "member", "-", "ci"])

    def test_universe(self) -> None:
        """One is made with a key for it, which is printed; names are escaped in paths."""
        key = "sm_2_secret"
        self.assertEqual(self.run_admin("universes", "create", "shop", "--clock", "2026-05-01T08:00:00Z",
                                        answer={"id": "shop", "key": key}), key + "\n")
        self.assertEqual(self.questions(), [
            ("POST", "universes", {"id": "shop", "name": "", "org": "default", "seed": "",
                                   "clock": {"now": "2026-05-01T08:00:00Z", "frozen": True}}),
            ("POST", "keys", {"universe": "shop", "role": "admin", "name": "created with it"})])
        self.run_admin("universes", "delete", "a/b")
        self.assertEqual(self.questions(), [("DELETE", "universes/a%2Fb", None)])
        self.assertEqual(self.run_admin("universes", "list", answer=[
            {"id": "shop", "org": "acme", "name": "The Shop"}]).split(), ["shop", "acme", "The", "Shop"])

    def test_test_run(self) -> None:
        """One for a time and with a login is one question; all that gets into it is printed."""
        made = {"id": "run-1", "key": "sm_2_s", "logins": [{"username": "app@sim.test%run-1", "password": "pw"}],
                "connection": {"services": [{"name": "SMTP", "address": "127.0.0.1", "port": 2525}]}}
        text = self.run_admin("universes", "create", "--ttl", "1h", "--login", answer=made)
        self.assertEqual(text.splitlines(), [
            "API key sm_2_s", "Login app@sim.test%run-1 password pw", "SMTP 127.0.0.1:2525"])
        self.assertEqual(self.questions(), [
            ("POST", "universes", {"name": "", "org": "default", "seed": "", "ttl": "1h", "login": True})])

    def test_snapshots(self) -> None:
        """Kept, listed, put back, forked: each is one question, and what is needed is printed."""
        self.assertEqual(self.run_admin("universes", "snapshot", "shop", "--name", "x", answer={"id": "s_1"}), "s_1\n")
        self.assertEqual(self.questions(), [("POST", "universes/shop/snapshots", {"name": "x"})])
        self.assertEqual(self.run_admin("universes", "snapshots", "shop", answer=[
            {"id": "s_1", "created": "2026-03-02T09:00:00Z", "messages": 12, "name": "x"}]).split(),
            ["s_1", "2026-03-02T09:00:00Z", "12", "messages", "x"])
        self.run_admin("universes", "restore", "shop", "s_1")
        self.assertEqual(self.questions(), [("POST", "universes/shop/snapshots/s_1/restore", None)])
        made = {"universe": "try", "key": "sm_2_s", "logins": [{"username": "app@sim.test%try"}],
                "connection": {"services": []}}
        text = self.run_admin("universes", "fork", "shop", "--as", "try", "--ttl", "1h", answer=made)
        self.assertEqual(text.splitlines(), ["Universe try", "API key sm_2_s", "Login app@sim.test%try"])
        self.assertEqual(self.questions(), [
            ("POST", "universes/shop/snapshots/now/fork", {"id": "try", "ttl": "1h"})])
        self.run_admin("universes", "fork", "shop", "--snapshot", "s_1", answer=made)
        self.assertEqual(self.questions(), [("POST", "universes/shop/snapshots/s_1/fork", {})])

    def test_organization(self) -> None:
        """Its plan is said only where it is given."""
        self.run_admin("orgs", "create", "acme")
        self.assertEqual(self.questions(), [("POST", "orgs", {"id": "acme", "name": ""})])
        for words, body in ((("change", "acme", "--plan", "team"), {"plan": "team"}),
                            (("suspend", "acme"), {"suspended": True}), (("resume", "acme"), {"suspended": False})):
            self.run_admin("orgs", *words)
            self.assertEqual(self.questions(), [("PATCH", "orgs/acme", body)])
        text = self.run_admin("plans", "list", answer=[
            {"name": "free", "features": [], "limits": {"people": 25, "logins": None}},
            {"name": "all", "features": ["links"], "limits": {"people": None}}])
        self.assertEqual([" ".join(line.split()) for line in text.splitlines()],
                         ["free no features; people 25", "all links; no limits"])

    def test_nodes(self) -> None:
        """The servers of an installation are listed; what goes with one that is removed has to be said."""
        text = self.run_admin("nodes", "list", answer=[
            {"name": "a", "address": "10.0.0.1:7025", "alive": True, "universes": ["elm", "oak"], "local": ["oak"]},
            {"name": "b", "address": "", "alive": False, "universes": [], "local": []}])
        self.assertEqual([" ".join(line.split()) for line in text.splitlines()],
                         ["a 10.0.0.1:7025 alive elm, oak (local)", "b - away no universes"])
        for more, query, lost, told in (((), "", [], "no universe"),
                                        (("--lose-local",), "?lose_local=true", ["elm", "oak"], "elm, oak")):
            text = self.run_admin("nodes", "remove", "b/c", *more, answer={"name": "b/c", "lost": lost})
            self.assertEqual(text, f"b/c is removed; {told} went with it\n")
            self.assertEqual(self.questions(), [("DELETE", f"nodes/b%2Fc{query}", None)])

    def test_user(self) -> None:
        """A password is made and printed unless it comes on standard input; it is no argument."""
        printed = self.run_admin("users", "create", "ann@acme.test", "--role", "acme=member", "--role", "b=viewer",
                                 answer={"email": "ann@acme.test", "password": "made by the server"})
        self.assertEqual(printed, "made by the server\n")
        self.assertEqual(self.questions(), [
            ("POST", "users", {"email": "ann@acme.test", "orgs": {"acme": "member", "b": "viewer"}})])
        self.patch(sys, "stdin", StringIO("correct horse\nmore\n"))
        self.assertEqual(self.run_admin("users", "create", "b@acme.test", "--password-stdin"), "")
        self.assertEqual(self.questions(), [("POST", "users", {"email": "b@acme.test", "password": "correct horse"})])
        self.run_admin("users", "change", "ann@acme.test", "--administrator", "no")
        self.assertEqual(self.questions(), [("PATCH", "users/ann%40acme.test", {"administrator": False})])

    def test_reset(self) -> None:
        """Another first key is asked for by a file: at once of a running service, else of the next start."""
        (self.state / "endpoints.json").unlink()
        self.assertIn("at the next start", self.run_admin("keys", "reset-first"))
        self.assertTrue((self.state / "reset-first").exists())
        self.assertEqual(self.asked, [])

    def test_refused(self) -> None:
        """A refusal is told in the API's words, with status 1."""
        self.says = 404, b'{"error": "no key x"}'
        with redirect_stderr(StringIO()) as out:
            error = self.assertRaises(SystemExit, main, ["admin", "keys", "revoke", "x", "--state", str(self.state)])
        self.assertIn("no key x", str(error.code) + out.getvalue())
        self.assertNotIn(error.code, (0, None))
