"""
Large pages made well-formed and shallow before a parser of the HTML standard sees them.

That parser takes the square of a page's length, or worse, for one that nests
without end or leaves its C{<b>}s open.  What is written here closes every
element where browsers would, and leaves out what is nested too deep, so that
the time grows with the length alone.  Nothing is made safe here.  Source:
HTML standard, 13.2.6.4.7 and 13.2.4.3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from simmail.core.html.tokenizer import Token, VOID

# The end of one of these ends what is none of HTML, and all in it, even where none began: what follows is HTML again.
_BREAKING, _FOREIGN = frozenset(("p", "br")), frozenset(("svg", "math"))
# What holds HTML in them.
_HOLDING = frozenset(("foreignobject", "desc"))
#: Open elements at any point; a deeper one is left out and its content kept.
DEEPEST = 150

_BLOCKS = frozenset(
    "address article aside blockquote center dd details dir div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6"
    " header hr li main menu nav ol p pre section summary table ul".split())
_TABLE = frozenset("caption col colgroup table tbody td tfoot th thead tr".split())

# An end tag finds its element up to the nearest of these.
_SCOPES = frozenset(("td", "th", "caption", "table"))
_TABLE_SCOPE = frozenset(("table",))
_SECTIONS = (frozenset(("tbody", "thead", "tfoot", "caption", "colgroup")), _TABLE_SCOPE)
_CELL = (frozenset(("td", "th", "caption")), frozenset(("tr", "table")))
_TERM = (frozenset(("dt", "dd")), frozenset(("dl", "table", "td", "th")))
_PARAGRAPH, _PARAGRAPH_SCOPE = frozenset(("p",)), _BLOCKS - {"p"} | _SCOPES
# What a start tag ends first, besides a paragraph, and where that search ends.
_ENDED_BY: Mapping[str, tuple[frozenset[str], frozenset[str]]] = MappingProxyType({
    **dict.fromkeys(("tbody", "thead", "tfoot"), _SECTIONS), "td": _CELL, "th": _CELL, "dt": _TERM, "dd": _TERM,
    "li": (frozenset(("li",)), frozenset(("ul", "ol", "menu", "dir", "table", "td", "th", "blockquote", "div"))),
    "tr": (frozenset(("tr", "caption", "colgroup")), _TABLE_SCOPE),
    "a": (frozenset(("a",)), _SCOPES),
})


class BalancedPage:
    """A page as it is written."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._open: list[str] = []
        # Start tags left out because they were too deep, so that their end tags are too.
        self._left_out: dict[str, int] = {}

    def add(self, texts: Sequence[str], tags: Sequence[Token], written: Sequence[str]) -> None:
        """Add texts and tags in turn; a tag that is written as C{""} is left out."""
        for text, tag, shown in zip(texts, tags, written):
            self._pieces.append(text)
            if shown:
                # It may have another name than in the page.
                name = "div" if tag.name == "body" else tag.name
                if tag.kind == "start":
                    self._start(name, shown)
                else:
                    self._end(name)
        self._pieces.append(texts[-1])

    def _start(self, name: str, written: str) -> None:
        """Add a start tag, behind the end of what it ends."""
        if name in _ENDED_BY:
            self._close_up_to(*_ENDED_BY[name])
        if name in _BLOCKS:
            self._close_up_to(_PARAGRAPH, _PARAGRAPH_SCOPE)
        if name in VOID:
            self._pieces.append(written)
        elif len(self._open) >= DEEPEST:
            self._left_out[name] = self._left_out.get(name, 0) + 1
        else:
            self._open.append(name)
            self._pieces.append(written)

    def _end(self, name: str) -> None:
        """End the innermost element of a name, if there is one, and what is in it."""
        if self._left_out.get(name):
            self._left_out[name] -= 1
        elif self._open and self._open[-1] == name:
            self._close()
        elif name in _BREAKING and not _FOREIGN.isdisjoint(self._open):
            self._close_up_to(_FOREIGN | {name}, _HOLDING)
        else:
            self._close_up_to(frozenset((name,)), _TABLE_SCOPE if name in _TABLE else _SCOPES)

    def finish(self) -> str:
        """End all that is open, and give the page."""
        while self._open:
            self._close()
        return "".join(self._pieces)

    def _close_up_to(self, names: frozenset[str], scope: frozenset[str]) -> None:
        """Close the innermost of C{names} and what is in it, unless one of C{scope} stands between."""
        for at in range(len(self._open) - 1, -1, -1):
            if self._open[at] in names:
                while len(self._open) > at:
                    self._close()
                return
            if self._open[at] in scope:
                return

    def _close(self) -> None:
        self._pieces.append(f"</{self._open.pop()}>")
