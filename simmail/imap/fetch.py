"""
FETCH: what is kept in the index is joined in slices, what must be read is read one slice at a time.

Nothing is held for a client that does not read, and no slice keeps the
reactor for long.  Source: RFC 3501 section 6.4.5, RFC 7162 section 3.1.4.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from simmail.core.envelope import literal, string
from simmail.imap.copying import selected_of
from simmail.imap.fetch_items import Item, Since, parse_items, parse_since
from simmail.imap.objects import THREAD_FIELDS, email_id, thread_id
from simmail.imap.replies import Bad, No
from simmail.imap.sections import Sections, binary, chosen, cut
from simmail.imap.selecting import Resync, tell_vanished
from simmail.imap.sequence import parse_set
from simmail.imap.session import Selected
from simmail.imap.tokens import Arguments, internal_date
from simmail.mailstore.records import Entry

if TYPE_CHECKING:
    from simmail.imap.server import ImapServer

#: Messages of one slice, and octets of messages read at once.
SLICE, READ, OCTETS = 250, 64, 1 << 20

Shower = Callable[[Entry, tuple[Any, ...]], bytes]


async def fetch(imap: ImapServer, arguments: Arguments, uid: bool = False) -> bytes:
    """FETCH and UID FETCH."""
    selected = selected_of(imap)
    arguments.space()
    text = arguments.set()
    arguments.space()
    items = parse_items(arguments)
    since = parse_since(arguments)
    arguments.end()
    if since is not None and since.vanished and not (uid and selected.qresync):
        raise Bad("VANISHED is for UID FETCH once QRESYNC is enabled")
    if since is not None or any(item.kind == "MODSEQ" for item in items):
        imap.enabled.add(b"CONDSTORE")
    if uid and not any(item.kind == "UID" for item in items):
        items.insert(0, Item("UID", b"UID"))
    places = selected.slices(text, uid)
    if since is not None:
        places = await _since(imap, selected, text, places, since)
        if not any(item.kind == "MODSEQ" for item in items):
            items.append(Item("MODSEQ", b"MODSEQ"))
    plan = Plan(imap, selected, items)
    for begin, end in places:
        while begin < end:
            taken = await plan.show(begin, end)
            begin += taken
    if plan.refused is not None:
        raise plan.refused
    if plan.missing and not uid:
        raise No("Some of these messages are expunged", "EXPUNGEISSUED")
    return b"FETCH completed"


async def _since(
    imap: ImapServer, selected: Selected, text: bytes, places: list[tuple[int, int]], since: Since
) -> list[tuple[int, int]]:
    """The places of those messages only that changed; what vanished is told first."""
    if since.vanished:
        among = parse_set(text, selected.uids[-1] if selected.uids else 0) if text != b"$" else []
        await tell_vanished(imap, selected, among, Resync(0, since.modseq, None, b"", b""))
    chosen = {uid for begin, end in places for uid in selected.uids[begin:end]}
    return selected.places([uid for uid in selected.folder.changed(since.modseq) if uid in chosen])


class Plan:
    """What to do for each message, worked out once for a command."""

    def __init__(self, imap: ImapServer, selected: Selected, items: Sequence[Item]) -> None:
        self.imap = imap
        self.selected = selected
        self.missing = False
        self.refused: No | None = None
        self.columns: list[str] = []
        self.cheap: list[Shower] = []
        self.dear: list[Item] = []
        for item in items:
            self._add(item)
        self.sets_seen = not selected.read_only and any(item.sets_seen for item in items)
        self.shows_flags = any(item.kind == "FLAGS" for item in items)

    def _add(self, item: Item) -> None:
        kind = item.kind
        if kind == "UID":
            self.cheap.append(lambda entry, _: b"UID %d" % entry.uid)
        elif kind == "FLAGS":
            shown = self.selected.flags
            self.cheap.append(lambda entry, _: b"FLAGS " + shown(entry))
        elif kind == "INTERNALDATE":
            self.cheap.append(lambda entry, _: b"INTERNALDATE " + internal_date(entry.date))
        elif kind == "RFC822.SIZE":
            self.cheap.append(lambda entry, _: b"RFC822.SIZE %d" % entry.size)
        elif kind == "MODSEQ":
            self.cheap.append(lambda entry, _: b"MODSEQ (%d)" % entry.modseq)
        elif kind == "EMAILID":
            folder = self.selected.folder
            self.cheap.append(lambda entry, _: b"EMAILID (%b)" % email_id(folder.column("key", [entry.uid])[0]))
        elif kind == "THREADID":
            columns = [self._column(name) for name in THREAD_FIELDS]
            self.cheap.append(lambda entry, kept: b"THREADID (%b)" % thread_id(
                [kept[column] for column in columns], entry.uid))
        elif kind == "PREVIEW":
            preview = self._column("preview")
            self.cheap.append(lambda _, kept: b"PREVIEW " + string(kept[preview].encode("utf-8", "replace")))
        elif kind in _COLUMNS:
            column, label = self._column(_COLUMNS[kind]), item.label + b" "
            self.cheap.append(lambda _, kept: label + kept[column])
        elif kind == "BODY[]" and item.section.startswith("HEADER") and not item.path:
            column = self._column("header")
            self.cheap.append(lambda _, kept: item.label + b" " + literal(cut(chosen(kept[column], item), item)))
        else:
            self.dear.append(item)

    def _column(self, name: str) -> int:
        if name not in self.columns:
            self.columns.append(name)
        return self.columns.index(name)

    async def show(self, begin: int, end: int) -> int:
        """Show messages from one place on; how many were dealt with."""
        selected = self.selected
        uids: Sequence[int] = selected.uids[begin:min(end, begin + (READ if self.dear else SLICE))]
        taken = len(uids)
        entries = selected.folder.entries(uids)
        if self.dear:
            room = OCTETS
            for at, entry in enumerate(entries):
                room -= entry.size
                if room < 0 and at:
                    entries = entries[:at]
                    taken = selected.sequence(entry.uid) - 1 - begin
                    break
        if len(entries) < taken:
            self.missing = True
        marked: frozenset[int] = frozenset()
        if self.sets_seen:
            marked = await self._mark(entries)
            entries = selected.folder.entries([entry.uid for entry in entries])
        kept = await selected.folder.digested([entry.uid for entry in entries], self.columns) if self.columns else {}
        if self.dear:
            await self._rows_read(entries, kept, marked)
        else:
            await self._rows(begin, taken, entries, kept)
        return taken

    async def _mark(self, entries: Sequence[Entry]) -> frozenset[int]:
        unseen = [entry.uid for entry in entries if "\\Seen" not in entry.flags]
        if unseen:
            await self.selected.folder.flag(unseen, ("\\Seen",), "+", None, self.selected)
        return frozenset(unseen)

    async def _rows(
        self, begin: int, taken: int, entries: Sequence[Entry], kept: dict[int, tuple[Any, ...]]
    ) -> None:
        showers = self.cheap
        rows: list[bytes] = []
        whole = len(entries) == taken
        nothing: tuple[Any, ...] = ()
        for number, entry in enumerate(entries, begin + 1):
            of_index = kept.get(entry.uid) if self.columns else nothing
            if of_index is None:
                self.missing = True
                continue
            rows.append(b"* %d FETCH (%b)\r\n" % (
                number if whole else self.selected.sequence(entry.uid),
                b" ".join([shower(entry, of_index) for shower in showers])))
        await self.imap.send(b"".join(rows))

    async def _rows_read(
        self, entries: Sequence[Entry], kept: dict[int, tuple[Any, ...]], marked: frozenset[int]
    ) -> None:
        selected = self.selected
        found = dict(await selected.folder.reads([entry.uid for entry in entries]))
        for entry in entries:
            octets = found.pop(entry.uid, None)
            of_index = kept.get(entry.uid, ()) if not self.columns else kept.get(entry.uid)
            if octets is None or of_index is None:
                self.missing = True
                continue
            pieces = [shower(entry, of_index) for shower in self.cheap]
            if entry.uid in marked and not self.shows_flags:
                pieces.append(b"FLAGS " + selected.flags(entry))
                if selected.condstore:
                    pieces.append(b"MODSEQ (%d)" % entry.modseq)
            sections = Sections(octets)
            pieces += [await self._read(item, sections) for item in self.dear]
            await self.imap.send(b"* %d FETCH (%b)\r\n" % (selected.sequence(entry.uid), b" ".join(pieces)))

    async def _read(self, item: Item, sections: Sections) -> bytes:
        await self.imap.breathe()
        if item.kind == "BODY[]":
            return sections.shown(item)
        try:
            content = sections.binary(item)
        except No as error:
            self.refused, content = error, None
        if item.kind == "BINARY.SIZE":
            return item.label + b" %d" % len(content or b"")
        return item.label + b" " + (b"NIL" if content is None else binary(cut(content, item)))


_COLUMNS = {"ENVELOPE": "envelope", "BODYSTRUCTURE": "structure", "BODY": "body"}
