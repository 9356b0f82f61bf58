"""
One folder, loaded: what the real store's L{IFolder} is.

How it changes is in C{changes}, C{flags} and C{transfer}; here is
how it is loaded, and how messages are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from twisted.internet.defer import Deferred, succeed
from zope.interface import implementer

from simmail.concurrency import as_deferred, unbroken
from simmail.core.message.sort import Criterion
from simmail.core.message.summary import Digest
from simmail.core.records.folder import Columns
from simmail.core.time.instant import of_microseconds
from simmail.errors import NotFound
from simmail.interfaces import IFolder
from simmail.mailstore.delivery.changes import BumpModseq
from simmail.mailstore.delivery.mailboxes import RenewUidvalidity
from simmail.mailstore.folder import flags as flagging, load as loading, transfer
from simmail.mailstore.folder.changes import ChangingFolder
from simmail.mailstore.folder.load import FolderHead, Loaded
from simmail.mailstore.index import conversations, fetch, search, sort
from simmail.mailstore.index.index import Index, Snapshot
from simmail.mailstore.maildir import savedate
from simmail.mailstore.maildir.filename import Row
from simmail.mailstore.maildir.files import read_files
from simmail.mailstore.maildir.opened import OpenMessage


async def load(folder: ChangingFolder) -> None:
    """Load a folder; called once.  @raise NotFound: it is not there."""
    context, mailbox, name = folder.context, folder.mailbox, folder.name
    head: FolderHead = await context.reader.call(loading.head, context.layout, mailbox, name)
    last, snapshot = await context.index.ask(Index.recall, mailbox, name, head.uidvalidity) or (0, None)
    if last > head.uidvalidity or (snapshot is not None and snapshot.uidnext > head.uidnext):
        # Somebody has put an older one in its place, or removed it: UIDs would be given twice.
        await context.writer.call(RenewUidvalidity(context.at, mailbox, name, max(last, head.uidvalidity), 0, 0))
        head, snapshot = await context.reader.call(loading.head, context.layout, mailbox, name), None
    found: Loaded = await context.reader.call(loading.load, context.layout, head, snapshot)
    bumped = 0
    if found.noticed or found.gone:
        bumped = await context.writer.call(BumpModseq(context.at, mailbox, name, found.gone))
    _install(folder, head, found, bumped)
    if found.strays:
        await context.keeper.adopt(mailbox, name, found.strays)
    folder.require()


def _install(folder: ChangingFolder, head: FolderHead, found: Loaded, bumped: int) -> None:
    folder.directory, folder.stamp = head.directory, head.stamp
    folder.uidvalidity, folder.objectid, folder.special_use = head.uidvalidity, head.objectid, head.special_use
    folder.uidnext, folder.highestmodseq = head.uidnext, max(head.highestmodseq, bumped)
    folder.table.learn(head.keywords)
    rows = found.rows
    rows.notice(found.noticed, bumped)
    folder.rows = rows
    if rows.uids:
        folder.uidnext = max(folder.uidnext, rows.uids[-1] + 1)
    folder.times = found.times
    folder.expunges = found.expunges
    folder.expunges.add(found.gone, bumped)
    if found.marked:
        folder.noted = True
        folder.unplaced = {uid for at, uid in enumerate(rows.uids) if not rows.is_placed(at)}
        folder.context.renames.add(folder)
    folder.dirty = bool(found.noticed or found.gone)
    folder.loaded = True
    early, folder.early = folder.early, []
    if early:
        folder.added(early, folder.table.places)


def snapshot_of(folder: ChangingFolder) -> Snapshot:
    """Return the folder as it is, for the index."""
    settled = max(folder.times) / 1e9 < folder.context.layout.wall() - loading.SETTLED
    return Snapshot(
        folder.uidvalidity, folder.uidnext, folder.highestmodseq, folder.times if settled else (0, 0),
        folder.expunges.since, folder.expunges.packed(), folder.rows.packed())


async def reads(folder: ChangingFolder, uids: Sequence[int]) -> list[tuple[int, bytes]]:
    """Return the octets of those messages that are there."""
    folder.require()
    found = await _read_files(folder, uids)
    if None in found:
        # Renamed under our hands, by a change of flags here or by another program; or gone.
        lost = [uid for uid, octets in zip(uids, found) if octets is None]
        again = await unbroken(_read_again(folder, lost))
        found = [again[uid] if octets is None else octets for uid, octets in zip(uids, found)]
    return [(uid, octets) for uid, octets in zip(uids, found) if octets is not None]


async def _read_again(folder: ChangingFolder, uids: Sequence[int]) -> dict[int, bytes | None]:
    async with folder.changing():
        await folder.notice()
        return dict(zip(uids, await _read_files(folder, uids)))


async def _read_files(folder: ChangingFolder, uids: Sequence[int]) -> list[bytes | None]:
    paths = folder.paths(uids)
    if folder.directory is None or not any(paths):
        return [None] * len(uids)
    found: list[bytes | None] = await folder.context.reader.call(
        read_files, folder.context.layout, folder.directory, paths, folder.column("size", uids))
    return found


async def saved(folder: ChangingFolder, uids: Sequence[int]) -> list[datetime | None]:
    """Return when messages were put here (RFC 8514), None for those that are gone."""
    folder.require()
    dates = folder.column("arrival", uids)
    there = [(uid, date) for uid, date in zip(uids, dates) if date is not None]
    context = folder.context
    found = await context.reader.call(
        savedate.find, context.layout.root, folder.directory, [uid for uid, _ in there], [date for _, date in there])
    known = dict(zip([uid for uid, _ in there], map(of_microseconds, found)))
    return list(map(known.get, uids))


async def _open(folder: ChangingFolder, uid: int) -> OpenMessage | None:
    folder.require()
    [path] = folder.paths([uid])
    if path is None or folder.directory is None:
        return None
    key = folder.mailbox, folder.name, folder.uidvalidity, uid
    return await folder.context.messages.open(key, f"{folder.directory}/{path}")


@implementer(IFolder)
class Folder(ChangingFolder):
    """One folder of the store on disk; what each call answers is told by L{IFolder}."""

    def append_rows(self, rows: Sequence[Row]) -> None:
        """Messages have appeared; their digests are taken when there is nothing else to do."""
        self.dirty = True
        begin = self.rows.uids[-1] + 1 if self.rows.uids else 1
        super().append_rows(rows)
        if self.loaded:
            self.context.index.background.arrived(self, begin)

    # Coming, going

    def append(
        self, octets: bytes, flags: Iterable[str], date: datetime, saved: datetime | None = None
    ) -> Deferred[int]:
        return transfer.append(self, octets, flags, date, saved)

    def append_all(
        self, messages: Sequence[tuple[bytes, Iterable[str], datetime]], saved: datetime | None = None
    ) -> Deferred[list[int]]:
        return transfer.append_all(self, messages, saved)

    def replace(
        self, uid: int, target: Folder, octets: bytes, flags: Iterable[str], date: datetime,
        saved: datetime | None = None,
    ) -> Deferred[int]:
        return Deferred.fromCoroutine(transfer.replace(self, uid, target, octets, tuple(flags), date, saved))

    def copy(
        self, uids: Iterable[int], target: Folder, saved: datetime | None = None
    ) -> Deferred[list[tuple[int, int]]]:
        return Deferred.fromCoroutine(transfer.transfer(self, uids, target, False, saved))

    def move(
        self, uids: Iterable[int], target: Folder, saved: datetime | None = None
    ) -> Deferred[list[tuple[int, int]]]:
        return Deferred.fromCoroutine(transfer.transfer(self, uids, target, True, saved))

    def expunge(self, uids: Iterable[int]) -> Deferred[list[int]]:
        return Deferred.fromCoroutine(transfer.expunge(self, uids))

    @as_deferred
    async def vanished(self, since: int) -> list[int] | None:
        self.require()
        return self.expunges.after(since)

    # Flags

    def flag(
        self, uids: Iterable[int], flags: Iterable[str], mode: str, unchangedsince: int | None = None,
        origin: object = None,
    ) -> Deferred[tuple[list[int], list[int]]]:
        return Deferred.fromCoroutine(flagging.flag(self, uids, flags, mode, unchangedsince, origin))

    def take_recent(self) -> Deferred[list[int]]:
        return Deferred.fromCoroutine(flagging.take_recent(self))

    # Reading

    def saved(self, uids: Sequence[int]) -> Deferred[list[datetime | None]]:
        return Deferred.fromCoroutine(saved(self, uids))

    @as_deferred
    async def read(self, uid: int) -> bytes:
        found = await reads(self, [uid])
        if not found:
            raise NotFound(f"message {uid} is gone")
        return found[0][1]

    def open(self, uid: int) -> Deferred[OpenMessage | None]:
        return Deferred.fromCoroutine(_open(self, uid))

    def reads(self, uids: Sequence[int]) -> Deferred[list[tuple[int, bytes]]]:
        return Deferred.fromCoroutine(reads(self, uids))

    def digests(self, uids: Iterable[int]) -> Deferred[dict[int, Digest]]:
        return Deferred.fromCoroutine(fetch.digests(self.context.index, self, uids))

    def digested(self, uids: Iterable[int], names: Sequence[str]) -> Deferred[dict[int, tuple[Any, ...]]]:
        return Deferred.fromCoroutine(fetch.digested(self.context.index, self, uids, names))

    def kept_text(self, uid: int) -> Deferred[str | None]:
        if self.context.index.background.is_behind(self, uid):
            return succeed(None)
        return Deferred.fromCoroutine(fetch.kept_text(self.context.index, self, uid))

    def columns(self, uids: Iterable[int], names: Sequence[str]) -> Deferred[Columns]:
        return Deferred.fromCoroutine(fetch.columns(self.context.index, self, uids, names))

    def threaded(self, uids: Sequence[int], names: Sequence[str]) -> Deferred[tuple[Columns, bool]]:
        return Deferred.fromCoroutine(conversations.threaded(self.context.index, self, uids, names))

    def ordered(self, uids: Sequence[int], criteria: Sequence[Criterion]) -> Deferred[list[int]]:
        return Deferred.fromCoroutine(sort.ordered(self.context.index, self, uids, criteria))

    def containing(self, names: Sequence[str], text: str) -> Deferred[list[int]]:
        return Deferred.fromCoroutine(search.holding(self.context.scanning, self, names, text))
