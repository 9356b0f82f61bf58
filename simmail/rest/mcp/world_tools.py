"""
Tools for whoever tests: the people, their clock, what happened and why.

Nearly all are calls of the API as they are.  Source: decisions, section 18.
"""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from simmail.core.records.event import Recorded
from simmail.errors import Invalid
from simmail.rest.api import cases, clock, events, faults, inspection, jobs, personas, score, snapshots
from simmail.rest.mcp.tool import ToolAnswer, Tool, asked, served, told
from simmail.rest.route import Body, Call

_ROUTES = {one.endpoint: one
           for module in (cases, clock, events, faults, inspection, jobs, personas, score, snapshots)
           for one in module.ROUTES}

#: Events that are looked through for those of one mail, the newest first.
MOST = 1000


class Explain(Body, frozen=True):
    """Which mail, or whose: C{message_id} or C{persona_id}."""

    message_id: Annotated[str, Meta(description="Message-ID of a mail, in angle brackets, of either side")] = ""
    persona_id: Annotated[str, Meta(description="instead: all that one persona did lately")] = ""
    limit: Annotated[int, Meta(ge=1, le=MOST)] = 100


class Explained(Struct, frozen=True):
    """What happened, in order, each event with its reasons; and jobs that are still to run, or ran, because of it."""

    events: list[Recorded]
    jobs: list[jobs.JobItem]


async def explain(call: Call, given: Explain) -> ToolAnswer:
    """Say who got a mail, who decided what and why, and what is planned."""
    if bool(given.message_id) == bool(given.persona_id):
        raise Invalid("message_id", "give either message_id or persona_id")
    who = given.persona_id or None
    page = await asked(call, _ROUTES["GET /api/events"], events.WhichEvents(persona_id=who, limit=MOST))
    found = [msgspec.json.decode(row, type=Recorded) for row in page.items]
    planned = await asked(call, _ROUTES["GET /api/jobs"], jobs.WhichJobs(persona_id=who, limit=MOST))
    its = [one for one in planned.items if who or one.message_id == given.message_id]
    ids = {one.id for one in its}
    found = [one for one in found if who or given.message_id == one.data.get("message_id") or given.message_id in (
        one.data.get("answers") or ()) or one.data.get("id") in ids]
    return told(Explained(found[:given.limit][::-1], its[:given.limit]), False)


def _as_is(endpoint: str, name: str, text: str, path: dict[str, str] | None = None, own: bool = False) -> Tool:
    return served(_ROUTES[endpoint], name, text, path, own)


def _destroying(tool: Tool) -> Tool:
    return msgspec.structs.replace(tool, destroys=True)


TOOLS: tuple[Tool, ...] = (
    _as_is("GET /api/clock", "clock", "Read the simulated clock: the time, whether it stands, the next job.", own=True),
    _as_is("POST /api/clock/advance", "advance",
           "Move the simulated clock, running each due job at its own time. Give exactly one of: by, a duration such "
           "as 2h or 3d; to, an RFC 3339 time; until, which is next_job, idle or event:<type>.", own=True),
    Tool("explain", "Tell the story of one mail, or of one persona: who got it, who decided what and why, and what is "
         "planned next.", Explain, explain, reads=True),
    _as_is("GET /api/personas", "personas", "List the personas, the simulated people who write and answer."),
    _as_is("POST /api/personas", "create_persona", "Create a persona with its mailbox."),
    _as_is("DELETE /api/personas/{id}", "delete_persona",
           "Delete a persona with its memory and pending jobs; its mailbox and mail are kept.", own=True),
    _as_is("GET /api/cases", "cases", "List the cases that threads of mail are about."),
    _as_is("POST /api/cases", "push_case", "Create a case, or update the one with that id or external_id."),
    _as_is("GET /api/faults", "faults", "List the fault rules and how often each fired.", own=True),
    _destroying(_as_is("PUT /api/faults", "set_faults", "Replace all fault rules; no items: none.", own=True)),
    _as_is("GET /api/events", "events", "List what happened: mail, decisions with their reasons, jobs, faults."),
    _as_is("GET /api/inspect", "inspect",
           "Inspect a mail that is in a mailbox: authentication, spam, markup, links, deliverability."),
    _as_is("GET /api/score", "score", "Grade what the application made of its mail, with reasons."),
    _as_is("POST /api/snapshots/{id}/fork", "fork",
           "Make a new universe that begins as this one is now; answers with its key and logins.",
           {"id": snapshots.NOW}, own=True),
    _destroying(_as_is("POST /api/reset", "reset", "Remove everything from the universe but what is kept.", own=True)),
)
