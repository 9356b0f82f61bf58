"""
Safe pages put together from safe pieces.

Some elements change what others around them mean: what stands in a table
beside its cells is moved out of it, a list item ends the one before it.  In
a page without them a parser of the HTML standard finds what is written, so
that each tag can be cleaned by itself; most have been before.  The result is
the one that cleaning the whole has.  Source: HTML standard, 13.2.6.4.7.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

#: Nowhere is an element simple.
NOWHERE: frozenset[str] = frozenset()

_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_LISTS = frozenset(("ul", "ol", "menu", "dir"))
_ANYWHERE = frozenset(
    "a abbr acronym b bdi bdo big cite code del dfn em font i ins kbd mark q s samp small span strike strong sub sup tt"
    " u var time address article aside blockquote center details dir div dl figcaption figure footer header main menu"
    " nav ol p section summary ul br hr img wbr".split())

#: Elements that mean the same wherever they stand (None), or within some others only; the rest never does.
WITHIN: Mapping[str, frozenset[str] | None] = MappingProxyType({
    **dict.fromkeys(_ANYWHERE), **dict.fromkeys(_HEADINGS, _ANYWHERE | {"li", "dt", "dd", ""}),
    "li": _LISTS, "dt": frozenset(("dl",)), "dd": frozenset(("dl",)),
})

#: What parsers read as something else, or leave out.
_CHANGED = ("\r", "\ufeff", "\0")
#: Tags that are no longer are remembered.
_LONGEST_COMMON = 400

Clean = Callable[[str], str]


def pieced(written: Sequence[str], clean: Clean) -> str | None:
    """
    A page put together from cleaned tags.

    @param written: its tags, and texts in which no bracket stands.
    @param clean: cleans HTML.
    @return: None for a page that must be cleaned as a whole.
    """
    tags: dict[str, str] = {}
    for tag in set(written):
        if tag[:1] == "<":
            cleaned = _common(tag, clean) if len(tag) <= _LONGEST_COMMON else _cleaned(tag, clean)
            if cleaned is None:
                return None
            tags[tag] = cleaned
    page = "".join(map(tags.get, written, written))
    count = sum(map(tags.__contains__, written))
    if page.count("<") != count or page.count(">") != count or any([one in page for one in _CHANGED]):
        return None
    return page.replace("\xa0", "&nbsp;")


def _cleaned(tag: str, clean: Clean) -> str | None:
    """A tag cleaned; None when not just that comes out."""
    if tag[1] == "/":
        return tag
    cleaned = clean(tag)
    end = f"</{tag[1:-1].partition(' ')[0]}>"
    cleaned = cleaned.removesuffix(end)
    return cleaned if cleaned.count("<") == 1 and cleaned[-1:] == ">" else None


_common = lru_cache(2048)(_cleaned)
