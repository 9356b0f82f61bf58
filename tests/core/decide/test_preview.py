"""Decisions told without being carried out."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.core.decide.decide import react
from simmail.core.decide.decision import DecisionInput, Ignore, SpamVerdict
from simmail.core.decide.preview import Preview, previewed
from tests.core.scenes import mail, of, person, plans, situation
from tests.core.test_silence import CASES, outcome


def told(one: DecisionInput) -> Preview:
    """The preview of a situation."""
    return previewed(react(one))


class PreviewTests(SynchronousTestCase):
    """Every kind of decision."""

    def test_decisions(self) -> None:
        """Each silence has its decision, and whether anything would come back."""
        for name, decision, sends in (
            ("a ghost", "ignore", False), ("paused", "ignore", False), ("junk by the normal filter", "junk", False),
            ("a full mailbox", "bounce", True), ("batched", "batch", True), ("forwarded", "forward", True),
            ("away", "reply", True), ("away and not inclined", "ignore", True), ("a loop", "ignore", False),
        ):
            found = told(CASES[name][0])
            self.assertEqual((found.decision, found.would_send), (decision, sends), name)

    def test_agrees_with_the_events(self) -> None:
        """The first why of a preview is the why of the event, for every silence."""
        for name, (given, _, _) in CASES.items():
            self.assertEqual(told(given).why[0], outcome(react(given)).why, name)

    def test_reply(self) -> None:
        """A reply is told with its draw and its due time, then what else happens."""
        one = situation(mail("https://x.site/"), person(timing={"reply_rate": 1}, style={"links": "never"}),
                        spam=SpamVerdict(0.5, 5.0, "x"))
        found = told(one)
        self.assertEqual((found.decision, found.would_send), ("reply", True))
        self.assertEqual(found.due, plans("reply", react(one))[0].due)
        self.assertIn("reply rate 1.00", found.why[0])
        self.assertTrue(any("spam score 0.5 under 5.0" in why for why in found.why))
        self.assertTrue(any("left alone" in why for why in found.why))

    def test_notice_comes_first(self) -> None:
        """For somebody away the notice is due first."""
        given = CASES["away"][0]
        self.assertEqual(told(given).due, plans("ooo", react(given))[0].due)

    def test_nothing(self) -> None:
        """Silence has no due time."""
        given = CASES["a ghost"][0]
        self.assertIsNone(told(given).due)
        self.assertEqual(len(of(Ignore, react(given))), 1)
