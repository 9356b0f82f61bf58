"""
Personas as the API changes them, and what is remembered of and by them.

All personas of a universe are in memory, with an index by address, so that
the post office knows at once who stands behind a recipient.  What a persona
holds about its correspondents (dossiers) and its threads is loaded when first
needed and kept.  Source: API contract, "Personas".
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace
from twisted.internet.defer import DeferredLock

from simmail.core.events import Event, PersonaTag
from simmail.core.patch import new_persona, patched
from simmail.core.persona import Persona, Provider
from simmail.core.situation import Dossier, ThreadState
from simmail.database.records import Commit
from simmail.errors import Conflict, Invalid, NotFound
from simmail.universe.shelf import Shelf

if TYPE_CHECKING:
    from simmail.universe.universe import Universe

_MOST_NOTES = 1000
_LONGEST_NOTE = 10_000


class People:
    """The personas of one universe."""

    def __init__(
        self, universe: Universe, turn: DeferredLock, commit: Callable[[Commit], Awaitable[Any]]
    ) -> None:
        self._universe = universe
        self._turn = turn
        self._commit = commit
        self._by_id: dict[str, Persona] = {}
        self._by_address: dict[str, Persona] = {}
        self.shelf = Shelf(lambda table, keys: universe.database.get(universe.id, table, keys))
        self._created = 0
        self._sent: dict[str, int] = {}

    async def start(self) -> None:
        """Learn everyone."""
        database, name = self._universe.database, self._universe.id
        for octets in (await database.table(name, "personas")).values():
            self._keep(msgspec.json.decode(octets, type=Persona))
        state = await database.table(name, "counters")
        self._created = int(state.get("personas", b"0"))
        self._sent = {key[5:]: int(value) for key, value in state.items() if key.startswith("sent:")}

    def _keep(self, persona: Persona) -> None:
        old = self._by_id.get(persona.id)
        if old is not None:
            for address in old.addresses:
                self._by_address.pop(address, None)
        self._by_id[persona.id] = persona
        for address in persona.addresses:
            self._by_address[address] = persona

    # Reading

    def at(self, address: str) -> Persona | None:
        """Who stands behind an address."""
        return self._by_address.get(address)

    def known(self, persona_id: str) -> Persona | None:
        """The persona of an id, None when there is none (any more)."""
        return self._by_id.get(persona_id)

    def everyone(self) -> list[Persona]:
        """All personas, sorted by name."""
        return sorted(self._by_id.values(), key=lambda one: (one.name.lower(), one.id))

    def __len__(self) -> int:
        return len(self._by_id)

    async def list(self) -> list[Persona]:
        """All personas, sorted by name."""
        return self.everyone()

    async def get(self, persona_id: str) -> Persona:
        """
        One persona.

        @raise NotFound: no such persona.
        """
        return self._found(persona_id)

    def _found(self, persona_id: str) -> Persona:
        persona = self._by_id.get(persona_id)
        if persona is None:
            raise NotFound(f"no persona {persona_id}")
        return persona

    async def by_external(self, system: str, external_id: str) -> Persona:
        """
        The persona that carries an external id.

        @raise NotFound: nobody does.
        """
        for persona in self._by_id.values():
            if persona.external_ids and persona.external_ids.get(system) == external_id:
                return persona
        raise NotFound(f"no persona with the id {external_id!r} in {system!r}")

    # Changing

    async def create(self, fields: dict[str, Any], provider: Provider = "api", why: str = "",
                     mode: str = "basic") -> Persona:
        """
        A new persona and its mailbox.

        @raise Invalid: a bad field, an address or external id in use.
        """
        universe = self._universe
        await self._turn.acquire()
        try:
            nth = self._created + 1
            addresses = fields.get("addresses")
            first = addresses[0] if isinstance(addresses, (list, tuple)) and addresses else ""
            dice = universe.dice.on("persona", str(first).lower(), nth)
            persona = new_persona(fields, "p_" + dice.token(12, "id"), provider, universe.clock.now(), dice)
            self._check_unique(persona)
            for address in persona.addresses:
                await universe.store.create(address)
            if provider == "api":
                event = Event("persona.updated", universe.clock.now(), {"id": persona.id, "name": persona.name})
            else:
                event = Event("persona.created", universe.clock.now(), {
                    "persona_id": persona.id, "persona": persona.name, "address": persona.address,
                    "temperament": persona.temperament, "mode": mode, "why": why}, persona_tag(persona))
            await self._commit(Commit(
                puts=(_document(persona), ("counters", "personas", b"%d" % nth)), events=(event,)))
            self._created = nth
            self._keep(persona)
            return persona
        finally:
            self._turn.release()

    async def patch(self, persona_id: str, fields: dict[str, Any]) -> Persona:
        """
        Change fields; a nested object replaces the whole one.

        @raise NotFound: no such persona.
        @raise Conflict: it comes from a YAML file.
        @raise Invalid: a bad field.
        """
        await self._turn.acquire()
        try:
            old = self._found(persona_id)
            if old.provider == "config":
                raise Conflict(f"persona {persona_id} comes from a YAML file and cannot be edited")
            persona = patched(old, fields)
            self._check_unique(persona)
            for address in persona.addresses:
                await self._universe.store.create(address)
            await self._commit(Commit(puts=(_document(persona),), events=(
                Event("persona.updated", self._universe.clock.now(), {"id": persona.id, "name": persona.name}),)))
            self._keep(persona)
            return persona
        finally:
            self._turn.release()

    def _check_unique(self, persona: Persona) -> None:
        for address in persona.addresses:
            other = self._by_address.get(address)
            if other is not None and other.id != persona.id:
                raise Invalid("addresses", f"{address} belongs to persona {other.id} ({other.name})")
        for system, external_id in (persona.external_ids or {}).items():
            for other in self._by_id.values():
                if other.id != persona.id and other.external_ids and other.external_ids.get(system) == external_id:
                    raise Invalid("external_ids", f"{system} {external_id} belongs to persona {other.id}")

    async def delete(self, persona_id: str) -> None:
        """
        The persona is gone with its memory, relations and pending jobs; mailbox and mail stay.

        @raise NotFound: no such persona.
        @raise Conflict: it comes from a YAML file.
        """
        universe = self._universe
        await self._turn.acquire()
        try:
            persona = self._found(persona_id)
            if persona.provider == "config":
                raise Conflict(f"persona {persona_id} comes from a YAML file and cannot be deleted")
            jobs = tuple(one.id for one in universe.scheduler.pending.values() if one.persona_id == persona_id)
            drops = [("personas", persona_id), ("memory", persona_id)]
            for table in (dossiers_of(persona_id), threads_of(persona_id)):
                drops += [(table, key) for key in await universe.database.table(universe.id, table)]
            await self._commit(Commit(drops=tuple(drops), drop_jobs=jobs, events=(
                Event("persona.updated", universe.clock.now(), {"id": persona.id, "name": persona.name}),)))
            for table, key in drops:
                self.shelf.put(table, key, None)
            universe.scheduler.drop(jobs)
            self._forget(persona)
        finally:
            self._turn.release()

    async def configured(self, entries: list[dict[str, Any]]) -> None:
        """
        Personas of provider C{config} are exactly these from now on; those unlisted are gone.

        @raise Invalid: a bad entry, by its place; nothing has changed then.
        """
        universe = self._universe
        await self._turn.acquire()
        try:
            now, listed = universe.clock.now(), {}
            for n, fields in enumerate(entries):
                try:
                    addresses = fields.get("addresses") if isinstance(fields, dict) else None
                    first = str(addresses[0]).lower() if isinstance(addresses, list) and addresses else ""
                    dice = universe.dice.on("persona", first, 0)
                    persona = new_persona(fields, "p_" + dice.token(12, "id"), "config", now, dice)
                    old = self._by_id.get(persona.id)
                    persona = replace(persona, created=old.created) if old is not None else persona
                    for address in persona.addresses:
                        other = self._by_address.get(address)
                        if other is not None and other.provider != "config" or address in listed:
                            raise Invalid("addresses", f"{address} belongs to another persona")
                        listed[address] = persona
                except Invalid as error:
                    raise Invalid(f"personas.{n}", str(error)) from None
            kept = {persona.id: persona for persona in listed.values()}
            gone = [one for one in self._by_id.values() if one.provider == "config" and one.id not in kept]
            new = [one for one in kept.values() if self._by_id.get(one.id) != one]
            for persona in new:
                for address in persona.addresses:
                    await universe.store.create(address)
            if new or gone:
                await self._commit(Commit(
                    puts=tuple(_document(one) for one in new),
                    drops=tuple(("personas", one.id) for one in gone),
                    events=tuple(Event("persona.updated", now, {"id": one.id, "name": one.name})
                                 for one in (*new, *gone))))
            for persona in gone:
                self._forget(persona)
            for persona in new:
                self._keep(persona)
        finally:
            self._turn.release()

    def _forget(self, persona: Persona) -> None:
        del self._by_id[persona.id]
        for address in persona.addresses:
            self._by_address.pop(address, None)

    # Memory

    async def memory(self, persona_id: str) -> dict[str, list[str]]:
        """Notes by case id; C{""} is what lies outside any case."""
        self._found(persona_id)
        (octets,) = await self.shelf.get([("memory", persona_id)])
        return msgspec.json.decode(octets, type=dict[str, list[str]]) if octets else {}

    async def remember(self, persona_id: str, text: str, case_id: str = "", source: str = "") -> None:
        """
        Add a note; with a source it is kept as C{(source) text}.

        @raise Invalid: no text, or too much of it.
        """
        if not text.strip():
            raise Invalid("text", "is required")
        if len(text) > _LONGEST_NOTE:
            raise Invalid("text", f"at most {_LONGEST_NOTE} characters")
        await self._turn.acquire()
        try:
            persona = self._found(persona_id)
            notes = await self.memory(persona_id)
            kept = notes.setdefault(case_id, [])
            kept.append(f"({source}) {text}" if source else text)
            del kept[:-_MOST_NOTES]
            document = ("memory", persona_id, msgspec.json.encode(notes))
            await self._commit(Commit(
                puts=(document,),
                events=(Event("persona.memory", self._universe.clock.now(), {
                    "persona_id": persona_id, "case_id": case_id, "source": source}, persona_tag(persona)),)))
            self.shelf.put(*document)
        finally:
            self._turn.release()

    async def forget(self, persona_id: str, case_id: str | None = None) -> None:
        """Clear all memory, or one case's."""
        await self._turn.acquire()
        try:
            notes = await self.memory(persona_id)
            if case_id is None:
                notes.clear()
            else:
                notes.pop(case_id, None)
            document = ("memory", persona_id, msgspec.json.encode(notes))
            await self._commit(Commit(puts=(document,)))
            self.shelf.put(*document)
        finally:
            self._turn.release()

    # Relations

    async def dossier(self, persona_id: str, address: str) -> Dossier | None:
        """What a persona holds about one correspondent."""
        (octets,) = await self.shelf.get([(dossiers_of(persona_id), address)])
        return msgspec.json.decode(octets, type=Dossier) if octets else None

    async def thread(self, persona_id: str, key: str) -> ThreadState | None:
        """What a persona knows of one thread."""
        (octets,) = await self.shelf.get([(threads_of(persona_id), key)])
        return msgspec.json.decode(octets, type=ThreadState) if octets else None

    async def dossiers(self, persona_id: str) -> dict[str, Dossier]:
        """Everything a persona holds about its correspondents, by address."""
        self._found(persona_id)
        table = await self._universe.database.table(self._universe.id, dossiers_of(persona_id))
        return {key: msgspec.json.decode(octets, type=Dossier) for key, octets in sorted(table.items())}

    async def forget_relations(self, persona_id: str, address: str | None = None) -> None:
        """Forget one correspondent, or everyone."""
        await self._turn.acquire()
        try:
            gone = [one for one in await self.dossiers(persona_id) if address is None or one == address]
            await self._commit(Commit(drops=tuple((dossiers_of(persona_id), one) for one in gone)))
            for one in gone:
                self.shelf.put(dossiers_of(persona_id), one, None)
        finally:
            self._turn.release()

    # Message-IDs

    def next_sent(self, persona: Persona) -> tuple[int, tuple[str, str, bytes]]:
        """The ordinal of a persona's next mail, and the document that keeps it."""
        nth = self._sent.get(persona.id, 0) + 1
        return nth, ("counters", "sent:" + persona.id, b"%d" % nth)

    def sent(self, persona: Persona, nth: int) -> None:
        """The mail with that ordinal was committed."""
        self._sent[persona.id] = nth


def dossiers_of(persona_id: str) -> str:
    """The table of what a persona holds about its correspondents, by address."""
    return "dossiers:" + persona_id


def threads_of(persona_id: str) -> str:
    """The table of what a persona knows of its threads, by thread key."""
    return "threads:" + persona_id


def persona_tag(persona: Persona) -> PersonaTag:
    """The C{persona} object of an event."""
    return PersonaTag(persona.id, persona.name, persona.addresses, persona.external_ids or {})


def _document(persona: Persona) -> tuple[str, str, bytes]:
    return ("personas", persona.id, msgspec.json.encode(persona))
