"""
C{/api/admin}: universes and keys, for the server's own administrators.

Source: decisions, section 1.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import asdict

from simmail.core.mime.address import parse
from simmail.core.rules.login_name import qualified
from simmail.core.time.instant import parse_duration, parse_instant
from simmail.errors import Forbidden, Invalid, Refusal
from simmail.rest.api.clock import Speed
from simmail.rest.api.connection import ConnectionFacts, LoginName, read_connection
from simmail.rest.route import Body, Call, Deleted, Route
from simmail.server.apikeys import Role, ToolSet
from simmail.server.passwords import new_password
from simmail.universe.clock import FASTEST, SLOWEST
from simmail.universe.universe import Durability, Universe, UniverseRecord

HEADING = "Administration"


class ClockStart(Body, frozen=True):
    """
    The clock of a universe from then on.

    @ivar now: instant of simulated time; the real one unless given; speed: simulated seconds a real second.
    @ivar frozen: whether it stands; so it does where C{now} is given, unless told otherwise.
    """

    now: str | None = None
    speed: Speed = 1.0
    frozen: bool | None = None


class NewUniverse(Body, frozen=True):
    """
    A new universe.

    @ivar id: its name in calls; with C{ttl} one is made up unless given.
    @ivar name: shown to people; org: id of its organization.
    @ivar seed: what everything in it is drawn from; its id unless given.
    @ivar clock: an instant of simulated time, where the clock stands unless C{frozen} is false, or an object; the real
        time unless given.
    @ivar ttl: a duration of real time after which it goes by itself; null for never.
    @ivar durability: `replicated`: what is acknowledged is in the store of objects too, and survives the machine;
        `local`: it is on the disk of its server.  Null: as it is configured.
    @ivar login: true or an address: make a login and an admin key too, and answer all that a test run needs; other
        universes may have the same login, for its name says where it is.
    """

    id: str | UnsetType = UNSET
    name: str = ""
    org: str = "default"
    seed: str = ""
    clock: str | ClockStart | None = None
    ttl: str | None = None
    durability: Durability | None = None
    login: bool | str = False


class Lifetime(Body, frozen=True):
    """
    How long a universe stays.

    @ivar ttl: a duration of real time, from now, after which it goes by itself; null for never.
    """

    ttl: str | None


class UniverseInfo(Struct, frozen=True, kw_only=True):
    """
    A universe.

    @ivar id: its name in calls; name: shown to people; org: id of its organization; created: in real time.
    @ivar ends: when it goes by itself, in real time; null for never.
    @ivar durability: where what is acknowledged in it is: `local` or `replicated`.
    """

    id: str
    name: str
    org: str
    created: datetime
    seed: str
    ends: datetime | None = None
    durability: Durability = "local"


class CreatedUniverse(UniverseInfo, frozen=True, kw_only=True):
    """
    A new universe; with a login, what gets into it.

    @ivar key: an admin key, shown this once; logins: with their passwords, shown this once.
    @ivar connection: what a mail program has to know.
    """

    key: str | UnsetType = UNSET
    logins: list[LoginName] | UnsetType = UNSET
    connection: ConnectionFacts | UnsetType = UNSET


class NewKey(Body, frozen=True):
    """
    A new API key.

    @ivar role: what it may do; name: what it is for.
    @ivar tools: the one set of tools over MCP that it is for, whatever its holder asks for, `mail` for an agent under
        test or `world` for who tests; it opens nothing else.  Null: it opens whatever its role may.
    """

    universe: str
    role: Role
    name: str = ""
    tools: ToolSet | None = None


class KeyItem(Struct, frozen=True):
    """
    An API key, without its secret.

    @ivar prefix: begins the key, and names it in paths; role: what it may do; name: what it is for.
    @ivar created: in real time; administrator: whether it administers the whole server.
    @ivar tools: the one set of tools over MCP that it is for; null: it opens whatever its role may.
    """

    prefix: str
    universe: str
    role: Role
    name: str
    created: datetime
    administrator: bool
    tools: ToolSet | None


class CreatedKey(Struct, frozen=True):
    """
    A new API key.

    @ivar key: its secret, shown this once; prefix: begins it, and names it in paths.
    @ivar role: what it may do; name: what it is for.
    @ivar tools: the one set of tools over MCP that it is for; null: it opens whatever its role may.
    """

    key: str
    prefix: str
    universe: str
    role: Role
    name: str
    tools: ToolSet | None


async def administrator(call: Call) -> None:
    """Check who calls.  @raise Forbidden: no administrator."""
    if not call.identity.administrator:
        raise Forbidden(f"your role is {call.identity.role}; this call is reserved for the server's administrators")


async def universe(call: Call) -> Universe:
    """Return the universe the path names.  @raise NotFound: there is none."""
    await administrator(call)
    return call.services.server.universe(call.path["id"])


def _info(one: UniverseRecord) -> UniverseInfo:
    return UniverseInfo(id=one.id, name=one.name, org=one.org, created=one.created, seed=one.seed, ends=one.ends,
                        durability=one.durability)


def ttl_of(text: str | None) -> timedelta | None:
    """Read a time to live.  @raise Invalid: it is no duration."""
    return None if text is None else parse_duration(text, "ttl")


def clock_of(asked: str | ClockStart | None) -> tuple[datetime | None, float, bool | None]:
    """Read instant, speed and whether it stands of a clock that is to begin.  @raise Invalid: one that cannot be."""
    clock = ClockStart(asked) if isinstance(asked, str) else asked or ClockStart()
    if not SLOWEST <= clock.speed <= FASTEST:
        raise Invalid("clock.speed", f"must be from {SLOWEST:g} to {FASTEST:g}")
    field = "clock" if isinstance(asked, str) else "clock.now"
    return None if clock.now is None else parse_instant(clock.now, field), clock.speed, clock.frozen


def list_all_universes(call: Call) -> list[UniverseInfo]:
    return [_info(one) for one in call.services.server.records()]


async def create_universe(call: Call) -> CreatedUniverse:
    asked: NewUniverse = call.body
    if asked.id is UNSET and asked.ttl is None:
        raise Invalid("id", "is required, unless there is a ttl")
    server = call.services.server
    address = parse(asked.login if isinstance(asked.login, str) else f"app@{call.services.config.server.domain}",
                    "login")
    made = await server.create_universe(
        server.unused("run-") if asked.id is UNSET else asked.id, asked.name, asked.org, asked.seed,
        *clock_of(asked.clock), bool(asked.login), ttl_of(asked.ttl), asked.durability)
    info = asdict(_info(made.record))
    if not asked.login:
        return CreatedUniverse(**info)
    password = new_password()
    try:
        account = await server.accounts(made).create({"address": address, "password": password})
        key = await server.create_key(made.id, "admin", "created with it")
    except Refusal:
        await server.delete_universe(made.id)
        raise
    login = LoginName(qualified(account.address, made.id), account.address, password)
    return CreatedUniverse(**info, key=key, logins=[login], connection=read_connection(call))


async def change_universe(call: Call) -> UniverseInfo:
    return _info((await call.services.server.set_lifetime(call.found.id, ttl_of(call.body.ttl))).record)


async def delete_universe(call: Call) -> Deleted:
    if call.found.id == call.identity.universe:
        raise Invalid("id", "the universe of the key in use cannot be deleted")
    await call.services.server.delete_universe(call.found.id)
    return Deleted()


def list_all_keys(call: Call) -> list[KeyItem]:
    return [KeyItem(one.prefix, one.universe, one.role, one.name, one.created, one.administrator, one.tools)
            for one in call.services.server.keys()]


async def create_key(call: Call) -> CreatedKey:
    asked: NewKey = call.body
    token: str = await call.services.server.create_key(
        asked.universe, asked.role, asked.name, tools=asked.tools)
    return CreatedKey(token, token.split("_")[1], asked.universe, asked.role, asked.name, asked.tools)


async def revoke_key(call: Call) -> Deleted:
    await call.services.server.revoke_key(call.path["prefix"])
    return Deleted()


_UNIVERSE = {"id": "shop", "name": "shop", "org": "default", "created": "2025-11-21T08:00:00Z", "seed": "shop",
             "ends": None, "durability": "local"}
_KEY: dict[str, Any] = {"prefix": "9f2c41d07a", "universe": "shop", "role": "member", "name": "ci",
                        "tools": None}

ROUTES: tuple[Route, ...] = (
    Route("GET", "/api/admin/universes", list_all_universes, "List all universes", list[UniverseInfo], role="admin",
          placed=False, locate=administrator, answer_example=[_UNIVERSE]),
    Route("POST", "/api/admin/universes", create_universe,
          "Create a universe, for good or for a time, on request with all that a test run needs", CreatedUniverse,
          role="admin", placed=False, body=NewUniverse, locate=administrator, statuses=(404, 409),
          example={"id": "shop", "clock": "2026-03-01T09:00:00Z"}, answer_example=_UNIVERSE),
    Route("PATCH", "/api/admin/universes/{id}", change_universe, "Change when a universe goes by itself", UniverseInfo,
          role="admin", placed=False, body=Lifetime, locate=universe, example={"ttl": "2h"},
          answer_example={**_UNIVERSE, "ends": "2025-11-21T10:00:00Z"}),
    Route("DELETE", "/api/admin/universes/{id}", delete_universe, "Delete a universe with all that is in it", Deleted,
          role="admin", placed=False, locate=universe, answer_example={"status": "deleted"}),
    Route("GET", "/api/admin/keys", list_all_keys, "List all API keys", list[KeyItem], role="admin", placed=False,
          locate=administrator,
          answer_example=[{**_KEY, "created": "2025-11-21T08:00:00Z", "administrator": False}]),
    Route("POST", "/api/admin/keys", create_key, "Create an API key; its secret is shown this once", CreatedKey,
          role="admin", placed=False, body=NewKey, locate=administrator, statuses=(404,),
          example={"universe": "shop", "role": "member", "name": "ci"},
          answer_example={**_KEY, "key": "sm_9f2c41d07a_…"}),
    Route("DELETE", "/api/admin/keys/{prefix}", revoke_key, "Revoke an API key", Deleted, role="admin",
          placed=False, locate=administrator, answer_example={"status": "deleted"}),
)
