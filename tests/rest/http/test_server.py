"""What a connection and a body may cost; the access log."""

from __future__ import annotations

import resource
import socket
from typing import Any

from hypothesis import given, strategies as st
from twisted.internet import reactor
from twisted.internet.defer import Deferred, succeed
from twisted.internet.error import ConnectionDone
from twisted.internet.task import Clock, deferLater
from twisted.logger import globalLogPublisher
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase, TestCase

from simmail.config import Config, Http
from simmail.core.time.histogram import BUCKETS
from simmail.rest.http.server import Traffic
from simmail.rest.route import Body, Call, Route
from tests.rest.client import ask, Connection, parse, request
from tests.rest.fakes import door


class Text(Body, frozen=True):
    text: str


def length(call: Call) -> int:
    """How long the text was."""
    return len(call.body.text)


ROUTES = (
    Route("POST", "/api/small", length, "small", role="member", body=Text),
    Route("POST", "/api/large", length, "large", role="member", body=Text, large=True),
    Route("GET", "/api/read", lambda call: "read", "read"),
)
KEY = {"Authorization": "Bearer m"}


def chunked(path: str, pieces: list[bytes]) -> bytes:
    """A request whose body comes in chunks."""
    head = request("POST", path, headers={**KEY, "Transfer-Encoding": "chunked"})
    return head + b"".join(b"%x\r\n%b\r\n" % (len(one), one) for one in (*pieces, b""))


class BodyLimitTests(SynchronousTestCase):
    """A body over its limit is refused while it arrives."""

    def setUp(self) -> None:
        """1000 octets for a body, 4000 where a message may be in it."""
        self.site, _, self.reactor = door(ROUTES)

    def test_within(self) -> None:
        """A body of just the limit is taken, whole or in chunks."""
        for path, room in (("/api/small", 1000), ("/api/large", 4000)):
            body = b'{"text": "' + b"x" * (room - 12) + b'"}'
            self.assertEqual(ask(self.site, "POST", path, body, "m").json(), room - 12)
            connection = Connection(self.site)
            connection.send(chunked(path, [body[:100], body[100:]]))
            self.assertEqual(connection.answer().json(), room - 12)

    def test_over(self) -> None:
        """One octet more: 413 as JSON, and the connection is closed after the rest was swallowed."""
        for path, room in (("/api/small", 1000), ("/api/large", 4000)):
            body = b'{"text": "' + b"x" * (room - 11) + b'"}'
            connection = Connection(self.site)
            connection.send(request("POST", path, body, KEY))
            answer = connection.answer()
            self.assertEqual((answer.status, answer.error, answer.headers["connection"]),
                             (413, f"the body is over the limit of {room} octets", "close"))
            self.assertTrue(answer.headers["x-request-id"])
            self.assertTrue(connection.transport.disconnecting)
            connection = Connection(self.site)
            connection.send(chunked(path, [body[:room], body[room:]]))
            self.assertEqual(connection.answer().status, 413)
            self.assertTrue(connection.transport.disconnecting)

    def test_told_at_once(self) -> None:
        """The refusal does not wait for the body; nothing of it is kept; without end it is cut."""
        connection = Connection(self.site)
        octets = request("POST", "/api/small", b"", {**KEY, "Content-Length": "99999999"})
        connection.send(octets)
        self.assertEqual(connection.answer().status, 413)
        self.assertFalse(connection.transport.disconnecting)
        for _ in range(17):
            connection.send(b"x" * 1024 * 1024)
        self.assertTrue(connection.transport.disconnecting)
        self.assertEqual(connection.received(), b"")

    def test_expect(self) -> None:
        """A client that asks first gets no 100 for what is too large, and one for what is not."""
        for size, first in (("99999999", b"HTTP/1.1 413"), ("12", b"HTTP/1.1 100")):
            connection = Connection(self.site)
            asks = {**KEY, "Content-Length": size, "Expect": "100-continue"}
            connection.send(request("POST", "/api/small", b"", asks))
            received = connection.received()
            self.assertTrue(received.startswith(first), received)
            self.assertEqual(received.count(b"HTTP/1.1"), 1)
        connection.send(b'{"text": ""}')
        self.assertEqual(connection.answer().json(), 0)

    def test_forms_are_not_read(self) -> None:
        """What calls itself a form is JSON all the same, and adds no parameters."""
        for kind in ("application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain"):
            answer = ask(self.site, "POST", "/api/small", b'{"text": "ab"}', "m", {"Content-Type": kind})
            self.assertEqual(answer.json(), 2)

    def test_malformed_http(self) -> None:
        """What is no HTTP gets 400 and a closed connection; nothing is smuggled behind it."""
        for octets in (
            b"GET /api/read HTTP/1.1\r\nbad header\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n",
            b"POST /api/small HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
            b"0\r\n\r\nGET / HTTP/1.1\r\n",
            b"POST /api/small HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
            b"POST /x HTTP/1.1\r\nTransfer-Encoding: x\r\n\r\n",
            b"POST /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            b"GET /x HTTP/1.1\r\n" + b"X: y\r\n" * 600 + b"\r\n", b"GET /" + b"x" * 20_000 + b" HTTP/1.1\r\n\r\n",
        ):
            connection = Connection(self.site)
            connection.send(octets)
            answer, rest = parse(connection.received())
            self.assertEqual(answer.status, 400, octets[:60])
            self.assertTrue(connection.transport.disconnecting)
            self.assertNotIn(b"200 OK", rest)


