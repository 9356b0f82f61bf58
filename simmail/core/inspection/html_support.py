"""
What the recipient's client makes of HTML and CSS, by the data of caniemail.com (C{html_support.yaml}).

What a mail uses is found by its words: elements, attributes, properties, functions, units.  Nothing is laid out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import Literal, NamedTuple

from simmail.core.html.css import COMMENT
from simmail.core.html.tokenizer import Token, tokens
from simmail.core.language_data import read_yaml

#: Characters of HTML and of CSS that are looked at, warnings given.
_LOOKED_AT, _MOST_CSS, _MOST_WARNINGS = 512 * 1024, 256 * 1024, 100

#: Yes, in part or with a bug, no, not known.
Support = Literal["y", "a", "n", "u"]

_DECLARATION = re.compile(r"(?<![\w-])(--[\w-]{1,60}|-?[a-z][a-z-]{1,40})\s{0,9}:\s{0,9}([^;{}]{1,500})")
_FUNCTION = re.compile(r"([a-z][a-z-]{1,30})\(")
_UNIT = re.compile(r"(?<![\w#.-])-?\d{0,9}\.?\d{1,9}(%|[a-z]{1,4})(?![\w-])")
_WORD = re.compile(r"!?[a-z][a-z-]{1,30}")
_AT = re.compile(r"@([a-z-]{2,20})")
_PSEUDO = re.compile(r"(::?[a-z-]{3,30})(?=[^;{}]{0,300}\{)")
_IMAGE = re.compile(r"\.([a-z0-9]{2,5})(?:[?#]|$)")

#: What clients are called to people.
_NAMES = {"gmail": "Gmail", "outlook": "Outlook for Windows", "apple": "Apple Mail", "iphone": "Mail on the iPhone",
          "android": "Gmail for Android"}


class Feature(NamedTuple):
    """One feature: its title, when it was tested, and by client whether it is shown and what is to be known of that."""

    title: str
    tested: str
    support: Mapping[str, Support]
    notes: Mapping[str, str]


class HtmlSupport(NamedTuple):
    """
    What a client shows.

    @ivar score: percent of the features in use that are shown, half for those in part.
    """

    score: float
    warnings: tuple[str, ...]


@cache
def features() -> Mapping[str, Feature]:
    """Return the features by what is found of them in a mail, such as C{property border-radius}."""
    found: dict[str, Feature] = {}
    for row in read_yaml("inspection", "html_support.yaml")["features"].values():
        one = Feature(row["title"], row["tested"], row["support"], row.get("notes", {}))
        for match in row["match"]:
            found.setdefault(match, one)
    return MappingProxyType(found)


def supported(html: str, client: str) -> HtmlSupport:
    """
    Return what a client shows of HTML.

    @param client: of C{style.client}; where it is not known, C{""}, all of them are asked.
    """
    if not html:
        return HtmlSupport(100.0, ())
    if client == "plain":
        return HtmlSupport(0.0, ("a client for plain text shows the text/plain alternative, not the HTML",))
    clients = (client,) if client in _NAMES else tuple(_NAMES)
    known = features()
    used = {feature.title: feature for feature in (known[use] for use in _used(html) if use in known)}
    points = 0.0
    warnings: dict[str, None] = {}
    for feature in used.values():
        worst = [one for one in clients if feature.support.get(one) in ("a", "n")]
        points += sum({"n": 0.0, "a": 0.5}.get(feature.support.get(one, "u"), 1.0) for one in clients) / len(clients)
        for one in worst:
            note = feature.notes.get(one, "")
            says = "does not show" if feature.support[one] == "n" else "shows in part"
            warnings[f"{_NAMES[one]} {says} {feature.title}, tested {feature.tested}" + f": {note}" * bool(note)] = None
    score = round(100 * points / len(used), 1) if used else 100.0
    return HtmlSupport(score, tuple(warnings)[:_MOST_WARNINGS])


def _used(html: str) -> dict[str, None]:
    """What HTML uses, each once, in order."""
    found: dict[str, None] = {}
    left = _MOST_CSS
    for token in tokens(html[:_LOOKED_AT]):
        css, sheet = "", False
        if token.kind == "start":
            found.update(dict.fromkeys(_of_tag(token)))
            css = token.attributes.get("style", "")
        elif token.kind == "raw" and token.name == "style":
            css, sheet = token.text, True
        if css and left > 0:
            found.update(dict.fromkeys(_of_css(css[:left].lower(), sheet)))
            left -= len(css)
    return found


def _of_tag(token: Token) -> Iterator[str]:
    if token.name == "input":
        yield f"input {token.attributes.get('type', 'text').lower()}"
    yield f"element {token.name}"
    for name in token.attributes:
        yield f"attribute {name}"
    source = token.attributes.get("src", "").lower()[:2000] if token.name == "img" else ""
    if source.startswith("data:"):
        yield "image data:"
    elif (match := _IMAGE.search(source)) is not None:
        yield f"image {match[1]}"


def _of_css(css: str, sheet: bool) -> Iterable[str]:
    css = COMMENT.sub(" ", css)
    if sheet:
        for match in _AT.finditer(css):
            yield f"at {match[1]}"
        for match in _PSEUDO.finditer(css):
            yield f"pseudo {match[1]}"
    for match in _DECLARATION.finditer(css):
        name, value = match[1], match[2].strip()
        yield f"property {name}"
        yield f"value {name} {value.split('!')[0].strip()}"
        for kind, pattern in (("function", _FUNCTION), ("unit", _UNIT)):
            for one in pattern.finditer(value):
                yield f"{kind} {one[1]}"
        for one in _WORD.finditer(value):
            yield f"word {one[0]}"
