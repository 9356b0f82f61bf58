"""What is sent at once, and what waits for the reactor's next turn."""

from __future__ import annotations

import socket
from struct import pack
from typing import Any

from twisted.internet.protocol import Protocol
from twisted.internet.tcp import Connection
from twisted.trial.unittest import SynchronousTestCase

from simmail.imap.wire.output import Output
from simmail.imap.wire.replies import ClientGone


class _Reactor:
    """Knows only who wants to write."""

    def __init__(self) -> None:
        self.writers: set[Any] = set()
        self.heard = 0
        self.removeWriter = self.writers.discard
        self.removeReader = set[Any]().discard

    def addWriter(self, writer: Any) -> None:  # noqa: N802
        """It wants to write."""
        self.heard += 1
        self.writers.add(writer)


class LastWordTests(SynchronousTestCase):
    """Over a socket whose reactor does not turn."""

    def setUp(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as door:
            self.client = socket.create_connection(door.getsockname())
            ours, _ = door.accept()
        for one in (ours, self.client):
            one.setblocking(False)
            self.addCleanup(one.close)
        self.reactor = _Reactor()
        self.transport: Any = Connection(ours, Protocol(), self.reactor)  # type: ignore[no-untyped-call]
        self.transport.connected = True
        self.output = Output(self.transport, lambda: None)

    def read(self) -> bytes:
        """What the client has got, which the kernel has for it as soon as it is sent."""
        try:
            return self.client.recv(1 << 20)
        except BlockingIOError:
            return b""

    def test_at_once(self) -> None:
        """The last word is there without a turn, behind what was said before."""
        self.output.write(b"* 1 EXISTS\r\n")
        self.assertEqual(self.read(), b"")
        self.output.write_now(b"a OK done\r\n")
        self.assertEqual(self.read(), b"* 1 EXISTS\r\na OK done\r\n")
        self.assertEqual(self.reactor.writers, set())

    def test_alone(self) -> None:
        """Of a last word with nothing before it the reactor does not hear, once it is known that all else is sent."""
        self.output.write_now(b"* OK ready\r\n")
        self.assertEqual((self.read(), self.reactor.heard), (b"* OK ready\r\n", 1))
        for word in (b"a OK done\r\n", b"b OK done\r\n"):
            self.output.write_now(word)
            self.assertEqual((self.read(), self.reactor.heard), (word, 1))
        # Nor before what the reactor has still to send.
        self.output.write(b"* 1 EXISTS\r\n")
        self.output.write_now(b"c OK done\r\n")
        self.assertEqual(self.read(), b"* 1 EXISTS\r\nc OK done\r\n")
        self.assertGreater(self.reactor.heard, 1)

    def test_cut(self) -> None:
        """What the socket takes a part of goes on in order."""
        self.output.write_now(b"* OK ready\r\n")
        self.output.write_now(b"x" * 1_000_000)
        self.output.write_now(b"a OK done\r\n")
        taken = self.read()
        while self.reactor.writers:
            self.transport.doWrite()
            taken += self.read()
        taken += self.read()
        self.assertEqual(taken, b"* OK ready\r\n" + b"x" * 1_000_000 + b"a OK done\r\n")

    def test_resumed(self) -> None:
        """What is written while the rest is being sent stands before the next word."""
        self.transport.bufferSize = 4
        self.output.write(b"first ")
        self.output.ready().addCallback(lambda _: self.output.write(b"second "))
        self.assertTrue(self.output.paused)
        self.output.write_now(b"third ")
        self.output.write_now(b"fourth")
        while self.reactor.writers:
            self.transport.doWrite()
        self.assertEqual(self.read(), b"first third second fourth")

    def test_full(self) -> None:
        """What the socket does not take goes when the client has read."""
        self.output.write(b"x" * 1_000_000)
        self.output.write_now(b"a OK done\r\n")
        self.assertTrue(self.output.paused)
        taken = self.read()
        while self.reactor.writers:
            self.transport.doWrite()
            taken += self.read()
        taken += self.read()
        self.assertEqual(taken, b"x" * 1_000_000 + b"a OK done\r\n")
        self.assertFalse(self.output.paused)

    def test_ending(self) -> None:
        """A connection that ends once all is sent is left to the reactor, which has to know."""
        self.transport.loseConnection()
        self.output.write(b"x")
        self.output.write_now(b"y")
        self.assertEqual(self.reactor.writers, {self.transport})

    def test_encrypted(self) -> None:
        """Under TLS nothing is there to be sent yet."""
        self.transport.TLS, sent = True, []
        self.transport.protocol.write = sent.append
        self.output.write_now(b"a OK done\r\n")
        self.assertEqual((sent, self.read()), ([b"a OK done\r\n"], b""))

    def test_gone(self) -> None:
        """What goes wrong is left to the reactor, which meets it again; a client that has left is not answered."""
        # It resets the connection.
        self.client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, pack("ii", 1, 0))
        self.client.close()
        self.output.write_now(b"a OK done\r\n")
        self.assertEqual(self.reactor.writers, {self.transport})
        self.output.stopProducing()
        self.assertRaises(ClientGone, self.output.write_now, b"b OK done\r\n")
