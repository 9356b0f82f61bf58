"""Search, polled lists, preview, learning."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from twisted.internet.defer import fail

from simmail.errors import NotFound
from simmail.universe.mailflow.search import TOGETHER
from tests.imap.play import MESSAGES
from tests.rest.served import ServedTestCase


MARIA = "maria@acme.test"


class SearchTests(ServedTestCase):
    """GET /api/search and q=."""

    def setUp(self) -> None:
        """Some mail."""
        super().setUp()
        self.made = self.persona()
        self.write(subject="Budget for March", text="The budget is ready. Grüße")
        self.write("joe@shop.test", "Invoice INV-7", "Please pay.", attachments=[
            {"filename": "invoice.pdf", "content_type": "application/pdf", "data": "JVBERg=="}])
        self.good("POST", "/api/inject", {"to": "app@sim.test", "raw": (
            "From: Zoe <zoe@x.test>\r\nTo: app@sim.test\r\nCc: bob@x.test\r\nSubject: =?utf-8?q?Sch=C3=B6n?=\r\n"
            "Message-ID: <z1@x.test>\r\nX-Priority: 1\r\nX-Service-Case: c_9\r\n\r\n50% \"off\"\r\n")})

    def found(self, q: str, **more: str) -> list[str]:
        """Where a query finds something: mailbox, folder, subject."""
        query = "&".join(f"{name}={quote(value)}" for name, value in {"q": q, **more}.items())
        return sorted(f"{one['address']} {one['folder']} {one['subject']}"
                      for one in self.good("GET", f"/api/search?{query}", role="viewer"))

    def test_syntax(self) -> None:
        """Every key of the syntax, and its opposite."""
        inbox, sent = f"{MARIA} INBOX Budget for March", "app@sim.test Sent Budget for March"
        pay, paid = "joe@shop.test INBOX Invoice INV-7", "app@sim.test Sent Invoice INV-7"
        zoe = "app@sim.test INBOX Schön"
        everything = {inbox, sent, pay, paid, zoe}
        for query, expected in (
            ("budget", {inbox, sent}), ('"for march"', {inbox, sent}), ('"march for"', set()),
            ("BUDGET ready", {inbox, sent}),
            ("grüße", {inbox, sent}), ("schön", {zoe}), ("zoe", {zoe}), ("bob@x", {zoe}), ("50%", {zoe}),
            ("from:zoe", {zoe}), ("to:maria", {inbox, sent}), ("cc:bob", {zoe}), ('subject:"invoice inv"', {pay, paid}),
            ("message-id:<z1@x.test>", {zoe}), ("message-id:z1@x.test", {zoe}), ("case:c_9", {zoe}),
            (f"persona:{MARIA}", {inbox, sent}), (f"persona:{self.made['id']}", {inbox, sent}),
            ("folder:sent", {sent, paid}), ("header:X-Priority=1", {zoe}), ("header:x-priority", {zoe}),
            ("header:x-priority=2", set()), ("filename:INVOICE", {pay, paid}), ("has:attachment", {pay, paid}),
            ("is:unread", {inbox, pay, zoe}), ("is:read", {sent, paid}), ("larger:100", everything),
            ("smaller:1k", everything),
            ("larger:1M", set()), ("after:2026-03-02", everything), ("before:2026-03-02", set()),
            ("after:2026-03-02T10:00:00Z", set()), ("-budget", everything - {inbox, sent}),
            ("invoice -folder:Sent", {pay}), ("-has:attachment -from:zoe", {inbox, sent}), ("", everything),
            ("re:something", set()), ("GRÜSSE", {inbox, sent}), ("invoice.PDF", {pay, paid}), ("SCHO\u0308N", {zoe}),
        ):
            self.assertEqual(set(self.found(query)), expected, query)

    def test_many_places(self) -> None:
        """More mailboxes and folders than are asked at once; one that goes away meanwhile is left out."""
        for n in range(2 * TOGETHER + 1):
            self.good("POST", "/api/inject", {"to": f"b{n}@sim.test", "from": "x@y.test", "subject": "wanted"})
        everywhere = {f"b{n}@sim.test INBOX wanted" for n in range(2 * TOGETHER + 1)}
        self.assertEqual(set(self.found("subject:wanted")), everywhere)
        store = self.universe.store
        opened = store.folder

        def folder(mailbox: str, name: str) -> Any:
            if mailbox == "b1@sim.test":
                return fail(NotFound("gone"))
            return opened(mailbox, name).addCallback(removed, mailbox)

        def removed(found: Any, mailbox: str) -> Any:
            if mailbox == "b2@sim.test" and store.exists(mailbox):
                store.delete(mailbox)
            return found

        self.patch(store, "folder", folder)
        gone = {"b1@sim.test INBOX wanted", "b2@sim.test INBOX wanted"}
        self.assertEqual(set(self.found("subject:wanted")), everywhere - gone)

    def test_everything(self) -> None:
        """What a person would find: reports, enclosed messages, attached texts; words that are not known."""
        self.good("POST", "/api/inject", {"to": "app@sim.test", "raw": MESSAGES["report"].decode()})
        for query in ("failed", '"better LUCK"', "NÄCHSTES", '"first try"', "GRÜSSE subject:returned", "apples;123",
                      "sums.csv", "gone@acme.test"):
            self.assertEqual(self.found(query), ["app@sim.test INBOX Returned"], query)
        for query in ("multipart/report", "-failed subject:returned"):
            self.assertEqual(self.found(query), [], query)
        self.assertIn("form: is no search word", self.bad(400, "GET", "/api/search?q=form:maria"))
        self.assertIn("form: is no search word", self.bad(
            400, "DELETE", "/api/mailboxes/app@sim.test/messages?q=form:maria", role="admin"))

    def test_refused(self) -> None:
        """What means nothing is refused by name."""
        for query, text in (("from:", "from: needs"), ("is:nice", "is: knows only"), ("has:teeth", "has: knows"),
                            ("larger:x", "larger: needs a size"), ("after:monday", "after: needs a date"),
                            ("header:=x", "header: is written"), ("a " * 51, "50 terms"),
                            ("x" * 1001, "length")):
            self.assertIn(text, self.bad(400, "GET", f"/api/search?q={quote(query)}"), query)
        self.assertIn("before", self.bad(400, "GET", "/api/search?q=x&before=%20"))
        self.assertEqual(self.bad(400, "GET", "/api/search"), "q: is required")

    def test_pages(self) -> None:
        """Pages join without a gap or a repeat."""
        seen: list[str] = []
        path = "/api/search?q=&limit=2"
        for _ in range(3):
            answer = self.ask("GET", path)
            seen += [f"{one['address']} {one['folder']} {one['uid']}" for one in answer.json()]
            link = answer.headers.get("link", "<>")
            path = link[1:link.index(">")]
        self.assertEqual((len(seen), len(set(seen)), path), (5, 5, ""))

    def test_folder(self) -> None:
        """q= on the list of messages, with pages."""
        for n in range(5):
            self.good("POST", "/api/inject", {"to": "app@sim.test", "from": "x@y.test", "subject": f"report {n}"})
        base = "/api/mailboxes/app@sim.test/messages?q=subject:report&limit=3"
        answer = self.ask("GET", base)
        self.assertEqual([one["subject"] for one in answer.json()], ["report 4", "report 3", "report 2"])
        link = answer.headers["link"]
        following = self.good("GET", link[1:link.index(">")])
        self.assertEqual([one["subject"] for one in following], ["report 1", "report 0"])


class PolledTests(ServedTestCase):
    """ETag and If-None-Match."""

    def test_unchanged(self) -> None:
        """The same list is not sent again; a changed one is, with another tag."""
        self.persona()
        for path in ("/api/personas", "/api/mailboxes", f"/api/mailboxes/{MARIA}/messages", "/api/jobs", "/api/events",
                     "/api/cases", "/api/accounts", "/api/faults", f"/api/mailboxes/{MARIA}/threads",
                     f"/api/mailboxes/{MARIA}/folders"):
            tag = self.ask("GET", path).headers["etag"]
            for given in (tag, f'"x", W/{tag}', "*"):
                again = self.ask("GET", path, **{"If-None-Match": given})
                self.assertEqual((again.status, again.body, again.headers["etag"]), (304, b"", tag), path)
            self.assertEqual(self.ask("GET", path, **{"If-None-Match": '"x"'}).status, 200)
        tag = self.ask("GET", f"/api/mailboxes/{MARIA}/messages").headers["etag"]
        self.write()
        changed = self.ask("GET", f"/api/mailboxes/{MARIA}/messages", **{"If-None-Match": tag})
        self.assertEqual((changed.status, len(changed.json())), (200, 1))
        self.assertNotEqual(changed.headers["etag"], tag)


class PeopleTests(ServedTestCase):
    """Preview and learning."""

    def test_preview(self) -> None:
        """It tells what would happen, and nothing happens."""
        made = self.persona()
        last = self.universe.log.last
        path = f"/api/personas/{made['id']}/preview"
        found = self.good("POST", path, {"from": "app@sim.test", "subject": "Lunch?", "text": "Do you have time?"})
        self.assertEqual((found["decision"], found["would_send"]), ("reply", True))
        self.assertTrue(found["why"] and found["due"] > "2026-03-02T09:00:00Z")
        same = self.good("POST", path, {"from": "app@sim.test", "raw": (
            "From: app@sim.test\nTo: maria@acme.test\nSubject: Lunch?\n\nDo you have time?\n")})
        self.assertEqual(same["due"], found["due"])
        self.assertEqual((self.universe.log.last, self.good("GET", f"/api/mailboxes/{MARIA}/messages")), (last, []))
        self.write(subject="Lunch?", text="Do you have time?")
        (job,) = self.good("GET", "/api/jobs?state=pending&kind=reply")
        self.assertEqual(job["due"], found["due"])
        self.bad(400, "POST", path, {"from": "app@sim.test", "raw": "x", "text": "y"})

    def test_preview_of_raw(self) -> None:
        """A raw message is enough; it is told what would be kept of it."""
        path = f"/api/personas/{self.persona()['id']}/preview"
        raw = "From: App <app@sim.test>\nTo: maria@acme.test\nSubject: Order 77120\n\nTime on Friday at 10:00?\n"
        found = self.good("POST", path, {"raw": raw})
        self.assertEqual(found, self.good("POST", path, {"raw": raw, "from": "app@sim.test"}))
        self.assertIn(("stated", "order", "77120"),
                      [(one["kind"], one["what"], one.get("value")) for one in found["remarks"]])
        (slot,) = [one for one in found["remarks"] if one["kind"] == "proposed"]
        self.assertEqual((slot["when"], slot["by"]), ("2026-03-06T10:00:00Z", "correspondent"))
        self.assertEqual(self.bad(400, "POST", path, {"text": "x"}), "from: is required unless raw is given")
        self.assertIn("from", self.bad(400, "POST", path, {"from": "", "raw": raw}))
        self.good("POST", path, {"raw": "Subject: nobody\n\nHello"})

    def test_learn(self) -> None:
        """A persona is made from the mail of an address; who is known already is named; it is counted."""
        self.persona()
        self.write(MARIA)
        for n in range(3):
            self.write("joe@shop.test", f"Order {n}", "Hello Joe, what about the order?", cc=[MARIA])
        self.good("POST", "/api/send", {"from": "joe@shop.test", "to": [MARIA], "text": "Dear Maria, all is well. Joe"})
        found = self.good("POST", "/api/personas/learn", {"address": "joe@shop.test", "paused": True}, "member")
        self.assertEqual((found["persona"]["provider"], found["persona"]["addresses"], found["persona"]["paused"]),
                         ("mail", ["joe@shop.test"], True))
        self.assertIn(MARIA, found["people"])
        self.assertTrue(found["by"])
        self.assertEqual(self.good("GET", "/api/plan")["used"]["learned_per_month"], 1)
        again = self.bad(400, "POST", "/api/personas/learn", {"address": "joe@shop.test"})
        self.assertIn("belongs to a persona", again)
        self.bad(404, "POST", "/api/personas/learn", {"address": "nobody@shop.test"})
        self.assertEqual(self.good("GET", "/api/plan")["used"]["learned_per_month"], 1)
