"""Every rule of an inspection, passing and failing."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import given, settings
from hypothesis.strategies import binary
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.inspection.report import inspect
from simmail.core.inspection.rules import RULES, SPAM_SOURCES
from simmail.core.inspection.subject import Envelope
from simmail.core.rules.spam import score
from simmail.core.message.parse import read
from simmail.core.rules.spam_rules import RULES as SPAM_RULES
from tests.core.inspection.messages import BODY, BULK, GOOD, html, without

_PLAIN = GOOD + BODY

#: For each rule that sees the message alone: one that fails it, and what its evidence says.
FAILING: Mapping[str, tuple[bytes, str]] = {
    "FROM_PRESENT": (without(b"From"), "no From field"),
    "FROM_SINGLE": (b"From: other@shop.example\r\n" + _PLAIN, "2 From fields"),
    "FROM_NOT_FREE": (BULK.replace(b"news@shop.example", b"shop@gmail.com") + BODY, "gmail.com sends its mail itself"),
    "FROM_NO_REPLY": (_PLAIN.replace(b"news@", b"no-reply@"), "cannot be answered"),
    "REPLY_TO_VALID": (b"Reply-To: nobody\r\n" + _PLAIN, "Reply-To names no address"),
    "DATE_PRESENT": (_PLAIN.replace(b"Mon, 2 Mar 2026 09:00:00 +0000", b"yesterday"), "Date cannot be read"),
    "MESSAGE_ID_PRESENT": (without(b"Message-ID"), "no Message-ID"),
    "MESSAGE_ID_FORM": (_PLAIN.replace(b"<1@shop.example>", b"1@shop.example"), "not of the form"),
    "RECIPIENT_SHOWN": (without(b"To:"), "neither To nor Cc"),
    "SUBJECT_PRESENT": (without(b"Subject"), "no subject"),
    "FIELDS_ONCE": (b"Subject: Another\r\n" + _PLAIN, "more than once: subject"),
    "HEADER_ASCII": (_PLAIN.replace(b"Your order", "Gr\u00fc\u00dfe".encode()), "subject holds octets"),
    "HEADER_LINES": (b"X-Long: " + b"a" * 1000 + b"\r\n" + _PLAIN, "a line of 1008 octets"),
    "ENCODED_WORDS": (_PLAIN.replace(b"Your order", b"=?utf-8?X?abc?="), "cannot be read"),
    "LINE_ENDS": (_PLAIN + b"one\ntwo\r\n", "line 9 holds"),
    "BODY_LINES": (_PLAIN + b"b" * 999 + b"\r\n", "a line of 999 octets"),
    "MIME_VERSION": (GOOD + b"Content-Type: text/plain\r\n" + BODY, "without MIME-Version"),
    "CHARSET_DECLARED": (
        GOOD + b"MIME-Version: 1.0\r\nContent-Type: text/plain\r\nContent-Transfer-Encoding: 8bit\r\n\r\n\xc3\xbc\r\n",
        "without a charset"),
    "TRANSFER_ENCODING": (_PLAIN + b"\xc3\xbc\r\n", "says 7bit"),
    "MULTIPART_CLOSED": (html(b"").replace(b"--b--\r\n", b""), "without its closing delimiter"),
    "ALTERNATIVE_ORDER": (
        html(b"x").replace(b"text/plain", b"text/x").replace(b"text/html; charset=utf-8", b"text/plain").replace(
            b"text/x", b"text/html"), "text/html stands before text/plain"),
    "TEXT_ALTERNATIVE": (
        GOOD + b"MIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n<p>Hello</p>\r\n", "without a text/plain"),
    "ATTACHMENT_NAMES": (
        html(b"x").replace(b"--b--", b"--b\r\nContent-Type: application/pdf\r\nContent-Disposition: attachment\r\n\r\n"
                                     b"%PDF\r\n--b--"), "without a name"),
    "SIZE_TAKEN": (_PLAIN + b"all work and no play\r\n" * 1_200_000, "octets of 26214400"),
    "HTML_CLIPPED": (html(b"<p>text</p>" * 10_000), "Gmail clips"),
    "LINKS_FORMED": (html(b'<a href="http://ex ample:99999/">shop</a>'), "http://ex ample"),
    "LINKS_PUBLIC": (html(b'<a href="http://localhost:3000/x">shop</a>'), "sender's own machine"),
    "LINKS_SECURE": (html(b'<a href="http://shop.example/x">shop</a>'), "1 links without TLS"),
    "LINKS_FILLED": (_PLAIN + b"Dear {{name}},\r\n", "a placeholder in the text"),
    "SCRIPT_FREE": (html(b"<iframe></iframe>"), "<iframe> is removed"),
    "IMAGE_SECURE": (html(b'<img src="http://shop.example/a.png" alt="a">'), "1 pictures without TLS"),
    "IMAGE_ALT": (html(b'<img src="https://shop.example/a.png">'), "1 of 1 pictures without alt"),
    "HTML_LANGUAGE": (html(b"x").replace(b' lang="en"', b""), "no element says its language"),
    "LINK_PURPOSE": (html(b'<a href="https://shop.example/x">Click here</a>'), "'Click here' does not say"),
    "TABLE_ROLE": (html(b"<table><tr><td>x</td></tr></table>"), "1 of 1 tables"),
    "PAGE_TITLE": (html(b"x").replace(b"<title>Order</title>", b""), "without <title>"),
    "LIST_UNSUBSCRIBE": (GOOD + b"Feedback-ID: 1:2:3:shop\r\n" + BODY, "without List-Unsubscribe"),
    "UNSUBSCRIBE_FORM": (GOOD + b"List-Unsubscribe: https://shop.example/u\r\n" + BODY, "no URI in angle brackets"),
    "ONE_CLICK": (GOOD + b"List-Unsubscribe: <mailto:u@shop.example>\r\n" + BODY, "no List-Unsubscribe-Post"),
    "UNSUBSCRIBE_SHOWN": (BULK + BODY, "does not say how to leave"),
    "LIST_ID": (GOOD + b"Feedback-ID: 1:2:3:shop\r\n" + BODY, "without List-Id"),
    "DKIM_SIGNED": (_PLAIN, "no DKIM-Signature"),
    "DKIM_PASS": (_PLAIN, "no DKIM-Signature"),
}

#: What only those who ask the name system, or the receiving side, can tell.
_ASKED = {"SPF_PASS", "SPF_RECORD", "SPF_LOOKUPS", "DKIM_KEY", "DKIM_WHOLE", "DMARC_RECORD", "DMARC_ALIGNED",
          "DMARC_POLICY", "BIMI", "MTA_STS", "HELO_NAME", "ONE_CLICK_SIGNED"}


class RuleTests(SynchronousTestCase):
    """The table of rules."""

    def test_count(self) -> None:
        """There are more than 40, each with a source; those of the junk filter too."""
        self.assertGreaterEqual(len(RULES), 40)
        self.assertEqual(set(SPAM_SOURCES), {one.name for one in SPAM_RULES})
        self.assertEqual(set(SPAM_SOURCES) & set(RULES), set())
        for one in RULES.values():
            self.assertTrue(one.source and one.description and one.score >= 0, one.name)
        reputation = {one.name for one in RULES.values() if one.group == "reputation"}
        self.assertEqual(set(FAILING) | _ASKED | reputation, set(RULES))

    def test_good(self) -> None:
        """A good mail fails nothing, but that nobody signed it."""
        for octets in (_PLAIN, html(b'<p>See <a href="https://shop.example/o/1">your order</a></p>'),
                       BULK + BODY + b"To leave, unsubscribe here: https://shop.example/u/1\r\n"):
            failing = {one.rule: one.evidence for one in inspect(octets).rules
                       if one.outcome == "fail" and one.group != "spam"}
            self.assertEqual(set(failing), {"DKIM_SIGNED", "DKIM_PASS"}, failing)

    def test_failing(self) -> None:
        """Each rule fails where it should, says why and adds its score; the good mail passes it."""
        good = {one.rule: one for one in inspect(html(b"<p>x</p>", BULK)).rules}
        for name, (octets, evidence) in FAILING.items():
            (found,) = [one for one in inspect(octets).rules if one.rule == name]
            self.assertEqual((found.outcome, found.score), ("fail", RULES[name].score), (name, found))
            self.assertIn(evidence, found.evidence, name)
            if name not in ("DKIM_SIGNED", "DKIM_PASS", "UNSUBSCRIBE_SHOWN"):
                self.assertEqual((good[name].outcome, good[name].score), ("pass", 0.0), (name, good[name]))

    def test_unseen(self) -> None:
        """What nobody can tell from a message is not passed silently."""
        found = {one.rule: one.outcome for one in inspect(_PLAIN).rules}
        for name in (_ASKED - {"ONE_CLICK_SIGNED"}) | {
                one.name for one in RULES.values() if one.group == "reputation"}:
            self.assertEqual(found[name], "unseen", name)
        (signed,) = [one for one in inspect(BULK + BODY).rules if one.rule == "ONE_CLICK_SIGNED"]
        self.assertEqual(signed.outcome, "unseen")

    def test_leaving(self) -> None:
        """Words to leave with are those that tell links of that kind, in any language."""
        for said, word in (
            ("Newsletter hier abbestellen.", "abbestellen"), ("Pour ne plus recevoir nos messages", "ne plus recevoir"),
            ("Si deseas dejar de recibir esto", "dejar de recibir"), ("Unsubscribe here", "unsubscribe"),
        ):
            (shown,) = [one for one in inspect(BULK + BODY + said.encode() + b"\r\n").rules
                        if one.rule == "UNSUBSCRIBE_SHOWN"]
            self.assertEqual((shown.outcome, word in shown.evidence), ("pass", True), said)

    def test_greeting(self) -> None:
        """The client's name is judged where it is known."""
        for helo, outcome in (("mail.shop.example", "pass"), ("[192.0.2.1]", "pass"), ("laptop", "fail"),
                              ("192.0.2.1", "fail")):
            (found,) = [one for one in inspect(_PLAIN, Envelope(helo=helo)).rules if one.rule == "HELO_NAME"]
            self.assertEqual(found.outcome, outcome, helo)

    def test_one_truth(self) -> None:
        """The spam score is that of the junk filter."""
        for octets in (_PLAIN, GOOD.replace(b"Your order", b"YOU HAVE WON A LOTTERY") + BODY, html(b"x", BULK)):
            mail = read(octets)
            report = inspect(octets, Envelope(sender="news@shop.example", recipient="maria@acme.test"))
            self.assertEqual(report.spam.score, score(mail, "news@shop.example", "maria@acme.test").score)
            self.assertEqual(report.spam.score, round(sum(one.score for one in report.rules if one.group == "spam"), 2))

    @settings(deadline=None, max_examples=60)
    @given(binary(max_size=400))
    def test_anything(self, octets: bytes) -> None:
        """Any octets have a report."""
        report = inspect(octets)
        self.assertEqual(sum(report.counts.values()), len(report.rules))
