"""
What a crash cut short is finished at the next start: visible and committed before anybody is served, and decided about
in its turn, like all mail, so that nobody who calls waits for a backlog.

Where Redis came back with less than it had, mail may be there without what made a person write it.  What such mail
means is committed when all that came before it is decided about again: a reply is planned before it was sent, so none
is written twice.  Until then nobody else has the turn, for it says what people know as it was after they wrote.
Source: decisions, section 20.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from datetime import datetime
from typing import Any, NamedTuple, Protocol

import msgspec
from msgspec.structs import replace
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import deferLater
from twisted.logger import Logger

from simmail.core.records.commit import Commit
from simmail.core.records.delivery import Arrival, Copy, Delivery
from simmail.core.records.job import Job
from simmail.core.records.persona import Persona
from simmail.errors import Unavailable
from simmail.interfaces import IDatabase, IMailStore
from simmail.universe.settling import Settling

#: Real seconds after which what the disk refused to file is tried again, first and at most.
AGAIN, LONGEST_AGAIN = 1.0, 60.0

_unpack = msgspec.msgpack.Decoder(Commit).decode


class SentBefore(NamedTuple):
    """Mail from within that is there, and what its sending meant, which is not committed; C{at}: when it was sent."""

    id: str
    at: datetime
    commit: Commit


class _Clock(Protocol):
    def reach(self, instant: datetime) -> None: ...


class _Verdict(Protocol):
    @property
    def kind(self) -> str: ...

    @property
    def stranger(self) -> str: ...


class _Policy(Protocol):
    def unseen(self, address: str) -> _Verdict: ...


class _Shelf(Protocol):
    def put(self, table: str, key: str, octets: bytes | None) -> None: ...


class _People(Protocol):
    @property
    def shelf(self) -> _Shelf: ...

    def known(self, persona_id: str) -> Persona | None: ...

    def at(self, address: str) -> Persona | None: ...

    async def stranger(self, address: str, mode: str = ...) -> Persona: ...

    def counted(self, puts: Iterable[tuple[str, str, bytes]]) -> None: ...


class _Scheduler(Protocol):
    def add(self, jobs: Iterable[Job]) -> None: ...


class _PostOffice(Protocol):
    @property
    def settling(self) -> Settling: ...

    def began(self, delivery_id: str, now: datetime) -> None: ...

    def ended(self, delivery_id: str) -> None: ...

    async def release(self, job: Job) -> None: ...

    async def commit(self, commit: Commit, octets: bytes | None, copies: tuple[Copy, ...]) -> None: ...


class _Correspondents(Protocol):
    def quiet(self) -> Deferred[None]: ...


class _Universe(Protocol):
    id: str
    store: IMailStore
    database: IDatabase
    reactor: IReactorTime
    stopping: bool

    @property
    def begun(self) -> bool: ...

    @property
    def clock(self) -> _Clock: ...

    @property
    def policy(self) -> _Policy: ...

    @property
    def people(self) -> _People: ...

    @property
    def scheduler(self) -> _Scheduler: ...

    @property
    def postoffice(self) -> _PostOffice: ...

    @property
    def correspondents(self) -> _Correspondents: ...

    async def learn(self) -> None: ...

    async def commit_surely(self, commit: Commit) -> Any: ...


class CrashRecovery:
    """That of one universe, at its start."""

    log = Logger()

    def __init__(self, universe: _Universe) -> None:
        self._universe = universe
        #: Called when nothing is left to be done.
        self.done: Callable[[], object] = lambda: None
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
        universe = self._universe
        owed = await universe.store.owed()
        if not owed:
            return
        known = await universe.database.seen(universe.id, owed)
        lost = [(delivery, copies) for delivery, copies in await universe.store.replay(known) if delivery.commit]
        continued = universe.database.continued
        if lost and not continued:
            # Who somebody wrote to is to be known.
            await universe.learn()
            self._latest = max(delivery.at for delivery, _ in lost)
        left: list[str] = []
        for at, (delivery, copies) in enumerate(lost):
            commit = with_copies(_unpack(delivery.commit), copies)
            if not continued and any(job.state != "pending" for job in commit.jobs):
                self._order.append(SentBefore(delivery.id, delivery.at, commit))
                self._open.add(delivery.id)
                universe.postoffice.began(delivery.id, delivery.at)
                continue
            try:
                if not continued:
                    universe.clock.reach(delivery.at)
                    await self._strangers(commit.arrive)
                await universe.database.commit(universe.id, commit)
            except Unavailable:
                # A Redis whose own disk is full: what is behind it has to wait as well.
                left = [one.id for one, _ in lost[at:]]
                break
            self._order.append(delivery.id)
        left += universe.store.unfiled
        self._open.update(left)
        for one in owed:
            if one not in self._open:
                universe.postoffice.settling.settle(one)
        if left:
            self._later(frozenset(known), left)

    def reach(self) -> None:
        """The clock is known: it has come as far as what is there already."""
        if self._latest is not None:
            self._universe.clock.reach(self._latest)

    @property
    def finished(self) -> bool:
        """Whether nothing is left to be done."""
        return not self._open

    def begin(self) -> None:
        """What is undecided is decided about from now on."""
        if self.finished:
            self.done()

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
        universe = self._universe
        try:
            await universe.commit_surely(sent.commit)
        finally:
            universe.postoffice.ended(sent.id)
        for put in sent.commit.puts:
            universe.people.shelf.put(*put)
        universe.people.counted(sent.commit.puts)
        universe.scheduler.add(sent.commit.jobs)
        for job in sent.commit.jobs:
            if job.state == "done":
                await universe.postoffice.release(job)
        self._made(sent.id)
        return sent.commit.arrive

    def _made(self, delivery_id: str) -> None:
        self._universe.postoffice.settling.settle(delivery_id)
        self._open.discard(delivery_id)
        if self.finished:
            self.done()

    def _later(self, known: Collection[str], left: Collection[str]) -> None:
        """What the disk, or Redis, refused at the start is done when it takes it: all else is served meanwhile."""
        self.log.error("{count} messages of {universe} stay in the journal: they are refused now",
                       count=len(left), universe=self._universe.id)
        Deferred.fromCoroutine(self._file_left(known, left)).addErrback(
            lambda failure: self.log.failure("messages stay in the journal until the next start", failure))

    async def _file_left(self, known: Collection[str], left: Collection[str]) -> None:
        universe = self._universe
        still, delay = left, AGAIN
        while still:
            await deferLater(universe.reactor, delay)
            delay = min(2 * delay, LONGEST_AGAIN)
            if universe.stopping:
                return
            if not universe.begun:
                continue
            try:
                lost = await universe.store.replay(known, still)
            except Unavailable:
                continue
            for delivery, copies in lost:
                if delivery.commit:
                    await self._again(delivery, copies)
            unfiled = set(universe.store.unfiled)
            for one in still:
                if one not in unfiled:
                    self._made(one)
            still = unfiled

    async def _strangers(self, arrivals: Iterable[Arrival]) -> None:
        """Who was made for a message may be lost with what follows from it."""
        universe = self._universe
        for arrival in arrivals:
            if universe.people.known(arrival.persona_id) is None and universe.people.at(arrival.mailbox) is None:
                unseen = universe.policy.unseen(arrival.mailbox)
                if unseen.kind == "create" and unseen.stranger != "off":
                    await universe.people.stranger(arrival.mailbox, unseen.stranger)

    async def _again(self, delivery: Delivery, copies: tuple[Copy, ...]) -> None:
        universe = self._universe
        commit = with_copies(_unpack(delivery.commit), copies)
        universe.clock.reach(delivery.at)
        await self._strangers(commit.arrive)
        universe.postoffice.began(delivery.id, delivery.at)
        await universe.postoffice.commit(commit, delivery.octets, copies)
        for put in commit.puts:
            universe.people.shelf.put(*put)
        await universe.correspondents.quiet()


def with_copies(commit: Commit, copies: tuple[Copy, ...]) -> Commit:
    """A commit whose arrivals say where their mail was filed."""
    if not commit.arrive:
        return commit
    return replace(commit, arrive=tuple(
        replace(arrival, copy=copies[int(arrival.id.rpartition(".")[2])]) for arrival in commit.arrive))
