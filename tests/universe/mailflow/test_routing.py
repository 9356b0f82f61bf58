"""Tests for C{simmail.universe.mailflow.routing}: what faults do to deliveries."""

from __future__ import annotations

from datetime import timedelta

from simmail.testing.universe import now, turned
from simmail.universe.universe import Universe
from tests.universe.jobs.test_bounces import BounceTestCase


class RoutingTests(BounceTestCase):
    """Copies of a message."""

    def test_discarded(self) -> None:
        """Accepted, never delivered."""
        self.deliver("discard")
        self.assertFalse(self.universe.store.exists("a@x.test"))

    def test_duplicated(self) -> None:
        """Delivered twice."""
        self.deliver("duplicate")
        self.assertEqual(len(self.inbox("a@x.test")), 2)

    def test_corrupted(self) -> None:
        """The body is cut short."""
        self.deliver("corrupt")
        (mail,) = self.inbox("a@x.test")
        self.assertEqual(mail.subject, "Lunch on Friday?")
        self.assertNotIn("App", mail.text)

    def test_late(self) -> None:
        """Delivered after a simulated while."""
        self.deliver("late", delay_ms=3_600_000)
        self.assertFalse(self.universe.store.exists("a@x.test"))
        turned(self.universe, self.universe.scheduler.advance(by=timedelta(hours=2)))
        self.assertEqual(len(self.inbox("a@x.test")), 1)

    def test_bounced_by_a_rule(self) -> None:
        """Accepted, and a notice with the rule's words comes back."""
        self.deliver("bounce", code=554, enhanced="5.7.1", message="Not here")
        turned(self.universe, self.universe.scheduler.advance(until="idle"))
        (notice,) = self.notices()
        self.assertIn("Not here", notice.as_string())

    def test_numbered(self) -> None:
        """Of mail to one address each is another: its number is kept across a start, and kept apart by the sender."""
        self.rules(status={"dead@x.test": "unknown"})

        def numbers() -> list[int]:
            return sorted(job.data["nth"] for job in self.universe.pending.by_id.values())

        self.submit("dead@x.test")
        self.submit("dead@x.test", sender="other@sim.test")
        self.assertEqual(numbers(), [1, 1])
        again = Universe(self.universe.record, self.server.config, self.universe.store, self.server.database,
                         self.server.reactor, self.server.unique, self.server.web, self.server.endpoints,
                         self.server.model)
        now(again.start())
        again.begin()
        self.universe = again
        self.rules(status={"dead@x.test": "unknown"})
        self.submit("dead@x.test")
        self.assertEqual(numbers(), [1, 1, 2])
