"""
One request of the HTTP server: what its body may cost, and how its answer is written.

A body over its limit is refused while it arrives; an answer goes out in one
piece.  Source: reliability, R11 and S10.
"""

# Twisted's web server is not typed, and much here is called on what is inherited from it.
# mypy: disallow-untyped-calls=False

from __future__ import annotations

import re
from collections.abc import Iterable
from io import BytesIO
from tempfile import TemporaryFile
from typing import Any
from urllib.parse import unquote_to_bytes

from twisted.python.failure import Failure
from twisted.web import http
from twisted.web.server import Request

from simmail.rest import errors

#: Bodies over this are spooled to a file.
SPOOL_OVER = 1024 * 1024

#: So much more of a body that is refused is read and dropped before the connection is closed.
MOST_SWALLOWED = 16 * 1024 * 1024

#: The type of nearly all answers.
JSON = b"application/json"
_SERVER = b"simmail"

_GOOD_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}\Z")


class ApiRequest(Request):
    """
    A request whose body is no larger than its path allows.

    @ivar begun: real seconds at its first line.
    @ivar endpoint: the route that answered it, C{""} for none.
    @ivar asked_host: the C{Host} as the client sent it, where another was put in its place.
    @ivar left: whether the client has gone.
    @ivar request_id: goes with every answer, C{b""} while it has none.
    """

    channel: Any
    content: Any
    defaultContentType = None
    endpoint = ""
    asked_host: bytes | None = None
    left = False
    refused = False
    request_id = b""

    def __init__(self, channel: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(channel, *args, parsePOSTFormSubmission=False, **kwargs)
        self.begun: float = channel.site.reactor.seconds()
        self._room = 0

    def gotLength(self, length: int | None) -> None:
        """All headers are here; C{length} octets of body follow, C{None} when it comes in chunks."""
        if length == 0:
            self.content = BytesIO()
            return
        channel = self.channel
        self._room = channel.site.room(channel._command, channel._path.partition(b"?")[0])
        channel.expect_body(self._room if length is None else min(length, self._room))
        if length is not None and length > self._room:
            self.content = BytesIO()
            self._refuse()
            return
        small = length is not None and length <= SPOOL_OVER
        self.content = BytesIO() if small else TemporaryFile()

    def handleContentChunk(self, data: bytes) -> None:
        """One more piece of the body."""
        self._room -= len(data)
        if self.refused:
            if self._room < -MOST_SWALLOWED:
                self.channel.loseConnection()
        elif self._room < 0:
            self._refuse()
        else:
            self.content.write(data)

    def _refuse(self) -> None:
        # The client is told at once.  What it goes on to send is swallowed for a while all the same: closing
        # on unread octets makes its system drop the answer (RFC 9112 section 9.6).
        self.refused = True
        body = errors.body("the body is over the limit")
        self.code = 413
        self.method, self.uri = self.channel._command, self.channel._path
        self.sentLength = len(body)
        self.channel.transport.write(
            b"HTTP/1.1 413 Request Entity Too Large\r\nContent-Type: application/json\r\n"
            b"X-Request-Id: %b\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%b" % (
                request_id(self).encode("ascii"), len(body), body))
        self.channel.site.log(self)
        if self.requestHeaders.hasHeader(b"Expect"):
            self.requestHeaders.removeHeader(b"Expect")
            self.channel.loseConnection()

    def requestReceived(self, command: bytes, path: bytes, version: bytes) -> None:
        """The request is complete."""
        self.channel.complete()
        if self.refused:
            self.channel.loseConnection()
        else:
            super().requestReceived(command, path, version)

    def connectionLost(self, reason: Any = None) -> None:
        """The client is gone."""
        # A change that was received whole goes on, and may not have read its body yet: it ends with its last reader.
        self.content = None
        self.left = True
        super().connectionLost(reason)

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
            headers.setRawHeaders(b"Server", [_SERVER])
            headers.setRawHeaders(b"Date", [self.channel.site.date()])
            if self.request_id:
                headers.setRawHeaders(b"X-Request-Id", [self.request_id])
        super().write(data)

    def answer(
        self, status: int, octets: bytes, headers: Iterable[tuple[str, str]] = (), content_type: bytes = JSON
    ) -> None:
        """
        Write a whole answer and finish.

        @param headers: besides those of every answer and those that are set already.
        """
        if status != 200:
            self.setResponseCode(status)
        out = self.responseHeaders
        if (self.startedWriting or self.left or self.cookies or self.clientproto != b"HTTP/1.1"
                or self.method == b"HEAD" or status in http.NO_BODY_CODES):
            if status != 304:
                out.setRawHeaders(b"Content-Type", [content_type])
                out.setRawHeaders(b"Content-Length", [b"%d" % len(octets)])
            for name, value in headers:
                out.setRawHeaders(name, [value])
            self.write(octets)
        else:
            # As it would write it in many steps.
            for name, value in headers:
                out.setRawHeaders(name, [value])
            lines = [b"%b: %b\r\n" % (name, value) for name, values in out.getAllRawHeaders() for value in values]
            self.startedWriting = 1
            self.sentLength = len(octets)
            self.channel.transport.write(
                b"HTTP/1.1 %d %b\r\nServer: %b\r\nDate: %b\r\nX-Request-Id: %b\r\nContent-Type: %b\r\n"
                b"Content-Length: %d\r\n%b\r\n%b" % (
                    status, self.code_message, _SERVER, self.channel.site.date(), self.request_id, content_type,
                    len(octets), b"".join(lines), octets))
        self.finish()

    def processingFailed(self, reason: Failure) -> Failure:
        """What no error handler of the API saw: 500, as JSON."""
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
    """The id of a request, the client's own if it sent a good one; goes with its answer."""
    if not request.request_id:
        given = request.getHeader(b"X-Request-Id")
        good = given is not None and _GOOD_ID.match(given)
        request.request_id = given if good else request.channel.site.new_id()
    return str(request.request_id, "ascii")
