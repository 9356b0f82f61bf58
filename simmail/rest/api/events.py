"""
C{/api/events}: the activity log, and its live stream.

Source: API contract, "Events"; decisions, section 14.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from simmail.core.records.commit import EventQuery
from simmail.core.records.event import Recorded, TYPES
from simmail.core.time.instant import parse_instant
from simmail.errors import Invalid, NotFound
from simmail.rest.answer import Octets, Paged, TAKEN
from simmail.rest.http.sse import EventStream
from simmail.rest.route import Call, Query, Route

HEADING = "Events"

_LARGEST = 2**53

Number = Annotated[int, Meta(ge=0, le=_LARGEST)]


class _Filter(Query, frozen=True):
    """
    Which events.

    @ivar type: names of event types separated by commas; one that ends in C{*} is a prefix, one that begins with C{-}
        leaves out.
    @ivar persona_id: of this persona only; case_id: of this case only.
    @ivar message_id: what tells of this mail, from its delivery to what became of it and who answered it.
    """

    type: str | None = None
    persona_id: str | None = None
    case_id: str | None = None
    message_id: str | None = None


class WhichEvents(_Filter, frozen=True):
    """
    Ascending when C{after} is given, else newest first.

    @ivar after: only events with a greater number; before: only events with a smaller number.
    @ivar since: only from this instant of simulated time on; until: only up to this instant of simulated time.
    @ivar order: by number, up or down.
    """

    after: Number | None = None
    before: Number | None = None
    since: str | None = None
    until: str | None = None
    order: Literal["asc", "desc"] | None = None
    limit: Annotated[int, Meta(ge=1, le=1000)] = 100


class WhichStream(_Filter, frozen=True, rename={"last_event_id": "Last-Event-ID"}):
    """
    Which events, and behind which of them to resume.

    @ivar last_event_id: number of the last event seen: resume behind it; the header of that name is preferred.
    @ivar after: the same, for the first connection.
    """

    last_event_id: str | None = None
    after: Number | None = None


class _Numbered(Struct):
    id: int


def types(text: str | None) -> tuple[str, ...]:
    """Read names of event types.  @raise Invalid: one is none."""
    if not text:
        return ()
    names = tuple(name.strip() for name in text.split(","))
    for name in names:
        if not (name.endswith("*") or name.removeprefix("-") in TYPES):
            raise Invalid("type", f"there is no event type {name[:60]!r}")
    return names


def _number(row: bytes) -> int:
    return msgspec.json.decode(row, type=_Numbered).id


async def list_events(call: Call) -> Paged:
    asked: WhichEvents = call.query
    descending = asked.order == "desc" if asked.order else asked.after is None
    return await event_page(call, EventQuery(
        after=asked.after, before=asked.before, types=types(asked.type), persona_id=asked.persona_id,
        case_id=asked.case_id, message_id=asked.message_id,
        since=None if asked.since is None else parse_instant(asked.since, "since"),
        until=None if asked.until is None else parse_instant(asked.until, "until"),
        descending=descending, limit=asked.limit))


async def event_page(call: Call, query: EventQuery) -> Paged:
    """Return the events of a query, with the question for those behind them."""
    # One more than asked for tells whether there is a next page.
    rows: list[bytes] = await call.universe.log.query(replace(query, limit=query.limit + 1))
    page = rows[:query.limit]
    more: dict[str, str | int] | None = None
    if len(rows) > query.limit:
        more = {"before" if query.descending else "after": _number(page[-1]), "limit": query.limit}
        if "order" in call.route.query.__struct_fields__:
            more["order"] = "desc" if query.descending else "asc"
    return Paged([msgspec.Raw(row) for row in page], more)


async def get_event(call: Call) -> Octets:
    text = call.path["id"]
    number = int(text) if text.isascii() and text.isdigit() and len(text) <= 16 else 0
    rows = await call.universe.log.query(EventQuery(after=number - 1, limit=1)) if number else []
    if not rows or _number(rows[0]) != number:
        raise NotFound(f"no event {text[:60]}")
    return Octets(rows[0], "application/json")


async def stream_events(call: Call) -> Any:
    asked: WhichStream = call.query
    header = call.request.getHeader(b"Last-Event-ID")
    text = header.decode("ascii", "replace") if header else asked.last_event_id
    position = asked.after
    if text:
        if not (text.isascii() and text.isdigit() and len(text) <= 16):
            raise Invalid("Last-Event-ID", "must be an event number")
        position = int(text)
    stream = EventStream(
        call.request, call.universe.log, call.services.reactor,
        EventQuery(types=types(asked.type), persona_id=asked.persona_id, case_id=asked.case_id,
                   message_id=asked.message_id), position)
    await stream.run()
    return TAKEN


_EVENT = {
    "type": "persona.sent", "id": 17, "at": "2026-03-01T09:45:00Z", "source": "simmail",
    "data": {"persona_id": "p_7k2m9x4w1c8v", "persona": "Maria Keller", "kind": "reply", "case_id": None,
             "to": ["app@sim.test"], "cc": [], "subject": "Re: Your order", "message_id": "<CAF3c9@mail.acme.test>",
             "by": "templates", "links_opened": 0, "text": "Thank you, that works for me."},
    "persona": {"id": "p_7k2m9x4w1c8v", "name": "Maria Keller", "addresses": ["maria@acme.test"],
                "external_ids": {}},
}

ROUTES: tuple[Route, ...] = (
    Route("GET", "/api/events", list_events,
          "List events: ascending when after is given, else newest first", list[Recorded], polled=True,
          query=WhichEvents, query_example="type=persona.*&limit=20", answer_example=[_EVENT]),
    Route("GET", "/api/events/stream", stream_events,
          "Follow events as they happen (server-sent events); resumes from Last-Event-ID", media="text/event-stream",
          query=WhichStream, lasting=True),
    Route("GET", "/api/events/{id}", get_event, "Read an event by its number", Recorded, answer_example=_EVENT),
)
