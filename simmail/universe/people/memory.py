"""
What personas remember: notes by case, and what they hold about correspondents and threads.

All of it is documents, kept at hand in a cache; whoever commits puts what was
committed there.  Source: API contract, "Personas"; decisions, section 23.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from simmail.concurrency import Lock
from simmail.core.decide import relationship
from simmail.core.records import notes
from simmail.core.records.commit import Commit
from simmail.core.records.conversation import Appointment
from simmail.core.records.event import Event
from simmail.core.records.notes import Notes
from simmail.core.records.relationship import Dossier, Relation, Stance, ThreadState
from simmail.errors import Invalid
from simmail.interfaces import IDatabase
from simmail.universe.cache import DocumentCache
from simmail.universe.people.personas import CALENDAR, DOSSIERS, Personas, THREADS, persona_tag

_LONGEST_NOTE = 10_000

_dossier = msgspec.json.Decoder(Dossier).decode
_thread = msgspec.json.Decoder(ThreadState).decode
_appointments = msgspec.json.Decoder(tuple[Appointment, ...]).decode


class Recollection(NamedTuple):
    """
    What a persona holds about one correspondent and one thread, all its notes by case, and its taken times.

    @ivar dossier: None before the first contact.
    """

    dossier: Dossier | None
    thread: ThreadState
    memory: dict[str, list[str]]
    appointments: tuple[Appointment, ...]


class StoredRecollection(NamedTuple):
    """What a persona holds, as stored; None where there is nothing."""

    dossier: bytes | None
    thread: bytes | None
    memory: bytes | None
    calendar: bytes | None


def recalled(documents: StoredRecollection, thread: str) -> Recollection:
    """What the documents about a correspondent and a thread say."""
    dossier, state, memory, calendar = documents
    return Recollection(
        _dossier(dossier) if dossier else None, _thread(state) if state else ThreadState(thread),
        notes.decode(memory), _appointments(calendar) if calendar else ())


class Memories:
    """
    What the personas of one universe remember.

    @param turn: held by who changes what they know.
    @ivar cache: of documents, also of what others commit.
    """

    def __init__(
        self, universe: str, database: IDatabase, people: Personas, cache: DocumentCache,
        now: Callable[[], datetime], turn: Lock, commit: Callable[[Commit], Awaitable[Any]],
    ) -> None:
        self._universe = universe
        self._database = database
        self._people = people
        self._now = now
        self._turn = turn
        self._commit = commit
        self.cache = cache

    async def recall(self, persona_id: str, address: str, thread: str) -> Recollection:
        """Return everything a decision needs, in one round trip."""
        return recalled(await self.documents(persona_id, address, thread), thread)

    async def documents(self, persona_id: str, address: str, thread: str) -> StoredRecollection:
        """The same as it is stored, for L{recalled}."""
        return StoredRecollection(*await self.cache.get(_places(persona_id, address, thread)))

    def expect(self, persona_id: str, address: str, thread: str) -> None:
        """It will be asked for in a moment."""
        self.cache.expect(_places(persona_id, address, thread))

    # Notes

    async def memory(self, persona_id: str) -> Notes:
        """Notes by case id; C{""} is what lies outside any case."""
        self._people.found(persona_id)
        (octets,) = await self.cache.get([("memory", persona_id)])
        return notes.decode(octets)

    async def threads(self, persona_id: str) -> list[ThreadState]:
        """What a persona knows of each of its threads in which something was said that is kept, by key."""
        self._people.found(persona_id)
        table = await self._database.table(self._universe, THREADS + persona_id)
        return [state for state in (_thread(table[key]) for key in sorted(table)) if state.remarks]

    async def appointments(self, persona_id: str) -> tuple[Appointment, ...]:
        """Return the taken times of a persona, in order."""
        self._people.found(persona_id)
        (octets,) = await self.cache.get([(CALENDAR, persona_id)])
        return _appointments(octets) if octets else ()

    async def remember(self, persona_id: str, text: str, case_id: str = "", source: str = "") -> None:
        """
        Add a note that stays; with a source it is kept as C{(source) text}.

        @raise Invalid: no text, or too much of it; or so many were given that no more are taken.
        """
        if not text.strip():
            raise Invalid("text", "is required")
        if len(text) > _LONGEST_NOTE:
            raise Invalid("text", f"at most {_LONGEST_NOTE} characters")
        async with self._turn:
            persona = self._people.found(persona_id)
            memory = await self.memory(persona_id)
            if notes.given(memory) >= notes.MOST_GIVEN:
                raise Invalid("text", f"at most {notes.MOST_GIVEN} notes are kept for one persona; DELETE its memory, "
                                      "or that of a case, before more are given")
            memory.setdefault(case_id, []).append(notes.GivenNote(f"({source}) {text}" if source else text))
            await self._keep_notes(persona_id, memory, (Event(
                "persona.memory", self._now(),
                {"persona_id": persona_id, "case_id": case_id, "source": source},
                persona_tag(persona)),))

    async def forget(self, persona_id: str, case_id: str | None = None) -> None:
        """Clear all memory, or one case's: its notes, and what was said in its threads; with all, its calendar."""
        async with self._turn:
            memory = await self.memory(persona_id)
            said = tuple((THREADS + persona_id, one.key, msgspec.json.encode(replace(one, remarks=())))
                         for one in await self.threads(persona_id) if case_id is None or one.case_id == case_id)
            if case_id is None:
                memory.clear()
                if await self.appointments(persona_id):
                    said += ((CALENDAR, persona_id, b"[]"),)
            else:
                memory.pop(case_id, None)
            await self._keep_notes(persona_id, memory, (), said)

    async def _keep_notes(
        self, persona_id: str, memory: Notes, events: tuple[Event, ...] = (),
        more: tuple[tuple[str, str, bytes], ...] = (),
    ) -> None:
        documents = (("memory", persona_id, notes.encode(memory)), *more)
        await self._commit(Commit(puts=documents, events=events))
        for document in documents:
            self.cache.put(*document)

    # Relations

    async def dossier(self, persona_id: str, address: str) -> Dossier | None:
        """What a persona holds about one correspondent."""
        (octets,) = await self.cache.get([(DOSSIERS + persona_id, address)])
        return _dossier(octets) if octets else None

    async def thread(self, persona_id: str, key: str) -> ThreadState | None:
        """What a persona knows of one thread."""
        (octets,) = await self.cache.get([(THREADS + persona_id, key)])
        return _thread(octets) if octets else None

    async def dossiers(self, persona_id: str) -> dict[str, Dossier]:
        """Everything a persona holds about its correspondents, by address; of those forgotten, only the counts."""
        self._people.found(persona_id)
        table = await self._database.table(self._universe, DOSSIERS + persona_id)
        return {key: _dossier(octets) for key, octets in sorted(table.items())}

    async def relations(self, persona_id: str) -> tuple[list[Relation], list[Stance]]:
        """
        What a persona holds about each correspondent, as the API shows it; those forgotten are left out.

        @raise NotFound: no such persona.
        """
        known = [one for one in (await self.dossiers(persona_id)).values() if not relationship.unknown(one)]
        return [relationship.relation(one) for one in known], [
            stance for one in known for stance in relationship.stances(one)]

    async def forget_relations(self, persona_id: str, address: str | None = None) -> None:
        """
        Forget one correspondent, or everyone.  Pending jobs about their promises are skipped when due.

        @raise NotFound: no such persona.
        """
        async with self._turn:
            table = DOSSIERS + persona_id
            # What was counted stays: it keys draws, and ids of jobs.
            puts = tuple(
                (table, key, msgspec.json.encode(relationship.forgotten(one)))
                for key, one in (await self.dossiers(persona_id)).items() if address is None or key == address)
            await self._commit(Commit(puts=puts))
            for put in puts:
                self.cache.put(*put)


def _places(persona_id: str, address: str, thread: str) -> tuple[tuple[str, str], ...]:
    return ((DOSSIERS + persona_id, address), (THREADS + persona_id, thread), ("memory", persona_id),
            (CALENDAR, persona_id))
