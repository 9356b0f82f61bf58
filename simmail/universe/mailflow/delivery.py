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
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec.structs import replace
from twisted.internet.defer import Deferred, succeed
from twisted.logger import Logger
from twisted.python.failure import Failure

from simmail.concurrency import Reached, Waiting
from simmail.core.compose.complete import complete
from simmail.core.message.parse import read_title
from simmail.core.records.commit import Commit
from simmail.core.records.delivery import Arrival, Copy, Delivery, Filing
from simmail.core.records.event import Event
from simmail.core.records.job import Job
from simmail.core.rules.recipients import RecipientVerdict
from simmail.errors import TooLarge, Unavailable
from simmail.universe.mailflow.envelope import Submission
from simmail.universe.mailflow.outgoing import Outgoing
from simmail.universe.mailflow.recent import Lately
from simmail.universe.mailflow.recovery import with_copies
from simmail.universe.mailflow.routing import Sorted, address_copy, bounced, sort
from simmail.universe.settling import Settling
from simmail.universe.usage import MAIL

if TYPE_CHECKING:
    from simmail.universe.universe import Universe

#: Longest anybody waits for Redis once mail is durable (real seconds).
PATIENCE = 1.5

#: Messages that may be owed a commit, and octets of messages; beyond that senders wait for Redis too.
MOST_OWED, MOST_OCTETS = 256, 16 * 1024 * 1024

#: Messages of the universe's own whose commits are under way while the clock goes on.
MOST_HURRIED = 4

#: Octets a door may put in front as trace: the limit is for what was sent.
LONGEST_TRACE = 2048

_pack = msgspec.msgpack.Encoder().encode


class Accepted(NamedTuple):
    """A message that is taken."""

    delivery_id: str
    message_id: str


