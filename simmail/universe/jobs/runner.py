"""
The runner of jobs: where a due job is done.

A letter is thought out and composed (L{letters}), and the post office takes it together with what its sending means:
C{persona.sent}, C{job.done}, and what follows from having written it (C{core.decide.after_sending}).  A job that has
nothing left to do is skipped with a note.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from msgspec.structs import replace
from twisted.internet.defer import Deferred, succeed
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import deferLater

from simmail.core.decide.after_sending import aftermath
from simmail.core.message.mail import as_sent
from simmail.core.records.commit import Commit
from simmail.core.records.event import Event
from simmail.core.records.job import Job
from simmail.core.records.relationship import ThreadState
from simmail.core.wording.plan import KINDS
from simmail.core.writer import Written
from simmail.universe.cache import MailCache
from simmail.universe.committer import Committer
from simmail.universe.jobs.bounces import Bounces
from simmail.universe.jobs.letters import LetterContext, Letters, RenderedLetter
from simmail.universe.jobs.link_visits import LinkVisits
from simmail.universe.people.wording import settled, TABLE
from simmail.universe.mailflow.envelope import Outgoing
from simmail.universe.mailflow.in_flight import MailInFlight
from simmail.universe.mailflow.post_office import PostOffice
from simmail.universe.maillog import MailLog
from simmail.universe.pending import PendingJobs
from simmail.universe.people.effects import LONGEST_TEXT, Setting, enact
from simmail.universe.people.inbox_worker import InboxWorker
from simmail.universe.people.memory import Memories
from simmail.universe.people.personas import Personas, persona_tag
from simmail.universe.people.strangers import Strangers
from simmail.universe.retention import Pruning
from simmail.universe.settings import Settings
from simmail.universe.world.streams import Streams
from simmail.universe.world.world_mail import WorldMail

#: Job kinds that are a mail of a persona.
WRITTEN = frozenset(("reply", "followup", "correction", "ooo", "initiate", "deliver", "nudge", "forward"))

#: Those that leave nothing but a mail and what stands in its commit.
MAILED = WRITTEN | {"world"}

#: Letters that are thought out ahead.
MOST_AHEAD = 6


class MailJobRunner:
    """Does the jobs of one universe, as C{scheduler.JobRunner} has it."""

    def __init__(
        self, letters: Letters, visits: LinkVisits, bounces: Bounces, postoffice: PostOffice, in_flight: MailInFlight,
        inbox: InboxWorker, people: Personas, memories: Memories, pending: PendingJobs, settings: Settings,
        now: Callable[[], datetime], committer: Committer, mail_cache: MailCache, mail_log: MailLog, pruning: Pruning,
        strangers: Strangers, world_mail: WorldMail, streams: Streams, reactor: IReactorTime,
    ) -> None:
        self._letters = letters
        self._visits = visits
        self._bounces = bounces
        self._postoffice = postoffice
        self._in_flight = in_flight
        self._inbox = inbox
        self._people = people
        self._memories = memories
        self._pending = pending
        self._settings = settings
        self._now = now
        self._committer = committer
        self._mail_cache = mail_cache
        self._mail_log = mail_log
        self._pruning = pruning
        self._strangers = strangers
        self._world_mail = world_mail
        self._streams = streams
        self._reactor = reactor
        self._thinking = False
        # What others answer as they are asked.
        self.when_committed, self.move_ended, self.tag_of = in_flight.when_committed, letters.forget, people.tag_of

    # What the scheduler asks

    def outside(self, job: Job) -> bool:
        """Whether a job waits for the world outside: for pages, or for words of a model."""
        return job.kind == "link" or self._letters.asks() and (
            job.kind in KINDS or job.kind == "world") and "late" not in job.data

    def prepare(self, jobs: Sequence[Job], pending: Mapping[str, Job]) -> Deferred[None]:
        """Have what jobs wait for begun: pages, or letters; the Deferred fires when that of the first is there."""
        if jobs[0].kind != "link":
            return (self._world_mail.prepared if jobs[0].kind == "world" else self._letters_begun)(jobs)
        self._visits.keep(pending)
        begun = [self._visits.begin(job) for job in jobs]
        return begun[0]

    def _letters_begun(self, jobs: Sequence[Job]) -> Deferred[None]:
        self._letters.keep([job.id for job in jobs])
        first: Deferred[None] | None = None
        met = set()
        for job in jobs:
            persona = self._people.known(job.persona_id or "")
            if persona is not None and job.persona_id not in met and persona.paused is not True and job.data.get("to"):
                begun = self._letters.prepared(job, persona, max(job.due, self._now()))
                first = begun if job is jobs[0] else first
            # What somebody writes next may depend on this.
            met.add(job.persona_id)
        return first or succeed(None)

    def when_idle(self) -> Deferred[None]:
        """Return a Deferred that fires when all mail accepted so far has been decided about."""
        return Deferred.fromCoroutine(self._idle())

    async def _idle(self) -> None:
        while self._in_flight.earliest_pending() is not None or self._inbox.earliest_pending() is not None:
            await self._in_flight.when_idle()
            await self._inbox.when_idle()
        strangers = self._strangers.when_idle()
        if strangers is not None:
            await strangers

    def when_settled(self, seconds: float) -> Deferred[None]:
        """
        Return a Deferred that fires when, after a job reached the application, nothing was accepted for C{seconds} of
        real time; at once when it reached nobody.
        """
        return Deferred.fromCoroutine(self._settled(seconds))

    async def _settled(self, seconds: float) -> None:
        if not self._postoffice.reached_application:
            return
        self._postoffice.reached_application = False
        begin = self._reactor.seconds()
        while (left := max(begin, self._in_flight.accepted_at) + seconds - self._reactor.seconds()) > 0:
            await deferLater(self._reactor, left)
        await self._idle()

    async def housekeep(self) -> None:
        """Apply retention, once in a simulated hour; see that each stream of the world has its next arrival."""
        await self._streams.refill()
        if self._pruning.due():
            await self._pruning.prune()

    async def perform(self, job: Job) -> None:
        """Do a job and commit what came of it."""
        if job.kind not in MAILED or "late" in job.data:
            self._think_soon()
            # What the journal does not have must not be true before what it has.
            await self._in_flight.when_committed()
        if "late" in job.data:
            await self._bounces.deliver_late(job)
        elif job.kind in WRITTEN:
            await self._write(job)
        elif job.kind == "bounce":
            await self._bounces.perform(job)
        elif job.kind == "link":
            await self._visits.perform(job, self.drop)
        elif job.kind == "world":
            await self._world_mail.perform(job, self.drop)
        else:
            await self.drop(job, f"nothing does jobs of kind {job.kind}")

    async def drop(self, job: Job, note: str) -> None:
        """The job has nothing left to do."""
        await self._in_flight.when_committed()
        job = replace(job, state="skipped", note=note)
        drops = ((TABLE, job.id),) if self._letters.asks() else ()
        await self._committer.commit_surely(Commit(once="drop-" + job.id, drops=drops, jobs=(job,), events=(
            Event("job.updated", self._now(), {
                "id": job.id, "state": job.state, "due": job.due, "kind": job.kind}),)))
        self._pending.add((job,))

    async def _write(self, job: Job) -> None:
        persona = self._people.known(job.persona_id or "")
        if persona is None:
            await self.drop(job, "the persona is gone")
            return
        if persona.paused is True:
            await self.drop(job, "the persona is paused")
            return
        job = self._addressed(job)
        if not job.data.get("to"):
            await self.drop(job, "there is nobody to write to")
            return
        context, written, rendered = await self._letters.letter(job, persona, self._now())
        if written is None or rendered is None:
            await self.drop(job, "nothing is open any more of what was promised or asked")
            return
        await self._send(context, written, rendered)

    async def _send(self, context: LetterContext, written: Written, rendered: RenderedLetter) -> None:
        """Send the letter, and commit what that means."""
        job, persona = context.job, context.persona
        now, tag = self._now(), persona_tag(persona)
        letter, octets = rendered.draft, rendered.octets
        mail, author = as_sent(letter, len(octets)), letter.from_.address
        if not letter.references:
            # A thread begins here, and is called by its first mail.
            job = replace(job, thread=letter.message_id)
            context = context._replace(job=job, thread=ThreadState(
                job.thread, case_id=job.case_id or "", how="header" if job.case_id else "none"))
        answers = () if job.kind in ("forward", "initiate") else (*context.mails, *context.heard)
        events: tuple[Event, ...] = (Event("persona.sent", now, {
            "persona_id": persona.id, "persona": persona.name, "kind": _event_kind(job), "case_id": job.case_id,
            "to": [one.address for one in letter.to], "cc": [one.address for one in letter.cc],
            "subject": letter.subject, "message_id": letter.message_id, "by": written.by,
            "links_opened": [one["url"] for one in job.data.get("visited", ()) if one["opened"]],
            "text": written.text[:LONGEST_TEXT],
            "answers": list(dict.fromkeys(one.message_id for one in answers if one.message_id)),
        }, tag), Event("job.done", now, {
            "id": job.id, "kind": job.kind, "persona_id": job.persona_id, "note": ""}, tag))
        following = enact(
            aftermath(job, persona, mail, context.mails, written, context.dossier, context.thread, context.dice, now,
                      self._settings.pace, context.appointments),
            Setting(persona, tag, now, mail, self._pending.by_id, context.memory))
        if written.failed:
            events += (Event("writer.fallback", now, {
                "what": job.kind, "error": written.failed, "persona_id": persona.id, "job_id": job.id}, tag),)
        if rendered.slip is not None:
            events += (self._world_mail.answered(
                rendered.slip, context.thread, persona, letter, written.language, now),)
        commit = Commit(
            jobs=(replace(job, state="done"), *following.jobs), events=(*events, *following.events),
            puts=(*following.puts, rendered.counter), drops=settled(written, job.id))
        sent = Deferred.fromCoroutine(self._postoffice.send(job.id, Outgoing(
            sender="" if job.kind == "ooo" else author,
            recipients=tuple(dict.fromkeys(one.address for one in (*letter.to, *letter.cc))),
            octets=octets, kind=job.kind, sent_copy=author), commit,
            lambda copies: self._mail_cache.filed(copies[0], octets, mail)))
        if not sent.called:
            # By the next turn it is on its way.
            self._think_soon()
        await sent
        self._people.sent(persona, rendered.nth)
        for put in commit.puts:
            self._memories.cache.put(*put)
        self._mail_log.line("answered {kind} {message_id} from {persona} to {to}: {subject}", kind=job.kind,
                            message_id=letter.message_id, persona=author, to=job.data["to"],
                            subject=letter.subject)

    def _think_ahead(self) -> None:
        """While a letter is on its way: what will the next ones say?"""
        letters = self._letters
        self._thinking = False
        following = self._pending.following(MOST_AHEAD)
        letters.keep([job.id for job in following])
        for job in following:
            persona = self._people.known(job.persona_id or "")
            if (letters.knows(job) or job.kind not in WRITTEN or job.kind == "forward" or not job.data.get("to")
                    or persona is None or persona.paused is True):
                continue
            letters.ahead(job, persona, max(job.due, self._now()))
            # One in a turn: what is being done now comes first.
            self._think_soon()
            return

    def _think_soon(self) -> None:
        # What others have to word is begun when its turn is near.
        if not self._thinking and not self._letters.asks():
            self._thinking = True
            self._reactor.callLater(0, self._think_ahead)

    def _addressed(self, job: Job) -> Job:
        """The job with its addressee: a forward may name a persona by id."""
        if job.kind != "forward":
            return job
        named = job.data.get("forward_to", "")
        other = self._people.at(named) if "@" in named else self._people.known(named)
        if other is None:
            return job
        return replace(job, data={**job.data, "to": job.data.get("to") or other.address, "to_name": other.name})


def _event_kind(job: Job) -> str:
    # Decisions, section 23: a forward is persona.sent with kind initiate.
    return "initiate" if job.kind == "forward" else job.kind
