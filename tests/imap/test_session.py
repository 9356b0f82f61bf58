"""Framing, limits, time-outs and back-pressure of one connection."""

from __future__ import annotations

import errno
import os
from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.internet.abstract import FileDescriptor
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IPushProducer
from twisted.trial.unittest import SynchronousTestCase

from simmail.config import Config, Imap, Limits
from simmail.imap import session as session_module
from simmail.imap.command.append import LARGE
from tests.imap.play import ADDRESS, PASSWORD, House, now


class LimitTests(SynchronousTestCase):
    """What a client may hold and how long it may take."""

    def test_too_many(self) -> None:
        """Connections over the limits, in all and from one address, are turned away at once."""
        for limits in (Imap(connections=2), Imap(connections_per_address=2)):
            house = House(Config(imap=limits))
            first, second = house.connect(), house.connect()
            third = house.factory.buildProtocol(first.transport.getPeer())
            transport = type(first.transport)(peerAddress=first.transport.getPeer())
            third.makeConnection(transport)
            self.assertEqual(transport.value(), b"* BYE Too many connections; try again later\r\n")
            self.assertTrue(transport.disconnecting)
            second.lose()
            self.assertIn(b"* OK ", house.connect().taken())

    def test_login_deadline(self) -> None:
        """Commands before login do not put the end off."""
        house = House()
        client = house.connect()
        for _ in range(7):
            house.reactor.advance(15)
            client.do("a NOOP")
        self.assertFalse(client.closed())
        house.reactor.advance(15)
        self.assertTrue(client.taken().startswith(b"* BYE Too slow to sign in"))
        self.assertTrue(client.closed())
        client.lose()
        self.assertEqual(house.reactor.getDelayedCalls(), [])

    def test_idle_timeout(self) -> None:
        """After login thirty minutes without a complete command are the end, in IDLE too."""
        for command in ("a NOOP", "a IDLE"):
            house = House()
            client = house.signed_in("INBOX")
            house.reactor.advance(1700)
            client.do(command)
            house.reactor.advance(1700)
            self.assertFalse(client.closed())
            house.reactor.advance(101)
            self.assertEqual(client.taken(), b"* BYE Autologout; idle for too long\r\n")
            self.assertTrue(client.closed())

    def test_drip(self) -> None:
        """Octets without an end of line, or of a literal one by one, do not keep a connection alive."""
        for first in (b"a CREATE ", b"a APPEND INBOX {100000+}\r\n"):
            house = House()
            client = house.signed_in()
            client.send(first)
            for _ in range(4):
                self.assertFalse(client.closed())
                house.reactor.advance(500)
                client.send(b"x")
            self.assertTrue(client.closed())

    def test_steady_literal(self) -> None:
        """A long message that keeps coming is not cut."""
        house = House()
        client = house.signed_in()
        client.send(b"a APPEND INBOX {5000000+}\r\n")
        for _ in range(5):
            house.reactor.advance(1000)
            client.send(b"x" * 1_000_000)
        client.send(b"\r\n")
        self.assertEqual(client.taken(), b"a OK [APPENDUID 1 1] APPEND completed\r\n")

    def test_line_before_login(self) -> None:
        """8 KiB without login are enough, in lines and literals together."""
        for octets in (b"a" * 9000, b"a LOGIN {8000+}\r\n" + b"x" * 8000 + b" {300+}\r\n", b"a LOGIN {9000+}\r\n"):
            client = House().connect()
            client.taken()
            client.send(octets)
            self.assertRegex(client.taken(), rb"\* BYE (Line|Literal) too long\r\n")
            self.assertTrue(client.closed())

    def test_read_before_login(self) -> None:
        """What is sent ahead of a login waits in the client's own system; from then on more is read at once."""
        house = House()
        client = house.connect()
        self.assertEqual(client.transport.bufferSize, session_module.EARLY_READ)
        client.do("a LOGIN nobody nothing")
        self.assertEqual(client.transport.bufferSize, session_module.EARLY_READ)
        self.assertEqual(house.signed_in().transport.bufferSize, FileDescriptor.bufferSize)

    def test_commands_before_login(self) -> None:
        """A client that does all but sign in is told to go, and what it sent ahead is forgotten."""
        client = House().connect()
        client.taken()
        client.send(b"a NOOP\r\n" * 5000)
        said = client.taken().split(b"\r\n")
        self.assertEqual((len(said), said[-2]), (102, b"* BYE Too many commands before login"))
        self.assertEqual(client.protocol._buffer, b"")

    def test_forgotten(self) -> None:
        """When the server hangs up it keeps nothing of what came, and takes nothing more, until the client does."""
        client = House().connect()
        client.send(b"a LOGIN {1000000+}\r\n" + b"x" * 60_000)
        client.protocol.dataReceived(b"x" * 60_000)
        self.assertTrue(client.closed())
        self.assertEqual((client.protocol._buffer, client.protocol.input._gathered), (b"", b""))

    def test_turns(self) -> None:
        """Commands sent ahead are done for a slice of time; then others have their turn."""
        house = House()
        client = house.signed_in()
        client.taken()
        with patch.object(session_module, "SLICE", 0.0):
            client.protocol.dataReceived(b"a NOOP\r\nb NOOP\r\nc NOOP\r\n")
            said = [client.transport.value().count(b"\r\n")]
            house.reactor.advance(0)
            said.append(client.transport.value().count(b"\r\n"))
        self.assertEqual(said, [1, 3])
        self.assertEqual(client.transport.producerState, "producing")

    def test_line_after_login(self) -> None:
        """A longer line is refused and the next one served; a line of 64 KiB is taken."""
        client = House().signed_in("INBOX")
        client.send(b"a UID FETCH " + b"1," * 32000 + b"1 UID\r\nb NOOP\r\n")
        self.assertEqual(client.taken(), b"a OK FETCH completed\r\nb OK NOOP completed\r\n")
        for piece in (70_000, 1_000):
            octets = b"c UID FETCH " + b"1," * 35000 + b"1 UID\r\nd NOOP\r\n"
            for at in range(0, len(octets), piece):
                client.send(octets[at:at + piece])
            self.assertEqual(client.taken(), b"c BAD Command line too long\r\nd OK NOOP completed\r\n")

    def test_pieces(self) -> None:
        """Where packets end does not matter."""
        octets = (b"a CREATE {3}\r\nx y\r\nb STATUS {3+}\r\nx y (MESSAGES)\r\n"
                  b"c APPEND INBOX {4+}\r\na\r\nb\r\nd NOOP\n")
        answers = set()
        for size in (1, 2, 7, 1000):
            client = House().signed_in()
            for at in range(0, len(octets), size):
                client.send(octets[at:at + size])
            answers.add(client.taken())
        self.assertEqual(len(answers), 1)
        self.assertTrue(answers.pop().endswith(b"d OK NOOP completed\r\n"))

    def test_message_limit(self) -> None:
        """A message over the limit is refused before it is sent, or swallowed when nobody waits for leave."""
        client = House(Config(limits=Limits(message=100))).signed_in()
        self.assertEqual(client.do("a APPEND INBOX {101}"), [b"a NO [TOOBIG] Literal over 100 octets"])
        client.send(b"b APPEND INBOX {300+}\r\n" + b"x" * 300 + b"\r\nc NOOP\r\n")
        self.assertEqual(client.taken(), b"b NO [TOOBIG] Literal over 100 octets\r\nc OK NOOP completed\r\n")
        client.send(b"d APPEND INBOX {401+}\r\n")
        self.assertEqual(client.taken(), b"* BYE Literal too long\r\n")

    def test_line_ends(self) -> None:
        """Bare line feeds of a large message become line ends, wherever the pieces it is looked at in begin."""
        house = House()
        client = house.signed_in()
        for size in range(LARGE - 3, LARGE + 3):
            given = b"a" * size + b"\r\n\n\rb\n" * 3 + b"c\r\n" * LARGE + b"\n"
            client.send(b"a APPEND INBOX {%d+}\r\n" % len(given) + given + b"\r\n")
            self.assertIn(b"a OK", client.taken())
            uid = house.folder().uids[-1]
            stored = dict(now(house.folder().reads([uid])))[uid]
            self.assertEqual(stored, given.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))

    def test_literals_together(self) -> None:
        """Literals of one command have a limit together."""
        client = House(Config(limits=Limits(literals=10_000, literal=4_000))).signed_in("INBOX")
        client.send(b"a SEARCH" + b" TEXT {4000+}\r\n".join([b"", *[b"x" * 4000] * 3]) + b"\r\n")
        self.assertEqual(client.taken(), b"a NO [TOOBIG] Literal over 2000 octets\r\n")


