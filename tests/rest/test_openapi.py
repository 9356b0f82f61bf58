"""The table, the document made from it, and what is served: the same thing three times."""

from __future__ import annotations

import json
import re
import shlex
from typing import Any

import msgspec

from simmail.rest.openapi import document, statuses
from simmail.rest.route import Route
from simmail.rest.routes import HEADINGS, all_routes
from tests.docs.blocks import answers, top_level
from tests.rest.client import ask
from tests.rest.served import ServedTestCase

#: What this version has to serve: API contract and decisions, sections 2, 3, 7, 14 and 23.
PROMISED = """
GET /api/status; GET /api/me; GET /api/universes; GET /api/connection; GET /api/connection/cert; GET /api/fingerprint
GET /api/personas; POST /api/personas; GET /api/personas/{id}; PATCH /api/personas/{id}; PUT /api/personas/{id}
DELETE /api/personas/{id}; GET /api/personas/{id}/memory; POST /api/personas/{id}/memory
DELETE /api/personas/{id}/memory; POST /api/memory/by-external; GET /api/personas/{id}/relations
DELETE /api/personas/{id}/relations; GET /api/personas/{id}/sheet; GET /api/temperaments; GET /api/mailboxes
GET /api/mailboxes/{address}/folders
PUT /api/mailboxes/{address}/status; GET /api/mailboxes/{address}/messages; GET /api/mailboxes/{address}/threads
GET /api/mailboxes/{address}/messages/{folder}/{uid}; PATCH /api/mailboxes/{address}/messages/{folder}/{uid}
GET /api/mailboxes/{address}/messages/{folder}/{uid}/raw
GET /api/mailboxes/{address}/messages/{folder}/{uid}/attachments/{n}; POST /api/send; POST /api/inject
GET /api/clock; PUT /api/clock; POST /api/clock/advance; GET /api/jobs; GET /api/jobs/{id}; PATCH /api/jobs/{id}
DELETE /api/jobs/{id}; POST /api/jobs/{id}/run; GET /api/events; GET /api/events/{id}; GET /api/events/stream
GET /api/wait; GET /api/wait/none; GET /api/wait/reply; GET /api/pace; PUT /api/pace
DELETE /api/messages
GET /api/search; DELETE /api/mailboxes/{address}/messages; DELETE /api/mailboxes/{address}/messages/{folder}/{uid}
POST /api/personas/learn; POST /api/personas/{id}/preview; GET /api/accounts; POST /api/accounts
GET /api/accounts/{address}; PATCH /api/accounts/{address}; DELETE /api/accounts/{address}
POST /api/accounts/{address}/test; GET /api/accounts/{address}/signature; PUT /api/accounts/{address}/signature
GET /api/cases; POST /api/cases; GET /api/cases/{id}; PATCH /api/cases/{id}; DELETE /api/cases/{id}
GET /api/cases/{id}/threads; GET /api/cases/{id}/events; GET /api/ai; PUT /api/ai; GET /api/recipients
PUT /api/recipients; PATCH /api/recipients; GET /api/recipients/check; GET /api/links; PUT /api/links; PATCH /api/links
GET /api/retention; PUT /api/retention; POST /api/retention/prune
GET /api/world; PUT /api/world; GET /api/world/kinds; POST /api/world/streams/{id}/fire
GET /api/faults; PUT /api/faults; GET /api/faults/kinds; GET /api/faults/scenarios; POST /api/faults/scenarios/{id}
GET /api/plan; POST /api/session; DELETE /api/session; POST /api/session/pass; POST /api/extract
GET /api/admin/orgs; POST /api/admin/orgs; PATCH /api/admin/orgs/{id}; GET /api/admin/universes
POST /api/admin/universes; DELETE /api/admin/universes/{id}; GET /api/admin/keys; POST /api/admin/keys
DELETE /api/admin/keys/{prefix}; GET /api/admin/users; POST /api/admin/users; PATCH /api/admin/users/{email}
DELETE /api/admin/users/{email}; GET /api/admin/plans
GET /api/score; GET /api/score/expectations; PUT /api/score/expectations
GET /api/insights; GET /api/insights/shares; POST /api/insights/shares; DELETE /api/insights/shares/{token}
GET /share/{token}; GET /share/{token}.json
GET /docs; GET /livez; GET /readyz; GET /metrics; GET /api/openapi.json
"""


