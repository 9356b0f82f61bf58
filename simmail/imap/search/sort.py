"""
SORT and UID SORT (RFC 5256), with display names (RFC 5957) and result options (RFC 5267, RFC 9394).
"""

from __future__ import annotations


from simmail.core.message.sort import Criterion
from simmail.imap.connection import ImapConnection
from simmail.imap.contexts import SearchProgram
from simmail.imap.search.results import SLICE, SORTED, extended, return_options, saved
from simmail.imap.search.search import asks_modseq, find, highest, numbered
from simmail.imap.search.updates import check_update, keep_updated
from simmail.imap.wire.parser import Arguments
from simmail.imap.wire.replies import Bad
from simmail.imap.wire.search_keys import check_charset, parse_keys

_MOST_CRITERIA = 20
_NAMES = {
    b"ARRIVAL": "arrival", b"SIZE": "size", b"DATE": "at", b"SUBJECT": "order_subject",
    b"FROM": "order_from", b"TO": "order_to", b"CC": "order_cc",
    b"DISPLAYFROM": "display_from", b"DISPLAYTO": "display_to",
}


async def sort(imap: ImapConnection, arguments: Arguments, uid: bool = False) -> bytes:
    """SORT and UID SORT."""
    selected = imap.require_selected()
    arguments.space()
    wanted = return_options(arguments, SORTED)
    criteria = _criteria(arguments)
    arguments.space()
    check_charset(arguments.astring())
    arguments.space()
    keys = parse_keys(arguments)
    arguments.end()
    check_update(imap, wanted)
    with_modseq = asks_modseq(keys)
    if with_modseq:
        imap.enabled.add(b"CONDSTORE")
    found = await find(imap, selected, keys)
    ordered = await selected.folder.ordered(found, criteria)
    modseq = highest(selected, saved(ordered, wanted)) if with_modseq else b""
    numbers = ordered if uid else await numbered(imap, selected, ordered)
    if wanted is not None:
        await extended(imap, len(numbers), numbers.__getitem__, wanted, modseq, uid, False)
        keep_updated(imap, wanted, SearchProgram(uid, keys, criteria, wanted.items), ordered)
        return b"SORT completed"
    imap.write(b"* SORT")
    for begin in range(0, len(numbers), SLICE):
        await imap.send(" {}".format(" ".join(map(str, numbers[begin:begin + SLICE]))).encode("ascii"))
    imap.write(b" (MODSEQ %b)\r\n" % modseq if modseq else b"\r\n")
    return b"SORT completed"


def _criteria(arguments: Arguments) -> list[Criterion]:
    criteria: list[Criterion] = []
    for _ in arguments.listed(1):
        word = arguments.word()
        reverse = word == b"REVERSE"
        if reverse:
            arguments.space()
            word = arguments.word()
        if word not in _NAMES:
            raise Bad(f"Unknown sort key {word.decode('ascii', 'replace')[:50]}")
        criteria.append(Criterion(_NAMES[word], reverse))
        if len(criteria) > _MOST_CRITERIA:
            raise Bad("Too many sort keys")
    return criteria
