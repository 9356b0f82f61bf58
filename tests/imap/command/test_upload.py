"""Messages that come with a command: what one connection may bring at once."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from simmail.config import Config, Limits
from simmail.imap.wire import input
from tests.imap.play import House


class UploadTests(SynchronousTestCase):
    """Several messages of one command."""

    def test_together(self) -> None:
        """Each may have the limit, all together have twice as much; what is too much is refused or swallowed."""
        client = House(Config(limits=Limits(message=100))).signed_in()
        client.send(b"a APPEND INBOX {100+}\r\n" + b"x" * 100 + b" {80+}\r\n" + b"x" * 80)
        client.send(b" {21}\r\n")
        self.assertEqual(client.taken(), b"a NO [TOOBIG] Literal over 20 octets\r\n")
        client.send(b"b APPEND INBOX {100+}\r\n" + b"x" * 100 + b" {101+}\r\n" + b"x" * 101 + b" {9+}\r\n123456789\r\n")
        self.assertEqual(client.taken(), b"b NO [TOOBIG] Literal over 100 octets\r\n")
        client.send(b"c APPEND INBOX {100+}\r\n" + b"x" * 100 + b" {100+}\r\n" + b"x" * 100 + b"\r\n")
        self.assertEqual(client.taken(), b"c OK [APPENDUID 1 1:2] APPEND completed\r\n")

    def test_count(self) -> None:
        """So many messages and no more."""
        house = House()
        client = house.signed_in()
        most = input.MOST_MESSAGES
        client.send(b"a APPEND INBOX" + b" {1+}\r\nx" * (most + 1) + b"\r\nb NOOP\r\n")
        self.assertEqual(client.taken(), b"a NO [LIMIT] Too many messages at once\r\nb OK NOOP completed\r\n")
        client.send(b"c APPEND INBOX" + b" {1+}\r\nx" * most + b"\r\n")
        self.assertEqual(client.taken(), b"c OK [APPENDUID 1 1:%d] APPEND completed\r\n" % most)
        self.assertEqual(house.folder().counts(), (most, most, most))

    def test_names_like_catenate(self) -> None:
        """A mailbox that is called like a word of CATENATE is one; many blanks cost no time."""
        house = House()
        client = house.signed_in()
        for name in ("URL", '"CATENATE (URL"', "TEXT"):
            client.do(f"c CREATE {name}")
            client.send(f"a APPEND {name} {{200000+}}\r\n".encode() + b"x" * 200_000 + b"\r\n")
            self.assertIn(b"a OK [APPENDUID", client.taken(), name)
        client.send(b"b APPEND INBOX" + b" " * 60_000 + b"URL {3+}\r\nabc\r\n")
        self.assertIn(b"b BAD", client.taken())

    def test_let_go(self) -> None:
        """Messages of a command that was refused are not kept."""
        client = House().signed_in()
        client.send(b"a APPEND INBOX nothing {5+}\r\nhello\r\n")
        self.assertIn(b"a BAD", client.taken())
        self.assertEqual(client.protocol.messages, [])
