"""
The API as one Klein application, made from the table of its routes.

Calls are looked up by the shape of their paths: which segments are words, and
which stand for names.  What is not found so, such as folders whose name has a
slash that is not escaped, is left to Klein's map, which finds the same; by
that alone a small read costs twice the processor time
(C{scripts/bench/rest --klein}), and it is made when it is asked first, as it
takes longer than all else of the table.  What no route takes is answered here too,
always as JSON.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Sequence
from functools import cached_property
from typing import Any

from klein import Klein
from twisted.internet.defer import CancelledError, Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET, Request
from werkzeug.exceptions import HTTPException, MethodNotAllowed
from werkzeug.routing import BaseConverter

from simmail.errors import NotFound
from simmail.rest import errors
from simmail.rest.context import Services
from simmail.rest.dispatch import Dispatcher, prepare
from simmail.rest.http.request import request_id
from simmail.rest.relocation import SharingDispatcher
from simmail.rest.route import NUMBERS, Route

_METHOD = re.compile(rb"[A-Z]{1,20}\Z")
_NUMBER = re.compile(rb"[0-9]{1,10}")
_SEGMENT = re.compile(r"\{([a-z_]+)\}")

#: Stands for a slash inside one segment of a path while Klein routes it; a NUL of the client's own is refused.
_SLASH = "\0"


class _Number(BaseConverter):
    """A whole number in ASCII digits: UIDs and attachment numbers."""

    regex = "[0-9]{1,10}"

    def to_python(self, value: str) -> int:
        """Return the number."""
        return int(value)


#: Paths of one method and number of segments: where their words are, and by those words the route and the places of
#: the names between them.
_Shapes = list[tuple[tuple[int, ...], dict[tuple[bytes, ...], tuple[Route, tuple[tuple[int, str], ...]]]]]


class Router:
    """What belongs to a method and path; HEAD finds what GET does."""

    def __init__(self, routes: Iterable[Route]) -> None:
        self._shapes: dict[tuple[bytes, int], _Shapes] = {}
        for route in routes:
            self._add(route.method.encode(), route)
            if route.method == "GET":
                self._add(b"HEAD", route)

    def _add(self, method: bytes, route: Route) -> None:
        segments = route.path[1:].split("/")
        named = [_SEGMENT.fullmatch(one) for one in segments]
        names = tuple([(at, match[1]) for at, match in enumerate(named) if match is not None])
        words = tuple([at for at, match in enumerate(named) if match is None])
        shapes = self._shapes.setdefault((method, len(segments)), [])
        table = next((table for places, table in shapes if places == words), None)
        if table is None:
            table = {}
            shapes.append((words, table))
            # A word is preferred to a name, the sooner in the path the more.
            shapes.sort(key=lambda shape: [at not in shape[0] for at in range(len(segments))])
        table[tuple([segments[at].encode() for at in words])] = route, names

    def find(self, method: bytes, segments: Sequence[bytes]) -> tuple[Route, dict[str, Any]] | None:
        """Find the route of a path, and the values of its names; C{segments} have their escapes undone."""
        for words, table in self._shapes.get((method, len(segments)), ()):
            named = table.get(tuple([segments[at] for at in words]))
            if named is not None:
                found, names = named
                values = _values(names, segments)
                if values is not None:
                    return found, values
        return None


def _values(names: tuple[tuple[int, str], ...], segments: Sequence[bytes]) -> dict[str, Any] | None:
    """Return what stands for names, C{None} when something cannot."""
    values: dict[str, Any] = {}
    for at, name in names:
        segment = segments[at]
        if name in NUMBERS:
            if _NUMBER.fullmatch(segment) is None:
                return None
            values[name] = int(segment)
            continue
        try:
            text = segment.decode("utf-8")
        except UnicodeDecodeError:
            return None
        if not text or "\0" in text:
            return None
        values[name] = text
    return values


class Application:
    """
    The API.

    @param routes: the whole table; endpoints must differ.
    """

    log = Logger()

    def __init__(self, services: Services, routes: Iterable[Route]) -> None:
        self.routes = tuple(routes)
        self.dispatcher = Dispatcher(services) if services.peers is None else SharingDispatcher(
            services, services.peers)
        self.router = Router(self.routes)
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

    def resource(self) -> Root:
        """Return the resource a C{Site} serves."""
        return Root(self)


class Root(Resource):
    """
    Everything below C{/}.

    Klein is kept from what it answers with HTML or breaks on: a strange C{Host},
    a path that is not UTF-8, a method that is not ASCII.
    """

    isLeaf = True

    def __init__(self, application: Application) -> None:
        super().__init__()
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
        return application.klein.resource().render(request)

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
