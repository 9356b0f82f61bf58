"""
How a universe's changes become true: each is one commit, told of when it is made, and tried again while Redis is away.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace
from twisted.internet.defer import Deferred, fail
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import deferLater
from twisted.logger import Logger
from twisted.python.failure import Failure

from simmail.concurrency import Waiting
from simmail.core.records.commit import Commit, Committed
from simmail.core.records.event import Event
from simmail.errors import Unavailable
from simmail.interfaces import IDatabase
from simmail.universe.eventlog import EventLog
from simmail.universe.usage import Usage

#: Real seconds before a Redis that answered, but cannot now (loading, out of memory), is asked again.
AGAIN = 0.25

#: Commits whose outcome is recorded before it is first seen whether old ones can go, and between two such looks; how
#: many outcomes are known at least.
FIRST_LOOK, NEXT_LOOK, KNOWN = 100, 1_000, 20_000


def _nothing() -> None:
    """Nothing is to be ended."""


class Committer:
    """
    Commits the changes of one universe.

    @param unsettled: Deferred of the ids whose outcomes may yet be asked for after a crash; all others' are forgotten
        some time after their commits.
    @param owed: how many messages are durable and owed a commit.
    @ivar stopping: the universe takes nothing new, and begins nothing more.
    """

    def __init__(
        self, universe: str, database: IDatabase, reactor: IReactorTime, log: EventLog, usage: Usage,
        unsettled: Callable[[], Deferred[list[str]]], owed: Callable[[], int] = lambda: 0,
    ) -> None:
        # On the instance: a Logger that is a class attribute takes the class's name for its namespace.
        self.logger = Logger(namespace="simmail.universe")
        self._universe = universe
        self._database = database
        self._reactor = reactor
        self._log = log
        self._usage = usage
        self._owed = owed
        self._unsettled = unsettled
        self._next_look = FIRST_LOOK
        self._back: Waiting[None] = Waiting(reactor)
        self.stopping = self._closed = False
        self._deaf: Callable[[], object] = _nothing

    def start(self) -> None:
        """Hear of Redis coming and going."""
        self._deaf = self._database.on_health(self._health)

    def stop(self) -> None:
        """Try nothing again: who waits for Redis is told that the service stops."""
        self.stopping = True
        self._back.fail(Failure(Unavailable("the service is stopping")))

    def close(self) -> None:
        """Commit nothing any more: the universe is being deleted."""
        self._closed = True
        self._deaf()
        self._deaf = _nothing

    def commit(self, commit: Commit, may_batch: bool = False) -> Deferred[Committed]:
        """
        Make a change true and tell of it; it is on its way when this returns.

        @param may_batch: nobody waits for it.
        @raise Unavailable: it is not known to be true; with C{once} it may be tried again.
        """
        if self._closed:
            return fail(Unavailable(f"the universe {self._universe} is closed"))
        issued: Deferred[Committed] = self._database.commit(self._universe, commit, may_batch)
        return issued.addCallback(self._true, commit)

    def commit_surely(self, commit: Commit, may_batch: bool = False) -> Deferred[Committed]:
        """
        Do the same, however long Redis is away.

        @raise Unavailable: Redis is away and the universe stops; what is owed is completed at the next start.
        """
        return self.commit(commit, may_batch).addErrback(self._again, commit)

    def keep(self, commit: Commit) -> None:
        """Do the same, and nobody waits for it."""
        self.commit_surely(self._aside(commit)).addErrback(self._not_kept)

    def _not_kept(self, failure: Failure) -> None:
        if failure.check(Unavailable):
            # Redis was away when all ended: nothing is wrong here.
            self.logger.error("a change is not kept: {error}", error=failure.value)
        else:
            self.logger.failure("a change is not kept", failure)

    def record(self, *events: Event) -> None:
        """Record what happened; nobody waits for it, and while Redis is away it is not."""
        if self.available:
            self.commit(self._aside(Commit(events=events))).addErrback(
                lambda failure: self.logger.warn("{type} was not recorded: {error}", type=events[0].type,
                                                 error=failure.value))

    def _aside(self, commit: Commit) -> Commit:
        """
        What happens beside the simulation, at an instant that nothing which is owed lies before.

        Instants in the log never fall: where a moved clock is ahead of commits that are still to be made, an event
        with its time would lend it to theirs.
        """
        at = self._log.at
        if at is None or not commit.events or not self._owed():
            return commit
        return replace(commit, events=tuple(replace(one, at=min(one.at, at)) for one in commit.events))

    def _true(self, done: Committed, commit: Commit) -> Committed:
        if done.fresh:
            if commit.counts:
                self._usage.counted(commit.counts, done.counts)
            if commit.events:
                self._log.announce(done.first, commit.events)
            if commit.once:
                self._count_outcome()
        return done

    def _count_outcome(self) -> None:
        self._next_look -= 1
        if not self._next_look:
            self._next_look = NEXT_LOOK
            Deferred.fromCoroutine(self._retire()).addErrback(
                lambda failure: self.logger.warn("old outcomes are not forgotten yet: {error}", error=failure.value))

    async def _retire(self) -> None:
        """What the journal has settled for good is never asked for again: Redis need not know what became of it."""
        unsettled = await self._unsettled()
        if not self.stopping and not self._closed:
            await self._database.retire(self._universe, unsettled, KNOWN)

    def _again(self, failure: Failure, commit: Commit) -> Deferred[Committed]:
        failure.trap(Unavailable)
        return Deferred.fromCoroutine(self._once_more(commit, failure.value))

    async def _once_more(self, commit: Commit, error: BaseException | None) -> Committed:
        while True:
            self.logger.warn("a commit waits for Redis: {error}", error=error)
            await self.database_back()
            try:
                return await self.commit(commit)
            except Unavailable as again:
                error = again

    def database_back(self) -> Deferred[None]:
        """Return a Deferred that fires when Redis may answer again, or fails with Unavailable when it all stops."""
        if self.stopping:
            return fail(Unavailable("the service is stopping"))
        if self._database.healthy:
            # Or it is a replica of it that does not answer.
            return deferLater(self._reactor, AGAIN)
        return self._back.wait()

    def _health(self, healthy: bool) -> None:
        if healthy:
            self._back.wake(None)

    @property
    def available(self) -> bool:
        """False while Redis is known to be away, or a replica that has to have what is committed."""
        return bool(self._database.available(self._universe))

    def require_available(self) -> None:
        """
        Refuse what could not be committed.

        @raise Unavailable: Redis is known to be away, or the universe has been stopped.
        """
        if not self.available:
            raise Unavailable("Redis is away; try again later")
        if self.stopping:
            raise Unavailable(f"the universe {self._universe} is closed")
