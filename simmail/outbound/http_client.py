"""
The one gate through which requests of ours go out.

Links, sender look-ups, link checks, webhooks and writers all pass it, so
there is one place to be right in.  Each address is read strictly
(C{core.weburl}); a name is resolved once and every one of its addresses is
checked (C{core.egress}); the connection goes to a checked address, with the
original C{Host} and server name; each redirect begins again at the beginning.
What is private is refused in the same words, whether somebody is there or
not.  Source: decisions, section 11; promises, S6.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Collection
from typing import Any, NamedTuple, NoReturn

from OpenSSL.SSL import Error as TlsError
from service_identity import VerificationError
from twisted.internet.defer import CancelledError, Deferred, fail, succeed
from twisted.internet.endpoints import wrapClientTLS
from twisted.internet.error import ConnectError, ConnectionRefusedError
from twisted.internet.error import TimeoutError as ConnectTimeout
from twisted.internet.protocol import Protocol
from twisted.internet.ssl import optionsForClientTLS
from twisted.internet.task import deferLater
from twisted.python.failure import Failure
from twisted.web.client import Agent
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

_REDIRECTING = (301, 302, 303, 307, 308)


class Unreachable(Exception):
    """There is no answer; the text says why, in words that tell nothing about private networks."""


class HttpAnswer(NamedTuple):
    """
    What came back.

    @ivar url: where from, after redirects.
    @ivar body: its first L{MOST} octets, as sent (nothing is unpacked).
    """

    status: int
    url: str
    content_type: str
    body: bytes


class Request(NamedTuple):
    """
    What is asked for.

    @ivar lab: places (C{host:port}) that are reached wherever they are.
    @ivar permit: whether a host may be visited; asked again for each redirect.
    @ivar redirects: how many are followed.
    """

    url: str
    method: str = "GET"
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None
    lab: Collection[str] = ()
    permit: Callable[[str], bool] = lambda host: True
    redirects: int = REDIRECTS


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
    """

    def __init__(
        self, reactor: Any, addresses: Callable[[str], Deferred[list[str]]],
        own: Callable[[str], bool] = own_address, trust: Any = None, at_once: int = AT_ONCE,
    ) -> None:
        self._reactor = reactor
        self._addresses = addresses
        self._own = own
        self._trust = trust
        self._room = Lock(reactor, at_once)
        self._going: set[Deferred[HttpAnswer]] = set()
        self._quiet: dict[str, float] = {}
        self._closed = False

    def fetch(self, request: Request) -> Deferred[HttpAnswer]:
        """
        Return a Deferred of the answer, within L{PATIENCE} of the beginning.

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

    # One request

    def _served(self, request: Request) -> Deferred[HttpAnswer]:
        if self._closed:
            # One that waited in line, let in by another's end.
            return fail(CancelledError())
        return Deferred.fromCoroutine(self._followed(request)).addTimeout(
            PATIENCE, self._reactor, self._late)

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
        agent = Agent.usingEndpointFactory(self._reactor, _Fixed(self._secured(url, line)))
        headers = Headers()
        for name, value in request.headers:
            headers.addRawHeader(name, value)
        headers.setRawHeaders("Host", [url.authority])
        headers.setRawHeaders("Accept-Encoding", ["identity"])
        try:
            response = await agent.request(
                request.method.encode("ascii"), str(url).encode("ascii"), headers,
                None if request.body is None else _Body(request.body))
            location = _field(response, b"location")
            if response.code in _REDIRECTING and location and request.redirects:
                return location
            line.more(MOST)
            collector = _Collector(MOST)
            response.deliverBody(collector)
            return HttpAnswer(response.code, str(url), _field(response, b"content-type")[:200], await collector.done)
        except Exception as error:
            late = isinstance(error, ConnectTimeout) or self._reactor.seconds() - begin >= PATIENCE
            if late and url.place not in request.lab:
                self._hush(url.place)
            raise Unreachable(_told(error, line)) from None
        finally:
            line.hang_up()

    def _hush(self, place: str) -> None:
        now = self._reactor.seconds()
        if len(self._quiet) >= MOST_QUIET:
            self._quiet = {one: until for one, until in self._quiet.items() if until > now}
        if len(self._quiet) < MOST_QUIET:
            self._quiet[place] = now + QUIET

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
    """The first octets of a body."""

    def __init__(self, most: int) -> None:
        self._left = most
        self._parts: list[bytes] = []
        self.done: Deferred[bytes] = Deferred()

    def dataReceived(self, data: bytes) -> None:
        self._parts.append(data[:self._left])
        self._left -= len(self._parts[-1])
        if not self._left:
            self._finish()

    def connectionLost(self, reason: Failure = Failure(Exception())) -> None:
        # A body cut short is a body: what came of it can be read.
        self._finish()

    def _finish(self) -> None:
        if not self.done.called:
            self.done.callback(b"".join(self._parts))


@implementer(IBodyProducer)
class _Body:
    """A few octets to be sent."""

    def __init__(self, octets: bytes) -> None:
        self._octets = octets
        self.length = len(octets)

    def startProducing(self, consumer: Any) -> Deferred[None]:
        consumer.write(self._octets)
        return succeed(None)

    def pauseProducing(self) -> None:
        """Notice that all is written already."""

    def resumeProducing(self) -> None:
        """Notice that all is written already."""

    def stopProducing(self) -> None:
        """Notice that all is written already."""


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