class AtOnceTests(TestCase):
    """An answer is written before the reactor's next turn, and none overtakes what was written before it."""

    async def setUp(self) -> None:
        """A client on a real socket."""
        site, _, _ = door(ROUTES)
        port = reactor.listenTCP(0, site, interface="127.0.0.1")  # type: ignore[attr-defined]
        self.addCleanup(port.stopListening)
        self.client = socket.create_connection(("127.0.0.1", port.getHost().port), 5)
        self.addCleanup(self.client.close)
        while not site.connections:
            await deferLater(reactor, 0.001)
        (self.channel,) = site.connections

    async def received(self, end: bytes) -> bytes:
        """What the client gets, up to and with some octets."""
        octets = b""
        self.client.setblocking(False)
        while not octets.endswith(end):
            try:
                octets += self.client.recv(1 << 16)
            except BlockingIOError:
                await deferLater(reactor, 0.001)
        return octets

    def test_at_once(self) -> None:
        """The client has it though the reactor has done nothing since the request came."""
        self.channel.dataReceived(request("GET", "/api/read", headers=KEY))
        self.assertTrue(self.client.recv(10_000).endswith(b'"read"'))

    async def test_behind_100(self) -> None:
        """A body that comes with its header is asked for all the same, and that is told first."""
        body = b'{"text": "ab"}'
        self.channel.dataReceived(request("POST", "/api/small", body, {**KEY, "Expect": "100-continue"}))
        octets = await self.received(b"\r\n\r\n2")
        self.assertTrue(octets.startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n"), octets)

    async def test_behind_head(self) -> None:
        """Answers to requests that came together keep their order, whichever way they were written."""
        self.channel.dataReceived(b"".join(request(method, "/api/read", headers=KEY) for method in ("HEAD", "GET")))
        octets = await self.received(b'"read"')
        self.assertEqual([len(one) for one in octets.split(b"\r\n\r\n")[1:]][-1], len(b'"read"'))
        self.assertEqual(octets.count(b"HTTP/1.1 200 OK"), 2)

    async def test_more_than_it_takes(self) -> None:
        """What the client does not take at once follows, in order."""
        numbers = b" ".join(b"%d" % n for n in range(2_000_000)) + b"\n"
        self.channel.send(numbers)
        self.channel.send(b"end")
        self.assertEqual(await self.received(b"end"), numbers + b"end")

    def test_client_gone(self) -> None:
        """What is written to one that is gone goes nowhere, and nothing is raised."""
        self.channel.connectionLost(Failure(ConnectionDone()))
        self.channel.send(b"late")
        self.client.setblocking(False)
        self.assertRaises(BlockingIOError, self.client.recv, 10)


class HeaderFirstTests(SynchronousTestCase):
    """What the header tells is judged before the body is taken."""

    def setUp(self) -> None:
        """Keys with one call a second, 20 at once."""
        self.site, self.roster, self.reactor = door(ROUTES, Config(http=Http(rate=1, burst=20)))

    def begun(self, path: str, key: str = "m", **headers: str) -> Connection:
        """A connection on which a header was sent, and none of its 900 octets of body."""
        connection = Connection(self.site)
        fields = {"Content-Length": "900", "Authorization": f"Bearer {key}", **headers}
        connection.send(request("POST", path, headers=fields))
        return connection

    def refused(self, connection: Connection, status: int) -> None:
        """It is answered, and stays open until the rest was dropped."""
        answer = connection.answer()
        self.assertEqual((answer.status, answer.headers["connection"]), (status, "close"))
        self.assertTrue(answer.error)
        self.assertTrue(answer.headers["x-request-id"])
        self.assertFalse(connection.transport.disconnecting)
        for _ in range(9):
            connection.send(b"GET /" + b"x" * 95)
        self.assertEqual(connection.received(), b"")
        self.assertTrue(connection.transport.disconnecting)

    def test_refused(self) -> None:
        """No key, no path, no role, too often: each is told before the first octet of the body, and none is kept."""
        for path, key, status in (
            ("/api/small", "x", 401), ("/api/nothing", "m", 404), ("/api/nothing", "x", 401), ("/other", "m", 404),
            ("/api/read", "m", 405), ("/api/small", "v", 403), ("/api/small", "o", 200),
        ):
            connection = self.begun(path, key)
            if status != 200:
                self.refused(connection, status)
        for _ in range(20):
            ask(self.site, "GET", "/api/read", key="a")
        self.refused(self.begun("/api/small", "a"), 429)

    def test_whole(self) -> None:
        """A refusal of what has come whole leaves the connection as it is."""
        connection = Connection(self.site)
        for key, status in (("x", 401), ("m", 200)):
            connection.send(request("POST", "/api/small", b'{"text": "ab"}', {"Authorization": f"Bearer {key}"}))
            answer = connection.answer()
            self.assertEqual((answer.status, answer.headers.get("connection")), (status, None))

    def test_taken(self) -> None:
        """Whoever may is read from; the answer comes behind the body, and the connection goes on."""
        for method, path in (("POST", "/api/small"), ("GET", "/api/read")):
            connection = Connection(self.site)
            body = b'{"text": "abc"}'
            connection.send(request(method, path, headers={**KEY, "Content-Length": str(len(body))}))
            for at in range(len(body)):
                self.assertEqual(connection.received(), b"")
                connection.send(body[at:at + 1])
            answer = connection.answer()
            self.assertEqual((answer.status, answer.headers.get("connection")), (200, None))
            connection.send(request("GET", "/api/read", headers=KEY))
            self.assertEqual(connection.answer().json(), "read")

    def test_expect(self) -> None:
        """100 is for those who may; a client that asked for it and may not is answered and left at once."""
        connection = self.begun("/api/small", "x", Expect="100-continue")
        self.assertEqual(connection.answer().status, 401)
        self.assertTrue(connection.transport.disconnecting)
        connection = self.begun("/api/small", Expect="100-continue")
        self.assertEqual(connection.received(), b"HTTP/1.1 100 Continue\r\n\r\n")
        connection.send(b'{"text": "' + b"x" * 888 + b'"}')
        self.assertEqual(connection.answer().json(), 888)

    def test_not_read(self) -> None:
        """Until it is known who calls nothing more is read; what comes all the same is little, and waits."""
        identified: Deferred[Any] = Deferred()
        answers = [identified, succeed(self.roster.people["m"])]
        self.roster.identify = lambda token: answers.pop(0)  # type: ignore[assignment,method-assign,return-value]
        connection = self.begun("/api/small")
        self.assertEqual(connection.transport.producerState, "paused")
        connection.send(b'{"text": "')
        identified.callback(self.roster.people["m"])
        self.assertEqual(connection.transport.producerState, "producing")
        connection.send(b"x" * 888 + b'"}')
        self.assertEqual(connection.answer().json(), 888)

    def test_revoked_meanwhile(self) -> None:
        """Who may not any more when the body has come is refused."""
        connection = self.begun("/api/small")
        del self.roster.people["m"]
        connection.send(b'{"text": "' + b"x" * 888 + b'"}')
        self.assertEqual(connection.answer().status, 401)

    def test_left(self) -> None:
        """Who leaves in the middle of a body leaves nothing behind, and nothing is called."""
        for octets in (b"", b'{"text"'):
            connection = self.begun("/api/small")
            connection.send(octets)
            connection.close()
        self.assertEqual(self.reactor.getDelayedCalls(), [])
        self.assertEqual(self.flushLoggedErrors(), [])

    def test_cut(self) -> None:
        """What is dropped behind a refusal has an end, in octets and in time."""
        connection = self.begun("/api/nothing", "x", **{"Content-Length": str(900)})
        self.reactor.advance(11)
        self.assertTrue(connection.transport.disconnecting)
        connection = Connection(self.site)
        connection.send(request("POST", "/api/large", headers={"Transfer-Encoding": "chunked"}))
        self.assertEqual(connection.answer().status, 401)
        for _ in range(17):
            self.assertFalse(connection.transport.disconnecting)
            connection.send(b"100000\r\n" + b"x" * 0x100000 + b"\r\n")
        self.assertTrue(connection.transport.disconnecting)

    def test_full_disk(self) -> None:
        """A body that cannot be kept: 503, and no traceback."""
        site, _, _ = door(ROUTES, large=9 << 20)
        connection = Connection(site)
        connection.send(request("POST", "/api/large", headers={**KEY, "Content-Length": str(8 << 20)}))
        limit = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (0, limit[1]))
        try:
            for _ in range(3):
                connection.send(b"x" * (1 << 20))
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, limit)
        self.assertEqual(connection.answer().status, 503)


