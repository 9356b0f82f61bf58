"""
Links of a mail as a reader meets them: their address and the words one clicks.

One walk over capped text with C{str.find}; never an expression that could
backtrack.
"""

from __future__ import annotations

import html as entities
from typing import NamedTuple

#: Characters of each body that are looked at, and links taken from one mail.
LOOKED_AT, MOST = 65_536, 200

_ENDS = frozenset(" \t\r\n<>\"'`\\^{}|\u00a0\u2028\u2029")


class Anchor(NamedTuple):
    """C{url} as written (entities decoded), C{text} one clicks (the URL itself where it stands bare)."""

    url: str
    text: str


def anchors(text: str, html: str) -> tuple[Anchor, ...]:
    """The links of a mail in order, each URL once: of the HTML when there is one, else of the text."""
    found = _tagged(html[:LOOKED_AT]) if html else _bare(text[:LOOKED_AT])
    first: dict[str, Anchor] = {}
    for one in found:
        first.setdefault(one.url, one)
    return tuple(first.values())


def host_of(url: str) -> str:
    """The host of an http(s) URL, lower case, without credentials and port; C{""} for anything else."""
    scheme, colon, rest = url.strip().partition("://")
    if not colon or scheme.lower() not in ("http", "https"):
        return ""
    authority = rest
    for end in "/?#\\":
        authority = authority.partition(end)[0]
    host = authority.rpartition("@")[2]
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower().rstrip(".")


def _tagged(html: str) -> list[Anchor]:
    found: list[Anchor] = []
    low = html.lower()
    if len(low) != len(html):
        # Lower case of a few letters is longer; offsets would not fit.
        html = low
    at = 0
    while len(found) < MOST:
        at = low.find("<a", at)
        if at < 0:
            break
        end = low.find(">", at)
        if end < 0:
            break
        if low[at + 2:at + 3].isspace():
            url = _href(html[at:end], low[at:end])
            close = low.find("</a", end)
            if url:
                inside = html[end + 1:close] if close >= 0 else ""
                found.append(Anchor(url, _plain(inside[:2000])))
        at = end + 1
    return found


def _href(tag: str, low: str) -> str:
    at = low.find("href")
    while at >= 0:
        rest = tag[at + 4:].lstrip()
        if rest.startswith("=") and low[at - 1:at].isspace():
            value = rest[1:].lstrip()
            quote = value[:1]
            if quote and quote in "\"'":
                value = value[1:].partition(quote)[0]
            else:
                value = value.split(None, 1)[0] if value.split() else ""
            return entities.unescape(value[:4000]).strip()
        at = low.find("href", at + 4)
    return ""


def _plain(inside: str) -> str:
    """Markup taken out, white space folded."""
    parts = [piece.rpartition(">")[2] if i else piece for i, piece in enumerate(inside.split("<"))]
    return " ".join(entities.unescape(" ".join(parts)).split())[:200]


def _bare(text: str) -> list[Anchor]:
    found: list[Anchor] = []
    at = 0
    while len(found) < MOST:
        mark = text.find("://", at)
        if mark < 0:
            break
        at = mark + 3
        start = mark - 5 if text[mark - 5:mark].lower() == "https" else mark - 4
        if start < 0 or text[start:mark].lower() not in ("http", "https"):
            continue
        end = at
        while end < len(text) and end - at < 4000 and text[end] not in _ENDS:
            end += 1
        url = text[start:end].rstrip(".,;:!?*_]")
        if url.endswith(")") and "(" not in url:
            url = url.rstrip(").,")
        if len(url) > mark - start + 3:
            found.append(Anchor(url, url))
        at = end
    return found
