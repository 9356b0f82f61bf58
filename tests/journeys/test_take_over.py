"""A server that dies, or stands still, loses its replicated universes to another: a real cluster, a real SeaweedFS."""

from __future__ import annotations

import os
import signal
import smtplib
import time
from multiprocessing.pool import ThreadPool
from threading import Event

from tests import seaweed
from tests.database.clusters import shared
from tests.journeys.running import JourneyCase, message, Service, SOON, until

#: Real seconds after which another serves a universe whose server has died.
TAKEN = 10.0

WHO = "app@elm.example"


class TakeOverTests(JourneyCase):
    """The servers a and b; elm is replicated and at a."""

    skip = seaweed.MISSING or None

    def setUp(self) -> None:
        """Both serve, and a has elm."""
        shared().clear()
        self.patch(os, "environ", {
            **os.environ, "SEAWEED_KEY": seaweed.ACCESS_KEY, "SEAWEED_SECRET": seaweed.SECRET_KEY})
        self.bucket = seaweed.seaweed().bucket()
        self.a, self.b = self.node("a"), self.node("b")
        self.a.start()
        self.b.start()
        self.key = self.a.universe("elm", "2026-03-02T09:00:00Z", durability="replicated")
        self.a.good("POST", "/api/accounts", {"address": WHO, "password": "secret of elm"}, key=self.key)
        self.a.good("POST", "/api/personas", {
            "name": "Maria Rossi", "addresses": ["maria@elm.example"],
            "timing": {"reply_rate": 1.0, "delay": {"median": "20m", "spread": 1.5}}}, key=self.key)
        self.sent: list[str] = []

    def node(self, name: str, standby: bool = True) -> Service:
        """A server, not started yet; C{standby}: it has beforehand what others have."""
        return self.service({
            "redis": {"cluster": shared().urls[:1]}, "objects": {
                "url": self.bucket, "access_key_env": "SEAWEED_KEY", "secret_key_env": "SEAWEED_SECRET",
                "standby": standby},
            "server": {"node": name, "peers": "127.0.0.1:0", "secret": "a secret of servers", "demo": False}})

    def load(self, who: int, ended: Event) -> None:
        """Send mail by way of b, to oneself and to Maria, until it is over."""
        at = 0
        while not ended.is_set():
            try:
                with self.b.smtp() as session:
                    session.login(WHO, "secret of elm")
                    while not ended.is_set():
                        at += 1
                        subject = f"Load {who} {at}"
                        session.sendmail(WHO, [WHO, "maria@elm.example"], message(WHO, WHO, subject, "Can we meet?"))
                        self.sent.append(subject)
            except (OSError, smtplib.SMTPException):
                # One that was not acknowledged may be there or not; its number is not used again.
                time.sleep(0.05)

    def check(self) -> None:
        """What was acknowledged is there, once, at b; people have decided about all of it once."""
        for mailbox in (WHO, "maria@elm.example"):
            found: list[str] = []
            while page := self.b.good(
                    "GET", f"/api/mailboxes/{mailbox}/messages?limit=100&offset={len(found)}", key=self.key):
                found += [one["subject"] for one in page]
            loads = [one for one in found if one.startswith("Load")]
            self.assertEqual(len(loads), len(set(loads)))
            self.assertEqual(set(self.sent) - set(loads), set())
        jobs = [one["id"] for one in self.b.events("persona.sent", self.key)]
        self.assertEqual(len(jobs), len(set(jobs)))

    def served(self) -> bool:
        """Whether b serves elm itself."""
        return self.b.call("GET", "/api/status", key=self.key).status == 200

    def test_killed(self) -> None:
        """It dies under load: within ten seconds another serves, nothing is lost, jobs go on; it comes back without."""
        ended = Event()
        self.addCleanup(ended.set)
        with ThreadPool(4) as senders:
            work = [senders.apply_async(self.load, (who, ended)) for who in range(4)]
            until(lambda: len(self.sent) > 60)
            self.a.kill()
            died = time.monotonic()
            until(self.served, TAKEN + 5)
            took = time.monotonic() - died
            before = len(self.sent)
            until(lambda: len(self.sent) > before + 40)
            ended.set()
            for one in work:
                one.get(SOON)
        self.check()
        self.b.good("POST", "/api/clock/advance", {"by": "1d"}, key=self.key)
        self.assertTrue(self.b.events("persona.sent", self.key))
        self.check()
        prints = self.b.good("GET", "/api/fingerprint", key=self.key)
        self.a.start()
        until(lambda: self.a.call("GET", "/api/status", key=self.key).status == 200)
        self.assertEqual(self.a.good("GET", "/api/fingerprint", key=self.key), prints)
        self.assertLess(took, TAKEN)
        # In order it is given back at once.
        self.assertEqual(self.b.stop(), 0)
        until(lambda: self.a.call("GET", "/api/status", key=self.key).status == 200)
        self.assertEqual(self.a.good("GET", "/api/fingerprint", key=self.key), prints)

    def test_nothing_beforehand(self) -> None:
        """One that shall have nothing beforehand has not, and takes over what it reads then."""
        self.assertEqual(self.b.stop(), 0)
        bare = self.node("c", standby=False)
        bare.start()
        with self.a.smtp() as session:
            session.login(WHO, "secret of elm")
            for at in range(20):
                session.sendmail(WHO, [WHO, "maria@elm.example"], message(WHO, WHO, f"Load 0 {at}", "Can we meet?"))
                self.sent.append(f"Load 0 {at}")
        self.b.start()
        until(lambda: len(list((self.b.state / "mail" / ".standby").glob("*/elm/*"))) >= 20)
        self.assertEqual(self.b.stop(), 0)
        self.assertFalse((bare.state / "mail" / ".standby").exists())
        self.b = bare
        self.a.kill()
        until(self.served, TAKEN + 5)
        self.check()

    def test_snapshots(self) -> None:
        """Snapshots outlive the server that made them: they are forked, put back and deleted where it is then."""
        with self.a.smtp() as session:
            session.login(WHO, "secret of elm")
            for at in range(20):
                session.sendmail(WHO, [WHO], message(WHO, WHO, f"Load 0 {at}", "x" * 2000))
            prints = self.a.good("GET", "/api/fingerprint", key=self.key)
            made = self.b.good("POST", "/api/snapshots", {"name": "one"}, key=self.key)
            self.assertEqual(made["durability"], "replicated")
            session.sendmail(WHO, [WHO], message(WHO, WHO, "Load 0 20", "x"))
        path = f"/api/snapshots/{made['id']}"
        self.a.kill()
        until(self.served, TAKEN + 5)
        fork = self.b.good("POST", f"{path}/fork", {"id": "sapling"}, key=self.key)
        self.assertEqual(self.b.good("GET", "/api/fingerprint", key=fork["key"]), prints)
        self.b.good("POST", f"{path}/restore", key=self.key)
        self.assertEqual(self.b.good("GET", "/api/fingerprint", key=self.key), prints)
        # The one that made it finds that it has none of this any more.
        self.a.start()
        self.assertEqual([one.name for one in (self.a.state / "mail").iterdir() if one.name.startswith("elm")], [])
        until(lambda: self.a.call("GET", "/api/status", key=self.key).status == 200)
        self.a.good("DELETE", path, key=self.key)
        self.assertEqual([one for one in seaweed.listed(self.bucket) if one.startswith("snapshots/")], [])
        self.assertEqual(self.a.good("GET", "/api/fingerprint", key=fork["key"]), prints)

    def test_killed_while_put_back(self) -> None:
        """It dies while elm is put back: that is then what it was, or what it was to be, and nothing between."""
        for at in range(30):
            self.a.good("POST", "/api/send", {
                "from": WHO, "to": [WHO, "maria@elm.example"], "subject": f"Load 0 {at}", "text": "x" * 3000,
            }, key=self.key)
        prints = [self.a.good("GET", "/api/fingerprint", key=self.key)]
        snapshot = self.a.good("POST", "/api/snapshots", {"name": "one"}, key=self.key)["id"]
        for delay in (0.03, 0.12, 0.3):
            self.a.good("POST", "/api/send", {
                "from": WHO, "to": [WHO], "subject": f"After {delay}", "text": "Hello"}, key=self.key)
            prints.append(self.a.good("GET", "/api/fingerprint", key=self.key))
            with ThreadPool(1) as pool:
                asked = pool.apply_async(self.b.call, ("POST", f"/api/snapshots/{snapshot}/restore", None, self.key))
                time.sleep(delay)
                self.a.kill()
                asked.wait(SOON)
            until(self.served, TAKEN + 5)
            found = self.b.good("GET", "/api/fingerprint", key=self.key)
            self.assertIn(found, (prints[0], prints[-1]))
            self.b.good("POST", f"/api/snapshots/{snapshot}/restore", key=self.key)
            self.assertEqual(self.b.good("GET", "/api/fingerprint", key=self.key), prints[0])
            self.a.start()
            self.assertEqual(until(lambda: self.moved("a")), "a")
            until(lambda: self.a.call("GET", "/api/status", key=self.key).status == 200)
            self.assertEqual(self.a.good("GET", "/api/fingerprint", key=self.key), prints[0])

    def moved(self, node: str) -> str:
        """Where elm is when it has moved, C{""} while a server is not known to be there."""
        answer = self.b.call("POST", "/api/admin/universes/elm/move", {"node": node}, key=self.a.key)
        self.assertIn(answer.status, (200, 503), answer.body)
        return str(answer.json().get("node", ""))

    def test_stands_still(self) -> None:
        """One that stood still changes nothing when it goes on; it hands its connections to the one that has it."""
        self.assertIsNotNone(self.a.process)
        with self.a.smtp() as session:
            session.login(WHO, "secret of elm")
            session.sendmail(WHO, [WHO], message(WHO, WHO, "Load 0 0", "x"))
            self.sent.append("Load 0 0")
            session.mail(WHO)
            session.rcpt(WHO)
            assert self.a.process is not None
            self.a.process.send_signal(signal.SIGSTOP)
            until(self.served, TAKEN + 5)
            self.a.process.send_signal(signal.SIGCONT)
            with self.assertRaises((smtplib.SMTPException, OSError)):
                code, text = session.data(message(WHO, WHO, "Load 0 1", "x"))
                raise smtplib.SMTPDataError(code, text) if code != 250 else AssertionError("it was taken")
        until(lambda: self.a.call("GET", "/api/status", key=self.key).status == 200)
        with self.a.smtp() as session:
            session.login(WHO, "secret of elm")
            session.sendmail(WHO, [WHO, "maria@elm.example"], message(WHO, WHO, "Load 0 2", "x"))
        self.sent[:] = ["Load 0 2"]
        self.check()
