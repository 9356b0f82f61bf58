"""
The one gate through which requests of ours go out.

Links, sender look-ups, link checks, webhooks and writers all pass it, so
there is one place to be right in.  Each address is read strictly
(C{core.net.url}); a name is resolved once and every one of its addresses is
checked (C{core.net.egress}); the connection goes to a checked address, with the
original C{Host} and server name; each redirect begins again at the beginning.
What is private is refused in the same words, whether somebody is there or
not.  Source: decisions, section 11; promises, S6.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn
from weakref import WeakSet

from OpenSSL.SSL import Error as TlsError
from service_identity import VerificationError
from twisted.internet.defer import CancelledError, Deferred, fail
from twisted.internet.endpoints import wrapClientTLS
from twisted.internet.error import ConnectError, ConnectionRefusedError
from twisted.internet.error import TimeoutError as ConnectTimeout
from twisted.internet.protocol import Protocol
from twisted.internet.ssl import optionsForClientTLS
from twisted.internet.task import deferLater
from twisted.python.failure import Failure
from twisted.web.client import Agent, HTTPConnectionPool, ResponseDone, ResponseNeverReceived
from twisted.web.http import PotentialDataLoss
from twisted.web.http_headers import Headers
from twisted.web.iweb import IAgentEndpointFactory, IBodyProducer
from zope.interface import implementer

from simmail.concurrency import Lock
from simmail.core.net.egress import NOWHERE, public_address, public_name, web_port
from simmail.core.net.url import BadUrl, WebUrl, join, parse
from simmail.outbound.connection import HttpConnection

#: Real seconds for everything, octets of an answer that are kept, redirects that are followed.
PATIENCE, MOST, REDIRECTS = 10.0, 1024 * 1024, 5

#: Requests at once, from all universes.
AT_ONCE = 32

#: A refusal that depends on an answer of the name system is given at a multiple of this many real seconds.
BEAT = 0.5

#: A host that did not answer is left alone for so long; so many such are kept in mind.
QUIET, MOST_QUIET = 30.0, 1000

#: Connections that are kept to one place; octets of a body that are read to keep one.
PER_PLACE, _SPARE = 16, 64 * 1024
#: Octets of a body that are sent at once.
PIECE = 64 * 1024

_REDIRECTING = (301, 302, 303, 307, 308)


class Unreachable(Exception):
    """There is no answer; the text says why, in words that tell nothing about private networks."""


class HttpAnswer(NamedTuple):
    """
    What came back.

    @ivar url: where from, after redirects.
    @ivar body: its first octets, as many as were asked for, as sent (nothing is unpacked).
    @ivar fields: the header fields that were asked for, by lower-case name; C{""} where one is not given.
    @ivar cut: there is more of the body, which did not come or was not asked for.
    """

    status: int
    url: str
    content_type: str
    body: bytes
    fields: Mapping[str, str] = MappingProxyType({})
    cut: bool = False


class Request(NamedTuple):
    """
    What is asked for.

    @ivar lab: places (C{host:port}) that are reached wherever they are.
    @ivar permit: whether a host may be visited; asked again for each redirect.
    @ivar redirects: how many are followed.
    @ivar most: octets of the answer that are kept; fields: header fields of it that are wanted, lower case.
    @ivar patience: real seconds for everything.
    """

    url: str
    method: str = "GET"
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None
    lab: Collection[str] = ()
    permit: Callable[[str], bool] = lambda host: True
    redirects: int = REDIRECTS
    most: int = MOST
    fields: tuple[str, ...] = ()
    patience: float = PATIENCE


def own_address(address: str) -> bool:
    """Tell whether an address is one of this machine: packets to it would have it as their source as well."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as one:
        try:
            # Nothing is sent: this only asks for the route.
            one.connect((address, 9))
            return bool(one.getsockname()[0] == address)
        except OSError:
            return False


