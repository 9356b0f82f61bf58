"""Waits over HTTP."""

from __future__ import annotations

from urllib.parse import quote

from simmail.testing.universe import now
from simmail.universe import looking
from simmail.universe.looking import FEW
from tests.rest.served import ServedTestCase

CODE = {"to": "app@sim.test", "from": "shop@acme.test", "subject": "Your code", "text": "Your code is 471193."}


class WaitTests(ServedTestCase):
    """The next mail to an address."""

    def test_already_there(self) -> None:
        """Mail of the last hour counts; the answer is the full message with codes, links, case and cursor."""
        self.good("POST", "/api/inject", CODE)
        answer = self.good("GET", "/api/wait?to=App@sim.test&subject=CODE", role="viewer")
        self.assertEqual(set(answer), {"message", "safe", "case", "codes", "links", "cursor"})
        self.assertEqual((answer["message"]["subject"], answer["message"]["flags"]), ("Your code", []))
        self.assertEqual(answer["codes"][0]["value"], "471193")
        self.assertEqual(answer["cursor"], 0)

    def test_comes_later(self) -> None:
        """A wait is answered when the mail comes."""
        self.good("POST", "/api/inject", {**CODE, "text": "earlier"})
        connection = self.begin("GET", "/api/wait?to=app@sim.test&text=471193&match=all", role="viewer")
        self.good("POST", "/api/inject", {**CODE, "text": "other"})
        self.assertEqual(connection.received(), b"")
        self.good("POST", "/api/inject", CODE)
        self.assertEqual(connection.answer().json()["message"]["text"], "Your code is 471193.")

    def test_timeout(self) -> None:
        """408 says what was awaited, what came instead, and what is planned."""
        connection = self.begin("GET", "/api/wait?to=app@sim.test&subject=order&timeout=10s")
        self.good("POST", "/api/inject", CODE)
        self.server.reactor.advance(9.9)
        self.assertEqual(connection.received(), b"")
        self.server.reactor.advance(0.2)
        answer = connection.answer()
        self.assertEqual(answer.status, 408)
        for text in ("app@sim.test", "subject containing 'order'", "'Your code' does not contain 'order'", "planned"):
            self.assertIn(text, answer.error)

    def test_several(self) -> None:
        """With count the answer is a list and a cursor."""
        for _ in range(3):
            self.good("POST", "/api/inject", CODE)
        answer = self.good("GET", "/api/wait?to=app@sim.test&count=2")
        self.assertEqual((set(answer), len(answer["messages"])), ({"messages", "cursor"}, 2))

    def test_advance(self) -> None:
        """With advance the clock runs to the answer, and no further."""
        self.persona()
        self.write()
        answer = self.good("GET", "/api/wait?to=app@sim.test&from=maria&advance=1", role="member")
        self.assertEqual(answer["message"]["from"], "maria@acme.test")
        self.assertEqual(self.good("GET", "/api/clock")["now"], answer["message"]["time"])
        self.assertIn("viewer", self.bad(403, "GET", "/api/wait?to=app@sim.test&advance=1", role="viewer"))

    def test_advance_goes_on(self) -> None:
        """A wait that moves the clock is not broken off by a client that leaves."""
        self.persona()
        self.write()
        connection = self.begin("GET", "/api/wait?to=nobody@sim.test&advance=1&timeout=1s")
        connection.close()
        self.assertEqual(self.good("GET", "/api/clock")["pending"], 0)

    def test_left(self) -> None:
        """A client that leaves ends its wait."""
        self.begin("GET", "/api/wait?to=app@sim.test&timeout=5m").close()
        self.assertEqual(len(self.universe.log._watchers), 0)

    def test_refused(self) -> None:
        """Bad parameters are named at once."""
        for query, text in (
            ("", "to: is required"), ("to=nope", "to: is not"), ("to=a@b.test&timeout=6m", "timeout: at most 5m"),
            ("to=a@b.test&timeout=soon", "timeout"), ("to=a@b.test&since=yesterday", "since"),
            ("to=a@b.test&header=X", "header"), ("to=a@b.test&match=some", "match: must be one of all, any"),
            ("to=a@b.test&count=0", "count"), ("to=a@b.test&advance=maybe", "advance"), ("to=a@b.test&who=x", "who"),
            ("to=a@b.test&settle=1m", "settle"), ("to=a@b.test&sim_timeout=2000d", "sim_timeout"),
            ("to=a@b.test&existing=2", "existing"),
        ):
            self.assertIn(text, self.bad(400, "GET", "/api/wait?" + query), query)


