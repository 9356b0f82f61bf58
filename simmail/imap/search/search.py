"""
SEARCH and UID SEARCH, with result options and saved results.

Source: RFC 3501 section 6.4.4, RFC 4731 (ESEARCH), RFC 5182 (SEARCHRES), RFC 7162 section 3.1.5.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from simmail.imap.connection import ImapConnection
from simmail.imap.contexts import SearchProgram
from simmail.imap.search.engine import SearchEngine
from simmail.imap.search.results import SEARCHED, SLICE, Wanted, extended, return_options, saved
from simmail.imap.search.updates import check_update, keep_updated
from simmail.imap.selected import Selected
from simmail.imap.wire.numbers import placed, runs
from simmail.imap.wire.parser import Arguments
from simmail.imap.wire.replies import Bad, No
from simmail.imap.wire.search_keys import Either, Every, Key, Modseq, Not, by_number, parse_charset, parse_keys


async def search(imap: ImapConnection, arguments: Arguments, uid: bool = False) -> bytes:
    """SEARCH and UID SEARCH."""
    selected = imap.require_selected()
    arguments.space()
    wanted = return_options(arguments, SEARCHED)
    saves = wanted is not None and b"SAVE" in wanted.options
    try:
        parse_charset(arguments, b"UTF8=ACCEPT" in imap.enabled)
        keys = parse_keys(arguments)
        arguments.end()
    except No:
        if saves:
            # RFC 5182 section 2.1: a search that is refused leaves nothing saved.
            selected.saved = []
        raise
    if wanted is None and selected.rev2:
        wanted = Wanted(frozenset((b"ALL",)))
    check_update(imap, wanted)
    with_modseq = asks_modseq(keys)
    if with_modseq:
        imap.enabled.add(b"CONDSTORE")
    found = await find(imap, selected, keys)
    if saves:
        selected.saved = saved(found, wanted)
    number = found.__getitem__ if uid else placed(found, selected.uids)
    modseq = b""
    if with_modseq:
        modseq = highest(selected, saved(found, wanted))
    if wanted is None:
        await _classic(imap, len(found), number, modseq)
    elif wanted.options != {b"SAVE"}:
        await extended(imap, len(found), number, wanted, modseq, uid, True)
        keep_updated(imap, wanted, SearchProgram(uid, keys, None, wanted.items), found)
    return b"SEARCH completed"


async def find(imap: ImapConnection, selected: Selected, keys: Key) -> Sequence[int]:
    """The UIDs of the messages that fit; the client may be told how far this is."""
    if selected.uid_only and by_number(keys):
        raise Bad("No sequence numbers once UIDONLY is enabled", "UIDREQUIRED")
    searching = SearchEngine(selected, imap.now(), imap.yield_to_reactor)
    imap.progress.known = searching.progress
    return await searching.find(keys)


def highest(selected: Selected, uids: Sequence[int]) -> bytes:
    """The highest mod-sequence of some messages, empty when there are none."""
    known = [one for one in selected.folder.column("modseq", uids) if one is not None]
    return b"%d" % max(known) if known else b""


async def numbered(imap: ImapConnection, selected: Selected, uids: list[int]) -> list[int]:
    """The sequence numbers of UIDs the client knows, in the same order."""
    known = selected.uids
    if not uids or known[-1] - known[0] + 1 == len(known) == known[-1]:
        # Nothing was ever expunged.
        return uids
    numbers: list[int] = []
    for begin in range(0, len(uids), SLICE):
        numbers.extend(map(selected.sequence, uids[begin:begin + SLICE]))
        await imap.yield_to_reactor()
    return numbers


def asks_modseq(key: Key) -> bool:
    """Whether a search looks at mod-sequences, so that its answer tells one (RFC 7162 section 3.1.5)."""
    if isinstance(key, Every):
        return any(map(asks_modseq, key.keys))
    if isinstance(key, Either):
        return asks_modseq(key.first) or asks_modseq(key.second)
    return asks_modseq(key.key) if isinstance(key, Not) else isinstance(key, Modseq)


async def _classic(imap: ImapConnection, count: int, number: Callable[[int], int], modseq: bytes) -> None:
    imap.write(b"* SEARCH")
    pieces: list[bytes] = []
    digits = imap.context.digits
    for first, last in runs(count, number):
        pieces.append(digits.run(first, last))
        if len(pieces) >= SLICE:
            await imap.send(b" " + b" ".join(pieces))
            pieces = []
    if pieces:
        await imap.send(b" " + b" ".join(pieces))
    imap.write(b" (MODSEQ %b)\r\n" % modseq if modseq else b"\r\n")