class PasswordTests(SynchronousTestCase):
    """Passwords in clear text."""

    def test_not_allowed(self) -> None:
        """Off loopback no password is taken before STARTTLS, and none announced."""
        house = House(loopback_only=False, tls_context=object())
        client = house.connect()
        self.assertIn(b"STARTTLS LOGINDISABLED]", client.taken())
        self.assertEqual(
            client.do(f"a LOGIN {ADDRESS} {PASSWORD}"), [b"a NO [PRIVACYREQUIRED] No passwords without TLS"])
        self.assertEqual(client.do("b AUTHENTICATE PLAIN"), [b"b NO [PRIVACYREQUIRED] No passwords without TLS"])

    def test_configured(self) -> None:
        """The configuration has the last word."""
        for allowed, word in ((True, b"AUTH=PLAIN"), (False, b"LOGINDISABLED")):
            house = House(Config(imap=Imap(plain_auth_allowed=allowed)), loopback_only=not allowed)
            self.assertIn(word, house.connect().taken())

    def test_implicit_tls(self) -> None:
        """On a TLS listener passwords are taken and STARTTLS is not there."""
        client = House(loopback_only=False, implicit_tls=True, tls_context=object()).connect()
        greeting = client.taken()
        self.assertIn(b"AUTH=PLAIN", greeting)
        self.assertNotIn(b"STARTTLS", greeting)
        self.assertEqual(client.do("a STARTTLS"), [b"a BAD TLS is already on"])


