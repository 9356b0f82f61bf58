"""
What a crash cut short is finished at the next start: visible and committed before anybody is served, and decided about
in its turn, like all mail, so that nobody who calls waits for a backlog.

Where Redis came back with less than it had, mail may be there without what made a person write it.  What such mail
means is committed when all that came before it is decided about again: a reply is planned before it was sent, so none
is written twice.  Until then nobody else has the turn, for it says what people know as it was after they wrote.
Source: decisions, section 20.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable
from datetime import datetime

import msgspec
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import deferLater
from twisted.logger import Logger

from simmail.core.records.commit import Commit
from simmail.core.records.delivery import Arrival, Copy, Delivery
from simmail.errors import Unavailable
from simmail.interfaces import IDatabase, IMailStore
from simmail.universe.cache import DocumentCache
from simmail.universe.clock import UniverseClock
from simmail.universe.committer import Committer
from simmail.universe.mailflow.in_flight import MailInFlight
from simmail.universe.mailflow.post_office import PostOffice, with_copies
from simmail.universe.pending import PendingJobs
from simmail.universe.people.inbox_worker import InboxWorker, SentBefore
from simmail.universe.people.personas import Personas
from simmail.universe.policy import Policy

#: Real seconds after which what the disk refused to file is tried again, first and at most.
AGAIN, LONGEST_AGAIN = 1.0, 60.0

_unpack = msgspec.msgpack.Decoder(Commit).decode


class CrashRecovery:
    """
    That of one universe, at its start.

    @param learn: has everything but jobs and mail to decide about learned, as it is in the database.
    @param done: called when nothing is left to be done; another: it was another server's, and what that had committed
        may be missing.
    """

    log = Logger()

    def __init__(
        self, universe: str, store: IMailStore, database: IDatabase, clock: UniverseClock, policy: Policy,
        people: Personas, cache: DocumentCache, pending: PendingJobs, postoffice: PostOffice, in_flight: MailInFlight,
        inbox: InboxWorker, committer: Committer, learn: Callable[[], Awaitable[None]], done: Callable[[], object],
        reactor: IReactorTime, another: bool = False,
    ) -> None:
        self._universe = universe
        self._store = store
        self._database = database
        self._clock = clock
        self._policy = policy
        self._people = people
        self._cache = cache
        self._pending = pending
        self._postoffice = postoffice
        self._in_flight = in_flight
        self._inbox = inbox
        self._committer = committer
        self._learn = learn
        self._done = done
        self._reactor = reactor
        self._another = another
        self._begun = False
        # Ids of what is left to be done; the latest instant of what was lost.
        self._open: set[str] = set()
        self._latest: datetime | None = None
        # Ids of what was committed and the others, in the order they were accepted.
        self._order: list[str | SentBefore] = []

    async def complete(self) -> None:
        """
        Make visible what is in the journal, and commit what follows from it and does not depend on decisions.

        Before anything is learned from the database for good.
        """
        owed = await self._store.uncommitted()
        if not owed:
            return
        known = await self._database.seen(self._universe, owed)
        lost = [(delivery, copies) for delivery, copies in await self._store.replay(known) if delivery.commit]
        continued = self._database.continued and not self._another
        if lost and not continued:
            # Who somebody wrote to is to be known.
            await self._learn()
            self._latest = max(delivery.at for delivery, _ in lost)
        left: list[str] = []
        for at, (delivery, copies) in enumerate(lost):
            commit = with_copies(_unpack(delivery.commit), copies)
            if not continued and any(job.state != "pending" for job in commit.jobs):
                self._order.append(SentBefore(delivery.id, delivery.at, commit))
                self._open.add(delivery.id)
                self._in_flight.begin(delivery.id, delivery.at)
                continue
            try:
                if not continued:
                    self._clock.reach(delivery.at)
                    await self._strangers(commit.arrive)
                await self._database.commit(self._universe, commit)
            except Unavailable:
                # A Redis whose own disk is full: what is behind it has to wait as well.
                left = [one.id for one, _ in lost[at:]]
                break
            self._order.append(delivery.id)
        left += self._store.unfiled
        self._open.update(left)
        for one in owed:
            if one not in self._open:
                self._in_flight.settle(one)
        if left:
            self._later(frozenset(known), left)

    def reach(self) -> None:
        """The clock is known: it has come as far as what is there already."""
        if self._latest is not None:
            self._clock.reach(self._latest)

    @property
    def finished(self) -> bool:
        """Whether nothing is left to be done."""
        return not self._open

    def begin(self) -> None:
        """What is undecided is decided about from now on."""
        self._begun = True
        if self.finished:
            self._done()

    def in_order(self, arrivals: Iterable[Arrival]) -> list[Arrival | SentBefore]:
        """Arrivals that are undecided, in the order they were committed, with the others in between."""
        order: list[Arrival | SentBefore] = []
        before: list[SentBefore] = []
        behind: dict[str, list[SentBefore]] = {}
        for one in self._order:
            if isinstance(one, SentBefore):
                before.append(one)
            elif before:
                behind[one], before = before, []
        for arrival in arrivals:
            delivery_id = arrival.id.rpartition(".")[0]
            if delivery_id in behind:
                # Also what is behind others that reached nobody.
                for one in list(behind):
                    order += behind.pop(one)
                    if one == delivery_id:
                        break
            order.append(arrival)
        for some in behind.values():
            order += some
        return order + before

    async def make(self, sent: SentBefore) -> tuple[Arrival, ...]:
        """Commit what sending a mail meant, however long Redis is away; answers those it reached."""
        try:
            await self._committer.commit_surely(sent.commit)
        finally:
            self._in_flight.end(sent.id)
        for put in sent.commit.puts:
            self._cache.put(*put)
        self._people.counted(sent.commit.puts)
        self._pending.add(sent.commit.jobs)
        for job in sent.commit.jobs:
            if job.state == "done":
                await self._postoffice.release(job)
        self._made(sent.id)
        return sent.commit.arrive

    def _made(self, delivery_id: str) -> None:
        self._in_flight.settle(delivery_id)
        self._open.discard(delivery_id)
        if self.finished:
            self._done()

    def _later(self, known: Collection[str], left: Collection[str]) -> None:
        """What the disk, or Redis, refused at the start is done when it takes it: all else is served meanwhile."""
        self.log.error("{count} messages of {universe} stay in the journal: they are refused now",
                       count=len(left), universe=self._universe)
        Deferred.fromCoroutine(self._file_left(known, left)).addErrback(
            lambda failure: self.log.failure("messages stay in the journal until the next start", failure))

    async def _file_left(self, known: Collection[str], left: Collection[str]) -> None:
        still, delay = left, AGAIN
        while still:
            await deferLater(self._reactor, delay)
            delay = min(2 * delay, LONGEST_AGAIN)
            if self._committer.stopping:
                return
            if not self._begun:
                continue
            try:
                lost = await self._store.replay(known, still)
            except Unavailable:
                continue
            for delivery, copies in lost:
                if delivery.commit:
                    await self._again(delivery, copies)
            unfiled = set(self._store.unfiled)
            for one in still:
                if one not in unfiled:
                    self._made(one)
            still = unfiled

    async def _strangers(self, arrivals: Iterable[Arrival]) -> None:
        """Who was made for a message may be lost with what follows from it."""
        for arrival in arrivals:
            if self._people.known(arrival.persona_id) is None and self._people.at(arrival.mailbox) is None:
                unseen = self._policy.unseen(arrival.mailbox)
                if unseen.kind == "create" and unseen.stranger != "off":
                    await self._people.stranger(arrival.mailbox, unseen.stranger)

    async def _again(self, delivery: Delivery, copies: tuple[Copy, ...]) -> None:
        commit = with_copies(_unpack(delivery.commit), copies)
        self._clock.reach(delivery.at)
        await self._strangers(commit.arrive)
        self._in_flight.begin(delivery.id, delivery.at)
        await self._postoffice.commit(commit, delivery.octets, copies)
        for put in commit.puts:
            self._cache.put(*put)
        await self._inbox.when_idle()
