"""
What a universe has used of its plan in this month: mail accepted, personas learned.

Months are real UTC months.  Mail is counted in the commit that it is told of
by, so a crash neither forgets a message nor counts it twice.  Source:
decisions, section 23 ("Plans").
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from twisted.internet.interfaces import IReactorTime

from simmail.core.records.commit import Commit
from simmail.core.rules.quota_plan import Plan
from simmail.errors import OverMailLimit
from simmail.interfaces import IDatabase

TABLE = "usage"

MAIL, LEARNED, CREDITS = "mail_per_month", "learned_per_month", "ai_credits"


class Usage:
    """
    The counters of one universe.

    @param plan: the plan of its organisation.
    @ivar uncounted: messages from outside that are taken and not yet in the event log.
    """

    def __init__(
        self, universe: str, database: IDatabase, reactor: IReactorTime, plan: Callable[[], Plan]
    ) -> None:
        self._universe = universe
        self._database = database
        self._reactor = reactor
        self._plan = plan
        self.uncounted = 0
        self._counts: dict[str, int] = {}
        # The month it is, as keys begin, and the real time at which it begins and ends.
        self._month, self._begins, self._ends = "", 0.0, 0.0

    async def start(self) -> None:
        """Learn what was counted before; earlier months are forgotten."""
        found = await self._database.table(self._universe, TABLE)
        self._counts = {key: int(octets) for key, octets in found.items()}
        old = [key for key in self._counts if not key.startswith(self._key(""))]
        if old:
            await self._database.commit(self._universe, Commit(drops=tuple((TABLE, key) for key in old)))

    def used(self, what: str) -> int:
        """How many of something this month."""
        return self._counts.get(self._key(what), 0)

    def one_more(self, what: str) -> tuple[tuple[str, str, int], ...]:
        """What a commit holds (C{Commit.counts}) that uses one."""
        return (TABLE, self._key(what), 1),

    def counted(self, counts: Sequence[tuple[str, str, int]], values: Sequence[int]) -> None:
        """A commit was made, and so much is used now."""
        for (table, key, _), value in zip(counts, values):
            if table == TABLE:
                self._counts[key] = value

    def count(self, what: str, number: int = 1) -> Commit:
        """Count so many more at once; answers the commit that keeps it."""
        key = self._key(what)
        self._counts[key] = self._counts.get(key, 0) + number
        return Commit(counts=((TABLE, key, number),))

    def resets(self) -> datetime:
        """When the next month begins, in real time."""
        self._look()
        return datetime.fromtimestamp(self._ends, UTC)

    def require_mail(self) -> None:
        """
        Refuse one more message of the application.

        @raise OverMailLimit: naming the plan and its limit.
        """
        plan = self._plan()
        limit = plan.limits.mail_per_month
        if limit is not None and self.used(MAIL) + self.uncounted >= limit:
            raise OverMailLimit(f"the plan {plan.name} allows {limit} messages a month")

    def _key(self, what: str) -> str:
        self._look()
        return self._month + what

    def _look(self) -> None:
        """Know which month it is; asked for every message, worked out once a month."""
        real = self._reactor.seconds()
        if not self._begins <= real < self._ends:
            begin = datetime.fromtimestamp(real, UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
            end = begin.replace(year=begin.year + begin.month // 12, month=begin.month % 12 + 1)
            self._month = f"{begin.year:04d}-{begin.month:02d}:"
            self._begins, self._ends = begin.timestamp(), end.timestamp()
