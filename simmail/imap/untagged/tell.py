"""
What is pending is told: at the end of commands, while a client idles, and whenever it has asked for that (NOTIFY).
"""

from __future__ import annotations


from simmail.imap.connection import ImapConnection
from simmail.imap.search.updates import update


async def tell(imap: ImapConnection, expunges: bool) -> None:
    """
    Tell what is pending of the selected folder, and of others where the client has asked for it.

    @param expunges: whether messages may vanish now (RFC 3501 section 7.4.1).
    """
    notifier = imap.notifier
    if notifier is not None:
        await notifier.gather()
    if imap.pending:
        await imap.send(imap.pending.take())
    selected = imap.selected
    if selected is None:
        return
    if not selected.pending:
        selected.removing = False
        return
    if selected.reset:
        imap.hang_up("The mailbox is not what it was")
        return
    if selected.has_new and not selected.read_only:
        await selected.take_recent()
    for octets in selected.updates(expunges or (notifier is not None and notifier.at_once)):
        await imap.send(octets)
    if notifier is not None:
        await notifier.show_new(selected)
    if selected.contexts.touched:
        await update(imap)
