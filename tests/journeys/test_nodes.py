"""Two servers on one Redis are one installation: any of them takes any connection, and what one changes both know."""

from __future__ import annotations

import imaplib
import smtplib
import time
from multiprocessing.pool import ThreadPool
from threading import Event
from typing import Any

from tests.database.clusters import shared
from tests.journeys.running import JourneyCase, LOGIN, message, Service, SOON, until

SECRET = "a secret of servers in tests"

#: Real seconds within which mail that one server has taken is read at the other.
READ = 0.1


class NodesJourney(JourneyCase):
    """The servers a and b."""

    def node(self, name: str, secret: str = SECRET, **server: Any) -> Service:
        """One of them, not started yet."""
        return self.service({
            "redis": {"cluster": shared().urls[:1]},
            "server": {"node": name, "peers": "127.0.0.1:0", "secret": secret, "demo": False, **server}})

    def subjects(self, service: Service, key: str, mailbox: str) -> list[str]:
        """What is in a mailbox, asked for at a server."""
        return [one["subject"] for one in service.good("GET", f"/api/mailboxes/{mailbox}/messages?limit=100", key=key)]

    def test_one_installation(self) -> None:
        """Documents, logins, mail and calls are the same at both; one that is away takes what it has with it."""
        shared().clear()
        a, b = self.a, self.b = self.node("a"), self.node("b")
        a.begin()
        b.begin()
        for one in (a, b):
            one.wait_ready()
        if not (a.state / "admin.key").exists():
            a, b = self.a, self.b = b, a
        self.assertFalse((b.state / "admin.key").exists())
        until(lambda: not b.get("/readyz").json()["warnings"] and not a.get("/readyz").json()["warnings"], 8.0)
        # Everything of the universe of a is there at b.
        self.assertEqual([one["id"] for one in b.good("GET", "/api/admin/universes", key=a.key)], ["main"])
        self.assertEqual(b.good("GET", "/api/fingerprint", key=a.key), a.good("GET", "/api/fingerprint"))
        elm = b.good("POST", "/api/admin/universes", {"id": "elm", "clock": "2026-03-02T09:00:00Z"}, key=a.key)
        self.assertEqual(elm["id"], "elm")
        self.assertEqual(a.call("POST", "/api/admin/universes", {"id": "elm"}).status, 409)
        self._organizations()
        key = a.good("POST", "/api/admin/keys", {"universe": "elm", "role": "admin"})["key"]
        for service in (a, b):
            self.assertEqual(service.good("GET", "/api/clock", key=key)["now"], "2026-03-02T09:00:00Z")
        a.good("POST", "/api/accounts", {"address": "app@elm.example", "password": "secret of elm"}, key=key)
        b.good("POST", "/api/personas", {"name": "Maria Rossi", "addresses": ["maria@elm.example"]}, key=key)
        self._mail(key)
        self._reading(key)
        b.good("DELETE", f"/api/admin/keys/{key.split('_')[1]}", key=a.key)
        for service in (a, b):
            self.assertEqual(service.call("GET", "/api/status", key=key).status, 401)
        self._away()

    def test_owner_is_killed(self) -> None:
        """The owner dies under load that comes by the other: what was acknowledged is there when it is back, once."""
        shared().clear()
        a, b = self.node("a"), self.node("b")
        a.start()
        b.start()
        key = a.universe("elm", "2026-03-02T09:00:00Z")
        a.good("POST", "/api/accounts", {"address": "app@elm.example", "password": "secret of elm"}, key=key)
        sent: list[str] = []
        ended = Event()
        self.addCleanup(ended.set)

        def send(who: int) -> None:
            at = 0
            while not ended.is_set():
                try:
                    with b.smtp() as session:
                        session.login("app@elm.example", "secret of elm")
                        while not ended.is_set():
                            at += 1
                            session.sendmail("app@elm.example", ["app@elm.example"], message(
                                "app@elm.example", "app@elm.example", f"Load {who} {at}", "x"))
                            sent.append(f"Load {who} {at}")
                except (OSError, smtplib.SMTPException):
                    # One that was not acknowledged may be there or not; its number is not used again.
                    time.sleep(0.05)

        with ThreadPool(4) as senders:
            work = [senders.apply_async(send, (who,)) for who in range(4)]
            until(lambda: len(sent) > 100)
            a.kill()
            time.sleep(0.5)
            self.assertEqual(b.call("GET", "/api/status", key=key).status, 503)
            a.start()
            before = len(sent)
            until(lambda: len(sent) > before + 100)
            ended.set()
            for one in work:
                one.get(SOON)
        found: list[str] = []
        while page := b.good("GET", f"/api/mailboxes/app@elm.example/messages?limit=100&offset={len(found)}", key=key):
            found += [one["subject"] for one in page]
        loads = [one for one in found if one.startswith("Load")]
        self.assertEqual(len(loads), len(set(loads)))
        self.assertEqual(set(sent) - set(loads), set())

    def test_named_later(self) -> None:
        """A server that had no name has what it had when it gets one, also when another was started before it."""
        shared().clear()
        a, b = self.service({"redis": {"cluster": shared().urls[:1]}, "server": {"demo": False}}), self.node("b")
        a.start()
        key = a.universe("elm", "2026-03-02T09:00:00Z")
        before = a.good("GET", "/api/fingerprint", key=key)
        self.assertEqual(a.stop(), 0)
        b.start()
        self.assertEqual(b.call("GET", "/api/fingerprint", key=key).status, 503)
        a.change({"redis": {"cluster": shared().urls[:1]}, "server": {
            "node": "a", "peers": "127.0.0.1:0", "secret": SECRET, "demo": False}})
        a.start()
        for service in (a, b):
            self.assertEqual(service.good("GET", "/api/fingerprint", key=key), before)
        # A universe is deleted where it is, wherever that is asked for; then any server can make one of its id.
        self.assertEqual(b.call("DELETE", "/api/admin/universes/elm", key=a.key).status, 200)
        self.assertEqual(a.call("GET", "/api/status", key=key).status, 401)
        b.good("POST", "/api/admin/universes", {"id": "elm"}, key=a.key)
        self.assertEqual(a.stop(), 0)
        # One that had a name, and all for itself, likewise.
        own = {"redis": {"cluster": shared().urls[:1]}, "server": {"node": "c", "demo": False},
               "smtp": {"default_universe": "third"}}
        c = self.service(own)
        c.start()
        before = c.good("GET", "/api/fingerprint")
        self.assertEqual(c.stop(), 0)
        c.change({**own, "server": {"node": "c", "peers": "127.0.0.1:0", "secret": SECRET, "demo": False}})
        c.start()
        until(lambda: b.call("GET", "/api/fingerprint", key=c.key).status == 200)
        self.assertEqual(b.good("GET", "/api/fingerprint", key=c.key), before)
        self.assertIn("elm", [one["id"] for one in b.good("GET", "/api/admin/universes", key=a.key)])

    def _organizations(self) -> None:
        """Of two who make the same at once, one does; both know it then."""
        with ThreadPool(8) as pool:
            for at in range(5):
                answers = pool.map(lambda service, at=at: service.call(
                    "POST", "/api/admin/orgs", {"id": f"org{at}"}, key=self.a.key).status, [self.a, self.b] * 4)
                self.assertEqual(sorted(answers), [200] + [409] * 7)
        for service in (self.a, self.b):
            self.assertEqual([one["id"] for one in service.good("GET", "/api/admin/orgs", key=self.a.key)],
                             ["default", *(f"org{at}" for at in range(5))])

    def _mail(self, key: str) -> None:
        """With a login and without, with TLS and without: mail comes to its universe from either server."""
        for at, service in enumerate((self.a, self.b)):
            with service.smtp() as session:
                session.sendmail("shop@elsewhere.example", ["maria@elm.example"], message(
                    "shop@elsewhere.example", "maria@elm.example", f"Plain {at}", "Please confirm."))
                if at == 0:
                    # The next one is for another server's universe, with the same session.
                    session.sendmail("shop@elsewhere.example", ["maria@acme.test"], message(
                        "shop@elsewhere.example", "maria@acme.test", "For a", "Please confirm."))
            for secure in (False, True):
                with service.smtp() as session:
                    if secure:
                        session.starttls()
                    session.login("app@elm.example", "secret of elm")
                    session.sendmail("app@elm.example", ["maria@elm.example"], message(
                        "app@elm.example", "maria@elm.example", f"Login {at} {secure}", "words of it\r\n" * 10_000))
            with smtplib.SMTP_SSL("127.0.0.1", service.port("smtps"), timeout=SOON) as session:
                with self.assertRaises(smtplib.SMTPAuthenticationError):
                    session.login("app@elm.example", "wrong")
                session.login("app@elm.example", "secret of elm")
                self.assertEqual(session.noop()[0], 250)
        expected = sorted([
            "Plain 0", "Plain 1", *(f"Login {at} {tls}" for at in (0, 1) for tls in (False, True))])
        for service in (self.a, self.b):
            self.assertEqual(sorted(self.subjects(service, key, "maria@elm.example")), expected)
            self.assertEqual(self.subjects(service, self.a.key, "maria@acme.test"), ["For a"])
        events = self.a.events("auth.ok", key)
        self.assertEqual({one["data"]["remote"] for one in events}, {"127.0.0.1"})

    def _reading(self, key: str) -> None:
        """IMAP at either server; what one takes is read at the other within a moment."""
        sessions = []
        for service in (self.a, self.b):
            for kind, name in ((imaplib.IMAP4, "imap"), (imaplib.IMAP4_SSL, "imaps")):
                session = kind("127.0.0.1", service.port(name), timeout=SOON)
                session.login("app@elm.example", "secret of elm")
                self.assertEqual(session.select("Sent")[1], [b"4"])
                _, fetched = session.fetch("1:*", "(UID BODY.PEEK[])")
                self.assertEqual(len([one for one in fetched if isinstance(one, tuple)]), 4)
                sessions.append(session)
        took = []
        for at in range(5):
            with (self.a, self.b)[at % 2].smtp() as sender:
                sender.login("app@elm.example", "secret of elm")
                sender.sendmail("app@elm.example", ["app@elm.example"], message(
                    "app@elm.example", "app@elm.example", f"Self {at}", "x"))
                begun = time.monotonic()
                for session in sessions:
                    until(lambda session=session: session.select("INBOX")[1] == [b"%d" % (at + 1)])
                took.append(time.monotonic() - begun)
        self.assertLess(min(took), READ, took)
        for session in sessions:
            session.logout()

    def _away(self) -> None:
        """While b is away nobody else serves its universe, all else goes on; when it is back it has all there was."""
        key = self.a.good("POST", "/api/admin/keys", {"universe": "elm", "role": "admin"})["key"]
        before = self.a.good("GET", "/api/fingerprint", key=key)
        self.b.kill()
        until(lambda: self.a.get("/readyz").json()["warnings"], 8.0)
        self.assertEqual(self.a.call("GET", "/api/status", key=key).status, 503)
        with self.a.smtp() as session:
            session.ehlo()
            with self.assertRaises(smtplib.SMTPAuthenticationError) as raised:
                session.login("app@elm.example", "secret of elm")
            self.assertEqual((raised.exception.smtp_code, session.mail("x@y.example")[0],
                              session.rcpt("maria@elm.example")[0]), (454, 250, 451))
        with imaplib.IMAP4("127.0.0.1", self.a.port("imap"), timeout=SOON) as reader:
            with self.assertRaisesRegex(imaplib.IMAP4.error, "UNAVAILABLE"):
                reader.login("app@elm.example", "secret of elm")
        with self.a.smtp() as session:
            session.login(LOGIN, self.a.password)
            session.sendmail(LOGIN, ["maria@acme.test"], message(LOGIN, "maria@acme.test", "Still", "x"))
        # What is changed meanwhile b knows when it is back.
        self.a.good("DELETE", f"/api/admin/keys/{key.split('_')[1]}")
        self.a.good("POST", "/api/admin/orgs", {"id": "meanwhile"})
        other = self.a.good("POST", "/api/admin/keys", {"universe": "elm", "role": "admin"})["key"]
        self.b.start()
        self.assertEqual(self.b.call("GET", "/api/status", key=key).status, 401)
        self.assertIn("meanwhile", [one["id"] for one in self.b.good("GET", "/api/admin/orgs", key=self.a.key)])
        self.assertEqual(self.b.good("GET", "/api/fingerprint", key=other), before)
        until(lambda: self.a.call("GET", "/api/status", key=other).status == 200)
