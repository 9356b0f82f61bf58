"""
A look at a web page on a persona's behalf: what is asked for, and what came of it.

The asking is C{outbound.browser}'s; here is what both sides speak of, and
what is read from a page.
"""

from __future__ import annotations

from msgspec import Struct

from simmail.core.html.tokenizer import tokens
from simmail.core.mime.charsets import decode

#: Octets of a page that are looked at for its title, and characters of it that are kept.
LOOKED_AT, LONGEST_TITLE = 64 * 1024, 200

_HTML = ("text/html", "application/xhtml+xml")


class Errand(Struct, frozen=True):
    """
    One page to be opened.

    @ivar job_id: for whom, in what is recorded.
    @ivar allow: if set, only these hosts; deny: hosts never opened; both hold for redirects too.
    @ivar one_click: the body of RFC 8058 is posted, and no redirect followed.
    """

    url: str
    job_id: str
    user_agent: str
    allow: tuple[str, ...] | None = None
    deny: tuple[str, ...] = ()
    one_click: bool = False


class Visit(Struct, frozen=True, omit_defaults=True):
    """
    What came of it.

    @ivar status: of the last answer, 0 when there was none; then C{error} says why.
    @ivar ms: real milliseconds.
    """

    status: int = 0
    final_url: str = ""
    title: str = ""
    content_type: str = ""
    ms: int = 0
    error: str = ""

    @property
    def broken(self) -> bool:
        """Whether a reader would say that the link does not work."""
        return self.status in (0, 404, 410) or self.status >= 500


def title_of(body: bytes, content_type: str) -> str:
    """The title of an HTML page, C{""} when it has none or is something else."""
    kind, _, rest = content_type.partition(";")
    if kind.strip().lower() not in _HTML:
        return ""
    label = ""
    for one in rest.split(";"):
        name, _, value = one.partition("=")
        if name.strip().lower() == "charset":
            label = value.strip(" \t\"'")
    head = body[:LOOKED_AT]
    for token in tokens(decode(head, label or _declared(head)), 2000):
        if token.kind == "raw" and token.name == "title":
            return " ".join(token.text.split())[:LONGEST_TITLE]
    return ""


def _declared(head: bytes) -> str:
    """The charset a page names in its first octets (WHATWG HTML, "prescan", in short)."""
    low = head[:1024].lower()
    at = low.find(b"charset=")
    if at < 0:
        return ""
    value = low[at + 8:at + 48].lstrip(b" \"'")
    end = next((n for n, one in enumerate(value) if one in b" \"'/>;"), len(value))
    return value[:end].decode("ascii", "replace")
