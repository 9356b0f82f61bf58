"""Tests for C{simmail.core.message.search_text}: what of a message is found."""

from __future__ import annotations

from time import process_time

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.message.folding import fold
from simmail.core.message.search_text import MOST, header_text, said
from simmail.core.message.summarize import digest

BOUNCE = (
    b"From: MAILER-DAEMON@acme.test\r\nTo: app@sim.test\r\nSubject: =?utf-8?q?R=C3=BCckl=C3=A4ufer?=\r\n"
    b"MIME-Version: 1.0\r\nContent-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n"
    b"--b\r\nContent-Type: text/plain\r\n\r\nIt did not work.\r\n"
    b"--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.acme.test\r\n\r\n"
    b"Final-Recipient: rfc822; gone@acme.test\r\nAction: failed\r\nStatus: 5.1.1\r\n"
    b"--b\r\nContent-Type: text/rfc822-headers\r\n\r\nSubject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\r\n"
    b"X-Folded: one\r\n two\r\n--b--\r\n")

MIXED = (
    b"Subject: mixed\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=m\r\n\r\n"
    b"--m\r\nContent-Type: multipart/alternative; boundary=a\r\n\r\n"
    b"--a\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nPlain words.\r\n"
    b"--a\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
    b"<style>.invisible {color: red}</style><p>Mark<b>up</b> wo=\r\nrds &amp; =C3=84pfel</p><p>next</p>"
    b"<a href=3D\"https://shop.test/reset?token=3Dxyz\">here</a>\r\n--a--\r\n"
    b"--m\r\nContent-Type: message/rfc822\r\n\r\nFrom: Tom <tom@acme.test>\r\n"
    b"Subject: =?iso-8859-1?q?Einger=FCckt?=\r\n\r\nEnclosed words.\r\n"
    b"--m\r\nContent-Type: message/rfc822\r\nContent-Transfer-Encoding: base64\r\n\r\n"
    b"U3ViamVjdDogd3JhcHBlZA0KDQpFbmNvZGVkIHdvcmRzLg0K\r\n"
    b"--m\r\nContent-Type: text/csv; name=\"sums.csv\"\r\nContent-Disposition: attachment\r\n"
    b"Content-Transfer-Encoding: base64\r\n\r\nYXBwbGVzOzEyMztwZWFycw==\r\n"
    b"--m\r\nContent-Type: text/calendar; method=REQUEST\r\n\r\nBEGIN:VCALENDAR\r\nSUMMARY:Standup\r\n"
    b"--m\r\nContent-Type: application/pdf; name=\"=?utf-8?q?Pr=C3=BCfung?=.pdf\"\r\nContent-Description: a scan\r\n"
    b"\r\nunreadable octets\r\n--m--\r\n")


class SearchedTests(SynchronousTestCase):
    """What a person would find, and what not."""

    def check(self, octets: bytes, found: tuple[str, ...], missing: tuple[str, ...]) -> None:
        body = digest(octets).in_body
        for text in found:
            self.assertIn(fold(text), body)
        for text in missing:
            self.assertNotIn(fold(text), body)

    def test_bounce(self) -> None:
        """Delivery reports and returned headers."""
        self.check(BOUNCE, ("It did not", "Action: FAILED", "5.1.1", "gone@acme.test", "GRÜSSE", "X-Folded: one two"),
                   ("multipart/report", "text/plain", "rückläufer"))
        self.assertIn("subject: ru\u0308ckla\u0308ufer", digest(BOUNCE).in_header)
        self.assertIn("content-type: message/delivery-status", digest(BOUNCE).in_parts)

    def test_mixed(self) -> None:
        """The HTML beside the text, enclosed messages, attached texts, calendars."""
        self.check(MIXED, (
            "plain WORDS", "Markup words & Äpfel\n", "https://shop.test/reset?token=xyz",
            "Enclosed words.", "encoded words.",
            "apples;123;pears", "SUMMARY:Standup",
        ), ("sums.csv", "invisible", "Eingerückt", "unreadable", "application/pdf", "href"))

    def test_enclosed(self) -> None:
        """Headers of messages within the message, what attachments are called."""
        enclosed = digest(MIXED).in_enclosed
        for text in ("From: Tom <tom@acme.test>", "subject: Eingerückt", "subject: WRAPPED",
                     "sums.csv", "Prüfung.pdf", "a scan"):
            self.assertIn(fold(text), enclosed)
        self.assertNotIn("words", enclosed)

    def test_not_twice(self) -> None:
        """HTML that says the same as the text is kept once."""
        octets = (b"Content-Type: multipart/alternative; boundary=a\r\n\r\n--a\r\n\r\nHello there\r\n"
                  b"--a\r\nContent-Type: text/html\r\n\r\n<p>Hello\r\n<i>there</i></p>\r\n--a--\r\n")
        self.assertEqual(digest(octets).in_body.split(), ["hello", "there"])

    def test_long(self) -> None:
        """Text behind what is shown is found as well, up to a limit, without a seam."""
        text = "".join(f"line {n:07}\n" for n in range(40_000))
        body = digest(b"Subject: x\r\n\r\n" + text.encode()).in_body
        self.assertTrue(body.startswith(text.rstrip()))
        self.assertEqual(len(digest(b"Subject: x\r\n\r\n" + b"y" * (2 * MOST)).in_body), MOST)

    def test_header(self) -> None:
        """Unfolded, decoded line by line, whatever the charset of each."""
        self.assertEqual(
            header_text(b"Subject: a\r\n\tb =?utf-8?q?=C3=A4?=\r\nTo: \xc3\xa4\r\nX: \xe4\0\tb\r\n\r\n"),
            "Subject: a b ä\nTo: ä\nX: ä b\n\n")

    @given(st.text(st.sampled_from("ab<>/!-\"'= &;#style\n"), max_size=80))
    def test_said(self, markup: str) -> None:
        """Any markup says something, never more than it has."""
        self.assertLessEqual(len(said(markup)), 2 * len(markup) + 2)

    def test_unsaid(self) -> None:
        """Scripts, styles and comments say nothing, in any case, ended or not."""
        for markup, text in (
            ("a<!-- b -->c", "ac"), ("a<SCRIPT x>b</script >c", "ac"), ("a<style>b", "a"), ("a<!-- b", "a"),
            ("a<\u017fcript>b", "a<\u017fcript>b"), ("a<s>b</s>", "ab"), ("x < y &lt; z", "x < y < z"),
        ):
            self.assertEqual(said(markup), text)

    def test_hostile(self) -> None:
        """Time grows with the size, whatever stands there."""
        for piece in ("<", "<a", "<!--", "<style>", "<script", "<a href='", '<a href="', "= \"<", "&", "<style></sty",
                      "-", "<b><i>", " \n"):
            markup = piece * (400_000 // len(piece))
            began = process_time()
            said(markup)
            self.assertLess(process_time() - began, 2.0, piece)