class Gate:
    """
    Sends requests, to public places only.

    @param reactor: C{IReactorTCP} and C{IReactorTime}.
    @param addresses: Deferred of a host's addresses, failing with C{OSError}.
    @param own: whether an address is this machine's.
    @param trust: whom to believe certificates of (an C{IOpenSSLTrustRoot}), None for the system's authorities.
    @param kept: real seconds that a connection is kept for the next request to the same place, 0 for none; its
        address was checked when it was made.
    @param quiet: real seconds that a host which did not answer is left alone.
    """

    def __init__(
        self, reactor: Any, addresses: Callable[[str], Deferred[list[str]]],
        own: Callable[[str], bool] = own_address, trust: Any = None, at_once: int = AT_ONCE,
        kept: float = 0.0, quiet: float = QUIET,
    ) -> None:
        self._reactor = reactor
        self._addresses = addresses
        self._own = own
        self._trust = trust
        self._room = Lock(reactor, at_once)
        self._going: set[Deferred[HttpAnswer]] = set()
        self._quiet: dict[str, float] = {}
        self._left_alone: float = quiet
        self._pool = HTTPConnectionPool(reactor, persistent=bool(kept))
        self._pool.cachedConnectionTimeout = kept  # type: ignore[assignment]
        self._pool.maxPersistentPerHost = PER_PLACE
        # A POST is never sent twice unasked.
        self._pool.retryAutomatically = False
        self._kept: dict[str, WeakSet[HttpConnection]] = {}
        self._closed = False

    def fetch(self, request: Request) -> Deferred[HttpAnswer]:
        """
        Return a Deferred of the answer, within the request's patience of the beginning.

        It fails with L{Unreachable} when there is none, and with C{CancelledError} once the gate is closed.
        """
        if self._closed:
            return fail(CancelledError())
        waiting: Deferred[HttpAnswer] = self._room.run(self._served, request)
        self._going.add(waiting)

        def gone(result: Any) -> Any:
            self._going.discard(waiting)
            # What was broken off by us says nothing about the place.
            return Failure(CancelledError()) if self._closed else result

        return waiting.addBoth(gone)

    def close(self) -> None:
        """Break off everything, take nothing more."""
        self._closed = True
        for one in list(self._going):
            one.cancel()
        self._pool.closeCachedConnections()

    # What may be asked for

    async def vet(self, url: str, lab: Collection[str] = ()) -> str:
        """Return why an address would not be asked, C{""} where it would; a name without an address would be."""
        try:
            place = parse(url)
        except BadUrl as error:
            return str(error)
        if place.place not in lab and web_port(place.port) and not place.literal and public_name(place.host):
            try:
                found = await self._addresses(place.host + ".")
            except OSError:
                return ""
            return "" if all(map(public_address, found)) and not any(map(self._own, found)) else NOWHERE
        try:
            await self._vetted(place, lab, self._reactor.seconds())
        except Unreachable as error:
            return "" if place.place in lab else str(error)
        return ""

    # One request

    def _served(self, request: Request) -> Deferred[HttpAnswer]:
        if self._closed:
            # One that waited in line, let in by another's end.
            return fail(CancelledError())
        return Deferred.fromCoroutine(self._followed(request)).addTimeout(
            request.patience, self._reactor, self._late)

    def _late(self, value: Any, seconds: float) -> NoReturn:
        raise Unreachable(f"no answer within {seconds:g} s")

    async def _followed(self, request: Request) -> HttpAnswer:
        begin = self._reactor.seconds()
        try:
            url = parse(request.url)
            for _ in range(request.redirects + 1):
                answer = await self._hop(url, request, begin)
                if isinstance(answer, HttpAnswer):
                    return answer
                url = join(url, answer)
        except BadUrl as error:
            raise Unreachable(str(error)) from None
        raise Unreachable(f"more than {request.redirects} redirects")

    async def _hop(self, url: WebUrl, request: Request, begin: float) -> HttpAnswer | str:
        """The answer of one place, or where it sends us."""
        if not request.permit(url.host):
            raise Unreachable("the link policy does not allow this host")
        if self._reactor.seconds() < self._quiet.get(url.place, 0.0):
            raise Unreachable("it did not answer a moment ago")
        line = HttpConnection(self._reactor, await self._vetted(url, request.lab, begin), url.port)
        try:
            return await self._asked(url, request, line, self._pool)
        except Exception as error:
            over = self._closed or self._reactor.seconds() - begin >= request.patience
            if line.untouched and isinstance(error, ResponseNeverReceived) and not over:
                # A connection that was kept had come to its end on the other side, which has not read the request.
                return await self._hop_anew(url, request, line, begin)
            raise self._missed(error, url, request, line, begin) from None

    async def _hop_anew(self, url: WebUrl, request: Request, line: HttpConnection, begin: float) -> HttpAnswer | str:
        try:
            return await self._asked(url, request, line, HTTPConnectionPool(self._reactor, persistent=False))
        except Exception as error:
            raise self._missed(error, url, request, line, begin) from None

    def _missed(
        self, error: Exception, url: WebUrl, request: Request, line: HttpConnection, begin: float
    ) -> Unreachable:
        late = isinstance(error, ConnectTimeout) or self._reactor.seconds() - begin >= request.patience
        if late and url.place not in request.lab:
            self._hush(url.place)
        return Unreachable(_told(error, line))

    async def _asked(
        self, url: WebUrl, request: Request, line: HttpConnection, pool: HTTPConnectionPool
    ) -> HttpAnswer | str:
        if pool.persistent:
            self._allow(url.place, line, request.most)
        agent = Agent.usingEndpointFactory(self._reactor, _Fixed(self._secured(url, line)), pool)
        headers = Headers()
        for name, value in request.headers:
            headers.addRawHeader(name, value)
        headers.setRawHeaders("Host", [url.authority])
        headers.setRawHeaders("Accept-Encoding", ["identity"])
        collector = _Collector(request.most, pool.persistent)
        try:
            response = await agent.request(
                request.method.encode("ascii"), str(url).encode("ascii"), headers,
                None if request.body is None else _Body(request.body))
            location = _field(response, b"location")
            if response.code in _REDIRECTING and location and request.redirects:
                return location
            line.more(request.most)
            response.deliverBody(collector)
            body = await collector.done
            return HttpAnswer(
                response.code, str(url), _field(response, b"content-type")[:200], body,
                {name: _field(response, name.encode())[:1000] for name in request.fields}, collector.cut)
        except BaseException:
            # A body without an end must not hold a connection that is kept.
            collector.hang_up()
            raise
        finally:
            if not pool.persistent:
                line.hang_up()

    def _allow(self, place: str, line: HttpConnection, most: int) -> None:
        """Let each connection to a place take another answer: which of them serves the next request is not known."""
        if len(self._kept) > MOST_QUIET:
            self._kept = {one: lines for one, lines in self._kept.items() if lines}
        lines = self._kept.setdefault(place, WeakSet())
        for one in lines:
            one.allow(most)
        lines.add(line)

    def _hush(self, place: str) -> None:
        now = self._reactor.seconds()
        if len(self._quiet) >= MOST_QUIET:
            self._quiet = {one: until for one, until in self._quiet.items() if until > now}
        if len(self._quiet) < MOST_QUIET:
            self._quiet[place] = now + self._left_alone

    def _secured(self, url: WebUrl, line: HttpConnection) -> Any:
        if url.scheme == "http":
            return line
        return wrapClientTLS(optionsForClientTLS(url.host, trustRoot=self._trust), line)

    # What may be reached

    async def _vetted(self, url: WebUrl, lab: Collection[str], begin: float) -> list[str]:
        """
        The addresses to connect to, each of them checked.

        @raise Unreachable: none, or one that must not be reached.
        """
        if not web_port(url.port):
            raise Unreachable(NOWHERE)
        if url.place in lab:
            try:
                return [url.host] if url.literal else await self._addresses(url.host)
            except OSError:
                raise Unreachable(NOWHERE) from None
        if url.literal:
            if not public_address(url.host) or self._own(url.host):
                raise Unreachable(NOWHERE)
            return [url.host]
        if not public_name(url.host):
            raise Unreachable(NOWHERE)
        try:
            # The dot keeps the resolver from trying the name below domains of its own.
            found = await self._addresses(url.host + ".")
        except OSError:
            found = []
        if not found or not all(public_address(one) for one in found) or any(map(self._own, found)):
            # How long the name system took would tell inside names from those that are none.
            spent = self._reactor.seconds() - begin
            await deferLater(self._reactor, BEAT - spent % BEAT)
            raise Unreachable(NOWHERE)
        return found


