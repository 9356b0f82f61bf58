"""
One request of the HTTP server: what its body may cost, and how its answer is written.

What the header tells is judged before the body is taken: whoever may not make
the call is told so, and the body is neither kept nor spooled.  An answer goes
out in one piece.  Source: promises, R11 and S10; RFC 9110 section 10.1.1,
RFC 9112 sections 3.2 and 9.6.
"""

# Twisted's web server is not typed, and much here is called on what is inherited from it.
# mypy: disallow-untyped-calls=False

from __future__ import annotations

import re
from collections.abc import Collection
from io import BytesIO
from tempfile import SpooledTemporaryFile
from typing import Any
from urllib.parse import unquote_to_bytes

from twisted.internet.defer import CancelledError, Deferred
from twisted.python.failure import Failure
from twisted.web import http
from twisted.web.server import Request

from simmail.errors import Refusal, TooLarge, Unavailable
from simmail.rest import errors

#: Bodies over this are spooled to a file.
SPOOL_OVER = 1024 * 1024

#: The type of nearly all answers.
JSON = b"application/json"

_GOOD_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}\Z")


class ApiRequest(Request):
    """
    A request whose body is no larger than its path allows.

    @ivar begun: real seconds at its first line.
    @ivar endpoint: the route that answered it, C{""} for none.
    @ivar asked_host: the C{Host} as the client sent it, where another was put in its place.
    @ivar awaited: it is being answered before its body has come; expects: which comes only when it is asked for.
    @ivar left: whether the client has gone; hops: how often other processes have given the request away.
    @ivar software: what it is told that it has asked.
    @ivar request_id: goes with every answer, C{b""} while it has none.
    """

    channel: Any
    content: Any
    defaultContentType = None
    endpoint = ""
    asked_host: bytes | None = None
    left = False
    hops = 0
    awaited = expects = refused = False
    software = b"simmail"
    request_id = b""
    _undecided = False
    _kept = True
    _coming: Deferred[None] | None = None
    _problem: Refusal | None = None

    def __init__(self, channel: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(channel, *args, parsePOSTFormSubmission=False, **kwargs)
        self.begun: float = channel.site.reactor.seconds()
        self._room = self._limit = 0

    def gotLength(self, length: int | None) -> None:
        """Judge a request whose headers are here; C{length} octets of body follow, C{None} when it comes in chunks."""
        channel = self.channel
        if self.requestHeaders.hasHeader(b"Expect"):
            # What is told then goes by way of the transport, and the answer behind it.
            channel.queue()
        hosts = self.requestHeaders.getRawHeaders(b"Host") or ()
        if len(hosts) > 1 or not hosts and channel._version == b"HTTP/1.1":
            self.content = BytesIO()
            self._refuse(400, "give one Host" if hosts else "the Host is missing")
            return
        if length == 0:
            self.content = BytesIO()
            return
        self._room = self._limit = channel.site.room(channel._command, channel._path.partition(b"?")[0])
        channel.expect_body(self._room if length is None else min(length, self._room))
        if length is not None and length > self._room:
            self.content = BytesIO()
            self._refuse(413, self._over())
        elif length is not None and length <= len(channel._buffer):
            # It has come with its header.
            self.content = BytesIO()
        else:
            self._decide()

    def _decide(self) -> None:
        """See what the header asks for before the body is taken; meanwhile nothing more is read."""
        channel, headers = self.channel, self.requestHeaders
        self.content = SpooledTemporaryFile(SPOOL_OVER)
        self.awaited = self._undecided = True
        if headers.hasHeader(b"Expect"):
            expected = headers.getRawHeaders(b"Expect", [b""])[0]
            self.expects = expected.lower() == b"100-continue" and channel._version == b"HTTP/1.1"
            headers.removeHeader(b"Expect")
        channel.hold()
        super().requestReceived(channel._command, channel._path, channel._version)

    def body(self, kept: bool) -> Deferred[None] | None:
        """
        Let whoever sends the body do so: it is taken from now on.

        @param kept: whether anybody looks at it.
        @return: fires when it has come, C{None} when it is here; fails with L{TooLarge} over its limit, with
            L{Unavailable} when it cannot be kept, with C{CancelledError} when the client leaves before.
        @raise Refusal: the same for what has come by now.
        """
        if self._problem is not None:
            raise self._problem
        if not self.awaited:
            return None
        self._undecided, self._kept = False, kept
        self._coming = Deferred()
        if self.expects:
            self.channel.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        self.channel.release()
        return self._coming

    def handleContentChunk(self, data: bytes) -> None:
        """Take one more piece of the body."""
        if self.refused or self._problem is not None:
            return
        self._room -= len(data)
        if self._room < 0:
            self._fail(TooLarge(self._over()))
        elif self._kept:
            try:
                self.content.write(data)
            except OSError as error:
                self._fail(Unavailable(f"the body cannot be kept: {error.strerror}"))
        if self._undecided:
            self.channel.hold()

    def _over(self) -> str:
        return f"the body is over the limit of {self._limit} octets"

    def _fail(self, problem: Refusal) -> None:
        """The body is not taken to its end."""
        self._problem = problem
        coming, self._coming = self._coming, None
        if coming is not None:
            coming.errback(problem)

    def _refuse(self, status: int, text: str) -> None:
        """Answer at once, whatever it is that was asked for."""
        self.refused = True
        body = errors.body(text)
        self.code = status
        self.method, self.uri = self.channel._command, self.channel._path
        self.sentLength = len(body)
        self.channel.send(
            b"HTTP/1.1 %d %b\r\nContent-Type: application/json\r\nX-Content-Type-Options: nosniff\r\n"
            b"X-Request-Id: %b\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%b" % (
                status, http.RESPONSES[status], request_id(self).encode("ascii"), len(body),
                b"" if self.method == b"HEAD" else body))
        self.channel.site.log(self)
        asks = self.requestHeaders.hasHeader(b"Expect")
        self.requestHeaders.removeHeader(b"Expect")
        self.channel.linger(self._room, asks)

    def requestReceived(self, command: bytes, path: bytes, version: bytes) -> None:
        """Notice that the request is complete."""
        self.channel.complete()
        if not self.awaited:
            super().requestReceived(command, path, version)
            return
        self.awaited = False
        coming, self._coming = self._coming, None
        if coming is not None:
            self.content.seek(0)
            coming.callback(None)

    def finish(self) -> None:
        """End the answer; what is still to come of a body nobody waits for is dropped."""
        self.refused = self.refused or self.awaited
        super().finish()

    def connectionLost(self, reason: Any = None) -> None:
        """Notice that the client is gone."""
        # A change that was received whole goes on, and may not have read its body yet: it ends with its last reader.
        self.content = None
        self.left = True
        super().connectionLost(reason)
        coming, self._coming = self._coming, None
        if coming is not None:
            coming.errback(CancelledError())

    def process(self) -> None:
        """Answer it; there is one resource, and it is a leaf."""
        site = self.site = self.channel.site
        self.prepath = []
        self.postpath = list(map(unquote_to_bytes, self.path[1:].split(b"/")))
        try:
            self.render(site.resource)
        except Exception:
            self.processingFailed(Failure())

    def write(self, data: bytes) -> None:
        """Write a piece of an answer; what goes with every answer goes before the first."""
        if not self.startedWriting and not self.left:
            headers = self.responseHeaders
            headers.setRawHeaders(b"Server", [self.software])
            headers.setRawHeaders(b"Date", [self.channel.site.date()])
            headers.setRawHeaders(b"X-Content-Type-Options", [b"nosniff"])
            if self.awaited:
                headers.setRawHeaders(b"Connection", [b"close"])
            if self.request_id:
                headers.setRawHeaders(b"X-Request-Id", [self.request_id])
        super().write(data)

    def answer(
        self, status: int, octets: bytes, headers: Collection[tuple[str, str]] = (), content_type: bytes = JSON
    ) -> None:
        """
        Write a whole answer and finish.

        @param headers: besides those of every answer and those that are set already.
        """
        if status != 200:
            self.setResponseCode(status)
        out = self.responseHeaders
        if self.awaited:
            out.setRawHeaders(b"Connection", [b"close"])
        own = "".join([f"{name}: {value}\r\n" for name, value in headers])
        if (self.startedWriting or self.left or self.cookies or self.clientproto != b"HTTP/1.1"
                or self.method == b"HEAD" or status in http.NO_BODY_CODES
                or not own.count("\r") == own.count("\n") == len(headers)):
            if status != 304:
                out.setRawHeaders(b"Content-Type", [content_type])
                out.setRawHeaders(b"Content-Length", [b"%d" % len(octets)])
            for name, value in headers:
                out.setRawHeaders(name, [value])
            self.write(octets)
        else:
            # As it would write it in many steps.
            lines = [b"%b: %b\r\n" % (name, value) for name, values in out.getAllRawHeaders() for value in values]
            self.startedWriting = 1
            self.sentLength = len(octets)
            self.channel.send(
                b"HTTP/1.1 %d %b\r\nServer: %b\r\nDate: %b\r\nX-Request-Id: %b\r\nContent-Type: %b\r\n"
                b"X-Content-Type-Options: nosniff\r\nContent-Length: %d\r\n%b\r\n%b" % (
                    status, self.code_message, self.software, self.channel.site.date(), self.request_id, content_type,
                    len(octets), b"".join(lines) + own.encode("utf-8"), octets))
        self.finish()

    def processingFailed(self, reason: Failure) -> Failure:
        """Answer 500, as JSON, for what no error handler of the API saw."""
        self._log.failure("a request failed", failure=reason)
        if not self.startedWriting:
            body = errors.body("internal error")
            self.setResponseCode(500)
            self.setHeader(b"Content-Type", b"application/json")
            self.setHeader(b"Content-Length", b"%d" % len(body))
            self.write(body)
        self.finish()
        return reason


def request_id(request: Any) -> str:
    """Return the id of a request, the client's own if it sent a good one; goes with its answer."""
    if not request.request_id:
        given = request.getHeader(b"X-Request-Id")
        good = given is not None and _GOOD_ID.match(given)
        request.request_id = given if good else request.channel.site.new_id()
    return str(request.request_id, "ascii")


def has_tag(request: Any, tag: str) -> bool:
    """Whether the client has what C{tag}, an C{ETag}, stands for (RFC 9110 section 13.1.2)."""
    given = request.getHeader(b"If-None-Match")
    if given is None:
        return False
    tags = [one.strip().removeprefix(b"W/") for one in given.split(b",")]
    return b"*" in tags or tag.encode("ascii") in tags


def accepts(request: Any, name: bytes, what: bytes) -> bool:
    """Whether a header such as C{Accept-Encoding} names C{what}, and not with C{q=0} (RFC 9110 section 12.4.2)."""
    for one in (request.getHeader(name) or b"").lower().split(b","):
        named, _, weight = one.partition(b";")
        if named.strip() == what:
            return not re.fullmatch(rb"\s*q=0(\.0*)?\s*", weight)
    return False
