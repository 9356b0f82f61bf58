"""Routes found by the shape of their paths: the same that Klein's router finds."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote_to_bytes

from hypothesis import given, settings
from hypothesis import strategies as st
from klein import Klein
from twisted.trial.unittest import SynchronousTestCase
from werkzeug.exceptions import HTTPException

from simmail.rest.app import _Number
from simmail.rest.http.router import Router
from simmail.rest.routes import all_routes

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
        self.by_shape = Router((route.method, route.path, route) for route in ROUTES)
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
        if found is not None:
            self.assertEqual(found, expected)
        elif expected is not None:
            self.assertIn("/", str(expected[1].get("folder")))

    def test_not_found(self) -> None:
        """What is no UTF-8, empty or has a NUL is left alone."""
        for path in ("api/personas/%FF", "api/personas/", "api/personas/a%00b", "api/nope"):
            self.assertIsNone(self.find("GET", path), path)
