"""
Back-pressure: what a client does not read is not produced.

A push producer for the whole life of a connection.  (A pull producer would
not do: under TLS, Twisted calls one in a loop while it waits for the disk.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IPushProducer
from twisted.internet.tcp import Connection
from zope.interface import implementer

from simmail.imap.wire.replies import ClientGone

#: Octets handed to the transport at once; under TLS each is encrypted as it is handed over.  So many are worth being
#: sent at once.
PIECE, LONG = 128 * 1024, 16 * 1024


@implementer(IPushProducer)
class Output:
    """
    Octets on their way to one client.

    @ivar paused: the transport has enough; wait for L{ready}.
    @param changed: called when C{paused} has changed.
    """

    def __init__(self, transport: Any, changed: Callable[[], None]) -> None:
        self.paused = False
        self._changed = changed
        self._transport = transport
        self._waiting: Deferred[None] | None = None
        self._gone = False
        # Whether the transport may have something that it has not sent.
        self._unsent = True
        if hasattr(transport, "setTcpNoDelay"):
            # Else the kernel keeps a short answer back until the client has acknowledged the one before it: 40 ms.
            transport.setTcpNoDelay(True)
        transport.registerProducer(self, True)

    def wrap(self, wrapper: Callable[[Any], Any]) -> None:
        """From here on octets go through something that stands before the transport."""
        self._transport = wrapper(self._transport)

    def write(self, octets: bytes) -> None:
        """
        Send octets, however fast the client reads.

        @raise ClientGone: the client has left.
        """
        if self._gone:
            raise ClientGone
        self._unsent = True
        self._transport.write(octets)

    def write_now(self, octets: bytes) -> None:
        """
        Send what the client waits for, or much, at once rather than in the next turn of the reactor.

        @raise ClientGone: the client has left.
        """
        transport = self._transport
        # Under TLS it has nothing to send yet.  What goes wrong here is met again in the next turn.
        if self._gone or not isinstance(transport, Connection) or transport.TLS or transport.disconnecting:
            self.write(octets)
            return
        if not self._unsent:
            # Nothing stands before it: the reactor need not hear of it.
            sent = transport.writeSomeData(octets)
            if sent == len(octets):
                return
            octets = octets[sent:] if isinstance(sent, int) else octets
        self.write(octets)
        self._unsent = False
        transport.doWrite()
        self._unsent = self._unsent or bool(transport.dataBuffer)

    def flush(self) -> bool:
        """Send what is left to be sent; answers whether all has left, and nothing stands between."""
        transport = self._transport
        if self._gone or not isinstance(transport, Connection) or transport.TLS or transport.disconnecting:
            return False
        transport.doWrite()
        return not transport.dataBuffer

    def ready(self) -> Deferred[None]:
        """Fires when more may be written; fails with L{ClientGone} when the client leaves."""
        waiting: Deferred[None] = Deferred()
        if self._gone:
            waiting.errback(ClientGone())
        elif not self.paused:
            waiting.callback(None)
        else:
            self._waiting = waiting
        return waiting

    def finish(self) -> None:
        """No more is coming: what is on its way is sent, then the connection can close."""
        if not self._gone:
            self._transport.unregisterProducer()
            self.stopProducing()

    def pauseProducing(self) -> None:
        """The transport has enough."""
        self.paused = True
        self._changed()

    def resumeProducing(self) -> None:
        """The transport wants more."""
        self.paused = False
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            waiting.callback(None)
        self._changed()

    def stopProducing(self) -> None:
        """The client has left."""
        self._gone = True
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            waiting.errback(ClientGone())
