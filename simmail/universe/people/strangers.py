"""
Strangers who are filled in by a language model: who they are, what they do, how they are with people.

A stranger is there at once, with a name and a temperament; what a model makes up is added when it answers, and the
clock waits for that, so that the first answer is written by whoever it is.  Where there is no answer the stranger stays
as plain as others.  Source: API contract, "Events" (C{persona.updated}).
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from msgspec import UNSET
from twisted.internet.defer import Deferred, DeferredList
from twisted.logger import Logger

from simmail.core.records.commit import Commit
from simmail.core.records.event import Event
from simmail.core.records.persona import Persona
from simmail.core.wording.chat import NotWorded
from simmail.core.wording.stranger import stranger_fields, stranger_query
from simmail.errors import NotFound, Refusal
from simmail.interfaces import IDatabase
from simmail.universe.committer import Committer
from simmail.universe.model_access import ModelAccess
from simmail.universe.people.personas import Personas, UNFILLED, persona_tag


class Strangers:
    """The strangers of one universe that a model is asked about."""

    log = Logger()

    def __init__(
        self, universe: str, model: ModelAccess, people: Personas, database: IDatabase, committer: Committer,
        now: Callable[[], datetime],
    ) -> None:
        self._universe = universe
        self._model = model
        self._people = people
        self._database = database
        self._committer = committer
        self._now = now
        self._going: set[Deferred[None]] = set()
        people.imagined = self.begin
        people.imagines = lambda: model.on

    async def start(self) -> None:
        """Go on with those that a crash left as they were."""
        for persona_id in await self._database.table(self._universe, UNFILLED):
            persona = self._people.known(persona_id)
            if persona is not None:
                self.begin(persona)

    def begin(self, persona: Persona) -> None:
        """Ask about a stranger; nobody waits for it but the clock."""
        going = Deferred.fromCoroutine(self._fill(persona))
        self._going.add(going)
        going.addErrback(self._left).addBoth(lambda _: self._going.discard(going))

    def _left(self, failure: Any) -> None:
        # It is asked about again at the next start.
        if not failure.check(Refusal):
            self.log.failure("a stranger stays as plain as others", failure)

    def when_idle(self) -> Deferred[Any] | None:
        """Return a Deferred that fires when everybody asked about is filled in, None when nobody is."""
        return DeferredList(list(self._going)) if self._going else None

    async def _fill(self, persona: Persona) -> None:
        fields: dict[str, str] = {}
        try:
            answer = await self._model.ask(stranger_query(persona, self._model.name))
            why = answer.error
            if not why:
                fields = stranger_fields(answer.text)
        except NotWorded as error:
            why = f"answer: {error}"
        except NotFound as error:
            why = str(error)
        now, known = self._now(), self._people.known(persona.id)
        if known is not None and fields:
            # What somebody else has said of them meanwhile stays.
            await self._people.patch(persona.id, {
                name: value for name, value in fields.items() if getattr(known, name) is UNSET})
        events = (Event("writer.fallback", now, {
            "what": "stranger", "error": why[:300], "persona_id": persona.id}, persona_tag(persona)),) if why else ()
        await self._committer.commit_surely(Commit(drops=((UNFILLED, persona.id),), events=events))
