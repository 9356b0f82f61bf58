"""
C{/api/world}: mail that comes to the company by itself.

Source: decisions, sections 2 and 13.
"""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, Struct

from simmail.core.records.world import WorldKind, WorldSettings
from simmail.core.world.kinds import KINDS
from simmail.core.world.occasion import Expected
from simmail.core.world.words import speaks
from simmail.errors import NotFound
from simmail.rest.route import Body, Call, Route
from simmail.universe.world.streams import MOST_FIRED

HEADING = "World"


class WorldKindItem(Struct, frozen=True):
    """
    A kind of mail.

    @ivar id: as in C{kind} of a stream; what: what it is, in a sentence.
    @ivar expected: what the company should do with most of it; who: of which sort its writers are.
    @ivar languages: ISO 639 codes of those it is written in.
    """

    id: WorldKind
    what: str
    expected: Expected
    who: str
    languages: tuple[str, ...]


class Firing(Body, frozen=True):
    """C{count}: how many mails come now."""

    count: Annotated[int, Meta(ge=1, le=MOST_FIRED)] = 1


class Fired(Struct, frozen=True):
    """
    The jobs that bring the mails, in order; they are due now, and done at once unless the clock is being moved.

    @ivar stream: id of the stream; count: how many mails come; jobs: ids of the jobs that bring them, in order.
    """

    stream: str
    count: int
    jobs: tuple[str, ...]


def read_world(call: Call) -> WorldSettings:
    return call.universe.settings.world


async def replace_world(call: Call) -> WorldSettings:
    return await call.universe.streams.put(call.body)


def list_world_kinds(call: Call) -> list[WorldKindItem]:
    return [WorldKindItem(one.id, one.what, one.expected, one.sort, speaks(one.id)) for one in KINDS.values()]


async def stream(call: Call) -> str:
    """The stream the path names.  @raise NotFound: there is none."""
    name: str = call.path["id"]
    if name not in call.universe.settings.world.by_id:
        raise NotFound(f"no stream {name[:60]}")
    return name


async def fire_stream(call: Call) -> Fired:
    jobs = await call.universe.streams.fire(call.found, call.body.count)
    return Fired(call.found, len(jobs), tuple(job.id for job in jobs))


_WORLD: dict[str, Any] = {
    "enabled": True, "seed": "", "company": {
        "name": "Acme", "industry": "furniture", "domains": ["acme.test"], "inboxes": ["hello@acme.test"]},
    "streams": [{
        "id": "customers", "kind": "inquiry", "to": [], "per_day": 12.0, "profile": "office",
        "mix": {"new": 0.6, "known": 0.25, "follow_up": 0.15}, "enabled": True, "cap_per_day": 30,
        "injection": 0.0}]}

ROUTES: tuple[Route, ...] = (
    Route("GET", "/api/world", read_world, "Read which mail comes by itself", WorldSettings, answer_example=_WORLD),
    Route("PUT", "/api/world", replace_world,
          "Replace the World; streams whose rate did not change keep their next arrival", WorldSettings, role="admin",
          body=dict[str, Any], body_shown=WorldSettings, example=_WORLD, answer_example=_WORLD),
    Route("GET", "/api/world/kinds", list_world_kinds, "List kinds of mail, and how each should be handled",
          list[WorldKindItem], answer_example=[{
              "id": "inquiry", "what": KINDS["inquiry"].what, "expected": "answer", "who": "customer",
              "languages": ["en"]}]),
    Route("POST", "/api/world/streams/{id}/fire", fire_stream,
          "Have a stream write so many mails now, whether it is enabled or not", Fired, role="admin", body=Firing,
          locate=stream, example={"count": 2}, answer_example={
              "stream": "customers", "count": 2, "jobs": ["j_6z1d7q4k9m2x0c5v", "j_3n8b1w5t7r0y2p4h"]}),
)
