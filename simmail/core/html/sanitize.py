"""
HTML of mail, made safe to show.

Two steps that trust each other in nothing.  The page is cut into tokens and
written anew: well-formed, no deeper than a limit, with known elements and
attributes only, and nothing that fetches but the images allowed; what is
blocked is counted here and nowhere else.  The result goes through nh3, a
parser and serialiser of the HTML standard with the same allow-list, which has
the last word: on the whole page, or where no element changes what another
means (L{safepieces}) on each tag of it.  Source: API contract, "Full-message answer"; decisions,
section 23 ("Full message").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import unquote

import nh3

from simmail.core.html.attributes import (
    Attributes, LONGEST_URL, PLAIN_VALUES, REMOTE, TEXTS, attributes, browsed, common_attributes,
)
from simmail.core.html.css import fetched_by
from simmail.core.html.pieces import NOWHERE, WITHIN, pieced
from simmail.core.html.tokenizer import Block, LONGEST_COMMON, Token, VOID, blocks

#: Open elements at any point; a deeper one is left out and its content kept.
DEEPEST = 150

_INLINE = frozenset(
    "a abbr acronym b bdi bdo big cite code del dfn em font i ins kbd mark q s samp small span strike strong sub sup tt"
    " u var time ruby rp rt".split())
_BLOCKS = frozenset(
    "address article aside blockquote center dd details dir div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6"
    " header hr li main menu nav ol p pre section summary table ul".split())
_TABLE = frozenset("caption col colgroup table tbody td tfoot th thead tr".split())
_ELEMENTS = _INLINE | _BLOCKS | _TABLE | frozenset(("br", "img", "wbr"))

# An end tag finds its element up to the nearest of these.
_SCOPES = frozenset(("td", "th", "caption", "table"))
_BLOCK_SCOPE = _BLOCKS | _SCOPES
# What a start tag ends first, and where that search ends.
_ENDED_BY: Mapping[str, tuple[frozenset[str], frozenset[str]]] = MappingProxyType({
    **dict.fromkeys(_BLOCKS, (frozenset(("p",)), _BLOCK_SCOPE)),
    "li": (frozenset(("li",)), frozenset(("ul", "ol", "menu", "dir", "table", "td", "th", "blockquote", "div"))),
    "dt": (frozenset(("dt", "dd")), frozenset(("dl", "table", "td", "th"))),
    "dd": (frozenset(("dt", "dd")), frozenset(("dl", "table", "td", "th"))),
    "tr": (frozenset(("tr", "caption", "colgroup")), frozenset(("table",))),
    "td": (frozenset(("td", "th", "caption")), frozenset(("tr", "table"))),
    "th": (frozenset(("td", "th", "caption")), frozenset(("tr", "table"))),
    "tbody": (frozenset(("tbody", "thead", "tfoot", "caption", "colgroup")), frozenset(("table",))),
    "thead": (frozenset(("tbody", "thead", "tfoot", "caption", "colgroup")), frozenset(("table",))),
    "tfoot": (frozenset(("tbody", "thead", "tfoot", "caption", "colgroup")), frozenset(("table",))),
    "a": (frozenset(("a",)), _SCOPES),
})

# Elements that are written as others are.
_SHOWN_AS = MappingProxyType({"image": "img", "body": "div"})
# Dropped with all that is in them; of others that are left out the content is kept.
_SKIPPED = frozenset(
    "script style title textarea xmp iframe noembed noframes plaintext svg math template select datalist".split())
# HTML elements within foreign ones end these (HTML standard, 13.2.6.5), but for those that may hold HTML.
_BREAKOUT = frozenset(
    "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta"
    " nobr ol p pre ruby s small span strong strike sub sup table tt u ul var".split())
_HOLD_HTML = frozenset("foreignobject desc title annotation-xml mi mo mn ms mtext".split())
_FOREIGN_FETCHES = frozenset(("image", "feimage", "use", "img", "mglyph"))

#: Characters of all style attributes of a page that are read; what is past them is dropped.
_STYLE_ROOM = 256 * 1024

_WEB = re.compile(r"https?://[A-Za-z0-9\[\u0080-\U0010ffff]", re.IGNORECASE)
_DATA = re.compile(r"data:image/(?:png|gif|jpe?g|webp|bmp|x-icon|avif);base64,", re.IGNORECASE)
_BASE64 = re.compile(r"[A-Za-z0-9+/]++={0,2}")
_ATTRIBUTES = {"style", "href", "src", "bgcolor", "color"} | PLAIN_VALUES | TEXTS
_CLEANER = nh3.Cleaner(
    tags=set(_ELEMENTS),
    clean_content_tags={"script", "style"},
    attributes={"*": set(_ATTRIBUTES)},
    url_schemes={"http", "https", "mailto", "tel", "data"},
    link_rel="noopener noreferrer nofollow",
    set_tag_attribute_values={"a": {"target": "_blank"}},
)


def safe(
    html: str, remote: bool = False, light: bool = False, cid_url: Callable[[str], str | None] | None = None,
) -> tuple[str, int]:
    """
    C{(html, remote_blocked)}: a fragment that runs nothing and fetches nothing but what is allowed.

    No scripts, forms, frames, SVG, MathML, style sheets, comments, event
    attributes, classes or ids; links open in a new window.

    @param remote: let images over http and https be, and nothing else.
    @param light: leave colours alone instead of giving them a dark counterpart.
    @param cid_url: the URL for a Content-ID (without brackets), None for one that is unknown.
    @return: the second part counts remote images, backgrounds, fonts and sheets that are not shown.
    """
    writer = _Writer(remote, not light, cid_url)
    writer.write(blocks(html))
    shown = pieced(writer.out, _CLEANER.clean) if writer.simple else None
    if shown is None:
        shown = _CLEANER.clean("".join(writer.out))
    if not light:
        shown = f'<div style="color-scheme: light dark">{shown}</div>'
    return shown, writer.blocked


class _Usual(NamedTuple):
    """
    What a tag comes to wherever it stands.

    @ivar written: C{""} for a tag of which that cannot be said.
    @ivar closes: what a start tag ends first, and where that search ends; None for an end tag.
    @ivar attributes: of a start tag, if it has any.
    @ivar within: where it must stand for its page to stay simple, None for anywhere.
    """

    name: str
    written: str
    closes: tuple[frozenset[str], frozenset[str]] | tuple[()] | None
    attributes: Attributes | None
    within: frozenset[str] | None


_NOT_USUAL = _Usual("", "", None, None, None)


class _Writer:
    """The page written anew."""

    def __init__(self, remote: bool, dark: bool, cid_url: Callable[[str], str | None] | None) -> None:
        self.remote, self.dark, self.cid_url = remote, dark, cid_url
        self.out: list[str] = []
        self.open: list[str] = []
        # Start tags left out because they were too deep, so that their end tags are too.
        self.left_out: dict[str, int] = {}
        self.blocked = 0
        self.style_room = _STYLE_ROOM
        # What tags come to, by how they are written.
        self.usual: dict[str, _Usual] = {}
        # A remote picture that a source element offers for the img to come.
        self.offered = False
        self.skipping = ""
        self.skipped = self.holding = 0
        # No element so far changes what another means.
        self.simple = True

    def write(self, page: Iterable[Block]) -> None:
        """All of the page."""
        for texts, tags, sources, plain in page:
            self._block(texts if plain else list(map(_escaped, texts)), tags, sources)
        while self.open:
            self._close()

    def _block(self, texts: Sequence[str], tags: Sequence[Token], sources: Sequence[str]) -> None:
        """A stretch of the page."""
        out, opened = self.out, self.open
        put = out.append
        for text, tag, usual in zip(texts, tags, map(self.usual.get, sources)):
            if self.skipping:
                if self._skip(tag):
                    self._start(tag)
                continue
            put(text)
            if usual is None:
                usual = self._learn(tag)
            name, written, closes, attributes, within = usual
            if closes is None:
                if not written:
                    self._other(tag)
                elif opened and opened[-1] == name and not self.left_out:
                    del opened[-1]
                    put(written)
                else:
                    self._end(name)
                continue
            if attributes is not None:
                if self.style_room < 0:
                    self._start(tag)
                    continue
                self.blocked += attributes.blocked
                self.style_room -= attributes.styled
            if opened and closes:
                ended, scope = closes
                last = opened[-1]
                if last in ended or last not in scope:
                    self._close_up_to(ended, scope)
            if within is not None and (opened[-1] if opened else "") not in within:
                self.simple = False
            if name in VOID:
                put(written)
            elif len(opened) >= DEEPEST:
                self.left_out[name] = self.left_out.get(name, 0) + 1
            else:
                opened.append(name)
                put(written)
        if not self.skipping:
            put(texts[-1])

    def _learn(self, tag: Token) -> _Usual:
        """What a tag comes to wherever it stands, if there is such a thing."""
        name, usual = _SHOWN_AS.get(tag.name, tag.name), _NOT_USUAL
        if not tag.source or (tag.kind == "start" and self.style_room < 0):
            return usual
        if tag.kind == "end" and tag.name in _ELEMENTS:
            usual = _Usual(name, f"</{name}>", None, None, None)
        elif tag.kind == "start" and name in _ELEMENTS and (name != "img" or not tag.attributes):
            read = self._read(name, tag) if tag.attributes else None
            usual = _Usual(
                name, f"<{name}{read.text if read else ''}>", _ENDED_BY.get(name, ()), read, WITHIN.get(name, NOWHERE))
        self.usual[tag.source] = usual
        return usual

    def _other(self, tag: Token) -> None:
        if tag.kind == "start":
            self._start(tag)
        elif tag.kind == "end":
            self._end(tag.name)

    # What is dropped whole

    def _skip(self, token: Token) -> bool:
        """Pass over a token inside something dropped; True when it is outside after all."""
        name = token.name
        if token.kind == "raw" and name == "style":
            self.blocked += fetched_by(token.text)
        elif token.kind == "start":
            if self.skipping in ("svg", "math"):
                if name in _BREAKOUT and not self.holding:
                    self.skipping = ""
                    return True
                self.holding += name in _HOLD_HTML
                if name in _FOREIGN_FETCHES:
                    given = token.attributes
                    self._count(given.get("href") or given.get("xlink:href") or given.get("src") or "")
            self._count_style(token)
            self.skipped += name == self.skipping
        elif token.kind == "end":
            if name in _HOLD_HTML and self.holding:
                self.holding -= 1
            if name == self.skipping:
                self.skipped -= 1
                if not self.skipped:
                    self.skipping = ""
        return False

    def _count(self, url: str) -> bool:
        """Whether a URL is remote; then it is counted as blocked."""
        remote = REMOTE.match(browsed(url)) is not None
        self.blocked += remote
        return remote

    def _count_style(self, token: Token) -> None:
        style = token.attributes.get("style", "")
        if "(" in style:
            self._style_read(attributes({"style": style}, self.dark, self.style_room < 0))

    def _style_read(self, read: Attributes) -> str:
        self.blocked += read.blocked
        self.style_room -= read.styled
        return read.text

    # Elements

    def _start(self, token: Token) -> None:
        given = token.attributes
        name = _SHOWN_AS.get(token.name, token.name)
        if name not in _ELEMENTS:
            if name in _SKIPPED:
                self._count_style(token)
                self.skipping, self.skipped, self.holding = name, 1, 0
            else:
                self._unshown(name, token)
            return
        if self.open and name in _ENDED_BY:
            ended, scope = _ENDED_BY[name]
            last = self.open[-1]
            if last in ended or last not in scope:
                self._close_up_to(ended, scope)
        within = WITHIN.get(name, NOWHERE)
        if within is not None and (self.open[-1] if self.open else "") not in within:
            self.simple = False
        written = "" if not given else self._image(given) if name == "img" else self._attributes(name, token)
        if name in VOID:
            self.out.append(f"<{name}{written}>")
        elif len(self.open) >= DEEPEST:
            self.left_out[name] = self.left_out.get(name, 0) + 1
        else:
            self.open.append(name)
            self.out.append(f"<{name}{written}>")

    def _unshown(self, name: str, token: Token) -> None:
        """An element that is left out, with its content kept."""
        given = token.attributes
        if name == "link":
            if re.search(r"stylesheet|icon|preload|prefetch", given.get("rel", ""), re.IGNORECASE):
                self._count(given.get("href", ""))
        elif name == "source":
            source = browsed(given.get("srcset", ""))
            self.offered = self.offered or REMOTE.match(source) is not None
        elif name == "video":
            self._count(given.get("poster", ""))
        elif name == "input" and given.get("type", "").lower() == "image":
            self._count(given.get("src", ""))
        if "background" in given:
            self._count(given["background"])
        self._count_style(token)

    def _end(self, name: str) -> None:
        if self.left_out.get(name):
            self.left_out[name] -= 1
            return
        if name == "picture" and self.offered:
            self.offered = False
            self.blocked += 1
        if self.open and self.open[-1] == name:
            self._close()
        elif name in _ELEMENTS and name not in VOID:
            self._close_up_to(frozenset((name,)), _TABLE_SCOPE if name in _TABLE else _SCOPES)

    def _close_up_to(self, names: frozenset[str], scope: frozenset[str]) -> None:
        """Close the innermost of C{names} and what is in it, unless one of C{scope} stands between."""
        for at in range(len(self.open) - 1, -1, -1):
            if self.open[at] in names:
                while len(self.open) > at:
                    self._close()
                return
            if self.open[at] in scope:
                return

    def _close(self) -> None:
        self.out.append(f"</{self.open.pop()}>")

    # Attributes

    def _attributes(self, name: str, token: Token) -> str:
        """The attributes of a tag."""
        return self._style_read(attributes(token.attributes, self.dark, self.style_room < 0, name == "a"))

    def _read(self, name: str, token: Token) -> Attributes:
        """The attributes of a tag that is written as most are, in a page that may still have style."""
        given, source = token.attributes, token.source
        # Addresses are seldom the same on another page.
        common = len(source) <= LONGEST_COMMON and "href" not in given
        return common_attributes(source, self.dark) if common else attributes(given, self.dark, False, name == "a")

    def _image(self, given: Mapping[str, str]) -> str:
        source = browsed(given.get("src") or given.get("href") or "")
        candidates = [browsed(one.strip().partition(" ")[0])
                      for one in given.get("srcset", "")[:LONGEST_URL].split(",")] if "srcset" in given else []
        shown = ""
        if source[:4].lower() == "cid:":
            shown = (self.cid_url(unquote(source[4:])) if self.cid_url is not None else None) or ""
        elif _DATA.match(source) is not None:
            head, _, data = source.partition(",")
            data = data.replace(" ", "")
            shown = f"{head},{data}" if _BASE64.fullmatch(data) else ""
        elif self.remote:
            shown = next((one for one in (source, *candidates) if _WEB.match(one) and len(one) <= LONGEST_URL), "")
        offered, self.offered = self.offered, False
        if not shown and (offered or any(REMOTE.match(one) for one in (source, *candidates))):
            # One picture, however many places it could come from.
            self.blocked += 1
        looks = {key: value for key, value in given.items() if key not in _SOURCES}
        others = self._style_read(attributes(looks, self.dark, self.style_room < 0)) if looks else ""
        return f' src="{escape(shown)}"{others}' if shown else others


def _escaped(text: str) -> str:
    if "\0" in text:
        text = text.replace("\0", "")
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


_TABLE_SCOPE = frozenset(("table",))
_SOURCES = frozenset(("src", "srcset", "href"))
