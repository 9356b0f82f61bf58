"""The spam score: each rule, honest mail, limits."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.message.parse import read
from simmail.core.mime.address import Address
from simmail.core.rules.spam import SpamScore, THRESHOLDS, score
from simmail.core.rules.spam_rules import RULES
from tests.core.hostile import seconds
from tests.core.inboxes import INBOX
from tests.core.scenes import APP, MARIA, attached, mail


def judged(text: str = "Hello", sender: str = APP, recipient: str = MARIA, **fields: Any) -> SpamScore:
    """The score of a mail."""
    return score(mail(text, **fields), sender, recipient)


def fired(found: SpamScore) -> set[str]:
    """The names of the rules that fired."""
    return {rule.name for rule in found.rules}


LINKED = '<a href="{}">{}</a>'
CROWD = tuple(Address("", f"a{n}@x.test") for n in range(25))
PROSE = "We would like to tell you about the meeting of next week and what will be on the table there. "

#: rule: (a mail that it catches, one much like it that it does not).
EXAMPLES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "GTUBE": ({"text": "x XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X x"}, {"text": "GTUBE"}),
    "SUBJECT_CAPS": ({"subject": "READ THIS AT ONCE"}, {"subject": "NATO and the EU meet"}),
    "SUBJECT_MARKS": ({"subject": "Win $$$ now!"}, {"subject": "It works!"}),
    "SUBJECT_MISSING": ({"subject": " "}, {"subject": "x"}),
    "SUBJECT_FAKE_REPLY": ({"subject": "Re: offer"}, {"subject": "Re: offer", "in_reply_to": "<1@x>"}),
    "FROM_MISSING": ({"from_": Address("A", "")}, {}),
    "FROM_NAME_ADDRESS": ({"from_": Address("service@bank.example", "x@evil.example")},
                          {"from_": Address("alice@app.test", "alice@app.test")}),
    "FROM_DIGITS": ({"from_": Address("", "win84736251@x.test")}, {"from_": Address("", "orders2026@x.test")}),
    "REPLY_TO_FREE": ({"reply_to": (Address("", "x@gmail.com"),)}, {"reply_to": (Address("", "help@other.test"),)}),
    "SENDER_DIFFERS": ({"sender": "b@elsewhere.test"}, {"sender": "b@bounces.app.test"}),
    "NOT_ADDRESSED": ({"to": (Address("", "x@y.test"),)}, {"to": ()}),
    "SHOUTING": ({"text": PROSE.upper() * 2}, {"text": PROSE + "NASA"}),
    "EXCLAIMING": ({"text": "Look!!!"}, {"text": "Look! Here!"}),
    "OBFUSCATED": ({"text": "V1agra"}, {"text": "Via Appia"}),
    "MILLIONS": ({"text": "about $5,000,000 for you"}, {"text": "$5,000 or EUR 1,200.00"}),
    "LOTTERY": ({"text": "You\u2019ve won"}, {"text": "We won the match"}),
    "ADVANCE_FEE": ({"text": "I am a barrister, you are next of kin"}, {"text": "my kind regards to your kin"}),
    "PHARMACY": ({"text": "cheap viagra"}, {"text": "the pharmacy is open"}),
    "QUICK_MONEY": ({"text": "make money fast"}, {"text": "the money came fast"}),
    "CRYPTO": ({"text": "guaranteed returns"}, {"text": "the returns department"}),
    "LOAN": ({"text": "no credit check"}, {"text": "please check the credit note"}),
    "ADULT": ({"text": "hot singles near you"}, {"text": "hot soup"}),
    "GAMBLING": ({"text": "online casino"}, {"text": "we meet at the casino"}),
    "EXTORTION": ({"text": "I recorded you with your webcam"}, {"text": "the meeting was recorded"}),
    "HURRY": ({"text": "Act now, limited time"}, {"text": "There is no hurry"}),
    "PHISHING": ({"text": "Verify your account: https://evil.example/x"},
                 {"text": "Verify your account: https://www.app.test/x and http://localhost/y"}),
    "LINK_MISMATCH": ({"html": LINKED.format("https://evil.example/", "www.bank.example")},
                      {"html": LINKED.format("https://www.bank.example/", "login.bank.example")}),
    "LINK_NUMBER": ({"text": "http://8.8.8.8/x"}, {"text": "http://127.0.0.1:3000/x http://192.168.0.4/"}),
    "LINK_SHORTENED": ({"text": "https://bit.ly/x"}, {"text": "https://bit.ly.app.test/x"}),
    "LINK_CREDENTIALS": ({"text": "https://bank.example@evil.example/"}, {"text": "https://a.test/?x=a@b.test"}),
    "LINK_FOREIGN": ({"text": "https://xn--pple-43d.example/"}, {"text": "https://apple.example/"}),
    "MANY_LINKS": ({"text": " ".join(f"https://a{n}.test/" for n in range(20))},
                   {"text": " ".join(f"https://a{n}.test/" for n in range(20)) + PROSE * 20}),
    "IMAGE_ONLY": ({"text": "Look", "html": "<img src=x>"}, {"text": PROSE, "html": "<img src=x>"}),
    "HTML_ONLY": ({"format": "html", "html": "<p>x"}, {"format": "both", "html": "<p>x"}),
    "HTML_HIDDEN": ({"html": '<p style="font-size: 0px">x'}, {"html": '<p style="font-size: 10px">x'}),
    "HTML_FORM": ({"html": "<form><input type='password'></form>"}, {"html": "<p>a form</p>"}),
    "ATTACHED_PROGRAM": ({"attachments": (attached("invoice.pdf.exe"),)}, {"attachments": (attached("exe.pdf"),)}),
    "ATTACHED_MACROS": ({"attachments": (attached("Report.DOCM"),)}, {"attachments": (attached("r.docx"),)}),
    "NO_WAY_OUT": ({"text": "newsletter: special offer"}, {"text": "newsletter: special offer. Unsubscribe: x"}),
    "UNSUBSCRIBE_HEADER": ({"headers": (("List-Unsubscribe", "<mailto:x@y.test>"),)}, {}),
    "CROWD": ({"to": CROWD}, {"to": CROWD[:3]}),
    "CONVERSATION": ({"in_reply_to": "<1@x>", "references": ("<1@x>",)}, {"in_reply_to": "<1@x>"}),
}


class InboxTests(SynchronousTestCase):
    """Whole mails, as people get them."""

    def test_inbox(self) -> None:
        """Honest mail passes the strict filter, spam no filter but the lenient one; doubtful mail is in between."""
        for one in INBOX:
            found = score(read(one.octets), one.path or one.sender.rpartition("<")[2].rstrip(">"), MARIA)
            low, high = {"honest": (-5.0, 2.99), "doubtful": (3.0, 8.0), "spam": (5.0, 50.0)}[one.verdict]
            self.assertTrue(low <= found.score <= high, f"{one.name}: {found.score}, {found.why}")
        self.assertGreaterEqual(len(INBOX), 20)


class RuleTests(SynchronousTestCase):
    """Each rule."""

    def test_every_rule(self) -> None:
        """Each rule fires on its example, tells what it saw, and does not fire on what is much like it."""
        self.assertEqual(set(EXAMPLES), {rule.name for rule in RULES})
        self.assertGreaterEqual(len(RULES), 30)
        for name, (caught, passed) in EXAMPLES.items():
            rules = [rule for rule in judged(**caught).rules if rule.name == name]
            self.assertEqual(len(rules), 1, name)
            self.assertTrue(rules[0].score and rules[0].description, name)
            self.assertNotIn(name, fired(judged(**passed)), name)

    def test_described(self) -> None:
        """Names are unique and every rule says what it is about."""
        self.assertEqual(len({rule.name for rule in RULES}), len(RULES))
        self.assertTrue(all(rule.description for rule in RULES))

    def test_only_unsubscribing_and_conversations_take_off(self) -> None:
        """Everything else adds."""
        for name, (caught, _) in EXAMPLES.items():
            for rule in judged(**caught).rules:
                if rule.name == name:
                    self.assertEqual(rule.score < 0, name in ("UNSUBSCRIBE_HEADER", "CONVERSATION"), name)


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
