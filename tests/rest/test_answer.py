"""Tests for C{simmail.rest.answer}: each kind of answer on the wire."""

from __future__ import annotations

from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from simmail.rest.answer import Cookied, Octets, Paged, TAKEN
from simmail.rest.route import Call, Query, Route
from tests.rest.client import Answer, ask
from tests.rest.fakes import door


class Page(Query, frozen=True):
    """How much of it."""

    limit: int = 2
    before: str | None = None
    q: str = ""


def take(call: Call) -> Any:
    request: Any = call.request
    request.answer(202, b"[]")
    return TAKEN


ANSWERS: dict[str, Any] = {
    "octets": Octets(b"\x00\xff", "application/x-thing; charset=x", (("X-One", "1"), ("X-Two", "2")), 203),
    "page": Paged(["a", "b"], {"before": "ü&=", "limit": 2}), "last": Paged([]),
    "signed-in": Cookied({"a": 1}, "c=v; Path=/"), "kept": Cookied(Paged([1], {"after": 1}), ""),
}
ROUTES = (
    *(Route("GET", f"/api/{name}", lambda call, answer=answer: answer, name, query=Page, role=None)
      for name, answer in ANSWERS.items()),
    Route("GET", "/api/taken", take, "taken", role=None),
)


class AnswerTests(SynchronousTestCase):
    """What handlers answer besides what is simply encoded."""

    def setUp(self) -> None:
        self.site, _, _ = door(ROUTES)

    def answer(self, path: str) -> Answer:
        return ask(self.site, "GET", "/api/" + path)

    def test_octets(self) -> None:
        """Octets go out as they are, with their type, status and headers."""
        found = self.answer("octets")
        self.assertEqual((found.status, found.body), (203, b"\x00\xff"))
        self.assertEqual([found.headers[one] for one in ("content-type", "x-one", "x-two")],
                         ["application/x-thing; charset=x", "1", "2"])

    def test_page(self) -> None:
        """A page links to what comes behind it: the same question, another cursor, no key; the last does not."""
        found = self.answer("page?q=a%20b&token=secret&before=x")
        self.assertEqual(found.json(), ["a", "b"])
        self.assertEqual(found.headers["link"], '</api/page?q=a+b&before=%C3%BC%26%3D&limit=2>; rel="next"')
        self.assertNotIn("link", self.answer("last").headers)

    def test_cookie(self) -> None:
        """Such an answer nobody keeps, and it sets a cookie where there is one to set."""
        found = self.answer("signed-in")
        self.assertEqual((found.json(), found.headers["set-cookie"], found.headers["cache-control"]),
                         ({"a": 1}, "c=v; Path=/", "no-store"))

    def test_taken(self) -> None:
        """What the handler has answered itself is not answered again."""
        found = self.answer("taken")
        self.assertEqual((found.status, found.body), (202, b"[]"))
