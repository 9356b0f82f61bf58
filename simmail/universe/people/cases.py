"""
Cases: what threads are about, and who is on them.

Source: decisions, section 6.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from simmail.core.decide import case_match
from simmail.core.message.mail import Mail
from simmail.core.records import case as rules
from simmail.core.records.case import Case, How
from simmail.core.records.persona import Persona
from simmail.core.records.relationship import ThreadState
from simmail.core.rng import Dice
from simmail.errors import NotFound
from simmail.interfaces import IDatabase

_EMPTY: dict[str, Any] = {"facts": {}, "secrets": {}, "people": (), "keys": (), "notes": (), "deliverables": ()}


class Cases:
    """The cases of one universe."""

    def __init__(self, universe: str, database: IDatabase, dice: Dice) -> None:
        self._universe = universe
        self._database = database
        self._dice = dice
        self._by_id: dict[str, Case] = {}
        self._shelved = case_match.shelved(())
        #: How many there ever were.
        self.created = 0

    async def start(self) -> None:
        """Learn all cases."""
        for octets in (await self._database.table(self._universe, "cases")).values():
            case = msgspec.json.decode(octets, type=Case)
            self._by_id[case.id] = case
        (count,) = await self._database.get(self._universe, "counters", ["cases"])
        self.created = int(count or b"0")
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

    def by_external(self, external_id: str) -> Case | None:
        """Return the case of an id that the application gave it."""
        return next((case for case in self._by_id.values() if case.external_id == external_id), None)

    def all(self) -> list[Case]:
        """All cases, by id."""
        return [self._by_id[one] for one in sorted(self._by_id)]

    def __len__(self) -> int:
        return len(self._by_id)

    # What the rules ask

    def facts(self, case: Case | None, persona: Persona) -> dict[str, str]:
        """What a persona may state of a case."""
        return rules.facts(case, persona, self._dice) if case is not None else {}

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

    # As they are committed

    def put(self, case: Case) -> None:
        """Take a case as it is from now on."""
        self._by_id[case.id] = case
        self._shelved = case_match.shelved(self._by_id.values())

    def remove(self, case_id: str) -> None:
        """Forget a case that is gone."""
        del self._by_id[case_id]
        self._shelved = case_match.shelved(self._by_id.values())
