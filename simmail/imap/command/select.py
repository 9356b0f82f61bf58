"""
SELECT, EXAMINE, UNSELECT, CLOSE, and the commands that only let pending news through.

Source: RFC 3501 sections 6.1, 6.3.1, 6.4; RFC 3691 (UNSELECT); RFC 2971 (ID); RFC 2342 (NAMESPACE).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import simmail
from simmail.core.mime.bodystructure import nstring
from simmail.imap.connection import ImapConnection
from simmail.imap.fault_injection import apply_fault
from simmail.imap.fetch.resync import Resync, catch_up, parse_resync
from simmail.imap.selected import Selected
from simmail.imap.untagged.mailbox_data import find_folder
from simmail.imap.wire.names import quoted_name
from simmail.imap.wire.parser import Arguments
from simmail.imap.wire.replies import Bad

_MOST_ID_FIELDS = 30


async def select(imap: ImapConnection, arguments: Arguments) -> bytes:
    """SELECT."""
    return await _open(imap, arguments, read_only=False)


async def examine(imap: ImapConnection, arguments: Arguments) -> bytes:
    """EXAMINE."""
    return await _open(imap, arguments, read_only=True)


async def _open(imap: ImapConnection, arguments: Arguments, read_only: bool) -> bytes:
    arguments.space()
    name = arguments.mailbox()
    resync: Resync | None = None
    if not arguments.at_end():
        arguments.space()
        resync = _parameters(imap, arguments)
    arguments.end()
    # RFC 3501 section 6.3.1: even a SELECT that fails leaves nothing selected.
    if imap.selected is not None:
        imap.deselect()
        imap.write(b"* OK [CLOSED] Previous mailbox closed\r\n")
    await apply_fault(imap, "imap_select")
    folder = await find_folder(imap, name)
    selected = Selected(folder, read_only, imap.enabled, imap.context.lists)
    try:
        if read_only:
            if folder.counts()[2]:
                selected.recent.update(
                    uid for uid, recent in zip(selected.uids, folder.column("recent", selected.uids)) if recent)
        else:
            await selected.take_recent()
    except BaseException:
        selected.close()
        raise
    imap.select(selected)
    flags, permanent = selected.kinds()
    first = folder.first_unseen()
    unseen = selected.sequence(first) if first and not selected.uid_only else 0
    imap.write(b"".join([
        flags,
        b"* %d EXISTS\r\n" % len(selected.uids),
        b"" if selected.rev2 else b"* %d RECENT\r\n" % len(selected.recent),
        b"* OK [UNSEEN %d] First unseen\r\n" % unseen if unseen and not selected.rev2 else b"",
        permanent,
        b"* OK [UIDVALIDITY %d] UIDs are for ever\r\n" % folder.uidvalidity,
        b"* OK [UIDNEXT %d] Next UID\r\n" % folder.uidnext,
        b"* OK [HIGHESTMODSEQ %d] Highest\r\n" % folder.highestmodseq,
        b"* OK [MAILBOXID (%b)] Object id\r\n" % folder.objectid.encode("ascii"),
        # RFC 9051 section 6.3.2: how the name is spelled.
        b'* LIST () "/" %b\r\n' % quoted_name(folder.name, imap.utf8) if selected.rev2 else b"",
    ]))
    if resync is not None and resync.uidvalidity == folder.uidvalidity:
        await catch_up(imap, selected, resync)
    return b"[READ-ONLY] EXAMINE completed" if read_only else b"[READ-WRITE] SELECT completed"


def _parameters(imap: ImapConnection, arguments: Arguments) -> Resync | None:
    """What is to be switched on, and what the client remembers where it does."""
    found = arguments.options(_PARAMETERS, "parameter")
    if b"CONDSTORE" in found:
        imap.enabled.add(b"CONDSTORE")
    resync: Resync | None = found.get(b"QRESYNC")
    if resync is not None:
        if b"QRESYNC" not in imap.enabled:
            raise Bad("QRESYNC is not enabled")
        if resync.numbers and b"UIDONLY" in imap.enabled:
            raise Bad("No sequence numbers once UIDONLY is enabled", "UIDREQUIRED")
    return resync


_PARAMETERS: Mapping[bytes, Callable[[Arguments], Resync] | None] = MappingProxyType({
    b"CONDSTORE": None, b"QRESYNC": parse_resync})


async def close(imap: ImapConnection, arguments: Arguments) -> bytes:
    """CLOSE: what is marked deleted goes, without a word."""
    arguments.end()
    selected = imap.require_selected()
    if not selected.read_only:
        doomed = selected.known(selected.folder.having("\\Deleted"))
        if doomed:
            await selected.folder.expunge(doomed)
    known, modseq = selected.qresync, selected.folder.highestmodseq
    imap.deselect()
    # RFC 7162 section 3.2.8: what the client knows is complete up to here.
    return b"[HIGHESTMODSEQ %d] CLOSE completed" % modseq if known else b"CLOSE completed"


async def unselect(imap: ImapConnection, arguments: Arguments) -> None:
    """UNSELECT."""
    arguments.end()
    imap.deselect()


async def noop(imap: ImapConnection, arguments: Arguments) -> None:
    """NOOP: a look at what other programs did."""
    arguments.end()
    if imap.selected is not None:
        await imap.selected.folder.poll()


async def logout(imap: ImapConnection, arguments: Arguments) -> None:
    """LOGOUT."""
    arguments.end()
    imap.logging_out = True
    imap.write(b"* BYE Logging out\r\n")


async def identify(imap: ImapConnection, arguments: Arguments) -> None:
    """ID: what the client says of itself is read and dropped."""
    arguments.space()
    if not arguments.skip(b"NIL"):
        for field in arguments.listed():
            arguments.string()
            arguments.space()
            arguments.nstring()
            if field >= _MOST_ID_FIELDS:
                raise Bad("More than 30 fields")
    arguments.end()
    imap.write(b'* ID ("name" "simmail" "version" %b)\r\n' % nstring(simmail.__version__.encode("ascii")))


async def namespace(imap: ImapConnection, arguments: Arguments) -> None:
    """NAMESPACE: everything is personal."""
    arguments.end()
    imap.write(b'* NAMESPACE (("" "/")) NIL NIL\r\n')
