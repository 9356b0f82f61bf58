"""Routing, disconnects and what no route takes: always JSON, never a traceback."""

from __future__ import annotations

import errno
from typing import Any
from urllib.parse import unquote_to_bytes

from hypothesis import given, settings, strategies as st
from klein import Klein
from twisted.internet.defer import CancelledError, Deferred
from twisted.trial.unittest import SynchronousTestCase
from werkzeug.exceptions import HTTPException

from simmail.errors import TimedOut
from simmail.rest.answer import Octets, Paged, TAKEN
from simmail.rest.app import _Number, Router
from simmail.rest.route import Call, Route
from simmail.rest.routes import all_routes
from tests.rest.client import ask, Connection, request
from tests.rest.fakes import door


class Work:
    """Handlers whose end the test decides."""

    def __init__(self) -> None:
        self.waiting: list[Deferred[Any]] = []
        self.done: list[str] = []
        self.broken: list[str] = []

    async def __call__(self, call: Call) -> str:
        gate: Deferred[Any] = Deferred()
        self.waiting.append(gate)
        try:
            await gate
        except BaseException as error:
            self.broken.append(type(error).__name__)
            raise
        self.done.append(call.route.endpoint)
        return "done"

    __name__ = "work"


def echo(call: Call) -> dict[str, Any]:
    return call.path


def explode(call: Call) -> None:
    raise ZeroDivisionError("a secret: sm_abc")


def unreadable(call: Call) -> None:
    raise OSError(errno.EROFS, "Read-only file system", "/a/path")


def unencodable(call: Call) -> Any:
    return {"a": "\ud800"}


def late(call: Call) -> None:
    raise TimedOut("waited in vain")


def octets(call: Call) -> Octets:
    return Octets(b"x\r\n", "message/rfc822", (("X-Content-Type-Options", "nosniff"),))


def page(call: Call) -> Paged:
    return Paged([1, 2], {"before": 7, "limit": 2})


class DoorTestCase(SynchronousTestCase):
    """Tests of one door."""

    def setUp(self) -> None:
        """A door with routes of every shape."""
        self.work = Work()
        self.site, self.roster, self.reactor = door((
            Route("GET", "/api/plain", lambda call: {"ok": True}, "plain"),
            Route("GET", "/api/page", page, "page"),
            Route("GET", "/api/boxes/{address}/messages/{folder}/{uid}", echo, "message"),
            Route("GET", "/api/boxes/{address}/messages/{folder}/{uid}/raw", echo, "raw"),
            Route("GET", "/api/boxes/{address}/messages/{folder}/{uid}/attachments/{n}", echo, "attachment"),
            Route("GET", "/api/things/{id}", echo, "thing"),
            Route("DELETE", "/api/things/{id}", echo, "thing", role="member"),
            Route("GET", "/api/things/known", lambda call: "known", "known"),
            Route("GET", "/api/explode", explode, "explode"),
            Route("GET", "/api/explode/{id}", explode, "explode"),
            Route("GET", "/api/unencodable", unencodable, "unencodable"),
            Route("GET", "/api/late", late, "late"),
            Route("GET", "/api/unreadable", unreadable, "unreadable"),
            Route("GET", "/api/octets", octets, "octets"),
            Route("GET", "/api/slow", self.work, "slow"),
            Route("GET", "/api/slow/{id}", self.work, "slow"),
            Route("POST", "/api/change", self.work, "change", role="member"),
            Route("POST", "/api/change/{id}", self.work, "change", role="member"),
            Route("GET", "/open", lambda call: "open", "open", role=None),
        ))


