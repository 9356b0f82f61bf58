"""One request from its path to the last octet: what is polled, where lists go on, who is asked again."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote_to_bytes

from hypothesis import given, settings, strategies as st
from klein import Klein
from twisted.trial.unittest import SynchronousTestCase
from werkzeug.exceptions import HTTPException

from simmail.errors import NotFound
from simmail.rest.answer import Cookied, Paged
from simmail.rest.app import _Number
from simmail.rest.dispatch import Router
from simmail.rest.route import Body, Call, Route
from simmail.rest.routes import all_routes
from simmail.server.demo import create_demo
from simmail.server.users import PASS, SESSION
from simmail.testing.universe import now
from tests.rest.api.test_session import OWN, SessionTestCase
from tests.rest.client import ask, Connection, request
from tests.rest.fakes import door


class Text(Body, frozen=True):
    """A text."""

    text: str = ""


class DispatchTests(SynchronousTestCase):
    """A door with routes of each kind."""

    def setUp(self) -> None:
        """A list that changes, a page of it, a thing that may be gone."""
        self.items: list[Any] = [1, 2]
        self.looked = 0
        self.site, self.roster, self.reactor = door((
            Route("GET", "/api/list", lambda call: self.items, "list", polled=True),
            Route("GET", "/api/page", lambda call: Paged([1], {"before": "a&b c"}), "page"),
            Route("GET", "/api/cookie", lambda call: Cookied({}, "s=1; HttpOnly"), "cookie", role=None),
            Route("PUT", "/api/things/{id}", lambda call: call.found, "thing", body=Text, locate=self.locate),
        ))

    async def locate(self, call: Call) -> str:
        """Find it, as long as it is there."""
        self.looked += 1
        if call.path["id"] != "one":
            raise NotFound("there is no such thing")
        return f"found {self.looked}"

    def test_polled(self) -> None:
        """Who has what is there is told so, without it; any tag of a list, weak ones and C{*} too."""
        tag = ask(self.site, "GET", "/api/list", key="v").headers["etag"]
        for held, status in ((tag, 304), (f'"x", W/{tag}', 304), ("*", 304), ('"x"', 200), ("", 200)):
            answer = ask(self.site, "GET", "/api/list", key="v", headers={"If-None-Match": held})
            self.assertEqual((answer.status, answer.headers["etag"]), (status, tag), held)
        self.items = [1, 2, 3]
        self.assertEqual(ask(self.site, "GET", "/api/list", key="v", headers={"If-None-Match": tag}).json(), [1, 2, 3])

    def test_next(self) -> None:
        """The way to what follows asks the same question with another cursor, and has no key in it."""
        answer = ask(self.site, "GET", "/api/page?universe=main&token=v")
        self.assertEqual((answer.json(), answer.headers["link"]),
                         ([1], '</api/page?universe=main&before=a%26b+c>; rel="next"'))

    def test_cookie(self) -> None:
        """An answer with a cookie is kept by nobody."""
        answer = ask(self.site, "GET", "/api/cookie")
        self.assertEqual((answer.headers["set-cookie"], answer.headers["cache-control"]), ("s=1; HttpOnly", "no-store"))

    def test_not_there(self) -> None:
        """What the path names is looked for before its body is looked at."""
        answer = ask(self.site, "PUT", "/api/things/none", b"{", "m")
        self.assertEqual((answer.status, answer.error), (404, "there is no such thing"))
        self.assertIn("not valid JSON", ask(self.site, "PUT", "/api/things/one", b"{", "m").error)

    def test_looked_again(self) -> None:
        """A body that took its time: what is there is looked for again when it has come."""
        octets = request("PUT", "/api/things/one", {"text": "x"}, {"Authorization": "Bearer m"})
        self.assertEqual(ask(self.site, "PUT", "/api/things/one", {"text": "x"}, "m").json(), "found 1")
        connection = Connection(self.site)
        connection.send(octets[:-3])
        self.assertEqual(self.looked, 2)
        connection.send(octets[-3:])
        self.assertEqual(connection.answer().json(), "found 3")


STREAM, WAIT = "/api/events/stream", "/api/wait?to=app@sim.test&timeout=5m"


class LastingTests(SessionTestCase):
    """Streams are closed, waits are refused."""

    def setUp(self) -> None:
        """Nothing is left behind by what ends."""
        super().setUp()
        self.opened: list[Connection] = []
        self.timers = len(self.server.reactor.getDelayedCalls())
        # The insights of a universe watch as long as it lives.
        self.watchers = len(self.universe.log._watchers)

    def open(self, path: str, **headers: str) -> Connection:
        """A call that stays open."""
        connection = Connection(self.site)
        self.opened.append(connection)
        connection.send(request("GET", path, headers={"Cookie": self.cookie, **headers}))
        head = connection.received()
        self.assertEqual(head[:15], b"HTTP/1.1 200 OK" if path.startswith(STREAM) else b"")
        return connection

    def by_key(self, path: str, role: str = "viewer") -> Connection:
        """The same with a key."""
        return self.open(path, Authorization=f"Bearer {self.keys[role]}")

    def ended(self, stream: Connection) -> None:
        """A stream has come to its end, as HTTP has it."""
        self.assertEqual(stream.received()[-5:], b"0\r\n\r\n")

    def refused(self, wait: Connection, status: int, text: str) -> None:
        """A wait was answered with an error."""
        answer = wait.answer()
        self.assertEqual((answer.status, answer.error), (status, text))

    def clean(self) -> None:
        """No watcher and no timer is left; nothing was logged as a defect."""
        for connection in self.opened:
            connection.close()
        self.assertEqual((len(self.universe.log._watchers), len(self.server.roster._documents._watchers)),
                         (self.watchers, 0))
        self.assertLessEqual(len(self.server.reactor.getDelayedCalls()), self.timers)

    def test_key(self) -> None:
        """The key is revoked: what was opened with it ends, what was opened with another goes on."""
        stream, wait = self.by_key(STREAM), self.by_key(WAIT)
        moved, none = self.by_key(WAIT + "&advance=1", "member"), self.by_key("/api/wait/none?to=app@sim.test")
        reply = self.by_key(f"/api/wait/reply?persona={self.persona()['addresses'][0]}")
        stays = self.by_key(STREAM, "admin"), self.by_key(WAIT, "admin")
        stays[0].received()
        for role in ("viewer", "member"):
            now(self.server.roster.revoke_key(self.keys[role].split("_")[1]))
        self.ended(stream)
        for one in (wait, moved, none, reply):
            self.refused(one, 401, "the API key is not valid")
        self.assertEqual([one.received() for one in stays], [b"", b""])
        self.good("POST", "/api/send", {"from": "x@y.test", "to": ["app@sim.test"], "text": "Hello"})
        self.assertIn(b"event: mail.delivered", stays[0].received())
        self.assertEqual(stays[1].answer().status, 200)
        # What was sent is scored in a moment.
        self.server.reactor.advance(1)
        self.clean()

    def test_pass(self) -> None:
        """A pass ends after 15 minutes, and so does a stream that was opened with it."""
        token = self.by("POST", "/api/session/pass", {}, **OWN).json()["token"]
        stream = self.open(f"{STREAM}?token={token}")
        for _ in range(int(PASS / 15) - 1):
            self.server.reactor.advance(15)
        self.assertTrue(stream.received().endswith(b": ping\n\n\r\n"))
        wait = self.open(f"{WAIT}&token={token}")
        self.server.reactor.advance(15)
        self.ended(stream)
        self.refused(wait, 401, "the session has ended; sign in again")
        self.clean()

    def test_session(self) -> None:
        """The person signs out, or the session ends by itself."""
        stream, wait = self.open(STREAM), self.open(WAIT)
        self.by("DELETE", "/api/session", **OWN)
        self.ended(stream)
        self.refused(wait, 401, "the session has ended; sign in again")
        self.cookie = self.sign_in("ann@x.test")
        stream = self.open(STREAM)
        self.server.reactor.advance(SESSION)
        self.ended(stream)
        self.clean()

    def test_pass_of_session(self) -> None:
        """What was opened with a pass ends when the session signs out that made it."""
        token = self.by("POST", "/api/session/pass", {}, **OWN).json()["token"]
        stream, wait = self.open(f"{STREAM}?token={token}"), self.open(f"{WAIT}&token={token}")
        self.by("DELETE", "/api/session", **OWN)
        self.ended(stream)
        self.refused(wait, 401, "the session has ended; sign in again")
        self.clean()

    def test_person(self) -> None:
        """The person is put out of the organisation, or deleted; a change that takes nothing away ends nothing."""
        users = self.server.roster.users
        stream, wait = self.open(STREAM), self.open(WAIT)
        now(users.change("ann@x.test", orgs={"default": "viewer", "rival": "viewer"}))
        now(self.server.roster.change_org("default", plan="self-hosted"))
        self.assertNotIn(b"0\r\n\r\n", stream.received())
        now(users.change("ann@x.test", orgs={"rival": "viewer"}))
        self.ended(stream)
        self.assertEqual(wait.answer().status, 403)
        stream = self.open(STREAM, **{"X-Service-Universe": "other"})
        now(users.delete("ann@x.test"))
        self.ended(stream)
        self.clean()

    def test_universe(self) -> None:
        """The universe is deleted, with its keys."""
        key = now(self.server.roster.create_key("other", "viewer", "x"))
        now(self.server.roster.users.change("ann@x.test", administrator=True))
        streams = [self.open(STREAM, Authorization=f"Bearer {key}"),
                   self.open(STREAM, **{"X-Service-Universe": "other"})]
        wait = self.open(WAIT, Authorization=f"Bearer {key}")
        now(self.server.roster.delete_universe("other"))
        for stream in streams:
            self.ended(stream)
        self.refused(wait, 401, "the API key is not valid")
        self.clean()

    def test_demo(self) -> None:
        """The demo is taken away."""
        now(create_demo(self.server.roster))
        connection = Connection(self.site)
        connection.send(request("GET", STREAM + "?universe=demo"))
        self.assertIn(b"200 OK", connection.received())
        now(self.server.roster.delete_universe("demo"))
        self.ended(connection)

    def test_suspended(self) -> None:
        """The organisation is suspended."""
        stream, wait = self.by_key(STREAM), self.by_key(WAIT)
        now(self.server.roster.change_org("default", suspended=True))
        self.ended(stream)
        self.refused(wait, 403, "the organization is suspended")
        self.clean()

    def test_redis_away(self) -> None:
        """That Redis is away takes nothing from anybody."""
        stream = self.by_key(STREAM)
        self.server.database.set_healthy(False)
        self.server.roster._documents.tell()
        self.assertNotIn(b"0\r\n\r\n", stream.received())
        self.server.database.set_healthy(True)
        self.clean()


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
