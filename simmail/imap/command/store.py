"""STORE: changing flags (RFC 3501 section 6.4.6), if they are still what the client knows (RFC 7162 section 3.1.3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

from simmail.imap.connection import ImapConnection
from simmail.imap.selected import Selected
from simmail.imap.wire.parser import Arguments
from simmail.imap.wire.replies import Bad, No
from simmail.imap.wire.sequence import show_set

#: Messages changed in one go.
SLICE = 2000


async def store(imap: ImapConnection, arguments: Arguments, uid: bool = False) -> bytes:
    """STORE and UID STORE."""
    selected = imap.require_selected()
    arguments.space()
    text = arguments.set()
    arguments.space()
    unchangedsince: int | None = None
    if arguments.skip(b"(UNCHANGEDSINCE "):
        unchangedsince = arguments.number64()
        arguments.expect(b")")
        arguments.space()
        imap.enabled.add(b"CONDSTORE")
    mode, silent = _mode(arguments)
    arguments.space()
    flags = _flags(arguments)
    arguments.end()
    imap.require_selected(True)
    uids = selected.chosen(text, uid)
    missing = stored = False
    modified: list[int] = []
    for begin in range(0, len(uids), SLICE):
        slice = uids[begin:begin + SLICE]
        changed, failed = await selected.folder.flag(slice, flags, mode, unchangedsince, selected)
        modified += failed
        there = selected.folder.column("size", slice)
        if None in there:
            missing = True
            slice = [one for one, size in zip(slice, there) if size is not None]
        stored = stored or bool(slice)
        if failed:
            # Their flags are told as news when somebody else changed them.
            left = set(failed)
            slice = [one for one in slice if one not in left]
        if not silent:
            imap.write(selected.new_kinds())
            await imap.send(_rows(selected, slice, uid))
        elif selected.condstore:
            touched = set(changed)
            await imap.send(_modseqs(selected, [one for one in slice if one in touched], uid))
        await imap.yield_to_reactor()
    if modified:
        numbers = modified if uid else [selected.sequence(one) for one in modified]
        return b"[MODIFIED %b] Conditional STORE failed for some" % show_set(numbers)
    if missing and not uid:
        if not stored:
            raise No("These messages are expunged", "EXPUNGEISSUED")
        return b"[EXPUNGEISSUED] STORE completed, some of these messages are expunged"
    return b"STORE completed"


def _rows(selected: Selected, uids: Sequence[int], uid: bool) -> bytes:
    """Untagged FETCHes with the flags of messages."""
    folder = selected.folder
    columns: list[Iterable[Any]] = [selected.flags_of(uids, folder.column("flags", uids))]
    shown = b"FLAGS %b"
    if selected.condstore:
        columns.append(folder.column("modseq", uids))
        shown += b" MODSEQ (%d)"
    return _formatted(selected, uids, uid, shown, columns)


def _modseqs(selected: Selected, uids: Sequence[int], uid: bool) -> bytes:
    # RFC 7162 section 3.1.3: the new mod-sequence is told even where the flags are not.
    return _formatted(selected, uids, uid, b"MODSEQ (%d)", [selected.folder.column("modseq", uids)])


def _formatted(
    selected: Selected, uids: Sequence[int], uid: bool, shown: bytes, columns: Sequence[Iterable[Any]]
) -> bytes:
    if selected.uid_only:
        rows = zip(uids, *columns)
        return (b"* %d UIDFETCH (" + shown + b")\r\n") * len(uids) % tuple(chain.from_iterable(rows))
    if uid or selected.qresync:
        shown, columns = b"UID %d " + shown, [uids, *columns]
    rows = zip(map(selected.sequence, uids), *columns)
    return (b"* %d FETCH (" + shown + b")\r\n") * len(uids) % tuple(chain.from_iterable(rows))


def _mode(arguments: Arguments) -> tuple[str, bool]:
    mode = "="
    if arguments.peek() in (b"+", b"-"):
        mode = arguments.peek().decode("ascii")
        arguments.at += 1
    word = arguments.word()
    if word not in (b"FLAGS", b"FLAGS.SILENT"):
        raise Bad("Expected FLAGS")
    return mode, word == b"FLAGS.SILENT"


def _flags(arguments: Arguments) -> tuple[str, ...]:
    if arguments.peek() == b"(":
        return arguments.flags()
    found = [arguments.flag()]
    while not arguments.at_end():
        arguments.space()
        found.append(arguments.flag())
    return tuple(dict.fromkeys(found))
