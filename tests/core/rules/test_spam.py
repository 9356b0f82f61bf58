"""The spam score: honest mail, spam, limits."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.message.parse import read
from simmail.core.mime.address import Address
from simmail.core.rules.spam import THRESHOLDS, score
from tests.core.hostile import seconds
from tests.core.inboxes import INBOX
from tests.core.scenes import MARIA, attached
from tests.core.rules.test_spam_rules import LINKED, PROSE, judged


class InboxTests(SynchronousTestCase):
    """Whole mails, as people get them."""

    def test_inbox(self) -> None:
        """Honest mail passes the strict filter, spam no filter but the lenient one; doubtful mail is in between."""
        for one in INBOX:
            found = score(read(one.octets), one.path or one.sender.rpartition("<")[2].rstrip(">"), MARIA)
            low, high = {"honest": (-5.0, 2.99), "doubtful": (3.0, 8.0), "spam": (5.0, 50.0)}[one.verdict]
            self.assertTrue(low <= found.score <= high, f"{one.name}: {found.score}, {found.why}")
        self.assertGreaterEqual(len(INBOX), 20)


class MailTests(SynchronousTestCase):
    """Whole mails."""

    def test_what_applications_send(self) -> None:
        """Transactional mail passes the strict filter."""
        for fields in (
            {"subject": "Your code", "text": "Your code is 123456. It expires in 10 minutes."},
            {"subject": "Reset your password", "text": "Click here to reset it: http://localhost:3000/reset?t=1\n"},
            {"subject": "Invoice INV-2041 is overdue", "text": "INV-2041 over $1,250.00 is overdue. Please pay!"},
            {"subject": "Welcome to App!", "format": "both",
             "html": LINKED.format("https://app.test/verify", "Verify your account"), "text": "Verify your account"},
            {"subject": "Newsletter", "text": "Special offer: 20% off. " + PROSE,
             "headers": (("List-Unsubscribe", "<https://app.test/u>"), ("List-Unsubscribe-Post", "x"))},
            {"subject": "test", "text": "hi"}, {"subject": "Meeting", "text": PROSE},
            {"subject": "", "text": ""},
        ):
            found = judged(**fields)
            self.assertFalse(found.score >= (THRESHOLDS["strict"] or 0), found.why)

    def test_what_is_spam(self) -> None:
        """Plain spam does not pass the normal filter."""
        for fields in (
            {"subject": "FREE VIAGRA!!! BUY NOW", "text": "Cheap viagra, no prescription. Order now!"},
            {"subject": "You have won!", "text": "Congratulations, you have won the lottery. Claim your prize now!!!"},
            {"subject": "Confidential", "from_": Address("", "mrs847362@x.test"), "text":
             "Dear beloved, I am the next of kin to an inheritance of $9,500,000 and seek a beneficiary."},
            {"subject": "Security alert", "html": LINKED.format("https://evil.example/", "www.bank.example/login"),
             "text": "Unusual activity: verify your account or your account will be closed"},
            {"subject": "Invoice", "attachments": (attached("invoice.pdf.exe"),), "text": "Act now, click here"},
        ):
            found = judged(**fields)
            self.assertTrue(found.score >= (THRESHOLDS["normal"] or 0), (fields, found.score, found.why))

    def test_why(self) -> None:
        """The weightiest rules come first and the sum is the score."""
        found = judged("You have won the lottery!!! Act now", subject="WINNER WINNER!!")
        self.assertEqual([abs(rule.score) for rule in found.rules],
                         sorted((abs(rule.score) for rule in found.rules), reverse=True))
        self.assertEqual(found.score, round(sum(rule.score for rule in found.rules), 2))
        self.assertTrue(found.why.startswith(f"{found.rules[0].name} +{found.rules[0].score:.1f} ("))
        self.assertEqual(judged().why, "no rule fired")
        self.assertEqual(judged().score, 0.0)


class CostTests(SynchronousTestCase):
    """Limits."""

    def test_hostile(self) -> None:
        """Mail made to be slow is not."""
        def hostile() -> None:
            for text in ("$" * 100_000, "$1" * 50_000, "act now " * 12_500, "http://1.2.3.4/" * 6_000, "!" * 100_000,
                         "\u200b" * 100_000, "million dollars " * 9_000, "eur" * 30_000):
                judged(text, html=text, subject=text)
            for html in ("<a href=x " * 20_000, "<a " * 50_000, "<a href='http://a.b/'>a.b<" * 5_000,
                         "<form" * 20_000):
                judged(html=html)

        self.assertLess(seconds(hostile), 1.5)

    @settings(max_examples=100, deadline=None)
    @given(st.text(max_size=200), st.text(max_size=200), st.text(max_size=60), st.text(max_size=20),
           st.text(max_size=20))
    def test_anything(self, text: str, html: str, subject: str, name: str, address: str) -> None:
        """Any mail is scored, and the same each time."""
        fields: dict[str, Any] = {"html": html, "subject": subject, "from_": Address(name, address)}
        self.assertEqual(judged(text, address, **fields), judged(text, address, **fields))
