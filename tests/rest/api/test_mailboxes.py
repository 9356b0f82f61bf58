"""Mailboxes, folders and messages over HTTP."""

from __future__ import annotations

from email import message_from_bytes
from typing import Any
from urllib.parse import quote

from simmail.config import Config, Http, Limits
from simmail.testing.universe import START
from tests.rest.served import ServedTestCase

BASE = "/api/mailboxes/app@sim.test/messages"

MIXED = """From: Maria =?utf-8?q?Wei=C3=9F?= <maria@acme.test>
To: app@sim.test, Bob <bob@sim.test>
Cc: carl@sim.test
Subject: =?utf-8?b?R3LDvMOfZQ==?=
Date: Mon, 02 Mar 2026 10:00:00 +0100
Message-ID: <m1@acme.test>
In-Reply-To: <m0@sim.test>
References: <m00@sim.test> <m0@sim.test>
X-Service-Simulated: yes
X-Service-Case:
  c1
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=a

--a
Content-Type: multipart/related; boundary=b

--b
Content-Type: text/html; charset=utf-8

<p onclick=x>Hello <img src="cid:pic@acme"> <img src="https://tracker.example/x.png"></p><script>alert(1)</script>
--b
Content-Type: image/png
Content-ID: <pic@acme>
Content-Disposition: inline; filename=pic.png
Content-Transfer-Encoding: base64

iVBORw0KGgo=
--b--
--a
Content-Type: text/html; name="../../evil\\".html"
Content-Disposition: attachment; filename*=utf-8''..%2F..%2FGr%C3%BC%C3%9Fe.html

<script>alert(1)</script>
--a--
"""