def filled(route: Route) -> str:
    """A path of the route at which there is nothing."""
    path = re.sub(r"\{(uid|n)\}", "7", route.path)
    return re.sub(r"\{[a-z_]+\}", "nope", path)


class TableTestCase(ServedTestCase):
    """Tests that call every route."""

    def there(self, route: Route, values: dict[str, str]) -> str:
        """A path of the route at which there is something."""
        if "/cases/" in route.path:
            case = self.good("POST", "/api/cases", {"external_id": "x", "title": "A case"})["case"]["id"]
            values = {**values, "id": case}
        elif "/scenarios/" in route.path:
            values = {**values, "id": "tarpit"}
        elif "/streams/" in route.path:
            self.good("PUT", "/api/world", {
                "company": {"inboxes": ["app@sim.test"]}, "streams": [{"id": "customers", "kind": "inquiry"}]})
            values = {**values, "id": "customers"}
        elif route.path.startswith("/api/snapshots/"):
            values = {**values, "id": self.good("POST", "/api/snapshots", {})["id"]}
        elif "/insights/shares/" in route.path or "/share/" in route.path:
            values = {**values, "token": self.good("POST", "/api/insights/shares", {"title": "News"})["token"]}
        elif "/inspect/addresses/" in route.path:
            values = {**values, "token": self.good("POST", "/api/inspect/addresses")["token"]}
        elif "/accounts/" in route.path and self.ask("GET", "/api/accounts/app@sim.test").status == 404:
            self.good("POST", "/api/accounts", {"address": "app@sim.test"})
        return re.sub(r"\{([a-z_]+)\}", lambda match: values[match[1]], route.path)


class TableTests(TableTestCase):
    """The table."""

    def test_promised(self) -> None:
        """Every call that is promised is in the table, and served."""
        endpoints = {route.endpoint for route in all_routes()}
        for promised in re.split(r"[;\n]", PROMISED.strip()):
            self.assertIn(promised.strip(), endpoints)

    def test_served(self) -> None:
        """Every route of the table answers under its path and method, never with 405 or no path."""
        for route in all_routes():
            if route.endpoint in ("GET /api/wait", "GET /api/wait/none", "GET /api/wait/reply"):
                continue
            answer = self.ask("HEAD" if route.path.endswith("/stream") else route.method, filled(route))
            self.assertNotEqual(answer.status, 405, route.endpoint)
            self.assertNotIn(b"no such path", answer.body, route.endpoint)
            self.assertNotEqual(answer.status, 500, route.endpoint)

    def test_least_roles(self) -> None:
        """
        As the contract's "Endpoints" has it: what changes logins, rules, retention and faults needs admin.

        A signature is named there beside them; trying a password and verifying a signature store nothing, and need
        member; a test of a webhook reaches out, and needs admin (decisions, section 23), as do restore, fork and delete
        of snapshots.
        """
        ruled = ("accounts", "webhooks", "retention", "links", "recipients", "faults", "world", "reset", "admin")
        own = ("DELETE /api/session", "POST /api/session/pass")
        for route in all_routes():
            if route.role is None or route.refuse is not None:
                # What speaks another protocol asks for the role of each thing it does.
                continue
            expected = "viewer" if route.method == "GET" or route.endpoint in own else "member"
            if route.path.split("/")[2] in ruled and expected == "member" and route.path not in (
                    "/api/accounts/{address}/test", "/api/webhooks/verify"):
                expected = "admin"
            if "/admin/" in route.path or "/snapshots/" in route.path:
                expected = "admin"
            self.assertEqual(route.role, expected, route.endpoint)

    def test_features(self) -> None:
        """The plan's features are asked where the contract says."""
        self.assertEqual({route.endpoint: route.feature for route in all_routes() if route.feature}, {
            "PUT /api/links": "links", "PATCH /api/links": "links", "POST /api/faults/scenarios/{id}": "chaos",
            "GET /api/insights": "insights", "GET /api/insights/shares": "insights",
            "POST /api/insights/shares": "insights", "DELETE /api/insights/shares/{token}": "insights",
            "PUT /api/webhooks": "webhooks", "POST /api/webhooks/test": "webhooks",
            "POST /api/webhooks/redeliver": "webhooks", "POST /mcp": "mcp"})

    def test_unknown_fields_and_parameters(self) -> None:
        """Whatever is not declared is refused by name."""
        made = self.persona()
        self.good("POST", "/api/inject", {"to": "app@sim.test", "from": "x@y.test"})
        values = {"id": made["id"], "address": "app@sim.test", "folder": "INBOX", "uid": "1", "n": "0"}
        for route in all_routes():
            if route.role is None or "/admin/" in route.path or "/jobs/{id}" in route.path \
                    or "/session" in route.path or route.refuse is not None:
                continue
            path = self.there(route, values)
            error = self.bad(400, route.method, path + "?colour=red")
            self.assertIn("colour: unknown parameter", error, route.endpoint)
            if isinstance(route.example, list):
                error = self.bad(400, route.method, path, [{"colour": "red", **route.example[0]}])
                self.assertEqual(error, "0.colour: unknown field", route.endpoint)
            elif route.body is not None:
                error = self.bad(400, route.method, path, {"colour": "red", **(route.example or {})})
                self.assertEqual(error, "colour: unknown field", route.endpoint)


