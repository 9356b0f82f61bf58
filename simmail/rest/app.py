"""
The API as one Klein application, made from the table of its routes.

Calls are looked up by the shape of their paths before Klein's map is asked;
both ways lead to the same handler.  What no route takes is
answered here too, always as JSON.
"""

from __future__ import annotations

import re
from collections.abc import Coroutine, Iterable
from typing import Any

from klein import Klein
from klein.resource import KleinResource
from twisted.internet.defer import CancelledError, Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.web.server import Request
from twisted.web.server import NOT_DONE_YET
from werkzeug.exceptions import HTTPException, MethodNotAllowed
from werkzeug.routing import BaseConverter

from simmail.errors import NotFound
from simmail.rest import errors
from simmail.rest.context import Services
from simmail.rest.dispatch import Dispatcher, prepare
from simmail.rest.http.request import request_id
from simmail.rest.http.router import Router
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

    @param routes: the whole table; endpoints must differ.
    """

    log = Logger()

    def __init__(self, services: Services, routes: Iterable[Route]) -> None:
        self.routes = tuple(routes)
        self.dispatcher = Dispatcher(services)
        self.router = Router((route.method, route.path, route) for route in self.routes)
        self._klein = Klein()
        self._klein.url_map.converters["number"] = _Number
        self._klein.url_map.merge_slashes = False
        for route in self.routes:
            self._add(route)
        no_route: Any = self._no_route
        failed: Any = self._failed
        self._klein.handle_errors(HTTPException)(no_route)
        self._klein.handle_errors(Exception)(failed)

    def _add(self, route: Route) -> None:
        if route.endpoint in self._klein.endpoints:
            raise ValueError(f"{route.endpoint} is declared twice")

        def answer(request: Request, **path: Any) -> Deferred[None]:
            named = {name: value.replace(_SLASH, "/") if isinstance(value, str) else value
                     for name, value in path.items()}
            return self.dispatcher.begin(request, route, named)

        self._klein.route(route.rule, methods=[route.method], endpoint=route.endpoint)(answer)

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

    def resource(self) -> Root:
        """Return the resource a C{Site} serves."""
        return Root(self, self._klein)


class Root(KleinResource):
    """
    Everything below C{/}.

    Klein is kept from what it answers with HTML or breaks on: a strange C{Host},
    a path that is not UTF-8, a method that is not ASCII.
    """

    def __init__(self, application: Application, klein: Klein) -> None:
        super().__init__(klein)
        self._application = application

    def render(self, request: Any) -> Any:
        """Answer a request, at once or later."""
        application = self._application
        found = application.router.find(request.method, request.postpath)
        if found is not None:
            return _watched(request, application.dispatcher.begin(request, *found))
        refused = _prepared(request)
        if refused is not None:
            return _watched(request, Deferred.fromCoroutine(self._refuse(request, refused)))
        return super().render(request)

    async def _refuse(self, request: Request, refused: errors.ErrorReply) -> None:
        request.write(await self._application.dispatcher.unrouted(request, refused))
        request.finish()


def _watched(request: Request, work: Deferred[None]) -> Any:
    """C{work} is cancelled when the client leaves; what else happens to it is logged."""
    if work.called and work.result is None:
        return NOT_DONE_YET
    if not work.called:
        request.notifyFinish().addErrback(lambda _: work.cancel())
    work.addErrback(lambda failure: failure.trap(CancelledError))
    work.addErrback(_log_unanswered)
    return NOT_DONE_YET


def _log_unanswered(failure: Failure) -> None:
    Application.log.failure("a request was not answered", failure)


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
