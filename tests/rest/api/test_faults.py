"""Fault rules over HTTP."""

from __future__ import annotations

from typing import Any

from simmail.core.rules.fault_library import SCENARIOS
from simmail.core.rules.fault_rule import PAIRS
from simmail.core.rules.faults import FaultEvent
from simmail.core.rules.quota_plan import Plan
from tests.rest.served import ServedTestCase

RULE: dict[str, Any] = {"name": "busy", "kind": "defer", "stage": "rcpt", "match": "@acme.test", "first": 2}


class FaultsTests(ServedTestCase):
    """What goes wrong on purpose."""

    def hit(self) -> None:
        """One recipient that the rule is about."""
        self.universe.faults.judge(FaultEvent("rcpt", "192.0.2.1", "app@sim.test", "a@acme.test"))
        self.server.reactor.advance(0)

    def test_replaced(self) -> None:
        """Rules are shown as they were given, in order, with how often they fired; a PUT replaces all of them."""
        found = self.good("PUT", "/api/faults", [RULE, {"kind": "drop", "stage": "data", "enabled": False}])
        self.assertEqual([(one["kind"], one["hits"]) for one in found], [("defer", 0), ("drop", 0)])
        self.hit()
        found = self.good("GET", "/api/faults", role="viewer")
        self.assertEqual((found[0]["hits"], found[0]["match"], found[1]["enabled"]), (1, "@acme.test", False))
        self.assertEqual(self.good("PUT", "/api/faults", [])[:], [])
        self.assertEqual(self.good("GET", "/api/faults"), [])

    def test_goes_on_counting(self) -> None:
        """What comes back as it was read, with its hits, goes on counting; written anew it begins anew."""
        self.good("PUT", "/api/faults", [RULE])
        self.hit()
        read = self.good("GET", "/api/faults")
        self.assertEqual(self.good("PUT", "/api/faults", read)[0]["hits"], 1)
        self.assertEqual(self.good("PUT", "/api/faults", [RULE])[0]["hits"], 0)

    def test_refused(self) -> None:
        """A bad rule is named by its place and field, and nothing has changed."""
        self.good("PUT", "/api/faults", [RULE])
        for bad, field in (({"kind": "defer"}, "1.stage"), ({"kind": "throttle", "stage": "connect"}, "1."),
                           ({**RULE, "rate": 2}, "1.rate"), ({**RULE, "what": 1}, "1.what"),
                           ({**RULE, "code": 250}, "1.code")):
            self.assertIn(field, self.bad(400, "PUT", "/api/faults", [RULE, bad]), bad)
        self.assertEqual([one["name"] for one in self.good("GET", "/api/faults")], ["busy"])
        self.bad(403, "PUT", "/api/faults", [], role="member")

    def test_kinds(self) -> None:
        """Every pair of kind and stage that is told of is taken, and no other."""
        told = {one["kind"]: one["stages"] for one in self.good("GET", "/api/faults/kinds")}
        self.assertEqual(told, {kind: list(stages) for kind, stages in PAIRS.items()})
        stages = sorted({stage for some in told.values() for stage in some})
        for kind in ("drop", "duplicate"):
            for stage in stages:
                answer = self.ask("PUT", "/api/faults", [{"kind": kind, "stage": stage}])
                self.assertEqual(answer.status == 200, stage in told[kind], (kind, stage, answer.body))

    def test_scenarios(self) -> None:
        """Each of the library can be added behind what is there, with another match."""
        listed = self.good("GET", "/api/faults/scenarios")
        self.assertEqual([one["id"] for one in listed], list(SCENARIOS))
        self.good("PUT", "/api/faults", [RULE])
        for one in listed:
            found = self.good("POST", f"/api/faults/scenarios/{one['id']}", {"match": "@x.test"})
            self.assertEqual((found[-1]["scenario"], found[-1]["match"], found[-1]["enabled"]),
                             (one["id"], "@x.test", True))
        self.assertEqual(len(found), len(listed) + 1)
        self.assertIn("no fault scenario nope", self.bad(404, "POST", "/api/faults/scenarios/nope", {}))
        self.assertIn("window", self.bad(400, "POST", f"/api/faults/scenarios/{listed[0]['id']}", {"window": 7}))

    def test_plan(self) -> None:
        """The library takes the feature chaos."""
        self.server.plans["self-hosted"] = Plan("small")
        self.bad(402, "POST", f"/api/faults/scenarios/{next(iter(SCENARIOS))}", {})
        self.good("PUT", "/api/faults", [{"kind": "reject", "stage": "rcpt"}])
