"""Queries over mail."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.digesting import digest
from simmail.core.search import LONGEST, Found, Query, parse
from simmail.errors import Invalid
from tests.core.hostile import seconds

MAIL = Found(
    digest("From: Maria Müller <maria@acme.test>\r\nTo: app@sim.test\r\nCc: otto@beta.test\r\n"
           "Subject: Re: Invoice 42\r\nMessage-ID: <1@acme.test>\r\n"
           "X-Note: Deep Blue\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n"
           "--x\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nPlease pay at 10:30, see http://acme.test/pay\r\n"
           "--x\r\nContent-Type: application/pdf; name=bill.pdf\r\n\r\nx\r\n--x--\r\n".encode()),
    frozenset(("\\Flagged",)), 5000, datetime(2026, 3, 2, 9, tzinfo=UTC), "INBOX", "c_1",
    ("p_1", "Maria Müller", "maria@acme.test"))


class QueryTests(SynchronousTestCase):
    """What a query finds."""

    def test_fits(self) -> None:
        """Every kind of term, alone and together."""
        for text in (
            "", "  ", "invoice", "INVOICE maria", '"please pay"', "müller", "10:30", "http://acme.test/pay", "re:",
            "from:maria", 'from:"maria müller"', "to:app", "cc:otto@beta.test", "subject:42",
            "message-id:<1@acme.test>", "message-id:1@acme.test", "case:c_1", "persona:p_1",
            "persona:maria@acme.test", "folder:inbox",
            "header:X-Note=blue", 'header:"x-note=deep blue"', "filename:bill", "has:attachment", "is:unread",
            "is:flagged", "larger:4k", "smaller:1M", "larger:4999", "after:2026-03-01", "before:2026-03-03",
            "after:2026-03-02T08:59:59Z", "-is:read -nothere -from:otto", '-"pay please"', "invoice -persona:p_2",
        ):
            self.assertTrue(parse(text).matches(MAIL), text)

    def test_does_not_fit(self) -> None:
        """One term that does not hold is enough."""
        for text in (
            "nothere", "invoice nothere", '"pay please"', "from:otto", "to:maria", "subject:43", "message-id:1",
            "case:c", "persona:p_2", "folder:in", "header:X-Note=red", "header:Missing=", "filename:jpg", "is:read",
            "is:answered",
            "larger:5000", "smaller:5000", "after:2026-03-02", "before:2026-03-02", "-invoice", "-has:attachment",
            "before:2026-03-02T09:00:00Z",
        ):
            self.assertFalse(parse(text).matches(MAIL), text)

    def test_bad(self) -> None:
        """A value that its kind does not know is refused, naming the field."""
        for text in ("from:", 'subject:""', "larger:big", "after:yesterday", "before:2026-13-01", "is:nice", "has:legs",
                     "header:X-Note", "x" * (LONGEST + 1), "a " * 51):
            self.assertIn("q: ", str(self.assertRaises(Invalid, parse, text)))

    @given(st.text(max_size=60) | st.text('-:" azfrom', max_size=30))
    def test_any(self, text: str) -> None:
        """Any text is a query or Invalid, and a query can be asked."""
        try:
            query = parse(text)
        except Invalid:
            return
        self.assertIn(query.matches(MAIL), (True, False))

    def test_linear(self) -> None:
        """Reading a query takes no time."""
        def read() -> None:
            for text in ('"' * LONGEST, "-" * LONGEST, "a:" * (LONGEST // 2)):
                self.assertIsInstance(parse(text), Query)

        self.assertLess(seconds(read), 1.0)
