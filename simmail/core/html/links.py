"""
The links of a mail: where they lead, what they say, what they are for.

Source: decisions, section 4 (C{kind: verify|sign_in|reset|invite|unsubscribe|tracking|other}).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

from msgspec import Struct

from simmail.core.html.tokenizer import blocks
from simmail.core.language_data import words_in

LinkKind = Literal["verify", "sign_in", "reset", "invite", "unsubscribe", "tracking", "other"]

#: Links told of one mail, characters of a URL and of its text.
MOST_LINKS, LONGEST_URL, LONGEST_TEXT = 500, 8192, 200
#: Characters of each body that a reader looks at for links, and links met there.
LOOKED_AT, MOST_MET = 65_536, 200


class Anchor(NamedTuple):
    """
    A link as a reader meets it.

    @ivar url: as written (references decoded); text: what one clicks (the URL itself where it stands bare).
    @ivar context: the words before a link that stands bare.
    """

    url: str
    text: str
    context: str = ""


class Link(Struct, frozen=True):
    """
    One link.

    @ivar url: http or https, as it stands in the mail with references decoded.
    @ivar text: what is shown for it, C{""} where it shows itself.
    @ivar host: in lower case, without port.
    @ivar kind: what it is for.
    """

    url: str
    text: str
    host: str
    kind: LinkKind


_URL = re.compile(r"https?://[^\s<>\"'`\x00-\x1f]{1,8192}", re.IGNORECASE)
_AUTHORITY_END = re.compile(r"[/?#\\]")
_TRAILING = ".,;:!?'\"*_|"

# In this order: the first that fits the words wins.
_PURPOSES: tuple[LinkKind, ...] = ("unsubscribe", "reset", "verify", "invite", "sign_in")
_WORDS = tuple((kind, re.compile(rf"(?:{'|'.join(words_in('extraction.yaml', kind))})\w*")) for kind in _PURPOSES)
_TRACKING = re.compile(
    r"https?://(?:(?:click|clicks|trk|track|tracking|links?|lnk|mailtrack|mandrillapp|sendgrid|url\d{1,5}|ct|r)"
    r"\.[^/]{1,200}/|[^/]{1,200}/(?:ls/click|wf/(?:click|open)|track(?:/|ing/)?(?:click|open)?|click|trk|redirect|r/"
    r"|e/c|cl0|f/a|lt\.php)[/?=])", re.IGNORECASE)


def find_links(text: str, html: str = "") -> tuple[Link, ...]:
    """The links of the HTML and of the text, in their order, each URL once."""
    found: dict[str, Link] = {}
    for href, shown in _clicked(html) if html else ():
        url = _web(href)
        if len(found) >= MOST_LINKS:
            break
        if url and (url not in found or (shown and not found[url].text)):
            link = _link(url, shown, shown)
            if link is not None:
                found[url] = link
    for url, shown, context in _written(text):
        if len(found) >= MOST_LINKS:
            break
        if url not in found:
            link = _link(url, shown, context)
            if link is not None:
                found[url] = link
    return tuple(found.values())


def _link(url: str, shown: str, context: str) -> Link | None:
    try:
        host = urlsplit(url).hostname
    except ValueError:
        return None
    if not host:
        return None
    return Link(url, "" if shown.strip() == url else shown, host, _kind(url, shown, context))


def _kind(url: str, shown: str, context: str) -> LinkKind:
    # What the link itself says counts before its address (whose host names no purpose), and the words around it last:
    # they may be about something else.
    path = url.partition("://")[2].partition("/")[2].lower()[:500]
    for said in (shown.lower(), path, context.lower()):
        for kind, words in _WORDS:
            if words.search(said) is not None:
                return kind
    return "tracking" if _TRACKING.match(url) is not None else "other"


def anchors(text: str, html: str) -> tuple[Anchor, ...]:
    """Return the links of a mail as a reader meets them, each URL once: of its HTML, else of its text."""
    found = (Anchor(url, shown) for url, shown in _clicked(html[:LOOKED_AT])) if html else (
        Anchor(url, url, context) for url, _, context in _written(text[:LOOKED_AT]))
    first: dict[str, Anchor] = {}
    for one in found:
        if one.url not in first:
            if len(first) >= MOST_MET:
                break
            first[one.url] = one
    return tuple(first.values())


def unsubscribes(one: Anchor) -> bool:
    """Return whether a link is one to unsubscribe, by what it says, where it leads or the words before it."""
    return any(map(unsubscribing, (one.text, one.url, one.context)))


def unsubscribing(text: str) -> str:
    """Return the first words of a text that speak of unsubscribing, in lower case; C{""} for none."""
    found = _WORDS[0][1].search(text.lower())
    return "" if found is None else found[0]


def host_of(url: str) -> str:
    """Return the host of an http(s) URL, lower case, without credentials and port; C{""} for anything else."""
    scheme, colon, rest = url.strip().partition("://")
    if not colon or scheme.lower() not in ("http", "https"):
        return ""
    authority = _AUTHORITY_END.split(rest, 1)[0]
    host = authority.rpartition("@")[2]
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower().rstrip(".")


def _clicked(html: str) -> Iterator[tuple[str, str]]:
    """(Address, text) of each link of a page, wherever it leads."""
    url = ""
    words: list[str] = []
    for texts, tags, _, _ in blocks(html):
        for text, tag in zip(texts, tags):
            name = tag.name
            if url:
                words.append(text)
                if name == "img":
                    words.append(tag.attributes.get("alt", ""))
            if name == "a" or name == "area":
                if url:
                    yield url, _short(" ".join(words))
                url = ""
                words.clear()
                if tag.kind == "start":
                    url = tag.attributes.get("href", "").strip()
                    if url and name == "area":
                        yield url, _short(tag.attributes.get("alt", ""))
                        url = ""
        if url:
            words.append(texts[-1])
    if url:
        yield url, _short(" ".join(words))


def _web(href: str) -> str:
    """An http(s) URL without the blanks browsers drop, C{""} for any other."""
    if len(href) > LONGEST_URL:
        return ""
    href = href.replace("\t", "").replace("\n", "").replace("\r", "")
    if not href[:8].lower().startswith(("http://", "https://")) or not href.isprintable() or " " in href:
        return ""
    return href


def _written(text: str) -> Iterator[tuple[str, str, str]]:
    """(URL, text, words that tell its purpose) of each link written out."""
    last = 0
    for match in _URL.finditer(text):
        url = match[0].rstrip(_TRAILING)
        for closing, opening in ((")", "("), ("]", "[")):
            # A bracket around the whole is no part of it.
            if url.endswith(closing):
                url = _within(url, closing, url.count(closing) - url.count(opening))
        before = text[max(last, match.start() - LONGEST_TEXT):match.start()]
        line = before.rpartition("\n")[2]
        # "text <url>", as HTML is rendered here and elsewhere.
        shown = line[:-1].strip(" -*>•\t") if line.endswith("<") else ""
        lines = [one for one in before.rstrip("< \n").split("\n") if one.strip()]
        yield url, shown, shown or " ".join(lines[-2:])[-100:]
        last = match.end()


def _within(url: str, closing: str, more: int) -> str:
    """A URL without the brackets at its end that close none of its own, of which there are C{more}."""
    end = len(url)
    while more > 0 and end > 8 and url[end - 1] == closing:
        more -= 1
        end -= 1
        while end and url[end - 1] in _TRAILING:
            end -= 1
    return url[:end]


def _short(text: str) -> str:
    return " ".join(text.split())[:LONGEST_TEXT]
