"""
What SEARCH and SORT are to answer: their result options, and pages of results.

Source: RFC 4731 (ESEARCH), RFC 5182 (SEARCHRES), RFC 5267 (ESORT, CONTEXT), RFC 9394 (PARTIAL), RFC
5465 section 7.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from simmail.imap.fetch.items import Item, parse_items
from simmail.imap.search.paging import Page, parse_page
from simmail.imap.wire.numbers import runs
from simmail.imap.wire.parser import Arguments
from simmail.imap.wire.replies import Bad
from simmail.imap.wire.sequence import Ranges, show_ranges

if TYPE_CHECKING:
    from simmail.imap.server import ImapServer

#: Numbers, or runs of them, of one piece of an answer.
SLICE = 4000

#: What both take, and what SEARCH alone takes.
SORTED = frozenset((b"MIN", b"MAX", b"ALL", b"COUNT", b"PARTIAL", b"CONTEXT", b"UPDATE"))
SEARCHED = SORTED | {b"SAVE"}


class Wanted(NamedTuple):
    """
    Result options; those that have an argument are also there on their own.

    @ivar items: what is told of messages that come into results that are kept up to date (RFC 5465 section 7).
    """

    options: frozenset[bytes]
    page: Page | None = None
    items: tuple[Item, ...] = ()


def return_options(arguments: Arguments, known: frozenset[bytes]) -> Wanted | None:
    """C{RETURN (...)}, None when it is not there."""
    if not arguments.skip(b"RETURN ("):
        return None
    options: set[bytes] = set()
    page: Page | None = None
    items: tuple[Item, ...] = ()
    first = True
    while not arguments.skip(b")"):
        if not first:
            arguments.space()
        first = False
        word = arguments.word()
        if word not in known:
            raise Bad(f"Unknown result option {word.decode('ascii', 'replace')[:50]}")
        if word == b"PARTIAL":
            if page is not None:
                raise Bad("More than one PARTIAL")
            arguments.space()
            page = parse_page(arguments)
        elif word == b"UPDATE" and arguments.octets[arguments.at:arguments.at + 2] == b" (":
            arguments.space()
            items = tuple(parse_items(arguments))
        options.add(word)
    arguments.space()
    if page is not None and b"ALL" in options:
        raise Bad("PARTIAL and ALL exclude each other")
    return Wanted(frozenset(options) or frozenset((b"ALL",)), page, items)


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
    imap: ImapServer, count: int, number: Callable[[int], int], wanted: Wanted, modseq: bytes, uid: bool,
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


async def _ranges(imap: ImapServer, count: int, number: Callable[[int], int]) -> bytes:
    """Ascending numbers as a set."""
    found: Ranges = []
    for at, (first, last) in enumerate(runs(count, number)):
        if found and found[-1][1] + 1 == first:
            first = found.pop()[0]
        found.append((first, last))
        if not at % SLICE:
            await imap.breathe()
    return show_ranges(found)


async def _in_order(imap: ImapServer, count: int, number: Callable[[int], int]) -> bytes:
    """Numbers as a set that keeps their order (RFC 5267 section 3.2)."""
    found: Ranges = []
    for at in range(count):
        one = number(at)
        if found and found[-1][1] + 1 == one:
            found[-1] = found[-1][0], one
        else:
            found.append((one, one))
        if not at % SLICE:
            await imap.breathe()
    return show_ranges(found)
