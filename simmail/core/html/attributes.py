"""
What is kept of the attributes of an element of HTML mail that is shown, and how it is written.

Values that only say how things look, links to the web, and style attributes
cleaned; nothing that fetches.  A tag that is written alike on many pages is
worked out once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from html import escape
from typing import NamedTuple

from simmail.core.html.css import clean_style, colour_style, fetched_by
from simmail.core.html.tokenizer import common_tag

#: Attributes that are kept as they are when their value is plain, and those that are text.
PLAIN_VALUES = frozenset(
    "abbr align border cellpadding cellspacing clear cols colspan compact datetime dir face frame headers height hspace"
    " lang noshade nowrap open reversed rows rowspan rules scope size span start type valign value vspace"
    " width".split())
TEXTS = frozenset(("title", "alt"))
_PLAIN_VALUE = re.compile(r"[\w %.,#+*:'-]{0,100}")
_LONGEST_TEXT, LONGEST_URL = 2000, 16 * 1024

_LINK = re.compile(r"(?:https?://|mailto:|tel:)[^\s]", re.IGNORECASE)
#: The beginning of a URL that leads to another machine.
REMOTE = re.compile(r"(?:https?:|ftp:|[\\/]{2})", re.IGNORECASE)
# What browsers drop from URLs before they read them.
_DROPPED = {ord(one): None for one in "\t\n\r"}
_EDGES = "".join(map(chr, range(33)))


class Attributes(NamedTuple):
    """
    The attributes of one element.

    @ivar text: as they are written, each after a blank.
    @ivar blocked: what they would fetch; styled: characters of style that were read.
    """

    text: str
    blocked: int = 0
    styled: int = 0


def attributes(given: Mapping[str, str], dark: bool, unstyled: bool = False, link: bool = False) -> Attributes:
    """
    What is kept of attributes.

    @param dark: colours get a counterpart for dark mode.
    @param unstyled: the page has had all the style that it may have.
    @param link: the element may lead somewhere.
    """
    kept: dict[str, str] = {}
    old: dict[str, str] = {}
    style = ""
    blocked = styled = 0
    for key, value in given.items():
        if key == "style":
            if unstyled:
                blocked += fetched_by(value)
            else:
                styled = len(value)
                style, more = clean_style(value, dark)
                blocked += more
        elif key == "background":
            blocked += REMOTE.match(browsed(value)) is not None
        elif key in ("bgcolor", "color", "text"):
            old["background-color" if key == "bgcolor" else "color"] = value
            if key != "text" and _PLAIN_VALUE.fullmatch(value):
                kept[key] = value
        elif key == "href":
            address = browsed(value)
            if link and _LINK.match(address) is not None and len(address) <= LONGEST_URL:
                kept["href"] = address
        elif key in TEXTS:
            kept[key] = value[:_LONGEST_TEXT]
        elif key in PLAIN_VALUES and _PLAIN_VALUE.fullmatch(value):
            kept[key] = value
    for key, value in old.items():
        # An old attribute yields to the style beside it.
        if not style.startswith(f"{key}:") and f"; {key}:" not in style:
            style = "; ".join(filter(None, (colour_style(key, value, dark), style)))
    if style:
        kept["style"] = style
    return Attributes("".join([f' {key}="{escape(value)}"' for key, value in kept.items()]), blocked, styled)


@lru_cache(1024)
def common_attributes(source: str, dark: bool) -> Attributes:
    """What is kept of a tag that is written as most are, and is no longer than L{LONGEST_COMMON}."""
    return attributes(common_tag(source)[0].attributes, dark)


def browsed(value: str) -> str:
    """A URL as browsers take it from an attribute."""
    return value.strip(" ") if value.isprintable() else value.translate(_DROPPED).strip(_EDGES)
