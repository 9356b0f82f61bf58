"""Tests for C{simmail.rest.nginx_auth}."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from simmail.errors import Elsewhere, Forbidden, TooMany, Unauthenticated, Unavailable
from simmail.rest.nginx_auth import NginxAuth
from simmail.testing.universe import now

ENDPOINTS = {"imap": {"host": "0.0.0.0", "port": 2143}, "smtp": {"host": "192.0.2.1", "port": 2525}}


class NginxAuthTests(SynchronousTestCase):
    """What nginx is told."""

    def setUp(self) -> None:
        self.tried: list[Any] = []
        self.error: Exception | None = None
        self.auth = NginxAuth(self, ENDPOINTS)  # type: ignore[arg-type]

    async def sign_in(self, *tried: str) -> None:
        """Note what is tried, as a server does."""
        self.tried.append(tried)
        if self.error is not None:
            raise self.error

    def asked(self, protocol: str, method: str = "plain") -> Any:
        """What is answered."""
        return now(Deferred.fromCoroutine(self.auth.asked(
            {"Protocol": protocol, "Method": method, "User": "app%40sim.test", "Pass": "a%20b%25"}, "203.0.113.7")))

    def test_let_in(self) -> None:
        """It is this server, whoever of the installation has the login."""
        imap = {"Auth-Status": "OK", "Auth-Server": "127.0.0.1", "Auth-Port": "2143"}
        self.assertEqual(self.asked("imap"), imap)
        self.assertEqual(self.tried, [("app@sim.test", "a b%", "imap", "203.0.113.7")])
        self.error = Elsewhere("elm")
        self.assertEqual(self.asked("imap"), imap)
        self.assertEqual(self.asked("smtp")["Auth-Server"], "192.0.2.1")
        self.tried.clear()
        self.assertEqual((self.asked("smtp", "none")["Auth-Status"], self.tried), ("OK", []))

    def test_refused(self) -> None:
        """Each refusal with its code; where it may be tried again, after a moment."""
        for self.error, code, again in (
                (Unauthenticated("no"), "535 5.7.8", True), (Forbidden("suspended"), "535 5.7.8", False),
                (TooMany("no", 5.0), "454 4.7.0", False), (Unavailable("away"), "454 4.7.0", True)):
            told = self.asked("smtp")
            self.assertEqual(
                (told["Auth-Error-Code"], "Auth-Wait" in told, "Auth-Server" in told), (code, again, False))
        self.assertEqual(self.asked("pop3"), {"Auth-Status": "No pop3 here"})
