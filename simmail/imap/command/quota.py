"""
QUOTA: the room there is.

One quota root, C{""}, for the whole mailbox: its limit is the disk, or what is
used already when the mailbox has the status C{full}.
Source: RFC 9208; API contract, "Mailbox status".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simmail.imap.command.select import find_folder
from simmail.imap.wire.names import quoted_name
from simmail.imap.wire.parser import Arguments
from simmail.imap.wire.replies import No

if TYPE_CHECKING:
    from simmail.imap.server import ImapServer


def is_full(imap: ImapServer) -> bool:
    """Whether the mailbox has the status C{full}."""
    return bool(imap.login.universe.policy.status(imap.login.address) == "full")


def check_room(imap: ImapServer) -> None:
    """@raise No: nothing more goes in."""
    if is_full(imap):
        raise No("The mailbox is full", "OVERQUOTA")


async def _line(imap: ImapServer) -> bytes:
    store = imap.login.universe.store
    folders = await store.folders(imap.login.address)
    octets = sum(found.size for found in folders)
    messages = sum(found.total for found in folders)
    used = -(-octets // 1024)
    if is_full(imap):
        return b'* QUOTA "" (STORAGE %d %d MESSAGE %d %d)\r\n' % (used, used, messages, messages)
    free, _ = store.space()
    return b'* QUOTA "" (STORAGE %d %d)\r\n' % (used, used + free // 1024)


async def get_quota(imap: ImapServer, arguments: Arguments) -> None:
    """GETQUOTA."""
    arguments.space()
    root = arguments.astring()
    arguments.end()
    if root:
        raise No("There is no such quota root", "NONEXISTENT")
    imap.write(await _line(imap))


async def get_quota_root(imap: ImapServer, arguments: Arguments) -> None:
    """GETQUOTAROOT."""
    arguments.space()
    name = arguments.mailbox()
    arguments.end()
    await find_folder(imap, name)
    imap.write(b'* QUOTAROOT %b ""\r\n' % quoted_name(name, imap.utf8) + await _line(imap))