class ListTests(ServedTestCase):
    """What there is."""

    def test_mailboxes(self) -> None:
        """Mailboxes without a persona come first, each group by address; fields as the contract has them."""
        made = self.persona("zoe@acme.test", name="Zoe")
        self.persona("al@acme.test", name="Al")
        self.good("POST", "/api/inject", {"to": "b@sim.test", "from": "x@y.test", "subject": "s", "text": "t"})
        self.good("POST", "/api/inject", {"to": "a@sim.test", "from": "x@y.test"})
        found = self.good("GET", "/api/mailboxes", role="viewer")
        self.assertEqual([one["address"] for one in found],
                         ["a@sim.test", "b@sim.test", "al@acme.test", "zoe@acme.test"])
        self.assertEqual(found[0], {"address": "a@sim.test", "can_login": False, "unread": 1, "total": 1,
                                    "folders": {"INBOX": {"total": 1, "unread": 1}}})
        self.good("POST", "/api/inject", {"to": "a@sim.test", "from": "x@y.test", "folder": "Junk"})
        self.good("PATCH", "/api/mailboxes/a@sim.test/messages/INBOX/1", {"seen": True, "move_to": "Archive"})
        first = self.good("GET", "/api/mailboxes")[0]
        self.assertEqual((first["total"], first["unread"], first["folders"]), (
            2, 1, {"Archive": {"total": 1, "unread": 0}, "Junk": {"total": 1, "unread": 1}}))
        self.assertEqual(found[2]["folders"], {})
        self.assertEqual((found[3]["persona_id"], found[3]["persona"]), (made["id"], "Zoe"))

    def test_folders(self) -> None:
        """INBOX, Sent, Drafts, Archive, Trash come first."""
        self.good("POST", "/api/inject", {"to": "a@sim.test", "from": "x@y.test"})
        found = self.good("GET", "/api/mailboxes/A@sim.test/folders", role="viewer")
        self.assertEqual([one["name"] for one in found[:5]], ["INBOX", "Sent", "Drafts", "Archive", "Trash"])
        self.assertEqual(found[0], {"name": "INBOX", "special_use": "", "total": 1, "unread": 1})
        self.assertEqual(found[1]["special_use"], "\\Sent")

    def test_no_mailbox(self) -> None:
        """An unknown mailbox is 404 on every call, before anything else is looked at."""
        for path in ("/folders", "/messages?limit=x", "/threads?limit=x", "/messages/INBOX/1?remote=x",
                     "/messages/INBOX/1/raw", "/messages/INBOX/1/attachments/0"):
            self.assertIn("nobody@sim.test", self.bad(404, "GET", "/api/mailboxes/nobody@sim.test" + path))
        self.bad(404, "PUT", "/api/mailboxes/nobody@sim.test/status", {"status": "odd"})
        self.bad(404, "PATCH", "/api/mailboxes/nobody@sim.test/messages/INBOX/1", {"odd": 1})

    def test_messages(self) -> None:
        """Newest first, paged by UID, text cut to 240 characters, html empty."""
        for n in range(1, 6):
            self.good("POST", "/api/inject", {"to": "app@sim.test", "from": "x@y.test", "subject": f"s{n}",
                                              "text": f"{n}" * 300})
        found = self.good("GET", BASE, role="viewer")
        self.assertEqual([one["subject"] for one in found], ["s5", "s4", "s3", "s2", "s1"])
        self.assertEqual((found[0]["text"], found[0]["html"]), ("5" * 240, ""))
        answer = self.ask("GET", BASE + "?limit=2&folder=INBOX")
        self.assertEqual([one["subject"] for one in answer.json()], ["s5", "s4"])
        link = answer.headers["link"]
        self.assertTrue(link.endswith('>; rel="next"'))
        following = self.ask("GET", link[1:link.index(">")])
        self.assertEqual([one["subject"] for one in following.json()], ["s3", "s2"])
        link = following.headers["link"]
        last = self.ask("GET", link[1:link.index(">")])
        self.assertEqual([one["subject"] for one in last.json()], ["s1"])
        self.assertNotIn("link", last.headers)
        behind = self.ask("GET", BASE + "?limit=2&offset=1")
        self.assertEqual([one["subject"] for one in behind.json()], ["s4", "s3"])
        link = behind.headers["link"]
        self.assertEqual([one["subject"] for one in self.ask("GET", link[1:link.index(">")]).json()], ["s2", "s1"])
        self.assertEqual(self.good("GET", BASE + "?offset=5"), [])
        self.assertEqual(self.good("GET", BASE + "?folder=Sent"), [])
        self.bad(404, "GET", BASE + "?folder=Nope")
        for query, text in (("limit=0", "limit"), ("limit=1001", "limit"), ("before=x", "before"),
                            ("q=is:nice", "q: is: knows only"), ("colour=x", "colour: unknown")):
            self.assertIn(text, self.bad(400, "GET", f"{BASE}?{query}"))

    def test_status(self) -> None:
        """A forced status is set and cleared; only the contract's values are."""
        self.persona()
        path = "/api/mailboxes/maria@acme.test/status"
        self.assertEqual(self.good("PUT", path, {"status": "full"}, "member"),
                         {"address": "maria@acme.test", "status": "full"})
        self.assertEqual(self.universe.policy.recipient("maria@acme.test", "a@b.test").bad, "full")
        self.good("PUT", path, {"status": "ok"})
        self.assertEqual(self.universe.policy.recipient("maria@acme.test", "a@b.test").kind, "deliver")
        self.assertEqual(self.bad(400, "PUT", path, {"status": "odd"}),
                         "status: must be one of blocked, disabled, domain, full, ok, unknown")


