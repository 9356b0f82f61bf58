"""
Delivery status notifications.
"""

from __future__ import annotations

import email
import email.policy
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.compose.dsn import LARGEST_RETURN, Notice, dialect_of, notification, wanted
from simmail.core.compose.dsn_dialects import VOICES
from simmail.core.message.parse import read
from simmail.core.records.bad_address import REPLIES
from simmail.core.rng import Dice

NOW = datetime(2026, 3, 2, 9, 5, tzinfo=UTC)

ORIGINAL = (
    b"Return-Path: <app@sim.test>\r\nReceived: from x ([127.0.0.1])\r\n\tby sim.test with ESMTP id 1f;\r\n\tdate\r\n"
    b"From: Shop <app@sim.test>\r\nTo: maria@acme.test\r\nSubject: Your order\r\nMessage-ID: <1@sim.test>\r\n"
    b"\r\nDear Maria,\r\n--\r\nthe shop\r\n")

NOTICE = Notice(
    message_id="<dsn1@sim.test>", date=NOW, server="sim.test", to="app@sim.test", recipient="maria@acme.test",
    original=ORIGINAL, arrived=datetime(2026, 3, 2, 9, 0, tzinfo=UTC), kind="unknown", original_id="<1@sim.test>",
    subject="Your order", envid="QQ+20314", orcpt="rfc822;Maria+2Bx@acme.test")


def opened(notice: Notice) -> tuple[Any, list[Any]]:
    """The notification and its three parts, read by another library."""
    message = email.message_from_bytes(notification(notice), policy=email.policy.default)
    return message, list(message.iter_parts())


