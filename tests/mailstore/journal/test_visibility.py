"""Who looks waits for what was promised, and for nothing else."""

from __future__ import annotations

from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from simmail.mailstore.journal.journal import Visibility


class VisibilityTests(SynchronousTestCase):
    """C{Visibility}."""

    def setUp(self) -> None:
        self.clock = Clock()
        self.visibility = Visibility(self.clock)
        self.durable: list[int] = []

    def test_nothing_promised(self) -> None:
        """Of what is not durable nothing is promised; nobody waits."""
        promise = self.visibility.promise(lambda: self.durable.append(1))
        self.assertIsNone(self.visibility.clear())
        self.assertEqual(promise.over("refused"), "refused")
        self.assertIsNone(self.visibility.clear())
        self.assertEqual(self.durable, [])

    def test_waits_for_what_was_before(self) -> None:
        """Who looks waits for what was promised before, not for what is promised after."""
        first, second = (self.visibility.promise(lambda: self.durable.append(1)) for _ in range(2))
        first()
        waiting = self.visibility.clear()
        assert waiting is not None
        second()
        self.assertEqual(self.durable, [1, 1])
        self.assertNoResult(waiting)
        self.assertEqual(first.over("filed"), "filed")
        self.clock.advance(0)
        self.successResultOf(waiting)
        self.assertIsNotNone(self.visibility.clear())
        second.over(None)
        self.clock.advance(0)
        self.assertIsNone(self.visibility.clear())