class MessageTests(ServedTestCase):
    """One message."""

    def inject(self, **fields: Any) -> dict[str, Any]:
        """A message in the application's mailbox."""
        answer: dict[str, Any] = self.good("POST", "/api/inject", {"to": "app@sim.test", **fields})
        return answer

    def test_full(self) -> None:
        """All fields of a message, in the list and whole; HTML only in safe, cid images by the attachment call."""
        self.inject(raw=MIXED)
        (listed,) = self.good("GET", BASE)
        full = self.good("GET", BASE + "/INBOX/1", role="viewer")
        message = full["message"]
        for one in (listed, message):
            for field, expected in (
                ("uid", 1), ("folder", "INBOX"), ("flags", []), ("message_id", "<m1@acme.test>"),
                ("in_reply_to", "<m0@sim.test>"), ("references", ["<m00@sim.test>", "<m0@sim.test>"]),
                ("from", "maria@acme.test"), ("from_name", "Maria Weiß"), ("to", ["app@sim.test", "bob@sim.test"]),
                ("cc", ["carl@sim.test"]), ("subject", "Grüße"), ("html", ""), ("format", "html"),
                ("headers", {"x-service-simulated": "yes", "x-service-case": "c1"}), ("time", "2026-03-02T09:00:00Z"),
                ("attachments", [
                    {"filename": "pic.png", "content_type": "image/png", "size": 8, "content_id": "pic@acme",
                     "inline": True},
                    {"filename": "Grüße.html", "content_type": "text/html", "size": 25}]),
            ):
                self.assertEqual(one[field], expected, field)
            self.assertIn("Hello", one["text"])
        self.assertEqual(full["case"], {"id": "c1", "how": "header"})
        html = full["safe"]["html"]
        self.assertIn("/api/mailboxes/app@sim.test/messages/INBOX/1/attachments/0", html)
        self.assertNotIn("tracker.example", html)
        self.assertNotIn("script", html)
        self.assertEqual(full["safe"]["remote_blocked"], 1)
        remote = self.good("GET", BASE + "/INBOX/1?remote=1&theme=light")
        self.assertIn("https://tracker.example/x.png", remote["safe"]["html"])
        self.assertEqual(remote["safe"]["remote_blocked"], 0)

    def test_plain(self) -> None:
        """Mail without HTML and without a case has empty safe and no case."""
        self.inject(**{"from": "x@y.test", "subject": "s", "text": "Hello"})
        full = self.good("GET", BASE + "/INBOX/1")
        self.assertEqual((full["safe"], full["case"]), ({"html": "", "remote_blocked": 0}, None))
        self.assertEqual((full["message"]["format"], full["message"]["text"], full["message"]["headers"]),
                         ("text", "Hello", {}))

    def test_raw(self) -> None:
        """The octets as they were sent, which no browser may run."""
        self.inject(raw=MIXED)
        answer = self.ask("GET", BASE + "/INBOX/1/raw", role="viewer")
        self.assertEqual(answer.headers["content-type"], "message/rfc822")
        self.assertEqual(answer.headers["x-content-type-options"], "nosniff")
        self.assertEqual(answer.body, MIXED.encode().replace(b"\n", b"\r\n"))

    def test_attachments(self) -> None:
        """Attachments count from 0, are saved under their own name without folders, and run nowhere."""
        self.inject(raw=MIXED)
        picture = self.ask("GET", BASE + "/INBOX/1/attachments/0", role="viewer")
        self.assertEqual((picture.body, picture.headers["content-type"]), (b"\x89PNG\r\n\x1a\n", "image/png"))
        self.assertEqual(picture.headers["content-disposition"], 'attachment; filename="pic.png"')
        page = self.ask("GET", BASE + "/INBOX/1/attachments/1")
        self.assertEqual(page.headers["content-disposition"],
                         "attachment; filename=\"Gr__e.html\"; filename*=UTF-8''Gr%C3%BC%C3%9Fe.html")
        self.assertEqual((page.headers["x-content-type-options"], page.headers["content-security-policy"]),
                         ("nosniff", "default-src 'none'; sandbox"))
        self.assertIn("2 attachments", self.bad(404, "GET", BASE + "/INBOX/1/attachments/2"))
        self.bad(404, "GET", BASE + "/INBOX/1/attachments/x")

    def test_not_there(self) -> None:
        """A UID or folder that is not there is 404; reading sets no flag."""
        self.inject(**{"from": "x@y.test"})
        self.good("GET", BASE + "/INBOX/1")
        self.assertEqual(self.good("GET", BASE)[0]["flags"], [])
        for path in ("/INBOX/2", "/INBOX/0", "/Sent/1", "/Nope/1", "/INBOX/99999999999"):
            self.bad(404, "GET", BASE + path)

    def test_change(self) -> None:
        """seen sets and clears the flag, move_to moves; both at once; nothing changes when one cannot be."""
        self.inject(**{"from": "x@y.test"})
        path = BASE + "/INBOX/1"
        self.assertEqual(self.good("PATCH", path, {"seen": True}, "member")["flags"], ["\\Seen"])
        self.assertEqual(self.good("PATCH", path, {"seen": False})["flags"], [])
        self.bad(404, "PATCH", path, {"seen": True, "move_to": "Nope"})
        self.assertEqual(self.good("PATCH", path, {})["flags"], [])
        moved = self.good("PATCH", path, {"seen": True, "move_to": "Archive"})
        self.assertEqual((moved["folder"], moved["flags"]), ("Archive", ["\\Seen"]))
        self.bad(404, "GET", path)
        self.good("GET", f"{BASE}/Archive/{moved['uid']}")
        for body, text in (({"seen": "yes"}, "seen: must be true or false"), ({"flag": 1}, "flag: unknown field"),
                           ({"move_to": 1}, "move_to: must be text")):
            self.assertIn(text, self.bad(400, "PATCH", f"{BASE}/Archive/{moved['uid']}", body))

    def test_delete(self) -> None:
        """A deleted message is gone."""
        self.inject(**{"from": "x@y.test"})
        self.assertEqual(self.good("DELETE", BASE + "/INBOX/1", role="member"), {"status": "deleted"})
        self.bad(404, "DELETE", BASE + "/INBOX/1")
        self.assertEqual(self.good("GET", BASE), [])

    def test_other_folders(self) -> None:
        """A folder with a slash in its name is reached."""
        from simmail.testing.universe import now

        self.inject(**{"from": "x@y.test"})
        now(self.universe.store.create_folder("app@sim.test", "Archive/2026 q1", ""))
        moved = self.good("PATCH", BASE + "/INBOX/1", {"move_to": "Archive/2026 q1"})
        for folder in ("Archive%2F2026%20q1", "Archive/2026%20q1"):
            self.assertEqual(self.good("GET", f"{BASE}/{folder}/{moved['uid']}")["message"]["uid"], moved["uid"])

    def test_display(self) -> None:
        """The page of a message runs nothing, frames nothing, and has the message's own images in it."""
        self.good("POST", "/api/inject", {"to": "app@sim.test", "raw": MIXED})
        page = self.ask("GET", BASE + "/INBOX/1/display", role="viewer")
        self.assertEqual((page.status, page.headers["content-type"]), (200, "text/html; charset=utf-8"))
        policy = page.headers["content-security-policy"]
        self.assertIn("default-src 'none'; style-src 'unsafe-inline'; img-src data:;", policy)
        self.assertIn("sandbox allow-popups allow-popups-to-escape-sandbox", policy)
        self.assertIn(b'src="data:image/png;base64,iVBORw0KGgo="', page.body)
        for bad in (b"tracker.example", b"<script", b"onclick"):
            self.assertNotIn(bad, page.body)
        remote = self.ask("GET", BASE + "/INBOX/1/display?remote=1&theme=light")
        self.assertIn("img-src data: https:;", remote.headers["content-security-policy"])
        self.assertIn(b"https://tracker.example/x.png", remote.body)
        self.good("POST", "/api/inject", {"to": "app@sim.test", "from": "x@y.test", "subject": "</title><b>",
                                          "text": "<b>1 & 2"})
        plain = self.ask("GET", BASE + "/INBOX/2/display")
        self.assertIn(b"<title>&lt;/title&gt;&lt;b&gt;</title>", plain.body)
        self.assertIn(b"<pre>&lt;b&gt;1 &amp; 2", plain.body)


