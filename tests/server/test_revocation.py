"""Tests for C{simmail.server.revocation}."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.server.revocation import Revocations


class RevocationsTests(SynchronousTestCase):
    """Who looks again."""

    def test_told(self) -> None:
        """Those who watch are told each time until they stop, also when one stops while it is told."""
        revocations, told = Revocations(), list[str]()

        def once() -> None:
            told.append("once")
            stop()

        stop = revocations.watch(once)
        revocations.watch(lambda: told.append("always"))
        for _ in range(2):
            revocations.tell()
        self.assertEqual(told, ["once", "always", "always"])
        stop()
