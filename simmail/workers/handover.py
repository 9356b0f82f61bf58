"""
Connections given to another process: the descriptor itself, or, where something stands between (TLS), one end of a
pair of sockets, whose other end stays here and carries what the client says and is told.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from typing import Any

from twisted.internet.protocol import Factory, Protocol, connectionDone
from twisted.python.failure import Failure

from simmail.interfaces import Handover

#: What goes with a connection when it is given away; None: it stays.
HowItGoesOn = Callable[[], Handover | None]


def detached(transport: Any) -> int:
    """
    Take the descriptor of a connection from its transport, whose protocol is told that the connection is lost.

    Not from within the transport's own reading.
    """
    transport.unregisterProducer()
    transport.stopReading()
    transport.stopWriting()
    # A transport shuts down what it closes, for all who have it: it gets another socket for that.
    taken, (transport.socket, other) = transport.socket, socket.socketpair()
    transport.fileno = transport.socket.fileno
    other.close()
    transport.connectionLost(connectionDone)
    descriptor: int = taken.detach()
    return descriptor


class _Only(Factory):
    """The factory of one connection, whose protocol is there already and has a factory of its own."""

    noisy = False

    def __init__(self, protocol: Protocol) -> None:
        self._protocol = protocol

    def buildProtocol(self, addr: Any) -> Protocol:
        """Return it."""
        return self._protocol


class _Side(Protocol):
    """One of the two sides of what is carried."""

    noisy = False
    transport: Any
    other: _Side | None = None

    def dataReceived(self, data: bytes) -> None:
        if self.other is not None:
            self.other.transport.write(data)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        other, self.other = self.other, None
        if other is not None:
            other.other = None
            other.transport.unregisterProducer()
            other.transport.loseConnection()


def carried(reactor: Any, transport: Any) -> int:
    """Return one end of a pair of sockets, and carry what is said between the other end and a transport from now on."""
    ours, theirs = socket.socketpair()
    joined(reactor, transport, ours.detach())
    return theirs.detach()


def joined(reactor: Any, transport: Any, descriptor: int) -> Protocol:
    """
    Carry what is said between a transport and a connection, of which this takes the descriptor.

    @return: what takes the octets that the transport brings.
    """
    client, inner = _Side(), _Side()
    holder = transport if hasattr(transport, "wrappedProtocol") else transport.protocol if transport.TLS else None
    before = transport.protocol if holder is None else holder.wrappedProtocol
    transport.unregisterProducer()
    client.transport = transport
    if holder is None:
        transport.protocol = client
    else:
        holder.wrappedProtocol = client
    before.connectionLost(connectionDone)
    with socket.socket(fileno=descriptor) as ours:
        ours.setblocking(False)
        reactor.adoptStreamConnection(ours.fileno(), ours.family, _Only(inner))
    client.other, inner.other = inner, client
    transport.registerProducer(inner.transport, True)
    inner.transport.registerProducer(transport, True)
    transport.resumeProducing()
    return client


def adopted(reactor: Any, descriptor: int, protocol: Protocol) -> None:
    """Go on with a connection that was given."""
    try:
        with socket.socket(fileno=os.dup(descriptor)) as made:
            made.setblocking(False)
            reactor.adoptStreamConnection(made.fileno(), made.family, _Only(protocol))
    finally:
        os.close(descriptor)
