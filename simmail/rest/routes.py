"""The table of all calls: what is served, and nothing else."""

from __future__ import annotations

from functools import cache
from types import ModuleType
from typing import Any

import msgspec
from msgspec.structs import replace

from simmail.rest import openapi
from simmail.rest.answer import JSON, Octets
from simmail.rest.api import (
    accounts, admin, cases, clock, connection, events, extraction, faults, health, insights, inspection, jobs,
    mailboxes, organizations, pages, personas, plan, score, search, sending, session, settings, snapshots,
    transfers, waits, webhooks, world,
)
from simmail.rest.mcp import endpoint as mcp
from simmail.rest.route import Call, Route

#: In the order of the document.
HEADINGS: tuple[ModuleType, ...] = (
    personas, cases, mailboxes, search, sending, extraction, waits, accounts, settings, faults, world, clock, snapshots,
    jobs, events, inspection, insights, score, webhooks, connection, plan, session, organizations, admin, transfers,
    health,
)


@cache
def all_routes() -> tuple[Route, ...]:
    """Return every route with its heading, and the one that serves the document of them all."""
    routes = tuple(replace(route, heading=module.HEADING) for module in HEADINGS for route in module.ROUTES)

    @cache
    def made() -> Octets:
        return Octets(msgspec.json.encode(openapi.document(routes)), JSON)

    def read_openapi(call: Call) -> Any:
        # To make it takes longer than one call should hold up others.
        return made() if made.cache_info().currsize else call.services.in_thread(made)

    document = Route("GET", "/api/openapi.json", read_openapi, "Read the OpenAPI document", role=None, media=JSON,
                     hidden=True)
    return (*routes, *pages.ROUTES, *mcp.ROUTES, document)