class InjectTests(ServedTestCase):
    """Mail without SMTP."""

    def test_fields(self) -> None:
        """From, subject and text make a message; it is answered as filed, and nobody is notified or replies."""
        self.persona()
        before = self.good("GET", "/api/events")
        filed = self.good("POST", "/api/inject", {"to": "maria@acme.test", "from": "Joe <joe@y.test>", "subject": "Hi",
                                                  "text": "Will you answer?"}, "member")
        self.assertEqual((filed["from"], filed["from_name"], filed["subject"], filed["text"], filed["folder"]),
                         ("joe@y.test", "Joe", "Hi", "Will you answer?", "INBOX"))
        self.assertTrue(filed["message_id"])
        self.assertEqual(filed["time"], START.isoformat().replace("+00:00", "Z"))
        self.assertEqual(self.good("GET", "/api/jobs"), [])
        self.assertEqual(self.good("GET", "/api/events"), before)

    def test_folder(self) -> None:
        """Another folder is taken when it is there."""
        filed = self.good("POST", "/api/inject", {"to": "a@sim.test", "folder": "Junk", "from": "x@y.test"})
        self.assertEqual(filed["folder"], "Junk")
        self.bad(404, "POST", "/api/inject", {"to": "a@sim.test", "folder": "Nope", "from": "x@y.test"})

    def test_raw_line_ends(self) -> None:
        """Raw mail gets CRLF whatever it was written with."""
        for raw in ("Subject: a\n\nb\nc\n", "Subject: a\r\n\r\nb\r\nc\r\n", "Subject: a\r\rb\rc\r"):
            filed = self.good("POST", "/api/inject", {"to": "a@sim.test", "raw": raw})
            octets = self.ask("GET", f"/api/mailboxes/a@sim.test/messages/INBOX/{filed['uid']}/raw").body
            self.assertEqual(octets.replace(b"\r\n", b"").count(b"\n") + octets.replace(b"\r\n", b"").count(b"\r"), 0)
            self.assertEqual(message_from_bytes(octets).get_payload(), "b\r\nc\r\n")

    def test_refused(self) -> None:
        """Both forms at once, neither, bad addresses, broken headers: 400 naming the field; no mailbox is made."""
        for body, text in (
            ({"to": "a@sim.test"}, "from: is required unless raw is given"), ({"from": "x@y.test"}, "to: is required"),
            ({"to": "nope", "from": "x@y.test"}, "to: is not an email address"),
            ({"to": "a@sim.test", "from": "nope"}, "from: is not an email address"),
            ({"to": "a@sim.test", "raw": "x", "text": "y"}, "raw: give either"),
            ({"to": "a@sim.test", "raw": " "}, "raw: must not be empty"),
            ({"to": "a@sim.test", "from": "x@y.test", "subject": "a\r\nBcc: b@c.test"}, "subject: must not contain"),
            ({"to": "a@sim.test", "from": "x@y.test\r\nBcc: b@c.test"}, "from"),
            ({"to": "a@sim.test", "from": "x@y.test", "text": "a\0b"}, "text: must not contain NUL"),
            ({"to": "../../etc/passwd", "from": "x@y.test"}, "to: is not an email address"),
        ):
            self.assertIn(text, self.bad(400, "POST", "/api/inject", body))
        self.assertEqual(self.good("GET", "/api/mailboxes"), [])


