"""What a submission server does to a header."""

from __future__ import annotations

from datetime import datetime, timezone

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.core.compose.complete import complete
from simmail.core.mime.headers import fields, fields_end, header_end

NOON = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)


def completed(octets: bytes) -> bytes:
    """A message as it is filed."""
    return complete(octets, lambda: "<1@x.test>", NOON)


class CompleteTests(SynchronousTestCase):
    """Identity and date are added, who is to stay hidden goes, and the body is nobody's to change."""

    def test_whole(self) -> None:
        """A header that lacks nothing stays the very octets."""
        octets = b"Date: x\r\nMessage-ID : <a@b.test>\r\n\r\nBcc: d@e.test\r\n"
        self.assertIs(completed(octets), octets)

    def test_added_and_hidden(self) -> None:
        """Missing fields come behind the others; Bcc goes with its folded lines."""
        self.assertEqual(
            completed(b"Bcc: a@b.test,\r\n c@d.test\r\nSubject: s\r\n\r\nhello"),
            b"Subject: s\r\nMessage-ID: <1@x.test>\r\nDate: Sun, 1 Mar 2026 12:00:00 +0000\r\n\r\nhello")
        self.assertTrue(completed(b"").endswith(b"+0000\r\n\r\n"))

    def test_body_behind_bare_line_feeds(self) -> None:
        """The header ends where readers see its end: a line of the body that looks like a field is text."""
        self.assertIn(b"\nBcc: none of the header\n", completed(b"Subject: s\n\nBcc: none of the header\n"))

    @given(st.lists(st.sampled_from((b"Bcc: a", b"A: b", b" c", b"\r", b"\n", b"\r\n", b"x"))).map(b"".join))
    def test_ends(self, octets: bytes) -> None:
        """Between the end of the fields and what follows the header lies nothing but the blank line."""
        self.assertIn(octets[fields_end(octets):header_end(octets)], (b"", b"\n", b"\r\n"))
        done = completed(octets)
        self.assertNotIn(b"bcc", [name for name, _ in fields(done[:header_end(done)])])
