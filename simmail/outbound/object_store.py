"""
Objects in a bucket of S3, or of a server that speaks its protocol (API version 2006-03-01).

Requests are signed with signature version 4 and go through the gate, to the place that the operator named, path style:
C{<url>/<bucket>/<name>}.  What a server cannot do just now is asked again, with growing pauses, until the time is over.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, NamedTuple
from urllib.parse import quote
from xml.etree import ElementTree

from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import deferLater
from twisted.logger import Logger
from zope.interface import implementer

from simmail.concurrency import Lock
from simmail.core.net.url import parse
from simmail.core.records.objects import ObjectPage
from simmail.core.time.histogram import Histogram, lines
from simmail.errors import NotFound, Unavailable
from simmail.interfaces import IObjectStore
from simmail.outbound.http_client import Gate, Request, Unreachable

#: Octets of an object that is read, and of any other answer.
LARGEST, MOST = 256 * 1024 * 1024, 4 * 1024 * 1024
#: Octets of a body that take milliseconds to sign, which is done in a thread.
LARGE = 256 * 1024
#: Real seconds that a connection is kept.
KEPT = 30.0
#: Real seconds before what failed is asked again, at first and at most.
_PAUSE, _LONGEST_PAUSE = 0.1, 1.6
#: What people are told while it does not do what it is asked, before what is wrong.
AWAY = "the object store is away"
#: Names that are listed at once.
PAGE = 1000

#: Statuses of a server that may do a moment later what it was asked (429, 503: it is asked for less at a time; 409: two
#: put one object at once).
_LATER = frozenset((408, 409, 425, 429, 500, 502, 503, 504))

_OPERATIONS = ("get", "put", "list", "delete")


class Secret(NamedTuple):
    """Who asks: an access key and its secret."""

    access_key: str
    secret_key: str


class _Answer(NamedTuple):
    status: int
    body: bytes


@implementer(IObjectStore)
class S3ObjectStore:
    """
    A bucket.

    @param url: of the bucket; region: as signatures name it.
    @param patience: real seconds for everything that one call takes.
    @param wall: the wall clock's Unix time: a signature holds for some minutes.
    @param in_thread: runs a function in a thread, answering a Deferred.
    """

    log = Logger()

    def __init__(
        self, gate: Gate, reactor: IReactorTime, url: str, region: str, secret: Secret, patience: float,
        wall: Callable[[], float], in_thread: Callable[..., Any],
    ) -> None:
        # It brings a library for HTTP with it, which nobody needs to whom no store is configured.
        from requests_aws4auth import AWS4Auth

        self._gate, self._reactor, self._wall = gate, reactor, wall
        self._url = url.rstrip("/")
        self._lab = (parse(url).place,)
        self._patience = patience
        self._in_thread = in_thread
        # It makes another key each day: what signs in a thread, one at a time, has one of its own.
        self._sign: Any = AWS4Auth(*secret, region, "s3")
        self._sign_large: Any = AWS4Auth(*secret, region, "s3")
        self._turn = Lock(reactor)
        self._round_trips = {name: Histogram() for name in _OPERATIONS}
        self.trouble = ""

    @property
    def told(self) -> str:
        """What is wrong with it, for people; C{""}: nothing is known to be."""
        return f"{AWAY}: {self.trouble}" if self.trouble else ""

    def figures(self) -> str:
        """Return how long its answers took, in Prometheus's exposition format."""
        return "\n".join(lines("simmail_objects_round_trip_seconds", {
            f'operation="{name}"': one for name, one in self._round_trips.items()}))

    def put(self, name: str, octets: bytes) -> Deferred[None]:
        """Put an object."""
        return Deferred.fromCoroutine(self._put(name, octets))

    def put_new(self, name: str, octets: bytes) -> Deferred[bool]:
        """Put an object where none is."""
        return Deferred.fromCoroutine(self._put_new(name, octets))

    def get(self, name: str) -> Deferred[bytes]:
        """Read an object."""
        return Deferred.fromCoroutine(self._get(name))

    def list(self, prefix: str, token: str = "") -> Deferred[ObjectPage]:
        """List names."""
        return Deferred.fromCoroutine(self._list(prefix, token))

    def delete(self, name: str) -> Deferred[None]:
        """Remove an object."""
        return Deferred.fromCoroutine(self._delete(name))

    # Each of them

    async def _put(self, name: str, octets: bytes) -> None:
        await self._asked("put", "PUT", f"/{_path(name)}", octets, taken=(200,))

    async def _put_new(self, name: str, octets: bytes) -> bool:
        answer = await self._asked(
            "put", "PUT", f"/{_path(name)}", octets, (("If-None-Match", "*"),), taken=(200, 412))
        if answer.status == 200:
            return True
        # It may be what an earlier attempt put, whose answer was lost or came too late, in this call or one before.
        return await self._get(name) == octets

    async def _get(self, name: str) -> bytes:
        answer = await self._asked("get", "GET", f"/{_path(name)}", taken=(200, 404), most=LARGEST)
        if answer.status == 404:
            if b"NoSuchBucket" in answer.body:
                raise self._refused("there is no such bucket")
            raise NotFound(f"there is no object {name}")
        return answer.body

    async def _list(self, prefix: str, token: str) -> ObjectPage:
        query = {"list-type": "2", "max-keys": str(PAGE), "prefix": prefix, "continuation-token": token}
        target = "&".join(f"{name}={quote(value, safe='')}" for name, value in sorted(query.items()) if value)
        answer = await self._asked("list", "GET", f"/?{target}", taken=(200,))
        try:
            found = ElementTree.fromstring(answer.body)
        except ElementTree.ParseError:
            raise self._refused("it answers no list of objects") from None
        names = [one.text or "" for one in found.iterfind("{*}Contents/{*}Key")]
        more = found.findtext("{*}IsTruncated") == "true"
        return ObjectPage(names, found.findtext("{*}NextContinuationToken") or "" if more else "")

    async def _delete(self, name: str) -> None:
        await self._asked("delete", "DELETE", f"/{_path(name)}", taken=(200, 204, 404))

    # One call

    async def _asked(
        self, operation: str, method: str, target: str, body: bytes | None = None,
        headers: tuple[tuple[str, str], ...] = (), taken: tuple[int, ...] = (), most: int = MOST,
    ) -> _Answer:
        """
        What a server answers, after as many attempts as there is time for.

        @param taken: statuses that are an answer.
        @raise Unavailable: there was no other in time.
        """
        deadline, pause = self._reactor.seconds() + self._patience, _PAUSE
        while True:
            left = deadline - self._reactor.seconds()
            try:
                status, octets = await self._attempt(operation, method, target, body, headers, most, left)
            except Unreachable as error:
                why = str(error)
            except CancelledError:
                raise Unavailable(f"{AWAY}: the service ends") from None
            else:
                if status in taken:
                    self._answers()
                    return _Answer(status, octets)
                why = f"it answers {status}{_code(octets)}"
                if status not in _LATER:
                    raise self._refused(why)
            if self._reactor.seconds() + pause >= deadline:
                raise self._refused(why)
            await deferLater(self._reactor, pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    async def _attempt(
        self, operation: str, method: str, target: str, body: bytes | None, headers: tuple[tuple[str, str], ...],
        most: int, patience: float,
    ) -> tuple[int, bytes]:
        signed = _Signed(method, self._url + target, dict(headers), body)
        signed.headers["x-amz-date"] = datetime.fromtimestamp(self._wall(), UTC).strftime("%Y%m%dT%H%M%SZ")
        if body is None or len(body) < LARGE:
            self._sign(signed)
        else:
            async with self._turn:
                await self._in_thread(self._sign_large, signed)
        begin = self._reactor.seconds()
        answer: Any = await self._gate.fetch(Request(
            signed.url, method, tuple(signed.headers.items()), body, self._lab, redirects=0, most=most,
            patience=max(patience, 0.01)))
        self._round_trips[operation].observe(self._reactor.seconds() - begin)
        if answer.cut and answer.status == 200:
            raise Unreachable("the answer was cut off")
        return answer.status, answer.body

    def _answers(self) -> None:
        if self.trouble:
            self.trouble = ""
            self.log.info("the object store answers again")

    def _refused(self, why: str) -> Unavailable:
        if not self.trouble:
            self.log.error("{away}: {why}", away=AWAY, why=why)
        self.trouble = why
        return Unavailable(self.told)


class _Signed:
    """A request as the library signs it."""

    def __init__(self, method: str, url: str, headers: dict[str, str], body: bytes | None) -> None:
        self.method, self.url, self.headers, self.body = method, url, headers, body


def _path(name: str) -> str:
    return quote(name, safe="/")


def _code(octets: bytes) -> str:
    """What S3 calls an error, in brackets; it is the server's text, so only a word of it is told."""
    _, found, rest = octets[:2000].partition(b"<Code>")
    code = rest.partition(b"</Code>")[0].decode("ascii", "replace")
    return f" ({code})" if found and code.isalnum() else ""
