"""Tests for C{simmail.server.hash_queue}."""

from __future__ import annotations

from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from simmail.server.hash_queue import HashQueue
from simmail.testing.universe import now
from tests.shallow import shallow


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
