"""
Letters: what a job is about is gathered, what it says is written, and the message that carries it composed.

What the words need (the mails it answers, what is remembered, the case) is read first; the words are C{core.writer}.
While the mail of one job is on its way, the letters of the next few are thought out ahead, if the clock is being moved
past them.  Words are a function of values, so nothing is decided early: what was written ahead is used when all it was
written from is still the same at the job's turn, else forgotten.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace
from twisted.internet.defer import Deferred

from simmail.core.compose import itip
from simmail.core.compose.message import compose
from simmail.core.compose.message_id import message_id
from simmail.core.compose.quoting import quote
from simmail.core.decide.after_sending import copied, promised_in
from simmail.core.decide.decision import FORWARDED, keyed
from simmail.core.decide.delay import zone_of
from simmail.core.message.mail import Attachment, Draft, Mail
from simmail.core.mime.address import Address
from simmail.core.records import case as rules
from simmail.core.records.case import Case
from simmail.core.records.conversation import Appointment, USUAL, apart
from simmail.core.records.job import Job
from simmail.core.records.persona import Behaviors, OutOfOffice, Persona
from simmail.core.records.relationship import Dossier, OpenPromise, ThreadState
from simmail.core.rng import Dice
from simmail.core.time.invitation import Invitation, invitation
from simmail.core.world.injection import Slip
from simmail.core.writer import Promised, SeenPage, WordsRequest, Written, idle, write
from simmail.universe.jobs.job_mails import JobMails
from simmail.universe.meaning import Meaning
from simmail.universe.people.cases import Cases
from simmail.universe.people.memory import Memories, StoredRecollection, recalled
from simmail.universe.people.personas import Personas
from simmail.universe.people.wording import Wording
from simmail.universe.world.streams import Streams

#: Job kinds that are about a promise, that ask again, that quote what they answer, that begin a thread when there is no
#: mail.
PROMISED = frozenset(("deliver", "nudge"))
REMINDING = frozenset(("followup", "nudge"))
QUOTING = frozenset(("reply", "forward"))
ALONE = frozenset(("initiate", "forward"))

#: Earlier mails of the persona that are read again before it writes.
MOST_OWN = 3


class LetterContext(NamedTuple):
    """
    All that one letter is about.

    @ivar mails: what it answers or passes on, as it came, oldest first; came: when, by the simulated clock.
    @ivar heard: the same as the persona takes them: of what a colleague passed on, the mail that was passed on;
        arrived: when that came to who passed it on first.
    @ivar own: the persona's earlier mails of the thread, oldest first.
    @ivar dossier: about whom it is for; promise: the promise it keeps or asks for; dice: of the mail it comes from.
    """

    job: Job
    persona: Persona
    dice: Dice
    mails: tuple[Mail, ...]
    came: tuple[datetime, ...]
    heard: tuple[Mail, ...]
    arrived: tuple[datetime, ...]
    own: tuple[Mail, ...]
    dossier: Dossier
    thread: ThreadState
    memory: dict[str, list[str]]
    appointments: tuple[Appointment, ...]
    promise: OpenPromise | None


class ComposedLetter(NamedTuple):
    """
    A letter that is thought out.

    @ivar written: None when nothing is left to say, as what was promised is not open any more.
    @ivar rendered: what is sent, unless nothing is.
    """

    context: LetterContext
    written: Written | None
    rendered: RenderedLetter | None = None


class RenderedLetter(NamedTuple):
    """
    A letter on paper.

    @ivar nth: it is the persona's n-th mail; counter: the document that says so; copied: whom it put in Cc; slip: what
        the world put into it.
    """

    nth: int
    counter: tuple[str, str, bytes]
    copied: tuple[Address, ...]
    draft: Draft
    octets: bytes
    slip: Slip | None = None


class _Basis(NamedTuple):
    """All that a letter is written from, but for mail that does not change; C{worded}: a model is asked for words."""

    job: Job
    persona: Persona
    case: Case | None
    now: datetime
    worded: bool
    documents: StoredRecollection


class Letters:
    """The letters of one universe."""

    def __init__(
        self, mails: JobMails, people: Personas, memories: Memories, cases: Cases, meaning: Meaning | None,
        wording: Wording, dice: Dice, streams: Streams,
    ) -> None:
        self._mails = mails
        self._people = people
        self._memories = memories
        self._cases = cases
        self._meaning = meaning
        self._wording = wording
        self._dice = dice
        self._streams = streams
        self._ahead: dict[str, tuple[Job, Deferred[tuple[_Basis, ComposedLetter] | None]]] = {}

    async def letter(self, job: Job, persona: Persona, now: datetime) -> ComposedLetter:
        """The letter of a job that is to be done now."""
        before, under_way = self._ahead.pop(job.id, (None, None))
        ahead = await under_way if under_way is not None and before is job else None
        basis = await self._based(job, persona, now)
        return self._on_paper(
            ahead[1] if ahead is not None and ahead[0] == basis else await self._thought_out(basis), now)

    def knows(self, job: Job) -> bool:
        """Whether the letter of a job is being thought out, or is."""
        return job.id in self._ahead and self._ahead[job.id][0] is job

    def keep(self, jobs: Collection[str]) -> None:
        """No other letters than those of jobs with these ids are likely to be wanted."""
        for one in [one for one in self._ahead if one not in jobs]:
            del self._ahead[one]

    def asks(self) -> bool:
        """Whether letters wait for words from outside."""
        return self._wording.on

    def prepared(self, job: Job, persona: Persona, now: datetime) -> Deferred[None]:
        """Think the letter of a job out; the Deferred fires when it is, or cannot be."""
        if not self.knows(job):
            self.ahead(job, persona, now)
        waiter: Deferred[None] = Deferred()

        def tell(result: Any) -> Any:
            waiter.callback(None)
            return result

        self._ahead[job.id][1].addCallback(tell)
        return waiter

    def ahead(self, job: Job, persona: Persona, now: datetime) -> None:
        """Think the letter of a job out that is likely to be done soon."""
        # What fails is told when the job's turn comes.
        self._ahead[job.id] = job, Deferred.fromCoroutine(
            self._write_ahead(job, persona, now)).addErrback(lambda failure: None)

    async def _write_ahead(self, job: Job, persona: Persona, now: datetime) -> tuple[_Basis, ComposedLetter]:
        basis = await self._based(job, persona, now)
        return basis, self._on_paper(await self._thought_out(basis), now)

    def forget(self) -> None:
        """Nothing that was written ahead is wanted."""
        self._ahead.clear()

    async def _based(self, job: Job, persona: Persona, now: datetime) -> _Basis:
        return _Basis(job, persona, self._cases.get(job.case_id), now, self._wording.on, await self._memories.documents(
            persona.id, _about(job), job.thread))

    async def _thought_out(self, basis: _Basis) -> ComposedLetter:
        context = await self._gathered(basis)
        if basis.job.kind in PROMISED and context.promise is None:
            return ComposedLetter(context, None)
        if basis.job.kind in REMINDING and self._idle(context, basis):
            return ComposedLetter(context, None)

        def words() -> tuple[WordsRequest, Written, Mapping[str, str]]:
            return self._written(context, basis.now, basis.case)

        asked_for, written, told = words() if self._meaning is None else await self._meaning.worked_out(words)
        if basis.worded:
            written = await self._wording.worded(
                basis.job.id, asked_for, written,
                lambda text: basis.case is not None and bool(rules.leaks(basis.case, text, told)))
        return ComposedLetter(context, written)

    def _on_paper(self, letter: ComposedLetter, now: datetime) -> ComposedLetter:
        """The letter with its rendered as it is to be sent now."""
        context, written, rendered = letter
        if written is None:
            return letter
        (nth, counter), others = self._people.next_sent(context.persona), self._copied(context)
        if rendered is not None and (rendered.nth, rendered.copied) == (nth, others):
            return letter
        slip = self._streams.slipped(context.thread, context.job, written.language) if _asked(context) else None
        sheet = draft(context, written, now, self._dice, nth, others, f"\n\n{slip.orders}\n" if slip else "")
        return ComposedLetter(context, written, RenderedLetter(nth, counter, others, sheet, compose(sheet), slip))

    def _copied(self, context: LetterContext) -> tuple[Address, ...]:
        """Whom the persona puts in Cc: somebody of its organisation, its domain or the case."""
        persona, people, behaviors = context.persona, self._people, context.persona.behaviors
        if context.job.kind != "reply" or not isinstance(behaviors, Behaviors) or not behaviors.cc_someone:
            return ()
        colleagues = people.colleagues(persona)
        case = self._cases.get(context.job.case_id)
        for one in (case.people or ()) if case is not None else ():
            other = people.known(one.persona_id or "") or people.at(one.address or "")
            if other is not None and other.id != persona.id:
                colleagues[other.address] = other
        colleagues.pop(context.job.data["to"], None)
        for mail in context.mails:
            # Who passed it on has done with it.
            for passed in mail.header(FORWARDED).lower().split(","):
                colleagues.pop(passed.strip(), None)
        address = copied(persona, list(colleagues), context.dice)
        return () if address is None else (Address(colleagues[address].name, address),)

    # What it is about

    async def _gathered(self, basis: _Basis) -> LetterContext:
        job, persona, data = basis.job, basis.persona, basis.job.data
        dossier, thread, memory, appointments = recalled(basis.documents, job.thread)
        found = [await self._mails.found(item, job.created) for item in data.get("mails", ())]
        dossier = dossier or Dossier(_about(job))
        promise = next((one for one in dossier.promises if one.job_id == job.id), None)
        own = [] if job.kind in ("ooo", "forward") else [
            mail for one in thread.own[-MOST_OWN:] for mail in await self._mails.sent(persona, one)]
        return LetterContext(
            job, persona, keyed_for(self._dice, job), tuple(one.mail for one in found),
            tuple(one.came for one in found), tuple(one.heard for one in found), tuple(one.arrived for one in found),
            tuple(own), dossier, thread, memory, appointments, promise)

    # What it says

    def _idle(self, context: LetterContext, basis: _Basis) -> bool:
        # Whether a reminder has nothing left to ask.
        wants = rules.wants(basis.case, context.persona)
        return idle(request(context, basis.now, context.dice, {}, "", wants))

    def _written(
        self, context: LetterContext, now: datetime, case: Case | None
    ) -> tuple[WordsRequest, Written, Mapping[str, str]]:
        # What is asked of the words, the words, and the secrets that their reader may be told.
        job, persona = context.job, context.persona
        own = context.dice.on("words", job.kind)
        title = case.title if case is not None else ""
        wants = job.data.get("wants") or rules.wants(case, persona)
        if case is None:
            full = request(context, now, own, {}, title, wants, self._meaning)
            return full, write(full), {}
        asked = "\n".join(f"{mail.subject}\n{mail.text}" for mail in context.heard)
        told = rules.confided(case, context.dossier.address, asked)
        full = request(
            context, now, own, {**self._cases.facts(case, persona), **told}, title, wants, self._meaning)
        written = write(full)
        if rules.leaks(case, written.text, told):
            # A note or a fact repeats what is secret: said without them.
            full = request(context._replace(memory={}), now, own, told, title, wants, self._meaning)
            written = write(full)
        return full, written, told


def request(
    context: LetterContext, now: datetime, dice: Dice, facts: Mapping[str, str], case_title: str, wants: str,
    meaning: Meaning | None = None,
) -> WordsRequest:
    """
    What is asked of the words.

    @param facts: what the persona may say of the case, to this reader; wants: what it is after; meaning: whom to
        ask what the mails mean.
    """
    job, dossier, data = context.job, context.dossier, context.job.data
    owed = promised_in(dossier, job.thread)
    promise = context.promise or (promised_in(dossier, job.thread) if job.kind == "correction" else None)
    period = data.get("period")
    # A second thought is a correction that corrects nothing.
    kind = "correction" if data.get("afterthought") else job.kind
    persona = context.persona if not wants or wants == context.persona.wants else replace(context.persona, wants=wants)
    return WordsRequest(
        kind=kind,  # type: ignore[arg-type] # one of those that the desk writes
        persona=persona, correspondent=Address(data.get("to_name", ""), data["to"]), now=now.astimezone(
            zone_of(persona)), dice=dice, mails=context.heard, arrived=context.arrived, remarks=context.thread.remarks,
        appointments=apart(context.appointments, job.thread), facts=dict(facts), case_title=case_title,
        part=context.thread.part, matter=context.thread.facts,
        notes=tuple(note for case in dict.fromkeys(("", job.case_id or "")) for note in context.memory.get(case, ())),
        warmth=_or_half(dossier.warmth), trust=_or_half(dossier.trust), patience=_or_half(dossier.patience),
        promise=Promised(promise.what, promise.due) if promise is not None else None,
        ooo=msgspec.convert(period, OutOfOffice) if period else None, own=context.own,
        question=data.get("question") or "", held=context.thread.held,
        owed=owed.what if owed is not None else "",
        owes=tuple(Promised(one.what, one.due) for one in dossier.promises if one.by == "persona"),
        done=context.thread.done, broken=_broken(data),
        seen=_seen(data), unsubscribed=any(one.get("left") for one in data.get("visited", ())),
        nth=dossier.sent, unread=dossier.unread, meaning=meaning)


def draft(
    context: LetterContext, written: Written, now: datetime, dice: Dice, nth: int, copied: tuple[Address, ...],
    below: str = "",
) -> Draft:
    """
    The message: addressed, threaded, quoted, with the attachments of what it passes on.

    @param dice: the universe's; nth: it is the persona's n-th mail; below: what stands under its words.
    """
    job, persona, data = context.job, context.persona, context.job.data
    client = (persona.style.client if persona.style else None) or "plain"
    local = now.astimezone(zone_of(persona))
    quoted = context.mails[-1] if context.mails and job.kind in QUOTING else None
    text, html = quote(
        client, written.text + below, quoted, forward=job.kind == "forward",
        at=context.came[-1].astimezone(local.tzinfo) if quoted is not None else None, language=written.language)
    attachments = written.attachments
    extra = [("X-Service-Simulated", "yes"), ("X-Service-Persona", persona.id)]
    if job.case_id:
        extra.append(("X-Service-Case", job.case_id))
    reply_to: tuple[Address, ...] = ()
    if job.kind == "ooo":
        # RFC 3834 section 5.
        extra += [("Auto-Submitted", "auto-replied"), ("Precedence", "bulk")]
    elif job.kind == "forward":
        attachments += tuple(one for mail in context.mails for one in _attachments_of(mail))
        extra.append((FORWARDED, ", ".join(data["by"])))
        if data.get("reply_to"):
            reply_to = (Address(data.get("reply_to_name", ""), data["reply_to"]),)
    references = _references(context)
    author = Address(persona.name, persona.address)
    answer = _calendar_answer(context, written, now, author)
    return Draft(
        message_id=message_id(dice, client, author.address, nth), date=local, from_=author,
        to=(Address(data.get("to_name", ""), data["to"]),),
        cc=copied, subject=written.subject, text=text, html=html, reply_to=reply_to,
        in_reply_to=references[-1] if references and job.kind not in ALONE else "", references=references,
        attachments=attachments, client=client, extra=tuple(extra), key=job.id,
        forms=() if answer is None else (answer,))


def _calendar_answer(
    context: LetterContext, written: Written, now: datetime, attendee: Address
) -> Attachment | None:
    """The calendar part that says to an invitation what the words say; None where they do not speak of it."""
    mail = context.heard[-1] if context.job.kind == "reply" and context.heard else None
    asked = Invitation() if mail is None else invitation(
        (one.content_type, one.octets) for one in mail.attachments)
    if mail is None or asked.method != "request" or not asked.uid or (
            asked.start is None and asked.day is None):
        return None
    organizer = mail.from_.address
    if any(one.start == asked.start for one in written.appointments) or asked.day is not None and any(
            one.kind == "agreed" and one.value == asked.day.isoformat() for one in written.remarks):
        return itip.reply(asked, attendee, organizer, now, "ACCEPTED")
    offered = next((one.when for one in written.remarks if one.kind == "proposed" and one.when is not None), None)
    if offered is not None:
        return itip.counter(asked, attendee, organizer, now, offered, offered + (asked.span or USUAL))
    if any(one.kind == "called_off" for one in written.remarks):
        return itip.reply(asked, attendee, organizer, now, "DECLINED")
    return None


def _references(context: LetterContext) -> tuple[str, ...]:
    """The thread so far: what the mails refer to, the mails, and what the persona wrote after them."""
    if context.job.kind == "initiate":
        return ()
    mails = context.mails if context.job.kind in ("reply", "ooo", "forward") else (*context.mails, *context.own)
    before = mails[0].references if mails else ()
    for mail in mails[1:]:
        before += mail.references
    return tuple(dict.fromkeys(one for one in (*before, *[mail.message_id for mail in mails]) if one))


def _attachments_of(mail: Mail) -> tuple[Attachment, ...]:
    """The attachments of a mail that goes on; pictures of its HTML become files, for the HTML is quoted as text."""
    return tuple(replace(one, inline=False, content_id="") for one in mail.attachments)


def _asked(context: LetterContext) -> bool:
    """Whether a letter answers a question."""
    answered = {mail.message_id for mail in context.heard}
    return context.job.kind == "reply" and any(
        one.kind == "asked" and one.by == "correspondent" and one.message_id in answered
        for one in context.thread.remarks)


def _broken(data: dict[str, Any]) -> str:
    """What a reader calls the first link that did not open: its words, else its address in short."""
    return next((_called(one) for one in data.get("visited", ()) if one["broken"] and not one.get("leaves")), "")


def _seen(data: dict[str, Any]) -> SeenPage | None:
    """The page behind a link that opened of which there is most to say: one that asks for something, else a named."""
    pages = [SeenPage(_called(one), one.get("title", ""), one.get("form", "")) for one in data.get("visited", ())
             if one["opened"] and not one["broken"] and not one.get("leaves")]
    return next((page for page in pages if page.form), next((page for page in pages if page.title), None))


def _called(one: dict[str, Any]) -> str:
    """What a reader calls a link: its words, else its address in short."""
    url, text = str(one["url"]), str(one["text"])
    bare = "://" in text or not text
    return url.partition("://")[2].partition("?")[0].partition("#")[0].rstrip("/") if bare else text


def _or_half(value: float | None) -> float:
    return 0.5 if value is None else value


def keyed_for(dice: Dice, job: Job) -> Dice:
    """The dice of the mail a job comes from; for one without, of the job itself."""
    key = job.data.get("key")
    return keyed(dice, *key) if key else dice.on("job", job.id)


def _about(job: Job) -> str:
    """Whom a letter is about: its reader, unless it is an answer that goes elsewhere."""
    key = job.data.get("key")
    return str(job.data["to"] if job.kind == "forward" or not key else key[0])