class StartTlsTests(SynchronousTestCase):
    """STARTTLS (RFC 3501 section 6.2.1)."""

    def test_start(self) -> None:
        """The answer goes out before TLS begins; afterwards passwords are taken."""
        house = House(loopback_only=False, tls_context="context")
        client = house.connect()
        started: list[object] = []
        client.transport.startTLS = started.append  # type: ignore[attr-defined]
        client.taken()
        self.assertEqual(client.do("a STARTTLS"), [b"a OK Begin TLS negotiation now"])
        self.assertEqual(started, ["context"])
        self.assertEqual(client.do("b STARTTLS"), [b"b BAD TLS is already on"])
        self.assertIn(b"AUTH=PLAIN", client.do("c CAPABILITY")[0])

    def test_injection(self) -> None:
        """What comes in the same packet is not done, in clear text or under TLS; the connection ends."""
        for extra in (b"b LOGIN app@sim.test secret\r\n", b"b NOOP", b"\r\n", b"b LOGIN {2+}\r\nab"):
            house = House(tls_context="context")
            client = house.connect()
            client.taken()
            client.send(b"a STARTTLS\r\n" + extra)
            self.assertEqual(client.taken(), b"* BYE Nothing may follow STARTTLS\r\n")
            self.assertTrue(client.closed())

    def test_without(self) -> None:
        """Without a certificate there is no STARTTLS."""
        client = House().connect()
        client.taken()
        self.assertEqual(client.do("a STARTTLS"), [b"a BAD TLS is not available here"])


