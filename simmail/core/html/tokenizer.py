"""
HTML cut into tokens: tags with decoded attributes, and decoded text.

The cutting follows the tokenizer of the HTML standard closely enough to read
what browsers read, in one pass whose cost grows with the length alone; no
tree is built, so nothing grows with the nesting.  Safety does not rest on it:
L{simmail.core.html.sanitize} hands what it keeps to a real parser.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Literal, NamedTuple

#: What a page may cost, counted in tokens; an attribute counts an eighth, a character reference a quarter.
MOST_TOKENS = 60_000
#: Characters of text read of a page; attributes kept of one tag, and looked at.
MOST_TEXT, MOST_ATTRIBUTES, MOST_LOOKED_AT = 4 << 20, 64, 1000

#: Elements without content.
VOID = frozenset(
    "area base basefont bgsound br col embed frame hr img image input keygen link meta param source track wbr".split()
)
#: Elements whose content is no markup: it goes up to their end tag.
RAW = frozenset("script style title textarea xmp iframe noembed noframes".split())
_ENDED_LATE = RAW | {"plaintext"}

_NONE: Mapping[str, str] = MappingProxyType({})


class Token(NamedTuple):
    """
    One token.

    @ivar kind: C{raw} is the content of the element in L{RAW} that was just opened.
    @ivar name: of a tag, in lower case; of C{raw}, the element's.
    @ivar text: of C{text} and C{raw}, decoded.
    @ivar attributes: decoded, names in lower case; of repeated ones the first counts.
    @ivar source: how a tag was written, where that is all there is to know of it; else C{""}.
    """

    kind: Literal["start", "end", "text", "raw"]
    name: str = ""
    text: str = ""
    attributes: Mapping[str, str] = _NONE
    source: str = ""


#: Stands where no tag is between two texts.
NO_TAG = Token("end")


class Block(NamedTuple):
    """
    A stretch of a page: text and tags in turn, which begins and ends with text, be it empty.

    @ivar texts: decoded; one more than there are tags.
    @ivar sources: of the tags.
    @ivar plain: the texts hold nothing that HTML writes in another way.
    """

    texts: list[str]
    tags: list[Token]
    sources: list[str]
    plain: bool


# Possessive or of classes that exclude what follows: nothing here backtracks.
# Text up to the next tag, and what goes up to the first bracket that may be its end.
_PIECE = re.compile(r"([^<]*+)(<[^<>]*+>)?")
# A tag as most are written.  What it matches is read below just as any other tag is, and it looks no further than
# that reading does.
_USUAL = re.compile(
    r"</?[A-Za-z][A-Za-z0-9]*+(?:[\t\n\f\r ]++[A-Za-z][A-Za-z0-9_:-]*+"
    r"(?:=(?:\"[^\"]*+\"|'[^']*+'|[^\t\n\f\r \"'=<>`]++))?){0,60}[\t\n\f\r ]*+/?>")
_TAG = re.compile(r"<(/?)([A-Za-z][^\t\n\f\r />]*+)")
_ATTRIBUTE = re.compile(
    r"[\t\n\f\r /]*+(?:(>)|(=?[^\t\n\f\r />=]*+)[\t\n\f\r ]*+"
    r"(?:=[\t\n\f\r ]*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\t\n\f\r >]*+)))?)"
)
_COMMENT_END = re.compile(r"--!?>")
_REFERENCE = re.compile(r"&(?:#[0-9]{1,8};?|#[xX][0-9a-fA-F]{1,8};?|[A-Za-z][A-Za-z0-9]{1,31};)")


def tokens(markup: str, most: int = MOST_TOKENS) -> Iterator[Token]:
    """The tokens of a page or fragment, at most about C{most}; comments, declarations and cut-off tags are left out."""
    new = tuple.__new__
    for texts, tags, _, _ in blocks(markup, most):
        for text, tag in zip(texts, tags):
            if text:
                # As Token(...) does, in a third of the time.
                yield new(Token, ("text", "", text, _NONE, ""))
            if tag is not NO_TAG:
                yield tag
        if texts[-1]:
            yield new(Token, ("text", "", texts[-1], _NONE, ""))


def blocks(markup: str, most: int = MOST_TOKENS) -> Iterable[Block]:
    """The same in stretches."""
    return _at_hand(markup, most) if len(markup) <= _LONGEST_AT_HAND else _cut(markup, most)


# Characters cut in one go where all is written as most is: as many as went well before, and some.
_LEAST_CUT, _MOST_CUT = 512, 32 * 1024
_TAGS = re.compile(r"(<[^<>]*+>)")


def _cut(markup: str, most: int) -> Iterator[Block]:
    page = _Page(markup, most)
    stretch = _LEAST_CUT
    while page.at < page.length and page.left > 0 and page.room > 0:
        block = page.usual(stretch)
        if block is None:
            block, stretch = page.careful(page.at + stretch), _LEAST_CUT
        else:
            stretch = min(2 * stretch, _MOST_CUT)
        yield block


class _Known(dict[str, Token]):
    """
    The tags of a page by how they are written: pages say the same over and over, and each is read once.

    @ivar strange: what is no tag as most are written, or begins an element whose content is no markup.
    @ivar costs: of those that cost more than any tag.
    """

    def __init__(self) -> None:
        super().__init__()
        self.strange: set[str] = set()
        self.costs: dict[str, int] = {}

    def __missing__(self, source: str) -> Token:
        token, cost = NO_TAG, 0
        if _USUAL.fullmatch(source) is not None:
            token, cost = common_tag(source) if len(source) <= LONGEST_COMMON else read_tag(source)
        if token is NO_TAG or (token.kind == "start" and token.name in _ENDED_LATE):
            self.strange.add(source)
        if cost:
            self.costs[source] = cost
        self[source] = token
        return token


class _Page:
    """Where we are in a page, and what it may still cost."""

    def __init__(self, markup: str, most: int) -> None:
        self.markup, self.length = markup, len(markup)
        self.at = 0
        self.left, self.room = most, MOST_TEXT
        self.known = _Known()

    def usual(self, stretch: int) -> Block | None:
        """About so many characters, if there is nothing strange in them: a few steps in C for all of them."""
        markup, known = self.markup, self.known
        end = self.at + stretch
        if end < self.length:
            # Up to a bracket that may begin a tag, so that no tag is cut apart.
            end = markup.rfind("<", self.at + 1, end)
            if end < 0:
                return None
        chunk = markup[self.at:end]
        pieces = _TAGS.split(chunk)
        texts, sources = pieces[::2], pieces[1::2]
        if len(sources) != chunk.count("<") or len(chunk) > self.room:
            return None
        tags = list(map(known.__getitem__, sources))
        if known.strange and not known.strange.isdisjoint(sources):
            return None
        cost = len(tags)
        if known.costs:
            cost += sum([known.costs.get(source, 0) for source in sources])
        plain = True
        if "&" in chunk and any(["&" in text for text in texts]):
            plain = False
            cost += sum([text.count("&") // 4 for text in texts])
            texts = [decode(text) if "&" in text else text for text in texts]
        if cost >= self.left:
            return None
        self.left -= cost
        # A bracket for each tag, and none besides.
        plain = plain and chunk.count(">") == len(tags) and "\0" not in chunk
        self.room -= sum(map(len, texts))
        if end < self.length and tags:
            # The text behind the last tag goes with the next.
            end -= len(pieces[-1])
            self.room += len(texts[-1])
            texts[-1] = ""
        else:
            self.left -= 1
        self.at = end
        return Block(texts, tags, sources, plain)

    def careful(self, end: int) -> Block:
        """What is there up to about an offset, one thing after the other."""
        block = Block([], [], [], False)
        end = min(end, self.length)
        while self.at < end and self.left > 0 and self.room > 0:
            self.piece(block)
        block.texts.append("")
        return block

    def piece(self, block: Block) -> None:
        """A text and the tag behind it."""
        match = _PIECE.match(self.markup, self.at)
        assert match is not None
        text, source = match.groups()
        self.left -= 1
        if text:
            text = text[:self.room]
            self.room -= len(text)
            if "&" in text:
                self.left -= text.count("&") // 4
                text = decode(text)
        token = self.known[source] if source is not None else NO_TAG
        if token is NO_TAG:
            self.at = match.end(1)
            if self.at < self.length:
                self.tag(block, text)
            else:
                self.add(block, text, NO_TAG)
            return
        self.at = match.end()
        self.left -= self.known.costs.get(token.source, 0)
        self.add(block, text, token)
        if source in self.known.strange:
            self.raw(block, token.name)

    def add(self, block: Block, text: str, tag: Token) -> None:
        block.texts.append(text)
        block.tags.append(tag)
        block.sources.append(tag.source)

    def tag(self, block: Block, text: str) -> None:
        """What begins with a bracket and is not written as most tags are, behind a text."""
        markup, at = self.markup, self.at
        usual = _USUAL.match(markup, at)
        tag = _TAG.match(markup, at)
        if usual is not None:
            token, cost = read_tag(usual[0])
            self.at = usual.end()
        elif tag is None:
            self.at = _not_a_tag(markup, at)
            self.add(block, text, NO_TAG)
            if self.at == at + 1:
                self.add(block, "<", NO_TAG)
            return
        else:
            self.at, attributes, cost = _attributes(markup, tag.end())
            cost //= 8
            if self.at < 0:
                # Cut off: browsers drop such a tag.
                self.at = self.length
                self.add(block, text, NO_TAG)
                return
            token = Token("end" if tag[1] else "start", tag[2].lower(), "", _NONE if tag[1] else attributes)
        self.left -= cost
        self.add(block, text, token)
        if token.kind == "start" and token.name in _ENDED_LATE:
            self.raw(block, token.name)

    def raw(self, block: Block, name: str) -> None:
        """What is in an element whose content is no markup."""
        markup, at, end = self.markup, self.at, None
        if name != "plaintext":
            end = re.compile(f"</{name}(?=[\t\n\f\r />])", re.IGNORECASE).search(markup, at)
        self.at = end.start() if end else self.length
        content = markup[at:self.at]
        if name != "plaintext":
            content = content[:self.room]
            self.room -= len(content)
        self.add(block, "", Token("raw", name, decode(content) if name in ("title", "textarea") else content))


#: Who looks at a page mostly does so twice running, for its text and for its looks or links.
_LONGEST_AT_HAND = 32 * 1024


@lru_cache(2)
def _at_hand(markup: str, most: int) -> tuple[Block, ...]:
    return tuple(_cut(markup, most))


def read_tag(source: str) -> tuple[Token, int]:
    """A tag that is written as most are, and what it costs besides being one."""
    tag = _TAG.match(source)
    assert tag is not None
    name = tag[2].lower()
    if tag.end() == len(source) - 1:
        return Token("end" if tag[1] else "start", name, "", _NONE, source), 0
    _, attributes, cost = _attributes(source, tag.end())
    if tag[1]:
        attributes = _NONE
    return Token("end" if tag[1] else "start", name, "", attributes or _NONE, source), cost // 8


#: Pages of all senders have these tags in common, as far as they are short.
LONGEST_COMMON = 200
common_tag = lru_cache(2048)(read_tag)


def _not_a_tag(markup: str, opening: int) -> int:
    """Where to go on after a C{<} that begins no tag; C{opening + 1} when it is mere text."""
    if markup.startswith("<!--", opening):
        # From the second character on, so that <!--> is a whole comment.
        end = _COMMENT_END.search(markup, opening + 2)
        return end.end() if end else len(markup)
    if markup.startswith(("<!", "<?", "</"), opening):
        closing = markup.find(">", opening)
        return closing + 1 if closing >= 0 else len(markup)
    return opening + 1


def _attributes(markup: str, at: int) -> tuple[int, Mapping[str, str], int]:
    """The offset after a tag, C{-1} when it is cut off, its attributes, and what they cost."""
    found: dict[str, str] = {}
    references = 0
    for count in range(MOST_LOOKED_AT):
        match = _ATTRIBUTE.match(markup, at)
        if match is None or match.end() == at:
            return -1, found, count
        at = match.end()
        closing, name, double, single, bare = match.groups()
        if closing:
            return at, found, count + 2 * references
        if bare and bare[0] in "\"'":
            return -1, found, count  # a quote that nothing closes
        if name and len(found) < MOST_ATTRIBUTES:
            value = double or single or bare or ""
            if "&" in value:
                references += value.count("&")
                value = _REFERENCE.sub(_decoded, value[:MOST_TEXT])
            found.setdefault(name.lower(), value)
    return markup.find(">", at) + 1 or -1, found, MOST_LOOKED_AT


def _decoded(match: re.Match[str]) -> str:
    return html.unescape(match[0])


def decode(text: str) -> str:
    """Text with its character references decoded, also those without a semicolon that browsers know."""
    if "&" not in text:
        return text
    try:
        return html.unescape(text)
    except ValueError:
        # More digits than int() takes.
        return _REFERENCE.sub(_decoded, text)
