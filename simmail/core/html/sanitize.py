"""
HTML of mail, made safe to show.

nh3, a parser and serialiser of the HTML standard with a list of what is
allowed, does all of that in one pass, and asks here about the value of every
attribute it would keep.  Before that the page is only put into a form that a
parser reads in time (L{simmail.core.html.balance}) and that shows as much as
it can: nothing rests on it.  What is remote and will not be shown is counted
on the way.  Source: API contract, "Full-message answer"; HTML standard, 13.2.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from html import escape
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import unquote

import nh3

from simmail.core.html.balance import BalancedPage
from simmail.core.html.css import clean_style, colour, fetched_by
from simmail.core.html.tokenizer import LONGEST_COMMON, Token, blocks, common_tag, read_tag

#: Tags of a page that is read as it stands: whatever they are, that takes no time.
MOST_UNBALANCED = 500

_ELEMENTS = frozenset(
    "a abbr acronym address article aside b bdi bdo big blockquote br caption center cite code col colgroup dd del"
    " details dfn dir div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li main mark"
    " menu nav ol p pre q rp rt ruby s samp section small span strike strong sub summary sup table tbody td tfoot th"
    " thead time tr tt u ul var wbr".split())
# Left out with all that is in them; of others that are left out the content is kept.
_SKIPPED = frozenset("svg math template select datalist".split())
_RAW = frozenset("script style title textarea xmp iframe noembed noframes plaintext".split())
# What the parser is to see: also what holds HTML in foreign elements, which else would end them.
_READ = _ELEMENTS | _SKIPPED | {"image", "foreignobject", "desc"}

# Attributes that are kept as they are when their value is plain, and those that are text.
_PLAIN_VALUES = frozenset(
    "abbr align bgcolor border cellpadding cellspacing clear color cols colspan compact datetime dir face frame headers"
    " height hspace lang noshade nowrap open reversed rows rowspan rules scope size span start type valign value vspace"
    " width".split())
_TEXTS = frozenset(("title", "alt"))
_ATTRIBUTES = {"style", "href", "src"} | _PLAIN_VALUES | _TEXTS
_PLAIN_VALUE = re.compile(r"[\w %.,#+*:'-]{0,100}")
_LONGEST_TEXT, _LONGEST_URL = 2000, 16 * 1024
#: What comes of the attributes of a page is remembered if its tags are no longer: one sender's are written alike.
_LONGEST_REMEMBERED = 600
#: Characters of tags of a page whose style is read; behind them there is none.
_STYLED = 512 * 1024

_LINK = re.compile(r"(?:https?://|mailto:|tel:)[^\s]", re.IGNORECASE)
_WEB = re.compile(r"https?://[A-Za-z0-9\[\u0080-\U0010ffff]", re.IGNORECASE)
_DATA = re.compile(r"data:image/(?:png|gif|jpe?g|webp|bmp|x-icon|avif);base64,", re.IGNORECASE)
_BASE64 = re.compile(r"[A-Za-z0-9+/]++={0,2}")
# The beginning of a URL that leads to another machine.
_REMOTE = re.compile(r"(?:https?:|ftp:|[\\/]{2})", re.IGNORECASE)
# What browsers drop from URLs before they read them.
_DROPPED = {ord(one): None for one in "\t\n\r"}
_EDGES = "".join(map(chr, range(33)))

# Attributes that say colours in the old way, and the properties that do now.
_COLOURS = MappingProxyType({"bgcolor": "background-color", "color": "color", "text": "color"})
_DIGITS = re.compile(r"[0-9a-f]{6}")
_LINKED = re.compile(r"stylesheet|icon|preload|prefetch", re.IGNORECASE)
_FOREIGN_FETCHES = frozenset(("feimage", "use", "mglyph"))

CidUrl = Callable[[str], str | None]


def safe(html: str, remote: bool = False, light: bool = False, cid_url: CidUrl | None = None) -> tuple[str, int]:
    """
    Return C{(html, remote_blocked)}: a fragment that runs nothing and fetches nothing but what is allowed.

    No scripts, forms, frames, SVG, MathML, style sheets, comments, event
    attributes, classes or ids; links open in a new window.

    @param remote: let images over http and https be, and nothing else.
    @param light: leave colours alone instead of giving them a dark counterpart.
    @param cid_url: the URL for a Content-ID (without brackets), None for one that is unknown.
    @return: the second part counts remote images, backgrounds, fonts and sheets that are not shown.
    """
    readable, blocked, common = _readable(html, remote)
    if cid_url is not None and 'src="cid:' in readable:
        # Where its images are is known for this page only.
        cleaner = _new_cleaner(partial(_kept, remote, not light, cid_url))
    else:
        cleaner = _cleaner(remote, not light, common)
    shown = cleaner.clean(readable)
    if not light:
        shown = f'<div style="color-scheme: light dark">{shown}</div>'
    return shown, blocked


# Cleaning

def _new_cleaner(kept: Callable[[str, str, str], str | None]) -> nh3.Cleaner:
    """What lets known elements through, and of their known attributes what C{kept} says."""
    return nh3.Cleaner(
        tags=set(_ELEMENTS), clean_content_tags=set(_SKIPPED | _RAW), attributes={"*": _ATTRIBUTES},
        attribute_filter=kept, url_schemes={"http", "https", "mailto", "tel", "data", "cid"},
        link_rel="noopener noreferrer nofollow", set_tag_attribute_values={"a": {"target": "_blank"}})


@lru_cache
def _cleaner(remote: bool, dark: bool, common: bool) -> nh3.Cleaner:
    """What cleans; with C{common} it remembers what came of an attribute, of which there must be no long ones."""
    kept = partial(_kept, remote, dark, None)
    return _new_cleaner(lru_cache(2048)(kept) if common else kept)


def _kept(remote: bool, dark: bool, cid_url: CidUrl | None, element: str, name: str, value: str) -> str | None:
    """What is kept of an attribute that nh3 knows, None for nothing."""
    if name == "style":
        return clean_style(value, dark) or None
    if name == "href":
        return (_link(value) or None) if element == "a" else None
    if name == "src":
        return (_picture(_browsed(value), remote, cid_url) or None) if element == "img" else None
    if name in _TEXTS:
        return value[:_LONGEST_TEXT]
    return value if _PLAIN_VALUE.fullmatch(value) is not None else None


def _picture(source: str, remote: bool, cid_url: CidUrl | None) -> str:
    """Where an image may come from, C{""} for nowhere."""
    if source[:4].lower() == "cid:":
        return (cid_url(unquote(source[4:])) if cid_url is not None else None) or ""
    if _DATA.match(source) is not None:
        head, _, data = source.partition(",")
        data = data.replace(" ", "")
        return f"{head},{data}" if _BASE64.fullmatch(data) else ""
    return source if remote and _WEB.match(source) is not None and len(source) <= _LONGEST_URL else ""


def _link(value: str) -> str:
    """Where a link may lead, C{""} for nowhere."""
    url = _browsed(value)
    return url if _LINK.match(url) is not None and len(url) <= _LONGEST_URL else ""


def _browsed(value: str) -> str:
    """A URL as browsers take it from an attribute."""
    return value.strip(" ") if value.isprintable() else value.translate(_DROPPED).strip(_EDGES)


# Reading

class _Read(NamedTuple):
    """A tag as it is written for the parser, C{""} for none, and how much that is remote it would fetch in vain."""

    written: str
    fetches: int = 0


class _Tags(dict[str, str]):
    """
    The tags of a page as the parser is to see them, by how they are written there.

    @ivar fetches: of those that would fetch something.
    @ivar common: all are written as most are, and short.
    @ivar room: characters of tags that may still have style.
    """

    def __init__(self, remote: bool) -> None:
        super().__init__()
        self.remote, self.common, self.room = remote, True, _STYLED
        self.fetches: dict[str, int] = {}

    def __missing__(self, source: str) -> str:
        if len(source) <= LONGEST_COMMON and self.room > 0:
            found = _common_tag(source, self.remote)
        else:
            found = _read(read_tag(source)[0], self.remote, self.room > 0)
            self.common = self.common and len(source) <= _LONGEST_REMEMBERED
        if found.fetches:
            self.fetches[source] = found.fetches
        self[source] = found.written
        return found.written

    def strange(self, tag: Token) -> _Read:
        """Read a tag that is not written as most are."""
        self.common = self.common and not tag.attributes
        self.spend(len(tag.attributes.get("style", "")))
        return _read(tag, self.remote, self.room > 0)

    def spend(self, count: int) -> None:
        """So many characters of tags more."""
        if 0 < self.room <= count:
            self.clear()
        self.room -= count


def _readable(html: str, remote: bool) -> tuple[str, int, bool]:
    """
    A page as the parser is to see it: no comments, no content that is no markup, known tags only.

    @return: with it, how much remote is not in it and will not be shown, and whether its tags are common.
    """
    balanced = BalancedPage() if html.count("<") > MOST_UNBALANCED else None
    known = _Tags(remote)
    pieces: list[str] = []
    blocked = 0
    for texts, tags, sources, plain in blocks(html):
        if not plain:
            texts = list(map(_escaped, texts))
        known.spend(sum(map(len, sources)))
        if "" in sources:
            read = [known.strange(tag) if not source else _Read(known[source]) for source, tag in zip(sources, tags)]
            written = [one.written for one in read]
            blocked += sum([one.fetches for one in read])
        else:
            written = list(map(known.__getitem__, sources))
        if known.fetches:
            blocked += sum([known.fetches.get(source, 0) for source in sources])
        if balanced is None:
            pieces += chain.from_iterable(zip(texts, written))
            pieces.append(texts[-1])
        else:
            balanced.add(texts, tags, written)
    return "".join(pieces) if balanced is None else balanced.finish(), blocked, known.common


def _read(tag: Token, remote: bool, styled: bool = True) -> _Read:
    """A tag wherever it stands, without its style unless C{styled}."""
    # Parsers know no body within a page.
    name = "div" if tag.name == "body" else tag.name
    if tag.kind == "raw":
        return _Read("", fetched_by(tag.text) if name == "style" else 0)
    shown = name in _READ
    if tag.kind == "end":
        return _Read(f"</{name}>" if shown else "")
    given = tag.attributes
    if not given:
        return _Read(f"<{name}>" if shown else "")
    fetches = _fetched(name, given)
    if not shown:
        return _Read("", fetches)
    image, coloured = name in ("img", "image"), not given.keys().isdisjoint(_COLOURS)
    # nh3 would leave such an address out just as well, but put the other attributes in another order.
    astray = "href" in given and not _link(given["href"])
    if tag.source and name == tag.name and styled and not image and not coloured and not astray:
        return _Read(tag.source, fetches)
    kept = {key: value for key, value in given.items() if key in _ATTRIBUTES}
    if astray:
        del kept["href"]
    if image:
        source, missed = _source(given, remote)
        fetches += missed
        kept.pop("src", None)
        kept = {"src": source, **kept} if source else kept
    if not styled:
        kept.pop("style", None)
    elif coloured:
        kept["style"] = _with_colours(given)
    attributes = "".join([f' {key}="{escape(value)}"' for key, value in kept.items()])
    return _Read(f"<{name}{attributes}>", fetches)


@lru_cache(2048)
def _common_tag(source: str, remote: bool) -> _Read:
    return _read(common_tag(source)[0], remote)


def _source(given: Mapping[str, str], remote: bool) -> tuple[str, int]:
    """Where an image comes from, and how many it would have been from elsewhere: one, however many places say so."""
    places = [_browsed(given.get("src") or given.get("href") or "")]
    if "srcset" in given:
        places += [_browsed(one.strip().partition(" ")[0]) for one in given["srcset"][:_LONGEST_URL].split(",")]
    for place in places:
        if place[:4].lower() == "cid:":
            return f"cid:{place[4:]}", 0
        if _picture(place, remote, None):
            return place, 0
    return "", int(any(map(_REMOTE.match, places)))


def _fetched(name: str, given: Mapping[str, str]) -> int:
    """How much that is remote the attributes of an element would fetch, but for an image's own places."""
    places = [given.get("background", "")]
    if name == "link":
        places += [given.get("href", "")] if _LINKED.search(given.get("rel", "")) is not None else []
    elif name == "video":
        places.append(given.get("poster", ""))
    elif name == "input":
        places += [given.get("src", "")] if given.get("type", "").lower() == "image" else []
    elif name in _FOREIGN_FETCHES:
        places.append(given.get("href") or given.get("xlink:href") or given.get("src") or "")
    style = given.get("style", "")
    return sum([_REMOTE.match(_browsed(place)) is not None for place in places]) + (
        fetched_by(style) if "(" in style else 0)


def _with_colours(given: Mapping[str, str]) -> str:
    """The style of an element whose colours are told in the old way; it yields to the style beside it."""
    style = given.get("style", "")
    for key, name in _COLOURS.items():
        value = given.get(key, "").strip().lower()
        if _DIGITS.fullmatch(value):
            value = f"#{value}"
        if colour(value) and re.search(rf"(?:^|;)\s*{name}\s*:", style, re.IGNORECASE) is None:
            style = f"{name}: {value}; {style}".rstrip("; ")
    return style


def _escaped(text: str) -> str:
    return text.replace("\0", "").replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
