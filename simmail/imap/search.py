"""
SEARCH and UID SEARCH, with result options and saved results.

Source: RFC 3501 section 6.4.4, RFC 4731 (ESEARCH), RFC 5182 (SEARCHRES), RFC 7162 section 3.1.5.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from simmail.imap.copying import selected_of
from simmail.imap.numbers import placed, runs
from simmail.imap.replies import Bad, No
from simmail.imap.search_keys import Either, Every, Key, Modseq, Not, parse_charset, parse_keys
from simmail.imap.searching import Search
from simmail.imap.sequence import Ranges, show_ranges
from simmail.imap.session import Selected
from simmail.imap.tokens import Arguments

if TYPE_CHECKING:
    from simmail.imap.server import ImapServer

#: Numbers, or runs of them, of one piece of an answer.
SLICE = 4000

_OPTIONS = frozenset((b"MIN", b"MAX", b"ALL", b"COUNT", b"SAVE"))


async def search(imap: ImapServer, arguments: Arguments, uid: bool = False) -> bytes:
    """SEARCH and UID SEARCH."""
    selected = selected_of(imap)
    arguments.space()
    options = return_options(arguments)
    saves = options is not None and b"SAVE" in options
    try:
        parse_charset(imap, arguments)
        keys = parse_keys(arguments)
        arguments.end()
    except No:
        if saves:
            # RFC 5182 section 2.1: a search that is refused leaves nothing saved.
            selected.saved = []
        raise
    if options is None and selected.rev2:
        options = {b"ALL"}
    with_modseq = asks_modseq(keys)
    if with_modseq:
        imap.enabled.add(b"CONDSTORE")
    found = await Search(selected, imap.login.universe.clock.now(), imap.breathe).find(keys)
    if options is not None and saves:
        selected.saved = _saved(found, options)
    number = found.__getitem__ if uid else placed(found, selected.uids)
    modseq = b""
    if with_modseq:
        modseq = highest(selected, _saved(found, options or set()))
    if options is None:
        await _classic(imap, len(found), number, modseq)
    elif options != {b"SAVE"}:
        await _extended(imap, len(found), number, options, modseq, uid)
    return b"SEARCH completed"


def highest(selected: Selected, uids: Sequence[int]) -> bytes:
    """The highest mod-sequence of some messages, empty when there are none."""
    known = [one for one in selected.folder.column("modseq", uids) if one is not None]
    return b"%d" % max(known) if known else b""


async def numbered(imap: ImapServer, selected: Selected, uids: list[int]) -> list[int]:
    """The sequence numbers of UIDs the client knows, in the same order."""
    known = selected.uids
    if not uids or known[-1] - known[0] + 1 == len(known) == known[-1]:
        # Nothing was ever expunged.
        return uids
    numbers: list[int] = []
    for begin in range(0, len(uids), SLICE):
        numbers.extend(map(selected.sequence, uids[begin:begin + SLICE]))
        await imap.breathe()
    return numbers


def return_options(arguments: Arguments) -> set[bytes] | None:
    """C{RETURN (...)}, None when it is not there."""
    if not arguments.skip(b"RETURN ("):
        return None
    options: set[bytes] = set()
    first = True
    while not arguments.skip(b")"):
        if not first:
            arguments.space()
        first = False
        word = arguments.word()
        if word not in _OPTIONS:
            raise Bad(f"Unknown result option {word.decode('ascii', 'replace')[:50]}")
        options.add(word)
    arguments.space()
    return options or {b"ALL"}


def asks_modseq(key: Key) -> bool:
    """Whether a search looks at mod-sequences, so that its answer tells one (RFC 7162 section 3.1.5)."""
    if isinstance(key, Every):
        return any(map(asks_modseq, key.keys))
    if isinstance(key, Either):
        return asks_modseq(key.first) or asks_modseq(key.second)
    return asks_modseq(key.key) if isinstance(key, Not) else isinstance(key, Modseq)


def _saved(found: Sequence[int], options: set[bytes]) -> list[int]:
    """What C{$} means afterwards (RFC 5182 section 2.4), and whose MODSEQ is told (RFC 7162 section 3.1.10)."""
    if not found or options & {b"ALL", b"COUNT"} or not options & {b"MIN", b"MAX"}:
        return list(found)
    ends = ([found[0]] if b"MIN" in options else []) + ([found[-1]] if b"MAX" in options else [])
    return sorted(set(ends))


async def _classic(imap: ImapServer, count: int, number: Callable[[int], int], modseq: bytes) -> None:
    imap.write(b"* SEARCH")
    pieces: list[bytes] = []
    digits = imap.factory.digits
    for first, last in runs(count, number):
        pieces.append(digits.run(first, last))
        if len(pieces) >= SLICE:
            await imap.send(b" " + b" ".join(pieces))
            pieces = []
    if pieces:
        await imap.send(b" " + b" ".join(pieces))
    imap.write(b" (MODSEQ %b)\r\n" % modseq if modseq else b"\r\n")


async def _extended(
    imap: ImapServer, count: int, number: Callable[[int], int], options: set[bytes], modseq: bytes, uid: bool
) -> None:
    shown = b'* ESEARCH (TAG "%b")' % imap.tag
    if uid:
        shown += b" UID"
    if count:
        if b"MIN" in options:
            shown += b" MIN %d" % number(0)
        if b"MAX" in options:
            shown += b" MAX %d" % number(count - 1)
        if b"ALL" in options:
            shown += b" ALL " + await _ranges(imap, count, number)
    if b"COUNT" in options:
        shown += b" COUNT %d" % count
    if modseq:
        shown += b" MODSEQ " + modseq
    await imap.send(shown + b"\r\n")


async def _ranges(imap: ImapServer, count: int, number: Callable[[int], int]) -> bytes:
    """Numbers as a set."""
    found: Ranges = []
    for at, (first, last) in enumerate(runs(count, number)):
        if found and found[-1][1] + 1 == first:
            first = found.pop()[0]
        found.append((first, last))
        if not at % SLICE:
            await imap.breathe()
    return show_ranges(found)