class RouteTests(DoorTestCase):
    """A path leads to one call."""

    def test_folders(self) -> None:
        """A folder may hold slashes, written %2F or not; an address may hold one as %2F."""
        base = "/api/boxes/"
        for path, expected in (
            ("a@b.test/messages/INBOX/7", {"address": "a@b.test", "folder": "INBOX", "uid": 7}),
            ("a%40b.test/messages/Archive%2F2026/7", {"address": "a@b.test", "folder": "Archive/2026", "uid": 7}),
            ("a@b.test/messages/Archive/2026/7", {"address": "a@b.test", "folder": "Archive/2026", "uid": 7}),
            ("a%2Fb@b.test/messages/INBOX/7", {"address": "a/b@b.test", "folder": "INBOX", "uid": 7}),
            ("a@b.test/messages/A%20b%C3%A4/7/raw", {"address": "a@b.test", "folder": "A bä", "uid": 7}),
            ("a@b.test/messages/INBOX/7/attachments/0",
             {"address": "a@b.test", "folder": "INBOX", "uid": 7, "n": 0}),
        ):
            self.assertEqual(ask(self.site, "GET", base + path, key="v").json(), expected, path)

    def test_numbers(self) -> None:
        """A UID is ASCII digits; anything else is no path."""
        for uid in ("x", "-1", "+7", "7.0", "%D9%A3", "9" * 5000, ""):
            answer = ask(self.site, "GET", f"/api/boxes/a@b.test/messages/INBOX/{uid}", key="v")
            self.assertEqual(answer.status, 404, uid)
            self.assertTrue(answer.error)

    def test_static_wins(self) -> None:
        """A path without names wins over one with a name."""
        self.assertEqual(ask(self.site, "GET", "/api/things/known", key="v").json(), "known")
        self.assertEqual(ask(self.site, "GET", "/api/things/other", key="v").json(), {"id": "other"})

    def test_page(self) -> None:
        """The next page is in a Link header, with the parameters of this one and without the key."""
        answer = ask(self.site, "GET", "/api/page?token=v&universe=main")
        self.assertEqual(answer.json(), [1, 2])
        self.assertEqual(answer.headers["link"], '</api/page?universe=main&before=7&limit=2>; rel="next"')

    def test_octets(self) -> None:
        """An answer that is not JSON keeps its type and headers."""
        answer = ask(self.site, "GET", "/api/octets", key="v")
        self.assertEqual((answer.body, answer.headers["content-type"], answer.headers["x-content-type-options"]),
                         (b"x\r\n", "message/rfc822", "nosniff"))

    def test_head(self) -> None:
        """HEAD is GET without the body."""
        for path in ("/api/plain", "/api/things/x"):
            answer = ask(self.site, "HEAD", path, key="v")
            self.assertEqual((answer.status, answer.body), (200, b""))
            self.assertEqual(int(answer.headers["content-length"]), len(ask(self.site, "GET", path, key="v").body))

    def test_no_path(self) -> None:
        """An unknown path: 404, below /api only for those who have a key."""
        self.assertEqual(ask(self.site, "GET", "/api/nope", key="v").status, 404)
        self.assertEqual(ask(self.site, "GET", "/api/nope").status, 401)
        for path in ("/", "/nope", "//", "/api", "/open/", "/api/plain/", "//api//plain"):
            answer = ask(self.site, "GET", path, key="v")
            self.assertEqual((answer.status, answer.headers["content-type"]), (404, "application/json"), path)
            self.assertTrue(answer.error)

    def test_wrong_method(self) -> None:
        """405 names what is allowed, in the header too."""
        for method in ("POST", "OPTIONS", "PATCH", "FOO", "TRACE"):
            answer = ask(self.site, method, "/api/things/x", key="v")
            self.assertEqual((answer.status, answer.headers["allow"]), (405, "DELETE, GET, HEAD"), method)
            self.assertIn("GET", answer.error)
        self.assertEqual(ask(self.site, "POST", "/api/plain", key="v").headers["allow"], "GET, HEAD")
        self.assertEqual(ask(self.site, "POST", "/open").status, 405)
        self.assertEqual(ask(self.site, "POST", "/api/plain").status, 401)

    def test_strange_requests(self) -> None:
        """A path that is not UTF-8, a NUL in it, a strange method or host: JSON errors, or none at all."""
        for path in ("/api/things/%FF", "/api/things/%00", "/api/things/a%00b"):
            self.assertEqual(ask(self.site, "GET", path, key="v").status, 400, path)
        for host in ("ex ample..com", "", "x" * 300, "[::1", "\xff", "a" * 70 + ".test"):
            answer = ask(self.site, "GET", "/api/things/x", key="v", headers={"Host": host})
            self.assertEqual(answer.json(), {"id": "x"}, host)
        for method in ("get", "G\xe4T", "G-T"):
            self.assertEqual(ask(self.site, method, "/api/things/x", key="v").status, 400, method)
        connection = Connection(self.site)
        connection.send(b"GET\r\n\r\n")
        self.assertEqual(connection.answer().status, 400)

    def test_defect(self) -> None:
        """What should not happen: 500 with an incident that the log has, and nothing of the error itself."""
        for path in ("/api/explode", "/api/explode/x", "/api/unencodable"):
            answer = ask(self.site, "GET", path, key="v", headers={"X-Request-Id": "my-1"})
            self.assertEqual((answer.status, answer.error), (500, "internal error; the log has it as incident my-1"))
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 2)
        self.assertEqual(len(self.flushLoggedErrors(UnicodeEncodeError)), 1)

    def test_disk_refuses(self) -> None:
        """What the disk refuses may be tried again, and is no defect; no path is told."""
        answer = ask(self.site, "GET", "/api/unreadable", key="v")
        self.assertEqual((answer.status, answer.error),
                         (503, "the disk refuses: Read-only file system; try again later"))
        self.assertIn("retry-after", answer.headers)
        self.assertEqual(self.flushLoggedErrors(), [])

    def test_refusal(self) -> None:
        """A refusal in domain words has its status."""
        answer = ask(self.site, "GET", "/api/late", key="v")
        self.assertEqual((answer.status, answer.error), (408, "waited in vain"))

    def test_request_id(self) -> None:
        """Every answer has an id, no two the same; a good one of the client's is kept, a bad one is not."""
        first, second = (ask(self.site, "GET", "/api/plain", key="v").headers["x-request-id"] for _ in range(2))
        self.assertNotEqual(first, second)
        for sent, kept in (("abc-1.x_Y", True), ("a b", False), ("x" * 65, False), ("a\tb", False), ("", False)):
            answer = ask(self.site, "GET", "/api/nope", key="v", headers={"X-Request-Id": sent})
            self.assertEqual(answer.headers["x-request-id"] == sent, kept, sent)

    def test_twice_declared(self) -> None:
        """Two routes of one method and path are a mistake in the table."""
        route = Route("GET", "/api/plain", echo, "plain")
        self.assertRaises(ValueError, door, (route, route))


