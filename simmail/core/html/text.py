"""
HTML as readable plain text: what a text-only reader, a search and a persona see of it.

Links keep their address (C{text <url>}), pictures their alternative text,
lists their marks, quotations their C{>}.  What is hidden is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from simmail.core.html.tokenizer import Block, MOST_TOKENS, NO_TAG, Token, VOID, blocks

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

# What a tag means, where that is the same wherever it stands.
_NOTHING, _LINE, _PARAGRAPH, _CELL, _BEGINS, _ENDS, _OTHER = range(7)
_SIMPLE = {
    **dict.fromkeys(_LINES - _LISTS - {"hr", "li"}, _LINE), **dict.fromkeys(_CELLS, _CELL),
    **dict.fromkeys(_APART - _LISTS - {"blockquote", "pre"}, _PARAGRAPH),
}
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
        left -= page.take(blocks(markup, left))
        found.append(page.text())
    return found


class _Meanings(dict[str, int]):
    """What the tags of a page mean, by how they are written."""

    def learn(self, tag: Token) -> int:
        """What a tag means that is written as most are."""
        name, hides = tag.name, tag.kind == "start" and tag.name not in VOID and _hidden(tag.attributes)
        meaning = _OTHER
        if not hides and name not in _SKIPPED and tag.kind != "raw":
            own = _BEGINS if tag.kind == "start" else _ENDS
            meaning = _SIMPLE.get(name, own) if name in _MEANT else _NOTHING
        if tag.source:
            self[tag.source] = meaning
        return meaning


class _Page:
    """
    The lines so far, and where in the page we are.

    @ivar said: text of this line as it stands in the page.
    @ivar line: pieces of this line as they will be shown; what was C{said} comes behind them.
    @ivar odd: text is kept as it is, or skipped.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.line: list[str] = []
        self.said: list[str] = []
        self.odd = False
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

    def take(self, page: Iterable[Block]) -> int:
        """Read a page; how many texts and tags it had."""
        count = 0
        meanings = _Meanings()
        meaning_of = meanings.get
        said = self.said
        for texts, tags, sources, plain in page:
            for text, tag, meaning in zip(texts, tags, map(meaning_of, sources)):
                if self.odd:
                    self.oddly(text, tag)
                    continue
                if text:
                    said.append(text)
                    if self.link:
                        self.link_text.append(text)
                if meaning is None:
                    meaning = meanings.learn(tag)
                if meaning == _NOTHING:
                    continue
                if meaning == _PARAGRAPH:
                    self.block(True)
                elif meaning == _LINE:
                    self.block(False)
                elif meaning == _BEGINS:
                    self.begin(tag.name, tag.attributes)
                elif meaning == _ENDS:
                    self.end(tag.name)
                elif meaning == _CELL:
                    said.append(" ")
                elif meaning == _OTHER:
                    self.tag(tag)
            text = texts[-1]
            if text:
                if self.odd:
                    self.oddly(text, NO_TAG)
                else:
                    self.write(text)
            count += len(tags) - (0 if plain else tags.count(NO_TAG)) + sum(map(bool, texts))
        return count

    def oddly(self, text: str, tag: Token) -> None:
        """Text that is kept as it is, or skipped, and the tag behind it."""
        if not self.skipping:
            if text:
                self.write(text)
            self.tag(tag)
        elif tag.name == self.skipping and tag.kind != "raw":
            self.skipped += 1 if tag.kind == "start" else -1
            if not self.skipped:
                self.skipping = ""
        self.odd = bool(self.skipping or self.pre)

    def tag(self, tag: Token) -> None:
        """A tag outside of what is skipped."""
        if tag.kind == "start":
            self.start(tag.name, tag.attributes)
        elif tag.kind == "end":
            self.end(tag.name)
        self.odd = bool(self.skipping or self.pre)

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name in _SKIPPED or (attributes and name not in VOID and _hidden(attributes)):
            # The head of a page has no end tag that could be relied on; what is in it is skipped by its own names.
            if name != "head":
                self.skipping, self.skipped = name, 1
            return
        self.begin(name, attributes)

    def begin(self, name: str, attributes: Mapping[str, str]) -> None:
        """An element that is not skipped."""
        if name == "br":
            self.newline()
        elif name == "img":
            self.write(attributes.get("alt", ""))
        elif name == "a":
            if self.link:
                self.leave_link()
            self.link = attributes.get("href", "").strip()
        elif name in _CELLS:
            self.say()
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
                self.odd = True
            elif name in _LISTS:
                # The number of the next item, 0 where items have none.
                self.lists.append(1 if name == "ol" else 0)
            elif name == "li":
                self.item()

    def end(self, name: str) -> None:
        if name == "a":
            if self.link:
                self.leave_link()
        elif name in _CELLS:
            self.say()
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
        if not self.pre:
            self.said.append(text)
            if self.link:
                self.link_text.append(text)
            return
        self.say()
        first, *more = text.replace("\r\n", "\n").split("\n")
        self.line.append(first)
        for line in more:
            self.newline()
            self.line.append(line)

    def say(self) -> None:
        """What was said becomes a piece of the line."""
        if not self.said:
            return
        words = _folded("".join(self.said))
        self.said.clear()
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

    def leave_link(self) -> None:
        """The end of a link: its address, unless its text says the same."""
        url, self.link = self.link, ""
        if len(self.link_text) == 1:
            text = _folded(self.link_text[0]).strip()
        else:
            text = " ".join(filter(None, [_folded(one).strip(" ") for one in self.link_text])).strip()
        self.link_text.clear()
        low = url.lower()
        if low.startswith("mailto:"):
            shown = url[7:].partition("?")[0]
        elif low.startswith(("http:", "https:")):
            shown = url
        else:
            return
        said = _same(text)
        if said in low and said == _same(shown):
            return
        shown = f"<{shown}>"
        if self.pre:
            self.write(shown)
            return
        self.say()
        written = self.line
        if written and not written[-1].endswith(" "):
            written.append(" ")
        written.append(_folded(shown))

    def newline(self) -> None:
        if self.said:
            self.say()
        line = "".join(self.line)
        if "\xa0" in line:
            line = line.replace("\xa0", " ")
        line = line.rstrip()
        self.line.clear()
        self.space = False
        prefix = "> " * min(self.quotes, _DEEPEST) if self.quotes else ""
        if self.blank >= 0 and line:
            if self.lines and self.lines[-1].strip("> "):
                self.lines.append(("> " * min(self.blank, _DEEPEST)).rstrip())
            self.blank = -1
        if line or not self.lines or self.lines[-1].strip("> ") or self.pre:
            self.lines.append((prefix + line).rstrip())

    def block(self, apart: bool) -> None:
        """Begin a new line, after a blank one when C{apart}."""
        if self.said:
            self.say()
        if self.line:
            if not self.line[0].isspace() or any(not piece.isspace() for piece in self.line):
                self.newline()
            else:
                self.line.clear()
        self.space = False
        if apart and not 0 <= self.blank <= self.quotes:
            self.blank = self.quotes

    def text(self) -> str:
        if self.link:
            self.leave_link()
        self.block(False)
        return "\n".join(self.lines).strip("\n")


def _folded(text: str) -> str:
    """Text with single blanks only, as most is."""
    return text if text.isprintable() and "  " not in text else _BLANKS.sub(" ", text)


def _hidden(attributes: Mapping[str, str]) -> bool:
    return "hidden" in attributes or _HIDDEN.search(attributes.get("style", "")) is not None


def _same(url: str) -> str:
    """What of an address is compared with the text of its link."""
    return url.strip().lower().removeprefix("https://").removeprefix("http://").removeprefix("www.").rstrip("/")