class HostTests(SynchronousTestCase):
    """RFC 9112 section 3.2: one Host."""

    def test_hosts(self) -> None:
        """None or two: 400, and the connection is closed; HTTP/1.0 may do without."""
        site, _, _ = door(ROUTES)
        for version, hosts, status in (
            ("1.1", (), 400), ("1.1", ("x", "x"), 400), ("1.1", ("x", "y"), 400), ("1.1", ("x",), 200),
            ("1.1", ("",), 200), ("1.0", (), 200), ("1.0", ("x",), 200), ("1.0", ("x", "x"), 400),
        ):
            for method, more in (
                ("GET", ""), ("GET", "Accept: */*\r\n"), ("HEAD", ""), ("POST", "Content-Length: 9\r\n"),
            ):
                lines = "".join(f"Host: {host}\r\n" for host in hosts)
                lines = f"{lines}{more}Authorization: Bearer v\r\n"
                octets = f"{method} /api/read HTTP/{version}\r\n{lines}\r\n".encode()
                for piece in ([octets], [octets[at:at + 1] for at in range(len(octets))]):
                    connection = Connection(site)
                    for one in piece:
                        connection.send(one)
                    answer = connection.answer(method == "HEAD")
                    self.assertEqual(answer.status, 405 if status == 200 and method == "POST" else status, octets)
                    self.assertEqual(answer.headers["x-content-type-options"], "nosniff")
                    if status == 400 and not more.startswith("Content"):
                        self.assertTrue(connection.transport.disconnecting)
                    connection.close()


