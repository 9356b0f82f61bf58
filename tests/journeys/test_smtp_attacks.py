"""What the SMTP door promises against ill will (promises, R8, R9, R11, R12, S1 to S3), scaled down."""

from __future__ import annotations

import ssl
import time
from typing import Any

from tests.journeys import attacks
from tests.journeys.running import JourneyCase, Service


class AttackTests(JourneyCase):
    """Each against a running daemon; scripts/bench/promises has the full figures."""

    def started(self, config: dict[str, Any] | None = None) -> Service:
        """A running service."""
        service = self.service(config)
        service.start()
        return service

    def test_smuggling(self) -> None:
        """S1: no false end of data ends it, no command with CR, LF or NUL in it is accepted."""
        service = self.started()
        self.assertEqual(len(attacks.FALSE_ENDS), 48)
        self.assertEqual(attacks.false_ends(service), [])
        self.assertEqual(attacks.split_commands(service), [])
        senders = {event["data"]["from"] for event in service.events("mail.delivered")}
        self.assertNotIn("evil@sim.test", senders)

    def test_injection(self) -> None:
        """S2: nothing from before TLS counts after it."""
        service = self.started()
        trust = ssl.create_default_context(cadata=service.get("/api/connection/cert").body.decode("ascii"))
        self.assertEqual(attacks.injections(service, trust), [])

    def test_malformed(self) -> None:
        """R8: malformed dialogs get replies of SMTP, cost no memory and nobody else's time."""
        service = self.started()
        attacks.malformed(service, 100, seed=1)
        before = attacks.rss(service)
        self.assertEqual(attacks.malformed(service, 300, seed=2), [])
        self.assertLess(attacks.rss(service) - before, 50 << 20)
        with service.smtp() as session:
            self.assertEqual(session.noop()[0], 250)

    def test_silence(self) -> None:
        """R11: who says nothing, or almost nothing, is cut off."""
        service = self.started({"smtp": {"timeout": "2s"}, "imap": {"login_timeout": "2s"}})
        for said in (b"", b"NO", b"EHLO x\r\nMAIL FROM:<a@sim.test>\r\n"):
            took, last = attacks.silence(service, said=said)
            self.assertTrue(1.5 < took < 10 and last.startswith(b"421 4.4.2"), (said, took, last))
        took, last = attacks.silence(service, "imap", b"a LOG")
        self.assertTrue(1.5 < took < 10 and last.startswith(b"* BYE"), (took, last))
        took, last = attacks.trickle(service, 15)
        self.assertTrue(took < 12 and last.startswith(b"421"), (took, last))

    def test_crowd(self) -> None:
        """R12: connections over the limit are turned away at once, requests over the rate get 429."""
        service = self.started({
            "smtp": {"connections": 20}, "imap": {"connections": 20}, "http": {"rate": 20, "burst": 100}})
        for port in ("smtp", "imap"):
            seen = attacks.crowd(service, port, 20, 0)
            self.assertEqual((seen.served, seen.other), (20, 0))
            self.assertEqual(seen.turned_away, 180)
            self.assertLess(seen.slowest, 2.0)
        begin, answers = time.monotonic(), []
        for _ in range(200):
            answers.append(service.get("/api/me"))
        allowed = sum(one.status == 200 for one in answers)
        self.assertLessEqual(allowed, 101 + 20 * (time.monotonic() - begin))
        if allowed < 200:
            refused = next(one for one in answers if one.status != 200)
            self.assertEqual(refused.status, 429)
            self.assertIn("Retry-After", refused.headers)
