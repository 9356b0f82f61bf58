"""
What the API changes of cases, and what that makes the people on them do.

Source: decisions, section 6.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from simmail.concurrency import Lock
from simmail.core.decide.case_jobs import deliveries, opening, outside
from simmail.core.decide.decision import Reaction
from simmail.core.message.mail import Mail
from simmail.core.mime.address import Address
from simmail.core.records import case as rules
from simmail.core.records.case import Case, CasePerson, entries, merged, new_case
from simmail.core.records.commit import Commit
from simmail.core.records.event import Event
from simmail.core.records.persona import Persona, new_persona
from simmail.core.records.relationship import Dossier
from simmail.core.rng import Dice
from simmail.core.rules.quota_plan import Plan
from simmail.universe.committer import Committer
from simmail.universe.pending import PendingJobs
from simmail.universe.people.cases import Cases
from simmail.universe.people.effects import Setting, enact
from simmail.universe.people.memory import Memories
from simmail.universe.people.personas import Personas, persona_tag
from simmail.universe.settings import Settings

#: A mail that is none: cases make people act without one.
_NO_MAIL = Mail(
    message_id="", in_reply_to="", references=(), from_=Address("", ""),
    reply_to=(), to=(), cc=(), subject="", date=None, text="", html="", format="text", attachments=(), headers=(),
    size=0)


class PushResult(NamedTuple):
    """What a push did: C{changed} are the names of fields."""

    case: Case
    new: bool
    changed: tuple[str, ...]


class CaseEditor:
    """
    Changes the cases of one universe.

    @param turn: held by who changes what there is of people.
    """

    def __init__(
        self, cases: Cases, people: Personas, memories: Memories, pending: PendingJobs, settings: Settings, dice: Dice,
        now: Callable[[], datetime], turn: Lock, committer: Committer, plan: Callable[[], Plan],
    ) -> None:
        self._cases = cases
        self._people = people
        self._memories = memories
        self._pending = pending
        self._settings = settings
        self._dice = dice
        self._now = now
        self._turn = turn
        self._committer = committer
        self._plan = plan

    async def push(self, fields: dict[str, Any], case_id: str | None = None) -> PushResult:
        """
        Create a case, or update the one with that C{id} or C{external_id}.

        @param case_id: update this one only.
        @raise Invalid: a bad field.
        @raise NotFound: no case C{case_id}.
        @raise OverAllowance: the people it describes are more than the plan allows.
        """
        self._meant(fields, case_id)
        people = await self._described(fields)
        async with self._turn:
            now = self._now()
            # Looked up again: another push may have been first.
            old = self._meant(fields, case_id)
            nth = self._cases.created + (old is None)
            if old is None:
                case = new_case(fields, "c_" + self._dice.token(10, "case", nth), now, people or ())
                changed = tuple(sorted(name for name in case.__struct_fields__ if getattr(case, name)))
            else:
                case, changed = merged(old, fields, now, people)
            commit = Commit(
                puts=(("cases", case.id, msgspec.json.encode(case)), ("counters", "cases", b"%d" % nth)),
                events=(Event("case.updated", now, {
                    "id": case.id, "title": case.title, "new": old is None, "changed": list(changed),
                    "case_id": case.id}),))
            for persona in self._on(case, old):
                commit = _joined(commit, await self._moved(case, old, persona))
            await self._committer.commit(commit)
            for put in commit.puts:
                self._memories.cache.put(*put)
            self._pending.add(commit.jobs)
            self._cases.created = nth
            self._cases.put(case)
            return PushResult(case, old is None, changed)

    def _meant(self, fields: dict[str, Any], case_id: str | None) -> Case | None:
        """The case that a push is about, None for a new one."""
        if case_id is not None:
            return self._cases.found(case_id)
        named = self._cases.get(str(fields.get("id", "")))
        external = fields.get("external_id")
        if named is None and external:
            named = self._cases.by_external(external)
        return named

    async def _described(self, fields: dict[str, Any]) -> tuple[CasePerson, ...] | None:
        """The people of a body; those described become personas, once all that is said has been checked."""
        listed = entries(fields)
        new_case({**fields, "people": None}, "c_check", self._now())
        if listed is None:
            return None
        new = {}
        for entry in listed:
            if entry.fields is not None and self._people.at(_first(entry.fields)) is None:
                new_persona(entry.fields, "p_check", "case", self._now(), self._dice)
                new[_first(entry.fields)] = True
        if new:
            self._plan().check("people", len(self._people) + len(new) - 1)
        found = []
        for entry in listed:
            person = entry.person
            if entry.fields is not None:
                persona = self._people.at(_first(entry.fields))
                if persona is None:
                    persona = await self._people.create(entry.fields, "case", why="described in a case")
                person = replace(person, persona_id=persona.id)
            elif person.address:
                persona = self._people.at(person.address)
                if persona is not None:
                    person = replace(person, persona_id=persona.id)
            elif person.persona_id:
                self._people.found(person.persona_id)
            found.append(person)
        return tuple(found)

    def _on(self, *cases: Case | None) -> list[Persona]:
        """The personas that are on any of some cases, each once, in their order there."""
        people = self._people
        found: dict[str, Persona] = {}
        for case in cases:
            for one in (case.people or ()) if case is not None else ():
                persona = people.known(one.persona_id or "") or people.at(one.address or "")
                if persona is not None:
                    found[persona.id] = persona
        return list(found.values())

    async def _moved(self, case: Case, old: Case | None, persona: Persona) -> Commit:
        """What a push makes one of its people do."""
        to = outside(case, frozenset(
            one.address for one in case.people or () if one.address and self._people.at(one.address) is not None))
        if not to:
            return Commit()
        now, pace = self._now(), self._settings.pace
        dossier = await self._memories.dossier(persona.id, to) or Dossier(to)
        reactions: list[Reaction] = list(deliveries(case, old, persona, to, dossier, self._dice, now, pace))
        new = old is None or rules.person_on(old, persona) is None
        first = opening(case, persona, to, self._dice, now, pace) if new and case.status != "closed" else None
        if first is not None:
            reactions.append(first)
        return enact(tuple(reactions), Setting(
            persona, persona_tag(persona), now, _NO_MAIL, self._pending.by_id, {}))

    async def delete(self, case_id: str) -> None:
        """
        The case is gone; its people and their mail stay, its pending jobs are skipped.

        @raise NotFound: there is none.
        """
        async with self._turn:
            case = self._cases.found(case_id)
            jobs = tuple(replace(job, state="skipped", note="the case is gone")
                         for job in self._pending.by_id.values() if job.case_id == case_id)
            now = self._now()
            await self._committer.commit(Commit(
                drops=(("cases", case_id),), jobs=jobs,
                events=(Event("case.updated", now, {
                    "id": case.id, "title": case.title, "new": False, "changed": ["deleted"], "case_id": case.id,
                }), *(Event("job.updated", now, {
                    "id": job.id, "state": job.state, "due": job.due, "kind": job.kind}) for job in jobs))))
            self._pending.add(jobs)
            self._cases.remove(case_id)


def _first(fields: dict[str, Any]) -> str:
    addresses = fields.get("addresses")
    return str(addresses[0]).lower() if isinstance(addresses, (list, tuple)) and addresses else ""


def _joined(one: Commit, other: Commit) -> Commit:
    return replace(one, puts=one.puts + other.puts, events=one.events + other.events, jobs=one.jobs + other.jobs)
