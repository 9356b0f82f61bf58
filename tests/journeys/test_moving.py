"""A universe moves from one of two servers to the other, while mail is sent and read."""

from __future__ import annotations

import imaplib
import os
import smtplib
import time
from multiprocessing.pool import ThreadPool
from threading import Event
from typing import Any

from tests import seaweed
from tests.database.clusters import shared
from tests.journeys.running import Answer, JourneyCase, message, Service, SOON, until

WHO = "app@elm.example"
#: Real seconds for which nobody may serve a universe that moves, and after which another serves one that is replicated
#: when its server has died.
FROZEN, TAKEN = 10.0, 10.0


class MovingCase(JourneyCase):
    """The servers a and b; elm is at a."""

    #: Where mail of elm is when it is acknowledged; where servers keep it besides their disks.
    durability = "local"
    objects: dict[str, Any] = {}

    def setUp(self) -> None:
        """Both serve."""
        shared().clear()
        self.a, self.b = self.node("a"), self.node("b")
        self.a.start()
        self.b.start()
        self.key = self.a.universe("elm", "2026-03-02T09:00:00Z", durability=self.durability)
        self.a.good("POST", "/api/accounts", {"address": WHO, "password": "secret of elm"}, key=self.key)
        self.a.good("POST", "/api/personas", {
            "name": "Maria Rossi", "addresses": ["maria@elm.example"],
            "timing": {"reply_rate": 1.0, "delay": {"median": "20m", "spread": 1.5}}}, key=self.key)
        self.sent: list[str] = []

    def node(self, name: str) -> Service:
        """A server, not started yet."""
        return self.service({
            "redis": {"cluster": shared().urls[:1]}, **self.objects,
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
            except (OSError, smtplib.SMTPException) as error:
                # Whoever is told that would ask for another password.
                self.assertNotEqual(getattr(error, "smtp_code", 0), 535)
                # One that was not acknowledged may be there or not; its number is not used again.
                time.sleep(0.05)

    def reading(self, service: Service) -> imaplib.IMAP4:
        """An IMAP session of the login at a server."""
        session = imaplib.IMAP4("127.0.0.1", service.port("imap"), timeout=SOON)
        self.addCleanup(session.sock.close)
        session.login(WHO, "secret of elm")
        return session

    def listed(self, service: Service | None = None) -> dict[str, str]:
        """Subjects of the login's INBOX, with UIDs and flags, as a server shows them, b unless another is named."""
        with self.reading(service or self.b) as session:
            session.select("INBOX")
            _, fetched = session.fetch("1:*", "(UID FLAGS BODY.PEEK[HEADER.FIELDS (SUBJECT)])")
            return {one[1].decode().strip(): one[0].decode().split("UID ")[1].split(" BODY")[0].replace("\\Recent", "")
                    for one in fetched if isinstance(one, tuple)}

    def move(self, asked: Service, node: str) -> float:
        """Move it, when all know each other; answers for how long nobody served it."""
        def moved() -> Answer | None:
            answer = asked.call("POST", "/api/admin/universes/elm/move", {"node": node}, key=self.a.key)
            return answer if answer.status != 503 else None

        answer = until(moved)
        self.assertEqual(answer.status, 200, answer.body)
        return float(answer.json()["seconds"])

    def serves(self, service: Service) -> bool:
        """Whether a server knows who has elm, and that one serves it."""
        return service.call("GET", "/api/status", key=self.key).status == 200


class MovingTests(MovingCase):
    """A universe of which the mail is on one disk only."""

    def test_moved(self) -> None:
        """There and back under load, asked for at either: nothing acknowledged is lost, all is what it was."""
        ended = Event()
        self.addCleanup(ended.set)
        with ThreadPool(3) as senders:
            work = [senders.apply_async(self.load, (who, ended)) for who in range(3)]
            until(lambda: len(self.sent) > 60)
            reader = self.reading(self.b)
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
        until(lambda: self.serves(self.b))
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

    def test_with_snapshots(self) -> None:
        """Snapshots go with it: they are put back and forked there, and deleted; nothing is left where it was."""
        with self.a.smtp() as session:
            session.login(WHO, "secret of elm")
            for at in range(20):
                session.sendmail(WHO, [WHO], message(WHO, WHO, f"Load {at}", "x"))
            prints = self.a.good("GET", "/api/fingerprint", key=self.key)
            snapshot = self.a.good("POST", "/api/snapshots", {"name": "one"}, key=self.key)["id"]
            session.sendmail(WHO, [WHO], message(WHO, WHO, "Load 20", "x"))
        self.move(self.a, "b")
        self.assertFalse([one.name for one in (self.a.state / "mail").iterdir() if one.name.startswith("elm")])
        self.assertEqual(len(self.listed()), 21)
        fork = self.a.good("POST", f"/api/snapshots/{snapshot}/fork", {"id": "sapling"}, key=self.key)
        self.assertEqual(self.b.good("GET", "/api/fingerprint", key=fork["key"]), prints)
        self.a.good("POST", f"/api/snapshots/{snapshot}/restore", key=self.key)
        until(lambda: self.serves(self.a))
        self.assertEqual(self.b.good("GET", "/api/fingerprint", key=self.key), prints)
        self.assertEqual(len(self.listed(self.a)), 20)
        # The fork stays, with what it has.
        other = self.a.good("POST", "/api/snapshots", {"name": "two"}, key=fork["key"])["id"]
        self.move(self.b, "a")
        self.a.good("POST", f"/api/snapshots/{other}/restore", key=fork["key"])
        until(lambda: self.a.call("GET", "/api/status", key=fork["key"]).status == 200)
        self.assertEqual(self.a.good("GET", "/api/fingerprint", key=fork["key"]), prints)
        for one, key in ((snapshot, self.key), (other, fork["key"])):
            self.b.good("DELETE", f"/api/snapshots/{one}", key=key)
        for service, left in ((self.a, ["elm"]), (self.b, ["sapling"])):
            self.assertEqual([one.name for one in (service.state / "mail").iterdir()
                              if not one.name.startswith(".") and one.is_dir() and one.name != "main"], left)

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
                until(lambda service=service: self.serves(service))
                self.assertEqual(service.good("GET", "/api/fingerprint", key=self.key), prints)
            # To where it is not.
            until(lambda: not any(one.get("/readyz").json()["warnings"] for one in (self.a, self.b)))
            answer = self.a.call("POST", "/api/admin/universes/elm/move", {"node": target}, key=self.a.key)
            if answer.status == 409:
                target = "a" if target == "b" else "b"


class ReplicatedMovesTests(MovingCase):
    """A universe of which the mail is in a store of objects too."""

    skip = seaweed.MISSING or None
    durability = "replicated"

    def setUp(self) -> None:
        """The store of objects is there."""
        self.patch(os, "environ", {
            **os.environ, "SEAWEED_KEY": seaweed.ACCESS_KEY, "SEAWEED_SECRET": seaweed.SECRET_KEY})
        self.objects = {"objects": {"url": seaweed.seaweed().bucket(), "access_key_env": "SEAWEED_KEY",
                                    "secret_key_env": "SEAWEED_SECRET"}}
        super().setUp()
        #: Keywords that were acknowledged, by UID.
        self.flagged: dict[int, str] = {}

    def flag(self, ended: Event) -> None:
        """Give one message after the other a keyword, by way of either server, until it is over."""
        at = 0
        while not ended.is_set():
            for service in (self.b, self.a):
                try:
                    reader = self.reading(service)
                    reader.select("INBOX")
                    while not ended.is_set():
                        uid, keyword = at // 4 % 40 + 1, f"Flag{at % 4}"
                        if reader.uid("STORE", str(uid), "FLAGS", f"({keyword})")[0] == "OK":
                            self.flagged[uid] = keyword
                        else:
                            # It may have it or not.
                            self.flagged.pop(uid, None)
                        at += 1
                except (OSError, imaplib.IMAP4.error) as error:
                    self.assertNotIn("AUTHENTICATIONFAILED", str(error))
                    self.flagged.pop(at // 4 % 40 + 1, None)
                    at += 4
                    time.sleep(0.05)

    def check(self, service: Service, before: dict[str, str]) -> dict[str, str]:
        """All that was acknowledged is there once, with its flags, and has the UID that it had; answers what is."""
        listed = self.listed(service)
        subjects = [one.removeprefix("Subject: ") for one in listed]
        self.assertEqual({f"Load {one.split(' ', 1)[1]}" for one in self.sent} - set(subjects), set())
        found: list[str] = []
        while page := service.good("GET", f"/api/mailboxes/{WHO}/messages?limit=100&offset={len(found)}", key=self.key):
            found += [one["subject"] for one in page]
        self.assertEqual(sorted(found), sorted(subjects), "twice there")
        uids = {subject: one.split()[0] for subject, one in listed.items()}
        self.assertEqual({subject: uids.get(subject) for subject in before},
                         {subject: one.split()[0] for subject, one in before.items()})
        flags = {int(one.split()[0]): one.split("(")[1].split(")")[0].split() for one in listed.values()}
        self.assertEqual({uid: flags[uid] for uid in self.flagged}, {
            uid: [keyword] for uid, keyword in self.flagged.items()})
        return listed

    def under_load(self, change: Any) -> None:
        """Have something happen while mail is sent and flags are set; both go on after it."""
        ended = Event()
        self.addCleanup(ended.set)
        with ThreadPool(4) as clients:
            before = len(self.sent)
            work = [clients.apply_async(self.load, (who + 10 * before, ended)) for who in range(3)]
            until(lambda: len(self.sent) > before + 50)
            work.append(clients.apply_async(self.flag, (ended,)))
            until(lambda: len(self.flagged) > 3)
            change()
            sent, flagged = len(self.sent), dict(self.flagged)
            until(lambda: len(self.sent) > sent + 20 and self.flagged != flagged)
            ended.set()
            for one in work:
                one.get(SOON)

    def test_moved_and_lost(self) -> None:
        """It moves under load, its new server is killed under load: where it was before, all of it is again."""
        self.under_load(lambda: self.assertLess(self.move(self.b, "b"), FROZEN))
        listed, prints = self.check(self.b, {}), self.b.good("GET", "/api/fingerprint", key=self.key)
        self.assertTrue(listed)
        self.assertFalse((self.a.state / "mail" / "elm").exists())
        # Nothing happens in between: it is what it was, flags and all.
        self.b.kill()
        until(lambda: self.serves(self.a), TAKEN + 5)
        self.assertEqual(self.a.good("GET", "/api/fingerprint", key=self.key), prints)
        self.assertEqual(self.check(self.a, listed), listed)
        # What lies on the disk of who comes back is not taken for what it is by now.
        self.b.start()
        until(lambda: self.serves(self.b))
        self.under_load(lambda: self.assertLess(self.move(self.a, "b"), FROZEN))
        listed = self.check(self.b, listed)

        def lose() -> None:
            self.b.kill()
            until(lambda: self.serves(self.a), TAKEN + 5)

        self.under_load(lose)
        self.check(self.a, listed)
        self.a.good("POST", "/api/clock/advance", {"by": "1d"}, key=self.key)
        jobs = [one["id"] for one in self.a.events("persona.sent", self.key)]
        self.assertTrue(jobs)
        self.assertEqual(len(jobs), len(set(jobs)))