class LimitTests(ServedTestCase):
    """Limits at the door."""

    config = Config(http=Http(rate=0), limits=Limits(message=20_000, json=1000, header=5000, header_field=2000))

    def test_too_large(self) -> None:
        """A body over its limit, a header section or field over theirs: 413."""
        ok = {"to": "a@sim.test", "raw": "Subject: a\n\n" + "x" * 15_000}
        self.good("POST", "/api/inject", ok)
        for raw in ("Subject: a\n\n" + "x" * 20_000, "X: " + "y" * 2100 + "\n\n",
                    "X: y\n" + " z" * 3 + "\n " * 1200 + "\n\n", "X: y\n" * 1001 + "\nbody"):
            self.bad(413, "POST", "/api/inject", {**ok, "raw": raw})
        self.bad(413, "POST", "/api/personas", {"addresses": ["a@b.test"], "who": "x" * 1000})
        self.assertEqual(len(self.good("GET", "/api/mailboxes/a@sim.test/messages")), 1)


class ThreadTests(ServedTestCase):
    """Conversations."""

    def test_threads(self) -> None:
        """Messages of INBOX, Sent and Archive in conversations, the most recent first, oldest message first."""
        self.persona()
        first = self.write(subject="One")
        self.good("POST", "/api/clock/advance", {"by": "10d"})
        self.good("POST", "/api/inject", {"to": "app@sim.test", "from": "x@y.test", "subject": "Two", "text": "t"})
        self.good("POST", "/api/inject", {"to": "app@sim.test", "folder": "Junk", "from": "x@y.test",
                                          "subject": "Three"})
        path = "/api/mailboxes/app@sim.test/threads"
        found = self.good("GET", path, role="viewer")
        self.assertEqual([one["subject"] for one in found], ["Two", "One"])
        self.assertEqual(found[1]["root"], first)
        self.assertEqual([(one["folder"], one["from"]) for one in found[1]["messages"]],
                         [("Sent", "app@sim.test"), ("INBOX", "maria@acme.test")])
        answer = self.ask("GET", path + "?limit=1")
        self.assertEqual(len(answer.json()), 1)
        link = answer.headers["link"]
        self.assertEqual([one["subject"] for one in self.good("GET", link[1:link.index(">")])], ["One"])
        self.assertIn("before", self.bad(400, "GET", path + "?before=nope"))
        self.assertEqual(self.good("GET", f"{path}?root={quote(first)}"), found[1:])
        self.assertEqual(self.good("GET", path + "?root=nope"), [])