@implementer(IAgentEndpointFactory)
class _Fixed:
    """Whatever the agent asks for, this is where it gets."""

    def __init__(self, endpoint: Any) -> None:
        self._endpoint = endpoint

    def endpointForURI(self, uri: Any) -> Any:
        return self._endpoint


class _Collector(Protocol):
    """
    The first octets of a body.

    @param whole: it is read to its end, so that the connection can be used again, unless it is far too long.
    @ivar cut: there is more than was kept.
    """

    def __init__(self, most: int, whole: bool = False) -> None:
        self._left = most
        self._spare = _SPARE if whole else 0
        self._parts: list[bytes] = []
        self.cut = False
        self.done: Deferred[bytes] = Deferred()

    def dataReceived(self, data: bytes) -> None:
        taken = data[:self._left]
        self._parts.append(taken)
        self._left -= len(taken)
        self._spare -= len(data) - len(taken)
        self.cut = self.cut or len(taken) < len(data)
        if not self._left and self._spare <= 0:
            self.hang_up()
            self._finish()

    def hang_up(self) -> None:
        """Break off what is being read."""
        if self.transport is not None:
            self.transport.loseConnection()

    def connectionLost(self, reason: Failure = Failure(Exception())) -> None:
        # A body cut short is a body: what came of it can be read.
        self.cut = self.cut or reason.check(ResponseDone, PotentialDataLoss) is None
        self._finish()

    def _finish(self) -> None:
        if not self.done.called:
            self.done.callback(b"".join(self._parts))


