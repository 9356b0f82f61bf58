"""The rulings of the decisions, section 23, that HTTP can show; each test names its ruling."""

from __future__ import annotations

from typing import Any

from simmail.core.rules.quota_plan import Allowances, Plan, SELF_HOSTED
from simmail.testing.universe import now
from tests.rest.client import ask
from tests.rest.served import ServedTestCase

MARIA = "maria@acme.test"


class RulingTests(ServedTestCase):
    """Section 23, paragraph by paragraph."""

    def status(self, method: str, path: str, body: Any = None, role: str = "admin") -> int:
        """The status of an answer."""
        return self.ask(method, path, body, role).status

    def test_addresses(self) -> None:
        """Addresses: lower case; +tag differs; one in use is 400, as is a used (system, id)."""
        made = self.persona("Maria@Acme.test", external_ids={"crm": "1"})
        self.assertEqual(made["addresses"], [MARIA])
        self.assertIn("belongs to persona", self.bad(400, "POST", "/api/personas", {"addresses": ["MARIA@acme.test"]}))
        self.persona("maria+x@acme.test")
        self.assertIn("crm 1", self.bad(400, "POST", "/api/personas", {
            "addresses": ["b@acme.test"], "external_ids": {"crm": "1"}}))

    def test_international_addresses(self) -> None:
        """Addresses: a domain in A-labels is the same as in U-labels, in bodies, paths and queries."""
        u_label, a_label = "m\u00fcnchen.test", "xn--mnchen-3ya.test"
        self.assertEqual(self.persona(f"maria@{a_label}")["addresses"], [f"maria@{u_label}"])
        self.good("POST", "/api/accounts", {"address": f"app@{u_label}", "password": "secret123"})
        self.assertEqual(self.good("GET", f"/api/accounts/app@{a_label}")["address"], f"app@{u_label}")
        self.good("PUT", f"/api/mailboxes/maria@{a_label}/status", {"status": "full"})
        self.assertEqual(self.good("GET", "/api/recipients")["status"], {f"maria@{u_label}": "full"})
        self.good("POST", "/api/send", {"from": f"app@{a_label}", "to": [f"x@{u_label}"], "subject": "s", "text": "t"})
        (sent,) = self.good("GET", f"/api/mailboxes/app@{a_label}/messages?folder=Sent")
        self.assertEqual((sent["from"], sent["to"]), (f"app@{u_label}", [f"x@{u_label}"]))

    def test_personas(self) -> None:
        """Personas: name defaults to the local part; memory reads as lists by case; config DELETE is 409."""
        made = self.good("POST", "/api/personas", {"addresses": ["joe.doe@acme.test"]})
        self.assertEqual((made["name"], made["style"]["links"], made["style"]["filter"], made["provider"]),
                         ("joe.doe", "usual", "normal", "api"))
        self.assertNotIn("hours", made.get("timing", {}))
        path = f"/api/personas/{made['id']}/memory"
        self.good("POST", path, {"text": "likes tea", "source": "crm"})
        self.good("POST", path, {"text": "is late", "case_id": "c_1"})
        self.assertEqual(self.good("GET", path), {"": ["(crm) likes tea"], "c_1": ["is late"]})
        self.good("DELETE", path + "?case_id=c_1")
        self.assertEqual(self.good("GET", path), {"": ["(crm) likes tea"]})

    def test_relations(self) -> None:
        """Personas: a relation is {address, name, persona_id, warmth, trust, patience, last_contact, open_promises}."""
        made = self.persona()
        self.write()
        found = self.good("GET", f"/api/personas/{made['id']}/relations")
        (relation,) = found["relations"]
        self.assertEqual(set(relation), {"address", "name", "persona_id", "warmth", "trust", "patience",
                                         "last_contact", "open_promises"})
        for stance in found["stances"]:
            self.assertEqual(set(stance), {"address", "case_id", "text"})
        self.good("DELETE", f"/api/personas/{made['id']}/relations?address=APP@sim.test")
        self.assertEqual(self.good("GET", f"/api/personas/{made['id']}/relations")["relations"], [])

    def test_recipients_default(self) -> None:
        """Recipients: the default rule; PUT replaces the document whole."""
        self.assertEqual(self.good("GET", "/api/recipients"), {
            "default": {"create": True, "bad_rate": 0.0, "bad_kinds": [], "fail_at": "dsn", "stranger": "off",
                        "silent": False}, "domains": {}, "status": {}, "seed": ""})
        self.good("PUT", "/api/recipients", {"seed": "x", "domains": {"ACME.test": {"create": False}}})
        self.good("PUT", "/api/recipients", {"default": {"silent": True}})
        found = self.good("GET", "/api/recipients")
        self.assertEqual((found["seed"], found["domains"], found["default"]["silent"]), ("", {}, True))

    def test_recipients_one_map(self) -> None:
        """Recipients: mailbox status and the rules' status are one map; PUT replaces it whole."""
        self.persona()
        self.good("PUT", f"/api/mailboxes/{MARIA}/status", {"status": "full"})
        self.assertEqual(self.good("GET", "/api/recipients")["status"], {MARIA: "full"})
        self.good("PUT", "/api/recipients", {"status": {"old@acme.test": "disabled"}})
        self.assertEqual(self.universe.policy.status(MARIA), "ok")
        self.good("PUT", f"/api/mailboxes/{MARIA}/status", {"status": "blocked"})
        self.good("PUT", f"/api/mailboxes/{MARIA}/status", {"status": "ok"})
        self.assertEqual(self.good("GET", "/api/recipients")["status"], {"old@acme.test": "disabled"})

    def test_send_answers_200(self) -> None:
        """Recipients: send answers 200 and returns failures as DSNs."""
        self.good("PUT", "/api/recipients", {"default": {"create": False, "fail_at": "rcpt"}})
        self.write("nobody@acme.test")
        self.good("POST", "/api/clock/advance", {"by": "1h"})
        (bounced,) = self.good("GET", "/api/events?type=persona.bounced")
        self.assertEqual((bounced["data"]["address"], bounced["data"]["kind"]), ("nobody@acme.test", "unknown"))
        self.assertIsNone(bounced["data"].get("persona_id"))
        (notice,) = self.good("GET", "/api/mailboxes/app@sim.test/messages")
        self.assertIn("MAILER-DAEMON", notice["from"].upper())

    def test_mail_without_events(self) -> None:
        """Mail: inject, move and delete cause no events and no reactions."""
        self.persona()
        last = self.universe.log.last
        uid = self.good("POST", "/api/inject", {"to": MARIA, "from": "x@y.test", "text": "Hello?"})["uid"]
        self.good("PATCH", f"/api/mailboxes/{MARIA}/messages/INBOX/{uid}", {"seen": True, "move_to": "Archive"})
        self.good("DELETE", f"/api/mailboxes/{MARIA}/messages?folder=Archive")
        self.assertEqual((self.universe.log.last, self.good("GET", "/api/jobs?state=pending")), (last, []))

    def test_signature(self) -> None:
        """Mail: a signature is never inserted by send; for a persona's address it is style.signature."""
        self.good("PUT", "/api/accounts/app@sim.test/signature", {"signature": "The Shop"})
        made = self.persona(style={"signature": "Maria", "client": "gmail"})
        self.assertEqual(self.good("GET", f"/api/accounts/{MARIA}/signature"), {"signature": "Maria"})
        self.good("PUT", f"/api/accounts/{MARIA}/signature", {"signature": "M. K."})
        style = self.good("GET", f"/api/personas/{made['id']}")["style"]
        self.assertEqual((style["signature"], style["client"]), ("M. K.", "gmail"))
        self.write()
        self.assertNotIn("The Shop", self.good("GET", f"/api/mailboxes/{MARIA}/messages")[0]["text"])

    def test_settings_events(self) -> None:
        """Settings without an event type record settings.updated {name}, logins account.updated {address, change}."""
        self.good("PUT", "/api/links", {})
        self.good("PUT", "/api/retention", {"mail_days": 3})
        self.good("POST", "/api/accounts", {"address": "app@sim.test"})
        self.good("PATCH", "/api/accounts/app@sim.test", {"note": "x"})
        self.good("DELETE", "/api/accounts/app@sim.test")
        self.assertEqual([one["data"]["name"] for one in self.good("GET", "/api/events?type=settings.updated&after=0")],
                         ["links", "retention"])
        self.assertEqual([one["data"] for one in self.good("GET", "/api/events?type=account.updated&after=0")],
                         [{"address": "app@sim.test", "change": one} for one in ("created", "updated", "deleted")])

    def test_logins(self) -> None:
        """Logins: messages counts all folders; without password none; DELETE hides it, POST brings it back."""
        self.write()
        self.good("POST", "/api/inject", {"to": "app@sim.test", "from": "x@y.test"})
        made = self.good("POST", "/api/accounts", {"address": "App@sim.test", "password": "secret one"})
        self.assertEqual((made["address"], made["messages"], made["can_login"]), ("app@sim.test", 2, True))
        self.assertNotIn("password", made)
        test = "/api/accounts/app@sim.test/test"
        good, bad = {"ok": True, "address": "app@sim.test"}, {"ok": False, "address": ""}
        self.assertEqual(self.good("POST", test, {"password": "secret one"}), {"smtp": good, "imap": good})
        self.assertEqual(self.good("POST", test, {"password": "secret one", "proto": "imap"}),
                         {"smtp": bad, "imap": good})
        self.assertEqual(self.good("POST", test, {"password": "wrong"}), {"smtp": bad, "imap": bad})
        self.good("PATCH", "/api/accounts/app@sim.test", {"allow_smtp": False, "password": ""})
        self.assertEqual(self.good("POST", test, {"password": "secret one"}), {"smtp": bad, "imap": good})
        self.good("PATCH", "/api/accounts/app@sim.test", {"clear_password": True})
        self.assertEqual(self.good("POST", test, {"password": "secret one"}), {"smtp": bad, "imap": bad})
        self.good("DELETE", "/api/accounts/app@sim.test")
        self.assertEqual((self.good("GET", "/api/accounts"), self.status("GET", "/api/accounts/app@sim.test")),
                         ([], 404))
        mailbox = self.good("GET", "/api/mailboxes")[0]
        self.assertEqual((mailbox["total"], mailbox["folders"]["INBOX"]["total"]), (2, 1))
        self.good("POST", "/api/accounts", {"address": "app@sim.test", "password": "secret two"})
        self.assertEqual(self.good("POST", test, {"password": "secret two"}), {"smtp": good, "imap": good})

    def test_roles(self) -> None:
        """Roles: POSTs that store nothing need member; DELETE answers {"status": "deleted"}."""
        made = self.persona()
        for path, body in (("/api/extract", {"text": "x"}), ("/api/accounts/a@b.test/test", {"password": "x"}),
                           (f"/api/personas/{made['id']}/preview", {"from": "a@b.test", "text": "Hello?"})):
            self.bad(403, "POST", path, body, "viewer")
            self.good("POST", path, body, "member")
        case = self.good("POST", "/api/cases", {"title": "x"})["case"]["id"]
        for path in (f"/api/cases/{case}", f"/api/personas/{made['id']}/memory", f"/api/personas/{made['id']}",
                     f"/api/mailboxes/{MARIA}/messages?q=hello"):
            self.assertEqual(self.good("DELETE", path), {"status": "deleted"})

    def test_delete_by_query(self) -> None:
        """Roles: deleting messages by query needs folder or q."""
        self.write()
        self.assertEqual(self.bad(400, "DELETE", f"/api/mailboxes/{MARIA}/messages"),
                         "folder: give folder or q, or all=1 for every message of the mailbox")
        self.good("DELETE", f"/api/mailboxes/{MARIA}/messages?q=subject:nothing")
        self.assertEqual(len(self.good("GET", f"/api/mailboxes/{MARIA}/messages")), 1)
        self.good("DELETE", f"/api/mailboxes/{MARIA}/messages?q=subject:lunch")
        self.assertEqual(self.good("GET", f"/api/mailboxes/{MARIA}/messages"), [])

    def test_order_of_errors(self) -> None:
        """Order of errors: 401, 403, 402, 404, 400."""
        self.server.plans.update({"self-hosted": SELF_HOSTED, "bare": Plan("bare")})
        path, body = "/api/faults/scenarios/nope?colour=red", {"odd": 1}
        self.assertEqual(ask(self.site, "POST", path, body).status, 401)
        self.assertEqual(self.status("POST", path, body, "member"), 403)
        self.assertEqual(self.status("POST", path, body), 404)
        self.assertEqual(self.status("POST", path.replace("nope", "tarpit"), body), 400)
        now(self.server.roster.change_org("default", plan="bare"))
        self.assertEqual(self.status("POST", path, body), 402)

    def test_suspended_clock(self) -> None:
        """Roles: the clocks of a suspended organisation stand still, and go on afterwards."""
        self.good("PUT", "/api/clock", {"frozen": False})
        now(self.server.roster.change_org("default", suspended=True))
        stands = self.universe.clock.now()
        self.server.reactor.advance(60.0)
        self.assertEqual(self.universe.clock.now(), stands)
        now(self.server.roster.change_org("default", suspended=False))
        self.assertFalse(self.good("GET", "/api/clock")["frozen"])

    def test_cookie_origin(self) -> None:
        """Roles: state-changing calls with a cookie need a same-origin Origin, or Sec-Fetch-Site: same-origin."""
        now(self.server.roster.users.create("ann@x.test", "correct horse", {"default": "member"}))
        token = now(self.server.roster.users.sign_in("ann@x.test", "correct horse", "::1"))
        cookie = {"Cookie": f"simmail_session={token}"}
        for headers, status in (
            ({}, 403), ({"Origin": "http://evil.test"}, 403), ({"Origin": "null"}, 403),
            ({"Origin": "http://localhost.evil.test"}, 403), ({"Sec-Fetch-Site": "same-site"}, 403),
            ({"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"}, 403),
            ({"Origin": "http://localhost"}, 200), ({"Sec-Fetch-Site": "same-origin"}, 200),
        ):
            answer = ask(self.site, "PUT", "/api/pace", {}, headers={**cookie, **headers})
            self.assertEqual(answer.status, status, headers)
            answer = ask(self.site, "PUT", f"/api/mailboxes/{MARIA}/status", {}, headers={**cookie, **headers})
            self.assertEqual(answer.status, 403 if status == 403 else 404, headers)
        self.assertEqual(ask(self.site, "GET", "/api/status", headers=cookie).status, 200)

    def test_links(self) -> None:
        """Settings: /api/links takes the bare policy, missing fields take defaults; local_links ignore or broken."""
        self.good("PUT", "/api/links", {"max_links": 1, "allow": ["*.Acme.test"], "local_links": "broken"})
        found = self.good("GET", "/api/links")
        self.assertEqual(found["policy"]["allow"], ["*.acme.test"])
        self.assertEqual(found["habits"], {"usual": 0.5, "curious": 0.85, "wary": 0.15, "never": 0.0})
        policy = self.good("PUT", "/api/links", {})["policy"]
        self.assertEqual((policy["enabled"], policy["max_links"], policy["sender_check"], policy["local_links"]),
                         (True, 3, 0.35, "ignore"))
        self.assertNotIn("allow", policy)
        self.good("PUT", "/api/links", {"enabled": False})
        self.assertFalse(self.universe.settings.links.enabled)
        self.assertIn("local_links", self.bad(400, "PUT", "/api/links", {"local_links": "click"}))
        self.assertIn("allow.0", self.bad(400, "PUT", "/api/links", {"allow": ["http://acme.test/"]}))

    def test_kept(self) -> None:
        """Settings: pace and retention keep omitted fields."""
        self.good("PUT", "/api/pace", {"factor": 0.5})
        self.assertEqual(self.good("PUT", "/api/pace", {"ignore_hours": True}), {"factor": 0.5, "ignore_hours": True})
        self.good("PUT", "/api/retention", {"mail_days": 9})
        self.assertEqual(self.good("PUT", "/api/retention", {"event_days": 5}), {"mail_days": 9, "event_days": 5})

    def test_retention_cap(self) -> None:
        """Settings: a retention above the cap is stored, GET answers what is in force; 0 under a cap is the cap."""
        self.server.plans.update({"self-hosted": SELF_HOSTED, "small": Plan("small", (), Allowances(
            retention_days=30))})
        self.good("PUT", "/api/retention", {"mail_days": 90})
        now(self.server.roster.change_org("default", plan="small"))
        self.assertEqual(self.good("GET", "/api/retention"), {"mail_days": 30, "event_days": 30})
        now(self.server.roster.change_org("default", plan="self-hosted"))
        self.assertEqual(self.good("GET", "/api/retention"), {"mail_days": 90, "event_days": 0})

    def test_prune(self) -> None:
        """Retention removes old mail and events, and tells how many; people keep their notes on each other."""
        made = self.persona()
        self.write()
        self.good("PUT", "/api/retention", {"mail_days": 1, "event_days": 1})
        self.good("POST", "/api/clock/advance", {"by": "10d", "max_jobs": 100})
        self.assertEqual(self.good("GET", f"/api/mailboxes/{MARIA}/messages"), [])
        self.good("POST", "/api/inject", {"to": MARIA, "from": "x@y.test"})
        self.assertEqual(self.good("POST", "/api/retention/prune")["messages"], 0)
        self.assertTrue(self.good("GET", f"/api/personas/{made['id']}/relations")["relations"])
        self.assertTrue(self.good("GET", "/api/events?type=retention.pruned"))

    def test_full_message(self) -> None:
        """Full message: case null and safe empty where there is none; a persona's tells case and how."""
        self.persona()
        case = self.good("POST", "/api/cases", {"title": "Order", "keys": ["INV-7"]})["case"]["id"]
        self.write()
        self.write(subject="About INV-7")
        path = f"/api/mailboxes/{MARIA}/messages/INBOX/"
        first, second = self.good("GET", path + "1"), self.good("GET", path + "2")
        self.assertEqual((first["case"], first["safe"]), (None, {"html": "", "remote_blocked": 0}))
        self.assertEqual(second["case"], {"id": case, "how": "key"})
        threads = self.good("GET", f"/api/cases/{case}/threads")
        self.assertEqual([one["subject"] for one in threads], ["About INV-7"])
        types = {one["type"] for one in self.good("GET", f"/api/cases/{case}/events")}
        self.assertLessEqual({"case.updated", "persona.received"}, types)

    def test_plans(self) -> None:
        """Plans: months are real UTC months; application messages count one each."""
        self.persona()
        self.write()
        self.good("POST", "/api/send", {"from": "app@sim.test", "to": [MARIA, "b@acme.test"], "text": "x"})
        found = self.good("GET", "/api/plan")
        self.assertEqual((found["plan"], found["used"]["mail_per_month"], found["used"]["people"], found["resets"]),
                         ("self-hosted", 2, 1, "2026-04-01T00:00:00Z"))
        self.server.reactor.advance(31 * 86400)
        self.assertEqual(self.good("GET", "/api/plan")["used"]["mail_per_month"], 0)

    def test_faults(self) -> None:
        """Faults: rules in order; a scenario is appended at the end; kinds tell where they may stand."""
        self.good("PUT", "/api/faults", [{"kind": "reject", "stage": "rcpt", "name": "first"}])
        rules = self.good("POST", "/api/faults/scenarios/tarpit", {"match": "@acme.test"})
        self.assertEqual([(one["name"], one.get("scenario"), one["match"], one["enabled"]) for one in rules][0],
                         ("first", None, "", True))
        self.assertEqual((rules[1]["scenario"], rules[1]["match"]), ("tarpit", "@acme.test"))
        self.assertGreaterEqual(len(self.good("GET", "/api/faults/scenarios")), 20)
        kinds = {one["kind"]: one["stages"] for one in self.good("GET", "/api/faults/kinds")}
        self.assertEqual((len(kinds), kinds["greylist"]), (15, ["rcpt"]))
        (again, _) = self.good("PUT", "/api/faults", rules)
        self.assertEqual(again["name"], "first")
