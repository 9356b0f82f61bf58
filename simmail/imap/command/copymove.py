"""
COPY, MOVE and EXPUNGE.

Source: RFC 3501 sections 6.4.3 and 6.4.7, RFC 4315 (UIDPLUS), RFC 6851 (MOVE).
"""

from __future__ import annotations

from collections.abc import Iterable

from simmail.imap.command.quota import check_room
from simmail.imap.connection import ImapConnection
from simmail.imap.selected import Selected
from simmail.imap.untagged.mailbox_data import find_folder
from simmail.imap.wire.parser import Arguments
from simmail.imap.wire.replies import No
from simmail.imap.wire.sequence import show_set
from simmail.interfaces import IFolder


def note_filed(imap: ImapConnection, folder: IFolder, uids: Iterable[int]) -> None:
    """Messages were put somewhere by the client: it knows them."""
    selected = imap.selected
    if selected is not None and selected.folder is folder and selected.arrived is not None:
        selected.filed.update(uids)


async def copy(imap: ImapConnection, arguments: Arguments, uid: bool = False) -> bytes:
    """COPY: all messages or none."""
    selected, uids, target = await _arguments(imap, arguments, uid, False)
    check_room(imap)
    pairs = await selected.folder.copy(uids, target, imap.now()) if uids else []
    note_filed(imap, target, [fresh for _, fresh in pairs])
    return (_copied(target.uidvalidity, pairs) + b" " if pairs else b"") + b"COPY completed"


async def move(imap: ImapConnection, arguments: Arguments, uid: bool = False) -> bytes:
    """MOVE: the new UIDs first, then the messages vanish (RFC 6851 section 4.3)."""
    selected, uids, target = await _arguments(imap, arguments, uid, True)
    selected.removing = True
    pairs = await selected.folder.move(uids, target, imap.now()) if uids else []
    note_filed(imap, target, [fresh for _, fresh in pairs])
    if pairs:
        imap.write(b"* OK %b Moved\r\n" % _copied(target.uidvalidity, pairs))
    return b"MOVE completed"


async def _arguments(
    imap: ImapConnection, arguments: Arguments, uid: bool, writable: bool
) -> tuple[Selected, list[int], IFolder]:
    arguments.space()
    text = arguments.set()
    arguments.space()
    name = arguments.mailbox()
    arguments.end()
    selected = imap.require_selected(writable)
    uids = selected.chosen(text, uid)
    target = await find_folder(imap, name, "TRYCREATE")
    expunged = [one for one in uids if selected.is_expunged(one)]
    if expunged and not uid:
        # RFC 2180 section 4.4.1: better nothing than less than was asked for.
        raise No("Some of these messages are expunged", "EXPUNGEISSUED")
    return selected, [one for one in uids if not selected.is_expunged(one)] if expunged else uids, target


def _copied(uidvalidity: int, pairs: list[tuple[int, int]]) -> bytes:
    return b"[COPYUID %d %b %b]" % (
        uidvalidity, show_set(source for source, _ in pairs), show_set(target for _, target in pairs))


async def expunge(imap: ImapConnection, arguments: Arguments, uid: bool = False) -> bytes:
    """EXPUNGE, and UID EXPUNGE of some only."""
    selected = imap.require_selected(True)
    chosen: set[int] | None = None
    if uid:
        arguments.space()
        chosen = set(selected.chosen(arguments.set(), True))
    arguments.end()
    doomed = selected.known(selected.folder.having("\\Deleted"))
    if chosen is not None:
        doomed = [one for one in doomed if one in chosen]
    selected.removing = True
    if doomed:
        await selected.folder.expunge(doomed)
    if selected.condstore or selected.qresync:
        return b"[HIGHESTMODSEQ %d] EXPUNGE completed" % selected.folder.highestmodseq
    return b"EXPUNGE completed"
