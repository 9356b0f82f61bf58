"""What the API says is so: of cases, personas, logins and jobs, each as it is and as it is read."""

from __future__ import annotations

from email import message_from_bytes, policy
from typing import Any

from twisted.internet.defer import Deferred

from simmail.errors import Unauthenticated
from simmail.testing.universe import now
from tests.rest.served import ServedTestCase

CASE = {"title": "Invoice", "keys": ["INV-2041"], "people": [{"persona_id": ""}, {"address": "app@sim.test"}]}


class SayingTests(ServedTestCase):
    """One universe, asked."""

    def test_how_stays(self) -> None:
        """A thread keeps how it came to its case, however its later messages are matched."""
        made = self.persona()
        self.good("POST", "/api/cases", {"id": "c1", **CASE, "people": []})
        first = self.write(subject="INV-2041", text="What is the amount?")
        self.write(subject="Re: INV-2041", text="And is there a discount?", in_reply_to=first, references=[first])
        self.good("GET", "/api/personas/" + made["id"])
        for uid in (1, 2):
            full = self.good("GET", f"/api/mailboxes/maria@acme.test/messages/INBOX/{uid}")
            self.assertEqual(full["case"], {"id": "c1", "how": "key"})

    def test_job_done(self) -> None:
        """job.done has the persona, also where a mail bounced."""
        made = self.persona(behaviors={"bounce": 1})
        self.write()
        self.good("POST", "/api/clock/advance", {"by": "1d"})
        done = self.good("GET", "/api/events?type=job.done")
        self.assertEqual([one["data"]["kind"] for one in done], ["bounce"])
        for one in done:
            self.assertEqual((one["data"]["persona_id"], one["persona"]["id"]), (made["id"], made["id"]))

    def test_empty_lists(self) -> None:
        """What holds nothing is empty, and never missing."""
        for one in (self.persona(), *self.good("GET", "/api/personas")):
            self.assertEqual((one["case_ids"], one["external_ids"]), ([], {}))
            read = self.good("GET", "/api/personas/" + one["id"])
            self.assertEqual((read["case_ids"], read["external_ids"]), ([], {}))
            self.good("PATCH", "/api/personas/" + one["id"], read)
        made = self.good("POST", "/api/cases", {"title": "Lunch"})
        path = "/api/cases/" + made["case"]["id"]
        for one in (made["case"], self.good("GET", path), *self.good("GET", "/api/cases"),
                    self.good("PATCH", path, {"goal": "eat"})["case"]):
            self.assertEqual([one[name] for name in ("facts", "keys", "people", "notes", "deliverables", "secrets")],
                             [{}, [], [], [], [], {}])

    def test_deleted(self) -> None:
        """Who is gone is told as such."""
        made = self.persona()
        self.good("DELETE", "/api/personas/" + made["id"])
        events = [(one["type"], one["data"]) for one in self.good("GET", "/api/events?type=persona.*&order=asc")]
        said = {"id": made["id"], "name": made["name"]}
        self.assertEqual(events, [("persona.updated", said), ("persona.deleted", said)])

    def test_names_nothing(self) -> None:
        """A case or a person that is not there is refused; what was there and has gone meanwhile may stay."""
        other = self.persona("tom@acme.test")
        self.good("POST", "/api/cases", {"id": "c1", "title": "Lunch"})
        for fields, field in (
            ({"case_ids": ["c1", "c2"]}, "case_ids: there is no case c2"),
            ({"behaviors": {"forward_to": "p_nobody"}}, "behaviors.forward_to: there is no persona p_nobody"),
        ):
            self.assertIn(field, self.bad(400, "POST", "/api/personas", {"addresses": ["a@acme.test"], **fields}))
            self.assertIn(field, self.bad(400, "PATCH", "/api/personas/" + other["id"], fields))
        made = self.persona(case_ids=["c1"], behaviors={"forward_to": other["id"]})
        self.good("PATCH", "/api/personas/" + made["id"], {"behaviors": {"forward_to": "tom@acme.test"}})
        self.good("DELETE", "/api/personas/" + other["id"])
        self.good("DELETE", "/api/cases/c1")
        self.good("PATCH", "/api/personas/" + made["id"], self.good("GET", "/api/personas/" + made["id"]))

    def test_usernames(self) -> None:
        """null takes a username away; that of a login that was deleted may be another's, and stays it."""
        self.good("POST", "/api/accounts", {"address": "a@sim.test", "username": "sales", "note": "n", "password": "x"})
        changed = self.good("PATCH", "/api/accounts/a@sim.test", {"username": None, "note": None, "display_name": None})
        self.assertEqual((changed["username"], changed["note"], changed["display_name"]), ("", "", ""))
        self.good("PATCH", "/api/accounts/a@sim.test", {"username": "sales"})
        self.good("DELETE", "/api/accounts/a@sim.test")
        self.good("POST", "/api/accounts", {"address": "b@sim.test", "username": "sales", "password": "y"})
        self.good("POST", "/api/accounts", {"address": "a@sim.test", "password": "x"})
        tried = self.good("POST", "/api/accounts/b@sim.test/test", {"username": "sales", "password": "y"})
        self.assertEqual(tried["imap"], {"ok": True, "address": "b@sim.test"})

    def test_due_in_the_past(self) -> None:
        """What became of a due time that has passed is said."""
        self.persona()
        self.write()
        (job,) = self.good("GET", "/api/jobs?state=pending&kind=reply")
        changed = self.good("PATCH", "/api/jobs/" + job["id"], {"due": "2020-01-01T00:00:00Z"})
        self.assertEqual((changed["due"], changed["note"]), (
            self.good("GET", "/api/clock")["now"], "2020-01-01T00:00:00Z had passed already: due now"))


