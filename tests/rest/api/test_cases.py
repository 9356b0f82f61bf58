"""Cases over HTTP."""

from __future__ import annotations

from typing import Any

from simmail.testing.universe import turned
from tests.rest.served import ServedTestCase

CASE: dict[str, Any] = {"external_id": "crm-77", "title": "Invoice INV-2041", "keys": ["INV-2041"],
                        "facts": {"amount": "1,200 EUR"}}


class CasesTests(ServedTestCase):
    """What threads of mail are about."""

    def push(self, **fields: Any) -> dict[str, Any]:
        answer: dict[str, Any] = self.good("POST", "/api/cases", {**CASE, **fields}, role="member")
        return answer

    def test_pushed(self) -> None:
        """The same external id is the same case: what is said anew changes, what is left out stays."""
        first = self.push()
        self.assertTrue(first["new"])
        again = self.good("POST", "/api/cases", {"external_id": "crm-77", "facts": {"amount": "900 EUR"}})
        self.assertEqual((again["new"], again["changed"], again["case"]["id"]), (False, ["facts"], first["case"]["id"]))
        self.assertEqual(again["case"]["title"], "Invoice INV-2041")
        self.assertEqual(self.good("GET", "/api/cases"), [again["case"]])
        # What holds nothing is empty, not missing.
        self.assertEqual((again["case"]["notes"], again["case"]["secrets"]), ([], {}))

    def test_changed(self) -> None:
        """A PATCH is for the case the path names, whatever else it says."""
        case = self.push()["case"]
        path = f"/api/cases/{case['id']}"
        changed = self.good("PATCH", path, {"status": "closed"})
        self.assertEqual((changed["changed"], changed["new"], changed["case"]["facts"]),
                         (["status"], False, case["facts"]))
        self.assertIn("status", self.bad(400, "PATCH", path, {"status": "lost"}))
        self.bad(404, "PATCH", "/api/cases/c_none", {"status": "open"})
        self.bad(403, "PATCH", path, {"status": "open"}, role="viewer")

    def test_listed(self) -> None:
        """By id, of one status, so many at most."""
        ids = sorted(self.push(external_id=f"crm-{n}", status="closed" if n == 1 else "open")["case"]["id"]
                     for n in range(3))
        self.assertEqual([one["id"] for one in self.good("GET", "/api/cases")], ids)
        self.assertEqual(len(self.good("GET", "/api/cases?status=open")), 2)
        self.assertEqual([one["id"] for one in self.good("GET", "/api/cases?limit=1")], ids[:1])
        self.bad(400, "GET", "/api/cases?status=lost")

    def test_deleted(self) -> None:
        """It is gone, its people are not."""
        case = self.push(people=[{"addresses": ["maria@acme.test"], "name": "Maria Keller"}])["case"]
        path = f"/api/cases/{case['id']}"
        self.assertEqual(self.good("DELETE", path), {"status": "deleted"})
        for again in (path, path + "/threads", path + "/events"):
            self.bad(404, "GET", again)
        self.bad(404, "DELETE", path)
        self.assertEqual([one["name"] for one in self.good("GET", "/api/personas")], ["Maria Keller"])

    def test_threads_and_events(self) -> None:
        """What a persona links to a case is found there, and so is what happened to it."""
        self.persona()
        case = self.push(people=[{"address": "maria@acme.test"}])["case"]
        self.write(subject="Invoice INV-2041", text="Dear Maria,\n\nwhen will you pay INV-2041?\n")
        self.persona("tom@acme.test", name="Tom Becker")
        self.write("tom@acme.test")
        turned(self.universe, self.universe.scheduler.advance(until="idle"))
        path = f"/api/cases/{case['id']}"
        (thread,) = self.good("GET", path + "/threads")
        self.assertEqual(thread["subject"], "Invoice INV-2041")
        self.assertGreaterEqual(len(thread["messages"]), 2)
        self.assertEqual(self.good("GET", path + "/threads?limit=1"), [thread])
        events = self.good("GET", path + "/events")
        self.assertEqual({one["data"].get("case_id") or one["data"]["id"] for one in events}, {case["id"]})
        self.assertEqual([one["id"] for one in events], sorted((one["id"] for one in events), reverse=True))
        (first,) = self.good("GET", path + "/events?after=0&limit=1")
        self.assertEqual((first["type"], first["data"]["new"]), ("case.updated", True))
        self.assertEqual(self.good("GET", path + "/events?type=persona.ignored"), [])
        self.bad(400, "GET", path + "/events?type=nothing")
