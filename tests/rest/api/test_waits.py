"""Waits over HTTP."""

from __future__ import annotations

from datetime import timedelta
from urllib.parse import quote

from simmail.testing.universe import now
from simmail.universe.mailflow import wait_mail
from simmail.universe.mailflow.wait_mail import FEW
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
        before = len(self.universe.log._watchers)
        self.begin("GET", "/api/wait?to=app@sim.test&timeout=5m").close()
        self.begin("GET", "/api/wait/reply?persona=maria@acme.test&timeout=5m").close()
        self.assertEqual((len(self.universe.log._watchers), self.universe.waits.open), (before, 0))

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
        # Two who ask: one alone would be given the next one the second time.
        for few, role in ((FEW, "member"), (10_000, "viewer")):
            self.patch(wait_mail, "FEW", few)
            connection = self.begin("GET", f"/api/wait?to=app@sim.test&existing=1&timeout=1s&{query}", role=role)
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


class NextTests(ServedTestCase):
    """Waiting means the next one: a second code is never the first."""

    def code(self, value: int, how: str) -> None:
        """The application sends a code by mail."""
        mail = {"subject": "Your code", "text": f"Your code is {value}."}
        if how == "api":
            self.good("POST", "/api/send", {"from": "shop@app.test", "to": ["app@sim.test"], **mail})
        elif how == "inject":
            self.good("POST", "/api/inject", {"from": "shop@app.test", "to": "app@sim.test", **mail})
        else:
            self.server.send(self.universe, "shop@app.test", "app@sim.test", (
                f"From: shop@app.test\nTo: app@sim.test\nSubject: {mail['subject']}\n\n{mail['text']}\n").encode())

    def test_every_way(self) -> None:
        """Sent before or after the call, by SMTP, API or inject, on a clock that stands or runs, with since or not."""
        value = 100_000
        for frozen in (True, False):
            self.good("PUT", "/api/clock", {"frozen": frozen})
            for how in ("smtp", "api", "inject"):
                for since in ("", "cursor", "instant", "message"):
                    for before in (True, False):
                        path = "/api/wait?to=app@sim.test&from=shop&subject=code&timeout=30s"
                        cursor = ""
                        for _ in range(3):
                            value += 1
                            if before:
                                self.code(value, how)
                            connection = self.begin("GET", path + cursor)
                            if not before:
                                self.assertEqual(connection.received(), b"")
                                self.code(value, how)
                            answer = connection.answer().json()
                            self.assertEqual([one["value"] for one in answer["codes"]], [str(value)],
                                             (frozen, how, since, before))
                            if not frozen:
                                self.server.reactor.advance(0.3)
                            given = {"cursor": answer["cursor"], "instant": answer["message"]["time"],
                                     "message": answer["message"]["message_id"]}
                            if since:
                                cursor = f"&since={quote(str(given[since]))}"

    def test_two_questions(self) -> None:
        """Questions with other filters, and of others who ask, go their own ways."""
        for n in range(3):
            for subject in ("Invoice", "Reminder"):
                self.good("POST", "/api/inject", {**CODE, "subject": f"{subject} {n}"})
            for role in ("member", "viewer"):
                for subject in ("invoice", "reminder"):
                    answer = self.good("GET", f"/api/wait?to=app@sim.test&subject={subject}", role=role)
                    self.assertEqual(answer["message"]["subject"], f"{subject.capitalize()} {n}")

    def test_in_order(self) -> None:
        """What came while nobody asked is given one by one in the order it came, then what comes."""
        path = "/api/wait?to=app@sim.test&subject=number&timeout=5s"
        self.good("POST", "/api/inject", {**CODE, "subject": "number 0"})
        self.good("GET", path)
        for n in range(1, 4):
            self.good("POST", "/api/inject", {**CODE, "subject": f"number {n}"})
        for n in range(1, 4):
            self.assertEqual(self.good("GET", path)["message"]["subject"], f"number {n}")
        connection = self.begin("GET", path)
        self.server.reactor.advance(5.1)
        self.assertEqual(connection.answer().status, 408)

    def test_first_time(self) -> None:
        """The first time the newest of the last hour counts; existing=1 lifts the hour, existing=0 takes none."""
        self.good("POST", "/api/inject", {**CODE, "subject": "old"})
        self.server.reactor.advance(3700)
        for query, status in (("", 408), ("&existing=0", 408), ("&existing=1", 200)):
            connection = self.begin("GET", "/api/wait?to=app@sim.test&timeout=1s" + query)
            self.server.reactor.advance(1.1)
            self.assertEqual(connection.answer().status, status, query)
        for n in range(2):
            self.good("POST", "/api/inject", {**CODE, "subject": f"new {n}"})
        self.assertEqual(self.good("GET", "/api/wait?to=app@sim.test&subject=new")["message"]["subject"], "new 1")

    def test_forgotten(self) -> None:
        """What a question was answered with is known for an hour."""
        path = "/api/wait?to=app@sim.test&existing=1&timeout=1s"
        self.good("POST", "/api/inject", CODE)
        self.good("GET", path)
        self.server.reactor.advance(3700)
        self.good("GET", path)

    def test_several(self) -> None:
        """After several, what came after the last of them."""
        for n in range(3):
            self.good("POST", "/api/inject", {**CODE, "subject": f"number {n}"})
        path = "/api/wait?to=app@sim.test"
        first = self.good("GET", path + "&count=2")["messages"]
        self.assertEqual([one["message"]["subject"] for one in first], ["number 2", "number 1"])
        self.good("POST", "/api/inject", {**CODE, "subject": "number 3"})
        self.assertEqual(self.good("GET", path)["message"]["subject"], "number 3")

    def test_before_a_message_in_another_folder(self) -> None:
        """since may name a message that lies elsewhere; what was filed behind it counts, whatever clocks say."""
        self.good("POST", "/api/inject", {**CODE, "subject": "before"})
        sent = self.good("POST", "/api/send", {
            "from": "app@sim.test", "to": ["nobody@app.test"], "subject": "a question", "text": "?"})["message_id"]
        self.good("POST", "/api/send", {
            "from": "shop@app.test", "to": ["app@sim.test"], "subject": "behind", "text": "!"})
        answer = self.good("GET", f"/api/wait?to=app@sim.test&since={quote(sent)}")
        self.assertEqual(answer["message"]["subject"], "behind")
        self.assertIn("since: no message", self.bad(400, "GET", "/api/wait?to=app@sim.test&since=<none@x.test>"))

    def test_folder_made_anew(self) -> None:
        """A folder that was removed and made again while somebody waits in it."""
        self.good("POST", "/api/inject", CODE)
        now(self.universe.store.create_folder("app@sim.test", "Codes"))
        self.good("POST", "/api/inject", {**CODE, "folder": "Codes", "subject": "old"})
        connection = self.begin("GET", "/api/wait?to=app@sim.test&folder=Codes&subject=new&timeout=30s")
        now(self.universe.store.delete_folder("app@sim.test", "Codes"))
        now(self.universe.store.create_folder("app@sim.test", "Codes"))
        self.good("POST", "/api/inject", {**CODE, "folder": "Codes", "subject": "new"})
        self.assertEqual(connection.answer().json()["message"]["subject"], "new")


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

    def question(self, subject: str) -> None:
        """The application writes to Maria."""
        self.good("POST", "/api/send", {"from": "app@sim.test", "to": ["maria@acme.test"], "subject": subject,
                                        "text": "Hi Maria,\n\ncould you call me on Monday?\n\nSam"})

    def test_three_questions(self) -> None:
        """Each question gets its own answer, whether the call comes before or after it is sent."""
        self.persona()
        for n in range(3):
            self.question(f"Question {n}")
            answer = self.good("GET", "/api/wait/reply?persona=maria@acme.test&advance=1")
            self.assertEqual((answer["message"]["subject"], answer["also"]), (f"Re: Question {n}", []))
        connection = self.begin("GET", "/api/wait/reply?persona=maria@acme.test&timeout=60s")
        self.assertEqual(connection.answer().json()["message"]["subject"], "Re: Question 2")
        self.question("Question 3")
        connection = self.begin("GET", "/api/wait/reply?persona=maria@acme.test&timeout=60s")
        self.assertEqual(connection.received(), b"")
        self.good("POST", "/api/clock/advance", {"until": "idle"})
        self.assertEqual(connection.answer().json()["message"]["subject"], "Re: Question 3")

    def test_known_from_the_log(self) -> None:
        """After a restart the log tells when somebody last wrote to her."""
        self.persona()
        for n in range(2):
            self.question(f"Question {n}")
            self.good("POST", "/api/clock/advance", {"until": "idle"})
        self.universe.recent._written.clear()
        answer = self.good("GET", "/api/wait/reply?persona=maria@acme.test")
        self.assertEqual(answer["message"]["subject"], "Re: Question 1")

    def test_out_of_office(self) -> None:
        """A notice is not the answer, but is told beside it; it is when it is asked for."""
        day = self.universe.clock.now().date()
        self.persona(timing={"ooo": [{"from": f"{day}", "to": f"{day + timedelta(days=2)}", "message": "I am away."}]})
        self.question("Question")
        answer = self.good("GET", "/api/wait/reply?persona=maria@acme.test&advance=1")
        self.assertEqual(answer["message"]["subject"], "Re: Question")
        self.assertEqual([one["message"]["headers"].get("x-service-simulated") for one in answer["also"]], ["yes"])
        self.assertIn("I am away.", answer["also"][0]["message"]["text"])
        for kind in ("ooo", "any"):
            notice = self.good("GET", f"/api/wait/reply?persona=maria@acme.test&kind={kind}")
            self.assertEqual(notice["message"]["message_id"], answer["also"][0]["message"]["message_id"])

    def test_since(self) -> None:
        """An event number, an instant of a clock that stands, or a Message-ID."""
        self.persona()
        self.question("Question 0")
        first = self.good("GET", "/api/wait/reply?persona=maria@acme.test&advance=1")
        self.question("Question 1")
        self.good("POST", "/api/clock/advance", {"until": "idle"})
        for since in (first["cursor"], quote(first["message"]["message_id"])):
            answer = self.good("GET", f"/api/wait/reply?persona=maria@acme.test&since={since}")
            self.assertEqual(answer["message"]["subject"], "Re: Question 1", since)
        connection = self.begin("GET", f"/api/wait/reply?persona=maria@acme.test&timeout=1s&since={answer['cursor']}")
        self.server.reactor.advance(1.1)
        self.assertEqual(connection.answer().status, 408)
        self.assertIn("since: no message", self.bad(
            400, "GET", "/api/wait/reply?persona=maria@acme.test&since=<none@x.test>"))

    def test_jobs_of_others(self) -> None:
        """A 408 names no job that is nothing to this wait, and its time as the API writes it."""
        self.persona()
        self.persona("tom@acme.test", name="Tom")
        self.write()
        connection = self.begin("GET", "/api/wait/reply?persona=tom@acme.test&timeout=1s")
        elsewhere = self.begin("GET", "/api/wait?to=else@sim.test&timeout=1s")
        concerned = self.begin("GET", "/api/wait?to=app@sim.test&timeout=1s")
        self.server.reactor.advance(1.1)
        for one in (connection, elsewhere):
            self.assertIn("nothing is planned", one.answer().error)
        due = self.good("GET", "/api/jobs?kind=reply")[0]["due"]
        self.assertIn(f"due {due}", concerned.answer().error)

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
