"""A roster of two universes and three keys, for tests of the door alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from twisted.internet.task import Clock

from simmail.config import Config, Http
from simmail.core.rules.quota_plan import Plan, SELF_HOSTED
from simmail.database.memory import MemoryDatabase
from simmail.errors import NotFound, Unauthenticated
from simmail.mailstore.memory.mailstore import MemoryMailStore
from simmail.rest.app import Application
from simmail.rest.context import Services
from simmail.rest.http.server import ApiSite, Traffic
from simmail.rest.render.list import Listings
from simmail.rest.route import Identity, Route
from simmail.server.apikeys import ROLES


class FakeUniverse:
    """A universe with a name."""

    def __init__(self, id: str) -> None:
        self.id = self.name = id
        self.org = id
        self.suspended = self.closed = False
        self.bought = SELF_HOSTED
        self.store = MemoryMailStore(id)

    def plan(self) -> Plan:
        """What it may use."""
        return self.bought


class FakeRoster:
    """Keys C{v}, C{m}, C{a} for the roles in C{main}, C{o} for C{other}."""

    def __init__(self) -> None:
        self.database = MemoryDatabase()
        self.fail: Exception | None = None
        self.all = {name: FakeUniverse(name) for name in ("main", "other")}
        self.people = {role[0]: Identity("key", role[0], role[0], "main", role, False) for role in ROLES}
        self.people["o"] = Identity("key", "o", "o", "other", "admin", False)

    async def identify(self, token: str) -> Any:
        """Who has this key."""
        if self.fail is not None:
            raise self.fail
        if token not in self.people:
            raise Unauthenticated("the API key is not valid")
        return self.people[token]

    def universe(self, id: str) -> Any:
        """By name."""
        if id not in self.all:
            raise NotFound(f"no universe {id}")
        return self.all[id]

    def org_of(self, universe: FakeUniverse) -> Any:
        """The organisation of a universe: the universe itself."""
        return universe

    def universes(self) -> list[Any]:
        """Both."""
        return list(self.all.values())


def door(
    routes: Iterable[Route], config: Config | None = None, reactor: Clock | None = None, connections: int = 10,
    large: int = 4000, room: int = 1000, per_address: int = 10,
) -> tuple[ApiSite, FakeRoster, Clock]:
    """A site that serves C{routes}."""
    config = config or Config(http=Http(rate=0))
    reactor = reactor or Clock()
    roster = FakeRoster()
    traffic = Traffic()
    services: Any = Services(roster, config, reactor, traffic, Listings(reactor))  # type: ignore[arg-type]
    application = Application(services, routes)
    rooms = {(route.method.encode(), route.path.encode()): large for route in application.routes if route.large}
    site = ApiSite(
        application.dispatcher, reactor, 60.0, connections, room, rooms, per_address, traffic.answered)
    return site, roster, reactor
