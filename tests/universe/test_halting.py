"""Those who rest are waked when they are to end."""

from __future__ import annotations

from twisted.internet.defer import Deferred, succeed
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from simmail.universe.halting import Halt


class HaltTests(SynchronousTestCase):
    """Who rests until something is done."""

    def setUp(self) -> None:
        self.clock = Clock()
        self.halt = Halt(self.clock)

    def test_done(self) -> None:
        """What is done, or failed, before is told."""
        self.successResultOf(self.halt.unless(succeed(None)))
        done: Deferred[None] = Deferred()
        waiting = self.halt.unless(done)
        self.assertNoResult(waiting)
        done.errback(ValueError())
        self.failureResultOf(waiting, ValueError)

    def test_asked(self) -> None:
        """Asked, all go on, and nobody rests any more; what is done later harms nobody."""
        done: Deferred[None] = Deferred()
        waiting = [self.halt.unless(done) for _ in range(3)]
        self.halt.ask()
        for one in (*waiting, self.halt.unless(done), self.halt.unless(Deferred())):
            self.assertIsNone(self.successResultOf(one))
        done.callback(None)
        self.assertTrue(self.halt.asked)
