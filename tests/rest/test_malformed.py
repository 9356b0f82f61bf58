"""Malformed input by the thousand: refused, never a defect (promises, R8)."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import quote

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simmail.rest.routes import all_routes
from tests.rest.client import Connection
from tests.rest.served import ServedTestCase

QUICK = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))

LEAVES = (st.none() | st.booleans() | st.integers(-2**70, 2**70) | st.floats() | st.text(max_size=20)
          | st.sampled_from(["a@b.test", "p_1", "INBOX", "1d", "2026-03-02T09:00:00Z", "\r\n", "../..", "\0", "<a@b>"]))
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3)
                      | st.dictionaries(st.text(max_size=8), inner, max_size=3), max_leaves=8)
ROUTES = [route for route in all_routes()
          if not route.hidden and not route.path.startswith("/api/wait") and "stream" not in route.path]
CHANGES = [route for route in ROUTES if route.example is not None]


class MalformedTests(ServedTestCase):
    """Nothing that is sent makes the service fail."""

    def setUp(self) -> None:
        """Something to hit."""
        super().setUp()
        made = self.persona()
        self.good("POST", "/api/inject", {"to": "app@sim.test", "from": "x@y.test"})
        self.values = {"id": made["id"], "address": "app@sim.test", "folder": "INBOX", "uid": "1", "n": "0",
                       "prefix": "x", "email": "x@y.test", "token": "x", "snapshot": "x"}

    def path(self, template: str) -> str:
        """A path at which there is something."""
        return re.sub(r"\{([a-z_]+)\}", lambda match: self.values[match[1]], template)

    def fine(self, status: int, body: bytes) -> None:
        """The answer is no defect, and an error says something."""
        self.assertIn(status, (200, 400, 401, 403, 404, 405, 408, 409, 413, 429), body)
        if status != 200:
            self.assertTrue(json.loads(body)["error"])

    @QUICK
    @given(st.sampled_from(CHANGES), st.data())
    def test_bodies(self, route: Any, data: st.DataObject) -> None:
        """The example of each call with one of its values replaced by anything."""
        body = json.loads(json.dumps(route.example))
        one = body[0] if isinstance(body, list) else body
        one[data.draw(st.sampled_from(sorted(one)))] = data.draw(VALUES)
        answer = self.ask(route.method, self.path(route.path), json.dumps(body).encode())
        self.fine(answer.status, answer.body)

    @QUICK
    @given(st.sampled_from(CHANGES), st.binary(max_size=60) | VALUES.map(lambda value: json.dumps(value).encode()))
    def test_any_body(self, route: Any, body: bytes) -> None:
        """Anything as a body."""
        answer = self.ask(route.method, self.path(route.path), body)
        self.fine(answer.status, answer.body)

    @QUICK
    @given(st.sampled_from(ROUTES), st.data())
    def test_parameters(self, route: Any, data: st.DataObject) -> None:
        """Anything as a parameter."""
        names = list(route.query.__struct_encode_fields__) or ["x"]
        query = "&".join(
            f"{name}={quote(data.draw(st.text(max_size=12) | st.sampled_from(['1', '0', 'true', '-1', '2026-03-02'])))}"
            for name in data.draw(st.lists(st.sampled_from(names), max_size=3)))
        answer = self.ask(route.method, f"{self.path(route.path)}?{query}")
        if route.role is not None:
            self.fine(answer.status, answer.body)

    @QUICK
    @given(st.sampled_from([route for route in ROUTES if route.names]), st.data())
    def test_paths(self, route: Any, data: st.DataObject) -> None:
        """Anything in a path."""
        path = re.sub(r"\{[a-z_]+\}", lambda _: quote(data.draw(st.text(max_size=10)), safe=""), route.path)
        answer = self.ask(route.method, path)
        if answer.headers["content-type"].startswith("text/html"):
            self.assertEqual((route.media, answer.status), ("text/html", 404))
        else:
            self.fine(answer.status, answer.body)

    @QUICK
    @given(st.binary(max_size=200), st.sampled_from([b"", b"GET /api/me HTTP/1.1\r\n", b"POST /api/send HTTP/1.1\r\n",
                                                     b"GET /api/status HTTP/1.1\r\nContent-Length: 9\r\n\r\n"]))
    def test_octets(self, octets: bytes, begin: bytes) -> None:
        """Anything on the wire."""
        connection = Connection(self.site)
        connection.send(begin + octets + b"\r\n\r\n")
        received = connection.received()
        connection.close()
        self.assertNotIn(b"HTTP/1.1 5", received)
        self.assertEqual(self.flushLoggedErrors(), [])
