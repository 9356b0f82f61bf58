"""
HTML as readable plain text: what a text-only reader, a search and a persona see of it.

Links keep their address (C{text <url>}), pictures their alternative text,
lists their marks, quotations their C{>}.  What is hidden is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from simmail.core.htmltokens import MOST_TOKENS, VOID, Token, tokens

_SKIPPED = frozenset("script style title head textarea xmp iframe noembed noframes svg math template select".split())
# Elements that begin and end a line, and those that stand apart by a blank line.
_LINES = frozenset(
    "address article aside body caption center dd details dir div dl dt fieldset figcaption figure footer form header"
    " hr legend li main nav section summary tbody tfoot thead tr".split()
)
_APART = frozenset("blockquote h1 h2 h3 h4 h5 h6 menu ol p pre table ul".split())
_LISTS = frozenset(("ul", "ol", "menu", "dir"))
_CELLS = frozenset(("td", "th"))
_MEANT = _SKIPPED | _LINES | _APART | _CELLS | {"br", "img", "a"}
_DEEPEST = 20
_BLANKS = re.compile(r"[ \t\n\f\r]+")
_HIDDEN = re.compile(r"display\s{0,9}:\s{0,9}none", re.IGNORECASE)


def render(markup: str) -> str:
    """The text of HTML: lines end with LF, no blank lines at the ends, never more than one between."""
    return render_each((markup,))[0]


def render_each(markups: Iterable[str]) -> list[str]:
    """The texts of several pieces of HTML, which together cost no more than one may."""
    found: list[str] = []
    left = MOST_TOKENS
    for markup in markups:
        page = _Page()
        left -= page.take(tokens(markup, left))
        found.append(page.text())
    return found


class _Page:
    """The lines so far, and where in the page we are."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.line: list[str] = []
        # The level of quoting of the blank line that is due, -1 for none.
        self.blank = -1
        self.space = False
        self.quotes = 0
        self.pre = 0
        self.lists: list[int] = []
        self.link = ""
        self.link_text: list[str] = []
        self.skipping = ""
        self.skipped = 0

    def take(self, page: Iterable[Token]) -> int:
        """Read tokens; how many they were."""
        count = 0
        for count, token in enumerate(page, 1):
            kind, name, text, attributes, _ = token
            if self.skipping:
                if name == self.skipping and kind in ("start", "end"):
                    self.skipped += 1 if kind == "start" else -1
                    if not self.skipped:
                        self.skipping = ""
            elif kind == "text":
                self.write(text)
            elif name in _MEANT or attributes:
                if kind == "start":
                    self.start(name, attributes)
                elif kind == "end":
                    self.end(name)
        return count

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name in _SKIPPED or (attributes and name not in VOID and _hidden(attributes)):
            # The head of a page has no end tag that could be relied on; what is in it is skipped by its own names.
            if name != "head":
                self.skipping, self.skipped = name, 1
            return
        if name == "br":
            self.newline()
        elif name == "img":
            self.write(attributes.get("alt", ""))
        elif name == "a":
            self.leave_link()
            self.link = attributes.get("href", "").strip()
        elif name in _CELLS:
            self.space = True
        elif name in _LINES or name in _APART:
            self.block(name in _APART and not (self.lists and name in _LISTS))
            if name == "hr":
                self.line.append("-" * 20)
                self.block(False)
            elif name == "blockquote":
                self.quotes += 1
            elif name == "pre":
                self.pre += 1
            elif name in _LISTS:
                # The number of the next item, 0 where items have none.
                self.lists.append(1 if name == "ol" else 0)
            elif name == "li":
                self.item()

    def end(self, name: str) -> None:
        if name == "a":
            self.leave_link()
        elif name in _CELLS:
            self.space = True
        elif name in _LINES or name in _APART:
            self.block(name in _APART and not (len(self.lists) > 1 and name in _LISTS))
            if name == "blockquote":
                self.quotes = max(0, self.quotes - 1)
                self.blank = min(self.blank, self.quotes)
            elif name == "pre":
                self.pre = max(0, self.pre - 1)
            elif name in _LISTS and self.lists:
                self.lists.pop()

    def item(self) -> None:
        indent = "  " * min(max(len(self.lists) - 1, 0), _DEEPEST)
        if self.lists and self.lists[-1]:
            self.line.append(f"{indent}{self.lists[-1]}. ")
            self.lists[-1] += 1
        else:
            self.line.append(f"{indent}- ")

    def write(self, text: str) -> None:
        if self.pre:
            first, *more = text.replace("\r\n", "\n").split("\n")
            self.line.append(first)
            for line in more:
                self.newline()
                self.line.append(line)
            return
        # Most text holds single blanks only.
        words = text if text.isprintable() and "  " not in text else _BLANKS.sub(" ", text)
        bare = words.strip(" ")
        if words[:1] == " ":
            self.space = True
        if not bare:
            return
        written = self.line
        if self.space and written and not written[-1].endswith(" "):
            written.append(" ")
        self.space = words[-1] == " "
        written.append(bare)
        if self.link:
            self.link_text.append(bare)

    def leave_link(self) -> None:
        """The end of a link: its address, unless its text says the same."""
        url, text = self.link, " ".join(self.link_text).strip()
        self.link, self.link_text = "", []
        if url.lower().startswith("mailto:"):
            shown = url[7:].partition("?")[0]
        elif url.lower().startswith(("http:", "https:")):
            shown = url
        else:
            return
        said = _same(text)
        if said in shown.lower() and said == _same(shown):
            return
        space, self.space = self.space, True
        self.write(f"<{shown}>")
        self.space = space

    def newline(self) -> None:
        line = "".join(self.line)
        if "\xa0" in line:
            line = line.replace("\xa0", " ")
        line = line.rstrip()
        self.line.clear()
        self.space = False
        prefix = "> " * min(self.quotes, _DEEPEST)
        if self.blank >= 0 and line:
            if self.lines and self.lines[-1].strip("> "):
                self.lines.append(("> " * min(self.blank, _DEEPEST)).rstrip())
            self.blank = -1
        if line or not self.lines or self.lines[-1].strip("> ") or self.pre:
            self.lines.append((prefix + line).rstrip())

    def block(self, apart: bool) -> None:
        """Begin a new line, after a blank one when C{apart}."""
        if self.line:
            if not self.line[0].isspace() or any(not piece.isspace() for piece in self.line):
                self.newline()
            else:
                self.line.clear()
        self.space = False
        if apart:
            self.blank = self.quotes if self.blank < 0 else min(self.blank, self.quotes)

    def text(self) -> str:
        self.leave_link()
        self.block(False)
        return "\n".join(self.lines).strip("\n")


def _hidden(attributes: Mapping[str, str]) -> bool:
    return "hidden" in attributes or _HIDDEN.search(attributes.get("style", "")) is not None


def _same(url: str) -> str:
    """What of an address is compared with the text of its link."""
    return url.strip().lower().removeprefix("https://").removeprefix("http://").removeprefix("www.").rstrip("/")
