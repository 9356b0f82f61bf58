"""
Retention: old mail, events and finished jobs are removed; what people remember stays.

Source: API contract, "Other settings" and retention calls; decisions, section 16.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Any

from msgspec import Struct
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import deferLater

from simmail.core.records.commit import Commit
from simmail.core.records.event import Event
from simmail.errors import Invalid
from simmail.interfaces import IDatabase, IMailStore
from simmail.universe.settings import Settings

#: Housekeeping runs once in each simulated hour.
EVERY = timedelta(hours=1)

#: Messages removed before others get their turn.
SLICE = 200

LONGEST = 36_500


class Retention(Struct, frozen=True, forbid_unknown_fields=True):
    """
    How long things are kept.

    @ivar mail_days: simulated days that mail is kept; 0 for ever.
    @ivar event_days: simulated days that events are kept; 0 for ever.
    """

    mail_days: int = 0
    event_days: int = 0

    def capped(self, cap: int | None) -> Retention:
        """What is in force under a plan's cap; 0 under a cap is the cap."""
        if cap is None:
            return self
        return Retention(min(self.mail_days or cap, cap), min(self.event_days or cap, cap))


class PrunedCounts(Struct, frozen=True):
    """How much was removed.  C{messages}: of mailboxes; C{events}: of the log; C{jobs}: that had ended."""

    messages: int
    events: int
    jobs: int


class Pruning:
    """
    Retention of one universe.

    @param cap: the plan's limit in days, None for none.
    @param before: done before events are removed, by those who count them.
    """

    def __init__(
        self, universe: str, database: IDatabase, store: IMailStore, settings: Settings,
        now: Callable[[], datetime], commit: Callable[[Commit], Awaitable[Any]], reactor: IReactorTime,
        cap: Callable[[], int | None], before: Callable[[], Awaitable[None]],
    ) -> None:
        self._universe = universe
        self._database = database
        self._store = store
        self._settings = settings
        self._now = now
        self._commit = commit
        self._reactor = reactor
        self._cap = cap
        self._before = before
        self._last: datetime | None = None

    @property
    def setting(self) -> Retention:
        """The setting in force."""
        stored = self._settings.get("retention") or {}
        return Retention(**stored).capped(self._cap())

    async def set(self, mail_days: int | None = None, event_days: int | None = None) -> Retention:
        """
        Change the setting; what is omitted stays.

        @raise Invalid: not from 0 to 36500.
        """
        stored = Retention(**(self._settings.get("retention") or {}))
        for name, days in (("mail_days", mail_days), ("event_days", event_days)):
            if days is not None and not 0 <= days <= LONGEST:
                raise Invalid(name, f"must be from 0 to {LONGEST}")
        await self._settings.put("retention", Retention(
            stored.mail_days if mail_days is None else mail_days,
            stored.event_days if event_days is None else event_days))
        return self.setting

    def due(self) -> bool:
        """Whether a simulated hour has passed since housekeeping last ran, and there is something to keep to."""
        now, setting = self._now(), self.setting
        if not (setting.mail_days or setting.event_days):
            return False
        return self._last is None or now - self._last >= EVERY

    async def prune(self) -> PrunedCounts:
        """Apply retention now."""
        now, setting = self._now(), self.setting
        self._last = now
        messages = await self._mail(now - timedelta(days=setting.mail_days)) if setting.mail_days else 0
        events = jobs = 0
        if setting.event_days:
            await self._before()
            events, jobs = await self._database.prune(self._universe, now - timedelta(days=setting.event_days))
        if messages or events or jobs:
            await self._commit(Commit(events=(Event("retention.pruned", now, {
                "messages": messages, "events": events, "jobs": jobs}),)))
        return PrunedCounts(messages, events, jobs)

    async def _mail(self, before: datetime) -> int:
        removed = 0
        for address in self._store.mailboxes():
            for status in await self._store.folders(address):
                if not status.total:
                    continue
                folder = await self._store.folder(address, status.name)
                old = [uid for uid in folder.uids if (entry := folder.entry(uid)) is not None and entry.date < before]
                for n in range(0, len(old), SLICE):
                    if n:
                        await deferLater(self._reactor, 0)
                    removed += len(await folder.expunge(old[n:n + SLICE]))
        return removed
