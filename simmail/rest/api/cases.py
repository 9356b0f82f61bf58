"""
C{/api/cases}: what threads of mail are about.

Source: decisions, section 6.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from simmail.core.message.conversations import thread_key
from simmail.core.records.case import Case, CasePerson, Note, Status
from simmail.core.records.commit import EventQuery
from simmail.core.records.event import Recorded
from simmail.core.records.fields import Emails
from simmail.core.time.instant import parse_instant
from simmail.rest.answer import Paged
from simmail.rest.api.events import Number, event_page, types
from simmail.rest.api.mailboxes import Conversation, Limit, conversations, listed_example, with_messages
from simmail.rest.openapi import list_of, some_of
from simmail.rest.route import Call, Deleted, Query, Route

HEADING = "Cases"


#: For the OpenAPI document; C{core.records.case} takes them.
PersonIn = some_of(
    "PersonIn", CasePerson, "Somebody on a case: C{persona_id}, C{address}, or C{addresses} and other fields of a "
    "new persona.  C{addresses}: of which the first is the one they write from.", forbid=False, addresses=Emails)
NoteIn = some_of("NoteIn", Note, "Something written down; C{at} is now unless given.", keep=("text",))
CaseFields = some_of(
    "CaseFields", Case, "What may be said of a case; what is left out stays.",
    people=list_of(PersonIn), notes=list_of(NoteIn))


class PushedCase(Struct, frozen=True):
    """
    A case that was pushed.

    @ivar case: as it is now; new: whether it was made; changed: names of the fields that changed.
    """

    case: Case
    new: bool
    changed: tuple[str, ...]


class WhichCases(Query, frozen=True):
    """Cases of one C{status} only.  C{status}: cases in this state only."""

    status: Status | None = None
    limit: Limit | None = None


class WhichCaseThreads(Query, frozen=True):
    """At most so many."""

    limit: Limit = 100


class WhichCaseEvents(Query, frozen=True):
    """
    As in C{GET /api/events}.

    @ivar type: names of event types separated by commas; one that ends in C{*} is a prefix, one that begins with C{-}
        leaves out.
    @ivar after: only events with a greater number; before: only events with a smaller number.
    @ivar since: only from this instant of simulated time on; until: only up to this instant of simulated time.
    """

    type: str | None = None
    after: Number | None = None
    before: Number | None = None
    since: str | None = None
    until: str | None = None
    limit: Annotated[int, Meta(ge=1, le=1000)] = 100


async def case(call: Call) -> Case:
    """The case the path names.  @raise NotFound: there is none."""
    return call.universe.cases.found(call.path["id"])


def list_cases(call: Call) -> list[Case]:
    asked: WhichCases = call.query
    found = [one for one in call.universe.cases.all() if asked.status is None or one.status == asked.status]
    return [call.universe.cases.complete(one) for one in found[:asked.limit]]


async def push_case(call: Call) -> PushedCase:
    return _pushed(call, await call.universe.case_editor.push(call.body))


def get_case(call: Call) -> Any:
    return call.universe.cases.complete(call.found)


async def change_case(call: Call) -> PushedCase:
    return _pushed(call, await call.universe.case_editor.push(call.body, call.found.id))


def _pushed(call: Call, told: Any) -> PushedCase:
    case, new, changed = told
    return PushedCase(call.universe.cases.complete(case), new, changed)


async def delete_case(call: Call) -> Deleted:
    await call.universe.case_editor.delete(call.found.id)
    return Deleted()


async def list_case_threads(call: Call) -> list[Conversation]:
    keys = await call.universe.search.linked(call.found.id)
    threads = []
    for persona_id in dict.fromkeys(keys.values()):
        persona = call.universe.people.known(persona_id)
        if persona is not None and call.universe.store.exists(persona.address):
            threads += await with_messages(call, persona.address, [
                one for one in await conversations(call, persona.address)
                if any(keys.get(thread_key(each)) == persona_id for each in one.messages)])
    threads.sort(key=lambda one: (one.last, one.root), reverse=True)
    return threads[:call.query.limit]


async def list_case_events(call: Call) -> Paged:
    asked: WhichCaseEvents = call.query
    return await event_page(call, EventQuery(
        after=asked.after, before=asked.before, types=types(asked.type), case_id=call.found.id,
        since=None if asked.since is None else parse_instant(asked.since, "since"),
        until=None if asked.until is None else parse_instant(asked.until, "until"),
        descending=asked.after is None, limit=asked.limit))


_FIELDS: dict[str, Any] = {
    "external_id": "crm-77", "title": "Invoice INV-2041 is late", "kind": "invoice", "status": "open",
    "facts": {"amount": "1,200 EUR", "due": "2026-02-15"}, "secrets": {"discount": "5 %"},
    "goal": "Get the invoice paid", "keys": ["INV-2041"],
    "people": [{"persona_id": "p_7k2m9x4w1c8v", "role": "buyer", "knows": "all"}],
    "notes": [{"at": "2026-03-01T09:00:00Z", "text": "Reminded by phone", "source": "crm"}],
}
_CASE = {"id": "c_4f8s2k9w1x", "opened": "2026-03-01T09:00:00Z", **_FIELDS}
_PUSHED = {"case": _CASE, "new": True, "changed": ["facts", "title"]}
_EXAMPLE = {**_FIELDS, "people": [{"addresses": ["maria@acme.test"], "name": "Maria Keller", "role": "buyer",
                                   "knows": "all"}]}

ROUTES: tuple[Route, ...] = (
    Route("GET", "/api/cases", list_cases, "List cases, by id", list[Case], query=WhichCases, polled=True,
          query_example="status=open", answer_example=[_CASE]),
    Route("POST", "/api/cases", push_case, "Create a case, or update the one with that id or external_id", PushedCase,
          role="member", body=dict[str, Any], body_shown=CaseFields, statuses=(404,), example=_EXAMPLE,
          answer_example=_PUSHED),
    Route("GET", "/api/cases/{id}", get_case, "Read a case", Case, locate=case, answer_example=_CASE),
    Route("PATCH", "/api/cases/{id}", change_case, "Change a case: fields left out stay", PushedCase, role="member",
          body=dict[str, Any], body_shown=CaseFields, locate=case, example={"status": "closed"},
          answer_example={**_PUSHED, "new": False, "changed": ["status"]}),
    Route("DELETE", "/api/cases/{id}", delete_case,
          "Delete a case; its people and their mail are kept, its pending jobs are skipped", Deleted, role="member",
          locate=case, answer_example={"status": "deleted"}),
    Route("GET", "/api/cases/{id}/threads", list_case_threads,
          "List the conversations that personas have linked to a case, most recent first", list[Conversation],
          query=WhichCaseThreads, locate=case, polled=True,
          answer_example=[{"root": "<order-1@sim.test>", "subject": "INV-2041", "last": "2026-03-01T09:45:00Z",
                           "messages": [listed_example()]}]),
    Route("GET", "/api/cases/{id}/events", list_case_events, "List the events of a case", list[Recorded],
          query=WhichCaseEvents, locate=case, polled=True, answer_example=[msgspec.to_builtins({
              "type": "case.updated", "id": 12, "at": "2026-03-01T09:00:00Z", "source": "simmail",
              "case_id": "c_4f8s2k9w1x",
              "data": {"id": "c_4f8s2k9w1x", "title": "Invoice INV-2041 is late", "new": True,
                       "changed": ["title"]}})]),
)