class BackPressureTests(SynchronousTestCase):
    """A client that does not read costs nothing."""

    def paused(self, command: str) -> tuple[House, object, list[bytes]]:
        """A session whose transport has enough after each write."""
        house = House()
        for _ in range(2000):
            house.deliver("other")
        client = house.signed_in("INBOX")
        producer = IPushProducer(client.transport.producer)
        taken: list[bytes] = []
        write = client.transport.write

        def writing(octets: bytes) -> None:
            write(octets)
            producer.pauseProducing()

        client.transport.write = writing  # type: ignore[method-assign]
        client.send(command.encode() + b"\r\n")
        taken.append(client.taken())
        while not taken[-1].endswith(b"completed\r\n"):
            producer.resumeProducing()
            taken.append(client.taken())
            self.assertTrue(taken[-1])
        return house, client, taken

    def test_fetch(self) -> None:
        """A long answer comes in pieces, as fast as it is read and no faster."""
        for command in ("a FETCH 1:* (UID FLAGS ENVELOPE)", "a FETCH 1:* BODY.PEEK[]", "a STORE 1:* +FLAGS (\\Seen)"):
            _, _, taken = self.paused(command)
            self.assertEqual(b"".join(taken).count(b" FETCH ("), 2000)
            self.assertLessEqual(max(map(len, taken)), 200 * 1024)
            self.assertGreater(len(taken), 1)

    def test_same_again(self) -> None:
        """A large message asked for many times over in one command is held once, not many times."""
        house = House()
        house.file(b"Subject: big\r\n\r\n" + b"x" * 1_000_000)
        client = house.signed_in("INBOX")
        sizes: list[int] = []
        write = client.transport.write
        client.transport.write = lambda octets: (sizes.append(len(octets)), write(octets))  # type: ignore
        items = " ".join(f"BODY.PEEK[]<{start}.1000000>" for start in range(50))
        with patch.object(client.protocol, "send", wraps=client.protocol.send) as send:
            client.send(f"a FETCH 1 ({items})\r\n".encode())
        self.assertGreater(sum(sizes), 49_000_000)
        self.assertLess(max(len(call.args[0]) for call in send.mock_calls), 2_500_000)

    def test_short_answers(self) -> None:
        """While short answers pile up nothing more is read; then all is answered."""
        house = House()
        for client, command, last in (
            (house.signed_in(), b"NOOP", 999), (house.signed_in(), b"CAPABILITY", 999),
            (house.signed_in(), b"NONSENSE", 999), (house.connect(), b"CAPABILITY", session_module.MOST_EARLY - 3),
        ):
            client.do("a NOOP")
            client.transport.producer.pauseProducing()
            client.send(b"".join(b"%d %b\r\n" % (number, command) for number in range(last + 1)))
            self.assertEqual(client.taken(), b"")
            self.assertEqual(client.transport.producerState, "paused")
            client.transport.producer.resumeProducing()
            self.assertIn(b"\r\n%d " % last, client.taken())
            self.assertEqual(client.transport.producerState, "producing")

    def test_leaving(self) -> None:
        """A client that goes away in the middle leaves nothing behind."""
        house = House()
        house.file(b"Subject: big\r\n\r\n" + b"x" * 1_000_000)
        client = house.signed_in("INBOX")
        write = client.transport.write

        def writing(octets: bytes) -> None:
            write(octets)
            client.transport.producer.pauseProducing()

        client.transport.write = writing  # type: ignore[method-assign]
        client.send(b"a FETCH 1 BODY.PEEK[]\r\n")
        self.assertTrue(0 < len(client.taken()) < 200_000)
        client.lose()
        self.assertEqual(house.reactor.getDelayedCalls(), [])
        self.assertFalse(house.folder().watched)
        self.assertEqual(house.factory.connections, {})
        self.assertEqual(self.flushLoggedErrors(), [])

    def test_hanging_up_on_the_deaf(self) -> None:
        """Who does not read is cut off, not waited for."""
        house = House()
        client = house.signed_in("INBOX")
        client.transport.producer.pauseProducing()
        house.reactor.advance(1801)
        self.assertTrue(client.closed())

    def test_idle(self) -> None:
        """Who does not read while idle is told of everything in one go later."""
        house = House()
        client = house.signed_in("INBOX")
        client.do("a IDLE")
        client.transport.producer.pauseProducing()
        for _ in range(3):
            house.deliver()
            house.turn()
        first = client.taken()
        client.transport.producer.resumeProducing()
        self.assertEqual((first + client.taken()).count(b"EXISTS"), 2)


class OrderTests(SynchronousTestCase):
    """Commands that take time."""

    def test_read_ahead(self) -> None:
        """While a command is being done, nothing is read."""
        house = House()
        client = house.connect()
        client.taken()
        client.send(b"a LOGIN x y\r\nb NOOP\r\n")
        self.assertEqual(client.transport.producerState, "paused")
        self.assertEqual(client.taken(), b"")
        house.reactor.advance(1)
        self.assertEqual(client.transport.producerState, "producing")
        self.assertEqual(
            client.taken(), b"a NO [AUTHENTICATIONFAILED] Authentication failed\r\nb OK NOOP completed\r\n")

    def test_left_before_its_turn(self) -> None:
        """A command waits until what was promised is visible; a client that leaves meanwhile is no defect."""
        for command in (b"a FETCH 1:* FLAGS", b"a NOOP", b"a UID SEARCH ALL", b"a STORE 1 +FLAGS (\\Seen)", b"a IDLE"):
            house = House()
            house.deliver()
            client = house.signed_in("INBOX")
            client.taken()
            turn: Deferred[None] = Deferred()
            with patch.object(house.store, "when_visible", lambda turn=turn: turn):
                client.send(command + b"\r\n")
                self.assertEqual(client.taken(), b"")
                client.lose()
            turn.callback(None)
            house.reactor.advance(1)
            self.assertEqual(house.reactor.getDelayedCalls(), [])
            self.assertEqual(self.flushLoggedErrors(), [])

    def test_defect(self) -> None:
        """A defect is logged with its number; the client gets the number and stays."""
        house = House()
        client = house.signed_in()

        def broken(*args: object) -> None:
            raise KeyError("secret insides")

        house.store.folders = broken  # type: ignore[assignment]
        self.assertEqual(client.do('a LIST "" *'), [b"a NO [SERVERBUG] Internal error 1"])
        self.assertEqual(client.do("b NOOP"), [b"b OK NOOP completed"])
        self.assertEqual(len(self.flushLoggedErrors(KeyError)), 1)

    def test_disk_refuses(self) -> None:
        """What the disk refuses may be tried again, and is no defect."""
        house = House()
        client = house.signed_in()
        for number, text in ((errno.EROFS, b"Read-only file system"), (errno.EIO, b"Input/output error"),
                             (errno.ENOENT, b"No such file or directory")):
            def refuses(*args: object, number: int = number) -> None:
                raise OSError(number, os.strerror(number))

            house.store.folders = refuses  # type: ignore[assignment]
            self.assertEqual(client.do('a LIST "" *'), [
                b"a NO [UNAVAILABLE] the disk refuses: " + text + b"; try again later"])
        self.assertEqual(self.flushLoggedErrors(), [])

    def test_close(self) -> None:
        """When the server stops, everybody hears it."""
        house = House()
        clients = [house.connect(), house.signed_in("INBOX")]
        for client in clients:
            client.taken()
        house.factory.close()
        for client in clients:
            self.assertEqual(client.taken(), b"* BYE Server is going down\r\n")
            self.assertTrue(client.closed())


