"""
SELECT, EXAMINE, UNSELECT, CLOSE, and the commands that only let pending news through.

Source: RFC 3501 sections 6.1, 6.3.1, 6.4; RFC 3691 (UNSELECT); RFC 2971 (ID); RFC 2342 (NAMESPACE).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import simmail
from simmail.errors import NotFound
from simmail.core.envelope import nstring
from simmail.imap.replies import Bad, No
from simmail.imap.session import Selected
from simmail.imap.tokens import SYSTEM_FLAGS, Arguments
from simmail.interfaces import IFolder

if TYPE_CHECKING:
    from simmail.imap.server import ImapServer

_MOST_ID_FIELDS = 30


async def find_folder(imap: ImapServer, name: str, code: str = "NONEXISTENT") -> IFolder:
    """A folder of the client's mailbox.  @raise No: there is none."""
    try:
        folder: IFolder = await imap.login.universe.store.folder(imap.login.address, name)
    except NotFound:
        raise No("There is no such mailbox", code) from None
    return folder


async def select(imap: ImapServer, arguments: Arguments) -> bytes:
    """SELECT."""
    return await _open(imap, arguments, read_only=False)


async def examine(imap: ImapServer, arguments: Arguments) -> bytes:
    """EXAMINE."""
    return await _open(imap, arguments, read_only=True)


async def _open(imap: ImapServer, arguments: Arguments, read_only: bool) -> bytes:
    arguments.space()
    name = arguments.mailbox()
    arguments.end()
    # RFC 3501 section 6.3.1: even a SELECT that fails leaves nothing selected.
    if imap.selected is not None:
        imap.deselect()
        imap.write(b"* OK [CLOSED] Previous mailbox closed\r\n")
    folder = await find_folder(imap, name)
    selected = Selected(folder, read_only)
    try:
        if read_only:
            selected.recent.update(entry.uid for entry in folder.entries(folder.unseen()) if entry.recent)
        else:
            selected.recent.update(await folder.take_recent())
    except BaseException:
        selected.close()
        raise
    imap.select(selected)
    flags = b" ".join([*_SYSTEM, *(keyword.encode("ascii") for keyword in folder.keywords)])
    first = folder.first_unseen()
    unseen = selected.sequence(first) if first else 0
    imap.write(b"".join([
        b"* FLAGS (%b)\r\n" % flags,
        b"* %d EXISTS\r\n" % len(selected.uids),
        b"* %d RECENT\r\n" % len(selected.recent),
        b"* OK [UNSEEN %d] First unseen\r\n" % unseen if unseen else b"",
        b"* OK [PERMANENTFLAGS ()] No flag can be changed\r\n" if read_only
        else b"* OK [PERMANENTFLAGS (%b \\*)] Flags that last\r\n" % flags,
        b"* OK [UIDVALIDITY %d] UIDs are for ever\r\n" % folder.uidvalidity,
        b"* OK [UIDNEXT %d] Next UID\r\n" % folder.uidnext,
        b"* OK [HIGHESTMODSEQ %d] Highest\r\n" % folder.highestmodseq,
        b"* OK [MAILBOXID (%b)] Object id\r\n" % folder.objectid.encode("ascii"),
    ]))
    return b"[READ-ONLY] EXAMINE completed" if read_only else b"[READ-WRITE] SELECT completed"


_SYSTEM = tuple(flag.encode("ascii") for flag in SYSTEM_FLAGS.values())


async def close(imap: ImapServer, arguments: Arguments) -> None:
    """CLOSE: what is marked deleted goes, without a word."""
    arguments.end()
    selected = imap.selected
    assert selected is not None
    if not selected.read_only:
        doomed = selected.known(selected.folder.having("\\Deleted"))
        if doomed:
            await selected.folder.expunge(doomed)
    imap.deselect()


async def unselect(imap: ImapServer, arguments: Arguments) -> None:
    """UNSELECT."""
    arguments.end()
    imap.deselect()


async def noop(imap: ImapServer, arguments: Arguments) -> None:
    """NOOP: a look at what other programs did."""
    arguments.end()
    if imap.selected is not None:
        await imap.selected.folder.poll()


async def logout(imap: ImapServer, arguments: Arguments) -> None:
    """LOGOUT."""
    arguments.end()
    imap.logging_out = True
    imap.write(b"* BYE Logging out\r\n")


async def identify(imap: ImapServer, arguments: Arguments) -> None:
    """ID: what the client says of itself is read and dropped."""
    arguments.space()
    if not arguments.skip(b"NIL"):
        arguments.expect(b"(")
        fields = 0
        while not arguments.skip(b")"):
            if fields:
                arguments.space()
            arguments.string()
            arguments.space()
            arguments.nstring()
            fields += 1
            if fields > _MOST_ID_FIELDS:
                raise Bad("More than 30 fields")
    arguments.end()
    imap.write(b'* ID ("name" "simmail" "version" %b)\r\n' % nstring(simmail.__version__.encode("ascii")))


async def namespace(imap: ImapServer, arguments: Arguments) -> None:
    """NAMESPACE: everything is personal."""
    arguments.end()
    imap.write(b'* NAMESPACE (("" "/")) NIL NIL\r\n')
