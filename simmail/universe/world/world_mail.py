"""
Jobs of kind C{world}: when one is due, a mail of its stream is composed and delivered like mail from outside.

Who writes may be new (and is a persona from then on), known, or go on with a conversation, where that makes sense:
nobody answered, or an answer came that the writer has not gone into.  What the right handling would be is on the event
C{world.mail}, never in the mail.  Source: decisions, section 13.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

import msgspec
from msgspec import UNSET
from msgspec.structs import replace
from twisted.internet.defer import Deferred

from simmail.core.decide.after_sending import aftermath
from simmail.core.language_data import native
from simmail.core.message.mail import Draft, Mail
from simmail.core.message.parse import read
from simmail.core.message.splitting import split_reply
from simmail.core.records.commit import Commit
from simmail.core.records.event import Event
from simmail.core.records.job import Job
from simmail.core.records.persona import Persona
from simmail.core.records.relationship import Dossier, ThreadState
from simmail.core.records.world import MixShare, WorldStream
from simmail.core.rng import Dice
from simmail.core.time.instant import format_instant
from simmail.core.world.injection import Slip
from simmail.core.world.kinds import KINDS, Kind, answer_by
from simmail.core.world.occasion import Composition, Occasion, OpenThread, Resumption
from simmail.core.world.people import newcomer
from simmail.core.world.words import speaks
from simmail.core.writer import Written
from simmail.errors import NotFound
from simmail.universe.mailflow.envelope import Outgoing
from simmail.universe.mailflow.in_flight import MailInFlight
from simmail.universe.mailflow.mailboxes import Mailboxes
from simmail.universe.mailflow.post_office import PostOffice
from simmail.universe.maillog import MailLog
from simmail.universe.pending import PendingJobs
from simmail.universe.people.effects import Setting, enact
from simmail.universe.people.memory import Memories
from simmail.universe.people.personas import Personas, persona_tag
from simmail.universe.settings import Settings
from simmail.universe.people.wording import TABLE as WORDED, Wording
from simmail.universe.world.streams import StreamState, Streams, TABLE, scheduled
from simmail.universe.world.world_words import composed_in_words

#: Conversations that a stream may go on with, and people it knows.
MOST_THREADS, MOST_KNOWN = 12, 40

#: A mail is followed up no sooner, and no later.
SOONEST, LATEST = timedelta(hours=20), timedelta(days=12)

#: Mails that one conversation has from the world.
MOST_WRITTEN = 3

#: So many write in the language of the company's country.
NATIVE = 0.7

#: Who may be known to a company without the world having made them.
_GIVEN = frozenset(("api", "case", "config"))

Dropping = Callable[[Job, str], Awaitable[None]]


class _Writer(NamedTuple):
    """
    Who writes a mail, and how it goes on with what was before.

    @ivar persona: None for a machine; made: what makes a new persona true; kept: it is that persona of the universe,
        not somebody whom there is no room for, or who poses as it.
    """

    mix: MixShare
    language: str
    to: str
    persona: Persona | None = None
    made: Commit = Commit()
    kept: bool = True
    serial: int = 0
    resumed: Resumption | None = None


class WorldMail:
    """
    Does the jobs of the streams of one universe.

    @param server: the domain of the server; room_for_people: whether the plan allows one persona more.
    """

    def __init__(
        self, server: str, streams: Streams, people: Personas, memories: Memories, mailboxes: Mailboxes,
        postoffice: PostOffice, in_flight: MailInFlight, pending: PendingJobs, settings: Settings,
        room_for_people: Callable[[], bool], create: Callable[[str], Awaitable[None]], now: Callable[[], datetime],
        mail_log: MailLog, wording: Wording,
    ) -> None:
        self._server = server
        self._streams = streams
        self._people = people
        self._memories = memories
        self._mailboxes = mailboxes
        self._postoffice = postoffice
        self._in_flight = in_flight
        self._pending = pending
        self._settings = settings
        self._room_for_people = room_for_people
        self._create = create
        self._now = now
        self._mail_log = mail_log
        self._wording = wording

    async def perform(self, job: Job, drop: Dropping) -> None:
        """Write the mail of a job, and plan the next of its stream."""
        world, name = self._streams.world, job.data.get("stream", "")
        stream, fired = world.by_id.get(name), bool(job.data.get("fired"))
        if stream is None or not (fired or world.enabled and stream.enabled):
            await drop(job, "the stream has been stopped")
            return
        now = self._now()
        writer, occasion = await self._occasion(job, stream, now)
        persona, nth, state = writer.persona, occasion.nth, self._streams.state(name)
        mail, failed = await composed_in_words(occasion, self._wording)
        root = mail.references[0] if mail.references else mail.message_id
        job = replace(job, thread=root, message_id=mail.message_id)
        state = self._after(state, stream, writer, mail, job, now)
        following = None if fired else self._streams.following(stream, state, now)
        told = await self._told(job, stream, writer, mail, root, now)
        commit = Commit(
            jobs=(replace(job, state="done"), *([following] if following is not None else ()), *told.jobs),
            events=(*writer.made.events, self._event(stream.id, stream.kind, writer, mail, root, now), Event(
                "job.done", now, {"id": job.id, "kind": job.kind, "persona_id": None, "note": ""}), *told.events,
                *([scheduled(following)] if following is not None else ()), *([Event("writer.fallback", now, {
                    "what": job.kind, "error": failed, "job_id": job.id})] if failed else ())),
            puts=(*writer.made.puts, *told.puts, (TABLE, stream.id, msgspec.json.encode(state)),
                  *([self._people.next_sent(persona)[1]] if persona is not None and writer.kept else ())),
            drops=() if failed is None else ((WORDED, job.id),))
        kept = persona.address if persona is not None and writer.kept else ""
        if writer.made.puts:
            await self._create(kept)
        await self._postoffice.send(
            job.id, Outgoing(mail.reverse_path, (writer.to,), mail.octets, "world", sent_copy=kept), commit)
        self._streams.took(stream.id, state)
        if persona is not None and writer.kept:
            if writer.made.puts:
                self._people.came(persona)
            self._people.sent(persona, nth)
        for put in told.puts:
            self._memories.cache.put(*put)
        self._mail_log.line("world {kind} {message_id} from {sender} to {to}: {subject}", kind=stream.kind,
                            message_id=mail.message_id, sender=mail.sender.address, to=writer.to,
                            subject=mail.subject)

    def prepared(self, jobs: Sequence[Job]) -> Deferred[None]:
        """Have words of a model asked for, of one mail of each stream; the Deferred fires when the first has them."""
        first = {job.data.get("stream", ""): job for job in reversed(jobs)}
        begun = {name: Deferred.fromCoroutine(self._prepare(job)).addErrback(lambda failure: None)
                 for name, job in first.items()}
        return begun[jobs[0].data.get("stream", "")]

    async def _prepare(self, job: Job) -> None:
        # What fails is told when the job's turn comes.
        stream = self._streams.world.by_id.get(job.data.get("stream", ""))
        if stream is not None:
            _, occasion = await self._occasion(job, stream, max(job.due, self._now()))
            await composed_in_words(occasion, self._wording)

    async def _occasion(self, job: Job, stream: WorldStream, now: datetime) -> tuple[_Writer, Occasion]:
        """Who writes the mail of a job, and all that it is composed from."""
        world, dice = self._streams.world, self._streams.dice(stream.id, job.data["n"])
        to = dice.choice(world.addressees(stream), "to")
        writer = await self._writer(stream, KINDS[stream.kind], self._streams.state(stream.id), to, dice)
        persona = writer.persona
        nth = self._people.next_sent(persona)[0] if persona is not None and writer.kept else 1
        return writer, Occasion(
            id=job.id, kind=stream.kind, language=writer.language, mix=writer.mix, company=world.company, to=writer.to,
            dice=dice, now=now, server=self._server, persona=persona, nth=nth, serial=writer.serial,
            resumed=writer.resumed)

    def _event(
        self, stream: str, kind: str, writer: _Writer, mail: Composition, root: str, now: datetime
    ) -> Event:
        persona = writer.persona if writer.kept else None
        who = {"from": mail.sender.address} if persona is None else {"persona": persona.name, "persona_id": persona.id}
        return Event("world.mail", now, {
            "stream": stream, "kind": kind, "to": writer.to, **who, "subject": mail.subject,
            "message_id": mail.message_id, "expected": mail.expected, "language": writer.language, "mix": writer.mix,
            "answer_by": None if mail.hours is None else format_instant(answer_by(now, mail.hours)), "thread": root,
            "facts": mail.facts, "attack": mail.attack,
        }, persona_tag(persona) if persona is not None else None)

    def answered(
        self, slip: Slip, thread: ThreadState, persona: Persona, answer: Draft, language: str, now: datetime
    ) -> Event:
        """Return the truth about an answer of the person of a stream, with orders in it."""
        kind = KINDS["prompt_injection"]
        return self._event(
            thread.stream, kind.id, _Writer("follow_up", language, answer.to[0].address, persona), Composition(
                b"", answer.message_id, answer.from_, persona.address, answer.subject, "escalate", kind.hours,
                attack=slip.attack), thread.key, now)

    # Who writes

    async def _writer(self, stream: WorldStream, kind: Kind, state: StreamState, to: str, dice: Dice) -> _Writer:
        mix: MixShare = dice.weighted(
            (("new", stream.mix.new), ("known", stream.mix.known), ("follow_up", stream.mix.follow_up)), "mix")
        language = self._language(stream, to, dice)
        if kind.sort == "impostor":
            return await self._impostor(stream, to, language, dice)
        if kind.sort == "machine":
            new = mix == "new" or not state.serials
            serial = state.serials + 1 if new else 1 + dice.below(state.serials, "serial")
            # Whoever it is writes the same language each time.
            language = self._language(stream, to, self._streams.dice(stream.id, -serial))
            return _Writer("new" if new else "known", language, to, serial=serial)
        if mix == "follow_up":
            resumed = await self._resumed(state, dice)
            if resumed is not None:
                thread = resumed.thread
                return _Writer("follow_up", thread.language, thread.to, self._people.known(thread.persona_id),
                               resumed=resumed)
            # Who would have been next.
            others: tuple[tuple[MixShare, float], ...] = (("known", stream.mix.known), ("new", stream.mix.new))
            mix = dice.weighted(others, "instead")
        room = self._room_for_people()
        if mix != "new" or not room:
            known = self._known(stream, kind, to, dice)
            if known is not None:
                own = known.languages if known.languages is not UNSET else ()
                spoken = next((one for one in own if one in speaks(stream.kind)), "en")
                return _Writer("known", spoken, to, known)
        fields = newcomer(language, kind.sort, dice.on("newcomer"), lambda one: self._people.at(one) is not None)
        persona, made = self._people.newcomer(fields, "world", f"the stream {stream.id} brought mail of somebody new")
        return _Writer("new", language, to, persona, made if room else Commit(), room)

    def _language(self, stream: WorldStream, to: str, dice: Dice) -> str:
        """The language of somebody new: mostly that of the company's country."""
        tongues = speaks(stream.kind)
        own = native(to)
        others = [one for one in tongues if one != own]
        if own in tongues and (not others or dice.chance(NATIVE, "native")):
            return own
        return dice.choice(others or tongues, "language")

    def _known(self, stream: WorldStream, kind: Kind, to: str, dice: Dice) -> Persona | None:
        """Somebody who wrote before in a stream of this sort, or whom the tester has made; None for nobody."""
        found = {
            persona.id: persona for other in self._streams.world.streams if KINDS[other.kind].sort == kind.sort
            for one in self._streams.state(other.id).known if (persona := self._people.known(one)) is not None}
        if kind.sort in ("customer", "contact"):
            found.update((one.id, one) for one in self._people.of(_GIVEN) if one.address != to)
        choice = [one for one in found.values() if one.paused is not True]
        return dice.choice(sorted(choice, key=lambda one: one.id), "known") if choice else None

    async def _resumed(self, state: StreamState, dice: Dice) -> Resumption | None:
        """A conversation that its writer would go on with now, None for none."""
        now = self._now()
        for thread in dice.shuffled(state.threads, "threads"):
            persona = self._people.known(thread.persona_id)
            if (persona is None or persona.paused is True or not SOONEST <= now - thread.at <= LATEST
                    or thread.written >= MOST_WRITTEN):
                continue
            known = await self._memories.thread(persona.id, thread.root)
            if known is None:
                continue
            if known.messages <= thread.written:
                quoted = await self._found(persona, thread.last)
                return Resumption(thread, None, quoted[0] if quoted else None, thread.at)
            if known.last_message_id != known.wrote and not thread.asked and self._pending.reply_in(
                    persona.id, thread.root, thread.to) is None:
                answer = await self._found(persona, known.last_message_id)
                if answer is not None:
                    return Resumption(thread, answer[0], answer[0], answer[1])
        return None

    async def _impostor(self, stream: WorldStream, to: str, language: str, dice: Dice) -> _Writer:
        """Who goes on with a conversation of the world's that has come to one of the stream's inboxes, if one has."""
        inboxes, world = self._streams.world.addressees(stream), self._streams.world
        threads = [one for other in world.streams for one in self._streams.state(other.id).threads if one.to in inboxes]
        writer = _Writer("new", language, to)
        for thread in dice.shuffled(threads, "threads"):
            persona = self._people.known(thread.persona_id)
            known = await self._memories.thread(thread.persona_id, thread.root) if persona is not None else None
            found = await self._found(persona, known.last_message_id) if persona is not None and known else None
            if known is not None and found is not None:
                writer = _Writer("follow_up", thread.language, thread.to, persona, kept=False,
                                 resumed=Resumption(thread, None, *found))
                if known.messages > thread.written:
                    # The company has answered: it is more likely to believe what comes next.
                    break
        return writer

    async def _found(self, persona: Persona, message_id: str) -> tuple[Mail, datetime] | None:
        """A mail in a persona's mailbox, and when it was filed."""
        # It may be on its way into the folder.
        await self._in_flight.when_committed()
        try:
            place = await self._mailboxes.find(persona.address, message_id)
            if place is None:
                return None
            entry, octets = await self._mailboxes.read(persona.address, *place)
        except NotFound:
            return None
        return read(octets), entry.date

    # What it leaves

    def _after(
        self, state: StreamState, stream: WorldStream, writer: _Writer, mail: Composition, job: Job, now: datetime
    ) -> StreamState:
        """What the stream keeps after the mail."""
        day, fired = f"{now:%Y-%m-%d}", bool(job.data.get("fired"))
        state = replace(
            state, n=state.n if fired else state.n + 1, day=day,
            today=(state.today if state.day == day else 0) + (not fired), serials=max(state.serials, writer.serial))
        persona = writer.persona
        if persona is None or not writer.kept:
            return state
        known = (*(one for one in state.known if one != persona.id), persona.id)
        before = writer.resumed.thread if writer.resumed is not None else None
        thread = OpenThread(
            root=before.root if before is not None else mail.message_id, last=mail.message_id, at=now,
            persona_id=persona.id, to=writer.to, subject=before.subject if before is not None else mail.subject,
            language=writer.language, expected=mail.expected, slots=mail.slots, references=mail.references, job=job.id,
            written=1 if before is None else before.written + 1, begun=before.since if before is not None else now,
            asked=writer.resumed is not None and (writer.resumed.answered is not None or writer.resumed.thread.asked))
        threads = tuple(one for one in state.threads if one.root != thread.root and now - one.at <= LATEST)
        return replace(state, known=known[-MOST_KNOWN:], threads=(*threads, thread)[-MOST_THREADS:])

    async def _told(
        self, job: Job, stream: WorldStream, writer: _Writer, mail: Composition, root: str, now: datetime
    ) -> Commit:
        """What the writer remembers of having written."""
        persona = writer.persona
        if persona is None or not writer.kept or mail.mail is None:
            return Commit()
        dossier, thread, memory, appointments = (
            (None, ThreadState(root), {}, ()) if writer.made.puts
            else await self._memories.recall(persona.id, writer.to, root))
        written = Written(
            subject=mail.subject, text=split_reply(mail.mail.text)[0], language=writer.language,
            appointments=() if mail.appointment is None else (mail.appointment,))
        thread = replace(
            thread, stream=stream.id, part=KINDS[stream.kind].sort, facts={**mail.known, **thread.facts})
        reactions = aftermath(
            replace(job, data={**job.data, "to": writer.to}), persona, mail.mail, (), written,
            dossier or Dossier(writer.to), thread, self._streams.dice(stream.id, job.data["n"]), now,
            self._settings.pace, appointments)
        return enact(reactions, Setting(
            persona, persona_tag(persona), now, mail.mail, self._pending.by_id, memory))
