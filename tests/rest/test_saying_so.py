"""What the API says is so: of cases, personas, logins and jobs, each as it is and as it is read."""

from __future__ import annotations

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
