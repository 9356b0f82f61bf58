"""
Mail in flight: who is let in, and how far each accepted message has got, from the journal to the synced log of the
database.

The clock waits for what is under way, who asks for what was recorded for what is owed a commit, and the journal may
forget a message once its commit outlives a power cut of the database.  Source: decisions, section 20.
"""

from __future__ import annotations

from datetime import datetime
from types import TracebackType

from twisted.internet.defer import Deferred, succeed
from twisted.internet.interfaces import IReactorTime

from simmail.concurrency import Reached, Waiting, within
from simmail.interfaces import IDatabase, IMailStore

#: Longest anybody waits for Redis once mail is durable (real seconds).
PATIENCE = 1.5

#: Messages that may be owed a commit, and octets of messages; beyond that senders wait for Redis too.
MOST_UNCOMMITTED, MOST_OCTETS = 256, 16 * 1024 * 1024


class Entrance:
    """
    Where mail from outside comes in: who is let in is counted until it is out, C{async with entrance}.

    @ivar shut: whoever comes waits.
    """

    def __init__(self, reactor: IReactorTime) -> None:
        self.shut = False
        self._inside = 0
        self._opened: Waiting[None] = Waiting(reactor)
        self._emptied: Waiting[None] = Waiting(reactor)

    async def __aenter__(self) -> None:
        while self.shut:
            await self._opened.wait()
        self._inside += 1

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._inside -= 1
        if not self._inside:
            self._emptied.wake(None)

    async def close(self) -> None:
        """Let nobody in any more, and wait until nobody is inside."""
        self.shut = True
        while self._inside:
            await self._emptied.wait()

    def open(self) -> None:
        """Let everybody in."""
        self.shut = False
        self._opened.wake(None)


class MailInFlight:
    """
    The messages of one universe that are accepted and not yet committed for good.

    @ivar uncommitted: how many are durable and owed a commit.
    @ivar accepted_at: real time of the last message accepted from outside.
    """

    def __init__(self, store: IMailStore, database: IDatabase, reactor: IReactorTime) -> None:
        self._store = store
        self._database = database
        self._reactor = reactor
        self._under_way: dict[str, datetime] = {}
        self._idle: Waiting[None] = Waiting(reactor)
        # By id, in the order they were taken: which one it is of all that ever were, and its octets.
        self._uncommitted: dict[str, tuple[int, int]] = {}
        self._octets = self._taken = 0
        self._committed = Reached(reactor)
        # The ids whose commits the next sync of the database has, and what tells of it.
        self._round: Deferred[None] | None = None
        self._ids: list[str] = []
        self.accepted_at = 0.0

    # Under way

    def begin(self, delivery_id: str, now: datetime) -> None:
        """Note that a message is under way: the clock waits for it."""
        self._under_way[delivery_id] = now

    def leave(self, delivery_id: str) -> None:
        """Note that the clock need not wait for a message; it is owed its commit still."""
        self._under_way.pop(delivery_id, None)

    def end(self, delivery_id: str) -> None:
        """Note that a message is not under way any more."""
        self._under_way.pop(delivery_id, None)
        owed = self._uncommitted.pop(delivery_id, None)
        if owed is not None:
            self._octets -= owed[1]
            oldest = next(iter(self._uncommitted.values()), None)
            self._committed.reach(self._taken if oldest is None else oldest[0] - 1)
        if not self._under_way:
            self._idle.wake(None)

    def earliest_pending(self) -> datetime | None:
        """Return the instant of the oldest message that is not yet committed."""
        return next(iter(self._under_way.values())) if self._under_way else None

    def when_idle(self) -> Deferred[None]:
        """Return a Deferred that fires when no message is under way."""
        return self._idle.wait() if self._under_way else succeed(None)

    # Owed a commit

    def add_uncommitted(self, delivery_id: str, octets: int) -> None:
        """Note that a message of so many octets is durable: it is owed its commit."""
        self._taken += 1
        self._uncommitted[delivery_id] = (self._taken, octets)
        self._octets += octets

    def is_uncommitted(self, delivery_id: str) -> bool:
        """Say whether a message is durable that may not be visible, or committed, yet."""
        return delivery_id in self._uncommitted

    @property
    def uncommitted(self) -> int:
        """How many messages are durable and owed a commit."""
        return len(self._uncommitted)

    @property
    def crowded(self) -> bool:
        """Whether so much is owed that senders wait for Redis too."""
        return len(self._uncommitted) > MOST_UNCOMMITTED or self._octets > MOST_OCTETS

    def when_committed(self) -> Deferred[None]:
        """Return a Deferred that fires when all that is accepted now is committed."""
        return self._committed.wait(self._taken) if self._uncommitted else succeed(None)

    def when_recorded(self) -> Deferred[None]:
        """Return the same, or what fires when Redis takes too long."""
        return within(self._reactor, self.when_committed(), PATIENCE)

    def when_over(self) -> Deferred[None]:
        """Return what fires when nothing is under way or owed a commit any more, or it takes too long."""
        async def over() -> None:
            await self.when_idle()
            await self.when_committed()

        return within(self._reactor, Deferred.fromCoroutine(over()), PATIENCE)

    # Committed, and not yet for good

    def settle(self, delivery_id: str) -> None:
        """Have the journal forget a message, whose commit was made, once that is in the synced log."""
        synced: Deferred[None] = self._database.synced()
        if synced.called:
            self._store.committed([delivery_id])
        elif synced is self._round:
            self._ids.append(delivery_id)
        else:
            self._round, self._ids = synced, [delivery_id]
            synced.addCallback(self._synced, self._ids)

    def _synced(self, result: None, ids: list[str]) -> None:
        self._store.committed(ids)
