"""IDLE: what happens in the folder is told as it happens (RFC 2177)."""

from __future__ import annotations

from simmail.imap.connection import ImapConnection
from simmail.imap.fault_injection import apply_fault
from simmail.imap.untagged.push import Push
from simmail.imap.wire.parser import Arguments
from simmail.imap.wire.replies import Bad


async def idle(imap: ImapConnection, arguments: Arguments) -> None:
    """IDLE."""
    arguments.end()
    await apply_fault(imap, "imap_idle")
    imap.idling = push = Push(imap)
    imap.write(b"+ idling\r\n")
    if imap.pending or (imap.selected is not None and imap.selected.pending):
        push.wake()
    try:
        line = await imap.listen()
    finally:
        imap.idling = None
        await push.stop()
    if line.strip().upper() != b"DONE":
        raise Bad("Expected DONE")
