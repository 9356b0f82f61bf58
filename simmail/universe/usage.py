"""
What a universe has used of its plan in this month: mail accepted, personas learned.

Months are real UTC months.  Mail is counted as it is accepted and noted a
moment later: a crash may forget what the last moment brought.  Source:
decisions, section 23 ("Plans").
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall

from simmail.core.events import Event
from simmail.database.records import Commit
from simmail.errors import OverMailLimit, Unavailable

if TYPE_CHECKING:
    from simmail.universe.universe import Universe

#: Real seconds between two notes of what was counted.
NOTED = 1.0

MAIL, LEARNED, CREDITS = "mail_per_month", "learned_per_month", "ai_credits"


class Usage:
    """The counters of one universe."""

    def __init__(self, universe: Universe) -> None:
        self._universe = universe
        self._counts: dict[str, int] = {}
        self._later: IDelayedCall | None = None
        self._unwatch: Any = None

    async def start(self) -> None:
        """Learn what was counted before."""
        for key, octets in (await self._universe.database.table(self._universe.id, "usage")).items():
            self._counts[key] = int(octets)
        self._unwatch = self._universe.log.watch(self._happened)

    async def stop(self) -> None:
        """Note what is not noted yet."""
        if self._unwatch is not None:
            self._unwatch()
            self._unwatch = None
        if self._later is not None:
            self._later.cancel()
            self._later = None
            if self._universe.available:
                try:
                    await self._note()
                except Unavailable:
                    pass

    def used(self, what: str) -> int:
        """How many of something this month."""
        return self._counts.get(self._key(what), 0)

    def count(self, what: str, number: int = 1) -> None:
        """So many more."""
        key = self._key(what)
        self._counts[key] = self._counts.get(key, 0) + number
        if self._later is None:
            self._later = self._universe.reactor.callLater(NOTED, self._noted)

    def resets(self) -> datetime:
        """When the next month begins, in real time."""
        now = self._now()
        return datetime(now.year + now.month // 12, now.month % 12 + 1, 1, tzinfo=UTC)

    def require_mail(self) -> None:
        """
        Refuse one more message of the application.

        @raise OverMailLimit: naming the plan and its limit.
        """
        plan = self._universe.plan()
        limit = plan.limits.mail_per_month
        if limit is not None and self.used(MAIL) >= limit:
            raise OverMailLimit(f"the plan {plan.name} allows {limit} messages a month")

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._universe.reactor.seconds(), UTC)

    def _key(self, what: str) -> str:
        now = self._now()
        return f"{now.year:04d}-{now.month:02d}:{what}"

    def _happened(self, first: int, events: Sequence[Event]) -> None:
        number = sum(1 for event in events if event.type == "mail.delivered")
        if number:
            self.count(MAIL, number)

    def _noted(self) -> None:
        self._later = None
        # What is not noted now is noted with the next message.
        Deferred.fromCoroutine(self._note()).addErrback(lambda failure: failure.trap(Unavailable))

    async def _note(self) -> None:
        month = f"{self._now():%Y-%m}:"
        old = [key for key in self._counts if not key.startswith(month)]
        await self._universe.database.commit(self._universe.id, Commit(
            puts=tuple(("usage", key, b"%d" % count) for key, count in self._counts.items() if key not in old),
            drops=tuple(("usage", key) for key in old)))
        for key in old:
            del self._counts[key]
