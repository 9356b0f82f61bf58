"""
Who may call what: every operation of the OpenAPI document for every kind of caller (promises, S7).

What is expected is read from the document alone, never from the table the guard uses.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from simmail.core.rules.quota_plan import Plan, SELF_HOSTED
from simmail.testing.universe import now
from tests.rest.client import ask
from tests.rest.served import ServedTestCase

RANK = {"viewer": 0, "member": 1, "admin": 2}


class Operation(NamedTuple):
    """One operation of the document, at a path where nothing is."""

    method: str
    path: str
    role: str
    feature: str
    body: Any


def operations(document: dict[str, Any]) -> list[Operation]:
    """All operations; those that are held open for long are asked for what cannot be."""
    found = []
    for path, methods in document["paths"].items():
        for method, one in methods.items():
            filled = re.sub(r"\{(uid|n)\}", "7", path)
            filled = re.sub(r"\{[a-z_]+\}", "nope", filled)
            if "/wait" in path or path.endswith("/stream"):
                filled += "?colour=red"
            content = one.get("requestBody", {}).get("content", {}).get("application/json", {})
            found.append(Operation(
                method.upper(), filled, one.get("x-role", ""), one.get("x-feature", ""), content.get("example")))
    return found


class MatrixTests(ServedTestCase):
    """Every operation for every kind of caller."""

    def setUp(self) -> None:
        """Two organisations with a universe each."""
        super().setUp()
        roster = self.server.roster
        now(roster.create_org("rival"))
        self.rival = self.server.universe("other", org="rival")
        self.keys["other"] = now(roster.create_key("other", "admin", "other"))
        self.keys["root"] = now(roster.create_key("main", "admin", "root", administrator=True))
        self.operations = operations(ask(self.site, "GET", "/api/openapi.json").json())
        self.guarded = [one for one in self.operations if one.role]

    def refused(self, one: Operation, key: str, status: int, **headers: str) -> str:
        """The text with which a call is refused; it is always the one field of an object."""
        answer = ask(self.site, one.method, one.path, one.body, self.keys.get(key, key), headers)
        self.assertEqual(answer.status, status, (one.method, one.path, key, answer.body))
        return answer.error

    def test_size(self) -> None:
        """The document holds the whole API, and few calls are open."""
        self.assertGreater(len(self.guarded), 90)
        self.assertEqual({(one.method, one.path) for one in self.operations if not one.role}, {
            ("GET", "/livez"), ("GET", "/readyz"), ("GET", "/metrics"), ("POST", "/api/session"),
            ("GET", "/share/nope"), ("GET", "/share/nope.json")})

    def test_no_key_and_bad_keys(self) -> None:
        """401 without a key, and with one that is nobody's."""
        key = self.keys["admin"]
        for one in self.guarded:
            for bad in ("", "sm_nope_nope", key[:-1], key + "x", "smp_" + "x" * 43):
                self.assertIn("e", self.refused(one, bad, 401))

    def test_roles(self) -> None:
        """403 that names the caller's role, or no refusal of this kind."""
        for one in self.guarded:
            for role, rank in RANK.items():
                if rank < RANK[one.role]:
                    self.assertIn(role, self.refused(one, role, 403))
                elif "/admin/" not in one.path and "/session" not in one.path:
                    answer = ask(self.site, one.method, one.path, one.body, self.keys[role])
                    self.assertNotIn(answer.status, (401, 402, 403, 405, 429, 500, 503), (one, role, answer.body))

    def test_administration(self) -> None:
        """An admin who is no administrator of the server gets 403 from all of /api/admin."""
        for one in self.guarded:
            if "/admin/" in one.path:
                self.assertIn("admin", self.refused(one, "admin", 403))
                answer = ask(self.site, one.method, one.path, one.body, self.keys["root"])
                self.assertNotIn(answer.status, (401, 402, 403, 405, 429, 500, 503), (one, answer.body))

    def test_another_universe(self) -> None:
        """A key of another universe is refused with 403, in the header and in the query."""
        for one in self.guarded:
            self.refused(one, "other", 403, **{"X-Service-Universe": "main"})
            separator = "&" if "?" in one.path else "?"
            self.refused(one._replace(path=f"{one.path}{separator}universe=main"), "other", 403)

    def test_suspended(self) -> None:
        """A suspended organisation: 403 on every call, whatever the role; others go on."""
        now(self.server.roster.change_org("default", suspended=True))
        for one in self.guarded:
            self.assertIn("suspended", self.refused(one, "root", 403))
        self.assertEqual(ask(self.site, "GET", "/api/me", key=self.keys["other"]).status, 200)

    def test_without_feature(self) -> None:
        """402 naming plan and feature, where the document names one; before 404 and 400."""
        features = [one for one in self.guarded if one.feature]
        self.assertEqual({one.feature for one in features}, {"insights", "webhooks", "links", "chaos"})
        self.server.plans.update({"self-hosted": SELF_HOSTED, "bare": Plan("bare")})
        now(self.server.roster.change_org("default", plan="bare"))
        for one in features:
            self.assertEqual(self.refused(one, "root", 402), f"the plan bare does not include {one.feature}")
        for one in self.guarded:
            if not one.feature and one.method == "GET":
                answer = ask(self.site, one.method, one.path, key=self.keys["root"])
                self.assertNotEqual(answer.status, 402, one)

    def test_nothing_crosses(self) -> None:
        """Nothing of one universe is told to a key of another (S7)."""
        self.persona("secret@acme.test", name="Zebedee")
        self.write("secret@acme.test", "Marzipan", "Marzipan for Zebedee")
        self.good("POST", "/api/cases", {"title": "Marzipan"})
        self.good("PUT", "/api/accounts/secret@acme.test/signature", {"signature": "Marzipan"})
        for one in self.guarded:
            if one.method == "GET":
                for path in (one.path, one.path.replace("nope", "secret@acme.test", 1)):
                    answer = ask(self.site, "GET", path, key=self.keys["other"])
                    for word in (b"Marzipan", b"Zebedee"):
                        self.assertNotIn(word, answer.body, path)

    def test_demo(self) -> None:
        """Whoever names the demo may read as a viewer, and nothing else; without it there is none."""
        for one in self.guarded:
            self.refused(one, "", 401, **{"X-Service-Universe": "demo"})
        now(self.server.roster.create_org("demo"))
        self.server.universe("demo", org="demo")
        for one in self.guarded:
            answer = ask(self.site, one.method, one.path, one.body, headers={"X-Service-Universe": "demo"})
            if one.method != "GET":
                self.assertEqual(answer.status, 401, one)
            elif one.role != "viewer":
                self.assertEqual(answer.status, 403, one)
            else:
                self.assertNotIn(answer.status, (401, 403, 500), (one, answer.body))
