"""Who a connection is of that a proxy passes on: headers of either version, read in any pieces."""

from __future__ import annotations

import socket
from ipaddress import ip_address, ip_network
from typing import Any

from hypothesis import given, strategies as st
from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.protocol import Factory, Protocol
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport
from twisted.logger import capturedLogs
from twisted.trial.unittest import SynchronousTestCase

from simmail.daemon.listening.proxy_protocol import MOST_1, MOST_2, PATIENCE, ProxyHeader, ProxyProtocol, parse

SIGNATURE = bytes.fromhex("0d0a0d0a000d0a515549540a")


def version_2(client: str, port: int = 4711, more: bytes = b"", command: int = 0x21) -> bytes:
    """As a proxy writes it, by the words of section 2.2."""
    four = ip_address(client).version == 4
    family, server = (socket.AF_INET, "192.0.2.1") if four else (socket.AF_INET6, "2001:db8::1")
    body = (socket.inet_pton(family, client) + socket.inet_pton(family, server)
            + port.to_bytes(2, "big") + (25).to_bytes(2, "big") + more)
    return SIGNATURE + bytes((command, 0x11 if four else 0x21)) + len(body).to_bytes(2, "big") + body


#: Headers, and who they name.
GOOD: tuple[tuple[bytes, tuple[str, int] | None], ...] = (
    (b"PROXY TCP4 203.0.113.7 192.0.2.1 56324 25\r\n", ("203.0.113.7", 56324)),
    (b"PROXY TCP6 2001:db8::7 2001:db8::1 1 65535\r\n", ("2001:db8::7", 1)),
    (b"PROXY TCP6 ::ffff:203.0.113.7 ::1 1 2\r\n", ("203.0.113.7", 1)),
    (b"PROXY UNKNOWN\r\n", None),
    (b"PROXY UNKNOWN ffff::1 ffff::2 65535 65535\r\n", None),
    (version_2("203.0.113.7"), ("203.0.113.7", 4711)),
    (version_2("2001:db8::7", 9), ("2001:db8::7", 9)),
    (version_2("::ffff:203.0.113.7"), ("203.0.113.7", 4711)),
    (version_2("203.0.113.7", more=b"\x20\x00\x02ab"), ("203.0.113.7", 4711)),
    (version_2("203.0.113.7", command=0x20), None),
    (SIGNATURE + b"\x20\x00\x00\x00", None),
    # Of a Unix socket.
    (SIGNATURE + b"\x21\x31\x00\xd8" + bytes(216), None),
)

BAD = (
    b"EHLO app.test\r\n", b"GET / HTTP/1.1\r\n", b"\x16\x03\x01\x02\x00", b"PROXY \r\n", b"PROXY TCP4\r\n", b"PRAXY",
    b"PROXY TCP4 203.0.113.7 192.0.2.1 56324\r\n", b"PROXY TCP4 203.0.113.7 192.0.2.1 56324 65536\r\n",
    b"PROXY TCP4 203.0.113.7 192.0.2.1 -1 25\r\n", b"PROXY TCP4 203.0.113 192.0.2.1 1 25\r\n",
    b"PROXY TCP6 203.0.113.7 192.0.2.1 1 25\r\n", b"PROXY TCP4 \xff\xfe 192.0.2.1 1 25\r\n",
    b"PROXY UDP4 203.0.113.7 192.0.2.1 1 25\r\n", b"PROXY UNKNOWN " + b"x" * MOST_1,
    SIGNATURE + b"\x11\x11\x00\x0c" + bytes(12), SIGNATURE + b"\x22\x11\x00\x0c" + bytes(12),
    SIGNATURE + b"\x21\x11\x00\x0b" + bytes(11), SIGNATURE + b"\x21\x21\x00\x0c" + bytes(12),
    SIGNATURE + b"\x21\x11" + (MOST_2 - 15).to_bytes(2, "big"),
)


