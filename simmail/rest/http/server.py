"""
The HTTP server under the API: what a connection may cost, the access log, and figures of it for C{/metrics}.

A request that does not get finished is cut, and connections over the limit
are refused at once.  To judge a header before its body is taken, a request
reads C{_command}, C{_path}, C{_version} and C{_buffer} of C{HTTPChannel}, for
Twisted has no public name for a request line whose body is still to come, nor
(C{_dataBuffer}) for what was sent behind it, and
C{_respondToBadRequestAndDisconnect} is replaced, for nothing public is asked
what to say to what is no HTTP.
Source: decisions, section 21; promises, R11, R12 and S10.
"""

# Twisted's web server is not typed, and much here is called on what is inherited from it.
# mypy: disallow-untyped-calls=False

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from secrets import token_hex
from typing import Any
from urllib.parse import unquote

from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IAddress, IDelayedCall
from twisted.internet.protocol import Protocol
from twisted.internet.tcp import Server
from twisted.logger import Logger, LogLevel
from twisted.web import http
from twisted.web.resource import IResource
from twisted.web.server import Site

from simmail.core.time.histogram import Histogram, lines
from simmail.interfaces import Handover
from simmail.rest import errors
from simmail.rest.http.request import ApiRequest

#: The slowest a body may arrive over the whole of it, octets a second, once the time-out is used up.
SLOWEST_BODY = 16 * 1024

#: Octets over the limit of a body nobody wants that are read and dropped, and real seconds spent on it.
MOST_DROPPED, LINGER = 16 * 1024 * 1024, 10.0

#: A line of the access log.
_LINE = "{method} {path}{names} {status} {octets} {ms}ms {remote} {request_id}"

_BUSY = errors.body("too many connections; try again later")

#: The answer to a connection that is one too many.
BUSY = (b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 1\r\n"
        b"X-Content-Type-Options: nosniff\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%b" % (len(_BUSY), _BUSY))


class Traffic:
    """What the HTTP side has done since it began."""

    def __init__(self) -> None:
        self._requests: dict[tuple[str, int], int] = {}
        self._took = Histogram()

    def answered(self, endpoint: str, status: int, seconds: float) -> None:
        """Count one request; C{endpoint} as the table names it, C{""} for none of it."""
        key = (endpoint, status)
        self._requests[key] = self._requests.get(key, 0) + 1
        self._took.observe(seconds)

    def lines(self) -> Iterator[str]:
        """Yield the counts in Prometheus's exposition format."""
        yield "# TYPE simmail_http_requests_total counter"
        for (endpoint, status), count in sorted(self._requests.items()):
            method, _, path = endpoint.partition(" ")
            yield f'simmail_http_requests_total{{method="{method}",path="{path}",status="{status}"}} {count}'
        yield from lines("simmail_http_request_seconds", {"": self._took})


