"""The table of all calls: what is served, and nothing else."""

from __future__ import annotations

from functools import cache
from types import ModuleType

import msgspec
from msgspec.structs import replace

from simmail.rest import openapi
from simmail.rest.answer import JSON, Octets
from simmail.rest.api import (
    accounts, admin, cases, clock, connection, events, extraction, faults, health, insights, inspection, jobs,
    mailboxes, organizations, pages, personas, plan, score, search, sending, session, settings, snapshots,
    waits, webhooks, world,
)
from simmail.rest.mcp import endpoint as mcp
from simmail.rest.route import Call, Route

#: In the order of the document.
HEADINGS: tuple[ModuleType, ...] = (
    personas, cases, mailboxes, search, sending, extraction, waits, accounts, settings, faults, world, clock, snapshots,
    jobs, events, inspection, insights, score, webhooks, connection, plan, session, organizations, admin, health,
)


@cache
def all_routes() -> tuple[Route, ...]:
    """Return every route with its heading, and the one that serves the document of them all."""
    routes = tuple(replace(route, heading=module.HEADING) for module in HEADINGS for route in module.ROUTES)

    @cache
    def octets() -> bytes:
        return msgspec.json.encode(openapi.document(routes))

    def read_openapi(call: Call) -> Octets:
        return Octets(octets(), JSON)

    document = Route("GET", "/api/openapi.json", read_openapi, "Read the OpenAPI document", role=None, media=JSON,
                     hidden=True)
    return (*routes, *pages.ROUTES, *mcp.ROUTES, document)