class ParseTests(SynchronousTestCase):
    """What stands in a header."""

    def test_good(self) -> None:
        """It is known as soon as it is whole, whatever stands behind it."""
        for octets, client in GOOD:
            for more in (b"", b"EHLO app.test\r\n", octets):
                self.assertEqual(parse(octets + more), ProxyHeader(len(octets), client), octets)
            for end in range(len(octets)):
                self.assertIsNone(parse(octets[:end]), octets[:end])

    def test_bad(self) -> None:
        """What is none is refused."""
        for octets in BAD:
            with self.assertRaises(ValueError, msg=octets):
                parse(octets)

    @given(st.one_of(st.binary(max_size=300), st.binary(max_size=300).map(SIGNATURE.__add__),
                     st.binary(max_size=300).map(b"PROXY TCP4 ".__add__)))
    def test_any(self, octets: bytes) -> None:
        """No octets are anything else than a header, the beginning of one, or refused."""
        try:
            header = parse(octets)
        except ValueError:
            return
        if header is not None:
            self.assertLessEqual(header.length, len(octets))
            if header.client is not None:
                ip_address(header.client[0])


class _Transport(StringTransport):
    """One whose protocol is changed, as that of a socket is."""

    protocol: Any

    def receive(self, octets: bytes) -> None:
        self.protocol.dataReceived(octets)


class _Guest(Protocol):
    """Says who it takes the client for, and what it said."""

    transport: Any

    def __init__(self, addr: Any) -> None:
        self.addr, self.heard = addr, b""

    def connectionMade(self) -> None:
        self.transport.write(b"hello " + self.transport.getPeer().host.encode())

    def dataReceived(self, data: bytes) -> None:
        self.heard += data


class _Guests(Factory):
    """Lets everybody in but one."""

    def buildProtocol(self, addr: Any) -> Any:
        return None if addr.host == "198.51.100.1" else _Guest(addr)


class ProxyProtocolTests(SynchronousTestCase):
    """A listener behind proxies."""

    def setUp(self) -> None:
        """One machine, and a network."""
        self.clock = Clock()
        self.door = ProxyProtocol(_Guests(), [ip_network("127.0.0.2"), ip_network("2001:db8::/32")], self.clock)

    def connected(self, host: str) -> _Transport:
        """A connection from an address."""
        address = (IPv6Address if ":" in host else IPv4Address)("TCP", host, 1)
        transport = _Transport(peerAddress=address)
        transport.protocol = self.door.buildProtocol(address)
        transport.protocol.makeConnection(transport)
        return transport

    def test_passed_on(self) -> None:
        """The client is whom the proxy names, in any pieces; nothing of what it says is lost."""
        for host in ("127.0.0.2", "2001:db8:1::1", "::ffff:127.0.0.2"):
            for octets, client in GOOD:
                for size in (1, 7, 1000):
                    transport, said = self.connected(host), octets + b"EHLO me\r\n"
                    self.assertEqual(len(self.door.connections), 1)
                    for at in range(0, len(said), size):
                        transport.receive(said[at:at + size])
                    expected = client[0] if client else host
                    self.assertEqual(transport.value(), b"hello " + expected.encode())
                    guest = transport.protocol
                    self.assertEqual((guest.addr.host, guest.heard), (expected, b"EHLO me\r\n"))
                    self.assertEqual(self.door.connections, set())
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_others(self) -> None:
        """Whoever is no proxy speaks for himself, from the first octet."""
        for host in ("127.0.0.1", "127.0.0.3", "::1", "fe80::1%eth0"):
            transport = self.connected(host)
            self.assertEqual(transport.value(), b"hello " + host.encode())
            transport.receive(GOOD[0][0])
            self.assertEqual(transport.protocol.heard, GOOD[0][0])

    def test_refused(self) -> None:
        """A proxy that says something else, or nothing, is let go, and told of."""
        for octets in (*BAD, b""):
            with capturedLogs() as logged:
                transport = self.connected("127.0.0.2")
                transport.receive(octets)
                self.clock.advance(PATIENCE)
            self.assertTrue(transport.disconnected, octets)
            self.assertEqual(transport.value(), b"")
            self.assertEqual([one["host"] for one in logged], ["127.0.0.2"])
            transport.protocol.connectionLost()
        self.assertEqual((self.door.connections, self.clock.getDelayedCalls()), (set(), []))

    def test_nobody_there(self) -> None:
        """A client whom the listener does not let in is let go."""
        transport = self.connected("127.0.0.2")
        transport.receive(version_2("198.51.100.1"))
        self.assertTrue(transport.disconnecting)