class ManyTests(ServedTestCase):
    """Mail that was there before, of which there is much."""

    def setUp(self) -> None:
        """A mailbox of mails that differ in all that can be asked for."""
        super().setUp()
        for n in range(3 * FEW):
            self.good("POST", "/api/inject", {"to": "app@sim.test", "raw": (
                f"From: =?utf-8?q?J=C3=B6rg_{n}?= <j{n}@x.test>\r\nTo: app@sim.test\r\n"
                f"Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?= number {n}.\r\nX-Number: n{n}.\r\nX-Service-Case: c_{n}\r\n"
                "MIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
                f"<p>Text <b>number {n}.</b></p><p>{'long ' * (60_000 if n == 2 else 1)}<p>end {n}.</p>\r\n")})
        self.good("PATCH", "/api/mailboxes/app@sim.test/messages/INBOX/3", {"seen": True})

    def found(self, query: str) -> list[int]:
        """The UIDs that a wait for each message there finds, and that one that reads all finds as well."""
        answers = []
        for few in (FEW, 10_000):
            self.patch(looking, "FEW", few)
            connection = self.begin("GET", f"/api/wait?to=app@sim.test&existing=1&timeout=1s&{query}")
            self.server.reactor.advance(1.1)
            answers.append(connection.answer())
        self.assertEqual(answers[0].status, answers[1].status)
        one, other = (answer.json() for answer in answers)
        self.assertEqual(one, other)
        if answers[0].status == 408:
            self.assertIn(f"{3 * FEW} seen", answers[0].error)
            return []
        return [each["message"]["uid"] for each in one.get("messages", [one])]

    def test_each(self) -> None:
        """Each thing that can be asked for is decided as by reading the messages, the newest first."""
        for query, uids in (
            ("subject=GR%C3%9CSSE", []), ("subject=number%205.", [6]), ("from=j%C3%B6rg%207", [8]),
            ("from=j7@x", [8]), ("text=text%20number%208.", [9]), ("header=x-number:n4.", [5]),
            ("header=X-Number:", [12]), ("case_id=c_9", [10]), ("text=end%202.", [3]), ("unread=1&text=end%202.", []),
            ("count=3&text=long", [12, 11, 10]), ("text=end%201.&subject=number%202.", []),
            ("match=any&text=end%201.&subject=number%202.&count=2", [3, 2]), ("subject=none", []),
        ):
            self.assertEqual(self.found(query), uids, query)

    def test_not_read(self) -> None:
        """No message is read but that which is shown."""
        folder = now(self.universe.store.folder("app@sim.test", "INBOX"))
        asked: list[int] = []
        read = folder.read
        self.patch(folder, "read", lambda uid: asked.append(uid) or read(uid))
        self.good("GET", "/api/wait?to=app@sim.test&existing=1&subject=number%201.")
        self.assertEqual(set(asked), {2})


class NoneTests(ServedTestCase):
    """No such mail."""

    def test_none(self) -> None:
        """200 {} when the time passes; 409 when one comes."""
        connection = self.begin("GET", "/api/wait/none?to=app@sim.test&timeout=2s")
        self.server.reactor.advance(2.1)
        self.assertEqual((connection.answer().json()), {})
        self.good("POST", "/api/inject", CODE)
        connection = self.begin("GET", "/api/wait/none?to=app@sim.test&timeout=2s&existing=0")
        self.good("POST", "/api/inject", CODE)
        answer = connection.answer()
        self.assertEqual(answer.status, 409)
        self.assertIn("app@sim.test", answer.error)


class ReplyTests(ServedTestCase):
    """What a persona sends."""

    def test_reply(self) -> None:
        """The persona's answer, by its id, its address or the mail it answers."""
        made = self.persona()
        message_id = self.write()
        answer = self.good("GET", f"/api/wait/reply?in_reply_to={quote(message_id)}&advance=1")
        self.assertEqual((answer["message"]["from"], answer["message"]["in_reply_to"]), ("maria@acme.test", message_id))
        for persona in (made["id"], "Maria@acme.test"):
            again = self.good("GET", f"/api/wait/reply?persona={persona}&since=0")
            self.assertEqual(again["message"]["message_id"], answer["message"]["message_id"])

    def test_silence(self) -> None:
        """409 with the reason when the persona decided not to reply."""
        self.persona(paused=True)
        message_id = self.write()
        self.assertIn("ignored", self.bad(409, "GET", f"/api/wait/reply?in_reply_to={quote(message_id)}"))

    def test_timeout(self) -> None:
        """408 names the job that is planned but lies further off."""
        self.persona()
        self.write()
        connection = self.begin("GET", "/api/wait/reply?persona=maria@acme.test&timeout=1s")
        self.server.reactor.advance(1.1)
        answer = connection.answer()
        self.assertEqual(answer.status, 408)
        self.assertIn(self.good("GET", "/api/jobs?kind=reply")[0]["id"], answer.error)

    def test_refused(self) -> None:
        """One of persona and in_reply_to; a persona that exists; a known kind."""
        for query, text in (("", "persona: give either"), ("persona=a&in_reply_to=<b@c>", "persona: give either"),
                            ("persona=a@b.test&kind=odd", "kind: must be one of")):
            self.assertIn(text, self.bad(400, "GET", "/api/wait/reply?" + query))
        self.bad(404, "GET", "/api/wait/reply?persona=nobody@acme.test")
