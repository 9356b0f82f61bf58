"""Routing, disconnects and what no route takes: always JSON, never a traceback."""

from __future__ import annotations

import errno
from typing import Any

from twisted.internet.defer import CancelledError, Deferred
from twisted.trial.unittest import SynchronousTestCase

from simmail.errors import TimedOut
from simmail.rest.answer import Octets, Paged, TAKEN
from simmail.rest.route import Call, Route
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
