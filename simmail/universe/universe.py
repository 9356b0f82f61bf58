"""
One universe: its parts put together, and the life of a message through them.

A message comes in over SMTP or the API and is given to L{mailflow.post_office}, which
files it in the mail store (journal, Maildir, UIDs); then the sender is told.
What follows is committed from the same record of the journal:
C{mail.delivered}, and an arrival for every recipient behind whom stands a
persona.  L{people.inbox_worker} takes arrivals in order, L{people.decisions}
asks the rules what the persona makes of each, and that is committed:
C{persona.received}, what it remembers, and the jobs it plans (in the commit of
the delivery itself, when it reached one persona and nobody is before it).
L{scheduler} has each job done at its due time on the simulated L{clock}, by
L{jobs.runner}: a reply is thought out and composed (L{jobs.letters}), and given
to the post office like any other mail, in one commit with C{job.done} and
C{persona.sent}; links are opened (L{jobs.link_visits}).  While the clock is
moved straight through, a few such commits may be under way: the journal has
them, and the clock arrives when all are made.  L{eventlog} tells those who
listen: the stream, webhooks, waits.  Events report; they never drive.

No part knows the universe: each is given what it uses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from functools import partial
from typing import Any, Literal

import msgspec
from msgspec import Struct
from twisted.internet.defer import Deferred, maybeDeferred
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import LoopingCall
from twisted.logger import Logger

from simmail.concurrency import Lock
from simmail.config import Config
from simmail.core.inspection.engine import SpamEngine
from simmail.core.inspection.sender.lookup import Lookup, nowhere
from simmail.core.inspection.sender.published import FetchFile, not_fetched
from simmail.core.records.commit import Commit, EventQuery
from simmail.core.rng import Dice
from simmail.core.rules.quota_plan import Plan, SELF_HOSTED
from simmail.core.wording.attached import ReadPdf, not_read
from simmail.errors import Unavailable
from simmail.interfaces import IBrowser, IDatabase, ILanguageModel, IMailStore, IWebhookSender
from simmail.universe.cache import DocumentCache, MailCache
from simmail.universe.clock import ClockStatus, Timeline, UniverseClock, WallClock
from simmail.universe.committer import Committer
from simmail.universe.eventlog import EventLog
from simmail.universe.faults import Faults
from simmail.universe.insights.insights import Insights
from simmail.universe.insights.shares import Shares
from simmail.universe.inspection.addresses import CheckAddresses
from simmail.universe.inspection.inspections import Inspections
from simmail.universe.inspection.link_check import LinkCheck
from simmail.universe.inspection.scoring import Scoring
from simmail.universe.jobs.bounces import Bounces
from simmail.universe.jobs.job_mails import JobMails
from simmail.universe.jobs.letters import Letters
from simmail.universe.jobs.link_visits import LinkVisits
from simmail.universe.jobs.runner import MailJobRunner
from simmail.universe.mailflow.external import ExternalMail
from simmail.universe.mailflow.in_flight import Entrance, MailInFlight
from simmail.universe.mailflow.mailboxes import Mailboxes
from simmail.universe.mailflow.missing_message_id import MissingMessageIds
from simmail.universe.mailflow.post_office import PostOffice
from simmail.universe.mailflow.recent import RecentMail
from simmail.universe.mailflow.recovery import CrashRecovery
from simmail.universe.mailflow.routing import MailRouter
from simmail.universe.mailflow.search import MailSearch
from simmail.universe.mailflow.standstill import Standstill
from simmail.universe.mailflow.waits import Waits
from simmail.universe.maillog import MailLog
from simmail.universe.meaning import Meaning
from simmail.universe.model_access import ModelAccess
from simmail.universe.pending import PendingJobs
from simmail.universe.people.case_editor import CaseEditor
from simmail.universe.people.cases import Cases
from simmail.universe.people.decisions import Decisions
from simmail.universe.people.inbox_worker import InboxWorker
from simmail.universe.people.memory import Memories
from simmail.universe.people.personas import Personas
from simmail.universe.people.strangers import Strangers
from simmail.universe.people.wording import Wording
from simmail.universe.policy import Policy
from simmail.universe.retention import Pruning
from simmail.universe.scheduler import Scheduler
from simmail.universe.score.scores import Scores
from simmail.universe.settings import Settings
from simmail.universe.usage import Usage
from simmail.universe.webhooks.webhooks import Webhooks
from simmail.universe.world.streams import Streams
from simmail.universe.world.world_mail import WorldMail

#: Real seconds between two notes of where a moved clock stands.
HEARTBEAT = 2.0

#: Real seconds after which a lock that is held is told of.
LONG_HELD = 10.0


Durability = Literal["local", "replicated"]
"""Where what is acknowledged in a universe is."""


class UniverseRecord(Struct, frozen=True):
    """
    What a universe is made from.

    @ivar clock: the timeline it began with (a reset returns there).
    @ivar separate: its logins sign in only by names that say where (C{<name>%<id>}), and only who signed in sends
        mail there: it may have the addresses and logins of others.
    @ivar ends: the real time at which it goes by itself, None for never.
    @ivar origin: the id of the universe that it is a fork of, C{""} for none.
    @ivar beside: the id of the universe with which it is placed: of what it is a fork of, for that shares its mail.
    @ivar durability: C{local}: what is acknowledged is on the disk of its server; C{replicated}: in the store of
        objects too.
    """

    id: str
    name: str
    org: str
    created: datetime
    seed: str
    clock: Timeline
    separate: bool = False
    ends: datetime | None = None
    origin: str = ""
    beside: str = ""
    durability: Durability = "local"

    @property
    def placed(self) -> str:
        """The id by which it is placed in one of several processes."""
        return self.beside or self.id


class _Recorded(Struct):
    at: datetime


class Universe:
    """
    Everything that is the case in one universe.

    @param reactor: real time (C{IReactorTime}).
    @param unique: makes ids for deliveries from outside; never drawn upon by the simulation.
    @param browser: opens the links that personas follow; webhook_sender: posts to webhooks; model: words
        what they write.
    @param plan: the plan of its organisation.
    @param in_thread: runs a function in a thread, answering a Deferred.
    @param wall_clock: what was seen of jumps of the wall clock.
    @param lookup: asks the name system about senders, blocks; engines: other spam filters that inspections ask;
        files: fetches what domains publish for mail; read_pdf: reads what is attached.
    @param another: it was another server's, and what that had committed may be missing.
    @param recovered: called when what a crash cut short is made again.
    """

    def __init__(
        self, record: UniverseRecord, config: Config, store: IMailStore, database: IDatabase,
        reactor: IReactorTime, unique: Callable[[], str], browser: IBrowser,
        webhook_sender: IWebhookSender, model: ILanguageModel, plan: Callable[[], Plan] = lambda: SELF_HOSTED,
        in_thread: Callable[..., Any] = maybeDeferred,
        wall_clock: Callable[[], WallClock | None] = lambda: None, recovered: Callable[[], object] = lambda: None,
        lookup: Lookup = nowhere, engines: Sequence[SpamEngine] = (),
        files: FetchFile = not_fetched, read_pdf: ReadPdf = not_read, another: bool = False,
    ) -> None:
        # On the instance: a Logger that is a class attribute takes the class's name for its namespace.
        self.logger = Logger(namespace="simmail.universe")
        self.record = record
        self.id, self.name, self.org = record.id, record.name, record.org
        self.created, self.seed = record.created, record.seed
        self.config, self.store, self.database, self.reactor = config, store, database, reactor
        self.unique, self.plan = unique, plan
        self.suspended = False
        name, dice = record.id, Dice(record.seed)
        turn = self._turn = Lock(reactor)

        # Changes, and the time they are made at.
        self.mail_log = mail_log = MailLog(name, reactor.seconds)
        self.in_flight = in_flight = MailInFlight(store, database, reactor)
        self.log = log = EventLog(name, database, reactor, in_flight.when_recorded)
        self.usage = Usage(name, database, reactor, plan)
        #: It is not to be used any more: it was deleted, another was put in its place, or the service stops.
        self.closed = False
        self.committer = committer = Committer(
            name, database, reactor, log, self.usage, store.unsettled, lambda: in_flight.uncommitted)
        commit = committer.commit
        self.pending = pending = PendingJobs()
        self.clock = UniverseClock(record.clock, reactor, committer.commit_surely, wall_clock)
        now = self.clock.now

        # Settings and rules.
        self.settings = settings = Settings(name, database, now, commit)
        self.policy = Policy(name, database, store, settings, record.seed, reactor)
        self.faults = Faults(
            name, config.smtp.default_universe, database, settings, self.policy, self.clock, dice, committer, plan)
        self.pruning = Pruning(
            name, database, store, settings, now, commit, reactor, lambda: plan().limits.retention_days,
            lambda: self.insights.keep())

        # Those outside who are told what happens.
        self.webhooks = Webhooks(name, database, log, webhook_sender, committer, now, unique, reactor)

        # People, and what they make of mail.
        cache = DocumentCache(partial(database.get, name))
        self.mail_cache = mail_cache = MailCache(in_thread)
        meaning = Meaning(in_thread) if config.people.reader == "model" else None
        self.cases = cases = Cases(name, database, dice)
        self.people = people = Personas(name, database, store, cache, cases, pending, dice, now, turn, commit)
        self.insights = insights = Insights(name, database, log, committer, people, now, reactor)
        self.shares = Shares(name, database, committer, insights, people.everyone, now)
        self.memories = memories = Memories(name, database, people, cache, now, turn, commit)
        self.case_editor = CaseEditor(
            cases, people, memories, pending, settings, dice, now, turn, committer, plan)
        self.decisions = Decisions(
            config, store, mail_cache, people, memories, cases, pending, self.policy, settings, meaning, dice, now)
        self.inbox = InboxWorker(self.decisions, committer, log, pending, cache, mail_log, turn, reactor)
        self.clock.owed = pending.earliest_pending, in_flight.earliest_pending, self.inbox.earliest_pending

        # The road of mail, and those who look at it.
        entrance = Entrance(reactor)
        recent = self.recent = RecentMail(reactor, log)
        names = self._names = MissingMessageIds(name, database, dice, config.server.domain)
        self._router = router = MailRouter(name, database, people, self.policy, settings, mail_cache, dice, now)
        self.postoffice = postoffice = PostOffice(
            name, config, store, router, in_flight, recent, self.inbox, people, self._room_for_people, pending,
            self.usage, committer, mail_cache, mail_log, names, now, unique, reactor, entrance)
        self.recovery = CrashRecovery(
            name, store, database, self.clock, self.policy, people, cache, pending, postoffice, in_flight, self.inbox,
            committer, self.learn, recovered, reactor, another)
        self.external = ExternalMail(
            name, config, store, database, postoffice, in_flight, people, self.usage, committer, mail_cache, mail_log,
            now, reactor)
        self.mailboxes = mailboxes = Mailboxes(
            config, store, self.policy, people, recent, names, now, commit)
        self.search = MailSearch(name, database, store, people, memories, cases, log, reactor)

        self.inspections = Inspections(
            mailboxes, self.search, people,
            CheckAddresses(name, config.server.domain, database, store, committer, unique, reactor), lookup, engines,
            files, in_thread)
        self.scoring = Scoring(
            config.inspect, store, mail_cache, committer, LinkCheck(browser, lambda: settings.links), now, in_thread,
            reactor)
        postoffice.application_filed = self.scoring.filed

        # The world outside.
        self.model = access = ModelAccess(model, settings, self.usage, plan, committer, config.ai.budget, reactor)
        wording = Wording(name, access, database, committer, reactor, read_pdf)
        self.streams = Streams(name, database, settings, pending, dice, now, turn, committer, plan)
        world_mail = WorldMail(
            config.server.domain, self.streams, people, memories, mailboxes, postoffice, in_flight, pending, settings,
            self._room_for_people, store.create, now, mail_log, wording)
        self.scores = Scores(log, store, self.policy, people, cases, settings, now, reactor)

        # Jobs.
        mails = JobMails(name, database, store, mailboxes, mail_cache, in_flight, pending)
        strangers = self._strangers = Strangers(name, access, people, database, committer, now)
        letters = Letters(mails, people, memories, cases, meaning, wording, dice, self.streams)
        self.visits = LinkVisits(
            browser, config.links.lab_hosts, settings, people, memories, pending, dice, now, committer, mail_log,
            reactor)
        bounces = Bounces(config.server.domain, store, postoffice, mailboxes, people, dice, now, mail_log)
        runner = MailJobRunner(
            letters, self.visits, bounces, postoffice, in_flight, self.inbox, people, memories, pending, settings, now,
            committer, mail_cache, mail_log, self.pruning, strangers, world_mail, self.streams, reactor)
        #: Deferred that fires when all mail accepted so far has been decided about.
        self.when_idle = runner.when_idle
        self.scheduler = Scheduler(
            name, database, reactor, log, self.clock, pending, runner, turn, committer.commit_surely)
        self._standstill = Standstill(self.clock, entrance, turn, self._all_settled, self._owed)
        self.waits = Waits(
            store, mailboxes, recent, people, log, self.clock, self.scheduler, pending, mail_cache, reactor)

        self._begun = False
        self._watchers: dict[Callable[[], None], None] = {}
        self._heartbeat = LoopingCall(self._beat)
        self._heartbeat.clock = reactor
        self._beaten: datetime | None = None
        self._told_held: set[Lock] = set()

    def _room_for_people(self) -> bool:
        most = self.plan().limits.people
        return most is None or len(self.people) < most

    # Coming and going

    async def start(self) -> None:
        """Learn the state and finish what a crash cut short: from here on every call can be answered."""
        self.committer.start()
        await self.recovery.complete()
        await self.log.start()
        self.insights.start()
        await self.learn()
        self.recovery.reach()
        await self.scheduler.load()
        self.inbox.hold(self.recovery.in_order(await self.database.arrivals(self.id)), self.recovery.make)
        await self.postoffice.tidy()
        await self.streams.refill()

    async def learn(self) -> None:
        """At start: everything but jobs and mail to decide about, as it is in the database."""
        await self._resume_clock()
        await self.usage.start()
        await self.settings.start()
        await self.policy.start()
        await self.faults.start()
        await self._router.start()
        await self._names.start()
        await self.people.start()
        await self.cases.start()
        await self.webhooks.start()
        await self.shares.start()
        await self._strangers.start()
        await self.streams.start()
        await self.inspections.addresses.start()

    def begin(self) -> None:
        """
        Go on with what was left to be done: mail to decide about, jobs that are due.

        Apart from C{start}, so that nobody who calls waits for a backlog.  Once begun it changes nothing.
        """
        if self._begun or self.committer.stopping:
            return
        self._begun = True
        self.recovery.begin()
        self.inbox.begin()
        # Behind the arrivals of before: mail is decided about in the order it came.
        self.store.watch(self.external.delivered)
        self.scheduler.start()
        self.webhooks.begin()
        self.insights.begin()
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
        self.closed = True
        self.committer.stop()
        if self._heartbeat.running:
            self._heartbeat.stop()
        stopped = Deferred.fromCoroutine(self.scheduler.stop())
        self.visits.stop()
        self.model.stop()
        self.scoring.stop()
        await stopped
        self.webhooks.stop()
        # What is on its way to the disk, or to the store of objects, is committed too: who goes on has it all.
        await (self.in_flight.when_over() if self.committer.available else self.in_flight.when_recorded())
        await self.insights.stop()
        if self.committer.available:
            try:
                await self.database.commit(self.id, Commit(puts=self.clock.documents()))
            except Unavailable:
                pass

    def abandon(self) -> None:
        """It could not be started, and is not to be: nothing of it becomes true, nor is anything noted of it."""
        self.closed = True
        self.committer.stop()
        self.committer.close()

    async def close(self) -> None:
        """It is going to be deleted, or another put in its place: from here on nothing of it becomes true any more."""
        for gone in list(self._watchers):
            gone()
        await self.stop()
        self.committer.close()

    def on_close(self, gone: Callable[[], None]) -> Callable[[], None]:
        """Call C{gone()} when it is closed; returns what ends that."""
        self._watchers[gone] = None
        return lambda: self._watchers.pop(gone, None)

    # Standing still

    def standing_still(self) -> AbstractAsyncContextManager[None]:
        """Have nothing change by itself, and mail wait at the door, for as long as this is entered."""
        return self._standstill.hold()

    def _all_settled(self) -> Deferred[None]:
        return Deferred.fromCoroutine(self._settle())

    async def _settle(self) -> None:
        await self.when_idle()
        await self.in_flight.when_committed()

    def _owed(self) -> bool:
        return bool(self.in_flight.earliest_pending() or self.inbox.earliest_pending() or self.in_flight.uncommitted)

    def _beat(self) -> None:
        self._tell_held()
        if self.committer.available and self.pruning.due():
            Deferred.fromCoroutine(self.pruning.prune()).addErrback(
                lambda failure: self.logger.warn("housekeeping failed: {error}", error=failure.value))
        now = self.clock.now()
        if self.clock.timeline.touched and now != self._beaten and self.committer.available:
            self._beaten = now
            # Nothing is lost when one beat is: the next says the same, later.
            self.database.commit(self.id, Commit(puts=self.clock.documents())).addErrback(lambda _: None)

    # Telling

    def locks(self) -> Iterator[tuple[str, Lock]]:
        """Return the locks that are held now, each with what it is."""
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

    def clock_status(self) -> ClockStatus:
        """Return the clock as C{GET /api/clock} shows it."""
        return self.clock.status(self.pending.first(), len(self.pending))
