"""Tests for C{simmail.server.passwords}."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred, maybeDeferred
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from simmail.server import passwords
from simmail.server.passwords import Passwords
from simmail.testing.universe import now


class PasswordsTests(SynchronousTestCase):
    """Hashes and looks."""

    def setUp(self) -> None:
        """What is worked out is noted down."""
        self.worked: list[Any] = []
        self.passwords = Passwords(self.in_thread, Clock())

    def in_thread(self, work: Any, *arguments: Any) -> Deferred[Any]:
        self.worked.append(arguments)
        return maybeDeferred(work, *arguments)

    def verify(self, stored: str, password: str) -> bool:
        return now(self.passwords.verify(stored, password))

    def test_verified(self) -> None:
        """Only the password that was hashed is good; each hash has a salt of its own; text of any script will do."""
        one, other = (now(self.passwords.hash("Größe 1")) for _ in range(2))
        self.assertNotEqual(one, other)
        self.assertTrue(one.startswith("$argon2id$"))
        for stored in (one, other):
            self.assertTrue(self.verify(stored, "Größe 1"))
            self.assertFalse(self.verify(stored, "Große 1"))

    def test_nobody(self) -> None:
        """Of a name that nobody has a hash is looked at as well, so that the answer takes as long; it is never good."""
        self.assertFalse(self.verify("", "x"))
        self.assertFalse(self.verify("", "x"))
        self.assertFalse(self.verify("no hash at all", "x"))
        self.assertEqual([bool(stored) for stored, _ in self.worked], [True] * 3)

    def test_remembered(self) -> None:
        """A good password is not worked out again for a while, a wrong one is; the memory is bounded."""
        self.patch(passwords, "_REMEMBERED", 2)
        stored = [now(self.passwords.hash(word)) for word in "abc"]
        self.worked.clear()
        for n, word in enumerate("aabbcca"):
            self.assertTrue(self.verify(stored["abc".index(word)], word), n)
        self.assertEqual(len(self.worked), 4)
        for _ in range(2):
            self.assertFalse(self.verify(stored[0], "wrong"))
        self.assertEqual(len(self.worked), 6)
