"""
One request, from its path to the last octet of its answer.

Calls are looked up by the shape of their paths: which segments are words, and
which stand for names.  What is not found so is left to Klein's map (C{app}).

A change goes on to its end when the client leaves; a read is broken off.
Every answer carries C{X-Request-Id}; what should not have happened is logged
under it and answered 500.

Calls that stay open (event streams, waits) end when their caller may no longer
make them.  Somebody whose key is revoked, whose pass ends or whose universe is
deleted would be refused now; so is the call: one that has not been answered
yet with the error, a stream by its end.
Source: API contract, "Authentication" (401, 402, 403); decisions, section 17 (15-minute passes).
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from hashlib import sha256
from inspect import isawaitable
from typing import Any
from urllib.parse import urlencode

import msgspec
from twisted.internet.defer import CancelledError, Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET, Request

from simmail.core.time.instant import parse_duration
from simmail.errors import of_disk, Refusal, Replaced, Unavailable
from simmail.rest import errors, validate
from simmail.rest.answer import Cookied, Large, Octets, Paged, TAKEN
from simmail.rest.auth import Guard
from simmail.rest.context import Services
from simmail.rest.http.download import Download
from simmail.rest.http.request import JSON, accepts, has_tag, request_id
from simmail.rest.render.assets import page
from simmail.rest.render.shown import heavy, LARGE
from simmail.rest.route import Call, NAME, NoQuery, NUMBERS, Route

#: Parameters that go with every call.
EVERYWHERE = frozenset({"token", "universe"})

_NUMBER = re.compile(rb"[0-9]{1,10}")

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
        named = [NAME.fullmatch(one) for one in segments]
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


class Dispatcher(Resource):
    """
    What all requests to the API have in common: everything below C{/} is its.

    @param unfound: answers a request whose path the router does not find, as C{IResource.render} does.
    """

    log = Logger()
    isLeaf = True

    def __init__(self, services: Services, routes: Iterable[Route], unfound: Callable[[Any], Any]) -> None:
        super().__init__()
        self.services = services
        self._router = Router(routes)
        self._unfound = unfound
        self.guard = Guard(services)
        self._limits = services.config.limits
        self._patience = parse_duration(services.config.http.timeout).total_seconds()

    def render(self, request: Any) -> Any:
        """Answer a request, at once or later."""
        found = self._router.find(request.method, request.postpath)
        return self._unfound(request) if found is None else watched(request, self.begin(request, *found))

    def begin(self, request: Request, route: Route, path: dict[str, Any]) -> Deferred[None]:
        """
        Answer a request, whose route is known.

        @return: fires when it is answered; cancelling breaks off a read, and leaves a change alone.
        """
        # For the access log and the figures.
        request.endpoint = route.endpoint  # type: ignore[attr-defined]
        call = Call(route, request, self.services, path, request_id(request), self.services.reactor.seconds())
        work: Deferred[None] = Deferred.fromCoroutine(self._answer(call))
        if work.called:
            return work
        request.notifyFinish().addErrback(lambda _: setattr(call, "gone", True))
        if not route.detached:
            return work
        # Cancelled, this one ends at once; the work does not hear of it.
        awaited: Deferred[None] = Deferred()

        def finished(_: Any) -> None:
            if not awaited.called:
                awaited.callback(None)

        work.addBoth(finished)
        return awaited

    async def unrouted(self, request: Request, refused: errors.ErrorReply) -> bytes:
        """
        Refuse a request that no route takes; below C{/api} only those who have a key learn so, and who looks for a
        page gets one.

        @return: the body; status and headers are set.
        """
        request_id(request)
        if request.path.startswith(b"/api/"):
            try:
                await self.guard.charge(await self.guard.identify(request), request)
            except Refusal as refusal:
                refused = errors.error_reply(refusal)
        elif refused.status == 404 and accepts(request, b"Accept", b"text/html"):
            missing = page(request, "missing.html", 404)
            if missing is not None:
                prepare(request, 404, missing.octets, missing.headers, missing.content_type)
                return missing.octets
        prepare(request, refused.status, refused.body, refused.headers)
        return refused.body

    async def _answer(self, call: Call) -> None:
        headers: tuple[tuple[str, str], ...]
        content_type = None
        request: Any = call.request
        try:
            answer = await self._called(call)
            if answer is TAKEN:
                return
            if isinstance(answer, Large):
                await self._send(request, answer)
                return
            status, octets, headers, content_type = self._encoded(call, answer)
        except Refusal as refusal:
            reply = errors.error_reply(refusal)
            status, octets, headers = reply if call.route.refuse is None else call.route.refuse(call, refusal, reply)
        except Exception as error:
            if isinstance(error, CancelledError) and (call.gone or request.left):
                return
            away = of_disk(error)
            if away is not None:
                self.log.error("incident {incident}: {route}: {error}", incident=call.request_id,
                               route=call.route.endpoint, error=error)
            else:
                # Broken off for somebody else's sake would be a defect too: whoever is still there is told.
                self.log.failure("incident {incident}: {route} failed", incident=call.request_id,
                                 route=call.route.endpoint)
            status, octets, headers = errors.defect(call.request_id) if away is None else errors.error_reply(away)
        if not call.gone:
            request.answer(status, octets, headers, content_type or JSON)

    async def _send(self, request: Any, answer: Large) -> None:
        try:
            request.setHeader(b"Content-Type", answer.content_type.encode("latin-1"))
            for name, value in answer.headers:
                request.responseHeaders.setRawHeaders(name, [value])
            await Download(request, self.services.reactor, self._patience).run(answer.parts)
        finally:
            answer.opened.close()

    async def _called(self, call: Call) -> Any:
        route = call.route
        request: Any = call.request
        # Held from here on: a client that leaves takes it from the request.
        content: Any = request.content
        await self.guard.admit(call)
        visible = call.universe.store.when_visible() if call.universe is not None else None
        if visible is not None:
            await visible
        if route.detached and not self.services.server.database.healthy:
            raise Unavailable("Redis is away; try again later")
        if route.locate is not None:
            call.found = await route.locate(call)
        args = request.args
        if args or route.query is not NoQuery:
            call.query = validate.query(args, route.query, EVERYWHERE)
        coming = request.body(route.body is not None)
        if coming is not None:
            await coming
            # It may have taken its time: who may call, and what is there, is what counts now.
            await self.guard.stand(call)
            if route.locate is not None:
                call.found = await route.locate(call)
        if route.body is not None:
            octets = content.read()
            decode = partial(validate.body, octets, route.body, self._limits.json_depth)
            call.body = decode() if len(octets) <= LARGE else await heavy(
                self.services.in_thread, decode, len(octets))
        answer = route.call(call)
        if not isawaitable(answer):
            return answer
        lasting = route.lasting if isinstance(route.lasting, bool) else route.lasting(call)
        return await (Lasting(self.guard, call).of(answer) if lasting else answer)

    def _encoded(self, call: Call, answer: Any) -> tuple[int, bytes, tuple[tuple[str, str], ...], bytes | None]:
        headers: tuple[tuple[str, str], ...] = ()
        if isinstance(answer, Octets):
            return answer.status, answer.octets, answer.headers, answer.content_type.encode("latin-1")
        if isinstance(answer, Paged):
            if answer.more is not None:
                headers = (("Link", f"<{_next(call.request, answer.more)}>; rel=\"next\""),)
            answer = answer.items
        if isinstance(answer, Cookied):
            headers = (("Cache-Control", "no-store"),)
            if answer.cookie:
                headers = (*headers, ("Set-Cookie", answer.cookie))
            answer = answer.answer
        octets = msgspec.json.encode(answer)
        if call.route.polled:
            # As good here as any, and the fastest where processors know it.
            tag = f'"{sha256(octets, usedforsecurity=False).hexdigest()[:24]}"'
            headers = (*headers, ("ETag", tag), ("Cache-Control", "private, no-cache"))
            if has_tag(call.request, tag):
                return 304, b"", headers, None
        return 200, octets, headers, None


class Lasting:
    """One call that stays open."""

    log = Logger()

    def __init__(self, guard: Guard, call: Call) -> None:
        self._guard = guard
        self._call = call
        self._work: Deferred[Any] = Deferred()
        self._refusal: Refusal | None = None

    async def of(self, answer: Awaitable[Any]) -> Any:
        """
        Return what the call answers.

        @raise Refusal: what its caller would be refused with by now.
        """
        call, services = self._call, self._call.services
        unwatch = services.server.watch(self._look_again)
        ends = self._guard.ends(call.request)
        timer = services.reactor.callLater(
            max(0.0, ends - services.reactor.seconds()), self._look_again) if ends is not None else None
        self._work = Deferred.fromCoroutine(_coroutine(answer))
        try:
            return await self._work
        except CancelledError:
            if self._refusal is None:
                raise
        finally:
            unwatch()
            if timer is not None and timer.active():
                timer.cancel()
            if self._refusal is not None and call.request.startedWriting and not call.gone:
                call.request.finish()
        if call.request.startedWriting:
            return TAKEN
        raise self._refusal

    def _look_again(self) -> None:
        if self._refusal is None:
            Deferred.fromCoroutine(self._guard.stand(self._call)).addErrback(self._ended)

    def _ended(self, failure: Failure) -> None:
        if failure.check(Unavailable) and not failure.check(Replaced):
            # Redis will be back; nothing says that the caller may do less.
            return
        refusal = failure.value
        if isinstance(refusal, Refusal):
            self._refusal = refusal
            self._work.cancel()
        else:
            self.log.failure("cannot look again whether a call may go on", failure)


async def _coroutine(answer: Awaitable[Any]) -> Any:
    return await answer


def watched(request: Request, work: Deferred[None]) -> Any:
    """Cancel C{work} when the client leaves; what else happens to it is logged."""
    if work.called and work.result is None:
        return NOT_DONE_YET
    if not work.called:
        request.notifyFinish().addErrback(lambda _: work.cancel())
    work.addErrback(lambda failure: failure.trap(CancelledError))
    work.addErrback(_log_unanswered)
    return NOT_DONE_YET


def _log_unanswered(failure: Failure) -> None:
    Dispatcher.log.failure("a request was not answered", failure)


def prepare(
    request: Request, status: int, octets: bytes, headers: tuple[tuple[str, str], ...] = (),
    content_type: str | bytes = JSON,
) -> None:
    """Set what comes before the octets of an answer that Klein writes."""
    request.setResponseCode(status)
    out = request.responseHeaders
    out.setRawHeaders(b"Content-Type", [content_type])
    out.setRawHeaders(b"Content-Length", [b"%d" % len(octets)])
    for name, value in headers:
        out.setRawHeaders(name, [value])


def _next(request: Request, more: dict[str, str | int]) -> str:
    # The same question with another cursor; the key is not for logs and pages.
    pairs = [(name, value) for name, values in request.args.items() if name != b"token" and name.decode() not in more
             for value in values]
    pairs += [(name.encode(), str(value).encode()) for name, value in more.items()]
    return f"{request.path.decode('ascii', 'replace')}?{urlencode(pairs)}"
