"""Descriptors: as many as there may be, some kept back, and words for those who come when there are none left."""

from __future__ import annotations

import resource
import socket
from typing import Any

from twisted.internet.error import ConnectionDone
from twisted.internet.protocol import Factory, Protocol
from twisted.internet.tcp import Port
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from simmail.daemon.listening.descriptors import Descriptors, Door, held, raise_limit


class LimitTests(SynchronousTestCase):
    """How many there are."""

    def test_raised(self) -> None:
        """The soft limit becomes the hard one."""
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, hard, 256) - 1, hard))
        self.assertEqual(raise_limit(), hard)
        self.assertEqual(resource.getrlimit(resource.RLIMIT_NOFILE), (hard, hard))

    def test_held(self) -> None:
        """Those this process holds are counted."""
        before = held()
        with socket.socket(), socket.socket():
            self.assertEqual(held(), before + 2)

    def test_kept(self) -> None:
        """Each connection may take two; what is open is not theirs, nor what is kept back; there is always one."""
        for limit, taken, most in ((200, 50, 50), (1024, 60, 354), (1 << 20, 60, 524_130), (64, 60, 1)):
            self.assertEqual(Descriptors(limit, taken).most, most)


class _Reactor:
    """Knows who wants to read."""

    def __init__(self) -> None:
        self.readers: set[Any] = set()
        self.addReader, self.removeReader = self.readers.add, self.readers.discard
        self.removeWriter = set[Any]().discard


class DoorTests(SynchronousTestCase):
    """Over real sockets, in one turn of the reactor."""

    def test_turned_away(self) -> None:
        """Who is one too many is told so, also when it has spoken first, and closed before the next comes in."""
        served: list[Protocol] = []

        class Guest(Protocol):
            def connectionMade(self) -> None:
                served.append(self)

            def connectionLost(self, reason: Any = None) -> None:
                served.remove(self)

        inner = Factory.forProtocol(Guest)
        inner.connections = served  # type: ignore[attr-defined]
        descriptors = Descriptors(16, 8)
        descriptors.factories.append(inner)  # type: ignore[arg-type]
        door = Door(inner, descriptors, b"421 no\r\n")
        reactor = _Reactor()
        port = Port(0, door, interface="127.0.0.1", reactor=reactor)  # type: ignore[no-untyped-call]
        port.startListening()  # type: ignore[no-untyped-call]
        self.addCleanup(port.connectionLost, None)
        place = port.socket.getsockname()
        clients = [socket.create_connection(place, 5) for _ in range(5)]
        for one in clients:
            self.addCleanup(one.close)
            one.sendall(b"EHLO x\r\n")
        before = held()
        port.doRead()  # type: ignore[no-untyped-call]
        self.assertEqual((len(served), held() - before), (2, 2))
        self.assertEqual([one.recv(100) + one.recv(100) for one in clients[2:]], [b"421 no\r\n"] * 3)
        served[0].transport.connectionLost(Failure(ConnectionDone()))  # type: ignore[union-attr]
        with socket.create_connection(place, 5):
            port.doRead()  # type: ignore[no-untyped-call]
            self.assertEqual(len(served), 2)
        for one in list(served):
            one.transport.connectionLost(Failure(ConnectionDone()))  # type: ignore[union-attr]
