"""Promises that mails make."""

from __future__ import annotations

from datetime import timedelta, timezone
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.language.promised import promised
from simmail.core.language.reader import Findings
from simmail.core.time.instant import format_instant
from tests.core.hostile import seconds
from tests.core.scenes import NOW, mail


def heard(text: str, **fields: Any) -> list[tuple[str, str]]:
    """What is promised in a text, and by when."""
    return [(found.what, format_instant(found.due)) for found in promised(Findings(mail(text, **fields), NOW))]


FRIDAY, TOMORROW, UNDATED = "2026-03-06T17:00:00Z", "2026-03-03T17:00:00Z", "2026-03-05T17:00:00Z"


class HeardTests(SynchronousTestCase):
    """Recognising."""

    def test_promises(self) -> None:
        """What is promised is a phrase that fits after "to send", due as it is said."""
        for text, expected in (
            ("I will send you the signed contract by Friday.", ("the signed contract", FRIDAY)),
            ("I will send the plan by EOD Thursday.", ("the plan", "2026-03-05T17:00:00Z")),
            ("I will send the plan by 10:00 CET tomorrow.", ("the plan", "2026-03-03T09:00:00Z")),
            ("I'll send see you by Friday.", ('what was promised about "Figures for March"', FRIDAY)),
            ("You'll get your £120 back by Friday.", ("£120", FRIDAY)),
            ("Please send me a corrected invoice and I'll pay it by Friday.", ("the payment", FRIDAY)),
            ("I'll send it by Friday.", ('what was promised about "Figures for March"', FRIDAY)),
            ("We'll get back to you tomorrow.", ("an answer", TOMORROW)),
            ("We will get back to you shortly!", ("an answer", UNDATED)),
            ("Our team will update you within 24 hours", ("an update", "2026-03-03T10:00:00Z")),
            ("You will receive your invoice by Friday", ("your invoice", FRIDAY)),
            ("I\u2019ll forward the report to you on Friday, then.", ("the report", FRIDAY)),
            ("We will refund the amount by Friday.", ("the refund", FRIDAY)),
            ("Ich werde Ihnen den Vertrag bis Freitag senden.", ("den Vertrag", FRIDAY)),
            ("Wir melden uns morgen.", ("an answer", TOMORROW)),
            ("Wir senden Ihnen die Unterlagen bis Freitag.", ("die Unterlagen", FRIDAY)),
        ):
            found = heard(text)
            self.assertEqual(found, [expected], text)

    def test_no_promises(self) -> None:
        """Questions, conditions, refusals, news and requests promise nothing; nor do quotes."""
        for text in (
            "Will you send it by Friday?", "If you send the form, I will send the contract.",
            "I will not send it.", "I won't send anything.", "The shop will open on Friday.",
            "Please send the contract by Friday.", "I will be out of office and will reply on Friday.",
            "I sent the contract yesterday.", "Thanks!\n\n> I will send the contract by Friday.",
            "I'll be there on Friday.", "You'll have to come and see it soon.", "You'll need to send it by Friday.", "",
        ):
            self.assertEqual(heard(text), [], text)

    def test_zone(self) -> None:
        """Friday ends at five on the wall of who says so, or in the zone that the mail names."""
        far = NOW.astimezone(timezone(timedelta(hours=-5)))
        found = promised(Findings(mail("I will send the plan by Friday."), far))
        self.assertEqual(format_instant(found[0].due), "2026-03-06T22:00:00Z")
        self.assertTrue(found[0].dated)
        named = promised(Findings(mail("I will send the plan by Friday. We open at 9:00 CET."), far))
        self.assertEqual(format_instant(named[0].due), "2026-03-06T16:00:00Z")

    def test_at_most_three(self) -> None:
        """A mail full of promises gives three."""
        text = " ".join(f"I will send part {n} by Friday." for n in range(9))
        self.assertEqual([what for what, _ in heard(text)], ["part 0", "part 1", "part 2"])

    @settings(max_examples=150, deadline=None)
    @given(st.text(max_size=400) | st.lists(st.sampled_from(
        "I'll will send the it by Friday. within ? 3 days we'll get back to you \n > , attached contract".split(" ")),
        max_size=30).map(" ".join))
    def test_anything(self, text: str) -> None:
        """Any text gives short phrases and instants."""
        for what, due in heard(text, subject=text[:50]):
            self.assertTrue(0 < len(what) < 400)
            self.assertGreater(due, "2025")

    def test_quick(self) -> None:
        """A huge mail is looked at in part."""
        self.assertLess(seconds(heard, "I will send the thing by the end of the week. " * 50_000)
                        + seconds(heard, "I will send " * 50_000), 0.5)
