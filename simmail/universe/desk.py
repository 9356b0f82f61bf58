"""
The desk: where a due job is done.

What the job needs is gathered (the mails it answers, what is remembered), the
words are written (C{core.words}), a message is composed, and the post office
takes it together with what its sending means: C{persona.sent}, C{job.done},
and what follows from having written it (C{core.aftermath}).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from simmail.core.address import Address
from simmail.core.aftermath import aftermath, copied
from simmail.core.compose import compose
from simmail.core.events import Event
from simmail.core.identity import message_id
from simmail.core.jobs import Job
from simmail.core.mail import Draft, Mail
from simmail.core.persona import OutOfOffice, Persona
from simmail.core.quoting import quote
from simmail.core.reading import read
from simmail.core.situation import Dossier, ThreadState, keyed
from simmail.core.times import parse_instant
from simmail.core.timing import zone_of
from simmail.core.words import Promised, WordsRequest, Written, write
from simmail.database.records import Commit
from simmail.errors import NotFound
from simmail.universe.enacting import LONGEST_TEXT, Setting, enact
from simmail.universe.people import dossiers_of, persona_tag, threads_of
from simmail.universe.postoffice import Outgoing

if TYPE_CHECKING:
    from simmail.universe.universe import Universe

#: Job kinds that are a mail of a persona.
WRITTEN = frozenset(("reply", "followup", "correction", "ooo", "initiate", "deliver", "nudge", "forward"))

#: Kinds that quote what they answer.
QUOTING = frozenset(("reply", "forward"))


class Desk:
    """Does the jobs of one universe."""

    def __init__(self, universe: Universe) -> None:
        self._universe = universe

    async def perform(self, job: Job) -> None:
        """Do a job and commit what came of it."""
        if job.kind in WRITTEN:
            await self._write(job)
        elif job.kind == "bounce":
            await self._universe.bounces.perform(job)
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
        job = self._addressed(job)
        data = job.data
        if not data.get("to"):
            await self.drop(job, "there is nobody to write to")
            return
        mails = [await self._mail(item) for item in data.get("mails", ())]
        dossier_octets, thread_octets, memory_octets = await universe.people.shelf.get((
            (dossiers_of(persona.id), data["to"]), (threads_of(persona.id), job.thread), ("memory", persona.id)))
        dossier = msgspec.json.decode(dossier_octets, type=Dossier) if dossier_octets else Dossier(data["to"])
        thread = msgspec.json.decode(thread_octets, type=ThreadState) if thread_octets else ThreadState(job.thread)
        memory = msgspec.json.decode(memory_octets, type=dict[str, list[str]]) if memory_octets else {}
        written = write(self._request(job, persona, tuple(mails), dossier, memory))
        nth, counter = universe.people.next_sent(persona)
        draft = self._draft(job, persona, mails, written, nth)
        octets = compose(draft)
        mail = read(octets)
        events = (Event("persona.sent", universe.clock.now(), {
            "persona_id": persona.id, "persona": persona.name, "kind": _told_kind(job), "case_id": job.case_id,
            "to": [one.address for one in draft.to], "cc": [one.address for one in draft.cc],
            "subject": draft.subject, "message_id": draft.message_id, "by": written.by, "links_opened": [],
            "text": written.text[:LONGEST_TEXT], "answers": [one.message_id for one in mails if one.message_id],
        }, persona_tag(persona)), Event("job.done", universe.clock.now(), {
            "id": job.id, "kind": job.kind, "persona_id": job.persona_id, "note": ""}, persona_tag(persona)))
        following = enact(
            aftermath(job, persona, mail, mails, written, dossier, thread, keyed_for(self._universe, job),
                      universe.clock.now(), universe.settings.pace),
            Setting(persona, persona_tag(persona), universe.clock.now(), mail, universe.scheduler.pending, memory))
        commit = Commit(
            jobs=(replace(job, state="done"), *following.jobs), events=(*events, *following.events),
            puts=(*following.puts, counter))
        await universe.postoffice.send(job.id, Outgoing(
            sender="" if job.kind == "ooo" else persona.address,
            recipients=tuple(dict.fromkeys(one.address for one in (*draft.to, *draft.cc))),
            octets=octets, kind=job.kind, sent_copy=persona.address), commit)
        universe.people.sent(persona, nth)
        for put in commit.puts:
            universe.people.shelf.put(*put)
        universe.told("answered {kind} {message_id} from {persona} to {to}: {subject}", kind=job.kind,
                      message_id=draft.message_id, persona=persona.address, to=data["to"], subject=draft.subject)

    def _addressed(self, job: Job) -> Job:
        """The job with its addressee: a forward may name a persona by id."""
        if job.kind != "forward" or job.data.get("to"):
            return job
        other = self._universe.people.known(job.data.get("forward_to", ""))
        if other is None:
            return job
        return replace(job, data={**job.data, "to": other.address, "to_name": other.name})

    def _copied(self, job: Job, persona: Persona) -> tuple[Address, ...]:
        """Whom the persona puts in Cc: somebody of its organisation or domain."""
        if job.kind != "reply":
            return ()
        domain = persona.address.rpartition("@")[2]
        colleagues = {
            one.address: one for one in self._universe.people.everyone()
            if one.id != persona.id and one.address != job.data["to"] and (
                one.address.endswith("@" + domain) or bool(persona.org) and one.org == persona.org)}
        address = copied(persona, list(colleagues), keyed_for(self._universe, job))
        return () if address is None else (Address(colleagues[address].name, address),)

    def _request(
        self, job: Job, persona: Persona, mails: tuple[Mail, ...], dossier: Dossier, memory: dict[str, list[str]]
    ) -> WordsRequest:
        data, case = job.data, self._universe.cases.get(job.case_id)
        promise = None
        if data.get("what"):
            promise = Promised(data["what"], parse_instant(data["promised_due"]))
        period = data.get("period")
        return WordsRequest(
            kind=job.kind,  # type: ignore[arg-type] # one of WRITTEN
            persona=persona, correspondent=Address(data.get("to_name", ""), data["to"]),
            now=self._universe.clock.now().astimezone(zone_of(persona)),
            dice=keyed_for(self._universe, job).on("words", job.kind), mails=mails,
            facts=self._universe.cases.facts(case, persona), case_title=case.title if case else "",
            notes=tuple(memory.get(job.case_id or "", ())),
            warmth=_or_half(dossier.warmth), trust=_or_half(dossier.trust), patience=_or_half(dossier.patience),
            promise=promise, ooo=msgspec.convert(period, OutOfOffice) if period else None,
            question=data.get("question") or "", nth=dossier.sent)

    def _draft(self, job: Job, persona: Persona, mails: list[Mail], written: Written, nth: int) -> Draft:
        universe, data = self._universe, job.data
        style = persona.style or None
        client = (style.client if style else None) or "plain"
        now = universe.clock.now().astimezone(zone_of(persona))
        original = mails[-1] if mails else None
        quoted = original if job.kind in QUOTING else None
        text, html = quote(
            client, written.text, quoted, forward=job.kind == "forward", zone=now.tzinfo, language=written.language)
        references: tuple[str, ...] = ()
        in_reply_to = ""
        if original is not None and job.kind not in ("forward", "initiate"):
            in_reply_to = original.message_id
            references = tuple(dict.fromkeys((*original.references, *[
                one.message_id for one in mails if one.message_id])))
        extra = [("X-Service-Simulated", "yes"), ("X-Service-Persona", persona.id)]
        if job.case_id:
            extra.append(("X-Service-Case", job.case_id))
        if job.kind == "ooo":
            extra += [("Auto-Submitted", "auto-replied"), ("Precedence", "bulk")]
        if job.kind == "forward" and data.get("by"):
            extra.append(("X-Service-Forwarded", ", ".join(data["by"])))
        reply_to = (Address("", data["reply_to"]),) if job.kind == "forward" and data.get("reply_to") else ()
        return Draft(
            message_id=message_id(universe.dice, client, persona.address, nth), date=now,
            from_=Address(persona.name, persona.address), to=(Address(data.get("to_name", ""), data["to"]),),
            cc=self._copied(job, persona), subject=written.subject, text=text, html=html, reply_to=reply_to,
            in_reply_to=in_reply_to, references=references, attachments=written.attachments, client=client, extra=tuple(extra), key=job.id)

    async def _mail(self, item: dict[str, Any]) -> Mail:
        """A mail that a job is about; when its copy is gone, what the job kept of it."""
        place = item.get("place") or {}
        if place:
            try:
                _, octets = await self._universe.mailboxes.read(place["mailbox"], place["folder"], place["uid"])
                mail = read(octets)
                if mail.message_id == item["message_id"]:
                    return mail
            except NotFound:
                pass
            found = await self._universe.mailboxes.find(place["mailbox"], item["message_id"])
            if found is not None:
                return read((await self._universe.mailboxes.read(place["mailbox"], *found))[1])
        return Mail(
            message_id=item["message_id"], in_reply_to="", references=tuple(item.get("references", ())),
            from_=Address("", item.get("sender", "")), reply_to=(), to=(), cc=(), subject=item.get("subject", ""),
            date=None, text="", html="", format="text", attachments=(), headers=(), size=0)


def keyed_for(universe: Universe, job: Job) -> Any:
    """The dice of the mail a job comes from; for one without, of the job itself."""
    key = job.data.get("key")
    return keyed(universe.dice, *key) if key else universe.dice.on("job", job.id)


def _told_kind(job: Job) -> str:
    # Decisions, section 23: a forward is persona.sent with kind initiate.
    return "initiate" if job.kind == "forward" else job.kind


def _or_half(value: float | None) -> float:
    return 0.5 if value is None else value
