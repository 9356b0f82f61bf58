"""How the answer to a request is written."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from simmail.rest.answer import Octets
from simmail.rest.route import Call, Route
from tests.rest.client import Connection, ask, parse, request
from tests.rest.fakes import door

#: A header field that an answer may have.
_FIELD = st.tuples(st.sampled_from(["ETag", "Link", "X-One", "X-Two"]), st.text(st.characters(
    codec="utf-8", exclude_categories=("Cs",)), max_size=20))


class AnswerTests(SynchronousTestCase):
    """Whatever the handler says, in one piece."""

    def setUp(self) -> None:
        """A door with one route, whose answer the test decides."""
        self.answer: Any = {"ok": True}
        self.site, self.roster, self.reactor = door((
            Route("GET", "/api/said", lambda call: self.answer, "said"),
            Route("GET", "/api/head", self.with_head, "head"),
        ))

    def with_head(self, call: Call) -> Any:
        """Set a field of the answer by oneself."""
        call.request.responseHeaders.setRawHeaders(b"X-Set", [b"before"])
        return self.answer

    def test_every(self) -> None:
        """What goes with every answer goes once, whichever way it is written."""
        for method in ("GET", "HEAD"):
            answer = ask(self.site, method, "/api/said", key="v")
            self.assertEqual(answer.headers.keys(), {
                "server", "date", "x-request-id", "content-type", "x-content-type-options", "content-length"})
            self.assertEqual((answer.headers["content-length"], answer.headers["content-type"]),
                             ("11", "application/json"))
            self.assertEqual(answer.body, b'{"ok":true}' if method == "GET" else b"")

    @given(st.dictionaries(st.sampled_from(["ETag", "Link", "X-One", "X-Two"]), _FIELD.map(lambda one: one[1])))
    def test_no_injection(self, fields: dict[str, str]) -> None:
        """No value of a field ends the field: what is written in one go is what Twisted writes field by field."""
        self.answer = Octets(b"body", "text/plain", tuple(fields.items()))
        connection = Connection(self.site)
        connection.send(request("GET", "/api/said", headers={"Authorization": "Bearer v"}))
        octets = connection.received()
        connection.close()
        answer, rest = parse(octets)
        self.assertEqual((answer.status, answer.body, rest), (200, b"body", b""))
        head = octets.partition(b"\r\n\r\n")[0].split(b"\r\n")
        for line in head[1:]:
            self.assertIsNotNone(re.fullmatch(rb"[A-Za-z-]+: [^\r\n]*", line), line)
        self.assertEqual(len(head), 7 + len(fields))

    def test_set_before(self) -> None:
        """Fields that are set already go with those of the answer."""
        self.answer = Octets(b"", "text/plain", (("X-Two", "behind"),), 404)
        answer = ask(self.site, "GET", "/api/head", key="v")
        self.assertEqual((answer.status, answer.headers["x-set"], answer.headers["x-two"]), (404, "before", "behind"))

    def test_no_body(self) -> None:
        """304 has neither type nor length."""
        self.answer = Octets(b"", "text/plain", (("ETag", "x"),), 304)
        answer = ask(self.site, "GET", "/api/said", key="v")
        self.assertEqual((answer.status, answer.headers.get("content-type"), answer.headers["etag"]), (304, None, "x"))

    def test_request_id(self) -> None:
        """A good one of the client's is kept, any other replaced; two that are made differ."""
        made = set()
        for sent, kept in (("a.B-9_" + "x" * 58, True), ("x" * 65, False), ("a b", False), ("", False), ("ü", False)):
            found = ask(self.site, "GET", "/api/said", key="v", headers={"X-Request-Id": sent}).headers["x-request-id"]
            self.assertEqual(found == sent, kept, sent)
            made.add(found)
        self.assertEqual(len(made), 5)

    def test_old_client(self) -> None:
        """A client of HTTP/1.0 is answered, and its connection closed."""
        connection = Connection(self.site)
        connection.send(b"GET /api/said HTTP/1.0\r\nAuthorization: Bearer v\r\n\r\n")
        self.assertEqual(connection.answer().json(), {"ok": True})
        self.assertTrue(connection.transport.disconnecting)
