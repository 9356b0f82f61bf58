"""The door: key, rate, universe, role, feature, in the ruled order."""

from __future__ import annotations

from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from simmail.config import Config, Http
from simmail.core.rules.quota_plan import Plan
from simmail.errors import NotFound, Unavailable
from simmail.rest.route import Body, Call, Route
from tests.rest.client import ask
from tests.rest.fakes import door


class Number(Body, frozen=True):
    n: int


def universe_of(call: Call) -> str:
    """Answers with the universe."""
    return call.universe.id


async def nowhere(call: Call) -> None:
    """Finds nothing."""
    raise NotFound("no such thing")


ROUTES = (
    Route("GET", "/api/read", universe_of, "read"),
    Route("PUT", "/api/write", universe_of, "write", role="member", body=Number),
    Route("PUT", "/api/rule", universe_of, "rule", role="admin"),
    Route("PUT", "/api/paid", universe_of, "paid", role="member", feature="links", body=Number, locate=nowhere),
    Route("PUT", "/api/things/{id}", universe_of, "thing", role="member", body=Number, locate=nowhere),
    Route("GET", "/open", lambda call: "open", "open", role=None),
)


class KeyTests(SynchronousTestCase):
    """Who calls."""

    def setUp(self) -> None:
        """A door."""
        self.site, self.roster, self.reactor = door(ROUTES)

    def test_bearer(self) -> None:
        """A key in the header acts in its universe; the scheme's case does not matter."""
        self.assertEqual(ask(self.site, "GET", "/api/read", key="v").json(), "main")
        self.assertEqual(ask(self.site, "GET", "/api/read", headers={"Authorization": "bearer  o"}).json(), "other")

    def test_token(self) -> None:
        """A key in the query will do; the header is preferred."""
        self.assertEqual(ask(self.site, "GET", "/api/read?token=v").json(), "main")
        self.assertEqual(ask(self.site, "GET", "/api/read?token=o", key="v").json(), "main")

    def test_none(self) -> None:
        """No key, a wrong one, another scheme, rubbish: 401 that says how to give one."""
        for headers, query in (
            ({}, ""), ({}, "?token="), ({"Authorization": "Bearer nope"}, ""),
            ({"Authorization": "Basic dmFsdWU="}, ""),
            ({"Authorization": "Bearer"}, ""), ({"Authorization": "Bearer \xe4"}, ""), ({}, "?token=%FF%FE"),
            ({"Authorization": "Bearer " + "x" * 5000}, ""),
        ):
            answer = ask(self.site, "GET", "/api/read" + query, headers=headers)
            self.assertEqual(answer.status, 401)
            self.assertEqual(answer.headers["www-authenticate"], "Bearer")
            self.assertIn("key", answer.error)

    def test_open(self) -> None:
        """What is open to everyone asks for no key."""
        self.assertEqual(ask(self.site, "GET", "/open").json(), "open")

    def test_another_universe(self) -> None:
        """A key used against another universe, in header or query, is refused with 403; its own may be named."""
        for headers, query in (({"X-Service-Universe": "other"}, ""), ({}, "?universe=other"),
                               ({"X-Service-Universe": "nope"}, ""), ({}, "?universe=")):
            self.assertEqual(ask(self.site, "GET", "/api/read" + query, key="v", headers=headers).status, 403)
        named = {"X-Service-Universe": "main"}
        self.assertEqual(ask(self.site, "GET", "/api/read?universe=main", key="v", headers=named).status, 200)

    def test_suspended(self) -> None:
        """A suspended organisation: 403 on every call."""
        self.roster.all["main"].suspended = True
        self.assertEqual(ask(self.site, "GET", "/api/read", key="a").status, 403)
        self.assertEqual(ask(self.site, "GET", "/api/read", key="o").status, 200)

    def test_redis_away(self) -> None:
        """503 with Retry-After, whatever is asked (decisions, section 20)."""
        self.roster.fail = Unavailable("Redis is away")
        answer = ask(self.site, "GET", "/api/read", key="v")
        self.assertEqual((answer.status, answer.headers["retry-after"], answer.error), (503, "2", "Redis is away"))
        self.roster.fail = None
        self.roster.database.set_healthy(False)
        self.assertEqual(ask(self.site, "PUT", "/api/write", {"n": 1}, "m").status, 503)
        self.assertEqual(ask(self.site, "GET", "/api/read", key="v").status, 503)
        self.assertEqual(ask(self.site, "GET", "/api/read", key="nobody").status, 401)