@implementer(IBodyProducer)
class _Body:
    """Octets to be sent, as fast as they are taken."""

    def __init__(self, octets: bytes) -> None:
        self._octets = memoryview(octets)
        self.length = len(octets)
        self._at = 0
        self._paused = False
        self._done: Deferred[None] = Deferred()
        self._consumer: Any = None

    def startProducing(self, consumer: Any) -> Deferred[None]:
        self._consumer = consumer
        self.resumeProducing()
        return self._done

    def pauseProducing(self) -> None:
        """Write nothing for now."""
        self._paused = True

    def resumeProducing(self) -> None:
        """Go on."""
        self._paused = False
        while not self._paused and self._at < self.length:
            piece = bytes(self._octets[self._at:self._at + PIECE])
            self._at += len(piece)
            self._consumer.write(piece)
        if self._at >= self.length and not self._done.called:
            self._done.callback(None)

    def stopProducing(self) -> None:
        """Nobody takes any more."""
        self._paused, self._at = True, self.length


def _field(response: Any, name: bytes) -> str:
    """The last value of a field of an answer."""
    values = response.headers.getRawHeaders(name) or [b""]
    return bytes(values[-1]).decode("utf-8", "replace").strip()


def _told(error: Exception, line: HttpConnection) -> str:
    """What went wrong with a place that may be reached, in a few words."""
    if line.over:
        return "the head of the answer has no end"
    if isinstance(error, ConnectionRefusedError):
        return "the connection was refused"
    if isinstance(error, ConnectTimeout):
        return "no answer to the attempt to connect"
    if isinstance(error, ConnectError):
        return "no connection"
    reasons = [one.value for one in getattr(error, "reasons", ())]
    if any(isinstance(one, VerificationError) for one in reasons):
        return "the certificate is for another name"
    if any(isinstance(one, TlsError) and "certificate verify failed" in str(one) for one in reasons):
        return "the certificate is not to be trusted"
    if any(isinstance(one, TlsError) for one in reasons):
        return "no TLS"
    return "no answer in HTTP"
