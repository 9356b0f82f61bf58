"""
Who may call what: key, rate, universe, role, plan feature, in this order.

Source: API contract, "Authentication" and "Limits"; decisions, section 23
("Roles and order of errors": 401, 429, 403, 402, 404, 400).
"""

from __future__ import annotations

from twisted.web.server import Request

from simmail.errors import Elsewhere, Forbidden, Invalid, NotFound, Replaced, TooMany, Unauthenticated, Unavailable
from simmail.rest.context import Services
from simmail.rest.ratelimit import Rates
from simmail.rest.route import Call, Identity
from simmail.server.apikeys import Role, ROLES

_RANK: dict[str, int] = {role: rank for rank, role in enumerate(ROLES)}

#: The cookie of a session.
COOKIE = b"simmail_session"

#: The universe anybody may look at.
DEMO = "demo"

#: No key is longer; nothing longer is hashed.
_LONGEST_TOKEN = 200


class Guard:
    """The door of the API."""

    def __init__(self, services: Services) -> None:
        config = services.config
        self._server = services.server
        self._database = services.server.database
        self._demo = config.server.demo
        http, draw, seconds = config.http, self._database.draw, services.reactor.seconds
        self._keys = Rates("key", http.rate, http.burst, draw, seconds)
        self._console = Rates("console", http.console_rate, http.console_burst, draw, seconds)

    async def identify(self, request: Request) -> Identity:
        """
        Find out who calls: by key or pass, else by the session's cookie, else as one who looks at the demo.

        @raise Unauthenticated: nobody that is known.
        @raise Forbidden: a change from another site.
        """
        token = _token(request)
        if token is not None:
            if token.startswith("smp_"):
                return self._passed(token)
            key = await self._server.identify(token)
            return Identity("key", key.prefix, key.name, key.universe, key.role, key.administrator, tools=key.tools)
        session = _session(request)
        if session:
            return self._person(session, request)
        if self._shows_demo(request):
            return Identity("demo", "demo", "demo", DEMO, "viewer", False)
        raise Unauthenticated("an API key is needed: Authorization: Bearer <key>")

    def _passed(self, token: str) -> Identity:
        users = self._server.users
        user, ticket = users.holder(token)
        # What the person may do now counts, not what they might when the pass was made.
        role: Role = min(ticket.role or "viewer", users.role(user, ticket.universe), key=_RANK.__getitem__)
        return Identity("pass", "pass " + user.email, user.email, ticket.universe, role, False, user)

    def _person(self, token: str, request: Request) -> Identity:
        users = self._server.users
        try:
            user, ticket = users.holder(token)
        except Unauthenticated:
            if self._shows_demo(request):
                return Identity("demo", "demo", "demo", DEMO, "viewer", False)
            raise
        if request.method not in (b"GET", b"HEAD"):
            check_origin(request)
        named = named_universe(request)
        if named is None:
            own = users.universes(user)
            named = next((one.id for one in own if one.id == ticket.universe or len(own) == 1), "")
        elif named == DEMO and self._shows_demo(request):
            return Identity("demo", "demo", user.email, DEMO, "viewer", False)
        role: Role = "admin" if user.administrator else max(
            user.orgs.values(), key=_RANK.__getitem__, default="viewer")
        return Identity("user", "user " + user.email, user.email, named, role, user.administrator, user)

    def _shows_demo(self, request: Request) -> bool:
        if not self._demo or request.method not in (b"GET", b"HEAD") or named_universe(request) != DEMO:
            return False
        try:
            self._server.record(DEMO)
        except NotFound:
            return False
        return True

    async def charge(self, identity: Identity, request: Request) -> None:
        """
        Count the call, and tell what is left in the headers of the answer.

        @raise TooMany: over the rate.
        """
        if identity.kind in ("demo", "pass"):
            await self.charge_address(request)
        else:
            await self._take(self._keys, identity.prefix, request)

    async def charge_address(self, request: Request) -> None:
        """
        Count a call of somebody who is known by the address alone, likewise.

        @raise TooMany: over the rate.
        """
        await self._take(self._console, getattr(request.getClientAddress(), "host", ""), request)

    async def _take(self, rates: Rates, caller: str, request: Request) -> None:
        if rates.limited:
            allowed, left = await rates.take(caller)
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
        @raise Invalid: a person named none of several universes.
        """
        route, request = call.route, call.request
        if route.role is None:
            if route.limited:
                await self.charge_address(request)
            return
        identity = await self.identify(request)
        await self.charge(identity, request)
        self._let_in(call, identity)

    async def stand(self, call: Call) -> None:
        """
        Look again whether a call may go on.

        @raise Unauthenticated, Forbidden, FeatureMissing, Unavailable, Invalid: as C{admit}.
        @raise Replaced: there is another universe in the place of the one that it looks at.
        """
        if call.route.role is None:
            return
        identity = await self.identify(call.request)
        universe = call.universe
        if identity.kind == "user" and universe is not None:
            # The one in which it began, named or not.
            identity = identity._replace(universe=universe.id)
        self._let_in(call, identity)
        if call.universe is not universe:
            raise Replaced(f"the universe {universe.id} was reset or put back; ask again")

    def ends(self, request: Request) -> float | None:
        """Return when the session or pass of a caller ends (real Unix time); None for a key, which does not."""
        token = _token(request) or _session(request)
        return self._server.users.ends(token) if token else None

    def _let_in(self, call: Call, identity: Identity) -> None:
        route, request = call.route, call.request
        call.identity = identity
        if identity.kind == "user":
            self._place(call, identity)
        else:
            named = named_universe(request)
            if named is not None and named != identity.universe:
                raise Forbidden(f"the {identity.kind} belongs to another universe")
            if identity.tools is not None and route.feature != "mcp":
                raise Forbidden("the key is for tools over MCP; it opens nothing else")
            assert route.role is not None
            check_rank(identity.role, route.role)
            try:
                call.universe = self._server.universe(identity.universe)
            except Elsewhere:
                # The process that has it has looked; what the whole server is asked is answered here.
                if route.placed:
                    raise
        if call.universe is not None:
            if self._server.org_of(call.universe).suspended:
                raise Forbidden("the organization is suspended")
            if route.feature is not None:
                call.universe.plan().require(route.feature)
        if not self._database.healthy:
            # Some could be answered from memory; another process may know better by now.
            raise Unavailable("Redis is away; try again later")
        if call.universe is not None and call.universe.closed and route.placed:
            raise Unavailable(f"the universe {call.universe.id} is being reset or put back; try again")

    def _place(self, call: Call, identity: Identity) -> None:
        """A person's universe, and role there."""
        route, user = call.route, identity.user
        assert route.role is not None and user is not None
        if not identity.universe:
            check_rank(identity.role, route.role)
            if route.placed:
                if not self._server.users.universes(user):
                    raise Forbidden(f"your role is none; this call needs {route.role}")
                raise Invalid("universe", "name one in X-Service-Universe or ?universe=")
            return
        try:
            universe = self._server.universe(identity.universe)
        except Elsewhere:
            if route.placed:
                raise
            check_rank("admin" if user.administrator else self._server.users.role(user, identity.universe), route.role)
            return
        except NotFound:
            raise Forbidden(f"{user.email} may not open the universe {identity.universe[:60]}") from None
        role: Role = self._server.users.role(user, universe.id)
        if universe.id == DEMO and self._demo:
            role = "viewer"
        call.identity = identity._replace(role=role)
        # Administration asks for an administrator, whose role in one universe does not matter.
        check_rank(role if route.placed or not user.administrator else "admin", route.role)
        call.universe = universe


