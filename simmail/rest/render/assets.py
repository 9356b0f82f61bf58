"""
The files of the service's own pages, and what goes with each when it is sent.

They lie in C{simmail.pages}.  Source: decisions, section 17.
"""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from types import MappingProxyType
from typing import Any

from msgspec import Struct

from simmail.rest.answer import Octets
from simmail.rest.http.request import accepts, has_tag

#: Scripts, styles and calls of this server only, no text that becomes script, no frame around it, no form that leaves
#: it; what it frames itself are messages.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
HEADERS: tuple[tuple[str, str], ...] = (
    ("Content-Security-Policy", POLICY), ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"), ("Cache-Control", "no-cache"), ("Vary", "Accept-Encoding"),
)
_TYPES: Mapping[str, str] = MappingProxyType({
    ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml", ".txt": "text/plain; charset=utf-8",
})


class Asset(Struct, frozen=True):
    """One file of the pages; C{tag} changes with its octets."""

    octets: bytes
    zipped: bytes
    tag: str
    content_type: str


@cache
def assets() -> Mapping[str, Asset]:
    """Return the files of the pages, read once, by folder and name."""
    found: dict[str, Asset] = {}
    root = files("simmail.pages")
    for one in root.iterdir():
        for name, file in [(f"{one.name}/{file.name}", file) for file in one.iterdir()] if one.is_dir() else [
                (one.name, one)]:
            asset = _asset(file)
            if asset is not None:
                found[name] = asset
    return MappingProxyType(found)


def _asset(file: Traversable) -> Asset | None:
    kind = _TYPES.get("." + file.name.rpartition(".")[2])
    if kind is None or not file.is_file():
        return None
    octets = file.read_bytes()
    return Asset(octets, gzip.compress(octets, 9, mtime=0), f'"{sha256(octets).hexdigest()[:24]}"', kind)


def page(request: Any, name: str, status: int = 200) -> Octets | None:
    """Return one file, packed where the client can unpack it; C{None}: there is none of that name."""
    asset = assets().get(name)
    if asset is None:
        return None
    headers = (*HEADERS, ("ETag", asset.tag))
    if status == 200 and has_tag(request, asset.tag):
        return Octets(b"", asset.content_type, headers, 304)
    if accepts(request, b"Accept-Encoding", b"gzip"):
        return Octets(asset.zipped, asset.content_type, (*headers, ("Content-Encoding", "gzip")), status)
    return Octets(asset.octets, asset.content_type, headers, status)
