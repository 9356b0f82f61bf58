"""Tests for C{simmail.core.net.loopback}."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.net.loopback import is_loopback


class LoopbackTests(SynchronousTestCase):
    """What this machine alone reaches."""

    def test_own(self) -> None:
        """All of 127.0.0.0/8, ::1, the name, and a mapped address."""
        for host in ("127.0.0.1", "127.9.9.9", "::1", "localhost", "::ffff:127.0.0.1"):
            self.assertTrue(is_loopback(host), host)

    def test_others(self) -> None:
        """Everything else, also what only looks like it."""
        for host in ("0.0.0.0", "::", "192.0.2.1", "", "mail.test", "127.mail.test", "::ffff:192.0.2.1", "local"):
            self.assertFalse(is_loopback(host), host)