class NoticeTests(SynchronousTestCase):
    """What every notification holds, whoever writes it."""

    def test_structure(self) -> None:
        """RFC 3464 in every dialect: three parts, the fields for programs, threaded, never to be answered."""
        for dialect in VOICES:
            message, parts = opened(replace(NOTICE, dialect=dialect))
            self.assertEqual(message.get_content_type(), "multipart/report")
            self.assertEqual(message.get_param("report-type"), "delivery-status")
            self.assertEqual(message["Return-Path"], "<>")
            self.assertEqual(message["Message-ID"], "<dsn1@sim.test>")
            self.assertEqual((message["In-Reply-To"], message["References"]), ("<1@sim.test>", "<1@sim.test>"))
            self.assertEqual(message["Auto-Submitted"], "auto-replied")
            self.assertEqual(message["X-Service-Simulated"], "yes")
            self.assertEqual(message["Date"].datetime, NOW)
            self.assertEqual([one.get_content_type() for one in parts],
                             ["text/plain", "message/delivery-status", "text/rfc822-headers"])
            text = parts[0].get_content()
            self.assertIn("maria@acme.test", text)
            self.assertIn("550 5.1.1 User unknown", text)
            self.assertNotIn("{", text)
            per_message, per_recipient = parts[1].get_payload()
            self.assertEqual(per_message["Reporting-MTA"], "dns; sim.test")
            self.assertEqual(per_message["Original-Envelope-Id"], "QQ 314")
            self.assertEqual(per_recipient["Final-Recipient"], "rfc822; maria@acme.test")
            self.assertEqual(per_recipient["Original-Recipient"], "rfc822; Maria+x@acme.test")
            self.assertEqual(per_recipient["Action"], "failed")
            self.assertEqual(per_recipient["Status"], "5.1.1")
            self.assertEqual(per_recipient["Diagnostic-Code"], "smtp; 550 5.1.1 User unknown")
            returned = parts[2].get_content()
            self.assertIn("Subject: Your order", returned)
            self.assertNotIn("Dear Maria", returned)
            self.assertNotIn("Received:", returned)

    def test_full(self) -> None:
        """RET=FULL returns the message, only of failures and only up to a size."""
        for dialect in VOICES:
            _, parts = opened(replace(NOTICE, dialect=dialect, ret="FULL"))
            self.assertEqual(parts[2].get_content_type(), "message/rfc822")
            self.assertIn("Dear Maria", parts[2].get_payload()[0].get_payload())
        for fields in ({"ret": "HDRS"}, {"ret": "FULL", "action": "delayed"}, {"ret": "FULL", "action": "delivered"},
                       {"ret": "FULL", "original": ORIGINAL + b"x\r\n" * (LARGEST_RETURN // 3)}):
            _, parts = opened(replace(NOTICE, **fields))
            self.assertEqual(parts[2].get_content_type(), "text/rfc822-headers")

    def test_kinds(self) -> None:
        """Each kind of bad address has its contract's reply, and words of its own where the dialect has them."""
        for dialect in VOICES:
            texts = set()
            for kind, (code, enhanced, text) in REPLIES.items():
                _, parts = opened(replace(NOTICE, dialect=dialect, kind=kind))
                self.assertEqual(parts[1].get_payload()[1]["Status"], enhanced)
                self.assertEqual(parts[1].get_payload()[1]["Diagnostic-Code"], f"smtp; {code} {enhanced} {text}")
                texts.add(parts[0].get_content().replace(f"{code} {enhanced} {text}", ""))
            self.assertEqual(len(texts), 5 if dialect in ("gmail", "exchange") else 1)

    def test_actions(self) -> None:
        """Delays and successes: other subject, other action, a status of their class."""
        for dialect in VOICES:
            subjects = {opened(replace(NOTICE, dialect=dialect))[0]["Subject"]}
            for action, status in (("delayed", "4."), ("delivered", "2.")):
                message, parts = opened(replace(NOTICE, dialect=dialect, action=action, kind=None))
                recipient = parts[1].get_payload()[1]
                self.assertEqual((recipient["Action"], recipient["Status"][:2]), (action, status))
                self.assertNotIn("X-Failed-Recipients", message)
                subjects.add(message["Subject"])
            self.assertEqual(len(subjects), 3)

    def test_postfix_says_what_is_returned(self) -> None:
        """The description of the third part as Postfix has it: nothing is undelivered of what was delivered."""
        for action, ret, description in (
            ("failed", "", "Undelivered Message Headers"), ("failed", "FULL", "Undelivered Message"),
            ("delayed", "", "Undelivered Message Headers"), ("delivered", "", "Message Headers"),
        ):
            _, parts = opened(replace(NOTICE, action=action, kind=None, ret=ret))
            self.assertEqual(parts[2]["Content-Description"], description)

    def test_exim_says_how_long(self) -> None:
        """A delay is told in minutes, a long one in hours."""
        for seconds, told in ((5, "1 minute"), (3600, "60 minutes"), (7199, "119 minutes"), (14_399, "3 hours")):
            message, parts = opened(replace(NOTICE, dialect="exim", action="delayed", kind=None,
                                            date=NOTICE.arrived + timedelta(seconds=seconds)))
            self.assertTrue(message["Subject"].endswith(f" delayed {told}"), message["Subject"])
            self.assertIn(f"after more than {told} on the queue", parts[0].get_content())

    def test_no_help_with_success(self) -> None:
        """Postfix offers assistance with problems only."""
        for action, offered in (("failed", True), ("delayed", True), ("delivered", False)):
            text = opened(replace(NOTICE, action=action, kind=None))[1][0].get_content().replace("\r\n", "\n")
            self.assertEqual("For further assistance" in text, offered)
            self.assertIn("\n\n                   The mail system\n\n<maria@acme.test>: ", text)

    def test_delay_has_an_end(self) -> None:
        """Postfix and Gmail tell of a delay until when they try (RFC 3464 section 2.3.9)."""
        for dialect, told in (("postfix", True), ("gmail", True), ("exim", False), ("exchange", False)):
            for action in ("failed", "delayed"):
                _, parts = opened(replace(NOTICE, dialect=dialect, action=action, kind=None))
                until = parts[1].get_payload()[1]["Will-Retry-Until"]
                self.assertEqual(until is not None, told and action == "delayed")
        self.assertEqual(opened(replace(NOTICE, action="delayed", kind=None))[1][1].get_payload()[1][
            "Will-Retry-Until"], "Sat, 7 Mar 2026 09:00:00 +0000")

    def test_marks(self) -> None:
        """What bounce readers know a dialect by, in failures only."""
        for dialect, field in (("exchange", "X-MS-Exchange-Message-Is-Ndr"), ("exim", "X-Failed-Recipients"),
                               ("gmail", "X-Failed-Recipients")):
            one: Any = replace(NOTICE, dialect=dialect)
            self.assertIn(field, opened(one)[0])
            self.assertNotIn(field, opened(replace(one, action="delayed", kind=None))[0])

    def test_said(self) -> None:
        """A server's own words are reported instead, on one line."""
        _, parts = opened(replace(NOTICE, kind=None, said="554 5.7.9 Not\r\nX-Evil: yes"))
        recipient = parts[1].get_payload()[1]
        self.assertEqual((recipient["Status"], recipient["Diagnostic-Code"]),
                         ("5.7.9", "smtp; 554 5.7.9 Not X-Evil: yes"))
        self.assertNotIn("X-Evil", recipient)
        _, parts = opened(replace(NOTICE, kind=None, said="554 no"))
        self.assertEqual(parts[1].get_payload()[1]["Status"], "5.0.0")

    def test_said_at_length(self) -> None:
        """A long reply is folded: no line of the notice is too long (RFC 5322 section 2.1.1)."""
        said = "550 5.7.1 " + "word " * 300 + "\U0001F600" * 700 + " end"
        for dialect in VOICES:
            one = replace(NOTICE, dialect=dialect, kind=None, said=said)
            self.assertLessEqual(max(map(len, notification(one).split(b"\r\n"))), 998)
            self.assertEqual(len(opened(one)[1]), 3)
        _, parts = opened(replace(NOTICE, kind=None, said=said[:1000]))
        self.assertEqual(" ".join(parts[1].get_payload()[1]["Diagnostic-Code"].split()), "smtp; " + said[:1000].strip())

    def test_international(self) -> None:
        """Addresses beyond ASCII are reported as RFC 6533 has it."""
        octets = notification(replace(NOTICE, recipient="jürgen@acme.test", orcpt="utf-8;jürgen@acme.test",
                                      original=ORIGINAL.replace(b"Shop", "Läden".encode())))
        self.assertIn(b"Content-Type: message/global-delivery-status\r\nContent-Transfer-Encoding: 8bit\r\n", octets)
        self.assertIn("Final-Recipient: utf-8; jürgen@acme.test\r\n".encode(), octets)
        self.assertIn("Original-Recipient: utf-8; jürgen@acme.test\r\n".encode(), octets)
        # RFC 2045 section 6.4: the multipart says so too.
        self.assertEqual(email.message_from_bytes(octets)["Content-Transfer-Encoding"], "8bit")
        self.assertNotIn(b"Content-Transfer-Encoding", notification(NOTICE))
        self.assertIn(b"Content-Type: message/global-headers\r\nContent-Transfer-Encoding: 8bit\r\n", octets)

    def test_international_sender(self) -> None:
        """Whatever in the report is beyond ASCII makes it global; each address has the type of its own."""
        for dialect, field in (("postfix", "X-Postfix-Sender: utf-8; "), ("gmail", "Received-From-MTA: dns; ")):
            octets = notification(replace(NOTICE, dialect=dialect, to="jürgen@sim.test"))
            self.assertIn(f"\r\n{field}jürgen@sim.test\r\n".encode(), octets)
            self.assertIn(b"\r\nFinal-Recipient: rfc822; maria@acme.test\r\n", octets)
            self.assertIn(b"\r\nContent-Type: message/global-delivery-status\r\n", octets)
        octets = notification(replace(NOTICE, kind=None, said="550 5.1.1 Nicht für uns"))
        self.assertIn(b"\r\nContent-Type: message/global-delivery-status\r\n", octets)
        self.assertIn(b"\r\nFinal-Recipient: rfc822; ", octets)

    def test_returned_in_an_old_charset(self) -> None:
        """A header with octets that are no UTF-8 is not a global one (RFC 6532); it is 8bit all the same."""
        for ret, kind in (("FULL", b"message/rfc822"), ("HDRS", b"text/rfc822-headers")):
            octets = notification(replace(NOTICE, original=ORIGINAL.replace(b"Shop", b"L\xe4den"), ret=ret))
            self.assertIn(b"Content-Type: %b\r\nContent-Transfer-Encoding: 8bit\r\n\r\nFrom: L\xe4den" % kind, octets)

    def test_international_domain(self) -> None:
        """A domain beyond ASCII alone is written in A-labels, so that every reader understands the notice."""
        for dialect in VOICES:
            octets = notification(replace(NOTICE, dialect=dialect, recipient="maria@m\u00fcnchen.test"))
            self.assertTrue(octets.isascii())
            self.assertIn(b"Final-Recipient: rfc822; maria@xn--mnchen-3ya.test\r\n", octets)

    def test_same_octets(self) -> None:
        """The same notice gives the same octets; another Message-ID another boundary."""
        for dialect in VOICES:
            one = replace(NOTICE, dialect=dialect)
            self.assertEqual(notification(one), notification(one))
            self.assertNotEqual(notification(one), notification(replace(one, message_id="<dsn2@sim.test>")))

    def test_boundary_in_the_original(self) -> None:
        """An original that holds the boundary does not break the notification."""
        for dialect in VOICES:
            one = replace(NOTICE, dialect=dialect, ret="FULL")
            boundary = opened(one)[0].get_boundary()
            message, parts = opened(replace(one, original=ORIGINAL + f"--{boundary}--\r\n".encode()))
            self.assertEqual(len(parts), 3)
            self.assertNotEqual(message.get_boundary(), boundary)

    def test_our_own_reading(self) -> None:
        """The service reads its own notifications: text, sender, thread."""
        mail = read(notification(replace(NOTICE, dialect="exchange", subject="Größe\r\nBcc: x@y.test")))
        self.assertEqual(mail.subject, "Undeliverable: Größe Bcc: x@y.test")
        self.assertEqual((mail.in_reply_to, mail.from_.address), ("<1@sim.test>", "postmaster@sim.test"))
        self.assertEqual(mail.header("Bcc"), "")

    @settings(max_examples=150, deadline=None)
    @given(st.sampled_from(sorted(VOICES)), st.text(max_size=60), st.text(max_size=40), st.binary(max_size=200),
           st.text(max_size=40))
    def test_nothing_is_injected(
        self, dialect: Any, subject: str, original_id: str, original: bytes, said: str
    ) -> None:
        """Whatever the original holds, the notification has the fields it should have and no others."""
        one = replace(NOTICE, dialect=dialect, subject=subject, original_id=original_id, said=said,
                      original=original.replace(b"\r", b"").replace(b"\n", b"\r\n"))
        octets = notification(one)
        names = [line.partition(b":")[0] for line in octets.partition(b"\r\n\r\n")[0].split(b"\r\n")
                 if line[:1] not in b" \t"]
        self.assertLessEqual(set(names), {
            b"Return-Path", b"From", b"To", b"Subject", b"Date", b"Message-ID", b"In-Reply-To", b"References",
            b"Auto-Submitted", b"X-Failed-Recipients", b"Content-Language", b"X-Service-Simulated", b"MIME-Version",
            b"Content-Type", b"Content-Transfer-Encoding", b"X-MS-Exchange-Message-Is-Ndr"})
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual(octets.count(b"\r\nFinal-Recipient: "), 1)


class ChoiceTests(SynchronousTestCase):
    """Who writes, and whether."""

    def test_dialects(self) -> None:
        """Known providers write as they do; others are drawn, one for a domain, all four somewhere."""
        dice = Dice("s")
        self.assertEqual(dialect_of("a@gmail.com", dice), "gmail")
        self.assertEqual(dialect_of("a@contoso.onmicrosoft.com", dice), "exchange")
        self.assertEqual(dialect_of("a@acme.test", dice), dialect_of("b@acme.test", dice))
        drawn = Counter(dialect_of(f"a@d{n}.test", dice) for n in range(400))
        self.assertEqual(set(drawn), set(VOICES))

    def test_wanted(self) -> None:
        """NOTIFY decides; without it only failures are told, and never to the null reverse-path."""
        for notify, told in (
            ((), "failed"), (("NEVER",), ""), (("SUCCESS",), "delivered"), (("FAILURE", "DELAY"), "failed delayed"),
            (("SUCCESS", "FAILURE", "DELAY"), "failed delayed delivered"),
        ):
            for action in ("failed", "delayed", "delivered"):
                self.assertEqual(wanted(action, notify, "a@b.test"), action in told.split(), (notify, action))
                self.assertFalse(wanted(action, notify, ""))