class WholeTests(SynchronousTestCase):
    """Requests that come whole are answered as those that come in pieces."""

    def test_same(self) -> None:
        """Whatever their lines are like: the same status, headers and body, and the same state of the connection."""
        site, _, _ = door(ROUTES)
        good = "Host: x\r\nAuthorization: Bearer m\r\nX-Request-Id: r-1\r\n"
        for head in (
            "GET /api/read HTTP/1.1", "GET /api/read?x=1&y=%20 HTTP/1.1", "GET /api/read HTTP/1.0", "GET  HTTP/1.1",
            "GET /api/read HTTP/2.0", "GET /api/read", "GET /api/r\x7f HTTP/1.1", "GET /api/r\xe4 HTTP/1.1",
            "GET api/read HTTP/1.1", "GET * HTTP/1.1", "GET http://x/api/read HTTP/1.1", "GET /api/nothing HTTP/1.1",
            "HEAD /api/read HTTP/1.1", "GET /api/small HTTP/1.1", "GET /livez HTTP/1.1 ",
        ):
            self.check(site, f"{head}\r\n{good}\r\n".encode("latin-1"))
        for line in (
            "Connection: close", "connection: Close", "Expect: 100-continue", "Content-Length: 0", "Content-Length: 2",
            "content-length: x", "Transfer-Encoding: chunked", "Transfer-Encoding: x", "X:", "X: ", "X:y", "X : y",
            " folded", "X", ":", "X: a\tb", "X: a\x00b", "X: \xe4", "x_y: z", "X:  y \t", "Cookie: a=b; c=d", "X: a\nb",
            "Authorization: Bearer other", "Host: y", "If-None-Match: *", "X: " + "y" * 5000, "X: " + "y" * 17_000,
            "\r\n".join(["X: y"] * 60), "\r\n".join(["X: y"] * 501), "Accept-Encoding: gzip", "Upgrade: websocket",
        ):
            self.check(site, f"GET /api/read HTTP/1.1\r\n{good}{line}\r\n\r\n".encode("latin-1"))
        one = request("GET", "/api/read", headers=KEY)
        for octets in (one * 3, b"\r\n" + one, one + b"\r\n" + one, one[:-2] + b"\n\n", one + b"GET ", b"GET \r\n\r\n"):
            self.check(site, octets)

    def check(self, site: Any, octets: bytes) -> None:
        found = []
        for pieces in ([octets], [octets[at:at + 1] for at in range(len(octets))]):
            connection = Connection(site)
            # The second shows what the first has left behind.
            for piece in (*pieces, b"\r\nGET /livez HTTP/1.1\r\nHost: x\r\nX-Request-Id: r-2\r\n\r\n"):
                if not connection.transport.disconnecting:
                    connection.send(piece)
            received, answers = connection.received(), []
            while received.startswith(b"HTTP/1.1 ") or received.startswith(b"HTTP/1.0 "):
                answer, received = parse(received, octets.startswith(b"HEAD") and not answers)
                fields = {name: value for name, value in answer.headers.items() if name not in ("date", "x-request-id")}
                answers.append((answer.status, fields, answer.body))
            found.append((answers, received, connection.transport.disconnecting))
            connection.close()
        self.assertEqual(found[0], found[1], octets[:200])


