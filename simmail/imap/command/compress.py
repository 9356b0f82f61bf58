"""
COMPRESS: from here on everything is deflated, in both directions (RFC 4978).
"""

from __future__ import annotations

from simmail.imap.connection import ImapConnection
from simmail.imap.wire.parser import Arguments
from simmail.imap.wire.replies import Bad, No


async def compress(imap: ImapConnection, arguments: Arguments) -> None:
    """COMPRESS.  What came behind it was sent before its answer: nobody is served on such a connection."""
    arguments.space()
    mechanism = arguments.word()
    arguments.end()
    if mechanism != b"DEFLATE":
        raise No("Mechanism not supported")
    if imap.inflater is not None:
        raise No("DEFLATE is active already", "COMPRESSIONACTIVE")
    if imap.sent_ahead():
        imap.hang_up("Nothing may follow COMPRESS")
        raise Bad("Nothing may follow COMPRESS")
    imap.answer(b"OK DEFLATE active")
    imap.begin_compression()
