"""Whole messages, kept at hand and never stale."""

from __future__ import annotations

import json
from typing import Any

from twisted.internet.defer import succeed

from simmail.core.message.summarize import TEXT
from simmail.rest.render.shown import LARGE, MOST, Showings
from simmail.testing.universe import now
from tests.rest.served import ServedTestCase

PATH = "/api/mailboxes/app@sim.test/messages/INBOX/"


def at_once(work: Any) -> Any:
    """No threads."""
    return work()


class ShowingTests(ServedTestCase):
    """What is kept of messages."""

    def setUp(self) -> None:
        """Three messages, and a count of what is read from the store."""
        super().setUp()
        for n in range(1, 4):
            self.good("POST", "/api/inject", {"to": "app@sim.test", "raw": (
                f"From: x@y.test\nSubject: s{n}\nContent-Type: text/html\n\n<p style='color:#333'>{n}</p>")})
        self.folder = now(self.universe.mailboxes.folder("app@sim.test", "INBOX"))
        self.asked: list[int] = []
        read = self.folder.read

        def counted(uid: int) -> Any:
            self.asked.append(uid)
            return read(uid)

        self.patch(self.folder, "read", counted)

    def show(self, showings: Showings, uid: int, **how: bool) -> str:
        """The subject and safe HTML of a message, as JSON."""
        one = now(showings.one(1, self.folder, self.folder.entry(uid), at_once, **how))
        return str(one.safe, "utf-8")

    def test_read_once(self) -> None:
        """A message is read once for each way it is shown and each state of its flags."""
        dark = self.good("GET", PATH + "1")["safe"]["html"]
        light = self.good("GET", PATH + "1?theme=light")["safe"]["html"]
        self.assertIn("light-dark(", dark)
        self.assertNotIn("light-dark(", light)
        for _ in range(3):
            self.assertEqual(self.good("GET", PATH + "1")["safe"]["html"], dark)
            self.assertEqual(self.good("GET", PATH + "1?theme=light")["safe"]["html"], light)
        self.assertEqual(self.asked, [1, 1])
        self.good("PATCH", PATH + "1", {"seen": True})
        self.assertEqual(self.good("GET", PATH + "1")["message"]["flags"], ["\\Seen"])
        self.assertEqual(self.asked, [1, 1, 1])

    def test_gone(self) -> None:
        """What is deleted or moved is gone, however often it was looked at."""
        self.good("GET", PATH + "1")
        self.good("DELETE", PATH + "1")
        self.bad(404, "GET", PATH + "1")
        self.good("GET", PATH + "2")
        self.good("PATCH", PATH + "2", {"move_to": "Archive"})
        self.bad(404, "GET", PATH + "2")
        self.assertEqual(self.good("GET", PATH.replace("INBOX", "Archive") + "1")["message"]["folder"], "Archive")

    def test_case_is_fresh(self) -> None:
        """The case of a thread is asked for each time: it may be linked later."""
        self.persona("maria@acme.test")
        self.write(subject="Invoice INV-2041")
        path = "/api/mailboxes/maria@acme.test/messages/INBOX/1"
        self.assertIsNone(self.good("GET", path)["case"])
        case = self.good("POST", "/api/cases", {"title": "An invoice", "keys": ["INV-2041"]})["case"]["id"]
        self.write(subject="Again INV-2041", in_reply_to=self.good("GET", path)["message"]["message_id"])
        self.assertEqual(self.good("GET", path)["case"], {"id": case, "how": "key"})

    def test_universe_made_anew(self) -> None:
        """A universe under the id of one that was deleted has mail of its own."""
        for text in ("old", "new"):
            other = self.server.universe("other")
            now(other.mailboxes.inject("app@sim.test", "INBOX", f"Subject: {text}\r\n\r\n{text}".encode()))
            key = now(self.server.roster.create_key("other", "viewer", "x"))
            self.assertEqual(self.ask("GET", PATH + "1", role=key).json()["message"]["subject"], text)
            listed = self.ask("GET", "/api/mailboxes/app@sim.test/messages", role=key).json()
            self.assertEqual([one["subject"] for one in listed], [text])
            now(self.server.roster.delete_universe("other"))

    def test_bounded(self) -> None:
        """Octets are counted, the oldest goes first, one that is very large is not kept."""
        showings = Showings(1)
        self.show(showings, 1)
        self.assertEqual(showings.size, 0)
        showings = Showings()
        self.show(showings, 1)
        one = showings.size
        showings = Showings(2 * one + 10)
        for uid in (1, 2, 1, 3, 1, 2):
            self.show(showings, uid)
        self.assertEqual(showings.size, 2 * one)
        self.assertEqual(self.asked[2:], [1, 2, 3, 2])
        self.good("POST", "/api/inject", {"to": "app@sim.test", "raw": (
            "Subject: large\nContent-Type: text/html\n\n" + "<p>word word word</p>\n" * (MOST // 18))})
        self.show(showings, 4)
        self.assertEqual(showings.size, 2 * one)

    def test_text_from_index(self) -> None:
        """The text of a message in HTML is taken from the index when all of it is there."""
        self.good("POST", "/api/inject", {"to": "app@sim.test", "raw": (
            "Content-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/plain\n\nplain\n"
            "--b\nContent-Type: text/html\n\n<p>rich</p>\n--b--\n")})
        asked: list[int] = []
        kept_text = self.folder.kept_text

        def counted(uid: int) -> Any:
            asked.append(uid)
            return kept_text(uid)

        self.patch(self.folder, "kept_text", counted)
        rendered = self.good("GET", PATH + "1")["message"]["text"]
        self.assertEqual((rendered, self.good("GET", PATH + "4")["message"]["text"], asked), ("1", "plain", [1]))
        for kept, expected in (("known", "known"), ("x" * TEXT, "2"), ("", "2"), (None, "2")):
            self.patch(self.folder, "kept_text", lambda uid, kept=kept: succeed(kept))
            one = now(Showings().one(1, self.folder, self.folder.entry(2), at_once))
            self.assertEqual(json.loads(one.message)["text"], expected)

    def test_large_in_thread(self) -> None:
        """A large message is understood elsewhere, a small one at once."""
        self.good("POST", "/api/inject", {"to": "app@sim.test", "raw": "Subject: l\n\n" + "word\n" * (LARGE // 5)})
        works: list[Any] = []

        def in_thread(work: Any) -> Any:
            works.append(work)
            return work()

        for uid in (1, 4):
            now(Showings().one(1, self.folder, self.folder.entry(uid), in_thread))
        self.assertEqual(len(works), 1)
