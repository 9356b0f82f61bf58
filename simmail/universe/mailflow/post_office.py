"""
The post office: the one road every message takes, whoever sent it.

A message is made complete and journalled; once it is durable the sender is
told, while it is filed in every recipient's mailbox.  What follows from it is
in the same record of the journal and is committed once, keyed by the
delivery's id: at once, or as soon as Redis is back, or at the next start.
Whoever looks at mail waits until all that was accepted is visible (the
store's C{visible}), and who asks for what was recorded waits for its commits
(C{recorded}), so nobody sees a 250 before the message or its event.
Source: decisions, sections 20 and 23 ("Mail").
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from simmail.concurrency import within
from simmail.config import Config
from simmail.core.compose.complete import complete
from simmail.core.message.parse import read_title
from simmail.core.records.commit import Commit
from simmail.core.records.delivery import Arrival, Copy, Delivery, Placement
from simmail.core.records.event import Event
from simmail.core.records.job import Job
from simmail.core.rules.recipients import RecipientVerdict
from simmail.errors import TooLarge, Unavailable
from simmail.interfaces import IMailStore
from simmail.universe.cache import MailCache
from simmail.universe.committer import Committer
from simmail.universe.mailflow.envelope import Outgoing, Submission
from simmail.universe.mailflow.in_flight import Entrance, MailInFlight, PATIENCE
from simmail.universe.mailflow.missing_message_id import MissingMessageIds
from simmail.universe.mailflow.recent import RecentMail
from simmail.universe.mailflow.routing import MailRouter, Routing
from simmail.universe.maillog import MailLog
from simmail.universe.pending import PendingJobs
from simmail.universe.people.inbox_worker import InboxWorker
from simmail.universe.people.personas import Personas
from simmail.universe.usage import MAIL, Usage

#: Messages of the universe's own whose commits are under way while the clock goes on.
MOST_DURING_ADVANCE = 4

#: Octets a door may put in front as trace: the limit is for what was sent.
LONGEST_TRACE = 2048

_pack = msgspec.msgpack.Encoder().encode


class Accepted(NamedTuple):
    """A message that is taken."""

    delivery_id: str
    message_id: str


class PostOffice:
    """
    The road of one universe.

    @param room_for_people: whether the plan allows one persona more.
    @param unique: makes ids for deliveries from outside; never drawn upon by the simulation.
    @param entrance: where mail from outside waits while the universe stands still.
    @ivar application_filed: called with Message-ID, subject, sender and copies when a mail of the application is filed.
    @ivar reached_application: whether a job has written to the application since that was last asked.
    """

    log = Logger()

    def __init__(
        self, universe: str, config: Config, store: IMailStore, router: MailRouter, in_flight: MailInFlight,
        recent: RecentMail, inbox: InboxWorker, people: Personas, room_for_people: Callable[[], bool],
        pending: PendingJobs, usage: Usage, committer: Committer, mail_cache: MailCache, mail_log: MailLog,
        names: MissingMessageIds, now: Callable[[], datetime], unique: Callable[[], str], reactor: IReactorTime,
        entrance: Entrance,
    ) -> None:
        self._universe = universe
        self._entrance = entrance
        self._most = config.limits.message
        self._names = names
        self._store = store
        self._router = router
        self._in_flight = in_flight
        self._recent = recent
        self._inbox = inbox
        self._people = people
        self._room_for_people = room_for_people
        self._pending = pending
        self._usage = usage
        self._committer = committer
        self._mail_cache = mail_cache
        self._mail_log = mail_log
        self._now = now
        self._unique = unique
        self._reactor = reactor
        self.reached_application = False
        self.application_filed: Callable[[str, str, str, tuple[Copy, ...]], None] = lambda *filed: None

    # Mail from outside

    async def accept(self, submission: Submission) -> Accepted:
        """
        Take a message from the application.

        @raise Unavailable: Redis or the mail store is away.
        @raise TooLarge: over the message limit.
        @raise OverMailLimit: the plan's mail for this month is used up.
        """
        began = self._reactor.seconds()
        async with self._entrance:
            return await self._accept(submission, began)

    async def _accept(self, submission: Submission, began: float) -> Accepted:
        self._committer.require_available()
        if len(submission.octets) > self._most + LONGEST_TRACE:
            raise TooLarge(f"message over {self._most} octets")
        self._usage.require_mail()
        now = self._now()
        delivery_id = submission.id or self._unique()
        counted: list[tuple[str, str, bytes]] = []

        def name() -> str:
            message_id, document = self._names.next(submission.sender)
            counted.append(document)
            return message_id

        octets = complete(submission.octets, name, now)
        title = read_title(octets)
        told: dict[str, Any] = {
            "from": title.author or submission.sender,
            "to": [recipient.address for recipient in submission.recipients],
            "subject": title.subject, "message_id": title.message_id,
        }
        if title.in_reply_to:
            told["in_reply_to"] = title.in_reply_to
        event = Event("mail.delivered", now, told)
        for recipient in submission.recipients:
            # Over the plan's people a stranger is nobody (decisions, section 23, "Recipients").
            if recipient.verdict.kind == "create" and recipient.verdict.stranger != "off" and self._room_for_people():
                await self._people.stranger(recipient.address, recipient.verdict.stranger)
        routing = await self._routed(submission, octets, delivery_id, now)
        commit = Commit(once=delivery_id, events=(event, *routing.events), arrive=tuple(routing.arrivals),
                        jobs=tuple(routing.jobs), puts=(*counted, *routing.puts), counts=self._usage.one_more(MAIL))
        self._in_flight.accepted_at = self._reactor.seconds()
        self._usage.uncounted += 1
        self._inbox.decisions.expect(routing.arrivals, octets)

        def filed(copies: tuple[Copy, ...]) -> None:
            self.application_filed(title.message_id, title.subject, submission.sender, copies)
            self._mail_log.line(
                "accepted {message_id} from {sender} for {recipients}, {size} octets, via {via}, filed in {places}",
                message_id=title.message_id, sender=submission.sender, recipients=len(submission.recipients),
                size=len(octets), via=submission.via, places=places(copies), took=self._reactor.seconds() - began)

        try:
            done = await self._take(
                self._delivery(delivery_id, tuple(routing.placements), octets, now, commit), commit, filed)
        except BaseException:
            self._usage.uncounted -= 1
            raise
        done.addBoth(self._counted)
        if routing.beside:
            await self._beside(routing, now)
        await self._in_time(done)
        return Accepted(delivery_id, title.message_id)

    async def _routed(self, submission: Submission, octets: bytes, delivery_id: str, now: datetime) -> Routing:
        """What becomes of a message, which is under way from here on."""
        self._in_flight.begin(delivery_id, now)
        try:
            if any(self._people.at(recipient.address) is not None for recipient in submission.recipients):
                # Ahead, as it may take long.
                await self._mail_cache.understand(octets)
            routing = self._router.route(submission, octets, delivery_id, now)
            if routing.held:
                await self._store.held.keep(routing.held, octets)
            return routing
        except BaseException:
            self._in_flight.end(delivery_id)
            raise

    async def release(self, job: Job) -> None:
        """A job is done: the octets it needed are not held any more."""
        if job.data.get("held"):
            await self._store.held.drop((job.id,))

    async def tidy(self) -> None:
        """At start: forget octets that no pending job needs; it was skipped, or a crash came between."""
        await self._store.held.drop([
            key for key in await self._store.held.keys() if key not in self._pending.by_id])

    async def _beside(self, routing: Routing, now: datetime) -> None:
        """Copies that fault rules made differ: delivered twice, or cut short."""
        for copies in routing.beside.values():
            commit = Commit(once=copies.id, arrive=tuple(copies.arrivals))
            await self._in_time(await self._take(
                self._delivery(copies.id, tuple(copies.placements), copies.octets, now, commit), commit))

    def _counted(self, result: Any) -> Any:
        self._usage.uncounted -= 1
        return result

    async def _in_time(self, done: Deferred[None]) -> None:
        """Go on: the journal has what is still to be committed.  When that is much, give Redis time."""
        done.addErrback(self._left)
        if self._in_flight.crowded:
            await within(self._reactor, done, PATIENCE)

    def _left(self, failure: Failure) -> None:
        if failure.check(Unavailable):
            self.log.warn("what follows from a message is completed at the next start: {error}", error=failure.value)
        else:
            self.log.failure("what follows from a message is not committed", failure)

    def refused(self, address: str, sender: str, verdict: RecipientVerdict) -> None:
        """SMTP refused a recipient at RCPT: that is recorded, and nobody waits for it."""
        self._committer.record(self._router.bounced(address, verdict.bad or "unknown", sender, "refused at RCPT"))

    # Mail from within

    async def send(
        self, delivery_id: str, outgoing: Outgoing, commit: Commit,
        filed: Callable[[tuple[Copy, ...]], None] = lambda copies: None,
    ) -> None:
        """
        File a message of the universe's own; C{commit} is what its sending means.

        Done once for each C{delivery_id}, across crashes too.  While the clock is moved straight through, a message
        that nobody decides about is left behind as soon as it is durable: the journal has it and its commit, what it
        changes is known here at once, and it is filed and committed in its turn.

        @param filed: called when it is visible.
        """
        now = self._now()
        placements: list[Placement] = []
        arrivals: list[Arrival] = []
        if outgoing.sent_copy:
            placements.append(Placement(outgoing.sent_copy, "Sent", ("\\Seen",)))
        for address in outgoing.recipients:
            if not self._router.address_copy(address, outgoing.sender, outgoing.octets, delivery_id, now,
                                             outgoing.kind, placements, arrivals):
                self.reached_application = True
        commit = replace(commit, once=delivery_id, arrive=commit.arrive + tuple(arrivals))
        during_advance = (self._pending.bound is not None and not arrivals
                          and self._in_flight.uncommitted < MOST_DURING_ADVANCE and self._committer.available)
        delivery = self._delivery(delivery_id, tuple(placements), outgoing.octets, now, commit)
        if not during_advance:
            await self._travel(delivery, commit, None, filed)
            return
        done = await self._take(delivery, commit, filed, during_advance)
        done.addErrback(self._left)
        # The clock goes on.
        self._in_flight.leave(delivery_id)
        self._pending.add(commit.jobs)

    # The road

    def _delivery(
        self, delivery_id: str, placements: tuple[Placement, ...], octets: bytes, now: datetime, commit: Commit
    ) -> Delivery:
        # A message that is filed nowhere (discarded, bounced) is journalled all the same: it is owed a commit.
        return Delivery(delivery_id, self._universe, placements, octets, now, _pack(commit))

    async def _take(
        self, delivery: Delivery, commit: Commit, filed: Callable[[tuple[Copy, ...]], None] = lambda copies: None,
        during_advance: bool = False,
    ) -> Deferred[None]:
        """
        A message is taken once it is durable.

        @param filed: called when it is visible.
        @return: fires when what follows from it is committed.
        """
        durable: Deferred[None] = Deferred()
        done = Deferred.fromCoroutine(self._travel(delivery, commit, durable, filed, during_advance))
        await durable
        return done

    async def _travel(
        self, delivery: Delivery, commit: Commit, durable: Deferred[None] | None,
        filed: Callable[[tuple[Copy, ...]], None], during_advance: bool = False,
    ) -> None:
        """
        All the way of a message.

        @param durable: fires when that may be told; None: nobody is told before it is visible.
        @param during_advance: see C{commit}.
        """
        def taken() -> None:
            self._in_flight.add_uncommitted(delivery.id, len(delivery.octets))
            if durable is not None:
                durable.callback(None)

        self._in_flight.begin(delivery.id, delivery.at)
        store = self._store
        try:
            copies = await (store.accept(delivery, taken) if durable is not None else store.accept(delivery))
        except BaseException:
            self._in_flight.end(delivery.id)
            if durable is None or durable.called:
                raise
            durable.errback()
            return
        if durable is None or not durable.called:
            taken()
        filed(copies)
        # Who was told that it is durable waits for no more, unless it is the clock.
        may_batch = durable is not None and not during_advance
        await self.commit(with_copies(commit, copies), delivery.octets, copies, during_advance, may_batch)

    async def commit(
        self, commit: Commit, octets: bytes | None, copies: tuple[Copy, ...], during_advance: bool = False,
        may_batch: bool = False,
    ) -> None:
        """
        What follows from a message that is filed and under way: made true, however long Redis is away.

        @param during_advance: its jobs are known; may_batch: nobody waits for it.
        """
        noted = self._recent.noted(copies)

        def committed(last: int) -> None:
            self._in_flight.settle(commit.once)
            for one in noted:
                one.number = last
            for event in commit.events:
                if event.type == "mail.delivered":
                    self._recent.wrote(event.data["to"], last)
            for copy in copies:
                self._recent.filed(copy.mailbox, copy.folder)

        try:
            await self._inbox.commit(commit, octets, committed, during_advance, may_batch)
        finally:
            self._in_flight.end(commit.once)


def with_copies(commit: Commit, copies: tuple[Copy, ...]) -> Commit:
    """Return a commit whose arrivals say where their mail was filed."""
    if not commit.arrive:
        return commit
    return replace(commit, arrive=tuple(
        replace(arrival, copy=copies[int(arrival.id.rpartition(".")[2])]) for arrival in commit.arrive))


def places(copies: tuple[Copy, ...]) -> str:
    """Where a message was filed, for the mail log: the first few places, and how many more."""
    shown = ", ".join(f"{copy.mailbox}/{copy.folder}" for copy in copies[:5])
    return f"{shown} and {len(copies) - 5} more" if len(copies) > 5 else shown or "no mailbox"
