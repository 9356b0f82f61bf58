"""
Cases: what threads are about, who is on them, and what they make people do.

Source: decisions, section 6.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from simmail.concurrency import Lock
from simmail.core.decide import case_match
from simmail.core.decide.case_jobs import deliveries, opening, outside
from simmail.core.decide.decision import Reaction
from simmail.core.message.mail import Mail
from simmail.core.mime.address import Address
from simmail.core.records import case as rules
from simmail.core.records.case import Case, CasePerson, How
from simmail.core.records.commit import Commit
from simmail.core.records.event import Event
from simmail.core.records.persona import Persona
from simmail.core.records.relationship import Dossier, ThreadState
from simmail.core.rules.case_fields import entries, merged, new_case
from simmail.core.rules.persona_fields import new_persona
from simmail.errors import NotFound
from simmail.universe.people.effects import Setting, enact
from simmail.universe.people.memory import persona_tag

if TYPE_CHECKING:
    from simmail.universe.universe import Universe

#: A mail that is none: cases make people act without one.
_NO_MAIL = Mail(
    message_id="", in_reply_to="", references=(), from_=Address("", ""),
    reply_to=(), to=(), cc=(), subject="", date=None, text="", html="", format="text", attachments=(), headers=(),
    size=0)


class Pushed(NamedTuple):
    """What a push did: C{changed} are the names of fields."""

    case: Case
    new: bool
    changed: tuple[str, ...]


class Cases:
    """The cases of one universe."""

    def __init__(self, universe: Universe, turn: Lock) -> None:
        self._universe = universe
        self._turn = turn
        self._by_id: dict[str, Case] = {}
        self._shelved = case_match.shelved(())
        self._created = 0

    async def start(self) -> None:
        """Learn all cases."""
        database, name = self._universe.database, self._universe.id
        for octets in (await database.table(name, "cases")).values():
            case = msgspec.json.decode(octets, type=Case)
            self._by_id[case.id] = case
        (count,) = await database.get(name, "counters", ["cases"])
        self._created = int(count or b"0")
        self._shelved = case_match.shelved(self._by_id.values())

    def get(self, case_id: str | None) -> Case | None:
        """A case by its id."""
        return self._by_id.get(case_id or "")

    def found(self, case_id: str) -> Case:
        """
        A case by its id.

        @raise NotFound: there is none.
        """
        case = self._by_id.get(case_id)
        if case is None:
            raise NotFound(f"no case {case_id}")
        return case

    def all(self) -> list[Case]:
        """All cases, by id."""
        return [self._by_id[one] for one in sorted(self._by_id)]

    def __len__(self) -> int:
        return len(self._by_id)

    # What the rules ask

    def facts(self, case: Case | None, persona: Persona) -> dict[str, str]:
        """What a persona may state of a case."""
        return rules.facts(case, persona, self._universe.dice) if case is not None else {}

    def match(self, mail: Mail, persona: Persona, correspondent: str, thread: ThreadState) -> tuple[Case | None, How]:
        """The case a mail belongs to, and how that was seen."""
        if not self._by_id:
            return None, "none"
        return case_match.match(mail, self._shelved, persona, correspondent, thread.case_id)

    def listing(self, persona: Persona) -> tuple[str, ...]:
        """The ids of the cases that name a persona among their people."""
        return case_match.listing(self._shelved, persona) if self._by_id else ()

    def shown(self, persona: Persona) -> Persona:
        """A persona as it is read: C{case_ids} has the cases that name it as well; what holds nothing is empty."""
        return replace(
            persona, case_ids=tuple(dict.fromkeys((*(persona.case_ids or ()), *self.listing(persona)))),
            external_ids=persona.external_ids or {})

    @staticmethod
    def complete(case: Case) -> Case:
        """A case as it is read: what holds nothing is empty."""
        return replace(case, **{name: empty for name, empty in _EMPTY.items() if getattr(case, name) is UNSET})

    # What the API changes

    async def push(self, fields: dict[str, Any], case_id: str | None = None) -> Pushed:
        """
        Create a case, or update the one with that C{id} or C{external_id}.

        @param case_id: update this one only.
        @raise Invalid: a bad field.
        @raise NotFound: no case C{case_id}.
        @raise OverAllowance: the people it describes are more than the plan allows.
        """
        self._meant(fields, case_id)
        people = await self._people(fields)
        universe = self._universe
        async with self._turn:
            now = universe.clock.now()
            # Looked up again: another push may have been first.
            old = self._meant(fields, case_id)
            nth = self._created + (old is None)
            if old is None:
                case = new_case(fields, "c_" + universe.dice.token(10, "case", nth), now, people or ())
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
            await universe.commit(commit)
            for put in commit.puts:
                universe.people.shelf.put(*put)
            universe.scheduler.add(commit.jobs)
            self._created = nth
            self._by_id[case.id] = case
            self._shelved = case_match.shelved(self._by_id.values())
            return Pushed(case, old is None, changed)

    def _meant(self, fields: dict[str, Any], case_id: str | None) -> Case | None:
        """The case that a push is about, None for a new one."""
        if case_id is not None:
            return self.found(case_id)
        named = self._by_id.get(str(fields.get("id", "")))
        external = fields.get("external_id")
        if named is None and external:
            named = next((case for case in self._by_id.values() if case.external_id == external), None)
        return named

    async def _people(self, fields: dict[str, Any]) -> tuple[CasePerson, ...] | None:
        """The people of a body; those described become personas, once all that is said has been checked."""
        listed = entries(fields)
        universe = self._universe
        new_case({**fields, "people": None}, "c_check", universe.clock.now())
        if listed is None:
            return None
        new = {}
        for entry in listed:
            if entry.fields is not None and universe.people.at(_first(entry.fields)) is None:
                new_persona(entry.fields, "p_check", "case", universe.clock.now(), universe.dice)
                new[_first(entry.fields)] = True
        if new:
            universe.plan().check("people", len(universe.people) + len(new) - 1)
        found = []
        for entry in listed:
            person = entry.person
            if entry.fields is not None:
                persona = universe.people.at(_first(entry.fields))
                if persona is None:
                    persona = await universe.people.create(entry.fields, "case", why="described in a case")
                person = replace(person, persona_id=persona.id)
            elif person.address:
                persona = universe.people.at(person.address)
                if persona is not None:
                    person = replace(person, persona_id=persona.id)
            elif person.persona_id:
                await universe.people.get(person.persona_id)
            found.append(person)
        return tuple(found)

    def _on(self, *cases: Case | None) -> list[Persona]:
        """The personas that are on any of some cases, each once, in their order there."""
        people = self._universe.people
        found: dict[str, Persona] = {}
        for case in cases:
            for one in (case.people or ()) if case is not None else ():
                persona = people.known(one.persona_id or "") or people.at(one.address or "")
                if persona is not None:
                    found[persona.id] = persona
        return list(found.values())

    async def _moved(self, case: Case, old: Case | None, persona: Persona) -> Commit:
        """What a push makes one of its people do."""
        universe = self._universe
        to = outside(case, frozenset(
            one.address for one in case.people or () if one.address and universe.people.at(one.address) is not None))
        if not to:
            return Commit()
        now, pace = universe.clock.now(), universe.settings.pace
        dossier = await universe.people.dossier(persona.id, to) or Dossier(to)
        reactions: list[Reaction] = list(deliveries(case, old, persona, to, dossier, universe.dice, now, pace))
        new = old is None or rules.person_on(old, persona) is None
        first = opening(case, persona, to, universe.dice, now, pace) if new and case.status != "closed" else None
        if first is not None:
            reactions.append(first)
        return enact(tuple(reactions), Setting(
            persona, persona_tag(persona), now, _NO_MAIL, universe.scheduler.pending, {}))

    async def delete(self, case_id: str) -> None:
        """
        The case is gone; its people and their mail stay, its pending jobs are skipped.

        @raise NotFound: there is none.
        """
        universe = self._universe
        async with self._turn:
            case = self.found(case_id)
            jobs = tuple(replace(job, state="skipped", note="the case is gone")
                         for job in universe.scheduler.pending.values() if job.case_id == case_id)
            now = universe.clock.now()
            await universe.commit(Commit(
                drops=(("cases", case_id),), jobs=jobs,
                events=(Event("case.updated", now, {
                    "id": case.id, "title": case.title, "new": False, "changed": ["deleted"], "case_id": case.id,
                }), *(Event("job.updated", now, {
                    "id": job.id, "state": job.state, "due": job.due, "kind": job.kind}) for job in jobs))))
            universe.scheduler.add(jobs)
            del self._by_id[case_id]
            self._shelved = case_match.shelved(self._by_id.values())


_EMPTY: dict[str, Any] = {"facts": {}, "secrets": {}, "people": (), "keys": (), "notes": (), "deliverables": ()}


def _first(fields: dict[str, Any]) -> str:
    addresses = fields.get("addresses")
    return str(addresses[0]).lower() if isinstance(addresses, (list, tuple)) and addresses else ""


def _joined(one: Commit, other: Commit) -> Commit:
    return replace(one, puts=one.puts + other.puts, events=one.events + other.events, jobs=one.jobs + other.jobs)
