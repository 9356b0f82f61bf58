"""Providers of C{IDatabase} that keep one contract: in memory, and on Redis in several ways."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime, timedelta, timezone
from typing import Any

from twisted.internet import reactor
from twisted.trial.unittest import TestCase

from simmail.core.records.commit import Commit, EventQuery
from simmail.core.records.delivery import Arrival, Copy
from simmail.core.records.event import Event
from simmail.core.records.job import Job
from simmail.database import queries
from simmail.database import redis as redis_database
from simmail.database.memory import MemoryDatabase
from simmail.database.redis import RedisDatabase
from tests.database.clusters import shared
from tests.database.running import RedisTestCase, until

NINE = datetime(2026, 3, 1, 9, tzinfo=timezone.utc)
STATES = ("pending", "running", "done", "failed", "skipped")
KINDS = ("reply", "followup", "link")


def at(minutes: float) -> datetime:
    """Some minutes past nine."""
    return NINE + timedelta(minutes=minutes)


def event(type: str = "clock", minutes: float = 0, **data: Any) -> Event:
    """An event of a type, with its data."""
    return Event(type, at(minutes), data)


def job(id: str, due: float = 0, state: Any = "pending", kind: Any = "reply", **more: Any) -> Job:
    """A job due some minutes past nine."""
    return Job(id=id, kind=kind, state=state, created=NINE, due=at(due), **more)


def arrival(id: str, uid: int = 1, sender: str = "app@sim.test") -> Arrival:
    """An arrival in Maria's mailbox."""
    return Arrival(
        id=id, mailbox="maria@acme.test", persona_id="per_maria", sender=sender, at=NINE,
        copy=Copy("maria@acme.test", "INBOX", uid, 1),
    )


def numbers(bodies: Iterable[bytes]) -> list[int]:
    """The numbers of recorded events."""
    return [json.loads(body)["id"] for body in bodies]


class Contract:
    """Tests of a provider, C{self.database}; classes of tests mix one in."""

    database: Any

    def take_away(self) -> Any:
        """Make the database go away."""
        raise NotImplementedError

    async def commit(self, universe: str = "main", **parts: Any) -> Any:
        """Commit some parts."""
        return await self.database.commit(universe, Commit(**parts))

    async def bodies(self, universe: str = "main", **query: Any) -> list[dict[str, Any]]:
        """The decoded events of a query."""
        return [json.loads(body) for body in await self.database.events(universe, EventQuery(**query))]

    async def numbers(self, **query: Any) -> list[int]:
        """The event numbers of a query."""
        return [body["id"] for body in await self.bodies(**query)]

    # What TestCase brings, for the type checker.
    assertEqual: Any
    assertTrue: Any
    assertFalse: Any
    assertIsNone: Any
    assertIsNotNone: Any
    failureResultOf: Any


class InMemory(TestCase):
    """The provider in memory."""

    def setUp(self) -> None:
        self.database = MemoryDatabase()

    async def take_away(self) -> None:
        self.database.set_healthy(False)


class OnRedis(RedisTestCase):
    """The one on a private Redis."""

    async def take_away(self) -> None:
        stopped = self.server.stop()
        await until(lambda: not self.database.healthy)
        await stopped


class OnSmallPages(OnRedis):
    """The same, where every answer takes several pages and every removal several slices."""

    def setUp(self) -> Any:
        for module, name, value in (
                (queries, "PAGE", 7), (queries, "BUDGET", 11),
                (redis_database, "SLICE", 13)):
            self.patch(module, name, value)
        return super().setUp()


class OnCluster(TestCase):
    """The one on three primaries of a cluster, which share the universes of a test."""

    timeout = 60

    async def setUp(self) -> None:
        self.cluster = shared()
        self.cluster.clear()
        self.database = await self.opened()

    async def opened(self, node: str = "") -> RedisDatabase:
        """Another database on the same cluster, closed after the test."""
        database = RedisDatabase(reactor, "", node=node, cluster=self.cluster.urls[:1])
        self.addCleanup(database.close)
        await database.connect(5.0)
        return database


class OnAnotherRedis(OnRedis):
    """The one on the Redis of the system's packages, where there is one beside ours."""

    program = "redis-server"
