"""Messages put together from others."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.config import Config, Limits
from simmail.imap.command.catenate import bad_url, catenated, parse_url
from simmail.imap.wire.replies import No
from tests.imap.play import House
from tests.imap.recorder import connection, Recorder


class UrlTests(SynchronousTestCase):
    """URLs of parts of messages (RFC 5092)."""

    def test_whole(self) -> None:
        """Mailbox, validity, message, section and a part of it."""
        url = parse_url(b"/a%20b/c;UIDVALIDITY=7/;UID=20/;SECTION=1.2/;PARTIAL=5.10")
        self.assertEqual((url.mailbox, url.uidvalidity, url.uid, url.item.path, url.item.partial),
                         ("a b/c", 7, 20, (1, 2), (5, 10)))

    def test_less(self) -> None:
        """All but the message may be left out; INBOX is in capitals."""
        url = parse_url(b"/inbox/;uid=3")
        self.assertEqual((url.mailbox, url.uidvalidity, url.item.section, url.item.partial), ("INBOX", 0, "", None))
        self.assertEqual(parse_url(b";UID=3/;SECTION=HEADER").mailbox, "")
        self.assertEqual(parse_url(b"/x/;UID=3/;PARTIAL=5").item.partial, (5, 1 << 32))

    def test_bad(self) -> None:
        """Others name nothing here, and the answer repeats them harmlessly."""
        for octets in (b"", b"imap://x/INBOX;UID=1", b"/INBOX", b"/INBOX/;UID=0", b"/INBOX/;UID=1/;SECTION=FOO",
                       b"/INBOX/;UID=1/;SECTION=1]", b"/IN;x/;UID=1", b"/INBOX;UIDVALIDITY=0/;UID=1"):
            with self.assertRaises(No, msg=octets) as caught:
                parse_url(octets)
            self.assertTrue(caught.exception.line.startswith(b"NO [BADURL "), caught.exception.line)
        self.assertEqual(bad_url("a[]\r\nü").line.partition(b"]")[0], b"NO [BADURL a?????")

    @given(st.binary(max_size=60))
    def test_nonsense(self, octets: bytes) -> None:
        """Any octets are a URL, or none."""
        try:
            parse_url(b"/" + octets + b";UID=1")
        except No:
            pass


class CatenateTests(SynchronousTestCase):
    """On a folder of two messages."""

    def setUp(self) -> None:
        self.house = House()
        self.house.deliver("plain")
        self.house.deliver("mixed")
        self.imap = Recorder(self.house, "INBOX")

    def put(self, *pieces: bytes) -> bytes:
        """Pieces put together; those that begin with a slash or semicolon are URLs."""
        found: bytes = self.imap.run(catenated(connection(self.imap), [
            parse_url(one) if one[:1] in (b"/", b";") else one for one in pieces]))
        return found

    def test_pieces(self) -> None:
        """What was sent, headers, texts and parts, in order."""
        self.assertEqual(self.put(b"Subject: x\r\n\r\n", b"/INBOX/;UID=1/;SECTION=TEXT", b"end"),
                         b"Subject: x\r\n\r\nHello there,\r\nMaria\r\nend")
        self.assertEqual(self.put(b";UID=2/;SECTION=3/;PARTIAL=0.2"), b"AA")

    def test_none(self) -> None:
        """A mailbox, message, section or validity that is not there."""
        for url in (b"/Nowhere/;UID=1", b"/INBOX/;UID=9", b"/INBOX/;UID=1/;SECTION=4", b"/INBOX;UIDVALIDITY=9/;UID=1"):
            with self.assertRaises(No, msg=url) as caught:
                self.put(url)
            self.assertIn(b"[BADURL " + url, caught.exception.line)
        self.imap.deselect()
        self.assertRaises(No, self.put, b";UID=1")

    def test_too_large(self) -> None:
        """All together there is a limit."""
        self.imap.config = Config(limits=Limits(message=100))
        self.assertEqual(len(self.put(b"x" * 60, b"x" * 40)), 100)
        with self.assertRaises(No) as caught:
            self.put(b"x" * 60, b"x" * 41)
        self.assertIn(b"[TOOBIG]", caught.exception.line)
