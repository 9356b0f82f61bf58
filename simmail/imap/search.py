"""
SEARCH and UID SEARCH.

Source: RFC 3501 section 6.4.4.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simmail.imap.copying import selected_of
from simmail.imap.search_keys import parse_charset, parse_keys
from simmail.imap.searching import Search
from simmail.imap.tokens import Arguments

if TYPE_CHECKING:
    from simmail.imap.server import ImapServer

#: Numbers of one piece of an answer.
SLICE = 5000


async def search(imap: ImapServer, arguments: Arguments, uid: bool = False) -> bytes:
    """SEARCH and UID SEARCH."""
    selected = selected_of(imap)
    arguments.space()
    parse_charset(arguments)
    keys = parse_keys(arguments)
    arguments.end()
    found = await Search(selected, imap.login.universe.clock.now(), imap.breathe).find(keys)
    numbers = found if uid else [selected.sequence(one) for one in found]
    imap.write(b"* SEARCH")
    for begin in range(0, len(numbers), SLICE):
        await imap.send(b" " + b" ".join([b"%d" % number for number in numbers[begin:begin + SLICE]]))
    imap.write(b"\r\n")
    return b"SEARCH completed"
