"""
REPLACE and UID REPLACE: a message is appended and another one removed, or neither.

Source: RFC 8508.
"""

from __future__ import annotations


from simmail.errors import NotFound, Unavailable
from simmail.imap.command.append import copy_in_sent, filed_as
from simmail.imap.command.copymove import note_filed
from simmail.imap.command.quota import check_room
from simmail.imap.command.upload import begun, parse_upload
from simmail.imap.connection import ImapConnection
from simmail.imap.untagged.mailbox_data import find_folder
from simmail.imap.wire.parser import Arguments
from simmail.imap.wire.replies import Bad, No


async def admit(imap: ImapConnection, octets: bytes) -> None:
    """
    Look at an APPEND or REPLACE before its first message is sent.

    @param octets: the command up to where the message begins.
    @raise No: it could not be filed.  @raise Bad: the command is wrong already.
    """
    name, replaced = begun(imap, octets)
    if replaced is not None:
        by_uid = octets.split(b" ", 2)[1].upper() == b"UID"
        if not by_uid and b"UIDONLY" in imap.enabled:
            raise Bad("No sequence numbers once UIDONLY is enabled", "UIDREQUIRED")
        if imap.selected is None:
            raise Bad("REPLACE is not allowed while no mailbox is selected")
        _replaced(imap, replaced, by_uid)
        await find_folder(imap, name, "TRYCREATE")
        return
    await find_folder(imap, name, "TRYCREATE")
    check_room(imap)


def _replaced(imap: ImapConnection, text: bytes, uid: bool) -> int:
    """The UID of the message that is to be replaced."""
    selected = imap.require_selected(True)
    chosen = selected.chosen(text, uid)
    if len(chosen) != 1:
        raise No("There is no such message", "NONEXISTENT")
    if selected.is_expunged(chosen[0]):
        raise No("The message is expunged", "EXPUNGEISSUED")
    return chosen[0]


async def replace(imap: ImapConnection, arguments: Arguments, uid: bool = False) -> bytes:
    """REPLACE and UID REPLACE."""
    arguments.space()
    text = arguments.message()
    arguments.space()
    name = arguments.mailbox()
    given, imap.messages = imap.messages, []
    upload = parse_upload(imap, arguments, iter(given))
    arguments.end()
    old = _replaced(imap, text, uid)
    selected = imap.require_selected(True)
    source = selected.folder
    target = await find_folder(imap, name, "TRYCREATE")
    now = imap.now()
    octets, flags, date = await filed_as(imap, upload, now)
    size, = source.column("size", [old])
    if imap.is_full() and len(octets) > (size or 0):
        # What counts is the room it takes more than the other (RFC 8508 section 3.4).
        raise No("The mailbox is full", "OVERQUOTA")
    selected.removing = True
    try:
        there = await copy_in_sent(imap, target, octets) if target is not source else None
        if there is not None:
            await source.expunge([old])
            fresh = there
        else:
            fresh = await source.replace(old, target, octets, flags, date, now)
    except NotFound:
        raise No("The message is expunged", "EXPUNGEISSUED") from None
    except Unavailable as error:
        raise No(str(error), "UNAVAILABLE") from None
    note_filed(imap, target, [fresh])
    imap.write(b"* OK [APPENDUID %d %d] Replacement message ready\r\n" % (target.uidvalidity, fresh))
    if selected.condstore or selected.qresync:
        return b"[HIGHESTMODSEQ %d] REPLACE completed" % source.highestmodseq
    return b"REPLACE completed"
