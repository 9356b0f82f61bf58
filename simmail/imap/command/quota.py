"""
QUOTA: the room there is.

One quota root, C{""}, for the whole mailbox: its limit is the disk, or what is
used already when the mailbox has the status C{full}.
Source: RFC 9208; API contract, "Mailbox status".
"""

from __future__ import annotations


from simmail.imap.connection import ImapConnection
from simmail.imap.untagged.mailbox_data import find_folder
from simmail.imap.wire.names import quoted_name
from simmail.imap.wire.parser import Arguments
from simmail.imap.wire.replies import No


def check_room(imap: ImapConnection) -> None:
    """@raise No: nothing more goes in."""
    if imap.is_full():
        raise No("The mailbox is full", "OVERQUOTA")


async def _line(imap: ImapConnection) -> bytes:
    folders = await imap.store.folders(imap.address)
    octets = sum(found.size for found in folders)
    messages = sum(found.total for found in folders)
    used = -(-octets // 1024)
    if imap.is_full():
        return b'* QUOTA "" (STORAGE %d %d MESSAGE %d %d)\r\n' % (used, used, messages, messages)
    free, _ = imap.store.space()
    return b'* QUOTA "" (STORAGE %d %d)\r\n' % (used, used + free // 1024)


async def get_quota(imap: ImapConnection, arguments: Arguments) -> None:
    """GETQUOTA."""
    arguments.space()
    root = arguments.astring()
    arguments.end()
    if root:
        raise No("There is no such quota root", "NONEXISTENT")
    imap.write(await _line(imap))


async def get_quota_root(imap: ImapConnection, arguments: Arguments) -> None:
    """GETQUOTAROOT."""
    arguments.space()
    name = arguments.mailbox()
    arguments.end()
    await find_folder(imap, name)
    imap.write(b'* QUOTAROOT %b ""\r\n' % quoted_name(name, imap.utf8) + await _line(imap))