def check_rank(role: str, needed: Role) -> None:
    """Check a role.  @raise Forbidden: C{role} is lower than C{needed}."""
    if _RANK.get(role, -1) < _RANK[needed]:
        raise Forbidden(f"your role is {role}; this call needs {needed}")


def check_origin(request: Request) -> None:
    """
    Hold a change made with a cookie to pages of our own (decisions, section 23).

    @raise Forbidden: it comes from elsewhere, or does not say from where.
    """
    site = request.getHeader(b"Sec-Fetch-Site")
    origin = request.getHeader(b"Origin")
    if site is not None:
        good = site == b"same-origin"
    else:
        good = origin is not None and _own(origin, request)
    if not good:
        raise Forbidden("a change with a cookie must come from a page of this server (Origin)")


def check_not_foreign(request: Request) -> None:
    """Check who asks.  @raise Forbidden: a page of another site; a client that is no browser says nothing of it."""
    site, origin = request.getHeader(b"Sec-Fetch-Site"), request.getHeader(b"Origin")
    if site not in (None, b"same-origin", b"none") or (origin is not None and not _own(origin, request)):
        raise Forbidden("this must be asked for by a page of this server (Origin)")


def _own(origin: bytes, request: Request) -> bool:
    host: bytes | None = getattr(request, "asked_host", None) or request.getHeader(b"Host")
    return host is not None and origin.partition(b"://")[2].lower() == host.lower()


def named_universe(request: Request) -> str | None:
    """Return the universe a request names in C{X-Service-Universe} or C{?universe=}; the header is preferred."""
    named = request.getHeader(b"X-Service-Universe")
    if named is None:
        named = request.args.get(b"universe", (None,))[0]
    return None if named is None else named.decode("utf-8", "replace")


def _session(request: Request) -> str:
    session = request.getCookie(COOKIE)
    return str(session, "ascii", "replace") if session else ""


def _token(request: Request) -> str | None:
    header = request.getHeader(b"Authorization")
    if header is not None:
        scheme, _, token = header.partition(b" ")
        if scheme.lower() != b"bearer":
            raise Unauthenticated("give the API key as Authorization: Bearer <key>")
        token = token.strip()
    elif b"token" in request.args:
        token = request.args[b"token"][0]
    else:
        return None
    if not token:
        raise Unauthenticated("an API key is needed: Authorization: Bearer <key>")
    if len(token) > _LONGEST_TOKEN or not token.isascii():
        raise Unauthenticated("the API key is not valid")
    return str(token, "ascii")