class DisconnectTests(DoorTestCase):
    """What becomes of a call whose client leaves."""

    def begin(self, method: str, path: str) -> Connection:
        """A request that is under way."""
        connection = Connection(self.site)
        connection.send(request(method, path, headers={"Authorization": "Bearer m"}))
        self.assertEqual(len(self.work.waiting), 1)
        return connection

    def test_read_is_broken_off(self) -> None:
        """A read ends when its client leaves."""
        for path in ("/api/slow", "/api/slow/x"):
            self.begin("GET", path).close()
            self.assertEqual(self.work.broken, ["CancelledError"])
            self.work.waiting.clear()
            self.work.broken.clear()

    def test_change_goes_on(self) -> None:
        """A change goes on to its end though nobody is left to hear of it."""
        for path in ("/api/change", "/api/change/x"):
            self.begin("POST", path).close()
            self.assertEqual(self.work.broken, [])
            self.work.waiting.pop().callback(None)
        self.assertEqual(self.work.done, ["POST /api/change", "POST /api/change/{id}"])

    def test_change_fails_alone(self) -> None:
        """A change that fails when nobody is left is logged, and hurts nobody."""
        self.begin("POST", "/api/change/x").close()
        self.work.waiting.pop().errback(ZeroDivisionError())
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)

    def test_answered_later(self) -> None:
        """A call that takes time is answered when it is done, on either way through the router."""
        for method, path in (("GET", "/api/slow"), ("GET", "/api/slow/x"), ("POST", "/api/change"),
                             ("POST", "/api/change/x")):
            connection = self.begin(method, path)
            self.work.waiting.pop().callback(None)
            self.assertEqual(connection.answer().json(), "done")

    def test_broken_off_by_others(self) -> None:
        """Who is still there when a call is broken off is told, and the log has it."""
        for method, path in (("GET", "/api/slow"), ("GET", "/api/slow/x"), ("POST", "/api/change")):
            connection = self.begin(method, path)
            self.work.waiting.pop().cancel()
            self.assertEqual(connection.answer().status, 500)
            self.assertEqual(len(self.flushLoggedErrors(CancelledError)), 1)

    def test_pipelined(self) -> None:
        """Requests sent together are answered in their order."""
        connection = self.begin("GET", "/api/slow")
        connection.send(request("GET", "/api/plain", headers={"Authorization": "Bearer m"}))
        self.assertEqual(connection.received(), b"")
        self.work.waiting.pop().callback(None)
        self.assertEqual(connection.answer().json(), "done")
        self.assertEqual(connection.answer().json(), {"ok": True})


