"""
What SEARCH and SORT are to answer: their result options, and pages of results.

Source: RFC 4731 (ESEARCH), RFC 5182 (SEARCHRES), RFC 5267 (ESORT, CONTEXT), RFC 9394 (PARTIAL), RFC
5465 section 7.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from simmail.imap.connection import ImapConnection
from simmail.imap.wire.fetch_items import Item, parse_items
from simmail.imap.wire.numbers import runs
from simmail.imap.wire.parser import Arguments
from simmail.imap.wire.replies import Bad
from simmail.imap.wire.sequence import PartialRange, Ranges, show_ranges

#: Numbers, or runs of them, of one piece of an answer.
SLICE = 4000


class Wanted(NamedTuple):
    """
    Result options; those that have an argument are also there on their own.

    @ivar items: what is told of messages that come into results that are kept up to date (RFC 5465 section 7).
    """

    options: frozenset[bytes]
    page: PartialRange | None = None
    items: tuple[Item, ...] = ()


def return_options(arguments: Arguments, known: ReturnOptions) -> Wanted | None:
    """Read C{RETURN (...)}; None when it is not there."""
    if not arguments.follows(b"RETURN ("):
        return None
    arguments.skip(b"RETURN ")
    found = arguments.options(known, "result option", optional=b"UPDATE")
    arguments.space()
    page = found.get(b"PARTIAL")
    if page is not None and b"ALL" in found:
        raise Bad("PARTIAL and ALL exclude each other")
    return Wanted(frozenset(found) or frozenset((b"ALL",)), page, tuple(found.get(b"UPDATE") or ()))


ReturnOptions = Mapping[bytes, Callable[[Arguments], Any] | None]

#: What both take, and what SEARCH alone takes.
SORTED: ReturnOptions = MappingProxyType({
    b"MIN": None, b"MAX": None, b"ALL": None, b"COUNT": None, b"PARTIAL": Arguments.partial_range, b"CONTEXT": None,
    b"UPDATE": parse_items})
SEARCHED: ReturnOptions = MappingProxyType({**SORTED, b"SAVE": None})


def saved(found: Sequence[int], wanted: Wanted | None) -> list[int]:
    """
    What C{$} means afterwards (RFC 5182 section 2.4, RFC 9394 section 3.2), and whose MODSEQ is told (RFC 7162
    section 3.1.10); in the order of C{found}.
    """
    if not found or wanted is None or wanted.options & {b"ALL", b"COUNT"} or not (
            wanted.page or wanted.options & {b"MIN", b"MAX"}):
        return list(found)
    begin, end = wanted.page.cut(len(found)) if wanted.page else (0, 0)
    places = set(range(begin, end))
    if b"MIN" in wanted.options:
        places.add(0)
    if b"MAX" in wanted.options:
        places.add(len(found) - 1)
    return [found[at] for at in sorted(places)]


async def extended(
    imap: ImapConnection, count: int, number: Callable[[int], int], wanted: Wanted, modseq: bytes, uid: bool,
    ascending: bool,
) -> None:
    """
    Send an ESEARCH response.

    @param number: of the result in a place.
    @param ascending: results are in the order of the mailbox.
    """
    options, page, _ = wanted
    shown = b'* ESEARCH (TAG "%b")' % imap.tag
    if uid:
        shown += b" UID"
    of = _ranges if ascending else _in_order
    if count:
        if b"MIN" in options:
            shown += b" MIN %d" % number(0)
        if b"MAX" in options:
            shown += b" MAX %d" % number(count - 1)
        if b"ALL" in options:
            shown += b" ALL " + await of(imap, count, number)
    if page is not None:
        begin, end = page.cut(count)
        results = await of(imap, end - begin, lambda at: number(begin + at)) if begin < end else b"NIL"
        shown += b" PARTIAL (%b %b)" % (page.text, results)
    if b"COUNT" in options:
        shown += b" COUNT %d" % count
    if modseq:
        shown += b" MODSEQ " + modseq
    await imap.send(shown + b"\r\n")


async def _ranges(imap: ImapConnection, count: int, number: Callable[[int], int]) -> bytes:
    """Ascending numbers as a set."""
    found: Ranges = []
    for at, (first, last) in enumerate(runs(count, number)):
        if found and found[-1][1] + 1 == first:
            first = found.pop()[0]
        found.append((first, last))
        if not at % SLICE:
            await imap.yield_to_reactor()
    return show_ranges(found)


async def _in_order(imap: ImapConnection, count: int, number: Callable[[int], int]) -> bytes:
    """Numbers as a set that keeps their order (RFC 5267 section 3.2)."""
    found: Ranges = []
    for at in range(count):
        one = number(at)
        if found and found[-1][1] + 1 == one:
            found[-1] = found[-1][0], one
        else:
            found.append((one, one))
        if not at % SLICE:
            await imap.yield_to_reactor()
    return show_ranges(found)
