"""C{simmail.rest.mcp.mail_writing}: mail that agents write, and the conversations it stays in."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

from tests.rest.mcp.speaking import SpeakingTestCase

ORIGINAL = ("From: Joe <joe@shop.test>\r\nTo: app@sim.test, Ann <ann@shop.test>\r\nCc: tom@shop.test\r\n"
            "Message-ID: <2@shop.test>\r\nReferences: <1@shop.test> <bad\r\nSubject: The offer\r\n{more}\r\n"
            "When?\r\n")


class WritingTests(SpeakingTestCase):
    """Sending, answering, handing on, drafts."""

    def sent(self) -> Any:
        """The newest mail in Sent."""
        newest = self.good("GET", "/api/mailboxes/app@sim.test/messages?folder=Sent")[0]
        return self.good("GET", f"/api/mailboxes/app@sim.test/messages/Sent/{newest['uid']}")["message"]

    def original(self, more: str = "") -> str:
        """A mail that came to several."""
        id: str = self.come(**{"raw": ORIGINAL.format(more=more)})
        return id

    def test_send(self) -> None:
        """With copies and attachments; bad fields are named, and nothing is sent."""
        self.come()
        told = self.tool("send_email", to=["Ann <ann@shop.test>"], cc=["tom@shop.test"], bcc=["eve@shop.test"],
                         subject="Hello", text="Here", attachments=[
                             {"filename": "a.txt", "content_type": "text/plain", "data": b64encode(b"A").decode()}])
        mail = self.sent()
        self.assertEqual(told["structuredContent"]["message_id"], mail["message_id"])
        self.assertEqual((mail["from"], mail["to"], mail["cc"]), ("app@sim.test", ["ann@shop.test"], ["tom@shop.test"]))
        self.assertEqual([one["filename"] for one in mail["attachments"]], ["a.txt"])
        for field, arguments in (
            ("to.0", {"to": ["x"]}), ("to", {"to": []}), ("to", {}),
            ("subject", {"to": ["a@b.test"], "subject": "a\r\nb"}),
            ("colour", {"to": ["a@b.test"], "colour": "red"}), ("account", {"to": ["a@b.test"], "account": 7}),
            ("attachments.0.data", {"to": ["a@b.test"], "attachments": [{"data": "!"}]}),
        ):
            self.assertEqual(self.wrong("send_email", **arguments).partition(":")[0], field)
        self.assertEqual(self.sent()["message_id"], mail["message_id"])
        self.assertEqual(self.wrong("send_email", role="viewer", to=["a@b.test"]), "this account may not do that")

    def test_reply(self) -> None:
        """To who wrote, or to whom they want; in the conversation, with one Re."""
        self.tool("reply", id=self.original(), text="Now")
        mail = self.sent()
        self.assertEqual((mail["to"], mail["cc"], mail["subject"]), (["joe@shop.test"], [], "Re: The offer"))
        self.assertEqual(mail["in_reply_to"], "<2@shop.test>")
        self.assertEqual(mail["references"], ["<1@shop.test>", "<2@shop.test>"])
        self.tool("reply", id=self.original("Reply-To: sales@shop.test\r\n"), text="Now")
        self.assertEqual(self.sent()["to"], ["sales@shop.test"])
        self.tool("reply", id=f"app@sim.test/Sent/{self.sent()['uid']}", text="And?")
        self.assertEqual((self.sent()["to"], self.sent()["subject"]), (["sales@shop.test"], "Re: The offer"))
        self.tool("reply_all", id=self.original(), text="Now")
        self.assertEqual(self.sent()["to"], ["joe@shop.test"])
        self.assertEqual(self.sent()["cc"], ["ann@shop.test", "tom@shop.test"])

    def test_nobody(self) -> None:
        """A mail without a sender cannot be answered."""
        id = self.come(**{"raw": "Subject: x\r\n\r\ny\r\n"})
        self.assertTrue(self.wrong("reply", id=id, text="x").startswith("id:"))

    def test_forward(self) -> None:
        """With its text and attachments."""
        id = self.come(**{"raw": "From: joe@shop.test\r\nSubject: List\r\nMIME-Version: 1.0\r\nContent-Type: "
                                 "multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nAs asked.\r\n--b\r\nContent-Type: "
                                 "text/csv\r\nContent-Disposition: attachment; filename=l.csv\r\n\r\n1\r\n--b--\r\n"})
        self.tool("forward", id=id, to=["ann@shop.test"], text="For you")
        mail = self.sent()
        self.assertEqual((mail["subject"], mail["to"]), ("Fwd: List", ["ann@shop.test"]))
        self.assertEqual(mail["text"][:60], "For you\n\n---------- Forwarded message ----------\nFrom: joe@s")
        self.assertIn("As asked.", mail["text"])
        self.assertEqual([one["filename"] for one in mail["attachments"]], ["l.csv"])

    def test_draft(self) -> None:
        """A draft is kept, sent as it is, and then gone."""
        id = self.tool("save_draft", subject="Later", text="x", in_reply_to=self.original())["structuredContent"]["id"]
        self.assertEqual(id, "app@sim.test/Drafts/1")
        self.assertIn("no recipient", self.wrong("send_draft", id=id))
        id = self.tool("save_draft", to=["ann@shop.test"], cc=["tom@shop.test"], subject="Later", text="Hello",
                       in_reply_to="app@sim.test/INBOX/1", attachments=[
                           {"filename": "a.txt", "data": b64encode(b"A").decode()}])["structuredContent"]["id"]
        self.tool("send_draft", id=id)
        mail = self.sent()
        self.assertEqual((mail["to"], mail["cc"], mail["subject"], mail["text"].strip(), mail["in_reply_to"]),
                         (["ann@shop.test"], ["tom@shop.test"], "Later", "Hello", "<2@shop.test>"))
        self.assertEqual([one["filename"] for one in mail["attachments"]], ["a.txt"])
        self.wrong("send_draft", id=id)
        self.assertIn("draft", self.wrong("send_draft", id="app@sim.test/INBOX/1"))
