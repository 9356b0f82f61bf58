"""One request from the guard to the last octet: what is polled, where lists go on, who is asked again."""

from __future__ import annotations

from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from simmail.errors import NotFound
from simmail.rest.answer import Cookied, Paged
from simmail.rest.route import Body, Call, Route
from tests.rest.client import Connection, ask, request
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
        for given, status in ((tag, 304), (f'"x", W/{tag}', 304), ("*", 304), ('"x"', 200), ("", 200)):
            answer = ask(self.site, "GET", "/api/list", key="v", headers={"If-None-Match": given})
            self.assertEqual((answer.status, answer.headers["etag"]), (status, tag), given)
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
