"""Tests for C{simmail.server.passwords}."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import CancelledError, Deferred, maybeDeferred
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from simmail.server import passwords
from simmail.server.passwords import HashQueue, new_password, Passwords
from simmail.testing.universe import now
from tests.shallow import shallow


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


class HashQueueTests(SynchronousTestCase):
    """Two pieces of work at once."""

    def setUp(self) -> None:
        """The queue, and what is being worked at."""
        self.reactor = Clock()
        self.queue = HashQueue(2, self.reactor)
        self.working: list[tuple[str, Deferred[None]]] = []
        self.done: list[str] = []

    async def work(self, lane: str, at_once: bool = False) -> None:
        """One piece of work."""
        async with self.queue.turn(lane):
            if not at_once:
                self.working.append((lane, Deferred()))
                await self.working[-1][1]
            self.done.append(lane)

    def finish(self) -> None:
        """The oldest piece is done."""
        self.working.pop(0)[1].callback(None)
        self.reactor.advance(0)

    def test_in_turn(self) -> None:
        """Whoever brings much is behind others with little."""
        for lane in ("many",) * 20 + ("few",):
            Deferred.fromCoroutine(self.work(lane))
        self.assertEqual(len(self.working), 2)
        for _ in range(4):
            self.finish()
        self.assertIn("few", self.done)
        while self.working:
            self.finish()
        self.assertEqual(len(self.done), 21)
        now(self.work("again", True))

    def test_done_at_once(self) -> None:
        """Work that is done at once makes no deep stack."""
        for _ in range(2):
            Deferred.fromCoroutine(self.work("a"))
        for _ in range(5000):
            Deferred.fromCoroutine(self.work("b", True))
        with shallow():
            self.finish()
        self.assertEqual(len(self.done), 5001)

    def test_failing_and_cancelled(self) -> None:
        """Neither keeps a place."""
        async def failing() -> None:
            async with self.queue.turn("a"):
                raise ValueError

        for _ in range(5):
            self.assertRaises(ValueError, now, failing())
        for _ in range(2):
            Deferred.fromCoroutine(self.work("a"))
        gone = Deferred.fromCoroutine(self.work("b"))
        gone.cancel()
        self.failureResultOf(gone, CancelledError)
        self.finish()
        self.finish()
        now(self.work("c", True))
        now(self.work("c", True))


class NewPasswordTests(SynchronousTestCase):
    def test_characters(self) -> None:
        """Nothing a shell, an option parser or a URL reads as its own, and no password twice."""
        made = {new_password() for _ in range(2000)}
        self.assertEqual(len(made), 2000)
        self.assertEqual([word for word in made if len(word) != 16 or not (word.isascii() and word.isalnum())], [])