class _Channel(http.HTTPChannel):
    """
    One connection.

    @ivar place: the address it comes from.
    @ivar deadline: cuts a request that is not complete in time, however slowly it drips in.
    @ivar full: whether the client has yet to read what was sent before more is sent.
    @ivar handover: how it goes on that another process has given away, None for one that begins.
    """

    site: ApiSite
    place: str
    transport: Any
    callLater: Any
    timeOut: Any
    deadline: IDelayedCall | None = None
    body_time = 0.0
    full = False
    _lingers = False
    _through: Callable[[bytes], int] | None = None
    _dropped = 0
    handover: Handover | None = None
    _host: Any = None
    _peer: Any = None
    _quiet_since = 0.0
    _idle: IDelayedCall | None = None

    def connectionMade(self) -> None:
        """Notice that a client connected."""
        self.site.opened(self)
        super().connectionMade()
        if type(self.transport) is Server:
            self._through = self.transport.socket.send
        if self.handover is not None and self.handover.octets:
            self.dataReceived(self.handover.octets)

    @property
    def direct(self) -> bool:
        """Whether all that was sent has left."""
        return self._through is not None

    def unbound(self) -> Handover | None:
        """Return how a connection goes on in any process that is not asked anything now, None for one that is."""
        if self.requests or self._buffer or not self.direct or self._lingers:
            return None
        return Handover("http", self.place, b"")

    @property
    def waits(self) -> bool:
        """Whether the client has asked something, or begun to, and nothing of the answer has been sent."""
        return not self.requests[0].startedWriting if self.requests else bool(self._buffer)

    def sent_ahead(self) -> bytes:
        """Return what has come behind the request that is being answered."""
        return b"".join(self._dataBuffer)

    def getHost(self) -> Any:
        """Return where it connected to; asked of the system once, not for each request."""
        if self._host is None:
            self._host = super().getHost()
        return self._host

    def getPeer(self) -> Any:
        """Return where it comes from: of a connection that was given away the system tells something else."""
        if self._peer is None:
            self._peer = super().getPeer()
            if self.place != getattr(self._peer, "host", ""):
                self._peer = (IPv6Address if ":" in self.place else IPv4Address)("TCP", self.place, 0)
        return self._peer

    def dataReceived(self, data: bytes) -> None:
        """Take octets from the client."""
        if self._lingers:
            self._dropped -= len(data)
            if self._dropped < 0:
                self.loseConnection()
                return
        super().dataReceived(data)
        self._watch()

    def allContentReceived(self) -> None:
        """Notice that a request has come whole."""
        if self._lingers:
            self.complete()
            self.loseConnection()
        else:
            super().allContentReceived()

    def requestDone(self, request: Any) -> None:
        """Look at what was sent behind a request that is answered now."""
        if request.awaited:
            self.linger(self.site.room(request.method, request.path), request.expects)
            return
        super().requestDone(request)
        self._watch()

    def linger(self, room: int, at_once: bool = False) -> None:
        """
        Give the client, who has its last answer, time to take it, perhaps before it has sent what that is about.

        What it goes on to send is dropped for a while: closing on unread octets makes its system drop the answer
        (RFC 9112 section 9.6).

        @param room: octets that it could have sent had it been let.
        @param at_once: it sends nothing before it is told to.
        """
        self._lingers, self._dropped = True, room + MOST_DROPPED
        self.persistent = False
        self.complete()
        if at_once and not self._buffer:
            self.loseConnection()
            return
        self.deadline = self.callLater(LINGER, self.timeoutConnection)
        self.release()

    # Writing

    def send(self, octets: bytes) -> None:
        """Write octets at once while the client takes them: to wait for the reactor's next turn costs as much again."""
        if self._through is not None:
            try:
                sent = self._through(octets)
            except OSError:
                # What is wrong the transport will find out.
                sent = 0
            if sent == len(octets):
                return
            octets = octets[sent:]
        self.queue()
        self.transport.write(octets)

    def queue(self) -> None:
        """Notice that octets are given to the transport: from here on none may overtake them."""
        self._through = None

    def writeHeaders(self, *args: Any) -> None:
        """Begin an answer that is written piece by piece."""
        self.queue()
        super().writeHeaders(*args)

    # IPushProducer

    def pauseProducing(self) -> None:
        """Notice that the client does not keep up."""
        self.full = True
        super().pauseProducing()

    def resumeProducing(self) -> None:
        """Notice that there is room again."""
        self.full = False
        super().resumeProducing()

    def hold(self) -> None:
        """Take nothing more from the client for now."""
        self.transport.pauseProducing()

    def release(self) -> None:
        """Take what it sends again."""
        if not self.full:
            self.transport.resumeProducing()

    # TimeoutMixin, with one timer for all requests of a connection instead of two for each.

    def setTimeout(self, period: float | None) -> float | None:
        """Cut the connection when it is quiet for so long, C{None} for never; returns what it was before."""
        before: float | None = self.timeOut
        self.timeOut = period
        if period is not None:
            self._quiet_since = self.site.reactor.seconds()
            if self._idle is None:
                self._idle = self.callLater(period, self._look_whether_idle)
        return before

    def resetTimeout(self) -> None:
        """Notice that the client is heard."""
        self._quiet_since = self.site.reactor.seconds()

    def _look_whether_idle(self) -> None:
        self._idle = None
        if self.timeOut is None:
            # A request is being answered; it begins anew behind that.
            return
        left = self._quiet_since + self.timeOut - self.site.reactor.seconds()
        if left > 0:
            self._idle = self.callLater(left, self._look_whether_idle)
        else:
            self.timeoutConnection()

    def _watch(self) -> None:
        # Only a request that did not come whole needs a timer; there is no time-out while one is answered.
        if self.deadline is None and self.timeOut and (self.requests or self._buffer):
            self.deadline = self.callLater(self.timeOut + self.body_time, self.timeoutConnection)

    def expect_body(self, length: int) -> None:
        """Give the body of a request, whose headers are complete, the time it may take: C{length} octets."""
        self.body_time = length / SLOWEST_BODY
        if self.deadline is not None:
            self.deadline.reset(self.timeOut + self.body_time)

    def complete(self) -> None:
        """Notice that a request is complete, or there will be none."""
        self.body_time = 0.0
        if self.deadline is not None:
            if self.deadline.active():
                self.deadline.cancel()
            self.deadline = None

    def timeoutConnection(self) -> None:
        """Cut a client that took too long."""
        self.complete()
        super().timeoutConnection()

    def connectionLost(self, reason: Any = None) -> None:
        """Notice that the client is gone."""
        self.complete()
        self.queue()
        self.site.closed(self)
        super().connectionLost(reason)
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None

    def lineLengthExceeded(self, line: bytes) -> None:
        """Refuse a line without end."""
        self._respondToBadRequestAndDisconnect()

    def _respondToBadRequestAndDisconnect(self) -> None:
        body = errors.body("the request is malformed")
        self.send(
            b"HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nX-Content-Type-Options: nosniff\r\n"
            b"Connection: close\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body))
        self.loseConnection()


class _Busy(Protocol):
    """Refuses one connection over the limit."""

    def connectionMade(self) -> None:
        """Say so and close."""
        assert self.transport is not None
        self.transport.write(BUSY)
        self.transport.loseConnection()


class ApiSite(Site):
    """
    The factory of HTTP connections.

    @param connections, per_address: most of them at once, of all clients and of those at one address.
    @param room: most octets the body of a request may have; rooms: of those to some methods and paths.
    @ivar connections: those open now, with the address of each.
    @ivar answers: what other processes ask of this one, and who answers.
    @param answered: called for each answered request with its endpoint in the table, status and real seconds.
    """

    def __init__(
        self, resource: IResource, reactor: Any, timeout: float, connections: int,
        room: int, rooms: Mapping[tuple[bytes, bytes], int], per_address: int,
        answered: Callable[[str, int, float], None] = lambda endpoint, status, seconds: None,
    ) -> None:
        super().__init__(resource, ApiRequest, timeout=timeout, reactor=reactor, parsePOSTFormSubmission=False)
        self._room, self._rooms = room, rooms
        self._most, self._most_at_one = connections, per_address
        self.connections: dict[_Channel, str] = {}
        self.answers: dict[str, Callable[[], Any]] = {}
        self._at: Counter[str] = Counter()
        self._answered = answered
        self._drained: Deferred[None] | None = None
        self._dated, self._date = -1, b""
        self._series, self._count = token_hex(4).encode("ascii"), 0
        # On the instance: a Logger that is a class attribute takes the class's name for its namespace.
        self._access = Logger(namespace="simmail.http")

    def startFactory(self) -> None:
        """Open no log file: the access log goes where all logs go."""

    def stopFactory(self) -> None:
        """Close nothing, for nothing was opened."""

    def buildProtocol(self, addr: IAddress | None) -> Any:
        """Make a new connection."""
        place: str = getattr(addr, "host", "")
        if len(self.connections) >= self._most or self._at[place] >= self._most_at_one:
            return _Busy()
        return self._channel(place)

    def resumed(self, handover: Handover) -> Protocol:
        """Make a connection that another process has given away."""
        channel = self._channel(handover.remote)
        channel.handover = handover
        return channel

    def _channel(self, place: str) -> _Channel:
        channel = _Channel()
        channel.place = place
        channel.factory = self
        channel.site = self
        channel.requestFactory = self.requestFactory
        channel.callLater = self.reactor.callLater
        channel.timeOut = self.timeOut
        return channel

    def opened(self, channel: _Channel) -> None:
        """Notice that a connection was made."""
        self.connections[channel] = channel.place
        self._at[channel.place] += 1

    def closed(self, channel: _Channel) -> None:
        """Notice that a connection is gone."""
        place = self.connections.pop(channel, None)
        if place is not None:
            self._at[place] -= 1
            if not self._at[place]:
                del self._at[place]
        self._look_who_waits()

    def unbound(self) -> Iterator[tuple[Any, Callable[[], Handover | None]]]:
        """Yield the transports of connections, and how those go on in any process that may."""
        yield from ((one.transport, one.unbound) for one in list(self.connections))

    def drain(self, patience: float) -> Deferred[None]:
        """
        Close all connections at the end of the service, when what they are being sent is sent.

        Whoever has asked something that is not answered yet has its answer first; a stream is over.

        @return: Deferred that fires when nobody waits any more, after C{patience} real seconds at the latest.
        """
        self._drained = Deferred()
        for channel in list(self.connections):
            if channel.waits:
                channel.persistent = False
            else:
                channel.loseConnection()
        overdue = self.reactor.callLater(patience, self._abandon)
        self._drained.addCallback(lambda _: overdue.cancel() if overdue.active() else None)
        drained = self._drained
        self._look_who_waits()
        return drained

    def _look_who_waits(self) -> None:
        if self._drained is not None and not any(channel.waits for channel in self.connections):
            drained, self._drained = self._drained, None
            drained.callback(None)

    def _abandon(self) -> None:
        for channel in list(self.connections):
            if channel.waits:
                channel.loseConnection()
        drained, self._drained = self._drained, None
        if drained is not None:
            drained.callback(None)

    def room(self, method: bytes, path: bytes) -> int:
        """Return how many octets the body of a request may have."""
        return self._rooms.get((method, path), self._room)

    def new_id(self) -> bytes:
        """Return the id of a request that brings none."""
        self._count += 1
        return b"%b-%x" % (self._series, self._count)

    def date(self) -> bytes:
        """Return the C{Date} header, made once a second."""
        second = int(self.reactor.seconds())
        if second != self._dated:
            self._dated, self._date = second, http.datetimeToString(second)
        return self._date

    def log(self, request: Any) -> None:
        """Write one line to the access log, without keys: of the query only the names of the parameters are kept."""
        path, _, query = request.uri.partition(b"?")
        now = self.reactor.seconds()
        took = now - request.begun
        names = "?" + ",".join(sorted({_clean(pair.partition(b"=")[0]) for pair in query.split(b"&")})) if query else ""
        method, path, status, octets = _clean(request.method), _clean(path), request.code, request.sentLength
        ms, remote = round(took * 1000, 1), getattr(request.client, "host", "")
        name = request.request_id.decode("ascii") or "-"
        # Said here and sent off here: the logger's own way costs as much as the rest of a small answer.
        self._access.observer({
            "method": method, "path": path, "names": names, "status": status, "octets": octets, "ms": ms,
            "remote": remote, "request_id": name, "log_logger": self._access, "log_level": LogLevel.info,
            "log_namespace": self._access.namespace, "log_source": None, "log_format": _LINE, "log_time": now,
            "said": f"{method} {path}{names} {status} {octets} {ms}ms {remote} {name}"})
        self._answered(request.endpoint, request.code, took)


def _clean(octets: bytes) -> str:
    """Printable, on one line, and not long: it was written by a stranger."""
    text = octets[:400].decode("ascii", "replace")
    if "%" in text:
        text = unquote(text, errors="replace")
    if text.isprintable() and len(text) <= 200:
        return text
    return "".join(character if character.isprintable() else "?" for character in text[:200])
