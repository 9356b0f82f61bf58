"""
The PROXY protocol, versions 1 and 2: a proxy says first whose connection it is that it passes on.

Only proxies that are named in C{server.proxies} are believed, and have to say it; whoever else connects speaks for
himself.  Source: the PROXY protocol, versions 1 & 2 (HAProxy, 2020), sections 2.1, 2.2 and 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Any, NamedTuple

from twisted.internet.address import IPv4Address as TcpAddress, IPv6Address as TcpAddress6
from twisted.internet.interfaces import IReactorTime
from twisted.internet.protocol import Protocol, connectionDone
from twisted.logger import Logger
from twisted.python.failure import Failure

from simmail.daemon.listening.front import Front

#: Real seconds that a proxy may take for its header.
PATIENCE = 10.0
#: Octets of a header: of version 1 with its CRLF (section 2.1), and of version 2 with all that it may add.
MOST_1, MOST_2 = 107, 4096

_SIGNATURE = b"\r\n\r\n\0\r\nQUIT\n"
_FIXED = 16
#: Version and command: of a proxy that connects for itself, to see whether we are well, and for another.
_LOCAL, _PROXY = 0x20, 0x21
#: Address family and transport: octets of an address.
_TCP = {0x11: 4, 0x21: 16}
_VERSIONS = {b"TCP4": 4, b"TCP6": 6}


class ProxyHeader(NamedTuple):
    """
    What a proxy says.

    @ivar length: octets of it.
    @ivar client: address and port of whose connection it is; None for the proxy's own, or one it does not know.
    """

    length: int
    client: tuple[str, int] | None


def parse(octets: bytes) -> ProxyHeader | None:
    """Return the header that octets begin with, None while that is not whole.  @raise ValueError: it is none."""
    if octets[:1] == b"P":
        return _parse_1(octets)
    if octets[:len(_SIGNATURE)] != _SIGNATURE[:len(octets)]:
        raise ValueError("no PROXY header")
    if len(octets) < _FIXED:
        return None
    command, family, length = octets[12], octets[13], int.from_bytes(octets[14:_FIXED], "big") + _FIXED
    if command not in (_LOCAL, _PROXY):
        raise ValueError(f"version and command 0x{command:02x} are not known")
    if length > MOST_2:
        raise ValueError(f"{length} octets are more than {MOST_2}")
    size = _TCP.get(family, 0)
    if command == _LOCAL or not size:
        return ProxyHeader(length, None) if len(octets) >= length else None
    if length < _FIXED + 2 * size + 4:
        raise ValueError(f"{length} octets are too few for two addresses")
    if len(octets) < length:
        return None
    at = _FIXED + 2 * size
    return ProxyHeader(length, (_host(octets[_FIXED:_FIXED + size]), int.from_bytes(octets[at:at + 2], "big")))


def _parse_1(octets: bytes) -> ProxyHeader | None:
    end = octets.find(b"\r\n", 0, MOST_1)
    if end < 0:
        if len(octets) >= MOST_1 or octets[:6] != b"PROXY "[:len(octets)]:
            raise ValueError("no PROXY header")
        return None
    words = octets[:end].split(b" ")
    if words[0] != b"PROXY" or len(words) < 2:
        raise ValueError("no PROXY header")
    if words[1] == b"UNKNOWN":
        return ProxyHeader(end + 2, None)
    if words[1] not in _VERSIONS or len(words) != 6:
        raise ValueError("not a family, two addresses and two ports")
    for port in words[4:]:
        if not (port.isdigit() and len(port) <= 5 and int(port) < 1 << 16):
            raise ValueError("a port is no number below 65536")
    for text in words[2:4]:
        if ip_address(text.decode("ascii")).version != _VERSIONS[words[1]]:
            raise ValueError("an address is of another family")
    return ProxyHeader(end + 2, (_host(words[2].decode("ascii")), int(words[4])))


def _host(address: bytes | str) -> str:
    number = ip_address(address)
    # One client is one address, however it is written.
    mapped = number.ipv4_mapped if isinstance(number, IPv6Address) else None
    return str(mapped or number)


class ProxyProtocol(Front):
    """
    In front of a listener's factory: hears of named proxies whose connections they pass on.

    @param factory: makes the protocol of a connection from the client's address.
    @param proxies: their addresses and networks.
    @ivar connections: those of proxies that have not said it yet.
    """

    log = Logger()

    def __init__(self, factory: Any, proxies: Sequence[IPv4Network | IPv6Network], reactor: IReactorTime) -> None:
        super().__init__(factory)
        self._proxies = proxies
        self._reactor = reactor
        self.connections: set[Protocol] = set()

    def buildProtocol(self, addr: Any) -> Any:
        """Let a proxy say whose connection it is; whoever else comes is a client."""
        number = ip_address(_host(addr.host.partition("%")[0]))
        if not any(number in one for one in self._proxies):
            return super().buildProtocol(addr)
        return _Passing(self, self._reactor)

    def passed(self, addr: Any) -> Any:
        """Return the protocol of a client's connection."""
        return super().buildProtocol(addr)


class _Passing(Protocol):
    """A connection whose client is not known yet."""

    transport: Any

    def __init__(self, door: ProxyProtocol, reactor: Any) -> None:
        self._door = door
        self._reactor = reactor
        self._octets = b""

    def connectionMade(self) -> None:
        """Wait for the header, and not for ever."""
        self._door.connections.add(self)
        self._late = self._reactor.callLater(PATIENCE, self._refuse, "no PROXY header came")

    def dataReceived(self, data: bytes) -> None:
        """Take octets of the header, and what stands behind it."""
        self._octets += data
        try:
            header = parse(self._octets)
        except ValueError as error:
            self._refuse(str(error))
            return
        if header is not None:
            self._end()
            self._pass(header.client, self._octets[header.length:])

    def _pass(self, client: tuple[str, int] | None, rest: bytes) -> None:
        transport = self.transport
        if client is None:
            peer = transport.getPeer()
        else:
            peer = (TcpAddress6 if ":" in client[0] else TcpAddress)("TCP", *client)
            transport.getPeer = lambda: peer
        protocol = self._door.passed(peer)
        if protocol is None:
            transport.loseConnection()
            return
        # As if it had been there from the start: nothing of this stays between the two.
        transport.protocol = protocol
        protocol.makeConnection(transport)
        if rest:
            transport.protocol.dataReceived(rest)

    def _refuse(self, why: str) -> None:
        self._end()
        self._door.log.warn("the proxy {host} was refused: {why}", host=self.transport.getPeer().host, why=why)
        self.transport.abortConnection()

    def _end(self) -> None:
        self._door.connections.discard(self)
        if self._late.active():
            self._late.cancel()

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """The proxy has gone."""
        self._end()
