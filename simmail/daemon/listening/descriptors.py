"""
Descriptors: as many as the system lets us have, and some of them kept back for the mail store and Redis.

A connection takes one, and may take another for a file: a body that is
spooled, a message that is streamed.  When those for connections are used up a
new one is told so and closed in the same turn of the reactor, so that a crowd
at the door never takes what the service itself needs to go on.
Source: promises, R12.
"""

from __future__ import annotations

import os
import resource
from collections.abc import Sized
from typing import Any, Protocol

from twisted.internet.error import ConnectionDone
from twisted.internet import protocol
from twisted.logger import Logger
from twisted.python.failure import Failure

from simmail.daemon.listening.front import Front

#: Descriptors of one connection: its socket and a file.
EACH = 2

#: Kept back for the mail store, Redis, the log and calls to other servers besides those that are open at the start: so
#: many, but no more than this part of all there may be.
KEPT, PART = 256, 4

#: Where the system has no limit.
_BOUNDLESS = 1 << 20

#: Octets a client may have sent before it was heard at all: unread, they would make the system drop the refusal.
_UNHEARD = 64 * 1024


def raise_limit() -> int:
    """Raise the soft limit of descriptors to the hard one; answers what it is now."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    except (OSError, ValueError):
        # Not every system lets it be what it says it may be.
        hard = soft
    return _BOUNDLESS if hard == resource.RLIM_INFINITY else hard


def held() -> int:
    """Count those this process holds; a guess where the system does not tell."""
    for place in ("/proc/self/fd", "/dev/fd"):
        try:
            return len(os.listdir(place))
        except OSError:
            continue
    return 64


class Served(Protocol):
    """The factory of a listener."""

    @property
    def connections(self) -> Sized:
        """Those open now."""


class Descriptors:
    """
    Those for connections.

    @param limit: of the process; taken: by what it holds besides connections.
    @ivar most: connections there may be, at least one.
    @ivar factories: of all listeners; the C{connections} of each are those that are open.
    """

    log = Logger()

    def __init__(self, limit: int, taken: int) -> None:
        self.most = max(1, (limit - taken - min(KEPT, limit // PART)) // EACH)
        self.factories: list[Served] = []
        self._full = False

    def full(self) -> bool:
        """Tell whether there are none for one more connection."""
        full = sum([len(one.connections) for one in self.factories]) >= self.most
        if full and not self._full:
            self.log.warn("no descriptors for more than {most} connections: new ones are turned away", most=self.most)
        self._full = full
        return full


class Door(Front):
    """
    In front of a listener's factory: turns connections away while there are no descriptors for them.

    @param words: said to those, b"" for nothing (under TLS nothing can be said yet).
    """

    def __init__(self, factory: Any, descriptors: Descriptors, words: bytes) -> None:
        super().__init__(factory)
        self._descriptors = descriptors
        self._words = words

    def buildProtocol(self, addr: Any) -> Any:
        """Let one more connection in, or turn it away."""
        if self._descriptors.full():
            return _TurnedAway(self._words)
        return self._factory.buildProtocol(addr)


class _TurnedAway(protocol.Protocol):
    """One connection too many."""

    transport: Any

    def __init__(self, words: bytes) -> None:
        self._words = words

    def connectionMade(self) -> None:
        """Say so, and give the descriptor back before the next connection is accepted."""
        socket = self.transport.socket
        try:
            socket.recv(_UNHEARD)
        except OSError:
            # It has said nothing.
            pass
        try:
            socket.send(self._words)
        except OSError:
            # It has left.
            pass
        self.transport.connectionLost(Failure(ConnectionDone()))  # type: ignore[no-untyped-call]
