"""What a client sends, gathered to commands."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.internet.task import Clock
from twisted.mail.imap4 import IMAP4Server
from twisted.trial.unittest import SynchronousTestCase

from simmail.config import Limits
from simmail.imap.wire import input
from simmail.imap.wire.input import awaits_message, CommandReader
from simmail.imap.wire.replies import ClientGone, No

LIMITS = Limits(command=200, literal=50, literals=80, message=100)


class Taker(IMAP4Server):
    """A connection that only notes what is read."""

    delimiter = b"\n"

    def __init__(self, state: str = "auth", limits: Limits = LIMITS) -> None:
        super().__init__()
        self.clock = Clock()
        self.state, self.closing, self.MAX_LENGTH = state, False, limits.command
        self.input = CommandReader(self, self.clock, limits)
        self.lineReceived, self.rawDataReceived = self.input.line, self.input.raw
        self.lineLengthExceeded = self.input.long_line
        self.commands: list[tuple[bytes, list[bytes], bytes]] = []
        self.said: list[bytes] = []
        self.goodbyes: list[str] = []
        self.asked_for: list[tuple[bytes, int]] = []
        self.paced = self.alive = 0

    def write(self, octets: bytes) -> None:
        self.said.append(octets)

    def hang_up(self, why: str) -> None:
        self.goodbyes.append(why)
        self.closing = True

    def take_command(self, octets: bytes, messages: list[bytes], refused: No | None) -> None:
        self.commands.append((octets, messages, refused.line if refused else b""))

    def admit_message(self, octets: bytes, size: int) -> None:
        self.asked_for.append((octets, size))

    def pace(self) -> None:
        self.paced += 1

    def resetTimeout(self) -> None:
        self.alive += 1

    def give(self, octets: bytes, size: int = 0) -> None:
        """Octets come in, in pieces of a size."""
        for at in range(0, len(octets), size or len(octets) or 1):
            self.dataReceived(octets[at:at + (size or len(octets))])
            while (left := self.input.leftover) is not None:
                self.input.leftover = None
                self.dataReceived(left)


class LineTests(SynchronousTestCase):
    """Commands that are lines."""

    def test_lines(self) -> None:
        """A command is a line, whichever way it ends."""
        taker = Taker()
        taker.give(b"a NOOP\r\nb NOOP\n\r\n")
        self.assertEqual(taker.commands, [(b"a NOOP", [], b""), (b"b NOOP", [], b""), (b"", [], b"")])

    def test_too_long(self) -> None:
        """One over the limit is refused by its tag and swallowed; the next one is taken."""
        for size in (0, 1, 50):
            taker = Taker()
            taker.give(b"tag " + b"x" * 300 + b"\r\nb NOOP\r\n", size)
            self.assertEqual(taker.said, [b"tag BAD Command line too long\r\n"])
            self.assertEqual(taker.commands, [(b"b NOOP", [], b"")])

    def test_too_long_before_login(self) -> None:
        """Before login that is the end."""
        taker = Taker("unauth")
        taker.give(b"x" * 300)
        self.assertEqual((taker.goodbyes, taker.commands), (["Line too long"], []))

    def test_no_tag(self) -> None:
        """What has no tag is answered without one."""
        taker = Taker()
        taker.give(b"(" * 300 + b"\r\n")
        self.assertEqual(taker.said, [b"* BAD Command line too long\r\n"])

    def test_closed(self) -> None:
        """Once it is closed nothing is taken."""
        taker = Taker()
        taker.closing = True
        taker.give(b"a NOOP\r\n")
        self.assertEqual(taker.commands, [])

    def test_asked(self) -> None:
        """A line that was asked for is no command, however it looks; the next one is."""
        taker = Taker()
        asked = taker.input.listen()
        taker.give(b"DONE\r\na NOOP\r\n")
        self.assertEqual(self.successResultOf(asked), b"DONE")
        self.assertEqual((taker.commands, taker.paced), ([(b"a NOOP", [], b"")], 2))

    def test_left(self) -> None:
        """Who asks hears that the client has left, once."""
        taker = Taker()
        asked = taker.input.listen()
        taker.input.stop()
        self.failureResultOf(asked, ClientGone)
        taker.input.stop()


class LiteralTests(SynchronousTestCase):
    """Literals within a command (RFC 3501 section 4.3, RFC 7888)."""

    @given(st.lists(st.binary(max_size=20), min_size=1, max_size=4), st.booleans(), st.integers(1, 9))
    def test_whole(self, literals: list[bytes], plus: bool, size: int) -> None:
        """A command is gathered with its literals as they were sent, wherever packets end."""
        taker = Taker()
        sign = b"+" if plus else b""
        octets = b"a X" + b"".join(b" {%d%b}\r\n%b" % (len(one), sign, one) for one in literals) + b" end"
        taker.give(octets + b"\r\n", size)
        self.assertEqual(taker.commands, [(octets, [], b"")])
        self.assertEqual(taker.said, [] if plus else [b"+ OK\r\n"] * len(literals))

    def test_limits(self) -> None:
        """One over the limit of each, or of all together, is refused; its octets are a command then."""
        taker = Taker()
        taker.give(b"a X {51}\r\n")
        taker.give(b"b X {50}\r\n" + b"x" * 50 + b" {31}\r\n")
        self.assertEqual(taker.said, [b"a NO [TOOBIG] Literal over 50 octets\r\n", b"+ OK\r\n",
                                      b"b NO [TOOBIG] Literal over 30 octets\r\n"])

    def test_swallowed(self) -> None:
        """Octets that are on their way are swallowed, and the command refused at its end."""
        taker = Taker()
        taker.give(b"a X {60+}\r\n" + b"x" * 60 + b" more\r\nb NOOP\r\n")
        ((octets, _, refused), last) = taker.commands
        self.assertEqual((octets, refused), (b"a X {60+}\r\n more", b"NO [TOOBIG] Literal over 50 octets"))
        self.assertEqual(last[0], b"b NOOP")

    def test_too_many_to_swallow(self) -> None:
        """There is an end to that, and before login none is swallowed."""
        for state, size in (("auth", 401), ("unauth", 201)):
            taker = Taker(state)
            taker.give(b"a X {%d+}\r\n" % size)
            self.assertEqual(taker.goodbyes, ["Literal too long"])

    def test_alive(self) -> None:
        """Octets that come in time keep the connection alive; those that drip do not."""
        taker = Taker()
        taker.give(b"a X {50+}\r\n")
        before = taker.alive
        taker.give(b"x" * 10)
        self.assertEqual(taker.alive, before + 1)
        taker.clock.advance(10)
        taker.give(b"x")
        self.assertEqual(taker.alive, before + 1)

    @given(st.binary(max_size=80), st.integers(1, 9))
    def test_nonsense(self, octets: bytes, size: int) -> None:
        """Whatever comes, all of it is taken or the connection ended, whichever way it is cut."""
        whole, cut = Taker(), Taker()
        whole.give(octets + b"\r\n")
        cut.give(octets + b"\r\n", size)
        self.assertEqual((whole.commands, whole.said, whole.goodbyes), (cut.commands, cut.said, cut.goodbyes))


class MessageTests(SynchronousTestCase):
    """Messages that come with a command."""

    def test_asked_first(self) -> None:
        """The first message without a plus is asked for; taken or refused by whoever is asked."""
        taker = Taker()
        taker.give(b"a APPEND INBOX {5}\r\n")
        self.assertEqual((taker.asked_for, taker.said), ([(b"a APPEND INBOX ", 5)], []))
        taker.input.take_message(5)
        taker.give(b"hello {3}\r\nabc\r\n")
        self.assertEqual(taker.said, [b"+ OK\r\n"] * 2)
        self.assertEqual(taker.commands, [(b"a APPEND INBOX {5}\r\n {3}\r\n", [b"hello", b"abc"], b"")])
        taker.give(b"b APPEND INBOX {5}\r\n")
        taker.input.refuse_message(b"NO never")
        taker.give(b"c NOOP\r\n")
        self.assertEqual((taker.said[-1], taker.commands[-1][0]), (b"b NO never\r\n", b"c NOOP"))

    def test_plus(self) -> None:
        """One with a plus is taken unasked, and kept apart from the command."""
        taker = Taker()
        taker.give(b"a REPLACE 3 INBOX {5+}\r\nhello\r\n", 3)
        self.assertEqual((taker.commands, taker.asked_for),
                         ([(b"a REPLACE 3 INBOX {5+}\r\n", [b"hello"], b"")], []))

    def test_limits(self) -> None:
        """A message has its own limit, two of them twice that."""
        taker = Taker()
        taker.give(b"a APPEND INBOX {101}\r\n")
        taker.give(b"b APPEND INBOX {100+}\r\n" + b"x" * 100 + b" {100+}\r\n" + b"x" * 100 + b" {1+}\r\nx\r\n")
        self.assertEqual(taker.said, [b"a NO [TOOBIG] Literal over 100 octets\r\n"])
        self.assertEqual(taker.commands[0][1:], ([], b"NO [TOOBIG] Literal over 0 octets"))

    def test_count(self) -> None:
        """And there are no more than so many."""
        self.patch(input, "MOST_MESSAGES", 2)
        taker = Taker()
        taker.give(b"a APPEND INBOX" + b" {1+}\r\nx" * 3 + b"\r\n")
        self.assertEqual(taker.commands[0][2], b"NO [LIMIT] Too many messages at once")

    def test_awaits(self) -> None:
        """Behind the name of a mailbox comes a message, but for the URL of a CATENATE."""
        for text, expected in (
            (b"a APPEND INBOX ", True), (b"a APPEND ", False), (b"a append x (\\Seen) ", True),
            (b"a UID REPLACE 4 INBOX ", True), (b"a REPLACE * x ", True), (b"a REPLACE 1:2 x ", False),
            (b"a CREATE ", False), (b"a SEARCH TEXT ", False), (b"a APPEND x CATENATE (URL ", False),
            (b"a APPEND x CATENATE (TEXT ", True), (b"a APPEND URL ", True),
            (b"a APPEND x catenate (text {1+}\r\n url ", False),
        ):
            self.assertEqual(awaits_message(text), expected, text)
