"""
The desk: where a due job is done.

What the job needs is gathered (the mails it answers, what is remembered), the
words are written (C{core.words}), a message is composed (C{letters}), and the
post office takes it together with what its sending means: C{persona.sent},
C{job.done}, and what follows from having written it (C{core.aftermath}).
A job that has nothing left to do is skipped with a note.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from simmail.core import cases as rules
from simmail.core.address import Address
from simmail.core.aftermath import aftermath, copied
from simmail.core.compose import compose
from simmail.core.dice import Dice
from simmail.core.events import Event
from simmail.core.jobs import Job
from simmail.core.mail import Mail
from simmail.core.persona import Behaviors, Persona
from simmail.core.plans import FORWARDED, MOST_FORWARDS
from simmail.core.situation import Dossier, ThreadState, keyed
from simmail.core.words import Written, write
from simmail.database.records import Commit
from simmail.errors import NotFound
from simmail.universe.enacting import LONGEST_TEXT, Setting, enact
from simmail.universe.letters import Matter, as_sent, draft, request
from simmail.universe.memories import persona_tag
from simmail.universe.outgoing import Outgoing

if TYPE_CHECKING:
    from simmail.universe.universe import Universe

#: Job kinds that are a mail of a persona.
WRITTEN = frozenset(("reply", "followup", "correction", "ooo", "initiate", "deliver", "nudge", "forward"))

#: Job kinds that are about a promise.
PROMISED = frozenset(("deliver", "nudge"))

#: Earlier mails of the persona that are read again before it writes.
MOST_OWN = 3


class Desk:
    """Does the jobs of one universe."""

    def __init__(self, universe: Universe) -> None:
        self._universe = universe

    async def perform(self, job: Job) -> None:
        """Do a job and commit what came of it."""
        if "late" in job.data:
            await self._universe.postoffice.late(job)
        elif job.kind in WRITTEN:
            await self._write(job)
        elif job.kind == "bounce":
            await self._universe.bounces.perform(job)
        elif job.kind == "link":
            await self._universe.visits.perform(job)
        else:
            await self.drop(job, f"nothing does jobs of kind {job.kind}")

    async def drop(self, job: Job, note: str) -> None:
        """The job has nothing left to do."""
        job = replace(job, state="skipped", note=note)
        await self._universe.commit_surely(Commit(once="drop-" + job.id, jobs=(job,), events=(
            Event("job.updated", self._universe.clock.now(), {
                "id": job.id, "state": job.state, "due": job.due, "kind": job.kind}),)))
        self._universe.scheduler.add((job,))

    async def _write(self, job: Job) -> None:
        universe = self._universe
        persona = universe.people.known(job.persona_id or "")
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
        matter = await self._gathered(job, persona)
        if job.kind in PROMISED and matter.promise is None:
            await self.drop(job, "nothing is open any more of what was promised")
            return
        await self._send(matter)

    async def _send(self, matter: Matter) -> None:
        """Write the letter, send it, and commit what that means."""
        universe, job, persona = self._universe, matter.job, matter.persona
        now, tag, dice = universe.clock.now(), persona_tag(persona), keyed_for(universe, job)
        written = self._written(matter, dice)
        nth, counter = universe.people.next_sent(persona)
        letter = draft(matter, written, now, universe.dice, nth, self._copied(matter, dice))
        octets = compose(letter)
        mail = as_sent(letter, len(octets))
        if not letter.references:
            # A thread begins here, and is called by its first mail.
            job = replace(job, thread=letter.message_id)
            matter = matter._replace(job=job, thread=ThreadState(
                job.thread, case_id=job.case_id or "", how="header" if job.case_id else "none"))
        answers = () if job.kind in ("forward", "initiate") else (*matter.mails, *matter.heard)
        events = (Event("persona.sent", now, {
            "persona_id": persona.id, "persona": persona.name, "kind": _told_kind(job), "case_id": job.case_id,
            "to": [one.address for one in letter.to], "cc": [one.address for one in letter.cc],
            "subject": letter.subject, "message_id": letter.message_id, "by": written.by,
            "links_opened": [one["url"] for one in job.data.get("visited", ()) if one["opened"]],
            "text": written.text[:LONGEST_TEXT],
            "answers": list(dict.fromkeys(one.message_id for one in answers if one.message_id)),
        }, tag), Event("job.done", now, {
            "id": job.id, "kind": job.kind, "persona_id": job.persona_id, "note": ""}, tag))
        following = enact(
            aftermath(job, persona, mail, matter.mails, written, matter.dossier, matter.thread, dice, now,
                      universe.settings.pace),
            Setting(persona, tag, now, mail, universe.scheduler.pending, matter.memory))
        commit = Commit(
            jobs=(replace(job, state="done"), *following.jobs), events=(*events, *following.events),
            puts=(*following.puts, counter))
        copies = await universe.postoffice.send(job.id, Outgoing(
            sender="" if job.kind == "ooo" else persona.address,
            recipients=tuple(dict.fromkeys(one.address for one in (*letter.to, *letter.cc))),
            octets=octets, kind=job.kind, sent_copy=persona.address), commit)
        universe.people.sent(persona, nth)
        universe.readings.filed(copies[0], octets, mail)
        for put in commit.puts:
            universe.people.shelf.put(*put)
        universe.told("answered {kind} {message_id} from {persona} to {to}: {subject}", kind=job.kind,
                      message_id=letter.message_id, persona=persona.address, to=job.data["to"], subject=letter.subject)

    # What the job is about

    def _addressed(self, job: Job) -> Job:
        """The job with its addressee: a forward may name a persona by id."""
        if job.kind != "forward":
            return job
        named = job.data.get("forward_to", "")
        other = self._universe.people.at(named) if "@" in named else self._universe.people.known(named)
        if other is None:
            return job
        return replace(job, data={**job.data, "to": job.data.get("to") or other.address, "to_name": other.name})

    async def _gathered(self, job: Job, persona: Persona) -> Matter:
        data = job.data
        about = data["to"] if job.kind == "forward" or not data.get("key") else data["key"][0]
        dossier, thread, memory = await self._universe.people.held(persona.id, about, job.thread)
        mails, heard = [], []
        for item in data.get("mails", ()):
            mail, original = await self._mail(item)
            mails.append(mail)
            heard.append(original)
        dossier = dossier or Dossier(about)
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

    def _written(self, matter: Matter, dice: Dice) -> Written:
        universe, job, persona = self._universe, matter.job, matter.persona
        now, own = universe.clock.now(), dice.on("words", job.kind)
        case = universe.cases.get(job.case_id)
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

    def _copied(self, matter: Matter, dice: Dice) -> tuple[Address, ...]:
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
        address = copied(persona, list(colleagues), dice)
        return () if address is None else (Address(colleagues[address].name, address),)


def keyed_for(universe: Universe, job: Job) -> Dice:
    """The dice of the mail a job comes from; for one without, of the job itself."""
    key = job.data.get("key")
    return keyed(universe.dice, *key) if key else universe.dice.on("job", job.id)


def _told_kind(job: Job) -> str:
    # Decisions, section 23: a forward is persona.sent with kind initiate.
    return "initiate" if job.kind == "forward" else job.kind
