"""
HTML cut into tokens: tags with decoded attributes, and decoded text.

The cutting follows the tokenizer of the HTML standard closely enough to read
what browsers read, in one pass whose cost grows with the length alone; no
tree is built, so nothing grows with the nesting.  Safety does not rest on it:
L{safehtml} writes anew what it keeps and hands that to a real parser.
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


def tokens(markup: str, most: int = MOST_TOKENS) -> Iterable[Token]:
    """The tokens of a page or fragment, at most about C{most}; comments, declarations and cut-off tags are left out."""
    return _at_hand(markup, most) if len(markup) <= _LONGEST_AT_HAND else _cut(markup, most)


def _cut(markup: str, most: int) -> Iterator[Token]:
    at, length = 0, len(markup)
    left, room = most, MOST_TEXT
    # Pages say the same tags over and over: each is read once.
    known: dict[str, tuple[Token, int]] = {}
    new, known_as = tuple.__new__, known.get
    while at < length and left > 0 and room > 0:
        # From here as long as tags are written as most are.
        for match in _PIECE.finditer(markup, at):
            text, source = match.groups()
            left -= 1
            if text:
                if len(text) > room:
                    text = text[:room]
                room -= len(text)
                if "&" in text:
                    left -= text.count("&") // 4
                    text = decode(text)
                # As Token(...) does, in a third of the time.
                yield new(Token, ("text", "", text, _NONE, ""))
            found = known_as(source) or _kept(known, source)
            if found is None:
                break
            token, cost = found
            left -= cost
            yield token
            if token.name in _ENDED_LATE and token.kind == "start":
                break
            if left <= 0 or room <= 0:
                return
        if found is not None:
            at = match.end()
        else:
            at = match.end(1)
            if at == length:
                return
            usual = _USUAL.match(markup, at)
            tag = _TAG.match(markup, at)
            if usual is not None:
                token, cost = _read(usual[0])
                at, left = usual.end(), left - cost
            elif tag is None:
                opening, at = at, _not_a_tag(markup, at)
                if at == opening + 1:
                    yield Token("text", "", "<")
                continue
            else:
                at, attributes, cost = _attributes(markup, tag.end())
                left -= cost // 8
                if at < 0:
                    return  # cut off: browsers drop such a tag
                token = Token("end" if tag[1] else "start", tag[2].lower(), "", _NONE if tag[1] else attributes)
            yield token
        name = token.name
        if token.kind == "end" or name not in _ENDED_LATE:
            continue
        if name == "plaintext":
            yield Token("raw", name, markup[at:])
            return
        end = re.compile(f"</{name}(?=[\t\n\f\r />])", re.IGNORECASE).search(markup, at)
        content = markup[at:end.start() if end else length][:room]
        room -= len(content)
        yield Token("raw", name, decode(content) if name in ("title", "textarea") else content)
        at = end.start() if end else length


#: Who looks at a page mostly does so twice running, for its text and for its looks or links.
_LONGEST_AT_HAND = 32 * 1024


@lru_cache(2)
def _at_hand(markup: str, most: int) -> tuple[Token, ...]:
    return tuple(_cut(markup, most))


def _kept(known: dict[str, tuple[Token, int]], source: str | None) -> tuple[Token, int] | None:
    """A tag that this page has not had before, and what it costs; None where there is none, or a strange one."""
    if source is None or _USUAL.fullmatch(source) is None:
        return None
    known[source] = kept = common_tag(source) if len(source) <= LONGEST_COMMON else _read(source)
    return kept


def _read(source: str) -> tuple[Token, int]:
    """A tag that is written as most are, and what it costs."""
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
common_tag = lru_cache(2048)(_read)


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
