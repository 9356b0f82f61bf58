"""
What a look at a web page tells: its title, and whether it asks for something.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from simmail.core.html.tokenizer import tokens
from simmail.core.mime.encodings import decode

#: Octets of a page that are looked at, tags and texts in them, and characters of its title that are kept.
LOOKED_AT, MOST_LOOKED_AT, LONGEST_TITLE = 64 * 1024, 4000, 200

#: What a page asks of whoever opens it: a password, or a form filled in.
PageForm = Literal["", "login", "form"]

#: Controls of a form that are written or chosen in; a page with one of them alone is searched, not filled in.
_WRITTEN_IN = frozenset(("", "text", "email", "tel", "url", "number", "date", "file", "checkbox", "radio"))
_ENOUGH = 2

_HTML = ("text/html", "application/xhtml+xml")


class PageContent(NamedTuple):
    """C{title} of a page, C{""} when it has none, and what C{form} it has."""

    title: str
    form: PageForm


def read_page(body: bytes, content_type: str) -> PageContent:
    """Return what a look at an HTML page tells; nothing where it is something else."""
    kind, _, rest = content_type.partition(";")
    if kind.strip().lower() not in _HTML:
        return PageContent("", "")
    label = ""
    for one in rest.split(";"):
        name, _, value = one.partition("=")
        if name.strip().lower() == "charset":
            label = value.strip(" \t\"'")
    head = body[:LOOKED_AT]
    title, fields, inside = "", 0, False
    for token in tokens(decode(head, label or _declared(head)), MOST_LOOKED_AT):
        if token.name == "title" and token.kind == "raw" and not title:
            title = " ".join(token.text.split())[:LONGEST_TITLE]
        elif token.name == "form":
            inside = token.kind == "start"
        elif token.kind == "start" and token.name in ("input", "textarea", "select"):
            sort = token.attributes.get("type", "").strip().lower() if token.name == "input" else ""
            if sort == "password":
                return PageContent(title, "login")
            fields += inside and sort in _WRITTEN_IN
    return PageContent(title, "form" if fields >= _ENOUGH else "")


def _declared(head: bytes) -> str:
    """The charset a page names in its first octets (WHATWG HTML, "prescan", in short)."""
    low = head[:1024].lower()
    at = low.find(b"charset=")
    if at < 0:
        return ""
    value = low[at + 8:at + 48].lstrip(b" \"'")
    end = next((n for n, one in enumerate(value) if one in b" \"'/>;"), len(value))
    return value[:end].decode("ascii", "replace")
