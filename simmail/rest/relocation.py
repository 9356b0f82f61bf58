"""
Calls about universes that another process of the service has: they go on there, with the connection they came by.

Whatever follows on that connection (streams, long polls, the next request) needs nobody in between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from twisted.internet.defer import Deferred

from simmail.errors import Elsewhere, Refusal, Unavailable
from simmail.interfaces import IPeers, Handover
from simmail.rest.answer import TAKEN
from simmail.rest.context import Services
from simmail.rest.dispatch import Dispatcher
from simmail.rest.route import Call, Route

#: A request that was given away so often is answered nowhere.
MOST_HOPS = 4

#: Headers that say how the body came, and how the rest of it comes.
_FRAMING = frozenset((b"transfer-encoding", b"content-length", b"expect"))


class SharingDispatcher(Dispatcher):
    """
    Answers requests in one of several processes.

    @param peers: the others.
    """

    def __init__(
        self, services: Services, routes: Iterable[Route], unfound: Callable[[Any], Any], peers: IPeers
    ) -> None:
        super().__init__(services, routes, unfound)
        self._peers = peers

    def begin(self, request: Any, route: Route, path: dict[str, Any]) -> Deferred[None]:
        """Answer a request, or have it answered."""
        channel = request.channel
        if channel.handover is not None:
            request.hops, channel.handover = channel.handover.hops, None
        if request.hops:
            # It was brought here because it is answered here.
            return super().begin(request, route, path)
        if route.role is None:
            # Open to everyone, and answered anywhere, but for what is shared of one universe.
            return Deferred.fromCoroutine(self._begin_shared(request, route, path)) if "token" in path else (
                super().begin(request, route, path))
        return Deferred.fromCoroutine(self._begin(request, route, path))

    async def _begin(self, request: Any, route: Route, path: dict[str, Any]) -> None:
        try:
            identity = await self.guard.identify(request)
            # What any server of an installation can answer needs no other.
            if identity.universe and (route.placed or not self._peers.apart):
                self.services.server.universe(identity.universe)
        except Elsewhere as elsewhere:
            try:
                if await self._given(request, elsewhere):
                    return
            except Unavailable as error:
                # It was looked for, and is not looked for again.
                request.hops = MOST_HOPS
                self.log.info("a call was not given away: {error}", error=error)
        except Refusal:
            # It is refused in the way that all are.
            pass
        await super().begin(request, route, path)

    async def _begin_shared(self, request: Any, route: Route, path: dict[str, Any]) -> None:
        for shown in await self._peers.ask("shows", path["token"].removesuffix(".json")):
            if shown and await self._given(request, Elsewhere(shown)):
                return
        await super().begin(request, route, path)

    async def _called(self, call: Call) -> Any:
        try:
            return await super()._called(call)
        except Elsewhere as elsewhere:
            if not await self._given(call.request, elsewhere):
                raise
            return TAKEN

    async def _given(self, request: Any, elsewhere: Elsewhere) -> bool:
        """Give a request away; answers whether that was done."""
        if elsewhere.universe is None or request.hops >= MOST_HOPS or request.left:
            return False
        chunked = request.requestHeaders.hasHeader(b"Transfer-Encoding")
        coming = request.body(True) if chunked else None
        if coming is not None:
            await coming
        channel = request.channel
        head, length = _head(request), request.requestHeaders.getRawHeaders(b"Content-Length", [b"0"])[0]

        def handover() -> Handover:
            request.content.seek(0)
            come = request.content.read()
            framing = b"Content-Length: %b\r\n" % (b"%d" % len(come) if chunked else length)
            if request.expects and not chunked:
                framing += b"Expect: 100-continue\r\n"
            return Handover("http", channel.place, b"%b%b\r\n%b%b" % (head, framing, come, channel.sent_ahead()),
                            hops=request.hops + 1)

        owner = self.services.server.owner(elsewhere.universe)
        work: Deferred[None] = self._peers.give(owner, channel.transport, channel.direct, handover)
        await work
        return True


def _head(request: Any) -> bytes:
    """Return a request line, and headers but for those that frame the body."""
    lines = [b"%b %b %b" % (request.method, request.uri, request.clientproto)]
    for name, values in request.requestHeaders.getAllRawHeaders():
        if name.lower() not in _FRAMING:
            lines += [b"%b: %b" % (name, value) for value in values]
    return b"\r\n".join(lines) + b"\r\n"
