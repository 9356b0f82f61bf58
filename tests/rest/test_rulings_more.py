"""More rulings of the decisions, section 23: what people and mail do, as HTTP shows it; each test names its ruling."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from twisted.internet.task import Clock

from simmail.config import Config, Http
from simmail.core.rules.quota_plan import Allowances, Plan, SELF_HOSTED
from simmail.imap.factory import ImapFactory
from simmail.rest.site import api_site
from simmail.server.demo import create_demo
from simmail.testing.universe import now
from tests.imap.play import Connection
from tests.rest.client import ask
from tests.rest.served import ServedTestCase

MARIA = "maria@acme.test"


class RulingTests(ServedTestCase):
    """Section 23, paragraph by paragraph."""

    def events(self, *types: str) -> list[dict[str, Any]]:
        """Events of some types, oldest first."""
        found: list[dict[str, Any]] = self.good("GET", f"/api/events?after=0&limit=1000&type={','.join(types)}")
        return found

    def run_all(self) -> None:
        """Everything that is planned happens."""
        self.good("POST", "/api/clock/advance", {"until": "idle"})

    def messages(self, address: str, folder: str = "INBOX") -> list[dict[str, Any]]:
        """What a folder holds, newest first."""
        found: list[dict[str, Any]] = self.good("GET", f"/api/mailboxes/{address}/messages?folder={folder}")
        return found

    # Personas

    def test_persona_defaults(self) -> None:
        """Personas: links usual, filter normal; drawn values are stored and shown, unset fields omitted."""
        made = self.good("POST", "/api/personas", {"addresses": ["new@acme.test"]})
        self.assertEqual((made["style"]["links"], made["style"]["filter"], made["knows"]), ("usual", "normal", "some"))
        self.assertIn("client", made["style"])
        self.assertIn(made["temperament"], [one["name"] for one in self.good("GET", "/api/temperaments")])
        for unset in ("role", "org", "timing", "behaviors", "paused"):
            self.assertNotIn(unset, made)
        self.assertEqual((made["external_ids"], made["case_ids"]), ({}, []))
        self.assertEqual(self.good("GET", f"/api/personas/{made['id']}"), made)

    def test_hours(self) -> None:
        """Personas: no hours means any hour; hours may cross midnight; ooo dates are inclusive in hours.tz."""
        # START is Sunday, 1 March 2026, 9:00 UTC.
        self.persona("any@acme.test")
        self.persona("night@acme.test", timing={
            "reply_rate": 1, "delay": {"median": "20m", "spread": 1},
            "hours": {"tz": "UTC", "days": "mon-sun", "from": "22:00", "to": "02:00"}})
        self.persona("away@acme.test", timing={
            "reply_rate": 1, "delay": {"median": "20m", "spread": 1}, "hours": {"tz": "UTC"},
            "ooo": [{"from": "2026-02-20", "to": "2026-03-02", "message": "Away"}]})
        due = {}
        for name in ("any", "night", "away"):
            self.write(f"{name}@acme.test")
            (job,) = [one for one in self.good("GET", "/api/jobs?kind=reply")
                      if one["id"] not in due.values() and one["id"] not in due]
            due[job["id"]] = job["due"]
        any_hour, night, back = due.values()
        day = self.good("GET", "/api/clock")["now"][:10]
        self.assertEqual(any_hour[:10], day)
        self.assertTrue(night[11:13] in ("22", "23", "00", "01"), night)
        self.assertGreaterEqual(back, "2026-03-03T00:00:00Z")

    def test_pace(self) -> None:
        """Personas: pace changes affect only jobs planned afterwards."""
        self.persona()
        self.write()
        (job,) = self.good("GET", "/api/jobs?kind=reply")
        self.good("PUT", "/api/pace", {"factor": 0.01})
        self.assertEqual(self.good("GET", f"/api/jobs/{job['id']}")["due"], job["due"])
        self.write(subject="Dinner?")
        dues = sorted(one["due"] for one in self.good("GET", "/api/jobs?kind=reply"))
        self.assertLess(dues[0], job["due"])

    # Recipients

    def test_recipient_order(self) -> None:
        """Recipients, order: fixed status, existing mailbox, silent, create: false, bad draw, create."""
        self.persona("there@acme.test")
        self.good("PUT", "/api/recipients", {
            "default": {"create": False, "silent": True}, "domains": {"closed.test": {"create": False},
                                                                      "bad.test": {"bad_rate": 1, "create": True}},
            "status": {"full@acme.test": "full"}})
        for address in ("there@acme.test", "silent@any.test", "full@acme.test", "x@closed.test", "y@bad.test"):
            self.write(address)
        self.run_all()
        boxes = [one["address"] for one in self.good("GET", "/api/mailboxes")]
        self.assertEqual({"silent@any.test", "x@closed.test", "y@bad.test"} & set(boxes), set())
        self.assertEqual(len(self.messages("there@acme.test")), 1)
        bounced = {one["data"]["address"]: one["data"]["kind"] for one in self.events("persona.bounced")}
        self.assertEqual(bounced["full@acme.test"], "full")
        self.assertEqual(set(bounced), {"full@acme.test", "x@closed.test", "y@bad.test"})

    def test_application_addresses(self) -> None:
        """Recipients: an address that has sent mail or has a login is the application's own, never a stranger."""
        self.good("PUT", "/api/recipients", {"default": {"stranger": "basic"}})
        self.good("POST", "/api/accounts", {"address": "login@sim.test"})
        self.write("someone@new.test")
        self.good("POST", "/api/send", {
            "from": "x@sim.test", "to": ["app@sim.test", "login@sim.test"], "text": "Hello"})
        people = {address for one in self.good("GET", "/api/personas") for address in one["addresses"]}
        self.assertIn("someone@new.test", people)
        self.assertEqual(people & {"app@sim.test", "login@sim.test", "x@sim.test"}, set())

    def test_strangers(self) -> None:
        """Recipients: stranger ai in mode off acts as basic, over the people limit as off."""
        self.good("PUT", "/api/recipients", {"default": {"stranger": "ai"}})
        self.write("first@new.test")
        (created,) = self.events("persona.created")
        self.assertEqual((created["data"]["address"], created["data"]["mode"]), ("first@new.test", "basic"))
        self.server.plans.update({"self-hosted": SELF_HOSTED, "small": Plan("small", (), Allowances(people=1))})
        now(self.server.roster.change_org("default", plan="small"))
        self.write("second@new.test")
        self.assertEqual(len(self.events("persona.created")), 1)
        self.assertEqual(len(self.messages("second@new.test")), 1)

    def test_bounced(self) -> None:
        """Recipients: persona.bounced either way, with persona_id only if a persona stands behind the address."""
        made = self.persona("dead@acme.test", behaviors={"bounce": 1})
        self.good("PUT", "/api/mailboxes/dead@acme.test/status", {"status": "unknown"})
        self.good("PUT", "/api/recipients", {"status": {"dead@acme.test": "unknown", "gone@acme.test": "unknown"}})
        self.write("dead@acme.test")
        self.write("gone@acme.test")
        found = {one["data"]["address"]: one["data"].get("persona_id") for one in self.events("persona.bounced")}
        self.assertEqual(found, {"dead@acme.test": made["id"], "gone@acme.test": None})

    # Mail

    def test_replies_go(self) -> None:
        """Mail: replies go to Reply-To, else From; to and cc in events are arrays, from an address."""
        self.persona(behaviors={"cc_someone": 0})
        self.write()
        self.run_all()
        (delivered,), (received,), (sent, *_) = (
            self.events(one) for one in ("mail.delivered", "persona.received", "persona.sent"))
        self.assertEqual((delivered["data"]["from"], delivered["data"]["to"]), ("app@sim.test", [MARIA]))
        self.assertEqual(received["data"]["from"], "app@sim.test")
        self.assertEqual((sent["data"]["to"], sent["data"]["cc"]), (["app@sim.test"], []))
        self.assertEqual((sent["data"]["by"], sent["data"]["kind"]), ("templates", "reply"))
        self.assertEqual(self.messages("app@sim.test")[0]["from"], MARIA)

    def test_clients_cause_nothing(self) -> None:
        """Mail: APPEND, COPY and MOVE cause no events and no reactions."""
        self.persona()
        self.good("POST", "/api/accounts", {"address": MARIA, "password": "a long secret"})
        roster, reactor = self.server.roster, self.server.reactor
        client = Connection(SimpleNamespace(
            factory=ImapFactory(self.config, roster.sign_in, reactor, loopback_only=True,
                                default_universe=roster.default_universe),
            turn=lambda: [reactor.advance(0) for _ in range(50)]))
        self.assertIn(b"a1 OK", client.do(f'a1 LOGIN {MARIA} "a long secret"')[-1])
        last = self.universe.log.last
        client.send(b"a2 APPEND INBOX {44+}\r\nFrom: x@y.test\r\nSubject: Lunch?\r\n\r\nFriday?\r\n\r\n")
        for number, command in enumerate(("SELECT INBOX", "COPY 1 Archive", "MOVE 1 Drafts"), 3):
            self.assertIn(f"a{number} OK".encode(), client.do(f"a{number} {command}")[-1])
        self.assertEqual([len(self.messages(MARIA, folder)) for folder in ("INBOX", "Archive", "Drafts")], [0, 1, 1])
        self.assertEqual((self.universe.log.last, self.good("GET", "/api/jobs?state=pending")), (last, []))

    def test_folder_changes(self) -> None:
        """IDLE, waits: driven by what changes in folders, the log only by events."""
        self.good("POST", "/api/inject", {"to": "app@sim.test", "from": "x@y.test", "subject": "first"})
        last = self.universe.log.last
        connection = self.begin("GET", "/api/wait?to=app@sim.test&existing=0&timeout=9s")
        self.good("POST", "/api/inject", {"to": "app@sim.test", "from": "x@y.test", "subject": "second"})
        self.assertEqual(connection.answer().json()["message"]["subject"], "second")
        self.assertEqual(self.universe.log.last, last)

    def test_kinds(self) -> None:
        """Demo: kind in /api/me is key, user, pass or demo; the role field is role."""
        users = self.server.roster.users
        now(create_demo(self.server.roster))
        now(users.create("ann@x.test", "a long secret", {"default": "member"}))
        answer = ask(self.site, "POST", "/api/session", {"email": "ann@x.test", "password": "a long secret"})
        own = {"Cookie": answer.headers["set-cookie"].partition(";")[0], "Origin": "http://localhost"}
        token = ask(self.site, "POST", "/api/session/pass", headers=own).json()["token"]
        for kind, role, key, headers in (
            ("key", "viewer", self.keys["viewer"], {}), ("user", "member", None, own), ("pass", "member", token, {}),
            ("demo", "viewer", None, {"X-Service-Universe": "demo"}),
        ):
            me = ask(self.site, "GET", "/api/me", key=key, headers=headers).json()
            self.assertEqual((me["kind"], me["universes"][0]["role"]), (kind, role))
        self.assertEqual(self.good("GET", "/api/me", role="viewer")["key"]["role"], "viewer")

    def test_delivered_once(self) -> None:
        """Mail: one mail.delivered per accepted message, however many it is for; plan is one sentence."""
        self.persona()
        self.good("POST", "/api/send", {"from": "app@sim.test", "to": [MARIA, "b@acme.test"], "cc": ["c@acme.test"],
                                        "subject": "All", "text": "Do you have time?"})
        (delivered,) = self.events("mail.delivered")
        self.assertEqual(delivered["data"]["to"], [MARIA, "b@acme.test", "c@acme.test"])
        for one in self.events("job.scheduled"):
            self.assertIsInstance(one["data"]["plan"], str)
            self.assertNotIn("\n", one["data"]["plan"])

    def test_notices_go(self) -> None:
        """Mail: notices of failure go to the envelope sender."""
        self.good("PUT", "/api/recipients", {"status": {"gone@acme.test": "unknown"}})
        self.good("POST", "/api/send", {"from": "Shop <bills@sim.test>", "to": ["gone@acme.test"], "text": "x"})
        self.run_all()
        (notice,) = self.messages("bills@sim.test")
        self.assertTrue(notice["from"].lower().startswith("mailer-daemon@"), notice["from"])

    def test_forward(self) -> None:
        """Mail: a forward is persona.sent with kind initiate."""
        self.persona("other@acme.test")
        self.persona(behaviors={"forward_to": "other@acme.test"})
        self.write()
        self.run_all()
        kinds = [(one["data"]["kind"], one["data"]["to"]) for one in self.events("persona.sent")]
        self.assertIn(("initiate", ["other@acme.test"]), kinds)

    # Roles and order of errors

    def test_429_before_403(self) -> None:
        """Order of errors: 401, 429, 403."""
        config = Config(http=Http(rate=1, burst=2))
        site = api_site(config, self.server.roster, Clock())
        key = self.keys["viewer"]
        statuses = [ask(site, "PUT", "/api/recipients", {}, key).status for _ in range(3)]
        self.assertEqual(statuses, [403, 403, 429])
        self.assertEqual([ask(site, "PUT", "/api/recipients", {}, "sm_no_no").status for _ in range(3)], [401] * 3)

    # Connection, settings, plans

    def test_connection(self) -> None:
        """Connection: services is an array of {name, address, port, security} named SMTP, SUBMISSION, SMTPS, ..."""
        ports = {name: {"host": "127.0.0.1", "port": n} for n, name in enumerate(
            ("smtp", "submission", "smtps", "imap", "imaps", "http"), 1)}
        site = api_site(self.config, self.server.roster, self.server.reactor, endpoints=ports)
        found = ask(site, "GET", "/api/connection", key=self.keys["viewer"]).json()["services"]
        self.assertEqual([one["name"] for one in found], ["SMTP", "SUBMISSION", "SMTPS", "IMAP", "IMAPS"])
        self.assertEqual(found[0], {"name": "SMTP", "address": "127.0.0.1", "port": 1, "security": "none"})

    def test_allow_private(self) -> None:
        """Settings: allow_private: true is 400; PUT /api/ai on without a configured writer is 400 naming the option."""
        self.assertIn("allow_private", self.bad(400, "PUT", "/api/links", {"allow_private": True}))
        self.assertIn("ai.base_url", self.bad(400, "PUT", "/api/ai", {"mode": "on"}))

    def test_merged(self) -> None:
        """A PATCH of a settings document merges: omitted fields keep their value; null is the default."""
        self.good("PUT", "/api/recipients", {"default": {"bad_rate": 0.5}, "status": {"a@b.test": "full"}, "seed": "s"})
        kept = self.good("PATCH", "/api/recipients", {"seed": "t"})
        self.assertEqual((kept["default"]["bad_rate"], kept["status"], kept["seed"]), (0.5, {"a@b.test": "full"}, "t"))
        self.assertEqual(self.good("PATCH", "/api/recipients", {"status": None})["status"], {})
        self.assertIn("colour", self.bad(400, "PATCH", "/api/recipients", {"colour": 1}))
        self.good("PUT", "/api/links", {"max_links": 7, "deny": ["x.test"]})
        policy = self.good("PATCH", "/api/links", {"unsubscribe": True})["policy"]
        self.assertEqual((policy["max_links"], policy["deny"], policy["unsubscribe"]), (7, ["x.test"], True))
        self.assertNotIn("deny", self.good("PATCH", "/api/links", {"deny": None})["policy"])
        self.assertIn("max_links", self.bad(400, "PATCH", "/api/links", {"max_links": "many"}))
        self.assertEqual(self.good("GET", "/api/links")["policy"]["max_links"], 7)

    def test_folder_order(self) -> None:
        """Settings: INBOX, Sent, Drafts, Archive, Trash, then Junk, then the rest by name."""
        now(self.universe.store.create("app@sim.test"))
        for name in ("Zebra", "Apple"):
            now(self.universe.store.create_folder("app@sim.test", name))
        self.assertEqual([one["name"] for one in self.good("GET", "/api/mailboxes/app@sim.test/folders")],
                         ["INBOX", "Sent", "Drafts", "Archive", "Trash", "Junk", "Apple", "Zebra"])

    def test_over_the_plan(self) -> None:
        """Plans: over learned_per_month 400 naming the plan; send over mail_per_month 500 with the plan's message."""
        self.good("POST", "/api/inject", {"to": "joe@shop.test", "from": "x@y.test", "text": "Hello"})
        self.server.plans.update({"self-hosted": SELF_HOSTED, "small": Plan("small", (), Allowances(
            learned_per_month=0, mail_per_month=0))})
        now(self.server.roster.change_org("default", plan="small"))
        self.assertIn("small", self.bad(400, "POST", "/api/personas/learn", {"address": "joe@shop.test"}))
        self.assertIn("small", self.bad(500, "POST", "/api/send", {
            "from": "app@sim.test", "to": ["a@b.test"], "text": "x"}))

    # Full message

    def test_listings(self) -> None:
        """Full message: listings have html empty; remote=1 lets images over http and https be and nothing else."""
        self.good("POST", "/api/inject", {"to": "app@sim.test", "raw": (
            "From: a@b.test\nContent-Type: text/html\n\n<p>Hi</p><img src=https://x.test/1><img src=http://x.test/2>"
            "<script src=https://x.test/3></script>")})
        self.assertEqual(self.messages("app@sim.test")[0]["html"], "")
        path = "/api/mailboxes/app@sim.test/messages/INBOX/1"
        shut, opened = self.good("GET", path)["safe"], self.good("GET", path + "?remote=1")["safe"]
        self.assertEqual((shut["remote_blocked"], "x.test" in shut["html"]), (2, False))
        self.assertEqual((opened["remote_blocked"], opened["html"].count("x.test")), (0, 2))
        for url in ("https://x.test/1", "http://x.test/2"):
            self.assertIn(f'src="{url}"', opened["html"])
