"""
C{/} the dashboard and C{/docs} the console: pages that are nothing but clients of the API; C{/client.js} one to
program with.

Source: decisions, section 17.
"""

from __future__ import annotations

from simmail.errors import NotFound
from simmail.rest.answer import Octets
from simmail.rest.render.assets import page
from simmail.rest.route import Call, Route


def _read(call: Call, name: str) -> Octets:
    found = page(call.request, name)
    if found is None:
        raise NotFound(f"no file {name} of the pages")
    return found


def read_dashboard(call: Call) -> Octets:
    return _read(call, "index.html")


def read_docs(call: Call) -> Octets:
    return _read(call, "docs.html")


def read_client(call: Call) -> Octets:
    return _read(call, "docs/client.js")


def read_asset(call: Call) -> Octets:
    return _read(call, f"{call.path['part']}/{call.path['name']}")


ROUTES: tuple[Route, ...] = (
    Route("GET", "/", read_dashboard, "The dashboard", role=None, media="text/html", hidden=True),
    Route("GET", "/docs", read_docs, "The console", role=None, media="text/html", hidden=True),
    Route("GET", "/client.js", read_client, "The client for programs in JavaScript", role=None, media="text/javascript",
          hidden=True),
    Route("GET", "/assets/{part}/{name}", read_asset, "A file of the pages", role=None, media="text/plain",
          hidden=True),
)
