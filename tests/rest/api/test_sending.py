"""POST /api/send."""

from __future__ import annotations

from base64 import b64encode
from email import message_from_bytes, policy
from typing import Any
from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.internet.defer import Deferred

from simmail.rest.http.request import SPOOL_OVER
from tests.rest.served import ServedTestCase

PNG = b64encode(b"\x89PNG\r\n\x1a\n").decode()


class SendTests(ServedTestCase):
    """A message of the application."""

    def octets(self, address: str = "maria@acme.test", folder: str = "INBOX") -> bytes:
        """The newest message of a folder."""
        uid = self.good("GET", f"/api/mailboxes/{address}/messages?folder={folder}&limit=1")[0]["uid"]
        return self.ask("GET", f"/api/mailboxes/{address}/messages/{folder}/{uid}/raw").body

    def parsed(self, **fields: Any) -> Any:
        """The message that a send makes."""
        self.write(**fields)
        return message_from_bytes(self.octets(), policy=policy.default)

    def test_road(self) -> None:
        """A copy in Sent, one in each INBOX, mail.delivered, and the persona plans its reply."""
        self.persona()
        answer = self.good("POST", "/api/send", {
            "from": "The shop <App@sim.test>", "to": ["Maria <MARIA@acme.test>"], "cc": ["bob@sim.test"],
            "subject": "Your order", "text": "When would you like it?"}, "member")
        self.assertEqual(answer["status"], "sent")
        for address, folder in (("maria@acme.test", "INBOX"), ("bob@sim.test", "INBOX"), ("app@sim.test", "Sent")):
            (message,) = self.good("GET", f"/api/mailboxes/{address}/messages?folder={folder}")
            self.assertEqual((message["message_id"], message["from"], message["from_name"], message["to"],
                              message["cc"]), (answer["message_id"], "app@sim.test", "The shop", ["maria@acme.test"],
                                               ["bob@sim.test"]))
        (delivered,) = self.good("GET", "/api/events?type=mail.delivered")
        self.assertEqual((delivered["data"]["from"], delivered["data"]["to"]),
                         ("app@sim.test", ["maria@acme.test", "bob@sim.test"]))
        (job,) = self.good("GET", "/api/jobs?state=pending&kind=reply")
        self.assertEqual((job["kind"], job["message_id"]), ("reply", answer["message_id"]))

    def test_html(self) -> None:
        """Text is derived from the HTML; data: images become inline parts, the same one once."""
        image = f'<img src="data:image/png;base64,{PNG}">'
        self.good("POST", "/api/send", {
            "from": "app@sim.test", "to": ["maria@acme.test"], "html": f"<p>Hello <b>Maria</b></p>{image}{image}"})
        message = message_from_bytes(self.octets(), policy=policy.default)
        self.assertIn("Hello Maria", message.get_body(("plain",)).get_content())
        html = message.get_body(("html",)).get_content()
        self.assertNotIn("data:", html)
        pictures = [part for part in message.walk() if part.get_content_type() == "image/png"]
        self.assertEqual(len(pictures), 1)
        self.assertEqual(html.count("cid:" + pictures[0]["Content-ID"][1:-1]), 2)
        self.assertEqual(pictures[0].get_content(), b"\x89PNG\r\n\x1a\n")
        self.assertEqual(self.bad(400, "POST", "/api/send", {
            "from": "app@sim.test", "to": ["maria@acme.test"],
            "html": '<img src="data:image/png;base64,####">'}), "html: is not valid base64")

    def test_attachments(self) -> None:
        """Attachments arrive as they were given."""
        message = self.parsed(attachments=[
            {"filename": "Grüße.csv", "content_type": "text/csv", "data": b64encode(b"a;b\r\n").decode()},
            {"data": b64encode(bytes(range(256))).decode() + "\n"}])
        first, second = message.iter_attachments()
        self.assertEqual((first.get_filename(), first.get_payload(decode=True)), ("Grüße.csv", b"a;b\r\n"))
        self.assertEqual((second.get_filename(), second.get_content_type(), second.get_content()),
                         ("attachment-2", "application/octet-stream", bytes(range(256))))

    def test_reply(self) -> None:
        """in_reply_to threads the message; references may be a list or a header's text."""
        message = self.parsed(in_reply_to="<m1@acme.test>")
        (delivered,) = self.good("GET", "/api/events?type=mail.delivered")
        self.assertEqual(delivered["data"]["in_reply_to"], "<m1@acme.test>")
        self.assertEqual((message["In-Reply-To"], message["References"]), ("<m1@acme.test>", "<m1@acme.test>"))
        for references in (["<m0@acme.test>", "<m1@acme.test>"], "<m0@acme.test> <m1@acme.test>"):
            message = self.parsed(in_reply_to="<m1@acme.test>", references=references)
            self.assertEqual(message["References"].split(), ["<m0@acme.test>", "<m1@acme.test>"])

    def test_forward(self) -> None:
        """A forward carries the attachments of the other message along."""
        self.write(attachments=[{"filename": "a.pdf", "content_type": "application/pdf", "data": "JVBERg=="}])
        message = self.parsed(forward={"address": "Maria@acme.test", "folder": "INBOX", "uid": 1})
        self.assertEqual([one.get_filename() for one in message.iter_attachments()], ["a.pdf"])

    def test_forwarded_pictures(self) -> None:
        """A picture in the other message's text comes along as well: attached, or in its place where that is said."""
        self.write(html="<p>x <img src='data:image/png;base64,iVBORw0KGgo='></p>", attachments=[
            {"filename": "a.pdf", "content_type": "application/pdf", "data": "JVBERg=="}])
        other = {"address": "maria@acme.test", "folder": "INBOX", "uid": 1}
        path = "/api/mailboxes/maria@acme.test/messages/INBOX/1"
        content_id = self.good("GET", path)["message"]["attachments"][0]["content_id"]
        for html, shown in (("", False), ("<p>see</p>", False), (f"<img src='cid:{content_id}'>", True)):
            self.write(to="joe@acme.test", html=html, forward=other)
            found = self.good("GET", "/api/mailboxes/joe@acme.test/messages")[0]
            self.assertEqual({(one["filename"], one.get("inline", False)) for one in found["attachments"]},
                             {("image-1.png", shown), ("a.pdf", False)}, html)
            whole = self.good("GET", f"/api/mailboxes/joe@acme.test/messages/INBOX/{found['uid']}")
            self.assertEqual("/attachments/" in whole["safe"]["html"], shown)

    def test_forward_missing(self) -> None:
        """A message that is not there cannot be forwarded."""
        self.write()
        self.bad(404, "POST", "/api/send", {"from": "app@sim.test", "to": ["maria@acme.test"], "forward": {
            "address": "maria@acme.test", "folder": "INBOX", "uid": 99}})

    def test_refused(self) -> None:
        """Every bad field is named; nothing is sent."""
        good = {"from": "app@sim.test", "to": ["maria@acme.test"]}
        for fields, text in (
            ({"from": None}, "from: must be text, not null"), ({"to": []}, "to: must not be empty"),
            ({"to": "maria@acme.test"}, "to: must be a list, not text"), ({"to": ["nope"]}, "to.0: is not"),
            ({"to": ["a@b.test, c@d.test"]}, "to.0"), ({"to": ["A <a@b.test>, B <c@d.test>"]}, "to.0"),
            ({"cc": ["x@y.test\r\nBcc: z@y.test"]}, "cc.0"), ({"bc": ["x@y.test"]}, "bc: unknown field"),
            ({"subject": "a\nb"}, "subject: must not contain"), ({"subject": "=?utf-8?q?a=0d=0aBcc:_x?="}, "subject"),
            ({"subject": "=?utf-8?b?YQ0KQmNjOiB4?="}, "subject"), ({"from": "=?utf-8?q?a=0a?= <a@b.test>"}, "from"),
            ({"text": "a\0"}, "text: must not contain NUL"), ({"in_reply_to": "m1@acme.test"}, "in_reply_to"),
            ({"in_reply_to": "<a@b>\r\nX: y"}, "in_reply_to"), ({"references": ["<a b@c>"]}, "references.0"),
            ({"attachments": [{"data": "###"}]}, "attachments.0.data: is not valid base64"),
            ({"attachments": [{"data": "", "filename": "a\r\nX: y"}]}, "attachments.0.filename"),
            ({"attachments": [{"data": "", "content_type": "text/html\r\nX: y"}]}, "attachments.0.content_type"),
            ({"attachments": [{}]}, "attachments.0.data: is required"),
            ({"forward": {"address": "a@b.test", "folder": "INBOX"}}, "forward.uid: is required"),
        ):
            self.assertIn(text, self.bad(400, "POST", "/api/send", {**good, **fields}), fields)
        self.assertEqual(self.good("GET", "/api/mailboxes"), [])
        self.assertEqual(self.good("GET", "/api/events"), [])

    def test_too_many_recipients(self) -> None:
        """More recipients than the limit are refused."""
        self.assertIn("1000", self.bad(400, "POST", "/api/send", {
            "from": "app@sim.test", "to": [f"p{n}@acme.test" for n in range(1001)]}))

    def test_bad_recipient(self) -> None:
        """A bad recipient is not an error of the call, and gets nothing."""
        self.persona()
        self.good("PUT", "/api/mailboxes/maria@acme.test/status", {"status": "full"})
        self.write()
        self.assertEqual(self.good("GET", "/api/mailboxes/maria@acme.test/messages"), [])
        self.assertEqual(len(self.good("GET", "/api/mailboxes/app@sim.test/messages?folder=Sent")), 1)

    def test_left_while_waiting(self) -> None:
        """A mail whose sender leaves before it is its turn is sent all the same."""
        for size in (10, SPOOL_OVER):
            turn: Deferred[None] = Deferred()
            with patch.object(self.universe.store, "when_visible", lambda turn=turn: turn):
                connection = self.begin("POST", "/api/send", {
                    "from": "app@sim.test", "to": ["left@sim.test"], "subject": f"left {size}", "text": "x" * size})
                connection.close()
            turn.callback(None)
        self.assertEqual(
            {one["subject"] for one in self.good("GET", "/api/mailboxes/left@sim.test/messages")},
            {"left 10", f"left {SPOOL_OVER}"})

    def test_redis_away(self) -> None:
        """503 with Retry-After, and nothing is sent."""
        self.server.database.set_healthy(False)
        answer = self.ask("POST", "/api/send", {"from": "app@sim.test", "to": ["maria@acme.test"]})
        self.assertEqual((answer.status, answer.headers["retry-after"]), (503, "2"))
        self.server.database.set_healthy(True)
        self.assertEqual(self.good("GET", "/api/mailboxes"), [])

    @settings(max_examples=60, deadline=None)
    @given(st.text(max_size=60), st.text(max_size=30), st.text(max_size=30), st.text(max_size=100))
    def test_no_injection(self, subject: str, name: str, filename: str, text: str) -> None:
        """Whatever the fields hold, a message has no header the service did not mean it to have."""
        answer = self.ask("POST", "/api/send", {
            "from": "app@sim.test", "to": [f"{name} <maria@acme.test>"], "subject": subject, "text": text,
            "attachments": [{"filename": filename, "data": ""}]})
        self.assertIn(answer.status, (200, 400), answer.body)
        if answer.status == 200:
            header = self.octets().partition(b"\r\n\r\n")[0]
            names = {line.partition(b":")[0].lower() for line in header.split(b"\r\n") if line[:1] not in (b" ", b"\t")}
            self.assertLessEqual(names, {b"date", b"from", b"to", b"cc", b"subject", b"mime-version", b"message-id",
                                         b"content-type", b"content-transfer-encoding", b"received", b"return-path"})
