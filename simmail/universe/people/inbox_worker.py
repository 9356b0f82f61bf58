"""
What personas make of the mail that reaches them.

Arrivals are decided about one after another, in the order they were
committed, each in one commit that also takes it off the queue: exactly once,
also across a crash.  A message that reaches one persona, while nothing waits
to be decided about, is decided about before its delivery is committed, and
both are one commit.  The rules are C{core.react}; nothing is decided here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace
from twisted.internet.defer import Deferred, succeed
from twisted.internet.task import deferLater
from twisted.logger import Logger

from simmail.concurrency import Lock, Waiting
from simmail.core.decide.decide import react
from simmail.core.decide.decision import DecisionInput, LoopLimits, PlannedReply, SpamVerdict, correspondent, keyed
from simmail.core.decide.job_data import reply_address
from simmail.core.decide.preview import Preview, previewed
from simmail.core.message.mail import Mail
from simmail.core.message.thread import thread_key
from simmail.core.records.commit import Commit
from simmail.core.records.delivery import Arrival, Copy
from simmail.core.records.persona import Persona
from simmail.core.records.relationship import Dossier
from simmail.core.rules.spam import THRESHOLDS, score
from simmail.errors import NotFound, Unavailable
from simmail.universe.cache import LONGEST_READ
from simmail.universe.mailflow.recovery import SentBefore
from simmail.universe.people.effects import Setting, enact
from simmail.universe.people.memory import persona_tag

if TYPE_CHECKING:
    from simmail.universe.universe import Universe

#: Real seconds before mail that could not be read (the store is away) is looked at again.
AGAIN = 1.0

#: Deliveries that wait for the one before to be decided about and committed; more go to the queue.
MOST_BEHIND = 2


class Correspondents:
    """The people of one universe, as readers of mail."""

    log = Logger()

    def __init__(self, universe: Universe, turn: Lock) -> None:
        self._universe = universe
        self._turn = turn
        self._queue: deque[tuple[Arrival | SentBefore, bytes | None, float]] = deque()
        # How many of them are mail that was sent before a crash.
        self._sent = 0
        self._working = False
        self._waiting: Waiting[None] = Waiting(universe.reactor)
        # A delivery is being decided about and committed in one; whether that commit has been issued.
        self._joining = self._issued = False
        self._behind: deque[Deferred[None]] = deque()
        self._letting_go = False
        # Commits under way that bring arrivals which are not in the queue yet.
        self._coming = 0

    # With the delivery

    def expect(self, arrivals: Sequence[Arrival], octets: bytes) -> None:
        """A message is about to be filed: what a decision about it needs is asked for meanwhile."""
        if len(arrivals) == 1 and len(octets) <= LONGEST_READ:
            arrival = arrivals[0]
            mail = self._universe.readings.read(octets)
            self._universe.people.expect(
                arrival.persona_id, correspondent(mail, arrival.sender), thread_key(mail))

    async def commit(
        self, commit: Commit, octets: bytes | None, told: Callable[[int], None], hurried: bool = False,
        patient: bool = False,
    ) -> None:
        """
        Make true what follows from a message that is filed, however long Redis is away, and decide about it.

        Commits are issued in the order of the calls.

        @param octets: the message, when at hand.
        @param told: called as soon as it is true with the number of the last event of C{commit}, or of any before.
        @param hurried: its jobs are known already.
        @param patient: nobody waits until it is true, unless it reaches a persona.
        """
        universe = self._universe
        if self._joining:
            turn: Deferred[None] = Deferred()
            self._behind.append(turn)
            self._let_go()
            await turn
        decision = await self._joined(commit, octets)
        arrive = commit.arrive if decision is None else ()
        self._coming += bool(arrive)
        try:
            issued = universe.issue_surely(
                commit if decision is None else _with(commit, decision), patient and not commit.arrive)
            self._issued = decision is not None
            self._let_go()
            done = await issued
            told(done.first + len(commit.events) - 1 if done.first else universe.log.last)
            if not hurried:
                universe.scheduler.add(commit.jobs)
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
                or self._turn.locked or self._universe.stopping):
            return None
        await self._turn.acquire()
        self._joining, self._issued = True, False
        try:
            return await self._decide(commit.arrive[0], octets)
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

    def hold(self, left: Iterable[Arrival | SentBefore]) -> None:
        """Left from before: decided about, or L{made<CrashRecovery.make>}, from C{begin} on, ahead of all others."""
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
        real = self._universe.reactor.seconds()
        self._queue.extend((arrival, octets, real) for arrival in arrivals)

    def floor(self) -> datetime | None:
        """The instant of the oldest mail not yet decided about."""
        return self._queue[0][0].at if self._queue else None

    def quiet(self) -> Deferred[None]:
        """Deferred that fires when everything has been decided about."""
        return self._waiting.wait() if self._queue else succeed(None)

    @property
    def lag(self) -> int:
        """How many arrivals wait."""
        return len(self._queue)

    @property
    def waited(self) -> float:
        """Real seconds that the oldest of them has waited."""
        return self._universe.reactor.seconds() - self._queue[0][2] if self._queue else 0.0

    async def _work(self) -> None:
        universe = self._universe
        try:
            while self._queue and not universe.stopping:
                await self._turn.acquire()
                try:
                    await self._first()
                    while self._sent and not universe.stopping:
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
                reached = await self._universe.recovery.make(one)
            else:
                commit = await self._decide(one, octets)
                await self._universe.commit_surely(commit)
                self._took(commit)
        except Unavailable as error:
            self.log.warn("mail waits to be decided about: {error}", error=error)
            await self._rest()
            return
        except Exception:
            # One message that the rules cannot bear must not hold up all others.
            self.log.failure("no decision about {id}", id=one.id)
            if isinstance(one, Arrival):
                await self._universe.commit_surely(Commit(once=one.id, leave=(one.id,)))
        self._queue.popleft()
        self._sent -= isinstance(one, SentBefore)
        real = self._universe.reactor.seconds()
        self._queue.extendleft((arrival, None, real) for arrival in reversed(reached))

    def _rest(self) -> Deferred[None]:
        return deferLater(self._universe.reactor, AGAIN)

    def _took(self, commit: Commit) -> None:
        """Memory follows what was committed."""
        universe = self._universe
        for put in commit.puts:
            universe.people.shelf.put(*put)
        universe.scheduler.add(commit.jobs)
        for event in commit.events:
            if event.type.startswith("persona."):
                universe.told("{what} {message_id} for {persona}: {why}", what=event.type[8:],
                              message_id=event.data.get("message_id", ""), persona=event.data["persona"],
                              why=event.data.get("why", ""))
        for job in commit.jobs:
            universe.told("planned {kind} {id} at {due}: {plan}", kind=job.kind, id=job.id,
                          due=job.due.isoformat(), plan=job.plan)

    # One decision

    async def _decide(self, arrival: Arrival, octets: bytes | None) -> Commit:
        gone = Commit(once=arrival.id, leave=(arrival.id,))
        persona = self._universe.people.known(arrival.persona_id)
        if persona is None:
            return gone
        if octets is None:
            octets = await self._read(arrival.copy)
        if octets is None:
            return gone
        mail = await self._universe.readings.understand(octets)
        self._universe.readings.filed(arrival.copy, octets)
        place = {"mailbox": arrival.copy.mailbox, "folder": arrival.copy.folder, "uid": arrival.copy.uid,
                 "message_id": mail.message_id}
        spam = None
        if arrival.spam:
            spam = SpamVerdict(arrival.spam["score"], arrival.spam["threshold"], arrival.spam["why"])
        situation, memory = await self._situation(
            persona, mail, arrival.mailbox, arrival.sender, arrival.at, spam, place, arrival.hints)
        return replace(
            enact(react(situation), Setting(
                persona, persona_tag(persona), arrival.at, mail, self._universe.scheduler.pending, memory)),
            once=arrival.id, leave=(arrival.id,))

    async def _read(self, copy: Copy) -> bytes | None:
        try:
            folder = await self._universe.store.folder(copy.mailbox, copy.folder)
            octets: bytes = await folder.read(copy.uid)
            return octets
        except NotFound:
            return None

    async def _situation(
        self, persona: Persona, mail: Mail, recipient: str, sender: str, now: datetime,
        spam: SpamVerdict | None, place: dict[str, Any], dsn: dict[str, Any],
    ) -> tuple[DecisionInput, dict[str, list[str]]]:
        universe = self._universe
        who = correspondent(mail, sender)
        key = thread_key(mail)
        dossier, thread, memory = await universe.people.held(persona.id, who, key)
        if dossier is not None and dossier.promises:
            dossier = self._kept_up(dossier)
        case, how = universe.cases.match(mail, persona, who, thread)
        people = universe.config.people
        other = universe.people.at(who)
        situation = DecisionInput(
            mail=mail, envelope_sender=sender, recipient=recipient, persona=persona, now=now,
            dice=keyed(universe.dice, who, recipient, (dossier.received if dossier else 0) + 1),
            thread=thread, dossier=dossier, sender_id=other.id if other else "",
            status=universe.policy.status(recipient), case=case, how=how,
            notes=tuple(memory.get(case.id if case else "", ())),
            pace=universe.settings.pace,
            limits=LoopLimits(people.replies_per_day, people.thread_messages_per_hour),
            spam=spam, planned=None, links=universe.settings.links,
            lab_hosts=universe.lab_hosts, place=place, dsn=dsn,
        )
        # What is planned for somebody else in the thread does not reach who wrote this.
        job = universe.scheduler.reply_in(persona.id, key, reply_address(situation)[0])
        return replace(situation, planned=PlannedReply(job.id, job.due) if job is not None else None), memory

    def _kept_up(self, dossier: Dossier) -> Dossier:
        """The dossier with promises whose job was skipped or failed taken for forgotten until somebody asks."""
        pending = self._universe.scheduler.pending
        return replace(dossier, promises=tuple(
            replace(one, job_id="", fate="forgotten") if one.by == "persona" and one.job_id not in pending else one
            for one in dossier.promises))

    async def preview(self, persona: Persona, mail: Mail, sender: str) -> Preview:
        """
        What the persona would do with a mail to its first address, came it now; nothing is stored.

        @param sender: the reverse-path.
        """
        situation, _ = await self._situation(
            persona, mail, persona.address, sender, self._universe.clock.now(),
            self.verdict(persona, persona.address, sender, mail), {}, {})
        return previewed(react(situation))

    # Junk

    def verdict(self, persona: Persona, recipient: str, sender: str, mail: Mail) -> SpamVerdict:
        """The spam score of a mail against the persona's filter."""
        style = persona.style or None
        level = (style.filter if style else None) or "normal"
        scored = score(mail, sender, recipient)
        return SpamVerdict(scored.score, THRESHOLDS[level], scored.why)

    def junk(self, persona: Persona, recipient: str, sender: str, octets: bytes) -> dict[str, Any]:
        """The same for mail about to be filed, as an arrival keeps it."""
        verdict = self.verdict(persona, recipient, sender, self._universe.readings.read(octets))
        return {"score": verdict.score, "threshold": verdict.threshold, "why": verdict.why, "junk": verdict.junk}


def _with(commit: Commit, decision: Commit) -> Commit:
    """A commit with what was decided about the arrival in it."""
    return replace(
        commit, arrive=(), events=(*commit.events, *decision.events), jobs=(*commit.jobs, *decision.jobs),
        puts=(*commit.puts, *decision.puts))
