"""
Personas as the API changes them: who there is, and who stands behind an address.

All personas of a universe are in memory, with an index by address, so that
the post office knows at once who stands behind a recipient.  What they hold
about others is L{memory}'s matter.  Source: API contract, "Personas".
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from datetime import datetime
from typing import Any

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from simmail.concurrency import Lock
from simmail.core.language.names import at_provider, named_by
from simmail.core.mime.address import stored
from simmail.core.records.commit import Commit
from simmail.core.records.event import Event, PersonaTag
from simmail.core.records.persona import Persona, Provider, new_persona, patched
from simmail.core.rng import Dice
from simmail.errors import Conflict, Invalid, NotFound
from simmail.interfaces import IDatabase, IMailStore
from simmail.universe.cache import DocumentCache
from simmail.universe.pending import PendingJobs
from simmail.universe.people.cases import Cases

#: The table of the personas' taken times, by persona id.
CALENDAR = "calendar"
#: Those of what a persona holds about its correspondents, by address, and of what it knows of its threads, by thread
#: key, are called so, and then by its id.
DOSSIERS, THREADS = "dossiers:", "threads:"
#: Strangers whom a model was asked about and has not filled in yet, by id.
UNFILLED = "unfilled"

_persona = msgspec.json.Decoder(Persona).decode


class Personas:
    """
    The personas of one universe.

    @param cache: of documents; what a persona leaves behind goes from there.
    @param turn: held by who changes what there is of people.
    """

    def __init__(
        self, universe: str, database: IDatabase, store: IMailStore, cache: DocumentCache, cases: Cases,
        pending: PendingJobs, dice: Dice, now: Callable[[], datetime], turn: Lock,
        commit: Callable[[Commit], Awaitable[Any]],
    ) -> None:
        self._universe = universe
        self._database = database
        self._store = store
        self._cache = cache
        self._cases = cases
        self._pending = pending
        self._dice = dice
        self._now = now
        self._turn = turn
        self._commit = commit
        #: Whether a model makes strangers up, and what is told of each that it shall.
        self.imagines: Callable[[], bool] = lambda: False
        self.imagined: Callable[[Persona], object] = lambda persona: None
        self._by_id: dict[str, Persona] = {}
        self._by_address: dict[str, Persona] = {}
        self._circles: dict[str, dict[str, Persona]] = {}
        self._sorted: list[Persona] | None = None
        self._before: dict[str, int] = {}
        self._sent: dict[str, int] = {}

    async def start(self) -> None:
        """Learn everyone."""
        for octets in (await self._database.table(self._universe, "personas")).values():
            self._keep(_persona(octets))
        state = await self._database.table(self._universe, "counters")
        self._sent = {key[5:]: int(value) for key, value in state.items() if key.startswith("sent:")}
        self._before = {key[8:]: int(value) for key, value in state.items() if key.startswith("persona:")}

    def _keep(self, persona: Persona) -> None:
        old = self._by_id.get(persona.id)
        if old is not None:
            self._leave(old)
        self._by_id[persona.id] = persona
        for address in persona.addresses:
            self._by_address[address] = persona
        for circle in _circles(persona):
            self._circles.setdefault(circle, {})[persona.id] = persona
        self._sorted = None

    def _leave(self, persona: Persona) -> None:
        del self._by_id[persona.id]
        for address in persona.addresses:
            self._by_address.pop(address, None)
        for circle in _circles(persona):
            self._circles[circle].pop(persona.id, None)
        self._sorted = None

    # Reading

    def at(self, address: str) -> Persona | None:
        """Who stands behind an address."""
        return self._by_address.get(address)

    def known(self, persona_id: str) -> Persona | None:
        """The persona of an id, None when there is none (any more)."""
        return self._by_id.get(persona_id)

    def tag_of(self, persona_id: str | None) -> PersonaTag | None:
        """What events say of a persona, None when there is none (any more)."""
        persona = self._by_id.get(persona_id or "")
        return None if persona is None else persona_tag(persona)

    def everyone(self) -> list[Persona]:
        """All personas, sorted by name."""
        if self._sorted is None:
            self._sorted = sorted(self._by_id.values(), key=lambda one: (one.name.lower(), one.id))
        return list(self._sorted)

    def of(self, providers: Collection[str]) -> list[Persona]:
        """Return all personas of some providers, in no order."""
        return [one for one in self._by_id.values() if one.provider in providers]

    def colleagues(self, persona: Persona) -> dict[str, Persona]:
        """Others of a persona's organisation or domain, by the address they write from."""
        return {
            one.address: one for circle in _circles(persona) for one in self._circles[circle].values()
            if one.id != persona.id}

    def __len__(self) -> int:
        return len(self._by_id)

    def found(self, persona_id: str) -> Persona:
        """
        Return the persona of an id.

        @raise NotFound: no such persona.
        """
        persona = self._by_id.get(persona_id)
        if persona is None:
            raise NotFound(f"no persona {persona_id}")
        return persona

    def by_external(self, system: str, external_id: str) -> Persona:
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
        async with self._turn:
            persona = self._new(fields, provider, self._now())
            self._check_unique(persona, None)
            self._check_named(persona, None)
            await self._create(persona, why, mode)
            return persona

    def newcomer(self, fields: dict[str, Any], provider: Provider, why: str) -> tuple[Persona, Commit]:
        """
        Return a persona that is there once the commit is made, and L{came} is told.

        To be called by who has the turn.

        @raise Invalid: a bad field, an address in use.
        """
        persona = self._new(fields, provider, self._now())
        self._check_unique(persona, None)
        asked = self.imagines()
        return persona, _stored(persona, self._created(persona, why, "ai" if asked else "basic"), asked)

    def came(self, persona: Persona) -> None:
        """The commit of a L{newcomer} is made, or sure to be."""
        self._keep(persona)
        if self.imagines():
            self.imagined(persona)

    def _new(self, fields: dict[str, Any], provider: Provider, now: datetime) -> Persona:
        """
        A persona about to be created.

        Drawn by how often there was one with its first address before (never, for those of a file), not by how many
        there are: the order of creation changes nothing.
        """
        first = _first(fields)
        dice = self._dice.on("persona", first, 0 if provider == "config" else self._before.get(first, 0) + 1)
        return new_persona(fields, "p_" + dice.token(12, "id"), provider, now, dice)

    async def _create(self, persona: Persona, why: str, mode: str, asked: bool = False) -> None:
        for address in persona.addresses:
            await self._store.create(address)
        if persona.provider == "api":
            event = Event("persona.updated", self._now(), {"id": persona.id, "name": persona.name})
        else:
            event = self._created(persona, why, mode)
        await self._commit(_stored(persona, event, asked))
        self._keep(persona)

    def _created(self, persona: Persona, why: str, mode: str) -> Event:
        return Event("persona.created", self._now(), {
            "persona_id": persona.id, "persona": persona.name, "address": persona.address,
            "temperament": persona.temperament, "mode": mode, "why": why}, persona_tag(persona))

    async def stranger(self, address: str, mode: str = "basic") -> Persona:
        """
        Who is behind an address that was never seen: somebody new, or who came to be there meanwhile.

        @param mode: C{basic} or C{ai}, as the recipient rule says.
        @raise Invalid: no address.
        """
        address = stored(address)
        async with self._turn:
            persona = self._by_address.get(address)
            if persona is None:
                persona = self._new({"addresses": [address], **named_by(address)}, "stranger", self._now())
                # Where nobody writes but templates, ai acts as basic (decisions, section 23, "Recipients").
                asked = mode == "ai" and self.imagines()
                await self._create(persona, "mail came for an address never seen before",
                                   "basic" if mode == "ai" and not asked else mode, asked)
                if asked:
                    self.imagined(persona)
            return persona

    async def patch(self, persona_id: str, fields: dict[str, Any]) -> Persona:
        """
        Change fields; a nested object replaces the whole one.

        @raise NotFound: no such persona.
        @raise Conflict: it comes from a YAML file.
        @raise Invalid: a bad field.
        """
        async with self._turn:
            old = self.found(persona_id)
            if old.provider == "config":
                raise Conflict(f"persona {persona_id} comes from a YAML file and cannot be edited")
            if isinstance(fields.get("case_ids"), list):
                # What was read has the cases that name it; they name it still without being kept here.
                listed = self._cases.listing(old)
                fields = {**fields, "case_ids": [one for one in fields["case_ids"] if one not in listed]}
            persona = patched(old, fields)
            self._check_unique(persona, old)
            self._check_named(persona, old)
            for address in persona.addresses:
                await self._store.create(address)
            # Whoever is at the old address next is somebody else.
            gone = self._gone(old.address) if persona.address != old.address else ()
            await self._commit(Commit(puts=(_document(persona), *gone), events=(
                Event("persona.updated", self._now(), {"id": persona.id, "name": persona.name}),)))
            self._keep(persona)
            return persona

    def _check_unique(self, persona: Persona, old: Persona | None) -> None:
        """Whether nobody but who it was before has its addresses and external ids."""
        for address in persona.addresses:
            other = self._by_address.get(address)
            if other is not None and other is not old:
                raise Invalid("addresses", f"{address} belongs to persona {other.id} ({other.name})")
        for system, external_id in (persona.external_ids or {}).items():
            for other in self._by_id.values():
                if other is not old and other.external_ids and other.external_ids.get(system) == external_id:
                    raise Invalid("external_ids", f"{system} {external_id} belongs to persona {other.id}")

    def _check_named(self, persona: Persona, old: Persona | None) -> None:
        """Whether the cases and the person it names anew are there; what it named before may be gone meanwhile."""
        before = (old.case_ids or ()) if old is not None else ()
        for case_id in persona.case_ids or ():
            if case_id not in before and self._cases.get(case_id) is None:
                raise Invalid("case_ids", f"there is no case {case_id}")
        to = persona.behaviors.forward_to if persona.behaviors else UNSET
        if not to or old is not None and old.behaviors and old.behaviors.forward_to == to:
            return
        # Every address takes mail, so only an id can name nobody.
        if "@" not in to and self.known(to) is None:
            raise Invalid("behaviors.forward_to", f"there is no persona {to}")

    async def delete(self, persona_id: str) -> None:
        """
        The persona is gone with its memory, relations and pending jobs; mailbox and mail stay.

        @raise NotFound: no such persona.
        @raise Conflict: it comes from a YAML file.
        """
        async with self._turn:
            persona = self.found(persona_id)
            if persona.provider == "config":
                raise Conflict(f"persona {persona_id} comes from a YAML file and cannot be deleted")
            jobs = tuple(one.id for one in self._pending.by_id.values() if one.persona_id == persona_id)
            drops = [("personas", persona_id), ("memory", persona_id), (CALENDAR, persona_id)]
            for table in (DOSSIERS + persona_id, THREADS + persona_id):
                drops += [(table, key) for key in await self._database.table(self._universe, table)]
            await self._commit(Commit(
                drops=tuple(drops), drop_jobs=jobs, puts=self._gone(persona.address),
                events=(Event("persona.deleted", self._now(), {"id": persona.id, "name": persona.name}),)))
            for table, key in drops:
                self._cache.put(table, key, None)
            self._pending.drop(jobs)
            self._leave(persona)

    def _gone(self, address: str) -> tuple[tuple[str, str, bytes], ...]:
        """One persona fewer begins with an address: the document that says so."""
        before = self._before[address] = self._before.get(address, 0) + 1
        return (("counters", "persona:" + address, b"%d" % before),)

    async def configured(self, entries: Sequence[dict[str, Any]]) -> None:
        """
        Personas of provider C{config} are exactly these from now on; those unlisted are gone.

        @raise Invalid: a bad entry, by its place; nothing has changed then.
        """
        async with self._turn:
            now = self._now()
            listed: dict[str, Persona] = {}
            for n, fields in enumerate(entries):
                try:
                    persona = self._new(fields, "config", now)
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
                    await self._store.create(address)
            if new or gone:
                await self._commit(Commit(
                    puts=tuple(_document(one) for one in new),
                    drops=tuple(("personas", one.id) for one in gone),
                    events=tuple(Event(type, now, {"id": one.id, "name": one.name})
                                 for type, some in (("persona.updated", new), ("persona.deleted", gone))
                                 for one in some)))
            for persona in gone:
                self._leave(persona)
            for persona in new:
                self._keep(persona)

    # Message-IDs

    def next_sent(self, persona: Persona) -> tuple[int, tuple[str, str, bytes]]:
        """The ordinal of a persona's next mail, and the document that keeps it."""
        nth = self._sent.get(persona.id, 0) + 1
        return nth, ("counters", "sent:" + persona.id, b"%d" % nth)

    def sent(self, persona: Persona, nth: int) -> None:
        """The mail with that ordinal was committed."""
        self._sent[persona.id] = nth

    def counted(self, puts: Iterable[tuple[str, str, bytes]]) -> None:
        """Documents that were committed, those of L{next_sent} among them."""
        for table, key, octets in puts:
            if table == "counters" and key.startswith("sent:"):
                self._sent[key[5:]] = int(octets)


def _document(persona: Persona) -> tuple[str, str, bytes]:
    return ("personas", persona.id, msgspec.json.encode(persona))


def _stored(persona: Persona, event: Event, asked: bool) -> Commit:
    """What keeps a new persona, and until a model that is asked has said who it is, that it has not."""
    return Commit(puts=(_document(persona), *(((UNFILLED, persona.id, b"{}"),) if asked else ())), events=(event,))


def _first(fields: Any) -> str:
    addresses = fields.get("addresses") if isinstance(fields, dict) else None
    return str(addresses[0]).lower() if isinstance(addresses, (list, tuple)) and addresses else ""


def _circles(persona: Persona) -> tuple[str, ...]:
    """Where a persona has colleagues: its domain, and its organisation."""
    circles = () if at_provider(persona.address) else ("@" + persona.address.rpartition("@")[2],)
    return (*circles, persona.org) if persona.org else circles


def persona_tag(persona: Persona) -> PersonaTag:
    """The C{persona} object of an event."""
    return PersonaTag(persona.id, persona.name, persona.addresses, persona.external_ids or {})