class TimeTests(SynchronousTestCase):
    """A request that does not get finished is cut."""

    def setUp(self) -> None:
        """A time-out of 60 s."""
        self.site, _, self.reactor = door(ROUTES)

    def drip(self, connection: Connection, octets: bytes, every: float) -> float:
        """Send octet by octet; the real seconds until the connection is cut."""
        begin = self.reactor.seconds()
        for n in range(len(octets)):
            connection.send(octets[n:n + 1])
            self.reactor.advance(every)
            if connection.transport.disconnecting:
                return self.reactor.seconds() - begin
        raise AssertionError("it was not cut")

    def test_dripping_header(self) -> None:
        """A header that drips in is cut after 60 s, not 60 s after its last octet."""
        octets = b"GET /api/read HTTP/1.1\r\nX: " + b"y" * 500
        self.assertTrue(58 < self.drip(Connection(self.site), octets, 1.0) < 63)

    def test_dripping_body(self) -> None:
        """So is a body; a large one has time for its octets."""
        connection = Connection(self.site)
        connection.send(request("POST", "/api/small", b"", {**KEY, "Content-Length": "900"}))
        self.assertTrue(58 < self.drip(connection, b"x" * 500, 1.0) < 63)

    def test_silence(self) -> None:
        """A connection that says nothing is closed after 60 s, also between two requests."""
        connection = Connection(self.site)
        self.reactor.advance(61)
        self.assertTrue(connection.transport.disconnecting)
        connection = Connection(self.site)
        connection.send(request("GET", "/api/read", headers=KEY))
        self.reactor.advance(59)
        connection.send(request("GET", "/api/read", headers=KEY))
        self.reactor.advance(59)
        self.assertFalse(connection.transport.disconnecting)
        self.reactor.advance(2)
        self.assertTrue(connection.transport.disconnecting)

    def test_long_answer(self) -> None:
        """A request may be answered after the time-out; then the connection may be quiet for as long as any other."""
        answers: list[Deferred[str]] = []

        async def wait(call: Call) -> str:
            answers.append(Deferred())
            return await answers[-1]

        site, _, reactor = door((Route("GET", "/api/wait", wait, "wait"),))
        connection = Connection(site)
        for _ in range(2):
            connection.send(request("GET", "/api/wait", headers=KEY))
            reactor.advance(200)
            self.assertFalse(connection.transport.disconnecting)
            answers[-1].callback("there")
            self.assertEqual(connection.answer().json(), "there")
            reactor.advance(59)
            self.assertFalse(connection.transport.disconnecting)
        reactor.advance(2)
        self.assertTrue(connection.transport.disconnecting)

    def test_no_timers_left(self) -> None:
        """A connection that is gone leaves no timer behind."""
        for octets in (b"", b"GET /a", request("GET", "/api/read", headers=KEY)):
            connection = Connection(self.site)
            connection.send(octets)
            connection.close()
        self.assertEqual(self.reactor.getDelayedCalls(), [])


