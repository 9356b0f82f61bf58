"""
Who may call what: key, rate, universe, role, plan feature, in this order.

Source: API contract, "Authentication" and "Limits"; decisions, section 23
("Roles and order of errors": 401, 429, 403, 402, 404, 400).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from twisted.web.server import Request

from simmail.errors import Forbidden, TooMany, Unauthenticated, Unavailable
from simmail.rest.schema import ROLES, Call, Role
from simmail.rest.services import Services

if TYPE_CHECKING:
    from simmail.universe.roster import Identity

_RANK: dict[str, int] = {role: rank for rank, role in enumerate(ROLES)}

#: No key is longer; nothing longer is hashed.
_LONGEST_TOKEN = 200

#: So many buckets are kept before those that are full again are dropped.
_MOST_BUCKETS = 10_000


class Left(NamedTuple):
    """What is left of a caller's allowance; seconds until it is whole, and until one more call may be made."""

    limit: int
    remaining: int
    reset: int
    retry_after: float


class Allowances:
    """
    A token bucket for each caller: C{rate} calls a second, C{burst} at once; a C{rate} of 0 is no limit.

    Real seconds are passed in; nothing here reads a clock.
    """

    def __init__(self, rate: float, burst: int) -> None:
        self._rate = rate
        self._burst = max(1, burst)
        self._buckets: dict[str, tuple[float, float]] = {}

    def take(self, caller: str, now: float) -> tuple[bool, Left | None]:
        """Whether C{caller} may make one more call, and what is then left; C{None} where there is no limit."""
        if self._rate <= 0:
            return True, None
        tokens, then = self._buckets.get(caller, (float(self._burst), now))
        tokens = min(self._burst, tokens + max(0.0, now - then) * self._rate)
        allowed = tokens >= 1.0
        if allowed:
            tokens -= 1.0
        self._buckets[caller] = (tokens, now)
        if len(self._buckets) > _MOST_BUCKETS:
            self._forget(now)
        return allowed, Left(
            self._burst, int(tokens), math.ceil((self._burst - tokens) / self._rate),
            0.0 if tokens >= 1.0 else (1.0 - tokens) / self._rate)

    def _forget(self, now: float) -> None:
        whole = self._burst / self._rate
        self._buckets = {caller: kept for caller, kept in self._buckets.items() if kept[1] + whole > now}


class Guard:
    """The door of the API."""

    def __init__(self, services: Services) -> None:
        self._roster = services.roster
        self._reactor = services.reactor
        self._allowances = Allowances(services.config.http.rate, services.config.http.burst)

    async def identify(self, request: Request) -> Identity:
        """
        Who calls.

        @raise Unauthenticated: no key, or a wrong one.
        """
        identity: Identity = await self._roster.identify(_token(request))
        return identity

    def charge(self, identity: Identity, request: Request) -> None:
        """
        Count the call, and tell what is left in the headers of the answer.

        @raise TooMany: over the rate.
        """
        allowed, left = self._allowances.take(identity.prefix, self._reactor.seconds())
        if left is not None:
            headers = request.responseHeaders
            headers.setRawHeaders(b"RateLimit-Limit", [b"%d" % left.limit])
            headers.setRawHeaders(b"RateLimit-Remaining", [b"%d" % left.remaining])
            headers.setRawHeaders(b"RateLimit-Reset", [b"%d" % left.reset])
            if not allowed:
                raise TooMany("too many requests; try again later", left.retry_after)

    async def admit(self, call: Call) -> None:
        """
        Let a call in: its C{identity} and C{universe} are set.

        @raise Unauthenticated, TooMany, Forbidden, FeatureMissing: not this caller, not now, not this call.
        @raise Unavailable: Redis is known to be away.
        """
        route, request = call.route, call.request
        if route.role is None:
            return
        identity = call.identity = await self.identify(request)
        self.charge(identity, request)
        named = named_universe(request)
        if named is not None and named != identity.universe:
            raise Forbidden("the key belongs to another universe")
        check_rank(identity.role, route.role)
        universe = call.universe = self._roster.universe(identity.universe)
        if self._roster.org_of(universe).suspended:
            raise Forbidden("the organization is suspended")
        if route.feature is not None:
            universe.plan().require(route.feature)
        if not self._roster.available:
            # Some could be answered from memory; another process may know better by now.
            raise Unavailable("Redis is away; try again later")


def check_rank(role: str, needed: Role) -> None:
    """@raise Forbidden: C{role} is lower than C{needed}."""
    if _RANK.get(role, -1) < _RANK[needed]:
        raise Forbidden(f"your role is {role}; this call needs {needed}")


def named_universe(request: Request) -> str | None:
    """The universe a request names in C{X-Service-Universe} or C{?universe=}; the header is preferred."""
    named = request.getHeader(b"X-Service-Universe")
    if named is None:
        named = request.args.get(b"universe", (None,))[0]
    return None if named is None else named.decode("utf-8", "replace")


def _token(request: Request) -> str:
    header = request.getHeader(b"Authorization")
    if header is not None:
        scheme, _, token = header.partition(b" ")
        if scheme.lower() != b"bearer":
            raise Unauthenticated("give the API key as Authorization: Bearer <key>")
        token = token.strip()
    else:
        token = request.args.get(b"token", (b"",))[0]
    if not token:
        raise Unauthenticated("an API key is needed: Authorization: Bearer <key>")
    if len(token) > _LONGEST_TOKEN or not token.isascii():
        raise Unauthenticated("the API key is not valid")
    return str(token, "ascii")
