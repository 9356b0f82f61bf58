"""
One folder, loaded: what the real store's L{IFolder} is.

Here is how it is loaded and saved, how messages come and go, and how they are
read; see C{changing} for how it changes and C{flagging} for flags.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from twisted.internet.defer import Deferred, fail, succeed
from zope.interface import implementer

from simmail.concurrency import unbroken
from simmail.core.message.sort import Criterion
from simmail.core.message.summary import Digest
from simmail.core.records.delivery import Delivery, DeliveryPart, Placement, ReplacedMessage
from simmail.core.records.folder import Columns, FolderChange
from simmail.errors import NotFound, Refusal
from simmail.interfaces import IFolder
from simmail.mailstore.delivery.changes import Restated
from simmail.mailstore.delivery.copymove import Sources
from simmail.mailstore.delivery.delivery import DeliveryResult
from simmail.mailstore.delivery.folders import SYSTEM_MASK
from simmail.mailstore.folder import load as loading
from simmail.mailstore.folder.flags import Flagging
from simmail.mailstore.folder.load import Head, Loaded
from simmail.mailstore.index import fetch, search, update
from simmail.mailstore.index.index import Snapshot
from simmail.mailstore.maildir import savedate
from simmail.mailstore.maildir.filename import Row, packed
from simmail.mailstore.maildir.files import read_files
from simmail.mailstore.maildir.flags import canonical_all, instant, microseconds
from simmail.mailstore.maildir.opened import OpenMessage
from simmail.mailstore.writer.requests import BumpModseq, RemoveFiles, RenewUidvalidity, Transfer


@implementer(IFolder)
class Folder(Flagging):
    """One folder of the store on disk."""

    # Loading

    async def load(self) -> None:
        """
        Read the folder; called once.

        @raise NotFound: it is not there.
        """
        store = self._store
        head: Head = await store.reader.call(loading.head, store.layout, self.mailbox, self.name)
        last, snapshot = await store.indexed(
            store.index.recall, self.mailbox, self.name, head.uidvalidity) or (0, None)
        if last > head.uidvalidity or (snapshot is not None and snapshot.uidnext > head.uidnext):
            # Somebody has put an older one in its place, or removed it: UIDs would be given twice.
            await store.writer.call(
                RenewUidvalidity(store.at, self.mailbox, self.name, max(last, head.uidvalidity), 0, 0))
            head, snapshot = await store.reader.call(loading.head, store.layout, self.mailbox, self.name), None
        found: Loaded = await store.reader.call(loading.load, store.layout, head, snapshot)
        bumped = 0
        if found.noticed or found.gone:
            bumped = await store.writer.call(BumpModseq(store.at, self.mailbox, self.name, found.gone))
        self._install(head, found, bumped)
        if found.strays:
            await store.adopt(self.mailbox, self.name, found.strays)
        if self.gone:
            raise NotFound(f"folder {self.name} of {self.mailbox} is gone")

    def _install(self, head: Head, found: Loaded, bumped: int) -> None:
        self.directory, self._stamp = head.directory, head.stamp
        self.uidvalidity, self.objectid, self.special_use = head.uidvalidity, head.objectid, head.special_use
        self.uidnext, self.highestmodseq = head.uidnext, max(head.highestmodseq, bumped)
        self._learn(head.keywords)
        rows = found.rows
        rows.notice(found.noticed, bumped)
        self._rows = rows
        if rows.uids:
            self.uidnext = max(self.uidnext, rows.uids[-1] + 1)
        self._times = found.times
        self._vanished = [*found.vanished, *((bumped, uid) for uid in found.gone)]
        self._vanished_from = found.vanished_from
        if found.marked:
            self._noted = True
            self._unplaced = {uid for at, uid in enumerate(rows.uids) if not rows.is_placed(at)}
            self._store.placing.add(self)
        self.dirty = bool(found.noticed or found.gone)
        self.loaded = True
        early, self._early = self._early, []
        if early:
            self.added(early, self._table)

    def _append(self, rows: Sequence[Row]) -> None:
        self.dirty = True
        begin = self._rows.uids[-1] + 1 if self._rows.uids else 1
        super()._append(rows)
        if self.loaded:
            self._store.digest_later(self, begin)

    def snapshot(self) -> Snapshot:
        """The folder as it is, for the index."""
        settled = max(self._times) / 1e9 < self._store.layout.wall() - loading.SETTLED
        return Snapshot(
            self.uidvalidity, self.uidnext, self.highestmodseq, self._times if settled else (0, 0),
            self._vanished_from, list(self._vanished), self._rows.packed())

    # Coming, going

    def append(
        self, octets: bytes, flags: Iterable[str], date: datetime, saved: datetime | None = None
    ) -> Deferred[int]:
        """Deferred of the UID of one more message."""
        store = self._store
        try:
            self.require()
            microseconds(date)
            placement = Placement(self.mailbox, self.name, canonical_all(flags))
        except Refusal:
            return fail()
        store.idle.wait()
        delivery = Delivery(
            store.unique(), store.universe, (placement,), octets, date, saved=saved if saved != date else None)
        return store.journal.accept(delivery, store.into_existing).addCallback(self._appended)

    def _appended(self, filed: DeliveryResult) -> int:
        return self._store.filed(filed)[0].uid

    def append_all(
        self, messages: Sequence[tuple[bytes, Iterable[str], datetime]], saved: datetime | None = None
    ) -> Deferred[list[int]]:
        """Deferred of the UIDs of some more messages, all of them or none."""
        store = self._store
        try:
            self.require()
            for _, _, date in messages:
                microseconds(date)
            placements = tuple(Placement(self.mailbox, self.name, canonical_all(flags)) for _, flags, _ in messages)
        except Refusal:
            return fail()
        if not messages:
            return succeed([])
        store.idle.wait()
        delivery = Delivery(
            store.unique(), store.universe, placements, b"".join([octets for octets, _, _ in messages]), messages[0][2],
            parts=tuple(DeliveryPart(len(octets), date) for octets, _, date in messages), saved=saved)
        return store.journal.accept(delivery, store.into_existing).addCallback(self._appended_all)

    def _appended_all(self, filed: DeliveryResult) -> list[int]:
        return [copy.uid for copy in self._store.filed(filed)]

    def replace(
        self, uid: int, target: Folder, octets: bytes, flags: Iterable[str], date: datetime,
        saved: datetime | None = None,
    ) -> Deferred[int]:
        """Deferred of the UID of a message in another folder (or this one) that takes the place of one here."""
        return Deferred.fromCoroutine(self._replace(uid, target, octets, tuple(flags), date, saved))

    async def _replace(
        self, uid: int, target: Folder, octets: bytes, flags: tuple[str, ...], date: datetime, saved: datetime | None
    ) -> int:
        store = self._store
        target.require()
        microseconds(date)
        placement = Placement(target.mailbox, target.name, canonical_all(flags))
        store.idle.wait()
        async with self._changing():
            at = self._rows.find(uid)
            if at < 0:
                raise NotFound(f"message {uid} is gone")
            delivery = Delivery(
                store.unique(), store.universe, (placement,), octets, date,
                replaces=ReplacedMessage(self.mailbox, self.name, uid, self._rows.path(at)),
                saved=saved if saved != date else None)
            filed: DeliveryResult = await store.journal.accept(delivery, store.into_existing)
            fresh = store.filed(filed)[0].uid
            if filed.removed is not None and not self.gone and self._rows.has(uid):
                self._expunged([uid], filed.removed)
                update.expunged(store, self, [uid])
        return fresh

    def copy(
        self, uids: Iterable[int], target: Folder, saved: datetime | None = None
    ) -> Deferred[list[tuple[int, int]]]:
        """Deferred of (source, target) UIDs: also in another folder."""
        return Deferred.fromCoroutine(self._transfer(uids, target, False, saved))

    def move(
        self, uids: Iterable[int], target: Folder, saved: datetime | None = None
    ) -> Deferred[list[tuple[int, int]]]:
        """Deferred of (source, target) UIDs: now in another folder."""
        return Deferred.fromCoroutine(self._transfer(uids, target, True, saved))

    async def _transfer(
        self, uids: Iterable[int], target: Folder, move: bool, saved: datetime | None
    ) -> list[tuple[int, int]]:
        target.require()
        self._store.idle.wait()
        pairs: list[tuple[int, int]] = []
        try:
            async with self._changing():
                await target._made()
                await self._transfer_to(target, uids, move, pairs, microseconds(saved) if saved is not None else None)
        except BaseException:
            if not move and pairs:
                # All or nothing (RFC 3501 section 6.4.7).
                await target.undo([uid for _, uid in pairs])
                pairs.clear()
            raise
        finally:
            # Last, because the disk and the processor are shared.
            pairs.sort()
            update.transferred(self._store, self, target, pairs, move)
        return pairs

    async def _transfer_to(
        self, target: Folder, uids: Iterable[int], move: bool, pairs: list[tuple[int, int]], saved: int | None
    ) -> None:
        """Add to C{pairs} the (source, target) UIDs of what was copied or moved."""
        store = self._store

        async def do(positions: list[int]) -> list[int]:
            rows = self._rows.rows(positions)
            done = await store.writer.call(Transfer(
                store.at, self.mailbox, self.name, self._sources(positions, rows, saved),
                (target.mailbox, target.name), move))
            lost = [rows[at].uid for at in done.missing]
            came = done.rows(rows)
            if came:
                store.came(target.mailbox, target.name, came, done.table)
            uids = [row.uid for row in rows]
            if lost:
                uids = [uid for uid in uids if uid not in lost]
            pairs.extend(zip(uids, [row.uid for row in came]))
            self.require()
            if done.source is not None and uids:
                self._expunged(uids, done.source)
            return lost

        await self._in_slices(uids, lambda uids: self._rows.positions(uids), do, ahead=2)

    async def undo(self, uids: list[int]) -> None:
        """Remove copies of a command that failed half way."""
        if not self.gone:
            async with self._changing():
                # Those behind UIDs that were used up in vain are not told yet.
                await self._look()
                await self._unlink(uids)
                update.expunged(self._store, self, uids)

    def _sources(self, positions: Sequence[int], rows: Sequence[Row], saved: int | None) -> Sources:
        """What is to be copied or moved."""
        _, masks, sizes, _, _, _, keys = zip(*rows)
        held = set(map((~SYSTEM_MASK).__and__, masks))
        return Sources(
            packed(self._rows.paths(positions)), packed(keys), list(sizes), list(masks),
            {mask: self._keywords_of(mask) for mask in held}, saved)

    def expunge(self, uids: Iterable[int]) -> Deferred[list[int]]:
        """Deferred of the UIDs removed."""
        return Deferred.fromCoroutine(self._expunge(uids))

    async def _expunge(self, uids: Iterable[int]) -> list[int]:
        async with self._changing():
            removed: list[int] = []

            def todo(uids: Sequence[int]) -> list[int]:
                return [self._rows.uids[at] for at in self._rows.positions(uids)]

            async def do(uids: list[int]) -> list[int]:
                lost = await self._unlink(uids)
                removed.extend(uid for uid in uids if uid not in lost)
                return lost

            try:
                await self._in_slices(uids, todo, do, ahead=2)
            finally:
                if removed:
                    update.expunged(self._store, self, removed)
            return sorted(removed)

    async def _unlink(self, uids: list[int]) -> list[int]:
        rows = self._rows
        positions = [at for at in map(rows.find, uids) if at >= 0]
        uids = [rows.uids[at] for at in positions]
        done = await self._store.writer.call(
            RemoveFiles(self._store.at, self.mailbox, self.name, packed(map(rows.path, positions))))
        self.require()
        lost = {uids[at] for at in done.failed}
        gone = [uid for uid in uids if uid not in lost]
        if gone:
            self._expunged(gone, done)
        return sorted(lost)

    def _expunged(self, uids: list[int], done: Restated) -> None:
        rows = self._rows
        rows.remove([at for at in map(rows.find, uids) if at >= 0])
        self._unplaced.difference_update(uids)
        self._vanish(uids, done.modseq)
        self._did(done)
        self._tell(FolderChange("expunged", tuple(uids), done.modseq))

    def vanished(self, since: int) -> Deferred[list[int] | None]:
        """Deferred of the UIDs expunged after a modseq, None when they are not known so far back."""
        return Deferred.fromCoroutine(self._vanished_since(since))

    async def _vanished_since(self, since: int) -> list[int] | None:
        self.require()
        if since < self._vanished_from and self._vanished_from > 1:
            return None
        return sorted(uid for modseq, uid in self._vanished if modseq > since)

    # Reading

    def saved(self, uids: Sequence[int]) -> Deferred[list[datetime | None]]:
        """Deferred of when messages were put here, None for those that are gone."""
        return Deferred.fromCoroutine(self._saved(uids))

    async def _saved(self, uids: Sequence[int]) -> list[datetime | None]:
        self.require()
        dates = self.column("arrival", uids)
        there = [(uid, date) for uid, date in zip(uids, dates) if date is not None]
        store = self._store
        found = await store.reader.call(
            savedate.find, store.layout.root, self.directory, [uid for uid, _ in there], [date for _, date in there])
        known = dict(zip([uid for uid, _ in there], map(instant, found)))
        return list(map(known.get, uids))

    def read(self, uid: int) -> Deferred[bytes]:
        """Deferred of the octets of a message."""
        return Deferred.fromCoroutine(self._read(uid))

    async def _read(self, uid: int) -> bytes:
        found = await self._reads([uid])
        if not found:
            raise NotFound(f"message {uid} is gone")
        return found[0][1]

    def open(self, uid: int) -> Deferred[OpenMessage | None]:
        """Deferred of a message to be read piece by piece."""
        return self._store.openings.open(self, uid)

    def reads(self, uids: Sequence[int]) -> Deferred[list[tuple[int, bytes]]]:
        """Deferred of the octets of those messages that are there."""
        return Deferred.fromCoroutine(self._reads(uids))

    async def _reads(self, uids: Sequence[int]) -> list[tuple[int, bytes]]:
        self.require()
        found = await self._read_files(uids)
        if None in found:
            # Renamed under our hands, by a change of flags here or by another program; or gone.
            lost = [uid for uid, octets in zip(uids, found) if octets is None]
            again = await unbroken(self._read_again(lost))
            found = [again[uid] if octets is None else octets for uid, octets in zip(uids, found)]
        return [(uid, octets) for uid, octets in zip(uids, found) if octets is not None]

    async def _read_again(self, uids: Sequence[int]) -> dict[int, bytes | None]:
        async with self._changing():
            await self._look()
            return dict(zip(uids, await self._read_files(uids)))

    def paths(self, uids: Sequence[int]) -> list[str | None]:
        """Where the files of messages are, below the folder; None for those that are gone."""
        rows = self._rows
        begin = rows.stretch(uids)
        places = map(rows.find, uids) if begin < 0 else range(begin, begin + len(uids))
        return [rows.path(at) if at >= 0 else None for at in places]

    async def _read_files(self, uids: Sequence[int]) -> list[bytes | None]:
        paths = self.paths(uids)
        if self.directory is None or not any(paths):
            return [None] * len(uids)
        found: list[bytes | None] = await self._store.reader.call(
            read_files, self._store.layout, self.directory, paths)
        return found

    def digests(self, uids: Iterable[int]) -> Deferred[dict[int, Digest]]:
        """Deferred of the digests of those messages that are there."""
        return Deferred.fromCoroutine(fetch.digests(self, self._store, uids))

    def digested(self, uids: Iterable[int], names: Sequence[str]) -> Deferred[dict[int, tuple[Any, ...]]]:
        """Deferred of some fields of their digests."""
        return Deferred.fromCoroutine(fetch.digested(self, self._store, uids, names))

    def kept_text(self, uid: int) -> Deferred[str | None]:
        """Deferred of the text of a message if the index has it."""
        if self._store.idle.lacks(self, uid):
            return succeed(None)
        return Deferred.fromCoroutine(fetch.kept_text(self, self._store, uid))

    def columns(self, uids: Iterable[int], names: Sequence[str]) -> Deferred[Columns]:
        """Deferred of the same in columns."""
        return Deferred.fromCoroutine(fetch.columns(self, self._store, uids, names))

    def ordered(self, uids: Sequence[int], criteria: Sequence[Criterion]) -> Deferred[list[int]]:
        """Deferred of those messages that are there, in an order."""
        return Deferred.fromCoroutine(fetch.ordered(self, self._store, uids, criteria))

    def containing(self, names: Sequence[str], text: str) -> Deferred[list[int]]:
        """Deferred of the UIDs of messages that have a text in one of some fields."""
        return Deferred.fromCoroutine(search.holding(self, self._store, names, text))
