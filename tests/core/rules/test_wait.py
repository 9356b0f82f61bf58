"""The matching rules of waits."""

from __future__ import annotations

from datetime import datetime, timezone

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.message.mail import Mail
from simmail.core.mime.address import Address
from simmail.core.rules.wait import (
    Candidate, MailWait, WaitFilter, described, mismatch, mismatches, parse_header, parse_since,
)
from simmail.errors import Invalid


def a_mail(**changes: object) -> Mail:
    """A mail as an application would get it."""
    fields: dict[str, object] = dict(
        message_id="<1@acme.test>", in_reply_to="", references=(), from_=Address("Maria Weiß", "maria@acme.test"),
        reply_to=(), to=(Address("", "app@sim.test"),), cc=(), subject="Re: Your invoice", date=None,
        text="The code is 4711.\r\nBest\r\nMaria", html="", format="text", attachments=(),
        headers=(("Subject", "Re: Your invoice"), ("X-Service-Simulated", "yes"), ("Received", "a"),
                 ("Received", "b")), size=100)
    return Mail(**{**fields, **changes})  # type: ignore[arg-type]


class FilterTests(SynchronousTestCase):
    """A filter names why a message is not it."""

    def test_nothing_asked(self) -> None:
        """An empty filter takes any mail."""
        self.assertIsNone(mismatch(WaitFilter(), Candidate(a_mail())))

    def test_substrings_regardless_of_case(self) -> None:
        """from, subject, text and header values are substrings, upper or lower case."""
        for filter in (
            WaitFilter(from_="MARIA@"), WaitFilter(from_="weiß"), WaitFilter(subject="INVOICE"),
            WaitFilter(text="code IS 47"), WaitFilter(headers=(("x-service-simulated", "YES"),)),
            WaitFilter(headers=(("received", "b"),)), WaitFilter(headers=(("Received", ""),)),
        ):
            self.assertIsNone(mismatch(filter, Candidate(a_mail())), filter)

    def test_reasons(self) -> None:
        """Each mismatch is told with what was found and what was asked."""
        for filter, why in (
            (WaitFilter(from_="joe"), "from 'maria@acme.test' does not contain 'joe'"),
            (WaitFilter(subject="order"), "subject 'Re: Your invoice' does not contain 'order'"),
            (WaitFilter(text="order"), "text does not contain 'order'"),
            (WaitFilter(headers=(("X-No", ""),)), "there is no header X-No"),
            (WaitFilter(headers=(("Received", "c"),)), "header Received 'a' does not contain 'c'"),
            (WaitFilter(case_id="c1"), "it belongs to no case"),
            (WaitFilter(subject="x", text="y"),
             "subject 'Re: Your invoice' does not contain 'x'; text does not contain 'y'"),
        ):
            self.assertEqual(mismatch(filter, Candidate(a_mail())), why)

    def test_unread_and_case(self) -> None:
        """A read mail is not unread; a case is compared whole."""
        read = Candidate(a_mail(), frozenset({"\\Seen"}), "c2")
        self.assertEqual(mismatch(WaitFilter(unread=True), read), "it is read")
        self.assertIsNone(mismatch(WaitFilter(unread=True, case_id="c2"), read._replace(flags=frozenset())))
        self.assertEqual(mismatch(WaitFilter(case_id="c"), read), "case 'c2' is not 'c'")

    def test_any(self) -> None:
        """With match=any one field is enough; when none fits, all reasons are told."""
        filter = WaitFilter(subject="invoice", text="no such", match="any")
        self.assertIsNone(mismatch(filter, Candidate(a_mail())))
        self.assertEqual(len(mismatches(WaitFilter(subject="no", text="no such", match="any"),
                                        Candidate(a_mail()))), 2)

    def test_reasons_are_short_lines(self) -> None:
        """What a mail holds cannot put lines into an error text, nor make it long."""
        why = mismatch(WaitFilter(subject="zz"), Candidate(a_mail(subject="a\r\nb" + "x" * 500)))
        assert why is not None
        self.assertNotIn("\n", why)
        self.assertLess(len(why), 200)

    @given(st.text(max_size=30), st.integers(0, 30), st.integers(0, 30))
    def test_any_part_is_found(self, subject: str, start: int, length: int) -> None:
        """Any piece of an ASCII-folded subject satisfies, and with all fields asked each is needed."""
        subject = subject.encode("ascii", "ignore").decode()
        piece = subject[start:start + length]
        candidate = Candidate(a_mail(subject=subject))
        self.assertIsNone(mismatch(WaitFilter(subject=piece.upper()), candidate))
        self.assertIsNotNone(mismatch(WaitFilter(subject=piece, from_="nobody"), candidate))


class ParameterTests(SynchronousTestCase):
    """What parameters of waits mean."""

    def test_since(self) -> None:
        """A time, a number or a Message-ID."""
        self.assertEqual(parse_since("17"), 17)
        self.assertEqual(parse_since("<a@b>"), "<a@b>")
        self.assertEqual(parse_since("2026-03-01T09:00:00Z"), datetime(2026, 3, 1, 9, tzinfo=timezone.utc))

    def test_since_refused(self) -> None:
        """Anything else is refused with the field's name."""
        for text in ("", "yesterday", "-1", "<", "<>", "a@b", "٣", "9" * 19, "2026-03-01"):
            error = self.assertRaises(Invalid, parse_since, text)
            self.assertEqual(error.field, "since", text)

    def test_header(self) -> None:
        """Name:value, the name in header characters only."""
        self.assertEqual(parse_header("X-A: b:c "), ("X-A", "b:c"))
        self.assertEqual(parse_header("X-A:"), ("X-A", ""))
        for text in ("", ":v", "novalue", "a b:c", "ä:c"):
            self.assertRaises(Invalid, parse_header, text)

    def test_described(self) -> None:
        """The words for a 408 name the address, the folder and each filter."""
        self.assertEqual(described(MailWait("a@b.test")), "one message to a@b.test in INBOX")
        self.assertEqual(
            described(MailWait("a@b.test", count=2, filter=WaitFilter(subject="x", unread=True, match="any"))),
            "2 messages to a@b.test in INBOX with subject containing 'x' or unread")
