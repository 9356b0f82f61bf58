"""Snapshots, forks, restores and resets of a running service, also when it is killed in their midst."""

from __future__ import annotations

import imaplib
import smtplib
import threading
import time
from typing import Any

from tests.journeys.running import JourneyCase, LOGIN, Service, SOON

START = "2026-03-02T09:00:00Z"

#: Real seconds after which it is killed: what is asked for takes longer.
KILLED_AFTER = 0.03


class SnapshotTests(JourneyCase):
    """One service, whatever happens to it."""

    def lived(self, service: Service, made: Any, key: str = "", name: str = "") -> str:
        """A mail over SMTP, and a day on; the fingerprint."""
        key = key or made["key"]
        with smtplib.SMTP("127.0.0.1", service.port("smtp"), timeout=SOON) as session:
            session.login(name or made["logins"][0]["username"], made["logins"][0]["password"])
            session.sendmail(LOGIN, ["maria@acme.test"], (
                f"From: {LOGIN}\r\nTo: maria@acme.test\r\nMessage-ID: <one@app.test>\r\nSubject: Lunch?\r\n\r\n"
                "Do you have time on Friday at 12:30?\r\n"))
        service.good("POST", "/api/clock/advance", {"by": "1d"}, key)
        return str(service.good("GET", "/api/fingerprint", key=key)["fingerprint"])

    def killed(self, service: Service, path: str, body: Any, key: str) -> None:
        """It is killed while it does what was asked, and starts again."""
        asking = threading.Thread(target=lambda: self.asked(service, path, body, key))
        asking.start()
        time.sleep(KILLED_AFTER)
        service.kill()
        asking.join()
        service.start()

    def asked(self, service: Service, path: str, body: Any, key: str) -> None:
        """What is asked is not answered."""
        try:
            service.call("POST", path, body, key)
        except OSError:
            pass

    def test_all(self) -> None:
        """
        The same future after each: forks have it, the original has it when it is put back, and killing changes nothing
        of that.  Who is connected is told.
        """
        service = self.service()
        service.start()
        made = service.good("POST", "/api/admin/universes", {"ttl": "1h", "login": True, "clock": START})
        key, name = made["key"], made["logins"][0]["username"]
        service.good("POST", "/api/personas", {
            "addresses": ["maria@acme.test"], "temperament": "responsive",
            "timing": {"reply_rate": 1, "delay": {"median": "20m", "spread": 1.2}}}, key)
        snapshot = service.good("POST", "/api/snapshots", {"name": "before"}, key)
        path = f"/api/snapshots/{snapshot['id']}"
        first = self.lived(service, made)
        fork = service.good("POST", path + "/fork", {}, key)
        self.assertEqual(self.lived(service, made, fork["key"], fork["logins"][0]["username"]), first)
        session = imaplib.IMAP4("127.0.0.1", service.port("imap"), timeout=SOON)
        self.addCleanup(session.shutdown)
        session.login(name, made["logins"][0]["password"])
        session.select("INBOX")
        validity = session.response("UIDVALIDITY")[1]
        self.assertEqual(service.good("POST", path + "/restore", None, key)["fingerprint"],
                         service.good("GET", "/api/fingerprint", key=key)["fingerprint"])
        self.assertRaises(imaplib.IMAP4.abort, session.noop)
        with imaplib.IMAP4("127.0.0.1", service.port("imap"), timeout=SOON) as session:
            session.login(name, made["logins"][0]["password"])
            self.assertEqual(session.select("INBOX"), ("OK", [b"0"]))
            self.assertGreater(int(session.response("UIDVALIDITY")[1][0]), int(validity[0]))  # type: ignore[arg-type]
        self.assertEqual(self.lived(service, made), first)
        known = {one["id"] for one in service.good("GET", "/api/admin/universes")}

        self.killed(service, "/api/snapshots", {}, key)
        self.assertEqual(service.good("GET", "/api/fingerprint", key=key)["fingerprint"], first)
        for one in service.good("GET", "/api/snapshots", key=key):
            if one["id"] != snapshot["id"]:
                self.assertEqual(one["fingerprint"], first)
        self.killed(service, path + "/fork", {}, key)
        for one in service.good("GET", "/api/admin/universes"):
            if one["id"] not in known:
                other = service.good("POST", "/api/admin/keys", {"universe": one["id"], "role": "admin"})["key"]
                self.assertEqual(service.good("GET", "/api/fingerprint", key=other)["fingerprint"],
                                 snapshot["fingerprint"])
        self.killed(service, path + "/restore", None, key)
        state = service.good("GET", "/api/fingerprint", key=key)["fingerprint"]
        self.assertIn(state, (first, snapshot["fingerprint"]))
        if state == first:
            service.good("POST", path + "/restore", None, key)
        self.assertEqual(self.lived(service, made), first)
        self.killed(service, "/api/reset", {"keep": ["accounts"]}, key)
        left = service.good("GET", "/api/status", key=key)
        self.assertIn((left["messages"], left["personas"]), ((0, 0), (left["messages"], 1)))
        empty = service.good("POST", "/api/reset", {"keep": ["accounts"]}, key)["fingerprint"]
        service.good("POST", path + "/restore", None, key)
        self.assertEqual(self.lived(service, made), first)
        self.assertEqual(service.good("POST", "/api/reset", {"keep": ["accounts"]}, key)["fingerprint"], empty)
        self.assertEqual(service.stop(), 0)
