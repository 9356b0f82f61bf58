"""
The API as one Klein application, made from the table of its routes.

What the dispatcher's router does not find, such as folders whose name has a
slash that is not escaped, is left to Klein's map, which finds the same; by
that alone a small read costs twice the processor time
(C{scripts/bench/rest --klein}), and it is made when it is asked first, as it
takes longer than all else of the table.  What no route takes is answered here too,
always as JSON.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable
from functools import cached_property
from typing import Any

from klein import Klein
from twisted.internet.defer import CancelledError, Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.web.server import Request
from werkzeug.exceptions import HTTPException, MethodNotAllowed
from werkzeug.routing import BaseConverter

from simmail.errors import NotFound
from simmail.rest import errors
from simmail.rest.context import Services
from simmail.rest.dispatch import Dispatcher, prepare, watched
from simmail.rest.http.request import request_id
from simmail.rest.relocation import SharingDispatcher
from simmail.rest.route import Route

_METHOD = re.compile(rb"[A-Z]{1,20}\Z")

#: Stands for a slash inside one segment of a path while Klein routes it; a NUL of the client's own is refused.
_SLASH = "\0"


class _Number(BaseConverter):
    """A whole number in ASCII digits: UIDs and attachment numbers."""

    regex = "[0-9]{1,10}"

    def to_python(self, value: str) -> int:
        """Return the number."""
        return int(value)


class Application:
    """
    The API.

    Klein is kept from what it answers with HTML or breaks on: a strange C{Host},
    a path that is not UTF-8, a method that is not ASCII.

    @param routes: the whole table; endpoints must differ.
    @ivar dispatcher: the resource that a C{Site} serves.
    """

    log = Logger()

    def __init__(self, services: Services, routes: Iterable[Route]) -> None:
        self.routes = tuple(routes)
        self.dispatcher = Dispatcher(services, self.routes, self._unfound) if services.peers is None else (
            SharingDispatcher(services, self.routes, self._unfound, services.peers))
        for endpoint, count in Counter(route.endpoint for route in self.routes).items():
            if count > 1:
                raise ValueError(f"{endpoint} is declared twice")

    @cached_property
    def klein(self) -> Klein:
        """The same routes as Klein has them."""
        klein = Klein()
        klein.url_map.converters["number"] = _Number
        klein.url_map.merge_slashes = False
        for route in self.routes:
            klein.route(route.rule, methods=[route.method], endpoint=route.endpoint)(self._answer(route))
        no_route: Any = self._no_route
        failed: Any = self._failed
        klein.handle_errors(HTTPException)(no_route)
        klein.handle_errors(Exception)(failed)
        return klein

    def _unfound(self, request: Any) -> Any:
        refused = _prepared(request)
        if refused is not None:
            return watched(request, Deferred.fromCoroutine(self._refuse(request, refused)))
        return self.klein.resource().render(request)

    async def _refuse(self, request: Request, refused: errors.ErrorReply) -> None:
        request.write(await self.dispatcher.unrouted(request, refused))
        request.finish()

    def _answer(self, route: Route) -> Callable[..., Deferred[None]]:
        def answer(request: Request, **path: Any) -> Deferred[None]:
            named = {name: value.replace(_SLASH, "/") if isinstance(value, str) else value
                     for name, value in path.items()}
            return self.dispatcher.begin(request, route, named)

        return answer

    # What error handlers return is written and finished by Klein.

    def _no_route(self, request: Request, failure: Failure) -> Coroutine[Any, Any, bytes]:
        error = failure.value
        if isinstance(error, MethodNotAllowed):
            allowed = sorted(set(error.valid_methods or ()))
            return self.dispatcher.unrouted(request, errors.wrong_method(request.method.decode("ascii"), allowed))
        return self.dispatcher.unrouted(request, errors.error_reply(NotFound("there is no such path")))

    def _failed(self, request: Request, failure: Failure) -> bytes | None:
        if failure.check(CancelledError):
            return None
        incident = request_id(request)
        self.log.failure("incident {incident}: a request failed", failure, incident=incident)
        if request.startedWriting:
            return None
        refused = errors.defect(incident)
        prepare(request, refused.status, refused.body)
        return refused.body


def _prepared(request: Request) -> errors.ErrorReply | None:
    """Make a request fit for Klein, or say why it cannot be."""
    if not _METHOD.match(request.method):
        return errors.ErrorReply(400, errors.body("the method is malformed"))
    # Routes do not depend on the host, and Klein fails on one that is no name; a session's origin is held to it.
    request.asked_host = request.getHeader(b"Host")  # type: ignore[attr-defined]
    request.requestHeaders.setRawHeaders(b"Host", [b"localhost"])
    segments = []
    for segment in request.postpath or ():
        try:
            text = segment.decode("utf-8")
        except UnicodeDecodeError:
            return errors.ErrorReply(400, errors.body("the path must be UTF-8"))
        if _SLASH in text:
            return errors.ErrorReply(400, errors.body("the path must not contain NUL"))
        segments.append(text.replace("/", _SLASH).encode("utf-8"))
    request.postpath = segments
    return None
