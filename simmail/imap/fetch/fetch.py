"""
FETCH: what is kept in the index is joined in slices, what must be read is read one slice at a time.

Nothing is held for a client that does not read, and no slice keeps the
reactor for long.  Source: RFC 3501 section 6.4.5, RFC 7162 section 3.1.4, RFC 9394 section 3.3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import partial
from itertools import islice
from typing import Any

from twisted.internet.defer import Deferred

from simmail.concurrency import portions
from simmail.core.mime.bodystructure import literal, string
from simmail.core.mime.headers import HEADER
from simmail.core.records.folder import Columns, only
from simmail.errors import Unavailable
from simmail.imap.connection import ImapConnection
from simmail.imap.fault_injection import apply_fault
from simmail.imap.fetch.resync import Resync, tell_vanished
from simmail.imap.fetch.sections import Sections, binary, chosen, cut
from simmail.imap.fetch.stream import STREAMED, Stream
from simmail.imap.fetch.whole import is_whole, send_whole
from simmail.imap.selected import Selected
from simmail.imap.wire.fetch_items import Item, Since, parse_items, parse_modifiers
from simmail.imap.wire.objectid import THREAD_FIELDS, email_id, thread_id
from simmail.imap.wire.output import PIECE
from simmail.imap.wire.parser import Arguments, internal_date
from simmail.imap.wire.replies import Bad, No
from simmail.imap.wire.sequence import PartialRange, parse_set

#: Messages of one slice: of which only state is asked, what is kept in the index, all octets of the file, or some;
#: and octets of headers and of files in memory at once, besides one message that is not so large that it is sent from
#: its file.
STATE, SLICE, WHOLE, READ, HEADERS, OCTETS = 2000, 500, 250, 64, 1 << 20, 1 << 19
#: Rows that are put together at once: for more the system would have to find memory each time.
ROWS = 200

#: Sections of the header that are cut from it for all messages of a slice; more are read one by one.
MOST_HEADERS = 4
#: The structure of a larger message is worked out in a thread, and so are its parts decoded.
LARGE = 256 * 1024

#: One item of many messages, from their UIDs and the columns of what the index keeps of them.
Column = Callable[[Sequence[int], Sequence[Sequence[Any]]], Sequence[Any]]


async def fetch(imap: ImapConnection, arguments: Arguments, uid: bool = False) -> bytes:
    """FETCH and UID FETCH."""
    selected = imap.require_selected()
    arguments.space()
    text = arguments.set()
    arguments.space()
    items = parse_items(arguments)
    since, page = parse_modifiers(arguments)
    arguments.end()
    if since is not None and since.vanished and not (uid and selected.qresync):
        raise Bad("VANISHED is for UID FETCH once QRESYNC is enabled")
    if page is not None and not uid:
        raise Bad("PARTIAL is for UID FETCH")
    await apply_fault(imap, "imap_fetch")
    if since is not None or any(item.kind == "MODSEQ" for item in items):
        imap.enabled.add(b"CONDSTORE")
    if uid and not selected.uid_only and not any(item.kind == "UID" for item in items):
        items.insert(0, Item("UID", b"UID"))
    places = selected.slices(text, uid)
    if page is not None:
        places = on_page(places, page)
    if since is not None:
        places = await _since(imap, selected, text, places, since)
        if not any(item.kind == "MODSEQ" for item in items):
            items.append(Item("MODSEQ", b"MODSEQ"))
    began = imap.reactor.seconds()
    plan = FetchPlan(imap, selected, items)
    waiting: Sequence[int] | None = None
    begin = 0
    try:
        for uids, first in _batches(places, selected.uids, plan.size):
            plan.expect(uids)
            if waiting is not None:
                await plan.show(waiting, begin)
            waiting, begin = uids, first
        if waiting is not None:
            await plan.show(waiting, begin)
    finally:
        plan.close()
        imap.context.fetches.observe(imap.reactor.seconds() - began)
    if plan.refused is not None:
        raise plan.refused
    if plan.missing and not uid:
        if not plan.shown:
            raise No("These messages are expunged", "EXPUNGEISSUED")
        # Clients throw away what comes with a NO.
        return b"[EXPUNGEISSUED] FETCH completed, some of these messages are expunged"
    return b"FETCH completed"


async def show(imap: ImapConnection, selected: Selected, items: Sequence[Item], uids: Sequence[int]) -> None:
    """Show ascending messages of which the client has not asked; those that are gone are left out."""
    plan = FetchPlan(imap, selected, items)
    for begin in range(0, len(uids), plan.size):
        await plan.show(uids[begin:begin + plan.size])


def on_page(places: list[tuple[int, int]], page: PartialRange) -> list[tuple[int, int]]:
    """What of some places is on a page of them."""
    begin, end = page.cut(sum(last - first for first, last in places))
    found, before = [], 0
    for first, last in places:
        low, high = first + max(begin - before, 0), min(last, first + end - before)
        if low < high:
            found.append((low, high))
        before += last - first
    return found


async def _since(
    imap: ImapConnection, selected: Selected, text: bytes, places: list[tuple[int, int]], since: Since
) -> list[tuple[int, int]]:
    """The places of those messages only that changed; what vanished is told first."""
    if since.vanished:
        among = parse_set(text, selected.uids[-1] if selected.uids else 0) if text != b"$" else []
        await tell_vanished(imap, selected, among, Resync(0, since.modseq))
    chosen = {uid for begin, end in places for uid in selected.uids[begin:end]}
    return selected.places([uid for uid in selected.folder.changed(since.modseq) if uid in chosen])


def _batches(
    places: list[tuple[int, int]], uids: Sequence[int], size: int
) -> Iterator[tuple[Sequence[int], int]]:
    """
    UIDs at some places, so many at a time, with the number of the first.

    Single messages here and there go together, without a number.
    """
    scattered: list[int] = []
    for begin, end in places:
        if end - begin < size // 4:
            scattered.extend(uids[begin:end])
            if len(scattered) >= size:
                yield scattered, 0
                scattered = []
            continue
        if scattered:
            yield scattered, 0
            scattered = []
        for at in range(begin, end, size):
            yield uids[at:min(end, at + size)], at + 1
    if scattered:
        yield scattered, 0


class FetchPlan:
    """
    What to do for each message, worked out once for a command.

    Items that are kept are columns: one list for each of a slice of messages, and one format that puts a
    row of them together.
    """

    def __init__(self, imap: ImapConnection, selected: Selected, items: Sequence[Item]) -> None:
        self.imap = imap
        self.selected = selected
        self.missing = self.shown = False
        self.refused: No | None = None
        self.fields: list[str] = []
        self.formats: list[bytes] = []
        self.columns: list[Column] = []
        self.headers: list[Item] = []
        self.needs_body: list[Item] = []
        for item in items:
            self._add(item)
        self.sets_seen = not selected.read_only and any(item.sets_seen for item in items)
        self.tells_seen = self.sets_seen and not any(item.kind == "FLAGS" for item in items)
        head = b"* %d UIDFETCH (" if selected.uid_only else b"* %d FETCH ("
        self.format = head + b" ".join(self.formats) + (b"%b" if self.tells_seen else b"")
        self._saved: Sequence[datetime] = ()
        self.tells_saved = any(item.kind == "SAVEDATE" for item in items)
        self._ahead: list[tuple[Sequence[int], Deferred[Columns]]] = []

    def _add(self, item: Item) -> None:
        kind = item.kind
        label = item.label.replace(b"%", b"%%")
        folder = self.selected.folder
        if kind == "UID":
            self._keep(b"UID %d", lambda uids, _: uids)
        elif kind == "FLAGS":
            self._keep(b"FLAGS %b", lambda uids, _: self.selected.flags_of(uids, folder.column("flags", uids)))
        elif kind == "INTERNALDATE":
            self._keep(
                b"INTERNALDATE %b", lambda uids, _: [internal_date(date) for date in folder.column("date", uids)])
        elif kind == "RFC822.SIZE":
            self._keep(b"RFC822.SIZE %d", lambda uids, _: folder.column("size", uids))
        elif kind == "MODSEQ":
            self._keep(b"MODSEQ (%d)", lambda uids, _: folder.column("modseq", uids))
        elif kind == "SAVEDATE":
            self._keep(b"SAVEDATE %b", lambda uids, _: list(map(internal_date, self._saved)))
        elif kind == "EMAILID":
            self._keep(b"EMAILID (%b)", lambda uids, _: [email_id(key) for key in folder.column("key", uids)])
        elif kind == "THREADID":
            places = [self._field(name) for name in THREAD_FIELDS]
            self._keep(b"THREADID (%b)", lambda uids, kept: list(map(
                thread_id, zip(*[kept[place] for place in places]), uids)))
        elif kind == "PREVIEW":
            preview = self._field("preview")
            self._keep(b"PREVIEW %b", lambda _, kept: [string(one.encode("utf-8", "replace")) for one in kept[preview]])
        elif kind in _FIELDS:
            field = self._field(_FIELDS[kind])
            self._keep(label + b" %b", lambda _, kept: kept[field])
        elif (kind == "BODY[]" and item.section.startswith("HEADER") and not item.path
              and len(self.headers) < MOST_HEADERS):
            self._field("header")
            at = len(self.headers)
            self.headers.append(item)
            # What L{_cut} adds behind the fields.
            self._keep(label + b" %b", lambda _, kept: kept[len(self.fields) + at])
        else:
            self.needs_body.append(item)

    def _keep(self, format: bytes, column: Column) -> None:
        self.formats.append(format)
        self.columns.append(column)

    def _field(self, name: str) -> int:
        if name not in self.fields:
            self.fields.append(name)
        return self.fields.index(name)

    @property
    def size(self) -> int:
        """How many messages are shown at once."""
        if self.needs_body:
            return WHOLE if self._is_whole else READ
        return SLICE if self.fields else STATE

    @property
    def _is_whole(self) -> bool:
        return len(self.needs_body) == 1 and is_whole(self.needs_body[0])

    def expect(self, uids: Sequence[int]) -> None:
        """These are shown soon: the index is asked for them while those before are on their way."""
        if self.fields and "header" not in self.fields and not self.needs_body and not self.sets_seen:
            self._ahead.append((uids, self.selected.folder.columns(uids, self.fields)))

    def close(self) -> None:
        """No more is shown."""
        for _, kept in self._ahead:
            kept.addErrback(lambda failure: None)

    async def _kept(self, uids: Sequence[int]) -> Columns:
        """What the index keeps of those messages that are there."""
        if self._ahead:
            expected, kept = self._ahead.pop(0)
            if expected is uids:
                return await kept
            kept.addErrback(lambda failure: None)
        found: Columns = await self.selected.folder.columns(uids, self.fields)
        return found

    async def show(self, uids: Sequence[int], first: int = 0) -> None:
        """
        Show messages, not too many at once.

        @param first: the number of the first when they are next to one another, else 0.
        """
        sizes = self.selected.folder.column("size", uids)
        if None in sizes:
            self.missing = True
            first = 0
            uids = [uid for uid, size in zip(uids, sizes) if size is not None]
            sizes = [size for size in sizes if size is not None]
        if not self.needs_body and "header" not in self.fields:
            await self._show(uids, first)
            return
        begin = 0
        # Octets that are in memory at once for one message, at most.
        most = HEADER * len(self.headers)
        costs, room = (sizes, OCTETS) if self.needs_body else (
            [min(size * len(self.headers), most) for size in sizes], HEADERS)
        for end in portions(costs, room):
            await self._show(uids[begin:end], first and first + begin)
            begin = end

    async def _show(self, uids: Sequence[int], first: int) -> None:
        selected = self.selected
        marked: frozenset[int] = frozenset()
        if self.sets_seen:
            marked = await self._mark(uids)
            uids = self._left(uids)
        kept: list[list[Any]] = []
        if self.fields:
            found, kept = await self._kept(uids)
            if self.headers:
                kept += await self._cut(kept)
            left = self._left(found)
            if len(left) < len(found):
                found, kept = only(found, set(left), kept)
            if len(found) < len(uids):
                self.missing = True
                uids = found
        if self.tells_saved:
            uids, kept = await self._learn_saved(uids, kept)
        if not uids:
            return
        self.shown = True
        numbers: Sequence[int] = range(first, first + len(uids))
        if selected.uid_only:
            numbers = uids
        elif not first or self.missing:
            numbers = list(map(selected.sequence, uids))
        columns: list[Sequence[Any]] = [numbers, *[column(uids, kept) for column in self.columns]]
        if self.tells_seen:
            columns.append(self._seen(uids, marked))
        if self.needs_body:
            await self._read(uids, columns)
        else:
            rows = map((self.format + b")\r\n").__mod__, zip(*columns))
            for _ in range(0, len(uids), ROWS):
                await self.imap.send(b"".join(islice(rows, ROWS)))

    async def _learn_saved(self, uids: Sequence[int], kept: list[list[Any]]) -> tuple[Sequence[int], list[list[Any]]]:
        """When messages were saved; of those and their columns what is still there."""
        dates = await self.selected.folder.saved(uids)
        known = {uid: date for uid, date in zip(uids, dates) if date is not None}
        left = [uid for uid in self._left(uids) if uid in known]
        self._saved = [known[uid] for uid in left]
        if len(left) == len(uids):
            return uids, kept
        self.missing = True
        return only(uids, set(left), kept)

    def _left(self, uids: Sequence[int]) -> Sequence[int]:
        """The messages that are still there."""
        sizes = self.selected.folder.column("size", uids)
        if None not in sizes:
            return uids
        self.missing = True
        return [uid for uid, size in zip(uids, sizes) if size is not None]

    async def _cut(self, kept: Sequence[Sequence[Any]]) -> list[list[bytes]]:
        """What was asked for of each header, in columns."""
        octets, headers = kept[self.fields.index("header")], self.headers

        def cut_all() -> list[list[bytes]]:
            return [[literal(cut(chosen(one, item), item)) for one in octets] for item in headers]

        weight = sum(map(len, octets))
        return await self.imap.context.in_thread_if(weight * len(headers) > LARGE, cut_all)

    async def _mark(self, uids: Sequence[int]) -> frozenset[int]:
        held = self.selected.folder.column("flags", uids)
        unseen = [uid for uid, flags in zip(uids, held) if flags is not None and "\\Seen" not in flags]
        if unseen:
            try:
                await self.selected.folder.flag(unseen, ("\\Seen",), "+", None, self.selected)
            except Unavailable:
                # Reading goes on when nothing can be written (promises, R7).
                return frozenset()
        return frozenset(unseen)

    def _seen(self, uids: Sequence[int], marked: frozenset[int]) -> list[bytes]:
        """The new flags of messages that this FETCH has marked as seen, nothing for others."""
        selected = self.selected
        blank = b" " if self.formats else b""
        after = b"" if not self.needs_body else b" "
        response: list[bytes] = []
        held = selected.flags_of(uids, selected.folder.column("flags", uids))
        for uid, flags, modseq in zip(uids, held, selected.folder.column("modseq", uids)):
            if uid not in marked:
                response.append(b"")
                continue
            flags = b"FLAGS " + flags
            if selected.condstore:
                flags += b" MODSEQ (%d)" % modseq
            response.append(blank + flags + (b"" if self.formats else after))
        return response

    async def _read(self, uids: Sequence[int], columns: Sequence[Sequence[Any]]) -> None:
        """The rows of messages of which something must be read from the file."""
        folder = self.selected.folder
        large = {uid for uid, size in zip(uids, folder.column("size", uids)) if (size or 0) > STREAMED}
        if not large and self._is_whole:
            blank = b" " if self.formats else b""
            label = self.needs_body[0].label.replace(b"%", b"%%")
            if not await send_whole(self.imap, folder, uids, self.format + blank + label, columns):
                self.missing = True
            return
        heads = [self.format % values for values in zip(*columns)]
        found = dict(await folder.reads([uid for uid in uids if uid not in large] if large else uids))
        blank = b" " if self.formats else b""
        pieces: list[bytes] = []
        held = 0
        for uid, head in zip(uids, heads):
            if uid in large:
                opened = await folder.open(uid)
                if opened is not None:
                    await self.imap.send(b"".join(pieces))
                    pieces, held = [], 0
                    await self._stream(opened, head + blank)
                    continue
                found.update(await folder.reads([uid]))
            octets = found.pop(uid, None)
            if octets is None:
                self.missing = True
                continue
            sections = Sections(octets)
            if len(octets) > LARGE and any(item.path for item in self.needs_body):
                await self.imap.context.in_thread(sections.understand)
            separator = head + blank
            for item in self.needs_body:
                if len(octets) > LARGE and (item.kind != "BODY[]" or item.section != ""):
                    shown = await self.imap.context.in_thread(partial(self._section, item, sections))
                else:
                    shown = self._section(item, sections)
                pieces += (separator, shown)
                separator = b" "
                held += len(shown)
                if held > PIECE:
                    # One item is held at a time, however many of a large message are asked for.
                    await self.imap.send(b"".join(pieces))
                    pieces, held = [], 0
                else:
                    await self.imap.yield_to_reactor()
            pieces.append(b")\r\n")
        await self.imap.send(b"".join(pieces))

    async def _stream(self, opened: Any, before: bytes) -> None:
        """The row of a large message."""
        stream = Stream(self.imap, opened)
        try:
            await stream.send(before, self.needs_body)
        finally:
            opened.close()
        self.refused = stream.refused or self.refused

    def _section(self, item: Item, sections: Sections) -> bytes:
        if item.kind == "BODY[]":
            return sections.shown(item)
        try:
            content = sections.binary(item)
        except No as error:
            self.refused, content = error, None
        if item.kind == "BINARY.SIZE":
            return item.label + b" %d" % len(content or b"")
        return item.label + b" " + (b"NIL" if content is None else binary(cut(content, item)))


_FIELDS = {"ENVELOPE": "envelope", "BODYSTRUCTURE": "structure", "BODY": "body"}