class DocumentTests(TableTestCase):
    """The OpenAPI document."""

    def test_served(self) -> None:
        """It is open to everyone and says what the table says."""
        answer = ask(self.site, "GET", "/api/openapi.json")
        found = answer.json()
        self.assertEqual((answer.status, found["openapi"]), (200, "3.1.0"))
        shown = {(path, method) for path, methods in found["paths"].items() for method in methods}
        self.assertEqual(shown, {(route.path, route.method.lower()) for route in all_routes() if not route.hidden})

    def test_references(self) -> None:
        """Every reference leads somewhere, and every schema is referred to."""
        found = document(all_routes())
        text = json.dumps(found)
        names = set(re.findall(r"#/components/schemas/([A-Za-z_]+)", text))
        self.assertEqual(names, set(found["components"]["schemas"]))

    def test_operations(self) -> None:
        """Ids differ; each has a summary, a heading, its path's names, its role; no markup is left in any text."""
        found = document(all_routes())
        ids = [one["operationId"] for methods in found["paths"].values() for one in methods.values()]
        self.assertEqual(len(ids), len(set(ids)))
        for markup in ("C{", "L{", "@ivar", "simmail.core."):
            self.assertNotIn(markup, json.dumps(found))
        for path, methods in found["paths"].items():
            for method, one in methods.items():
                self.assertTrue(one["summary"] and one["tags"], path)
                self.assertEqual([p["name"] for p in one["parameters"] if p["in"] == "path"],
                                 re.findall(r"\{([a-z_]+)\}", path))
                self.assertTrue(one.get("x-role") or one["security"] == [], path)
                self.assertIn("200", one["responses"])
                if method != "get" and "requestBody" in one:
                    self.assertIn("example", one["requestBody"]["content"]["application/json"], path)

    def test_examples_are_true(self) -> None:
        """Each example of a body or an answer is what the declared type takes."""
        for route in all_routes():
            if route.example is not None and route.body is not None:
                msgspec.convert(route.example, route.body_shown or route.body)
            if route.answer is not None:
                several = isinstance(route.answer, tuple)
                kinds, examples = (route.answer, route.answer_example) if several else (
                    (route.answer,), (route.answer_example,))
                for kind, example in zip(kinds, examples, strict=True):
                    self.assertIsNotNone(example, route.endpoint)
                    # Each field that there always is, and none that there is not.
                    self.check(msgspec.convert(example, kind), example, route.endpoint)

    def test_examples_as_shown(self) -> None:
        """Examples have the fields shown, and checked, on the newcomer's page, where each heading has a call."""
        fits: dict[str, bool] = {}
        headings = set()
        for line, shown in answers():
            words = shlex.split(line.partition("|")[0])
            method = words[words.index("-X") + 1] if "-X" in words else "POST" if "-d" in words else "GET"
            url = next(one for one in words if one.startswith("$BASE")).removeprefix("$BASE").partition("?")[0]
            (route,) = (one for one in all_routes() if one.method == method and re.fullmatch(
                re.sub(r"\{\w+\}", "[^/]+", one.path), url))
            found = route.answer_example if isinstance(route.answer_example, tuple) else (route.answer_example,)
            # A call may be there twice, once with what is not always answered.
            fits[route.endpoint] = fits.get(route.endpoint, False) or any(
                top_level(shown) <= set(one[0] if isinstance(one, list) else one) for one in found)
            headings.add(route.heading)
        self.assertEqual([endpoint for endpoint, fit in fits.items() if not fit], [])
        self.assertEqual(headings, {route.heading for route in all_routes() if route.heading})

    def test_example_bodies_are_taken(self) -> None:
        """The example of each call is never refused as malformed."""
        made = self.persona("someone@acme.test", external_ids={"crm": "4711"})
        self.good("POST", "/api/inject", {"to": "app@sim.test", "from": "x@y.test"})
        values = {"id": made["id"], "address": "app@sim.test", "folder": "INBOX", "uid": "1"}
        for route in all_routes():
            if route.body is None or "/admin/" in route.path or "/jobs/" in route.path or "/session" in route.path:
                continue
            if route.endpoint == "POST /api/personas/learn":
                self.good("POST", "/api/inject", {"to": "joe@shop.test", "from": "x@y.test", "text": "Hello"})
            self.good(route.method, self.there(route, values), self.example(route, made["id"]))

    def example(self, route: Route, persona: str) -> Any:
        """The example of a route's body, with a persona that is there."""
        text = json.dumps(route.example).replace("p_7k2m9x4w1c8v", persona)
        if route.endpoint == "POST /api/accounts/{address}/test":
            self.good("PATCH", "/api/accounts/app@sim.test", {"password": "correct horse"})
        return json.loads(text)

    def test_answers_are_declared(self) -> None:
        """What calls answer is what the document says they answer."""
        self.persona(external_ids={"crm": "4711"})
        self.write()
        self.good("POST", "/api/clock/advance", {"by": "2d"})
        self.write(subject="Again")
        persona = self.good("GET", "/api/personas")[0]["id"]
        values = {"id": persona, "address": "app@sim.test", "folder": "Sent", "uid": "1", "n": "0"}
        checked = 0
        for route in all_routes():
            if route.method != "GET" or route.answer is None or route.role == "admin":
                continue
            path = self.there(route, values)
            if route.path == "/api/search":
                path = "/api/search?q=lunch"
            elif route.path == "/api/recipients/check":
                path += f"?{route.query_example}"
            elif route.path == "/api/inspect":
                path = "/api/inspect?address=app@sim.test&folder=Sent&uid=1"
            if "/jobs/{id}" in route.path:
                path = "/api/jobs/" + self.good("GET", "/api/jobs")[0]["id"]
            elif "/events/{id}" in route.path:
                path = "/api/events/1"
            elif "/wait" in route.path:
                path = {"/api/wait": "/api/wait?to=app@sim.test&since=0",
                        "/api/wait/none": "/api/wait/none?to=app@sim.test&timeout=0s&existing=0",
                        "/api/wait/reply": "/api/wait/reply?persona=maria@acme.test&since=0"}[route.path]
            value = self.good("GET", path)
            kinds = route.answer if isinstance(route.answer, tuple) else (route.answer,)
            self.check(msgspec.convert(value, kinds[0]), value, route.endpoint)
            checked += 1
        self.assertGreater(checked, 20)

    def check(self, typed: Any, value: Any, where: str) -> None:
        """Nothing was answered beyond what is declared."""
        again = json.loads(msgspec.json.encode(typed))
        self.assertEqual(again, json.loads(json.dumps(value)), where)

    def test_statuses(self) -> None:
        """Each route tells the refusals it can give."""
        for route in all_routes():
            found = statuses(route)
            self.assertEqual(404 in found, bool(route.names) or 404 in route.statuses)
            self.assertEqual(401 in found, route.role is not None or route.endpoint == "POST /api/session")

    def test_headings(self) -> None:
        """Every heading has routes, each with a call of its own name."""
        for module in HEADINGS:
            self.assertTrue(module.ROUTES, module.__name__)
