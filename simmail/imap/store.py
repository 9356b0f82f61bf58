"""STORE: changing flags (RFC 3501 section 6.4.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simmail.imap.copying import selected_of
from simmail.imap.replies import Bad, No
from simmail.imap.tokens import Arguments

if TYPE_CHECKING:
    from simmail.imap.server import ImapServer

#: Messages changed in one go.
SLICE = 2000


async def store(imap: ImapServer, arguments: Arguments, uid: bool = False) -> bytes:
    """STORE and UID STORE."""
    selected = selected_of(imap)
    arguments.space()
    text = arguments.set()
    arguments.space()
    mode, silent = _mode(arguments)
    arguments.space()
    flags = _flags(arguments)
    arguments.end()
    selected_of(imap, True)
    uids = selected.chosen(text, uid)
    missing = False
    for begin in range(0, len(uids), SLICE):
        slice = uids[begin:begin + SLICE]
        await selected.folder.flag(slice, flags, mode, None, selected)
        entries = selected.folder.entries(slice)
        missing = missing or len(entries) < len(slice)
        if not silent:
            rows = [selected.row(selected.sequence(entry.uid), entry, uid) for entry in entries]
            await imap.send(b"".join(rows))
        await imap.breathe()
    if missing and not uid:
        raise No("Some of these messages are expunged", "EXPUNGEISSUED")
    return b"STORE completed"


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