class ConnectionLimitTests(SynchronousTestCase):
    """Over the limit of connections."""

    def test_refused_at_once(self) -> None:
        """The next connection gets 503 with Retry-After; when one is gone there is room again."""
        site, _, _ = door(ROUTES, connections=2)
        first, second, third = Connection(site), Connection(site), Connection(site)
        answer = third.answer()
        self.assertEqual((answer.status, answer.headers["retry-after"]), (503, "1"))
        self.assertTrue(third.transport.disconnecting)
        self.assertEqual(len(site.connections), 2)
        first.close()
        self.assertEqual(ask(site, "GET", "/api/read", key="v").status, 200)
        second.close()
        self.assertEqual(len(site.connections), 0)

    def test_one_address(self) -> None:
        """So is one address over its own; others are served."""
        site, _, _ = door(ROUTES, connections=9, per_address=2)
        ours = [Connection(site, "192.0.2.1") for _ in range(3)]
        self.assertEqual(ours.pop().answer().status, 503)
        self.assertEqual(ask(site, "GET", "/api/read", key="v").status, 200)
        self.assertEqual(len(site.connections), 2)
        ours.pop().close()
        ours.append(Connection(site, "192.0.2.1"))
        ours[1].send(request("GET", "/api/read", headers=KEY))
        self.assertEqual(ours[1].answer().status, 200)

    def test_drained(self) -> None:
        """At the end of the service all connections are closed."""
        site, _, _ = door(ROUTES)
        connection = Connection(site)
        self.successResultOf(site.drain(1.0))
        self.assertTrue(connection.transport.disconnecting)

    def test_drained_behind_an_answer(self) -> None:
        """Whoever waits for an answer has it first, within a time; then its connection is closed."""
        later: Deferred[str] = Deferred()
        site, _, clock = door([Route("GET", "/api/later", lambda call: later, "later")])
        asking, idle = Connection(site), Connection(site)
        asking.send(request("GET", "/api/later", headers=KEY))
        drained = site.drain(1.0)
        self.assertNoResult(drained)
        self.assertEqual((asking.transport.disconnecting, idle.transport.disconnecting), (False, True))
        later.callback("now")
        self.assertEqual(asking.answer().status, 200)
        self.assertTrue(asking.transport.disconnecting)
        asking.protocol.connectionLost(Failure(ConnectionDone()))
        self.successResultOf(drained)

    def test_drained_in_time(self) -> None:
        """Whoever is not answered in time is cut."""
        site, _, clock = door([Route("GET", "/api/later", lambda call: Deferred(), "later")])
        asking = Connection(site)
        asking.send(request("GET", "/api/later", headers=KEY))
        drained = site.drain(1.0)
        clock.advance(1.0)
        self.successResultOf(drained)
        self.assertTrue(asking.transport.disconnecting)


