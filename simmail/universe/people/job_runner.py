"""
The desk: where a due job is done.

A letter is thought out (L{drafting}), a message is composed (C{letters}), and
the post office takes it together with what its sending means: C{persona.sent},
C{job.done}, and what follows from having written it (C{core.aftermath}).
A job that has nothing left to do is skipped with a note.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace
from twisted.internet.defer import Deferred

from simmail.core.decide.after_sending import aftermath
from simmail.core.records.commit import Commit
from simmail.core.records.event import Event
from simmail.core.records.job import Job
from simmail.core.records.relationship import ThreadState
from simmail.core.writer import Written
from simmail.universe.mailflow.outgoing import Outgoing
from simmail.universe.people.drafting import Drafting, Page, keyed_for
from simmail.universe.people.effects import LONGEST_TEXT, Setting, enact
from simmail.universe.people.letters import Matter, as_sent
from simmail.universe.people.memory import persona_tag

if TYPE_CHECKING:
    from simmail.universe.universe import Universe

#: Job kinds that are a mail of a persona.
WRITTEN = frozenset(("reply", "followup", "correction", "ooo", "initiate", "deliver", "nudge", "forward"))

#: Letters that are thought out ahead.
MOST_AHEAD = 6


class Desk:
    """Does the jobs of one universe."""

    def __init__(self, universe: Universe) -> None:
        self._universe = universe
        self.drafting = Drafting(universe)
        self._thinking = False

    async def perform(self, job: Job) -> None:
        """Do a job and commit what came of it."""
        if job.kind not in WRITTEN or "late" in job.data:
            self._think_soon()
            # What the journal does not have must not be true before what it has.
            await self._universe.postoffice.committed()
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
        await self._universe.postoffice.committed()
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
        matter, written, page = await self.drafting.letter(job, persona, universe.clock.now())
        if written is None or page is None:
            await self.drop(job, "nothing is open any more of what was promised")
            return
        await self._send(matter, written, page)

    async def _send(self, matter: Matter, written: Written, page: Page) -> None:
        """Send the letter, and commit what that means."""
        universe, job, persona = self._universe, matter.job, matter.persona
        now, tag, dice = universe.clock.now(), persona_tag(persona), keyed_for(universe, job)
        nth, counter = universe.people.next_sent(persona)
        letter, octets = page.draft, page.octets
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
        sent = Deferred.fromCoroutine(universe.postoffice.send(job.id, Outgoing(
            sender="" if job.kind == "ooo" else persona.address,
            recipients=tuple(dict.fromkeys(one.address for one in (*letter.to, *letter.cc))),
            octets=octets, kind=job.kind, sent_copy=persona.address), commit,
            lambda copies: universe.readings.filed(copies[0], octets, mail)))
        if not sent.called:
            # By the next turn it is on its way.
            self._think_soon()
        await sent
        universe.people.sent(persona, nth)
        for put in commit.puts:
            universe.people.shelf.put(*put)
        universe.told("answered {kind} {message_id} from {persona} to {to}: {subject}", kind=job.kind,
                      message_id=letter.message_id, persona=persona.address, to=job.data["to"], subject=letter.subject)

    def _think_ahead(self) -> None:
        """While a letter is on its way: what will the next ones say?"""
        universe, drafting = self._universe, self.drafting
        self._thinking = False
        following = universe.scheduler.following(MOST_AHEAD)
        drafting.keep([job.id for job in following])
        for job in following:
            persona = universe.people.known(job.persona_id or "")
            if (drafting.knows(job) or job.kind not in WRITTEN or job.kind == "forward" or not job.data.get("to")
                    or persona is None or persona.paused is True):
                continue
            drafting.ahead(job, persona, max(job.due, universe.clock.now()))
            # One in a turn: what is being done now comes first.
            self._think_soon()
            return

    def _think_soon(self) -> None:
        if not self._thinking:
            self._thinking = True
            self._universe.reactor.callLater(0, self._think_ahead)

    def _addressed(self, job: Job) -> Job:
        """The job with its addressee: a forward may name a persona by id."""
        if job.kind != "forward":
            return job
        named = job.data.get("forward_to", "")
        other = self._universe.people.at(named) if "@" in named else self._universe.people.known(named)
        if other is None:
            return job
        return replace(job, data={**job.data, "to": job.data.get("to") or other.address, "to_name": other.name})


def _told_kind(job: Job) -> str:
    # Decisions, section 23: a forward is persona.sent with kind initiate.
    return "initiate" if job.kind == "forward" else job.kind
