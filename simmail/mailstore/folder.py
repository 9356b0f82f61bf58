"""
One folder, loaded: what the real store's L{IFolder} is.

Here is how it is loaded and saved, how messages come and go, and how they are
read; see C{changing} for how it changes and C{flagging} for flags.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from twisted.internet.defer import Deferred
from zope.interface import implementer

from simmail.core.delivery import Delivery, Filing
from simmail.core.digest import Digest
from simmail.errors import NotFound
from simmail.interfaces import IFolder
from simmail.mailstore import loading, reading
from simmail.mailstore.filing import SYSTEM_MASK, Filed, Restated
from simmail.mailstore.flagging import Flagging
from simmail.mailstore.flags import canonical_all, microseconds
from simmail.mailstore.index import Snapshot
from simmail.mailstore.loading import Head, Loaded
from simmail.mailstore.maildir import Row, path_of
from simmail.mailstore.records import FolderChange
from simmail.mailstore.transfer import Source, Transferred, transfer


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
        snapshot: Snapshot | None = await store.indexed(store.index.load, self.mailbox, self.name, head.uidvalidity)
        found: Loaded = await store.reader.call(loading.load, store.layout, head, snapshot)
        bumped = 0
        if found.noticed or found.gone:
            bumped = await store.writer.call(store.filer.bump, self.mailbox, self.name, bool(found.gone))
        self._install(head, found, bumped)
        if found.strays:
            await store.adopt(self.mailbox, self.name, found.strays)
        if self.gone:
            raise NotFound(f"folder {self.name} of {self.mailbox} is gone")

    def _install(self, head: Head, found: Loaded, bumped: int) -> None:
        self.directory = head.directory
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
            self._store.place_later(self)
        self.dirty = bool(found.noticed or found.gone)
        self.loaded = True
        early, self._early = self._early, []
        if early:
            self.added(early, self._table)

    def _append(self, rows: Iterable[Row]) -> None:
        self.dirty = True
        begin = self._rows.uids[-1] + 1 if self._rows.uids else 1
        super()._append(rows)
        if self.loaded:
            self._store.digest_later(self, begin)

    def snapshot(self) -> Snapshot:
        """The folder as it is, for the index."""
        settled = max(self._times) / 1e9 < self._store.seconds() - loading.SETTLED
        return Snapshot(
            self.uidvalidity, self.uidnext, self.highestmodseq, self._times if settled else (0, 0),
            self._vanished_from, list(self._vanished), self._rows.packed())

    # Coming, going

    def append(self, octets: bytes, flags: Iterable[str], date: datetime) -> Deferred[int]:
        """Deferred of the UID of one more message."""
        return Deferred.fromCoroutine(self._append_one(octets, flags, date))

    async def _append_one(self, octets: bytes, flags: Iterable[str], date: datetime) -> int:
        self.require()
        microseconds(date)
        store = self._store
        filing = Filing(self.mailbox, self.name, canonical_all(flags))
        filed: Filed = await store.journal.accept(
            Delivery(store.unique(), store.universe, (filing,), octets, date), store.file_only)
        return store.filed(filed)[0].uid

    def copy(self, uids: Iterable[int], target: Folder) -> Deferred[list[tuple[int, int]]]:
        """Deferred of (source, target) UIDs: also in another folder."""
        return Deferred.fromCoroutine(self._transfer(uids, target, False))

    def move(self, uids: Iterable[int], target: Folder) -> Deferred[list[tuple[int, int]]]:
        """Deferred of (source, target) UIDs: now in another folder."""
        return Deferred.fromCoroutine(self._transfer(uids, target, True))

    async def _transfer(self, uids: Iterable[int], target: Folder, move: bool) -> list[tuple[int, int]]:
        store = self._store
        target.require()
        pairs: list[tuple[int, int]] = []
        async with self._changing():
            await target._made()

            async def do(sources: list[Source]) -> list[int]:
                uids = [source.row.uid for source in sources]
                done: Transferred = await store.writer.call(
                    transfer, store.filer, self.mailbox, self.name, sources, (target.mailbox, target.name), move)
                store.apply([one for one in done.added if one is not None])
                some = [(uid, one.row.uid) for uid, one in zip(uids, done.added) if one is not None]
                pairs.extend(some)
                self.require()
                store.index_copied(self, target, some)
                if done.source is not None and some:
                    self._expunged([uid for uid, _ in some], done.source)
                return [uid for uid, one in zip(uids, done.added) if one is None]

            try:
                await self._in_slices(uids, self._sources, do)
            except BaseException:
                if not move and pairs:
                    # All or nothing (RFC 3501 section 6.4.7).
                    await target.undo([uid for _, uid in pairs])
                raise
        return sorted(pairs)

    async def undo(self, uids: list[int]) -> None:
        """Remove copies of a command that failed half way."""
        if not self.gone:
            await self._unlink(uids)

    def _sources(self, uids: Sequence[int]) -> list[Source]:
        """What is to be copied or moved, of those that are there."""
        rows, sources = self._rows, []
        keywords: dict[int, tuple[str, ...]] = {}
        for at in rows.positions(uids):
            row = rows.row(at)
            held = row.mask & ~SYSTEM_MASK
            if held not in keywords:
                keywords[held] = self._keywords_of(held)
            path = path_of(row.key, row.uid, row.size, rows.placed[at], bool(rows.in_new[at]))
            sources.append(Source(path, row, keywords[held]))
        return sources

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

            await self._in_slices(uids, todo, do)
            return sorted(removed)

    async def _unlink(self, uids: list[int]) -> list[int]:
        rows = self._rows
        positions = [at for at in map(rows.find, uids) if at >= 0]
        uids = [rows.uids[at] for at in positions]
        paths = list(map(rows.path, positions))
        done: Restated = await self._store.writer.call(self._store.filer.unlink, self.mailbox, self.name, paths)
        self.require()
        lost = {uids[at] for at in done.failed}
        gone = [uid for uid in uids if uid not in lost]
        if gone:
            self._expunged(gone, done)
            self._store.index_expunged(self, gone)
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

    def read(self, uid: int) -> Deferred[bytes]:
        """Deferred of the octets of a message."""
        return Deferred.fromCoroutine(self._read(uid))

    async def _read(self, uid: int) -> bytes:
        found = await self._reads([uid])
        if not found:
            raise NotFound(f"message {uid} is gone")
        return found[0][1]

    def reads(self, uids: Sequence[int]) -> Deferred[list[tuple[int, bytes]]]:
        """Deferred of the octets of those messages that are there."""
        return Deferred.fromCoroutine(self._reads(uids))

    async def _reads(self, uids: Sequence[int]) -> list[tuple[int, bytes]]:
        self.require()
        found = await self._read_files(uids)
        if None in found:
            # Renamed under our hands, by a change of flags here or by another program; or gone.
            async with self._changing():
                await self._look()
                lost = [uid for uid, octets in zip(uids, found) if octets is None]
                again = dict(zip(lost, await self._read_files(lost)))
            found = [again[uid] if octets is None else octets for uid, octets in zip(uids, found)]
        return [(uid, octets) for uid, octets in zip(uids, found) if octets is not None]

    def paths(self, uids: Sequence[int]) -> list[str | None]:
        """Where the files of messages are, below the folder; None for those that are gone."""
        rows = self._rows
        return [rows.path(at) if at >= 0 else None for at in map(rows.find, uids)]

    async def _read_files(self, uids: Sequence[int]) -> list[bytes | None]:
        paths = self.paths(uids)
        if self.directory is None or not any(paths):
            return [None] * len(uids)
        found: list[bytes | None] = await self._store.reader.call(
            reading.read_files, self._store.layout.root, self.directory, paths)
        return found

    def digests(self, uids: Iterable[int]) -> Deferred[dict[int, Digest]]:
        """Deferred of the digests of those messages that are there."""
        return Deferred.fromCoroutine(reading.digests(self, self._store, uids))

    def digested(self, uids: Iterable[int], names: Sequence[str]) -> Deferred[dict[int, tuple[Any, ...]]]:
        """Deferred of some fields of their digests."""
        return Deferred.fromCoroutine(reading.digested(self, self._store, uids, names))

    def containing(self, name: str, text: str) -> Deferred[list[int]]:
        """Deferred of the UIDs of messages whose digests may contain a text in a field."""
        return Deferred.fromCoroutine(reading.containing(self, self._store, name, text))
