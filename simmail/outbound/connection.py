"""
One connection of the gate: to addresses that were checked, with a limit on what comes over it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.endpoints import TCP4ClientEndpoint, TCP6ClientEndpoint
from twisted.internet.error import ConnectError
from twisted.internet.interfaces import IProtocol, IProtocolFactory, IStreamClientEndpoint
from twisted.protocols.policies import ProtocolWrapper, WrappingFactory
from zope.interface import implementer

#: Real seconds for each attempt to connect; addresses that are tried.
PATIENCE, MOST_ADDRESSES = 4.0, 4

#: Octets a server may send before its answer's head is complete, TLS included.
HEAD = 128 * 1024


@implementer(IStreamClientEndpoint)
class HttpConnection:
    """
    Connects to one of some addresses, in turn.

    @param reactor: C{IReactorTCP} and C{IReactorTime}.
    @param addresses: numbers; nothing is resolved here.
    @ivar over: the server sent more than it may, and was cut off.
    @ivar untouched: it was never connected.
    """

    def __init__(self, reactor: Any, addresses: Sequence[str], port: int) -> None:
        self._reactor = reactor
        self._addresses = addresses[:MOST_ADDRESSES]
        self._port = port
        self._left = HEAD
        self._transport: Any = None
        self.over = False
        self.untouched = True

    def connect(self, protocolFactory: IProtocolFactory) -> Deferred[Any]:
        """Return a Deferred of the protocol, connected."""
        return Deferred.fromCoroutine(self._connected(protocolFactory))

    async def _connected(self, factory: Any) -> Any:
        failed: ConnectError = ConnectError()
        for address in self._addresses:
            kind = TCP6ClientEndpoint if ":" in address else TCP4ClientEndpoint
            metered: WrappingFactory[_Metered] = WrappingFactory(factory)
            metered.noisy = False
            metered.protocol = self._metered
            try:
                wrapper: Any = await kind(self._reactor, address, self._port, PATIENCE).connect(metered)
            except ConnectError as error:
                failed = error
            else:
                return wrapper.wrappedProtocol
        raise failed

    def _metered(self, factory: WrappingFactory[_Metered], protocol: IProtocol) -> _Metered:
        return _Metered(self, factory, protocol)

    def opened(self, transport: Any) -> None:
        """Notice that the connection is there."""
        self._transport = transport
        self.untouched = False

    def more(self, octets: int) -> None:
        """Let so much more come."""
        self._left += octets

    def allow(self, octets: int) -> None:
        """Let at least another answer come, with so much behind its head."""
        self._left = max(self._left, HEAD + octets)

    def took(self, octets: int) -> bool:
        """Count what came, and tell whether it may be looked at."""
        self._left -= octets
        if self._left < 0:
            self.over = True
            self.hang_up()
        return not self.over

    def hang_up(self) -> None:
        """Break the connection off, without waiting for the other side to agree."""
        transport, self._transport = self._transport, None
        if transport is not None:
            transport.abortConnection()


class _Metered(ProtocolWrapper):
    """Counts what comes."""

    def __init__(self, line: HttpConnection, factory: WrappingFactory[_Metered], protocol: IProtocol) -> None:
        super().__init__(factory, protocol)
        self._line = line

    def makeConnection(self, transport: Any) -> None:
        self._line.opened(transport)
        super().makeConnection(transport)

    def dataReceived(self, data: bytes) -> None:
        if self._line.took(len(data)):
            super().dataReceived(data)