class RoleTests(SynchronousTestCase):
    """What a role may do."""

    def test_matrix(self) -> None:
        """Each role may call what needs it or less; 403 names the caller's role."""
        site, _, _ = door(ROUTES)
        for method, path, needed in (("GET", "/api/read", 0), ("PUT", "/api/write", 1), ("PUT", "/api/rule", 2)):
            for rank, key in enumerate("vma"):
                answer = ask(site, method, path, {"n": 1} if needed == 1 else None, key)
                self.assertEqual(answer.status, 200 if rank >= needed else 403, (path, key))
                if answer.status == 403:
                    self.assertIn(("viewer", "member", "admin")[rank], answer.error)

    def test_order(self) -> None:
        """401, 403, 402, 404, 400: the first that applies is told."""
        site, roster, _ = door(ROUTES)
        bad: Any = {"n": "x"}
        self.assertEqual(ask(site, "PUT", "/api/paid?universe=other&colour=1", bad).status, 401)
        self.assertEqual(ask(site, "PUT", "/api/paid?universe=other&colour=1", bad, "v").status, 403)
        self.assertEqual(ask(site, "PUT", "/api/paid?colour=1", bad, "v").status, 403)
        roster.all["main"].bought = Plan("free")
        answer = ask(site, "PUT", "/api/paid?colour=1", bad, "m")
        self.assertEqual((answer.status, answer.error), (402, "the plan free does not include links"))
        self.assertEqual(ask(site, "PUT", "/api/things/1?colour=1", bad, "m").status, 404)
        self.assertEqual(ask(site, "PUT", "/api/write?colour=1", bad, "m").error, "colour: unknown parameter")
        self.assertEqual(ask(site, "PUT", "/api/write", bad, "m").error, "n: must be a whole number, not text")


class RateTests(SynchronousTestCase):
    """How often."""

    def test_headers_and_429(self) -> None:
        """The allowance is told on every answer, also of an error; then 429 with Retry-After, until time passes."""
        site, _, reactor = door(ROUTES, Config(http=Http(rate=2.0, burst=3)))
        answer = ask(site, "GET", "/api/read", key="v")
        self.assertEqual([answer.headers["ratelimit-" + name] for name in ("limit", "remaining", "reset")],
                         ["3", "2", "1"])
        self.assertEqual(ask(site, "GET", "/api/nope", key="v").headers["ratelimit-remaining"], "1")
        self.assertEqual(ask(site, "PUT", "/api/rule", key="v").headers["ratelimit-remaining"], "0")
        answer = ask(site, "PUT", "/api/rule", key="v")
        self.assertEqual((answer.status, answer.headers["retry-after"]), (429, "1"))
        self.assertEqual(ask(site, "GET", "/api/read", key="a").status, 200)
        self.assertEqual(ask(site, "GET", "/api/read", key="nope").status, 401)
        reactor.advance(0.5)
        self.assertEqual(ask(site, "GET", "/api/read", key="v").status, 200)
        self.assertEqual(ask(site, "GET", "/api/read", key="v").status, 429)

    def test_off(self) -> None:
        """A rate of 0 is no limit and tells none."""
        site, _, _ = door(ROUTES)
        for _ in range(300):
            answer = ask(site, "GET", "/api/read", key="v")
        self.assertEqual(answer.status, 200)
        self.assertNotIn("ratelimit-limit", answer.headers)
