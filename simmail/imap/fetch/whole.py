"""
FETCH of whole messages: each is a row of what is known of it, with its octets behind.

Nothing but the octets is copied, some messages at once: no message costs a
step of its own.  Source: RFC 3501 section 6.4.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, compress, islice, repeat
from typing import Any

from simmail.concurrency import portions
from simmail.imap.connection import ImapConnection
from simmail.imap.wire.fetch_items import Item
from simmail.imap.wire.output import PIECE
from simmail.interfaces import IFolder

#: Octets of messages that are sent at once; what stands before them is to find room in the same piece.
_ROOM = PIECE - PIECE // 8


def is_whole(item: Item) -> bool:
    """Whether an item asks for all octets of a message."""
    return item.kind == "BODY[]" and not item.path and not item.section and item.partial is None


async def send_whole(
    imap: ImapConnection, folder: IFolder, uids: Sequence[int], format: bytes, columns: Sequence[Sequence[Any]]
) -> bool:
    """
    Send the rows of messages; return whether all were there.

    @param format: of a row up to the label of the octets; columns: what goes into it.
    @raise ClientGone: the client has left.
    """
    found = await folder.reads(uids)
    if len(found) < len(uids):
        there = [uid for uid, _ in found]
        columns = [list(compress(column, map(set(there).__contains__, uids))) for column in columns]
    octets = [one for _, one in found]
    sizes = list(map(len, octets))
    heads = map((format + b" {%d}\r\n").__mod__, zip(*columns, sizes))
    rows = zip(heads, octets, repeat(b")\r\n"))
    begin = 0
    for end in portions(sizes, _ROOM):
        piece = b"".join(chain.from_iterable(islice(rows, end - begin)))
        begin = end
        # No literal may hold NUL; what stands before it has none.
        await imap.send(piece.replace(b"\0", b"\x80") if b"\0" in piece else piece)
    return len(found) == len(uids)