class TakenTests(SynchronousTestCase):
    """A handler may answer by itself."""

    def test_taken(self) -> None:
        """Nothing is written behind what the handler wrote."""
        def take(call: Call) -> Any:
            call.request.write(b"mine")
            call.request.finish()
            return TAKEN

        for path in ("/api/take", "/api/take/x"):
            site, _, _ = door((Route("GET", "/api/take", take, "take"), Route("GET", "/api/take/{id}", take, "take")))
            self.assertEqual(ask(site, "GET", path, key="v").body, b"mine")


ROUTES = all_routes()
_WORDS = sorted({segment for route in ROUTES for segment in route.path[1:].split("/") if "{" not in segment})
_SEGMENT = st.sampled_from([
    *_WORDS, "7", "0", "9999999999", "99999999999", "x", "-1", "+7", "%D9%A3", "a@b.test", "A%20b", "ä", "x.y", ""])


def _made() -> st.SearchStrategy[tuple[str, str]]:
    """(method, path): of a route with something in the place of names, or of words thrown together."""
    def of(route: Any) -> st.SearchStrategy[tuple[str, str]]:
        segments = [_SEGMENT if "{" in one else st.just(one) for one in route.path[1:].split("/")]
        return st.tuples(st.just(route.method), st.tuples(*segments).map("/".join))

    free = st.tuples(st.sampled_from(["GET", "POST", "PUT", "PATCH", "DELETE"]),
                     st.lists(_SEGMENT, min_size=1, max_size=7).map(lambda some: "/".join(["api", *some])))
    return st.one_of(st.sampled_from(ROUTES).flatmap(of), free)


class RouterTests(SynchronousTestCase):
    """The table of the API, by both."""

    def setUp(self) -> None:
        self.by_shape = Router(ROUTES)
        klein = Klein()
        klein.url_map.converters["number"] = _Number
        klein.url_map.merge_slashes = False
        for route in ROUTES:
            klein.route(route.rule, methods=[route.method], endpoint=route.endpoint)(lambda request: None)
        self.router = klein.url_map.bind("localhost")

    def by_klein(self, method: str, path: str) -> tuple[str, dict[str, Any]] | None:
        try:
            endpoint, values = self.router.match("/" + unquote_to_bytes(path).decode("utf-8"), method=method)
        except HTTPException:
            return None
        return endpoint, dict(values)

    def find(self, method: str, path: str) -> tuple[str, dict[str, Any]] | None:
        found = self.by_shape.find(method.encode(), [unquote_to_bytes(one) for one in path.split("/")])
        return None if found is None else (found[0].endpoint, found[1])

    def test_each(self) -> None:
        """Every route is found."""
        for route in ROUTES:
            path = "/".join("7" if "{" in one else one for one in route.path[1:].split("/"))
            found = self.find(route.method, path)
            self.assertIsNotNone(found, route.endpoint)
            self.assertEqual(found, self.by_klein(route.method, path))

    @given(_made())
    @settings(max_examples=1500, deadline=None)
    def test_same(self, asked: tuple[str, str]) -> None:
        """What is found is what Klein's router finds; what is not may be a folder with slashes, or no path."""
        found, expected = self.find(*asked), self.by_klein(*asked)
        if found is not None and expected is not None and expected[0].endswith("{token}.json"):
            # Shapes know no endings: the call of a share takes its token with one, and answers for both.
            self.assertEqual(found, ("GET /share/{token}", {"token": expected[1]["token"] + ".json"}))
        elif found is not None:
            self.assertEqual(found, expected)
        elif expected is not None:
            self.assertIn("/", str(expected[1].get("folder")))

    def test_not_found(self) -> None:
        """What is no UTF-8, empty or has a NUL is left alone."""
        for path in ("api/personas/%FF", "api/personas/", "api/personas/a%00b", "api/nope"):
            self.assertIsNone(self.find("GET", path), path)
