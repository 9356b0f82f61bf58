"""A universe moves from one of two servers to the other, while mail is sent and read."""

from __future__ import annotations

import imaplib
import smtplib
import time
from multiprocessing.pool import ThreadPool
from threading import Event

from tests.database.clusters import shared
from tests.journeys.running import JourneyCase, message, Service, SOON, until

WHO = "app@elm.example"
#: Real seconds for which nobody may serve a universe that moves.
FROZEN = 10.0


class MovingTests(JourneyCase):
    """The servers a and b; elm is at a."""

    def setUp(self) -> None:
        """Both serve."""
        shared().clear()
        self.a, self.b = self.node("a"), self.node("b")
        self.a.start()
        self.b.start()
        self.key = self.a.universe("elm", "2026-03-02T09:00:00Z")
        self.a.good("POST", "/api/accounts", {"address": WHO, "password": "secret of elm"}, key=self.key)
        self.a.good("POST", "/api/personas", {
            "name": "Maria Rossi", "addresses": ["maria@elm.example"],
            "timing": {"reply_rate": 1.0, "delay": {"median": "20m", "spread": 1.5}}}, key=self.key)
        self.sent: list[str] = []

    def node(self, name: str) -> Service:
        """A server, not started yet."""
        return self.service({
            "redis": {"cluster": shared().urls[:1]},
            "server": {"node": name, "peers": "127.0.0.1:0", "secret": "a secret of servers", "demo": False}})

    def load(self, who: int, ended: Event) -> None:
        """Send mail by way of either server until it is over."""
        at = 0
        while not ended.is_set():
            try:
                with (self.a, self.b)[who % 2].smtp() as session:
                    session.login(WHO, "secret of elm")
                    while not ended.is_set():
                        at += 1
                        subject = f"Load {who} {at}"
                        session.sendmail(WHO, [WHO, "maria@elm.example"], message(WHO, WHO, subject, "Can we meet?"))
                        self.sent.append(subject)
            except (OSError, smtplib.SMTPException):
                # One that was not acknowledged may be there or not; its number is not used again.
                time.sleep(0.05)

    def listed(self) -> dict[str, str]:
        """UIDs and subjects of the login's INBOX, as b shows them."""
        with imaplib.IMAP4("127.0.0.1", self.b.port("imap"), timeout=SOON) as session:
            session.login(WHO, "secret of elm")
            session.select("INBOX")
            _, fetched = session.fetch("1:*", "(UID FLAGS BODY.PEEK[HEADER.FIELDS (SUBJECT)])")
            return {one[1].decode().strip(): one[0].decode().split("UID ")[1].split(" BODY")[0].replace("\\Recent", "")
                    for one in fetched if isinstance(one, tuple)}

    def move(self, asked: Service, node: str) -> float:
        """Move it; answers for how long nobody served it."""
        return float(asked.good("POST", "/api/admin/universes/elm/move", {"node": node}, key=self.a.key)["seconds"])

    def test_moved(self) -> None:
        """There and back under load, asked for at either: nothing acknowledged is lost, all is what it was."""
        ended = Event()
        self.addCleanup(ended.set)
        with ThreadPool(3) as senders:
            work = [senders.apply_async(self.load, (who, ended)) for who in range(3)]
            until(lambda: len(self.sent) > 60)
            reader = imaplib.IMAP4("127.0.0.1", self.b.port("imap"), timeout=SOON)
            self.addCleanup(reader.shutdown)
            reader.login(WHO, "secret of elm")
            reader.select("INBOX")
            reader.store("1:9", "+FLAGS", "(\\Flagged Urgent)")
            self.assertLess(self.move(self.b, "b"), FROZEN)
            # Whoever was connected was told.
            with self.assertRaises(imaplib.IMAP4.abort):
                reader.noop()
            before = len(self.sent)
            until(lambda: len(self.sent) > before + 30)
            ended.set()
            for one in work:
                one.get(SOON)
        listed, prints = self.listed(), self.b.good("GET", "/api/fingerprint", key=self.key)
        subjects = [one.removeprefix("Subject: ") for one in listed]
        self.assertEqual({f"Load {one.split(' ', 1)[1]}" for one in self.sent} - set(subjects), set())
        self.assertEqual(sum("Urgent" in one for one in listed.values()), 9)
        for node, status in (("b", 409), ("c", 400)):
            answer = self.b.call("POST", "/api/admin/universes/elm/move", {"node": node}, key=self.a.key)
            self.assertEqual(answer.status, status)
        self.assertLess(self.move(self.a, "a"), FROZEN)
        until(lambda: self.b.call("GET", "/api/status", key=self.key).status == 200)
        self.assertEqual(self.b.good("GET", "/api/fingerprint", key=self.key), prints)
        self.assertEqual(self.listed(), listed)
        self.b.good("POST", "/api/clock/advance", {"by": "1d"}, key=self.key)
        jobs = [one["id"] for one in self.a.events("persona.sent", self.key)]
        self.assertTrue(jobs)
        self.assertEqual(len(jobs), len(set(jobs)))
        # Where it was, nothing of it is left, and a start does not bring it back.
        self.assertEqual(self.b.stop(), 0)
        self.assertFalse((self.b.state / "mail" / "elm").exists())
        self.b.start()
        self.assertEqual(self.b.good("GET", "/api/clock", key=self.key)["now"], "2026-03-03T09:00:00Z")

    def test_killed(self) -> None:
        """Either server is killed at any moment: it is whole at one of them."""
        with self.a.smtp() as session:
            session.login(WHO, "secret of elm")
            for at in range(30):
                session.sendmail(WHO, [WHO], message(WHO, WHO, f"Load {at}", "x"))
        prints = self.a.good("GET", "/api/fingerprint", key=self.key)
        target = "b"
        for at in range(8):
            victim = (self.a, self.b)[at % 2]
            with ThreadPool(1) as pool:
                asked = pool.apply_async(self.a.call if victim is self.b else self.b.call, (
                    "POST", "/api/admin/universes/elm/move", {"node": target}, self.a.key))
                time.sleep(0.02 * at)
                victim.kill()
                victim.start()
                asked.wait(SOON)
            for service in (self.a, self.b):
                until(lambda service=service: service.call("GET", "/api/status", key=self.key).status == 200)
                self.assertEqual(service.good("GET", "/api/fingerprint", key=self.key), prints)
            # To where it is not.
            until(lambda: not any(one.get("/readyz").json()["warnings"] for one in (self.a, self.b)))
            answer = self.a.call("POST", "/api/admin/universes/elm/move", {"node": target}, key=self.a.key)
            if answer.status == 409:
                target = "a" if target == "b" else "b"
