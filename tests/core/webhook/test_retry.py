"""What follows an attempt."""

from __future__ import annotations

from hypothesis import given
from hypothesis.strategies import floats, integers, text
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.webhook.retry import LONGEST_PAUSE, NextStep, WebhookAnswer, next_step, wished

NOW = 1_790_000_000.0


class NextStepTests(SynchronousTestCase):
    """Four attempts, 3, 9 and 27 seconds apart, unless the endpoint says otherwise."""

    def step(self, attempt: int = 1, **answer: object) -> NextStep:
        """What follows the n-th attempt."""
        return next_step(WebhookAnswer(**answer), attempt, NOW)  # type: ignore[arg-type]

    def test_delivered(self) -> None:
        """Any 2xx is success, and nothing else is."""
        for status in (200, 201, 204, 299):
            self.assertEqual(self.step(status=status).kind, "delivered")
        for status in (0, 101, 199, 300, 302, 400, 500):
            self.assertEqual(self.step(status=status).kind, "again")

    def test_pauses(self) -> None:
        """As the contract has them; after the fourth it is given up."""
        self.assertEqual([self.step(n, status=500).due - NOW for n in (1, 2, 3)], [3.0, 9.0, 27.0])
        self.assertEqual(self.step(4, status=500), NextStep("give_up"))

    def test_gone(self) -> None:
        """410 and the directive end everything."""
        self.assertEqual(self.step(status=410).kind, "stop")
        self.assertEqual(self.step(status=500, directive=" Disable ").kind, "stop")
        self.assertEqual(self.step(status=200, directive="disable").kind, "delivered")

    def test_aborted(self) -> None:
        """This event is not wanted any more."""
        self.assertEqual(self.step(status=422, directive="abort-message").kind, "give_up")

    def test_retry_after(self) -> None:
        """It makes a pause longer, never shorter; a busy endpoint gets nothing else meanwhile."""
        self.assertEqual(self.step(status=503, retry_after="60"), NextStep("again", NOW + 60, NOW + 60))
        self.assertEqual(self.step(status=429, retry_after="1"), NextStep("again", NOW + 3, NOW + 1))
        self.assertEqual(self.step(status=500, retry_after="60"), NextStep("again", NOW + 60))
        self.assertEqual(self.step(4, status=503, retry_after="60"), NextStep("give_up", hold=NOW + 60))

    def test_wished(self) -> None:
        """Seconds or a date (RFC 9110); what is neither asks for nothing."""
        self.assertEqual(wished("Mon, 21 Sep 2026 14:13:50 GMT", NOW), 30.0)
        self.assertEqual(wished("Mon, 21 Sep 2020 14:13:50 GMT", NOW), 0.0)
        self.assertEqual([wished(one, NOW) for one in ("", "soon", "-5", "1e9", "9" * 400)], [0.0] * 5)
        self.assertEqual(wished("99999", NOW), LONGEST_PAUSE)

    @given(integers(0, 999), text(max_size=20), text(max_size=20), integers(1, 4), floats(0, 4e9))
    def test_any(self, status: int, after: str, directive: str, attempt: int, now: float) -> None:
        """Whatever an endpoint says, there are no more than four attempts, and no pause over an hour."""
        step = next_step(WebhookAnswer(status, retry_after=after, directive=directive), attempt, now)
        if attempt == 4:
            self.assertNotEqual(step.kind, "again")
        if step.kind == "again":
            self.assertTrue(now + 3 <= step.due <= now + LONGEST_PAUSE)
