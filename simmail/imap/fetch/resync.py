"""
What vanished and what changed since a client was here last.

Source: RFC 7162 section 3.2 (QRESYNC).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from simmail.imap.connection import ImapConnection
from simmail.imap.selected import BATCH, Selected
from simmail.imap.wire.parser import Arguments
from simmail.imap.wire.replies import Bad
from simmail.imap.wire.sequence import LARGEST, Ranges, gaps, members, parse_set, show_ranges, show_set, spread

#: Pairs of number and UID that are looked at.
PAIRS = 10_000


class Resync(NamedTuple):
    """What a client remembers of a folder (RFC 7162 section 3.2.5)."""

    uidvalidity: int
    modseq: int
    known: bytes | None = None
    numbers: bytes = b""
    uids: bytes = b""


def parse_resync(arguments: Arguments) -> Resync:
    """Read the argument of QRESYNC.  @raise Bad: it is none."""
    arguments.expect(b"(")
    uidvalidity = arguments.number(1)
    arguments.space()
    modseq = arguments.number64(1)
    known: bytes | None = None
    numbers = uids = b""
    if arguments.skip(b" "):
        if arguments.peek() != b"(":
            known = arguments.set()
            arguments.skip(b" ")
        if arguments.skip(b"("):
            numbers = arguments.set()
            arguments.space()
            uids = arguments.set()
            arguments.expect(b")")
    arguments.expect(b")")
    for text in (known, numbers, uids):
        if text and (b"*" in text or text == b"$"):
            raise Bad("Only numbers are known")
        if text:
            parse_set(text, 0)
    return Resync(uidvalidity, modseq, known, numbers, uids)


async def catch_up(imap: ImapConnection, selected: Selected, resync: Resync) -> None:
    """Tell what vanished and what changed since the client was here last."""
    folder = selected.folder
    known = parse_set(resync.known, 0) if resync.known else [(1, LARGEST)]
    await tell_vanished(imap, selected, known, resync)
    changed = members(known, selected.known(folder.changed(resync.modseq)))
    for begin in range(0, len(changed), BATCH):
        await imap.send(b"".join([
            selected.row(selected.sequence(entry.uid), entry, True)
            for entry in folder.entries(changed[begin:begin + BATCH])]))


async def tell_vanished(imap: ImapConnection, selected: Selected, among: Ranges, resync: Resync) -> None:
    """Tell VANISHED (EARLIER): those of some UIDs that were expunged after a mod-sequence."""
    vanished = await selected.folder.vanished(resync.modseq)
    if vanished is not None:
        shown = show_set(members(among, vanished))
    else:
        # Not known so far back: everything that is not there; the client's own pairs say from where on.
        begin = first_doubtful(selected.uids, resync)
        shown = show_ranges(gaps(
            [(max(low, begin), high) for low, high in among if high >= begin], selected.uids,
            selected.folder.uidnext - 1))
    if shown:
        await imap.send(b"* VANISHED (EARLIER) %b\r\n" % shown)


def first_doubtful(known: Sequence[int], resync: Resync) -> int:
    """Return the first UID that the client and we may not agree on (RFC 7162 section 3.2.5.2)."""
    begin = 1
    if resync.numbers and resync.uids:
        pairs = zip(spread(parse_set(resync.numbers, 0), PAIRS), spread(parse_set(resync.uids, 0), PAIRS))
        for number, uid in pairs:
            if number > len(known) or known[number - 1] != uid:
                break
            begin = uid + 1
    return begin
