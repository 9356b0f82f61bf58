"""
From reactions to one commit: what a persona decided becomes events, jobs and documents.

A function of values; who commits it, and when, is C{inbox_worker}'s and
C{jobs.runner}'s matter.  Source: API contract, "Event types and data fields".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from simmail.core.decide.decision import (
    Batch, Bounce, Drop, Engage, Expect, Follow, Ignore, Junk, PlannedJob, Promise, Reactions, Receive, Relate,
    Remember, Skip,
)
from simmail.core.message.mail import Mail
from simmail.core.records import notes
from simmail.core.records.commit import Commit
from simmail.core.records.event import Event, PersonaTag
from simmail.core.records.job import Job
from simmail.core.records.persona import Persona
from simmail.universe.people.personas import CALENDAR, DOSSIERS, THREADS

LONGEST_TEXT = 64 * 1024


class Setting(NamedTuple):
    """
    Where reactions take place.

    @ivar mail: what was reacted to; case_id: what its thread is linked to.
    @ivar pending: pending jobs by id.  memory: the persona's notes by case.
    """

    persona: Persona
    tag: PersonaTag
    now: datetime
    mail: Mail
    pending: Mapping[str, Job]
    memory: dict[str, list[str]]


def enact(reactions: Reactions, setting: Setting) -> Commit:
    """The commit that makes reactions true."""
    builder = _EffectBuilder(setting)
    for reaction in reactions:
        _WRITERS[type(reaction)](builder, reaction)
    return builder.commit()


def job_of(plan: PlannedJob, persona_id: str, now: datetime) -> Job:
    """The pending job of a plan."""
    return Job(
        id=plan.id, kind=plan.kind, state="pending", created=now, due=max(plan.due, now), persona_id=persona_id,
        case_id=plan.case_id or None, message_id=plan.message_id or None, plan=plan.plan, thread=plan.thread,
        data={**plan.data, "because": list(plan.because)} if plan.because else plan.data)


class _EffectBuilder:
    """Writes reactions down, one method for each kind."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._events: list[Event] = []
        self._jobs: dict[str, Job] = {}
        self._puts: list[tuple[str, str, bytes]] = []
        self._noted = False
        self._case_id = ""

    def commit(self) -> Commit:
        setting = self._setting
        if self._noted:
            self._puts.append(("memory", setting.persona.id, notes.encode(setting.memory)))
        return Commit(events=tuple(self._events), jobs=tuple(self._jobs.values()), puts=tuple(self._puts))

    def _event(self, type: str, **data: Any) -> None:
        setting = self._setting
        self._events.append(Event(type, setting.now, {
            "persona_id": setting.persona.id, "persona": setting.persona.name, **data}, setting.tag))

    def _schedule(self, plan: PlannedJob) -> str:
        job = job_of(plan, self._setting.persona.id, self._setting.now)
        self._jobs[job.id] = job
        self._events.append(Event("job.scheduled", self._setting.now, {
            "id": job.id, "kind": job.kind, "persona_id": job.persona_id, "due": job.due, "plan": job.plan,
            **({"message_id": job.message_id} if job.message_id else {}),
            **({"because": list(plan.because)} if plan.because else {}),
        }, self._setting.tag))
        return job.id

    def _job(self, job_id: str) -> Job | None:
        return self._jobs.get(job_id) or self._setting.pending.get(job_id)

    def bounce(self, one: Bounce) -> None:
        mail = self._setting.mail
        self._event("persona.bounced", address=one.address, kind=one.kind, to=one.to, subject=mail.subject,
                    message_id=mail.message_id, why=one.why)

    def junk(self, one: Junk) -> None:
        mail = self._setting.mail
        self._event("persona.junked", subject=mail.subject, message_id=mail.message_id,
                    score=one.score, threshold=one.threshold, why=one.why)

    def receive(self, one: Receive) -> None:
        mail = self._setting.mail
        self._case_id = one.case_id
        self._event("persona.received", case_id=one.case_id or None, **{"from": one.from_},
                    from_name=mail.from_.name, subject=mail.subject, message_id=mail.message_id,
                    text=mail.text[:LONGEST_TEXT])

    def ignore(self, one: Ignore) -> None:
        mail = self._setting.mail
        self._event("persona.ignored", case_id=self._case_id or None, subject=mail.subject, why=one.why,
                    message_id=mail.message_id, because=list(one.because))

    def plan(self, one: PlannedJob) -> None:
        self._schedule(one)

    def batch(self, one: Batch) -> None:
        job = self._job(one.job_id)
        if job is not None:
            data = {**job.data, "mails": [*job.data.get("mails", ()), one.place]}
            self._jobs[job.id] = replace(job, data=data)
        mail = self._setting.mail
        self._event("persona.batched", subject=mail.subject, why=one.why, message_id=mail.message_id,
                    job_id=one.job_id)

    def remember(self, one: Remember) -> None:
        notes.add_own(self._setting.memory, one.case_id, (one.text,))
        self._noted = True

    def relate(self, one: Relate) -> None:
        self._puts.append((
            DOSSIERS + self._setting.persona.id, one.dossier.address, msgspec.json.encode(one.dossier)))

    def follow(self, one: Follow) -> None:
        self._puts.append((
            THREADS + self._setting.persona.id, one.thread.key, msgspec.json.encode(one.thread)))

    def engage(self, one: Engage) -> None:
        self._puts.append((CALENDAR, self._setting.persona.id, msgspec.json.encode(one.appointments)))

    def expect(self, one: Expect) -> None:
        self._event("persona.waiting", **{"from": one.from_}, what=one.what, due=one.due,
                    job_id=self._schedule(one.nudge))

    def promise(self, one: Promise) -> None:
        job_id = self._schedule(one.deliver) if one.deliver is not None else None
        self._event("persona.promised", to=one.to, what=one.what, due=one.due, will_keep=one.will_keep,
                    job_id=job_id)

    def drop(self, one: Drop) -> None:
        job = self._job(one.job_id)
        if job is None:
            return
        self._jobs[job.id] = replace(job, state="skipped", note=one.why)
        self._events.append(Event("job.updated", self._setting.now, {
            "id": job.id, "state": "skipped", "due": job.due, "kind": job.kind}, self._setting.tag))

    def skip(self, one: Skip) -> None:
        data = {"url": one.url, "message_id": self._setting.mail.message_id, "why": one.why}
        if one.domain:
            data["domain"] = one.domain
        self._event("link.skipped", **data)


_WRITERS: Mapping[type[Any], Callable[[_EffectBuilder, Any], None]] = MappingProxyType({
    Bounce: _EffectBuilder.bounce, Junk: _EffectBuilder.junk, Receive: _EffectBuilder.receive,
    Ignore: _EffectBuilder.ignore, PlannedJob: _EffectBuilder.plan, Batch: _EffectBuilder.batch,
    Remember: _EffectBuilder.remember, Relate: _EffectBuilder.relate, Follow: _EffectBuilder.follow,
    Engage: _EffectBuilder.engage,
    Expect: _EffectBuilder.expect, Promise: _EffectBuilder.promise, Drop: _EffectBuilder.drop,
    Skip: _EffectBuilder.skip,
})