WORDS = st.sampled_from([
    b"a", b"LOGIN", b"SELECT", b"INBOX", b"FETCH", b"UID", b"1:*", b"(", b")", b"BODY[", b"]", b"<0.1>", b"FLAGS",
    b"STORE", b"+FLAGS", b"SEARCH", b"OR", b"NOT", b"TEXT", b'"', b"\\", b"{3}\r\n", b"{3+}\r\n", b"~{1+}\r\n",
    b"\r\n", b"\n", b"\0",
    b"APPEND", b"LIST", b"*", b"%", b"IDLE", b"DONE", b"EXPUNGE", b"COPY", b"Archive", b"\xff", b"AUTHENTICATE",
    b"COMPRESS", b"DEFLATE", b"REPLACE", b"CATENATE (", b"TEXT {3+}\r\n", b"URL", b"/INBOX/;UID=1", b"SORT", b"(DATE)",
    b"UTF-8", b"ALL", b"PARTIAL", b"-1:-2", b"UPDATE", b"CANCELUPDATE", b"GETMETADATA", b"SETMETADATA", b"/private/x",
    b"NIL", b"ENABLE", b"UIDONLY", b"METADATA", b"SAVEDATE", b"SAVEDON", b"1-Feb-2026", b"MOVE",
    b"NOTIFY SET", b"(SELECTED", b"(PERSONAL", b"(MessageNew", b"MessageExpunge))", b"SUBTREE",
    b"PLAIN", b"STATUS", b"MESSAGES", b"ENVELOPE", b"HEADER.FIELDS", b"RETURN", b" ", b" ", b" ", b" ", b" "])


class NonsenseTests(SynchronousTestCase):
    """Whatever is sent, nothing breaks."""

    def survive(self, octets: bytes, folder: str) -> None:
        """The server takes the octets and still answers, or has said goodbye."""
        house = House()
        house.deliver("mixed")
        client = house.signed_in(folder) if folder else house.connect()
        client.send(octets)
        house.reactor.advance(20)
        client.taken()
        if not client.closed():
            # Whatever was begun is ended first: a literal, a quoted line, an IDLE.
            client.send(b"x" * 8 + b"\r\n\r\nDONE\r\n")
            house.reactor.advance(20)
            client.taken()
            if not client.closed():
                client.send(b"\r\nzz NOOP\r\n")
                house.reactor.advance(20)
                said = client.taken()
                self.assertTrue(client.closed() or b"zz " in said or b"BAD" in said, said)
        client.lose()
        self.assertEqual(self.flushLoggedErrors(), [])
        self.assertEqual(house.reactor.getDelayedCalls(), [])

    @settings(max_examples=150, deadline=None)
    @given(st.binary(max_size=200), st.sampled_from(["", "INBOX"]))
    def test_octets(self, octets: bytes, folder: str) -> None:
        """Random octets."""
        self.survive(octets + b"\r\n", folder)

    @settings(max_examples=400, deadline=None)
    @given(st.lists(WORDS, max_size=30), st.sampled_from(["", "INBOX"]))
    def test_words(self, words: list[bytes], folder: str) -> None:
        """Random words of the protocol."""
        self.survive(b"".join(words) + b"\r\n", folder)
