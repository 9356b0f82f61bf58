"""
The mail that reaches personas, in the order it was committed.

What follows from a message is committed in the order of delivery.  Arrivals are decided about one after another, each
in one commit that also takes it off the queue: exactly once, also across a crash.  A message that reaches one persona,
while nothing waits to be decided about, is decided about before its delivery is committed, and both are one commit.
What a persona makes of a mail is C{decisions}' matter.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from datetime import datetime
from typing import NamedTuple

from msgspec.structs import replace
from twisted.internet.defer import Deferred, succeed
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import deferLater
from twisted.logger import Logger

from simmail.concurrency import Lock, Waiting
from simmail.core.records.commit import Commit
from simmail.core.records.delivery import Arrival
from simmail.errors import Unavailable
from simmail.universe.cache import DocumentCache, LONGEST_READ
from simmail.universe.committer import Committer
from simmail.universe.eventlog import EventLog
from simmail.universe.maillog import MailLog
from simmail.universe.pending import PendingJobs
from simmail.universe.people.decisions import Decisions

#: Real seconds before mail that could not be read (the store is away) is looked at again.
AGAIN = 1.0

#: Deliveries that wait for the one before to be decided about and committed; more go to the queue.
MOST_BEHIND = 2

#: Octets of messages that are held in memory while they wait; others are read again.
MOST_HELD = 4 << 20


class SentBefore(NamedTuple):
    """Mail from within that is there, and what its sending meant, which is not committed; C{at}: when it was sent."""

    id: str
    at: datetime
    commit: Commit


class InboxWorker:
    """
    Has the personas of one universe read their mail.

    @param turn: held by who changes what people know.
    @ivar decisions: what they make of it.
    """

    log = Logger()

    def __init__(
        self, decisions: Decisions, committer: Committer, events: EventLog, pending: PendingJobs,
        cache: DocumentCache, mail_log: MailLog, turn: Lock, reactor: IReactorTime,
    ) -> None:
        self.decisions = decisions
        self._committer = committer
        self._events = events
        self._pending = pending
        self._cache = cache
        self._mail_log = mail_log
        self._turn = turn
        self._reactor = reactor
        self._queue: deque[tuple[Arrival | SentBefore, bytes | None, float]] = deque()
        # How many of them are mail that was sent before a crash, and octets of messages that are held.
        self._sent = self._held = 0
        self._working = False
        self._waiting: Waiting[None] = Waiting(reactor)
        # A delivery is being decided about and committed in one; whether that commit has been issued.
        self._joining = self._issued = False
        self._behind: deque[Deferred[None]] = deque()
        self._letting_go = False
        # Commits under way that bring arrivals which are not in the queue yet.
        self._coming = 0
        self._make: Callable[[SentBefore], Awaitable[tuple[Arrival, ...]]] | None = None

    # With the delivery

    async def commit(
        self, commit: Commit, octets: bytes | None, committed: Callable[[int], None],
        during_advance: bool = False, may_batch: bool = False,
    ) -> None:
        """
        Make true what follows from a message that is filed, however long Redis is away, and decide about it.

        Commits are issued in the order of the calls.

        @param octets: the message, when at hand.
        @param committed: called as soon as it is true with the number of the last event of C{commit}, or of any before.
        @param during_advance: its jobs are known already.
        @param may_batch: nobody waits until it is true, unless it reaches a persona.
        """
        if self._joining:
            turn: Deferred[None] = Deferred()
            self._behind.append(turn)
            self._let_go()
            await turn
        decision = await self._joined(commit, octets)
        arrive = commit.arrive if decision is None else ()
        self._coming += bool(arrive)
        try:
            issued = self._committer.commit_surely(
                commit if decision is None else _with(commit, decision), may_batch and not commit.arrive)
            self._issued = decision is not None
            self._let_go()
            done = await issued
            committed(done.first + len(commit.events) - 1 if done.first else self._events.last)
            if not during_advance:
                self._pending.add(commit.jobs)
            if decision is not None:
                self._took(decision)
        finally:
            self._coming -= bool(arrive)
            if decision is not None:
                self._turn.release()
                self._joining = False
                self._let_go()
        if arrive or self._queue:
            self.add(arrive, octets)

    async def _joined(self, commit: Commit, octets: bytes | None) -> Commit | None:
        """
        What the one persona that a commit reaches makes of the message, and the turn is ours; None: it has to wait.
        """
        if (len(commit.arrive) != 1 or octets is None or len(octets) > LONGEST_READ or self._queue or self._coming
                or self._turn.locked or self._committer.stopping):
            return None
        await self._turn.acquire()
        self._joining, self._issued = True, False
        try:
            return await self.decisions.decide(commit.arrive[0], octets)
        except Exception:
            # Decided about from the queue, which knows what to do about it.
            self._turn.release()
            self._joining = False
            return None

    def _let_go(self) -> None:
        """Whoever is behind goes on in order: to be decided about likewise, or when there are many, to the queue."""
        if self._letting_go:
            # One of those who go on: the next is not its to let go.
            return
        self._letting_go, crowded = True, False
        try:
            while self._behind:
                crowded = crowded or self._issued and len(self._behind) > MOST_BEHIND
                if self._joining and not crowded:
                    break
                self._behind.popleft().callback(None)
        finally:
            self._letting_go = False

    # The queue

    def hold(
        self, left: Iterable[Arrival | SentBefore], make: Callable[[SentBefore], Awaitable[tuple[Arrival, ...]]]
    ) -> None:
        """
        Take what is left from before: it is decided about from C{begin} on, ahead of all others.

        @param make: commits what sending a mail meant, and answers whom it reached.
        """
        self._make = make
        self._enqueue(left, None)
        self._sent += sum(isinstance(one, SentBefore) for one, _, _ in self._queue)

    def begin(self) -> None:
        """Decide about what was held."""
        self.add((), None)

    def add(self, arrivals: Iterable[Arrival], octets: bytes | None) -> None:
        """Arrivals that were just committed; C{octets}, when at hand, saves reading them again."""
        self._enqueue(arrivals, octets)
        if self._queue and not self._working:
            self._working = True
            Deferred.fromCoroutine(self._work()).addErrback(
                lambda failure: self.log.failure("deciding about mail failed", failure))

    def _enqueue(self, arrivals: Iterable[Arrival | SentBefore], octets: bytes | None) -> None:
        real = self._reactor.seconds()
        for arrival in arrivals:
            held = octets if octets is None or self._held + len(octets) <= MOST_HELD else None
            self._held += len(held or b"")
            self._queue.append((arrival, held, real))

    def earliest_pending(self) -> datetime | None:
        """The instant of the oldest mail not yet decided about."""
        return self._queue[0][0].at if self._queue else None

    def when_idle(self) -> Deferred[None]:
        """Deferred that fires when everything has been decided about."""
        return self._waiting.wait() if self._queue else succeed(None)

    @property
    def lag(self) -> int:
        """How many arrivals wait."""
        return len(self._queue)

    @property
    def waited(self) -> float:
        """Real seconds that the oldest of them has waited."""
        return self._reactor.seconds() - self._queue[0][2] if self._queue else 0.0

    async def _work(self) -> None:
        try:
            while self._queue and not self._committer.stopping:
                await self._turn.acquire()
                try:
                    await self._first()
                    while self._sent and not self._committer.stopping:
                        # Nobody else changes what people know.
                        await self._first()
                finally:
                    self._turn.release()
        finally:
            self._working = False
            self._waiting.wake(None)

    async def _first(self) -> None:
        """Decide about the first of the queue, in our turn."""
        one, octets, _ = self._queue[0]
        reached: tuple[Arrival, ...] = ()
        try:
            if isinstance(one, SentBefore):
                assert self._make is not None
                reached = await self._make(one)
            else:
                commit = await self.decisions.decide(one, octets)
                await self._committer.commit_surely(commit)
                self._took(commit)
        except Unavailable as error:
            self.log.warn("mail waits to be decided about: {error}", error=error)
            await deferLater(self._reactor, AGAIN)
            return
        except Exception:
            # One message that the rules cannot bear must not hold up all others.
            self.log.failure("no decision about {id}", id=one.id)
            if isinstance(one, Arrival):
                await self._committer.commit_surely(Commit(once=one.id, leave=(one.id,)))
        self._queue.popleft()
        self._held -= len(octets or b"")
        self._sent -= isinstance(one, SentBefore)
        real = self._reactor.seconds()
        self._queue.extendleft((arrival, None, real) for arrival in reversed(reached))

    def _took(self, decision: Commit) -> None:
        """What was decided is committed: what is held in memory follows."""
        for put in decision.puts:
            self._cache.put(*put)
        self._pending.add(decision.jobs)
        line = self._mail_log.line
        for event in decision.events:
            if event.type.startswith("persona."):
                line("{what} {message_id} for {persona}: {why}", what=event.type[8:],
                     message_id=event.data.get("message_id", ""), persona=event.data["persona"],
                     why=event.data.get("why", ""))
        for job in decision.jobs:
            line("planned {kind} {id} at {due}: {plan}", kind=job.kind, id=job.id, due=job.due.isoformat(),
                 plan=job.plan)


def _with(commit: Commit, decision: Commit) -> Commit:
    """A commit with what was decided about the arrival in it."""
    return replace(
        commit, arrive=(), events=(*commit.events, *decision.events), jobs=(*commit.jobs, *decision.jobs),
        puts=(*commit.puts, *decision.puts))
