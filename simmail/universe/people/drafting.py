"""
Thinking a letter out: what it is about is gathered, and what it says is written.

What the words need (the mails it answers, what is remembered, the case) is read first; the words are C{core.writer}.
While the mail of one job is on its way, the letters of the next few are thought out ahead, if the clock is being moved
past them.  Words are a function of values, so nothing is decided early: what was written ahead is used when all it was
written from is still the same at the job's turn, else forgotten.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from twisted.internet.defer import Deferred

from simmail.core.compose.message import compose
from simmail.core.decide.after_sending import copied
from simmail.core.decide.decision import keyed
from simmail.core.decide.job_data import FORWARDED, MOST_FORWARDS
from simmail.core.message.mail import Draft, Mail
from simmail.core.mime.address import Address
from simmail.core.records import case as rules
from simmail.core.records.case import Case
from simmail.core.records.job import Job
from simmail.core.records.persona import Behaviors, Persona
from simmail.core.records.relationship import Dossier
from simmail.core.rng import Dice
from simmail.core.writer import Written, write
from simmail.errors import NotFound
from simmail.universe.people.letters import Matter, draft, request
from simmail.universe.people.memory import Documents, recalled

if TYPE_CHECKING:
    from simmail.universe.universe import Universe

#: Job kinds that are about a promise.
PROMISED = frozenset(("deliver", "nudge"))

#: Earlier mails of the persona that are read again before it writes.
MOST_OWN = 3


class Letter(NamedTuple):
    """
    A letter that is thought out.

    @ivar written: None when nothing is left to say, as what was promised is not open any more.
    @ivar page: what is sent, unless nothing is.
    """

    matter: Matter
    written: Written | None
    page: Page | None = None


class Page(NamedTuple):
    """
    A letter on paper.

    @ivar nth: it is the persona's n-th mail; copied: whom it put in Cc.
    """

    nth: int
    copied: tuple[Address, ...]
    draft: Draft
    octets: bytes


class _Basis(NamedTuple):
    """All that a letter is written from, but for mail that does not change."""

    job: Job
    persona: Persona
    case: Case | None
    now: datetime
    documents: Documents


class Drafting:
    """The letters of one universe."""

    def __init__(self, universe: Universe) -> None:
        self._universe = universe
        self._ahead: dict[str, tuple[Job, Deferred[tuple[_Basis, Letter] | None]]] = {}

    async def letter(self, job: Job, persona: Persona, now: datetime) -> Letter:
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

    def ahead(self, job: Job, persona: Persona, now: datetime) -> None:
        """Think the letter of a job out that is likely to be done soon."""
        # What fails is told when the job's turn comes.
        self._ahead[job.id] = job, Deferred.fromCoroutine(
            self._write_ahead(job, persona, now)).addErrback(lambda failure: None)

    async def _write_ahead(self, job: Job, persona: Persona, now: datetime) -> tuple[_Basis, Letter]:
        basis = await self._based(job, persona, now)
        return basis, self._on_paper(await self._thought_out(basis), now)

    def forget(self) -> None:
        """Nothing that was written ahead is wanted."""
        self._ahead.clear()

    async def _based(self, job: Job, persona: Persona, now: datetime) -> _Basis:
        universe = self._universe
        return _Basis(job, persona, universe.cases.get(job.case_id), now, await universe.people.documents(
            persona.id, _about(job), job.thread))

    async def _thought_out(self, basis: _Basis) -> Letter:
        matter = await self._gathered(basis)
        if basis.job.kind in PROMISED and matter.promise is None:
            return Letter(matter, None)
        return Letter(matter, self._written(matter, basis.now, basis.case))

    def _on_paper(self, letter: Letter, now: datetime) -> Letter:
        """The letter with its page as it is to be sent now."""
        matter, written, page = letter
        if written is None:
            return letter
        universe = self._universe
        nth, others = universe.people.next_sent(matter.persona)[0], self._copied(matter)
        if page is not None and (page.nth, page.copied) == (nth, others):
            return letter
        sheet = draft(matter, written, now, universe.dice, nth, others)
        return Letter(matter, written, Page(nth, others, sheet, compose(sheet)))

    def _copied(self, matter: Matter) -> tuple[Address, ...]:
        """Whom the persona puts in Cc: somebody of its organisation, its domain or the case."""
        persona, people, behaviors = matter.persona, self._universe.people, matter.persona.behaviors
        if matter.job.kind != "reply" or not isinstance(behaviors, Behaviors) or not behaviors.cc_someone:
            return ()
        colleagues = people.colleagues(persona)
        case = self._universe.cases.get(matter.job.case_id)
        for one in (case.people or ()) if case is not None else ():
            other = people.known(one.persona_id or "") or people.at(one.address or "")
            if other is not None and other.id != persona.id:
                colleagues[other.address] = other
        colleagues.pop(matter.job.data["to"], None)
        for mail in matter.mails:
            # Who passed it on has done with it.
            for passed in mail.header(FORWARDED).lower().split(","):
                colleagues.pop(passed.strip(), None)
        address = copied(persona, list(colleagues), keyed_for(self._universe, matter.job))
        return () if address is None else (Address(colleagues[address].name, address),)

    # What it is about

    async def _gathered(self, basis: _Basis) -> Matter:
        job, persona, data = basis.job, basis.persona, basis.job.data
        dossier, thread, memory = recalled(basis.documents, job.thread)
        mails, heard = [], []
        for item in data.get("mails", ()):
            mail, original = await self._mail(item)
            mails.append(mail)
            heard.append(original)
        dossier = dossier or Dossier(_about(job))
        promise = next((one for one in dossier.promises if one.job_id == job.id), None)
        own = [] if job.kind in ("ooo", "forward") else [
            mail for one in thread.own[-MOST_OWN:] for mail in await self._sent(persona, one)]
        return Matter(job, persona, tuple(mails), tuple(heard), tuple(own), dossier, thread, memory, promise)

    async def _mail(self, item: dict[str, Any]) -> tuple[Mail, Mail]:
        """A mail that a job is about, and what it passes on, if it does; without its copy, what the job kept of it."""
        universe, place = self._universe, item.get("place") or {}
        if place:
            try:
                folder, uid = place["folder"], place["uid"]
                mail = await self._at(place["mailbox"], folder, uid)
                if mail.message_id == item["message_id"]:
                    return mail, await self._passed_on(mail, place["mailbox"], folder, uid)
            except NotFound:
                pass
            try:
                found = await universe.mailboxes.find(place["mailbox"], item["message_id"])
                if found is not None:
                    mail = await self._at(place["mailbox"], *found)
                    return mail, await self._passed_on(mail, place["mailbox"], *found)
            except NotFound:
                pass
        mail = Mail(
            message_id=item["message_id"], in_reply_to="", references=tuple(item.get("references", ())),
            from_=Address("", item.get("sender", "")), reply_to=(), to=(), cc=(), subject=item.get("subject", ""),
            date=None, text="", html="", format="text", attachments=(), headers=(), size=0)
        return mail, mail

    async def _at(self, mailbox: str, folder: str, uid: int) -> Mail:
        return await self._universe.readings.at(await self._universe.mailboxes.folder(mailbox, folder), uid)

    async def _passed_on(self, mail: Mail, mailbox: str, folder: str, uid: int) -> Mail:
        """
        The mail that a colleague passed on; any other mail is itself.

        What is filed bears the id of the job that wrote it, and the job says where the original is.
        """
        universe = self._universe
        for _ in range(MOST_FORWARDS):
            if not mail.header(FORWARDED) or not mail.header("X-Service-Persona"):
                break
            (key,) = (await universe.mailboxes.folder(mailbox, folder)).column("key", [uid])
            job = universe.scheduler.pending.get(key or "") or await universe.database.job(universe.id, key or "")
            place = (job.data.get("mails") or [{}])[-1].get("place") if job is not None else None
            if not place:
                break
            mailbox, folder, uid = place["mailbox"], place["folder"], place["uid"]
            try:
                original = await self._at(mailbox, folder, uid)
            except NotFound:
                break
            if original.message_id != place.get("message_id"):
                break
            mail = original
        return mail

    async def _sent(self, persona: Persona, job_id: str) -> list[Mail]:
        """The copy of what a job wrote, [] when it is gone."""
        universe = self._universe
        if universe.postoffice.owes(job_id):
            # It was written a moment ago, and may be on its way into the folder.
            visible = universe.store.visible()
            if visible is not None:
                await visible
        for address in persona.addresses:
            try:
                folder = await universe.mailboxes.folder(address, "Sent")
                uid = folder.find(job_id)
                if uid is not None:
                    return [await universe.readings.at(folder, uid)]
            except NotFound:
                continue
        return []

    # What it says

    def _written(self, matter: Matter, now: datetime, case: Case | None) -> Written:
        universe, job, persona = self._universe, matter.job, matter.persona
        own = keyed_for(universe, job).on("words", job.kind)
        title = case.title if case is not None else ""
        wants = job.data.get("wants") or rules.wants(case, persona)
        if case is None:
            return write(request(matter, now, own, {}, title, wants))
        asked = "\n".join(f"{mail.subject}\n{mail.text}" for mail in matter.heard)
        told = rules.confided(case, matter.dossier.address, asked)
        written = write(request(matter, now, own, {**universe.cases.facts(case, persona), **told}, title, wants))
        if rules.leaks(case, written.text, told):
            # A note or a fact repeats what is secret: said without them.
            written = write(request(matter._replace(memory={}), now, own, told, title, wants))
        return written


def keyed_for(universe: Universe, job: Job) -> Dice:
    """The dice of the mail a job comes from; for one without, of the job itself."""
    key = job.data.get("key")
    return keyed(universe.dice, *key) if key else universe.dice.on("job", job.id)


def _about(job: Job) -> str:
    """Whom a letter is about: its reader, unless it is an answer that goes elsewhere."""
    key = job.data.get("key")
    return str(job.data["to"] if job.kind == "forward" or not key else key[0])
