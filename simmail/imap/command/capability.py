"""
CAPABILITY and ENABLE.

Source: RFC 3501 section 6.1.1, RFC 5161 (ENABLE), RFC 7162 section 3.2.3.
"""

from __future__ import annotations

from simmail.imap.capability import capabilities
from simmail.imap.connection import ImapConnection
from simmail.imap.untagged.metadata import MetadataListener
from simmail.imap.wire.parser import Arguments


async def capability(imap: ImapConnection, arguments: Arguments) -> None:
    """CAPABILITY."""
    arguments.end()
    imap.write(b"* CAPABILITY %b\r\n" % b" ".join(capabilities(imap)))


#: What ENABLE takes (RFC 5161).
_CAN_BE_ENABLED = frozenset((b"CONDSTORE", b"QRESYNC", b"UTF8=ACCEPT", b"IMAP4REV2", b"METADATA", b"UIDONLY"))


async def enable(imap: ImapConnection, arguments: Arguments) -> None:
    """ENABLE."""
    wanted: list[bytes] = []
    while not arguments.at_end():
        arguments.space()
        wanted.append(arguments.word())
    if not wanted:
        arguments.space()
    # What is on already is named too: a client that asks wants to hear that it is (RFC 5161 section 3.2).
    added = [name for name in dict.fromkeys(wanted) if name in _CAN_BE_ENABLED]
    follows = b"METADATA" in added and b"METADATA" not in imap.enabled
    imap.enabled.update(added)
    if b"QRESYNC" in added:
        # RFC 7162 section 3.2.3.
        imap.enabled.add(b"CONDSTORE")
    if follows:
        imap.pending.until(MetadataListener(imap).stop)
    imap.write(b"* ENABLED%b\r\n" % b"".join(b" " + _SHOWN.get(name, name) for name in added))


_SHOWN = {b"IMAP4REV2": b"IMAP4rev2"}