class AskingTests(ServedTestCase):
    """What can be asked, and what can not be served."""

    def test_faults_before_a_universe(self) -> None:
        """At connect, helo and starttls only the default universe's rules can fire; elsewhere they are refused."""
        self.server.universe("other")
        key = now(self.server.roster.create_key("other", "admin", "other"))
        for stage in ("connect", "helo", "starttls"):
            rules = [{"kind": "delay", "stage": "mail", "delay_ms": 1}, {"kind": "reject", "stage": stage}]
            self.good("PUT", "/api/faults", rules)
            told = self.bad(400, "PUT", "/api/faults", rules, key)
            self.assertTrue(told.startswith(f"1.stage: {stage} comes before"), told)
            self.assertIn("universe main only", told)
        self.good("PUT", "/api/faults", rules[:1], key)
        self.assertEqual(len(self.good("GET", "/api/faults", role=key)), 1)

    def test_plan(self) -> None:
        """A plan lists what is served, and nothing that is not."""
        self.assertEqual(self.good("GET", "/api/plan")["features"], ["insights", "webhooks", "links", "chaos", "mcp"])

    def test_user_without_password(self) -> None:
        """A password is made where none is given, shown once, and works."""
        key = now(self.server.roster.create_key("main", "admin", "root", administrator=True))
        made = self.good("POST", "/api/admin/users", {"email": "ann@x.test", "orgs": {"default": "member"}}, key)
        self.assertNotIn("password", self.good("GET", "/api/admin/users", role=key)[0])
        self.good("POST", "/api/session", {"email": "ann@x.test", "password": made["password"]}, "")
        given = self.good("POST", "/api/admin/users", {"email": "bob@x.test", "password": "correct horse"}, key)
        self.assertNotIn("password", given)

    def test_types_left_out(self) -> None:
        """A type with a minus is left out: of a list, with others or alone, and of the stream."""
        self.good("POST", "/api/accounts", {"address": "a@sim.test", "password": "x"})
        now(self.server.roster.sign_in("a@sim.test", "x", "imap", "192.0.2.1"))
        self.persona()
        types = [one["type"] for one in self.good("GET", "/api/events?order=asc")]
        self.assertIn("auth.ok", types)
        for filter, left in (("-auth.*", [one for one in types if one[:5] != "auth."]),
                             ("-auth.ok,-persona.updated", ["account.updated"]), ("-*", []),
                             ("a*,-auth.ok", ["account.updated"]), ("*,-auth.ok,-account.*", ["persona.updated"])):
            found = [one["type"] for one in self.good("GET", f"/api/events?order=asc&type={filter}")]
            self.assertEqual(found, left, filter)
        self.assertIn("-nothing", self.bad(400, "GET", "/api/events?type=-nothing"))
        stream = self.begin("GET", "/api/events/stream?type=-auth.*&after=0")
        self.server.reactor.advance(0)
        now(self.server.roster.sign_in("a@sim.test", "x", "smtp", "192.0.2.1"))
        self.write()
        self.server.reactor.advance(1)
        told = stream.transport.value()
        self.assertIn(b"event: mail.delivered", told)
        self.assertNotIn(b"auth.", told)

    def test_polling(self) -> None:
        """Who signs in again and again is told once an hour, with how often; a failure, and who else, at once."""
        self.good("POST", "/api/accounts", {"address": "a@sim.test", "password": "x"})

        def sign_in(remote: str = "192.0.2.1", password: str = "x") -> None:
            Deferred.fromCoroutine(self.server.roster.sign_in("a@sim.test", password, "imap", remote)).addErrback(
                lambda failure: failure.trap(Unauthenticated))

        def told() -> list[Any]:
            return [one["data"].get("count") for one in self.good("GET", "/api/events?type=auth.*&order=asc")]

        for _ in range(60):
            sign_in()
            self.server.reactor.advance(59)
        self.assertEqual(told(), [1])
        sign_in("192.0.2.2")
        self.assertEqual(told(), [1, 1])
        self.server.reactor.advance(61)
        sign_in()
        self.assertEqual(told(), [1, 1, 60])
        sign_in()
        sign_in(password="wrong")
        sign_in()
        self.assertEqual(told(), [1, 1, 60, None, 1])

    def test_send_more(self) -> None:
        """Bcc gets the mail without being named, replies go to reply_to, further fields are there as given."""
        for address in ("maria@acme.test", "tom@acme.test"):
            self.persona(address)
        sent = {"from": "app@sim.test", "to": ["maria@acme.test"], "bcc": ["Tom <tom@acme.test>"], "text": "Hello",
                "reply_to": "desk@sim.test", "headers": {"List-Id": "<news.sim.test>", "X-Campaign": "Gr\u00fc\u00dfe"}}
        self.good("POST", "/api/send", sent)
        for address in ("maria@acme.test", "tom@acme.test"):
            raw = self.ask("GET", f"/api/mailboxes/{address}/messages/INBOX/1/raw").body
            mail = message_from_bytes(raw, policy=policy.default)
            self.assertEqual((mail["To"], mail["Reply-To"], mail["List-Id"], mail["X-Campaign"], mail["Bcc"]),
                             ("maria@acme.test", "desk@sim.test", "<news.sim.test>", "Gr\u00fc\u00dfe", None))
            self.assertNotIn(b"tom@acme.test", raw.partition(b"\r\n\r\n")[0].replace(b"for <tom@acme.test>", b""))
        self.good("POST", "/api/send", {**sent, "reply_to": ["a@sim.test", "B <b@sim.test>"]})

    def test_send_refused(self) -> None:
        """No field of the service, no second line, no name that is none; nothing is sent then."""
        self.persona()
        sent = {"from": "app@sim.test", "to": ["maria@acme.test"], "text": "Hello"}
        for more, says in (
            *(({"headers": {name: "x"}}, f"headers.{name}: is written by the service") for name in (
                "From", "bcc", "Message-ID", "Received", "Content-Type", "X-Service-Simulated", "DATE", "Return-Path")),
            *(({"headers": {"X-A": value}}, "headers.X-A")
              for value in ("a\r\nb: c", "a\nb", "a\0b", "=?utf-8?q?=0A?=")),
            *(({"headers": {name: "x"}}, "headers") for name in ("", "a b", "a:b", "a\nb", "\u00fc")),
            ({"bcc": ["nobody"]}, "bcc.0"), ({"reply_to": "a@b.test\r\nX: y"}, "reply_to.0"),
            ({"headers": {f"X-{n}": "x" for n in range(101)}}, "headers: at most 100"),
        ):
            self.assertIn(says, self.bad(400, "POST", "/api/send", {**sent, **more}))
        self.assertEqual(self.good("GET", "/api/mailboxes/maria@acme.test/messages"), [])

    def test_delete_all(self) -> None:
        """All messages of a mailbox, of a universe, or what a query finds there; never by leaving something out."""
        for address in ("a@sim.test", "b@sim.test", "c@sim.test"):
            for folder in ("INBOX", "Junk"):
                self.good("POST", "/api/inject", {"to": address, "from": "x@y.test", "subject": f"In {folder}",
                                                  "folder": folder})

        def left() -> list[int]:
            return [one["total"] for one in self.good("GET", "/api/mailboxes")]

        for path in ("/api/mailboxes/a@sim.test/messages", "/api/mailboxes/a@sim.test/messages?all=1&folder=Junk",
                     "/api/messages", "/api/messages?all=0", "/api/messages?all=1&q=in"):
            self.assertIn("all", self.bad(400, "DELETE", path))
        self.bad(403, "DELETE", "/api/messages?all=1", role="viewer")
        self.assertEqual(left(), [2, 2, 2])
        self.good("DELETE", "/api/mailboxes/a@sim.test/messages?all=1", role="member")
        self.assertEqual(left(), [0, 2, 2])
        self.good("DELETE", "/api/messages?q=folder:Junk", role="member")
        self.assertEqual(left(), [0, 1, 1])
        self.good("DELETE", "/api/messages?all=1", role="member")
        self.assertEqual((left(), self.good("GET", "/api/status")["messages"]), ([0, 0, 0], 0))

    def test_learning(self) -> None:
        """Somebody is learned from their mail wherever it lies, and each mail of theirs counts once."""
        for n in range(3):
            for to in ("a@sim.test", "b@sim.test"):
                self.good("POST", "/api/inject", {"to": to, "raw": (
                    f"From: Joe Shop <joe@shop.test>\nTo: a@sim.test\nMessage-ID: <m{n}@shop.test>\n"
                    f"Subject: Order {n}\n\nHello,\n\nwhere is order {n}?\n\nBest regards\nJoe Shop\n")})
        self.good("POST", "/api/inject", {"to": "a@sim.test", "from": "notjoe@shop.test", "text": "no"})
        learned = self.good("POST", "/api/personas/learn", {"address": "joe@shop.test"})
        self.assertEqual((learned["persona"]["name"], learned["persona"]["addresses"]), ("Joe Shop", ["joe@shop.test"]))
        self.assertEqual(learned["by"], "learned from 3 mails written and 0 received")
        self.assertIn("no mailbox", self.bad(404, "POST", "/api/personas/learn", {"address": "zoe@shop.test"}))
