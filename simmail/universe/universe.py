"""
One universe: its parts, and the life of a message through them.

A message comes in over SMTP or the API and is given to L{postoffice}, which
files it in the mail store (journal, Maildir, UIDs); then the sender is told.
What follows is committed from the same record of the journal:
C{mail.delivered}, and an arrival for every recipient behind whom stands a
persona.  L{correspondents} takes arrivals in
order, asks C{core.react} what the persona makes of each, and commits that:
C{persona.received}, what it remembers, and the jobs it plans (in the commit of
the delivery itself, when it reached one persona and nobody is before it).
L{scheduler} does each job at its due time on the simulated L{clock}: a reply is
thought out (L{drafting}), composed, and given to the post office like any other
mail, in one commit with C{job.done} and C{persona.sent}; links are opened
(L{visits}).  While the clock is moved straight through, a few such commits may
be under way: the journal has them, and the clock arrives when all are made.
L{log} tells those who listen: the stream, webhooks, waits.  Events report; they
never drive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct
from twisted.internet.defer import Deferred, fail
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import LoopingCall, deferLater
from twisted.logger import Logger
from twisted.python.failure import Failure

from simmail.concurrency import Lock, Waiting
from simmail.config import Config
from simmail.core.records.commit import Commit, Committed, EventQuery
from simmail.core.rng import Dice
from simmail.core.rules.quota_plan import Plan, SELF_HOSTED
from simmail.core.time.sim_clock import Timeline
from simmail.errors import Unavailable
from simmail.interfaces import IBrowser, IDatabase, IMailStore
from simmail.universe.cache import Readings
from simmail.universe.clock import Clock, ClockStatus, status
from simmail.universe.counters import Ordinals
from simmail.universe.eventlog import EventLog
from simmail.universe.faults import Faults
from simmail.universe.mailflow.bounces import Bounces
from simmail.universe.mailflow.delivery import PostOffice
from simmail.universe.mailflow.external import Foreign
from simmail.universe.mailflow.mailboxes import Mailboxes
from simmail.universe.mailflow.recovery import CrashRecovery
from simmail.universe.mailflow.waits import Waits
from simmail.universe.maillog import MailLog
from simmail.universe.people.cases import Cases
from simmail.universe.people.inbox_worker import Correspondents
from simmail.universe.people.job_runner import Desk
from simmail.universe.people.link_visits import Visits
from simmail.universe.people.personas import People
from simmail.universe.policy import Policy
from simmail.universe.retention import Pruning
from simmail.universe.scheduler import Scheduler
from simmail.universe.settings import Settings
from simmail.universe.usage import Usage

#: Real seconds between two notes of where a moved clock stands.
HEARTBEAT = 2.0

#: Real seconds after which a lock that is held is told of.
LONG_HELD = 10.0


class Charter(Struct, frozen=True):
    """
    What a universe is made from.

    @ivar clock: the timeline it began with (a reset returns there).
    """

    id: str
    name: str
    org: str
    created: datetime
    seed: str
    clock: Timeline


class _Recorded(Struct):
    at: datetime


class Universe:
    """
    Everything that is the case in one universe.

    @param unique: makes ids for deliveries from outside; never drawn upon by the simulation.
    @param browser: opens the links that personas follow.
    @param reactor: real time (C{IReactorTime}).
    """

    def __init__(
        self, charter: Charter, config: Config, store: IMailStore, database: IDatabase,
        reactor: IReactorTime, unique: Callable[[], str], browser: IBrowser,
    ) -> None:
        self.log_of_mail = MailLog(charter.id, reactor.seconds)
        # On the instance: a Logger that is a class attribute takes the class's name for its namespace.
        self.logger = Logger(namespace="simmail.universe")
        self.charter = charter
        self.id, self.name, self.org = charter.id, charter.name, charter.org
        self.created, self.seed = charter.created, charter.seed
        self.config, self.store, self.database, self.reactor = config, store, database, reactor
        self.dice = Dice(charter.seed)
        self.suspended = False
        turn = self._turn = Lock(reactor)
        self._back: Waiting[None] = Waiting(reactor)
        self.unique = unique
        #: It takes nothing new, and begins nothing more.
        self.stopping = False
        self._begun = self._closed = False
        self.log = EventLog(charter.id, database, reactor)
        self.clock = Clock(charter.clock, reactor, self._floor, self.commit_surely)
        self.settings = Settings(charter.id, database, self.clock.now, self.commit)
        self.people = People(self, turn, self.commit)
        self.readings = Readings()
        self.policy = Policy(self)
        self.faults = Faults(self)
        self.ordinals = Ordinals(charter.id, database)
        self.postoffice = PostOffice(self)
        self.recovery = CrashRecovery(self)
        self.log.recorded = self.postoffice.recorded
        self.foreign = Foreign(self)
        self.bounces = Bounces(self)
        self.lab_hosts = frozenset(config.links.lab_hosts)
        self.visits = Visits(self, browser)
        self.correspondents = Correspondents(self, turn)
        self.desk = Desk(self)
        self.scheduler = Scheduler(charter.id, database, reactor, self.log, turn, self.commit_surely)
        self.scheduler.clock = self.clock
        self.scheduler.perform = self.desk.perform
        self.scheduler.quiet = self.quiet
        self.scheduler.tag_of = self.people.tag_of
        self.scheduler.settled = self.settled
        self.scheduler.begin = self.visits.begin
        self.scheduler.keep = self.visits.keep
        self.scheduler.moved = self.desk.drafting.forget
        self.scheduler.committed = self.postoffice.committed
        self.clock.changed = self.scheduler.rearm
        self.cases = Cases(self, turn)
        self.mailboxes = Mailboxes(self)
        self.waits = Waits(self)
        #: The plan of the organisation; the roster knows it.
        self.plan: Callable[[], Plan] = lambda: SELF_HOSTED
        self.usage = Usage(self)
        self.pruning = Pruning(self, lambda: self.plan().limits.retention_days)
        self.scheduler.housekeep = self._housekeep
        self._heartbeat = LoopingCall(self._beat)
        self._heartbeat.clock = reactor
        self._beaten: datetime | None = None
        self._told_held: set[Lock] = set()

    # Coming and going

    async def start(self) -> None:
        """Learn the state and finish what a crash cut short: from here on every call can be answered."""
        self.database.on_health(self._health)
        await self.recovery.complete()
        await self.log.start()
        await self.learn()
        self.recovery.reach()
        await self.scheduler.load()
        self.correspondents.hold(self.recovery.in_order(await self.database.arrivals(self.id)))
        await self.postoffice.tidy()

    @property
    def begun(self) -> bool:
        """Whether what was left to be done has gone on."""
        return self._begun

    async def learn(self) -> None:
        """At start: everything but jobs and mail to decide about, as it is in the database."""
        await self._resume_clock()
        await self.usage.start()
        await self.settings.start()
        await self.policy.start()
        await self.faults.start()
        await self.ordinals.start()
        await self.people.start()
        await self.cases.start()

    def begin(self) -> None:
        """
        Go on with what was left to be done: mail to decide about, jobs that are due.

        Apart from C{start}, so that nobody who calls waits for a backlog.  Once begun it changes nothing.
        """
        if self._begun or self.stopping:
            return
        self._begun = True
        self.recovery.begin()
        self.correspondents.begin()
        # Behind the arrivals of before: mail is decided about in the order it came.
        self.store.watch(self.foreign.delivered)
        self.scheduler.start()
        self._heartbeat.start(HEARTBEAT, now=False)

    async def _resume_clock(self) -> None:
        (octets,) = await self.database.get(self.id, "state", ["clock"])
        timeline, last = self.clock.timeline, self.clock.timeline.sim
        if octets is not None:
            timeline, last = msgspec.json.decode(octets, type=tuple[Timeline, datetime])
        # A service that was killed has not noted where its clock stood, but what it recorded last.
        rows = await self.database.events(self.id, EventQuery(descending=True, limit=1))
        if rows:
            last = max(last, msgspec.json.decode(rows[0], type=_Recorded).at)
        self.clock.resume(timeline.resumed(last, self.reactor.seconds()))

    async def stop(self) -> None:
        """Finish what is being done, begin nothing more."""
        self.stopping = True
        self._back.fail(Failure(Unavailable("the service is stopping")))
        if self._heartbeat.running:
            self._heartbeat.stop()
        stopped = Deferred.fromCoroutine(self.scheduler.stop())
        self.visits.stop()
        await stopped
        await self.postoffice.recorded()
        if self.database.healthy:
            try:
                await self.database.commit(self.id, Commit(puts=self.clock.documents()))
            except Unavailable:
                pass

    async def close(self) -> None:
        """It is going to be deleted: from here on nothing of it becomes true any more."""
        await self.stop()
        self._closed = True

    async def _housekeep(self) -> None:
        """Once in a simulated hour: retention."""
        if self.pruning.due():
            await self.pruning.prune()

    def _beat(self) -> None:
        self._tell_held()
        if self.database.healthy and self.pruning.due():
            Deferred.fromCoroutine(self.pruning.prune()).addErrback(
                lambda failure: self.logger.warn("housekeeping failed: {error}", error=failure.value))
        now = self.clock.now()
        if self.clock.timeline.touched and now != self._beaten and self.database.healthy:
            self._beaten = now
            # Nothing is lost when one beat is: the next says the same, later.
            self.database.commit(self.id, Commit(puts=self.clock.documents())).addErrback(lambda _: None)

    # Changing state

    async def commit(self, commit: Commit) -> Committed:
        """
        Make a change true and tell of it.

        @raise Unavailable: it is not known to be true; with C{once} it may be tried again.
        """
        return await self._issue(commit)

    def _issue(self, commit: Commit, patient: bool = False) -> Deferred[Committed]:
        if self._closed:
            return fail(Unavailable(f"the universe {self.id} is closed"))
        issued: Deferred[Committed] = self.database.commit(self.id, commit, patient)
        return issued.addCallback(self._true, commit)

    def _true(self, done: Committed, commit: Commit) -> Committed:
        if done.fresh:
            if commit.counts:
                self.usage.counted(commit.counts, done.counts)
            if commit.events:
                self.log.announce(done.first, commit.events)
        return done

    async def commit_surely(self, commit: Commit) -> Committed:
        """
        Make a change true, however long Redis is away.

        @raise Unavailable: Redis is away and the universe stops; what is owed is completed at the next start.
        """
        return await self.issue_surely(commit)

    def issue_surely(self, commit: Commit, patient: bool = False) -> Deferred[Committed]:
        """The same, which has begun when this returns; C{patient}: nobody waits for it."""
        return self._issue(commit, patient).addErrback(self._again, commit)

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
        """Fires when Redis may answer again; fails with Unavailable when the universe stops."""
        if self.stopping:
            return fail(Unavailable("the service is stopping"))
        if self.database.healthy:
            # It answered that it cannot now (loading, out of memory): not at once again.
            return deferLater(self.reactor, 0.25)
        return self._back.wait()

    def _health(self, healthy: bool) -> None:
        if healthy:
            self._back.wake(None)

    @property
    def available(self) -> bool:
        """False while Redis is known to be away."""
        return bool(self.database.healthy)

    def require_available(self) -> None:
        """
        Refuse what could not be committed.

        @raise Unavailable: Redis is known to be away, or the universe has been stopped.
        """
        if not self.database.healthy:
            raise Unavailable("Redis is away; try again later")
        if self.stopping:
            raise Unavailable(f"the universe {self.id} is closed")

    @property
    def room_for_people(self) -> bool:
        """Whether the plan allows one persona more."""
        most = self.plan().limits.people
        return most is None or len(self.people) < most

    # Time

    def _floor(self) -> datetime | None:
        first = self.scheduler.floor()
        for other in (self.postoffice.floor(), self.correspondents.floor()):
            if other is not None and (first is None or other < first):
                first = other
        return first

    def quiet(self) -> Deferred[None]:
        """Deferred that fires when all mail accepted so far has been decided about."""
        return Deferred.fromCoroutine(self._quiet())

    async def _quiet(self) -> None:
        while self.postoffice.floor() is not None or self.correspondents.floor() is not None:
            await self.postoffice.quiet()
            await self.correspondents.quiet()

    def settled(self, seconds: float) -> Deferred[None]:
        """
        Deferred that fires when, after a job reached the application, nothing was accepted for
        C{seconds} of real time; at once when it reached nobody.
        """
        return Deferred.fromCoroutine(self._settled(seconds))

    async def _settled(self, seconds: float) -> None:
        if not self.postoffice.reached_application:
            return
        self.postoffice.reached_application = False
        begin = self.reactor.seconds()
        while True:
            left = max(begin, self.postoffice.accepted_at) + seconds - self.reactor.seconds()
            if left <= 0:
                break
            await deferLater(self.reactor, left)
        await self._quiet()

    def within(self, done: Deferred[Any], seconds: float) -> Deferred[None]:
        """Deferred that fires when C{done} does, or after so many real seconds; fails as C{done} fails."""
        result: Deferred[None] = Deferred()

        def finished(value: Any) -> None:
            if timer.active():
                timer.cancel()
            if not result.called:
                result.callback(None) if not isinstance(value, BaseException) else result.errback(value)

        def failed(failure: Any) -> None:
            if result.called:
                self.logger.failure("what was left to complete failed", failure)
            else:
                timer.cancel()
                result.errback(failure)

        if done.called and not done.paused:
            done.addCallbacks(lambda _: result.callback(None), result.errback)
            return result

        def late() -> None:
            if not result.called:
                result.callback(None)

        timer = self.reactor.callLater(seconds, late)
        done.addCallbacks(finished, failed)
        return result

    # Telling

    def locks(self) -> Iterator[tuple[str, Lock]]:
        """The locks that are held now, each with what it is."""
        held = (("the clock", self.clock.turn), ("its people", self._turn), ("its rules", self.policy.turn),
                *self.store.locks())
        return ((what, lock) for what, lock in held if lock.held())

    def _tell_held(self) -> None:
        """What is held for long is said in the log, once."""
        held = {lock: what for what, lock in self.locks() if lock.held() >= LONG_HELD}
        for lock in held.keys() - self._told_held:
            self.logger.warn("{what} in {universe} has been held for {seconds} s; {count} wait for it", what=held[lock],
                             universe=self.id, seconds=round(lock.held()), count=lock.waiting)
        self._told_held = set(held)

    def told(self, format: str, **fields: Any) -> None:
        """A line in the mail log, in mail's own words."""
        self.log_of_mail.say(format, fields)

    async def status(self) -> dict[str, Any]:
        """Counts of what there is, as C{GET /api/status} shows them."""
        folders = await self.mailboxes.totals()
        return {
            "mailboxes": len(self.store.mailboxes()),
            "messages": sum(folders.values()),
            "folders": folders,
            "personas": len(self.people),
            "cases": len(self.cases),
            "pending_jobs": len(self.scheduler.pending),
            "clock": await self.clock_status(),
            "writer": "templates",
        }

    async def clock_status(self) -> ClockStatus:
        """The clock as C{GET /api/clock} shows it."""
        return status(self.clock, self.scheduler.first(), len(self.scheduler.pending))
