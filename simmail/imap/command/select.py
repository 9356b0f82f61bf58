"""
SELECT, EXAMINE, UNSELECT, CLOSE, and the commands that only let pending news through.

Source: RFC 3501 sections 6.1, 6.3.1, 6.4; RFC 3691 (UNSELECT); RFC 2971 (ID); RFC 2342 (NAMESPACE).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import simmail
from simmail.core.mime.bodystructure import nstring
from simmail.errors import Invalid, NotFound
from simmail.imap.fault_injection import meet
from simmail.imap.selected import BATCH, Selected
from simmail.imap.wire.names import quoted_name
from simmail.imap.wire.parser import Arguments
from simmail.imap.wire.replies import Bad, No
from simmail.imap.wire.sequence import LARGEST, Ranges, gaps, members, parse_set, show_ranges, show_set, spread
from simmail.interfaces import IFolder

if TYPE_CHECKING:
    from simmail.imap.server import ImapServer

_MOST_ID_FIELDS = 30


async def find_folder(imap: ImapServer, name: str, code: str = "NONEXISTENT") -> IFolder:
    """A folder of the client's mailbox.  @raise No: there is none."""
    try:
        folder: IFolder = await imap.login.universe.store.folder(imap.login.address, name)
    except NotFound:
        if code == "TRYCREATE":
            try:
                imap.login.universe.store.check_folder(name)
            except Invalid as error:
                # That would be refused too.
                raise No(str(error), "CANNOT") from None
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
    resync: Resync | None = None
    if not arguments.at_end():
        arguments.space()
        resync = _parameters(imap, arguments)
    arguments.end()
    # RFC 3501 section 6.3.1: even a SELECT that fails leaves nothing selected.
    if imap.selected is not None:
        imap.deselect()
        imap.write(b"* OK [CLOSED] Previous mailbox closed\r\n")
    await meet(imap, "imap_select")
    folder = await find_folder(imap, name)
    selected = Selected(folder, read_only, imap.enabled, imap.factory.shared)
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
        await _catch_up(imap, selected, resync)
    return b"[READ-ONLY] EXAMINE completed" if read_only else b"[READ-WRITE] SELECT completed"


class Resync(NamedTuple):
    """What a client remembers of a folder (RFC 7162 section 3.2.5)."""

    uidvalidity: int
    modseq: int
    known: bytes | None
    numbers: bytes
    uids: bytes


def _parameters(imap: ImapServer, arguments: Arguments) -> Resync | None:
    arguments.expect(b"(")
    resync: Resync | None = None
    first = True
    while not arguments.skip(b")"):
        if not first:
            arguments.space()
        first = False
        word = arguments.word()
        if word == b"CONDSTORE":
            imap.enabled.add(b"CONDSTORE")
        elif word == b"QRESYNC":
            if b"QRESYNC" not in imap.enabled:
                raise Bad("QRESYNC is not enabled")
            arguments.space()
            resync = _resync(arguments)
            if resync.numbers and b"UIDONLY" in imap.enabled:
                raise Bad("No sequence numbers once UIDONLY is enabled", "UIDREQUIRED")
        else:
            raise Bad(f"Unknown parameter {word.decode('ascii', 'replace')[:50]}")
    return resync


def _resync(arguments: Arguments) -> Resync:
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


async def _catch_up(imap: ImapServer, selected: Selected, resync: Resync) -> None:
    """What vanished and what changed since the client was here last."""
    folder = selected.folder
    known = parse_set(resync.known, 0) if resync.known else [(1, LARGEST)]
    await tell_vanished(imap, selected, known, resync)
    changed = members(known, selected.known(folder.changed(resync.modseq)))
    for begin in range(0, len(changed), BATCH):
        await imap.send(b"".join([
            selected.row(selected.sequence(entry.uid), entry, True)
            for entry in folder.entries(changed[begin:begin + BATCH])]))


async def tell_vanished(imap: ImapServer, selected: Selected, among: Ranges, resync: Resync) -> None:
    """VANISHED (EARLIER): those of some UIDs that were expunged after a mod-sequence."""
    vanished = await selected.folder.vanished(resync.modseq)
    if vanished is not None:
        shown = show_set(members(among, vanished))
    else:
        # Not known so far back: everything that is not there; the client's own pairs say from where on.
        begin = _agreed(selected, resync)
        shown = show_ranges(gaps(
            [(max(low, begin), high) for low, high in among if high >= begin], selected.uids,
            selected.folder.uidnext - 1))
    if shown:
        await imap.send(b"* VANISHED (EARLIER) %b\r\n" % shown)


def _agreed(selected: Selected, resync: Resync) -> int:
    """The first UID that the client and we may not agree on (RFC 7162 section 3.2.5.2)."""
    begin = 1
    if resync.numbers and resync.uids:
        pairs = zip(spread(parse_set(resync.numbers, 0), PAIRS), spread(parse_set(resync.uids, 0), PAIRS))
        for number, uid in pairs:
            if number > len(selected.uids) or selected.uids[number - 1] != uid:
                break
            begin = uid + 1
    return begin


#: Pairs of number and UID that are looked at.
PAIRS = 10_000


async def close(imap: ImapServer, arguments: Arguments) -> bytes:
    """CLOSE: what is marked deleted goes, without a word."""
    arguments.end()
    selected = imap.selected
    assert selected is not None
    if not selected.read_only:
        doomed = selected.known(selected.folder.having("\\Deleted"))
        if doomed:
            await selected.folder.expunge(doomed)
    known, modseq = selected.qresync, selected.folder.highestmodseq
    imap.deselect()
    # RFC 7162 section 3.2.8: what the client knows is complete up to here.
    return b"[HIGHESTMODSEQ %d] CLOSE completed" % modseq if known else b"CLOSE completed"


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
