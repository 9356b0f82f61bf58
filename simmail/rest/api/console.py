"""
C{/docs}: the console, one page that runs every call of the OpenAPI document.

Its files are in C{simmail.pages}; no other host is asked for anything.
Source: decisions, section 17.
"""

from __future__ import annotations

from importlib.resources import files

from simmail.rest.answer import Octets
from simmail.rest.route import Call, Route

#: Scripts, styles and calls of this server only; no frame around it, no form that leaves it.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS: tuple[tuple[str, str], ...] = (
    ("Content-Security-Policy", POLICY), ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"), ("Cache-Control", "no-cache"),
)


def _page(name: str, content_type: str) -> Octets:
    return Octets(files("simmail.pages").joinpath(name).read_bytes(), f"{content_type}; charset=utf-8", HEADERS)


def read_docs(call: Call) -> Octets:
    return _page("docs.html", "text/html")


def read_root(call: Call) -> Octets:
    return Octets(b"", "text/plain; charset=utf-8", (("Location", "/docs"),), 302)


def read_docs_script(call: Call) -> Octets:
    return _page("docs.js", "text/javascript")


def read_docs_style(call: Call) -> Octets:
    return _page("docs.css", "text/css")


ROUTES: tuple[Route, ...] = (
    Route("GET", "/", read_root, "The way to the console", role=None, media="text/plain", hidden=True),
    Route("GET", "/docs", read_docs, "The console", role=None, media="text/html", hidden=True),
    Route("GET", "/docs/docs.js", read_docs_script, "Its script", role=None, media="text/javascript", hidden=True),
    Route("GET", "/docs/docs.css", read_docs_style, "Its style", role=None, media="text/css", hidden=True),
)
