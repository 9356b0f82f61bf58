"""The contract's table of errors, one case a row, with its message."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace
from twisted.internet.task import Clock

from simmail.config import Config, Http
from simmail.core.rules.quota_plan import Allowances, Plan, SELF_HOSTED
from simmail.rest.site import api_site
from simmail.testing.universe import now
from tests.rest.client import Answer, ask
from tests.rest.served import ServedTestCase

SEND = {"from": "app@sim.test", "to": ["maria@acme.test"], "subject": "Hi", "text": "Hello?"}


class ErrorTests(ServedTestCase):
    """Each row: what is asked, the status, the text."""

    def setUp(self) -> None:
        """Plans that lack what is asked for."""
        super().setUp()
        self.server.plans.update({
            "self-hosted": SELF_HOSTED, "bare": Plan("bare"),
            "small": Plan("small", (), Allowances(
                people=1, logins=1, mail_per_month=1, learned_per_month=0, retention_days=30, universes=1))})

    def plan(self, name: str) -> None:
        """Put the organisation on a plan."""
        now(self.server.roster.change_org("default", plan=name))

    def row(self, status: int, text: str, method: str, path: str, body: Any = None, role: str = "admin",
            **headers: str) -> Answer:
        """One row."""
        answer = self.ask(method, path, body, role, **headers)
        self.assertEqual((answer.status, answer.error), (status, text))
        return answer

    def test_400(self) -> None:
        """Malformed JSON, a missing field, an invalid value."""
        answer = self.ask("POST", "/api/send", b"{")
        self.assertEqual(answer.status, 400)
        self.assertIn("the body is not valid JSON", answer.error)
        self.row(400, "from: is required", "POST", "/api/send", {"to": ["a@b.test"]})
        self.row(400, "mode: must be one of off, on", "PUT", "/api/ai", {"mode": "maybe"})
        self.row(400, "mode: on needs a writer: ai.base_url is not configured", "PUT", "/api/ai", {"mode": "on"})
        self.row(400, "mail_days: must be at least 0", "PUT", "/api/retention", {"mail_days": -1})
        self.row(400, "allow_private: cannot be switched on; the operator's links.lab_hosts lists test sites",
                 "PUT", "/api/links", {"allow_private": True})
        self.row(400, "0.stage: throttle may stand at data, body", "PUT", "/api/faults",
                 [{"kind": "throttle", "stage": "rcpt", "bytes_per_second": 10}])
        self.row(400, "default.bad_rate: must be from 0 to 1", "PUT", "/api/recipients", {"default": {"bad_rate": 2}})
        self.row(400, "status: must be one of open, waiting, closed", "POST", "/api/cases", {"status": "lost"})
        self.row(400, "q: larger: needs a size such as 20000, 20k or 5M", "GET", "/api/search?q=larger:much")

    def test_400_allowances(self) -> None:
        """A numeric limit of the plan, with a message that names it."""
        self.persona()
        self.good("POST", "/api/accounts", {"address": "app@sim.test", "password": "correct horse"})
        self.good("POST", "/api/inject", {"to": "joe@shop.test", "from": "x@y.test", "text": "Hello"})
        self.plan("small")
        self.row(400, "the plan small allows 1 people", "POST", "/api/personas", {"addresses": ["b@acme.test"]})
        case = {"id": "c_1", "title": "Lease", "people": [{"addresses": ["b@acme.test"], "name": "B"}]}
        self.row(400, "the plan small allows 1 people", "POST", "/api/cases", case)
        self.assertEqual(self.good("GET", "/api/cases"), [])
        self.good("POST", "/api/cases", {**case, "people": []})
        self.row(400, "the plan small allows 1 people", "PATCH", "/api/cases/c_1", {"people": case["people"]})
        self.assertEqual(len(self.good("GET", "/api/personas")), 1)
        self.row(400, "the plan small allows 1 logins", "POST", "/api/accounts", {"address": "c@sim.test"})
        self.server.plans["small"] = replace(
            self.server.plans["small"], limits=Allowances(learned_per_month=0))
        self.row(400, "the plan small allows 0 personas learned from mail", "POST", "/api/personas/learn",
                 {"address": "joe@shop.test"})

    def test_400_login_creation(self) -> None:
        """All refusals of a login's creation."""
        self.good("POST", "/api/accounts", {"address": "app@sim.test", "username": "billing", "password": "secret one"})
        self.row(400, "address: is not an email address", "POST", "/api/accounts", {"address": "app"})
        self.row(400, "username: billing is already used by the login app@sim.test", "POST", "/api/accounts",
                 {"address": "b@sim.test", "username": "billing"})
        self.server.universe("second")
        second = now(self.server.roster.create_key("second", "admin", "second"))
        self.row(400, "username: the login name billing is already in use in the universe main", "POST",
                 "/api/accounts", {"address": "c@sim.test", "username": "billing"}, second)
        now(self.server.roster.create_org("rival"))
        self.server.universe("third", org="rival")
        third = now(self.server.roster.create_key("third", "admin", "third"))
        self.row(400, "password: choose another password for billing", "POST", "/api/accounts",
                 {"address": "d@sim.test", "username": "billing", "password": "secret one"}, third)
        self.assertEqual(self.ask("POST", "/api/accounts", {
            "address": "d@sim.test", "username": "billing", "password": "secret two"}, third).status, 200)

    def test_401(self) -> None:
        """No key, or an invalid one."""
        answer = ask(self.site, "GET", "/api/status")
        self.assertEqual((answer.status, answer.error),
                         (401, "an API key is needed: Authorization: Bearer <key>"))
        self.row(401, "the API key is not valid", "GET", "/api/status", role="sm_nope_nope")

    def test_402(self) -> None:
        """The plan lacks the feature."""
        self.plan("bare")
        self.row(402, "the plan bare does not include links", "PUT", "/api/links", {})
        self.row(402, "the plan bare does not include chaos", "POST", "/api/faults/scenarios/tarpit")
        for rule in ({"kind": "greylist", "stage": "rcpt"}, {"kind": "drop", "stage": "data"},
                     {"kind": "rate_limit", "stage": "mail", "limit": 1, "interval": "1s"},
                     {"kind": "reject", "stage": "rcpt", "window": {"days": "mon-fri"}}):
            self.row(402, "the plan bare does not include chaos", "PUT", "/api/faults", [rule])
            self.good("PUT", "/api/faults", [{**rule, "enabled": False, "window": None}])
        self.good("PUT", "/api/faults", [{"kind": "reject", "stage": "rcpt"}])

    def test_403(self) -> None:
        """The role too low, another universe, a suspended organisation, for administrators only."""
        self.row(403, "your role is viewer; this call needs member", "POST", "/api/send", SEND, "viewer")
        self.row(403, "your role is member; this call needs admin", "PUT", "/api/recipients", {}, "member")
        self.row(403, "the key belongs to another universe", "GET", "/api/status", **{"X-Service-Universe": "other"})
        self.row(403, "your role is admin; this call is reserved for the server's administrators", "GET",
                 "/api/admin/orgs")
        now(self.server.roster.change_org("default", suspended=True))
        self.row(403, "the organization is suspended", "GET", "/api/status")

    def test_404(self) -> None:
        """No such mailbox, message, persona, case, job, scenario."""
        self.persona()
        self.row(404, "no mailbox nobody@x.test", "GET", "/api/mailboxes/nobody@x.test/folders")
        self.row(404, "no message 7 in INBOX of maria@acme.test", "GET",
                 "/api/mailboxes/maria@acme.test/messages/INBOX/7")
        self.row(404, "no persona p_nope", "GET", "/api/personas/p_nope")
        self.row(404, "no case c_nope", "GET", "/api/cases/c_nope")
        self.row(404, "no job j_nope", "GET", "/api/jobs/j_nope")
        self.row(404, "no fault scenario nope", "POST", "/api/faults/scenarios/nope")
        self.row(404, "no login nobody@x.test", "GET", "/api/accounts/nobody@x.test")
        self.row(404, "there is no such path", "GET", "/api/nope")

    def test_405(self) -> None:
        """Wrong method, with the right ones."""
        answer = self.row(405, "PUT is not allowed here, only DELETE, POST", "PUT", "/api/session")
        self.assertEqual(answer.headers["allow"], "DELETE, POST")

    def test_408(self) -> None:
        """A wait that times out says what was awaited."""
        answer = self.ask("GET", "/api/wait?to=app@sim.test&timeout=0s")
        self.assertEqual(answer.status, 408)
        self.assertIn("waited for", answer.error)

    def test_409(self) -> None:
        """A persona that decided not to reply; one from a YAML file."""
        self.persona("quiet@acme.test", paused=True)
        message_id = self.write("quiet@acme.test")
        answer = self.ask("GET", "/api/wait/reply?timeout=0s&in_reply_to=" + message_id.replace("<", "%3C").replace(
            ">", "%3E"))
        self.assertEqual(answer.status, 409)
        self.assertIn("paused", answer.error)
        now(self.universe.people.configured([{"addresses": ["config@acme.test"], "name": "Config"}]))
        persona = self.universe.people.at("config@acme.test")
        assert persona is not None
        text = f"persona {persona.id} comes from a YAML file and cannot be edited"
        self.row(409, text, "PATCH", f"/api/personas/{persona.id}", {"name": "X"})
        self.row(409, text, "PUT", "/api/accounts/config@acme.test/signature", {"signature": "X"})
        self.row(409, f"persona {persona.id} comes from a YAML file and cannot be deleted", "DELETE",
                 f"/api/personas/{persona.id}")

    def test_413(self) -> None:
        """A body over the limit."""
        answer = self.ask("POST", "/api/extract", b'{"text": "' + b"x" * 1_100_000 + b'"}')
        self.assertEqual((answer.status, answer.error), (413, "the body is over the limit of 1048576 octets"))

    def test_429(self) -> None:
        """Too many requests; too many sign-ins."""
        site = api_site(Config(http=Http(rate=1, burst=1)), self.server.roster, Clock())
        self.assertEqual(ask(site, "GET", "/api/me", key=self.keys["admin"]).status, 200)
        answer = ask(site, "GET", "/api/me", key=self.keys["admin"])
        self.assertEqual((answer.status, answer.error, answer.headers["retry-after"]),
                         (429, "too many requests; try again later", "1"))
        for _ in range(10):
            answer = ask(self.site, "POST", "/api/session", {"email": "a@b.test", "password": "x"})
            self.assertEqual((answer.status, answer.error), (401, "wrong e-mail or password"))
        answer = ask(self.site, "POST", "/api/session", {"email": "a@b.test", "password": "x"})
        self.assertEqual((answer.status, answer.error), (429, "too many sign-ins; try again later"))
        self.assertTrue(0 < int(answer.headers["retry-after"]) <= 60)

    def test_500(self) -> None:
        """Sending past the plan's mail for the month, with the plan's message; the next month it goes on."""
        self.plan("small")
        self.good("POST", "/api/send", SEND)
        self.row(500, "the plan small allows 1 messages a month", "POST", "/api/send", SEND)
        self.server.reactor.advance(31 * 86400)
        self.good("POST", "/api/send", SEND)

    def test_503(self) -> None:
        """Redis away."""
        self.server.database.healthy = False
        answer = self.row(503, "Redis is away; try again later", "GET", "/api/status")
        self.assertEqual(answer.headers["retry-after"], "2")
        self.server.database.healthy = True
        self.good("GET", "/api/status")
