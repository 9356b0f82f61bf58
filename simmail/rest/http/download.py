"""
Large answers at the pace of their readers: nothing is read from a message before there is room for it.

A reader that takes nothing for some time is cut, as one that sends nothing is.
Source: promises, R11 and R14.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.interfaces import IDelayedCall, IPushProducer
from twisted.logger import Logger
from zope.interface import implementer

#: Answers over so many octets are sent like this.
LARGE = 256 * 1024

#: Octets read at once, and handed to the transport at once.
WINDOW, PIECE = 256 * 1024, 64 * 1024


@implementer(IPushProducer)
class Download:
    """
    One answer on its way to one reader.

    @param request: its status and headers are set, but for C{Content-Length}.
    @param reactor: C{IReactorTime}.
    @param patience: real seconds a reader may take to make room.
    """

    log = Logger()

    def __init__(self, request: Any, reactor: Any, patience: float) -> None:
        self._request = request
        self._reactor = reactor
        self._patience = patience
        self._room: Deferred[None] | None = None
        self._paused = False
        self._deadline: IDelayedCall | None = None

    async def run(self, parts: Sequence[Any]) -> None:
        """
        Send octets and open messages (C{IOpened}), one after the other.

        @raise CancelledError: the client has left.
        """
        request = self._request
        sizes = [len(part) if isinstance(part, bytes) else part.size for part in parts]
        request.setHeader(b"Content-Length", b"%d" % sum(sizes))
        if request.method == b"HEAD":
            request.finish()
            return
        if request.left:
            raise CancelledError
        # Answers before it on this connection may be on their way yet.
        self._paused = request.channel.full
        request.registerProducer(self, True)
        try:
            await self._wait()
            for part, size in zip(parts, sizes):
                await self._send(part, size)
        except CancelledError:
            raise
        except Exception as error:
            # So many octets are promised; there is no other way to take that back.
            self.log.error("an answer could not be sent to its end: {error}", error=error)
            request.channel.transport.abortConnection()
            return
        finally:
            self._stop_waiting()
            if getattr(request, "channel", None) is not None:
                request.unregisterProducer()
        request.finish()

    async def _send(self, part: Any, size: int) -> None:
        for begin in range(0, size, WINDOW):
            count = min(WINDOW, size - begin)
            octets = part[begin:begin + count] if isinstance(part, bytes) else await part.read(begin, count)
            for at in range(0, count, PIECE):
                if self._request.left:
                    raise CancelledError
                self._request.write(octets[at:at + PIECE])
                await self._wait()

    async def _wait(self) -> None:
        """Until there is room."""
        if self._paused:
            if self._deadline is None:
                self._deadline = self._reactor.callLater(self._patience, self._drop)
            self._room = Deferred()
            await self._room

    # IPushProducer

    def pauseProducing(self) -> None:
        """Notice that the reader does not keep up."""
        self._paused = True

    def resumeProducing(self) -> None:
        """Notice that there is room again."""
        self._paused = False
        self._stop_waiting()
        room, self._room = self._room, None
        if room is not None and not room.called:
            room.callback(None)

    def stopProducing(self) -> None:
        """Notice that the connection is gone; whoever answers is told by the request."""

    def _stop_waiting(self) -> None:
        if self._deadline is not None and self._deadline.active():
            self._deadline.cancel()
        self._deadline = None

    def _drop(self) -> None:
        self._deadline = None
        self.log.info("an answer was cut: its reader stopped reading")
        self._request.channel.transport.abortConnection()
