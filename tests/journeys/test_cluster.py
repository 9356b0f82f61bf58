"""Two servers on one cluster: each has its own; one that is started on a copy of a state folder takes over from it."""

from __future__ import annotations

import imaplib
import shutil
import smtplib
from typing import Any

from tests.database.clusters import shared
from tests.journeys.running import JourneyCase, LOGIN, SOON, Service, until
from tests.stopwatch import Stopwatch

MAIL = f"From: {LOGIN}\r\nTo: maria@acme.test\r\nSubject: Lunch?\r\n\r\nDo you have time on Friday at 12:30?\r\n"


class ClusterTests(JourneyCase):
    """Two servers with folders and ports of their own."""

    def server(self, node: str, default: str, workers: int = 1) -> Service:
        """One of them."""
        return self.service({
            "redis": {"cluster": shared().urls[:1]}, "server": {"node": node, "demo": False, "workers": workers},
            "smtp": {"default_universe": default}})

    def answered(self, service: Service) -> Any:
        """A mail is sent, a day goes by: what the persona did, in the order of the log."""
        with smtplib.SMTP("127.0.0.1", service.port("smtp"), timeout=SOON) as session:
            session.login(LOGIN, service.password)
            session.sendmail(LOGIN, ["maria@acme.test"], MAIL)
        service.good("POST", "/api/clock/advance", {"by": "3d"})
        return [one["type"] for one in service.good("GET", "/api/events?limit=500")]

    def test_workers(self) -> None:
        """Two workers of one server divide its universes, and all is there when they were killed."""
        shared().clear()
        one = self.server("a", "main", workers=2)
        one.start()
        self.assertIn("persona.sent", self.answered(one))
        keys = [None, *(one.universe(name, "2026-03-02T09:00:00Z") for name in ("ash", "birch", "fir", "elm"))]
        before = [one.good("GET", "/api/fingerprint", key=key) for key in keys]
        one.kill()
        one.start()
        self.assertEqual([one.good("GET", "/api/fingerprint", key=key) for key in keys], before)
        self.assertEqual(one.stop(), 0)

    def test_wrong_password(self) -> None:
        """A start with one ends at once, and names the setting."""
        url = shared().urls[0].replace("redis://", "redis://:wrong@")
        service = self.service({"redis": {"cluster": [url]}, "server": {"node": "a"}})
        watch = Stopwatch()
        with self.assertRaises(AssertionError) as raised:
            service.start()
        self.assertLess(watch.seconds(), 5.0)
        self.assertIn("redis.cluster: Redis at", str(raised.exception))
        self.assertIn("does not let simmail in with that password", str(raised.exception))
        self.assertNotIn("wrong", str(raised.exception))

    def test_all(self) -> None:
        """Mail is answered in both, nobody gets at what is another's, and a lost universe is served by one only."""
        shared().clear()
        one, other = self.server("a", "main"), self.server("b", "second")
        one.start()
        other.start()
        for service in (one, other):
            self.assertIn("persona.sent", self.answered(service))
        self.assertEqual([[each["id"] for each in service.good("GET", "/api/admin/universes")]
                          for service in (one, other)], [["main"], ["second"]])
        self.assertEqual(other.call("POST", "/api/admin/universes", {"id": "main"}).status, 409)
        self.assertEqual(other.call("GET", "/api/personas", key=one.key).status, 401)
        # All of it is carried to another slot and back.
        before = one.good("GET", "/api/fingerprint")
        snapshot = one.good("POST", "/api/snapshots", {})
        one.good("POST", "/api/reset", {})
        self.assertNotEqual(one.good("GET", "/api/fingerprint"), before)
        one.good("POST", f"/api/snapshots/{snapshot['id']}/restore", {})
        self.assertEqual(one.good("GET", "/api/fingerprint"), before)
        one.kill()
        one.start()
        self.assertEqual(one.good("GET", "/api/fingerprint"), before)

        imap = imaplib.IMAP4("127.0.0.1", one.port("imap"), timeout=SOON)
        imap.login(LOGIN, one.password)
        twin = self.server("a", "main")
        shutil.copytree(one.state, twin.state)
        twin.start()
        until(lambda: one.call("GET", "/api/personas").status == 503)
        with self.assertRaises(imaplib.IMAP4.abort):
            imap.noop()
        with smtplib.SMTP("127.0.0.1", one.port("smtp"), timeout=SOON) as session:
            session.ehlo()
            with self.assertRaises(smtplib.SMTPAuthenticationError) as raised:
                session.login(LOGIN, one.password)
            self.assertEqual((raised.exception.smtp_code, session.mail(LOGIN)[0], session.rcpt("maria@acme.test")[0]),
                             (454, 250, 451))
        self.assertIn("persona.sent", self.answered(twin))
        self.assertEqual(one.stop(), 0)
