"""How many connections there may be."""

from __future__ import annotations

from twisted.internet.address import IPv4Address
from twisted.trial.unittest import SynchronousTestCase

from simmail.config import Config, Imap
from simmail.imap.session import ImapSession
from tests.imap.play import House


def client(host: str) -> IPv4Address:
    """Where a client comes from."""
    return IPv4Address("TCP", host, 40000)


class FactoryTests(SynchronousTestCase):
    """Counting."""

    def test_each_address(self) -> None:
        """Each address has its share; one that leaves makes room for another."""
        factory = House(Config(imap=Imap(connections=10, connections_per_address=2))).factory
        first, second, third = (factory.buildProtocol(client("192.0.2.1")) for _ in range(3))
        self.assertIsInstance(second, ImapSession)
        self.assertNotIsInstance(third, ImapSession)
        self.assertIsInstance(factory.buildProtocol(client("192.0.2.2")), ImapSession)
        assert isinstance(first, ImapSession)
        factory.left(first)
        self.assertIsInstance(factory.buildProtocol(client("192.0.2.1")), ImapSession)

    def test_all(self) -> None:
        """All together have a limit, and who leaves twice is counted once."""
        factory = House(Config(imap=Imap(connections=2, connections_per_address=2))).factory
        servers = [factory.buildProtocol(client(f"192.0.2.{number}")) for number in range(3)]
        self.assertEqual([isinstance(one, ImapSession) for one in servers], [True, True, False])
        assert isinstance(servers[0], ImapSession)
        factory.left(servers[0])
        factory.left(servers[0])
        self.assertEqual(len(factory.connections), 1)
        self.assertIsInstance(factory.buildProtocol(client("192.0.2.0")), ImapSession)
        self.assertNotIsInstance(factory.buildProtocol(client("192.0.2.0")), ImapSession)

    def test_unknown_address(self) -> None:
        """Where there is no host, as on a Unix socket, all have one."""
        factory = House(Config(imap=Imap(connections_per_address=1))).factory
        self.assertIsInstance(factory.buildProtocol(None), ImapSession)
        self.assertNotIsInstance(factory.buildProtocol(None), ImapSession)

    def test_implicit_tls(self) -> None:
        """On a TLS listener there is nothing to start."""
        factory = House(tls_context="context", implicit_tls=True).factory
        self.assertEqual((factory.context.tls_context, factory.implicit_tls), (None, True))
        self.assertEqual(House(tls_context="context").factory.context.tls_context, "context")
