"""
Settings documents of one universe, held in memory so that verdicts are immediate.

Each change is one commit with its event; a document that was never set reads
as its default.  Source: API contract, "Other settings".
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any

import msgspec

from simmail.core.records.commit import Commit
from simmail.core.records.event import Event
from simmail.core.records.settings import LinkPolicy, MOST_FACTOR, Pace, WriterMode
from simmail.core.records.world import WorldSettings
from simmail.errors import Invalid
from simmail.interfaces import IDatabase


class Settings:
    """
    The settings documents, by name.

    @ivar world_inboxes, world_domains: what the C{world} document says is the company's own.
    """

    def __init__(
        self, universe: str, database: IDatabase, now: Callable[[], datetime],
        commit: Callable[[Commit], Awaitable[Any]],
    ) -> None:
        self._universe = universe
        self._database = database
        self._now = now
        self._commit = commit
        self._documents: dict[str, Any] = {}
        self.pace = Pace()
        self.links = LinkPolicy()
        self.writer: WriterMode = "off"
        self.world = WorldSettings()
        self.world_inboxes = self.world_domains = frozenset[str]()

    async def start(self) -> None:
        """Learn all documents."""
        for name, octets in (await self._database.table(self._universe, "settings")).items():
            self._took(name, msgspec.json.decode(octets))

    def _took(self, name: str, value: Any) -> None:
        self._documents[name] = value
        if name == "pace":
            self.pace = msgspec.convert(value, Pace)
        elif name == "links":
            self.links = msgspec.convert(value, LinkPolicy)
        elif name == "ai":
            self.writer = msgspec.convert(value["mode"], WriterMode)
        elif name == "world":
            self.world = msgspec.convert(value, WorldSettings)
            self.world_inboxes = self.world.inboxes
            self.world_domains = frozenset(self.world.company.domains)

    def get(self, name: str, default: Any = None) -> Any:
        """A document as it was stored."""
        return self._documents.get(name, default)

    async def put(
        self, name: str, value: Any, event: Event | None = None, drops: tuple[tuple[str, str], ...] = (),
        more: Commit = Commit(),
    ) -> None:
        """
        Replace a document, and drop others with it; C{settings.updated} unless it has an event of its own.

        @param more: jobs, documents and events that the change brings with it.
        """
        if event is None:
            event = Event("settings.updated", self._now(), {"name": name})
        octets = msgspec.json.encode(value)
        await self._commit(Commit(
            puts=(("settings", name, octets), *more.puts), drops=drops, events=(event, *more.events), jobs=more.jobs))
        self._took(name, msgspec.json.decode(octets))

    async def set_pace(self, factor: float | None = None, ignore_hours: bool | None = None) -> Pace:
        """
        Change the pace; what is omitted stays.

        @raise Invalid: a negative or absurd factor.
        """
        if factor is not None and not 0 <= factor <= MOST_FACTOR:
            raise Invalid("factor", f"must be from 0 to {MOST_FACTOR}")
        pace = Pace(
            self.pace.factor if factor is None else float(factor),
            self.pace.ignore_hours if ignore_hours is None else ignore_hours,
        )
        await self.put("pace", pace, Event("pace", self._now(), {
            "factor": pace.factor, "ignore_hours": pace.ignore_hours}))
        return pace
