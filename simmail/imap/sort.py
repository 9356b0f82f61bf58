"""
SORT and UID SORT (RFC 5256), with display names (RFC 5957).

Keys come from the index a slice at a time; sorting is done in slices too, and
the slices merged, so that a large folder holds nobody up.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from simmail.core.address import Address, local_part
from simmail.imap.copying import selected_of
from simmail.imap.replies import Bad
from simmail.imap.search import SLICE, asks_modseq, highest, numbered
from simmail.imap.search_keys import check_charset, parse_keys
from simmail.imap.searching import Search
from simmail.imap.session import Selected
from simmail.imap.tokens import Arguments

if TYPE_CHECKING:
    from simmail.imap.server import ImapServer

#: Rows whose keys are fetched at once, and rows sorted at once.
ROWS, PIECE = 1000, 2000
_MOST_CRITERIA = 20
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

T = TypeVar("T")
Value = Callable[[Any, Any], Any]
Breathe = Callable[[], Awaitable[None]]


class Criterion(NamedTuple):
    """One sort key: what it is called, and whether it runs backwards."""

    name: bytes
    reverse: bool


class Source(NamedTuple):
    """Where a key comes from: a field of the digest or of the entry, and what of it counts."""

    digest: str
    entry: str
    value: Value


def _mailbox(found: tuple[Address, ...], _: Any) -> str:
    return local_part(found[0].address).casefold() if found else ""


def _display(found: tuple[Address, ...], _: Any) -> str:
    return (found[0].name or found[0].address).casefold() if found else ""


def _sent(sent: datetime | None, filed: datetime | None) -> float:
    # RFC 5256 section 2.2: without a Date, INTERNALDATE.
    return _filed(None, sent or filed)


def _filed(_: Any, filed: datetime | None) -> float:
    return ((filed or _EPOCH) - _EPOCH).total_seconds()


_SOURCES = {
    b"ARRIVAL": Source("", "date", _filed),
    b"SIZE": Source("", "size", lambda _, size: size or 0),
    b"DATE": Source("sent", "date", _sent),
    b"SUBJECT": Source("base_subject", "", lambda subject, _: subject.casefold()),
    b"FROM": Source("from_", "", _mailbox), b"TO": Source("to", "", _mailbox), b"CC": Source("cc", "", _mailbox),
    b"DISPLAYFROM": Source("from_", "", _display), b"DISPLAYTO": Source("to", "", _display),
}


async def sort(imap: ImapServer, arguments: Arguments, uid: bool = False) -> bytes:
    """SORT and UID SORT."""
    selected = selected_of(imap)
    arguments.space()
    criteria = _criteria(arguments)
    arguments.space()
    check_charset(arguments.astring())
    arguments.space()
    keys = parse_keys(arguments)
    arguments.end()
    with_modseq = asks_modseq(keys)
    if with_modseq:
        imap.enabled.add(b"CONDSTORE")
    found = await Search(selected, imap.login.universe.clock.now(), imap.breathe).find(keys)
    modseq = highest(selected, found) if with_modseq else b""
    ordered = await in_order(imap, selected, found, criteria)
    numbers = ordered if uid else await numbered(imap, selected, ordered)
    imap.write(b"* SORT")
    for begin in range(0, len(numbers), SLICE):
        await imap.send(b" " + b" ".join([b"%d" % number for number in numbers[begin:begin + SLICE]]))
    imap.write(b" (MODSEQ %b)\r\n" % modseq if modseq else b"\r\n")
    return b"SORT completed"


def _criteria(arguments: Arguments) -> list[Criterion]:
    arguments.expect(b"(")
    criteria: list[Criterion] = []
    while not criteria or not arguments.skip(b")"):
        if criteria:
            arguments.space()
        word = arguments.word()
        reverse = word == b"REVERSE"
        if reverse:
            arguments.space()
            word = arguments.word()
        if word not in _SOURCES:
            raise Bad(f"Unknown sort key {word.decode('ascii', 'replace')[:50]}")
        criteria.append(Criterion(word, reverse))
        if len(criteria) > _MOST_CRITERIA:
            raise Bad("Too many sort keys")
    return criteria


async def in_order(
    imap: ImapServer, selected: Selected, uids: Sequence[int], criteria: list[Criterion]
) -> list[int]:
    """UIDs in the order of some keys, then of their numbers."""
    pieces: list[list[Any]] = []
    for begin in range(0, len(uids), ROWS):
        some = uids[begin:begin + ROWS]
        columns = [await _column(selected, some, criterion) for criterion in criteria]
        pieces.append(sorted(zip(*columns, some)))
        await imap.breathe()
    return await lasts(await _all_merged(pieces, imap.breathe), imap.breathe)


async def sorted_in_turns(rows: Sequence[T], breathe: Breathe) -> list[T]:
    """Sorted, without keeping the reactor for long."""
    pieces: list[list[T]] = []
    for begin in range(0, len(rows), PIECE):
        pieces.append(sorted(rows[begin:begin + PIECE]))  # type: ignore[type-var]
        await breathe()
    return await _all_merged(pieces, breathe)


async def lasts(rows: list[Any], breathe: Breathe) -> list[Any]:
    """The last field of each row, in order; the rows are forgotten."""
    found: list[Any] = []
    while rows:
        found += [row[-1] for row in reversed(rows[-PIECE:])]
        del rows[-PIECE:]
        await breathe()
    found.reverse()
    return found


async def let_go(rows: list[Any], breathe: Breathe) -> None:
    """Forget rows a few at a time: giving back a hundred thousand takes as long as a slice of work."""
    while rows:
        del rows[-PIECE:]
        await breathe()


async def _all_merged(pieces: list[list[T]], breathe: Breathe) -> list[T]:
    """Sorted lists as one."""
    while len(pieces) > 1:
        pieces = [await _merged(pieces[at], pieces[at + 1], breathe) if at + 1 < len(pieces) else pieces[at]
                  for at in range(0, len(pieces), 2)]
    return pieces[0] if pieces else []


async def _merged(left: list[Any], right: list[Any], breathe: Breathe) -> list[Any]:
    """Two sorted lists as one."""
    merged: list[Any] = []
    at = there = 0
    while at < len(left) and there < len(right):
        # What comes before a row of the left and a row of the right, whichever is less, is complete.
        end, other_end = min(at + PIECE, len(left)), min(there + PIECE, len(right))
        if left[end - 1] <= right[other_end - 1]:
            other_end = bisect_right(right, left[end - 1], there, other_end)
        else:
            end = bisect_right(left, right[other_end - 1], at, end)
        # Two runs in a row are merged by sorting.
        merged += sorted(left[at:end] + right[there:other_end])
        at, there = end, other_end
        await breathe()
    return merged + left[at:] + right[there:]


async def _column(selected: Selected, uids: Sequence[int], criterion: Criterion) -> list[Any]:
    """One key of each message, comparable."""
    source = _SOURCES[criterion.name]
    kept: dict[int, tuple[Any, ...]] = {}
    if source.digest:
        kept = await selected.folder.digested(uids, (source.digest,))
    entries = selected.folder.column(source.entry, uids) if source.entry else [None] * len(uids)
    missing = (_EMPTY.get(source.digest),)
    value = source.value
    values = [value(kept.get(uid, missing)[0], entry) for uid, entry in zip(uids, entries)]
    if not criterion.reverse:
        return values
    if values and isinstance(values[0], str):
        return [_Reversed(value) for value in values]
    return [-value for value in values]


_EMPTY: dict[str, Any] = {"from_": (), "to": (), "cc": (), "base_subject": "", "sent": None}


class _Reversed:
    """A text that sorts backwards."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __lt__(self, other: _Reversed) -> bool:
        return bool(other.value < self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Reversed) and bool(self.value == other.value)