class AccessLogTests(SynchronousTestCase):
    """The access log."""

    def logged(self, method: str, path: str, **options: Any) -> list[dict[str, Any]]:
        """The lines one request leaves."""
        events: list[dict[str, Any]] = []
        globalLogPublisher.addObserver(events.append)  # type: ignore[arg-type]
        try:
            site, _, _ = door(ROUTES, reactor=Clock())
            ask(site, method, path, **options)
        finally:
            globalLogPublisher.removeObserver(events.append)  # type: ignore[arg-type]
        return [event for event in events if event.get("log_namespace") == "simmail.http"]

    def test_line(self) -> None:
        """A line has method, path, status, size, time, peer and id."""
        (event,) = self.logged("GET", "/api/read", key="v", headers={"X-Request-Id": "r1"})
        self.assertEqual(
            [event[name] for name in ("method", "path", "status", "octets", "remote", "request_id")],
            ["GET", "/api/read", 200, 6, "127.0.0.1", "r1"])

    def test_no_secrets(self) -> None:
        """Keys and values of parameters are in no line."""
        (event,) = self.logged("GET", "/api/read?token=sm_secret&subject=private", headers={"Cookie": "s=sm_secret"})
        text = event["log_format"].format(**event)
        self.assertNotIn("sm_secret", str(event))
        self.assertNotIn("private", text)
        self.assertIn("?subject,token", text)

    def test_no_injection(self) -> None:
        """A path adds no line to the log."""
        (event,) = self.logged("GET", "/api/x%0D%0AFAKE%00%1b[31m?%0A=1", key="v")
        text = event["log_format"].format(**event)
        self.assertTrue(text.isprintable(), text)


class TrafficTests(SynchronousTestCase):
    """In Prometheus's exposition format."""

    def figures(self, traffic: Traffic) -> dict[str, float]:
        return {name: float(value) for name, _, value in (
            line.rpartition(" ") for line in traffic.lines() if not line.startswith("#"))}

    def test_counted(self) -> None:
        """By method, route and status; what is no route has no path."""
        traffic = Traffic()
        for endpoint, status in (("GET /api/me", 200), ("GET /api/me", 200), ("GET /api/me", 401), ("", 404)):
            traffic.answered(endpoint, status, 0.001)
        found = self.figures(traffic)
        name = "simmail_http_requests_total"
        self.assertEqual([found[f'{name}{{method="{one}",path="{path}",status="{status}"}}'] for one, path, status in (
            ("GET", "/api/me", 200), ("GET", "/api/me", 401), ("", "", 404))], [2, 1, 1])

    @given(st.lists(st.floats(0, 5), max_size=40))
    def test_histogram(self, took: list[float]) -> None:
        """Each bucket holds all that took no longer; the last holds all; their sum is what they took."""
        traffic = Traffic()
        for seconds in took:
            traffic.answered("GET /", 200, seconds)
        found = self.figures(traffic)
        name = "simmail_http_request_seconds"
        for bound in BUCKETS:
            self.assertEqual(found[f'{name}_bucket{{le="{bound:g}"}}'], sum(one <= bound for one in took))
        self.assertEqual((found[f'{name}_bucket{{le="+Inf"}}'], found[f"{name}_count"]), (len(took), len(took)))
        self.assertAlmostEqual(found[f"{name}_sum"], sum(took), places=5)