class PostOffice:
    """The road of one universe."""

    log = Logger()

    def __init__(self, universe: Universe) -> None:
        self._universe = universe
        self._under_way: dict[str, datetime] = {}
        self._waiting: Waiting[None] = Waiting(universe.reactor)
        #: By id, in the order they were taken: which one it is of all that ever were, and its octets.
        self._owed: dict[str, tuple[int, int]] = {}
        self._owed_octets = self._taken = 0
        self._recorded = Reached(universe.reactor)
        self.lately = Lately(universe.reactor, lambda: universe.log.last)
        self.settling = Settling(universe.store, universe.database)
        #: Real time of the last message accepted, and whether a job has since written to the application.
        self.accepted_at = 0.0
        self.reached_application = False
        #: Messages from outside that are taken and not yet in the event log.
        self.uncounted = 0

    # Mail from outside

    async def accept(self, submission: Submission) -> Accepted:
        """
        Take a message from the application.

        @raise Unavailable: Redis or the mail store is away.
        @raise TooLarge: over the message limit.
        @raise OverMailLimit: the plan's mail for this month is used up.
        """
        universe = self._universe
        universe.require_available()
        if len(submission.octets) > universe.config.limits.message + LONGEST_TRACE:
            raise TooLarge(f"message over {universe.config.limits.message} octets")
        universe.usage.require_mail()
        now = universe.clock.now()
        delivery_id = submission.id or universe.unique()
        octets = complete(submission.octets, f"<{delivery_id}@{universe.config.server.domain}>", now)
        title = read_title(octets)
        event = Event("mail.delivered", now, {
            "from": title.author or submission.sender,
            "to": [recipient.address for recipient in submission.recipients],
            "subject": title.subject, "message_id": title.message_id,
        })
        for recipient in submission.recipients:
            # Over the plan's people a stranger is nobody (decisions, section 23, "Recipients").
            if recipient.verdict.kind == "create" and recipient.verdict.stranger != "off" and universe.room_for_people:
                await universe.people.stranger(recipient.address, recipient.verdict.stranger)
        pile = await self._sorted(submission, octets, delivery_id, now)
        commit = Commit(once=delivery_id, events=(event, *pile.events), arrive=tuple(pile.arrivals),
                        jobs=tuple(pile.jobs), puts=tuple(pile.puts), counts=universe.usage.one_more(MAIL))
        self.accepted_at = universe.reactor.seconds()
        self.uncounted += 1
        universe.correspondents.expect(pile.arrivals, octets)

        def filed(copies: tuple[Copy, ...]) -> None:
            universe.told(
                "accepted {message_id} from {sender} for {recipients}, {size} octets, via {via}, filed in {places}",
                message_id=title.message_id, sender=submission.sender, recipients=len(submission.recipients),
                size=len(octets), via=submission.via, places=places(copies))

        try:
            done = await self._take(
                self._delivery(delivery_id, tuple(pile.filings), octets, now, commit), commit, filed)
        except BaseException:
            self.uncounted -= 1
            raise
        done.addBoth(self._counted)
        if pile.beside:
            await self._beside(pile, now)
        await self._in_time(done)
        return Accepted(delivery_id, title.message_id)

    async def _sorted(self, submission: Submission, octets: bytes, delivery_id: str, now: datetime) -> Sorted:
        """What becomes of a message, which is under way from here on."""
        universe = self._universe
        self.began(delivery_id, now)
        try:
            if any(universe.people.at(recipient.address) is not None for recipient in submission.recipients):
                # Ahead, as it may take long.
                await universe.readings.understand(octets)
            pile = sort(universe, submission, octets, delivery_id, now)
            if pile.held:
                await universe.store.held.keep(pile.held, octets)
            return pile
        except BaseException:
            self.ended(delivery_id)
            raise

    async def late(self, job: Job) -> None:
        """Deliver what a fault rule held back."""
        universe, data = self._universe, job.data
        done = Event("job.done", universe.clock.now(), {
            "id": job.id, "kind": job.kind, "persona_id": None, "note": "delivered late"})
        octets = await universe.store.held.read(job.id)
        await self.send(
            job.id, Outgoing(data["sender"], tuple(data["addresses"]), octets, "mail"),
            Commit(jobs=(replace(job, state="done"),), events=(done,)))
        await self.release(job)

    async def release(self, job: Job) -> None:
        """A job is done: the octets it needed are not held any more."""
        if job.data.get("held"):
            await self._universe.store.held.drop((job.id,))

    async def tidy(self) -> None:
        """At start: forget octets that no pending job needs; it was skipped, or a crash came between."""
        universe = self._universe
        await universe.store.held.drop([
            key for key in await universe.store.held.keys() if key not in universe.scheduler.pending])

    async def _beside(self, pile: Sorted, now: datetime) -> None:
        """Copies that fault rules made differ: delivered twice, or cut short."""
        for copies in pile.beside.values():
            commit = Commit(once=copies.id, arrive=tuple(copies.arrivals))
            await self._in_time(await self._take(
                self._delivery(copies.id, tuple(copies.filings), copies.octets, now, commit), commit))

    def _counted(self, result: Any) -> Any:
        self.uncounted -= 1
        return result

    async def _in_time(self, done: Deferred[None]) -> None:
        """Go on: the journal has what is still to be committed.  When that is much, give Redis time."""
        done.addErrback(self._left)
        if len(self._owed) > MOST_OWED or self._owed_octets > MOST_OCTETS:
            await self._universe.within(done, PATIENCE)

    def _left(self, failure: Failure) -> None:
        if failure.check(Unavailable):
            self.log.warn("what follows from a message is completed at the next start: {error}", error=failure.value)
        else:
            self.log.failure("what follows from a message is not committed", failure)

    def refused(self, address: str, sender: str, verdict: RecipientVerdict) -> None:
        """SMTP refused a recipient at RCPT: that is recorded, and nobody waits for it."""
        universe = self._universe
        if not universe.available:
            return
        event = bounced(universe, address, verdict.bad or "unknown", sender, "refused at RCPT")
        Deferred.fromCoroutine(universe.commit(Commit(events=(event,)))).addErrback(
            lambda failure: self.log.warn("a refusal was not recorded: {error}", error=failure.value))

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
        now = self._universe.clock.now()
        filings: list[Filing] = []
        arrivals: list[Arrival] = []
        if outgoing.sent_copy:
            filings.append(Filing(outgoing.sent_copy, "Sent", ("\\Seen",)))
        for address in outgoing.recipients:
            if self._universe.people.at(address) is None:
                self.reached_application = True
            address_copy(self._universe, address, outgoing.sender, outgoing.octets, delivery_id, now, outgoing.kind,
                         filings, arrivals)
        commit = replace(commit, once=delivery_id, arrive=commit.arrive + tuple(arrivals))
        hurried = (self._universe.scheduler.bound is not None and not arrivals and len(self._owed) < MOST_HURRIED
                   and self._universe.available)
        delivery = self._delivery(delivery_id, tuple(filings), outgoing.octets, now, commit)
        if not hurried:
            await self._travel(delivery, commit, None, filed)
            return
        done = await self._take(delivery, commit, filed, hurried)
        done.addErrback(self._left)
        # The clock goes on.
        self._under_way.pop(delivery_id, None)
        self._universe.scheduler.add(commit.jobs)

    def owes(self, delivery_id: str) -> bool:
        """Whether a message is durable that may not be visible, or committed, yet."""
        return delivery_id in self._owed

    # The road

    def _delivery(
        self, delivery_id: str, filings: tuple[Filing, ...], octets: bytes, now: datetime, commit: Commit
    ) -> Delivery:
        # A message that is filed nowhere (discarded, bounced) is journalled all the same: it is owed a commit.
        return Delivery(delivery_id, self._universe.id, filings, octets, now, _pack(commit))

    async def _take(
        self, delivery: Delivery, commit: Commit, filed: Callable[[tuple[Copy, ...]], None] = lambda copies: None,
        hurried: bool = False,
    ) -> Deferred[None]:
        """
        A message is taken once it is durable.

        @param filed: called when it is visible.
        @return: fires when what follows from it is committed.
        """
        durable: Deferred[None] = Deferred()
        done = Deferred.fromCoroutine(self._travel(delivery, commit, durable, filed, hurried))
        await durable
        return done

    async def _travel(
        self, delivery: Delivery, commit: Commit, durable: Deferred[None] | None,
        filed: Callable[[tuple[Copy, ...]], None], hurried: bool = False,
    ) -> None:
        """
        All the way of a message.

        @param durable: fires when that may be told; None: nobody is told before it is visible.
        @param hurried: see C{commit}.
        """
        def taken() -> None:
            self._owe(delivery)
            if durable is not None:
                durable.callback(None)

        self.began(delivery.id, delivery.at)
        store = self._universe.store
        try:
            copies = await (store.accept(delivery, taken) if durable is not None else store.accept(delivery))
        except BaseException:
            self.ended(delivery.id)
            if durable is None or durable.called:
                raise
            durable.errback()
            return
        if durable is None or not durable.called:
            taken()
        filed(copies)
        # Who was told that it is durable waits for no more, unless it is the clock.
        patient = durable is not None and not hurried
        await self.commit(with_copies(commit, copies), delivery.octets, copies, hurried, patient)

    def _owe(self, delivery: Delivery) -> None:
        self._taken += 1
        self._owed[delivery.id] = (self._taken, len(delivery.octets))
        self._owed_octets += len(delivery.octets)

    async def commit(
        self, commit: Commit, octets: bytes | None, copies: tuple[Copy, ...], hurried: bool = False,
        patient: bool = False,
    ) -> None:
        """
        What follows from a message that is filed and under way: made true, however long Redis is away.

        @param hurried: its jobs are known; patient: nobody waits for it.
        """
        universe = self._universe
        noted = [self.lately.noted(copy) for copy in copies]

        def recorded(last: int) -> None:
            self.settling.settle(commit.once)
            for one in noted:
                one.number = last
            for event in commit.events:
                if event.type == "mail.delivered":
                    self.lately.wrote(event.data["to"], last)
            for copy in copies:
                self.lately.told(copy.mailbox, copy.folder)

        try:
            await universe.correspondents.commit(commit, octets, recorded, hurried, patient)
        finally:
            self.ended(commit.once)

    def began(self, delivery_id: str, now: datetime) -> None:
        """A message is under way: the clock waits for it."""
        self._under_way[delivery_id] = now

    def ended(self, delivery_id: str) -> None:
        """It is not any more."""
        self._under_way.pop(delivery_id, None)
        owed = self._owed.pop(delivery_id, None)
        if owed is not None:
            self._owed_octets -= owed[1]
            oldest = next(iter(self._owed.values()), None)
            self._recorded.reach(self._taken if oldest is None else oldest[0] - 1)
        if not self._under_way:
            self._waiting.wake(None)

    def floor(self) -> datetime | None:
        """The instant of the oldest message that is not yet committed."""
        return next(iter(self._under_way.values())) if self._under_way else None

    def committed(self) -> Deferred[None]:
        """Deferred that fires when all that is accepted now is committed."""
        return self._recorded.wait(self._taken) if self._owed else succeed(None)

    def recorded(self) -> Deferred[None]:
        """The same, or when Redis takes too long."""
        return self._universe.within(self.committed(), PATIENCE)

    def quiet(self) -> Deferred[None]:
        """Deferred that fires when no message is under way."""
        return self._waiting.wait() if self._under_way else succeed(None)


def places(copies: tuple[Copy, ...]) -> str:
    """Where a message was filed, for the mail log: the first few places, and how many more."""
    shown = ", ".join(f"{copy.mailbox}/{copy.folder}" for copy in copies[:5])
    return f"{shown} and {len(copies) - 5} more" if len(copies) > 5 else shown or "no mailbox"
