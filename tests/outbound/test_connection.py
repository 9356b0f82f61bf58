"""One connection of the gate: to the first address that answers, and no more than it may send."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionRefusedError
from twisted.internet.protocol import Factory, Protocol
from twisted.internet.testing import MemoryReactorClock, StringTransport
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from simmail.outbound.connection import HEAD, HttpConnection, MOST_ADDRESSES


class Client(Protocol):
    """Keeps what came."""

    def __init__(self) -> None:
        self.came = b""

    def dataReceived(self, data: bytes) -> None:
        self.came += data


class ConnectionTests(SynchronousTestCase):
    """On a reactor in memory."""

    def connect(self, *addresses: str) -> tuple[HttpConnection, Deferred[Any]]:
        self.reactor = MemoryReactorClock()
        connection = HttpConnection(self.reactor, addresses, 80)
        return connection, connection.connect(Factory.forProtocol(Client))

    def accept(self) -> tuple[Any, StringTransport]:
        """The last attempt succeeds."""
        protocol = self.reactor.tcpClients[-1][2].buildProtocol(None)
        transport = StringTransport()
        protocol.makeConnection(transport)
        return protocol, transport

    def refuse(self) -> None:
        """The last attempt does not."""
        self.reactor.tcpClients[-1][2].clientConnectionFailed(None, Failure(ConnectionRefusedError()))

    def test_in_turn(self) -> None:
        """Addresses are tried one after another, of either family, and no more than some."""
        _, connected = self.connect("192.0.2.1", "2001:db8::1", "192.0.2.2")
        self.refuse()
        self.refuse()
        self.accept()
        self.assertIsInstance(self.successResultOf(connected), Client)
        self.assertEqual([one[0] for one in self.reactor.tcpClients], ["192.0.2.1", "2001:db8::1", "192.0.2.2"])
        _, connected = self.connect(*[f"192.0.2.{n}" for n in range(20)])
        for _ in range(MOST_ADDRESSES):
            self.refuse()
        self.failureResultOf(connected, ConnectionRefusedError)
        self.assertEqual(len(self.reactor.tcpClients), MOST_ADDRESSES)

    def test_too_much(self) -> None:
        """What is over the limit is not looked at, and the connection cut; more may be allowed."""
        connection, connected = self.connect("192.0.2.1")
        protocol, transport = self.accept()
        client = self.successResultOf(connected)
        protocol.dataReceived(b"x" * HEAD)
        connection.more(5)
        protocol.dataReceived(b"y" * 5)
        self.assertEqual((len(client.came), connection.over), (HEAD + 5, False))
        protocol.dataReceived(b"z")
        self.assertEqual((len(client.came), connection.over), (HEAD + 5, True))
        self.assertTrue(transport.disconnecting or transport.disconnected)

    def test_hung_up(self) -> None:
        """Hanging up twice, or before anybody answered, is no matter."""
        connection, _ = self.connect("192.0.2.1")
        connection.hang_up()
        _, transport = self.accept()
        connection.hang_up()
        connection.hang_up()
        self.assertTrue(transport.disconnecting or transport.disconnected)
