"""
One folder, loaded: what the real store's L{IFolder} is.

State is in the reactor thread; a change is planned there from the state, done
in the writer thread as a slice of file operations, and its outcome applied
and told in the reactor thread, in the order the writer did it.  One change at
a time for each folder; deliveries come in between.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from twisted.internet.defer import Deferred, DeferredLock
from zope.interface import implementer

from simmail.core.delivery import Delivery, Filing
from simmail.core.digest import Digest
from simmail.errors import Invalid, NotFound, Unavailable
from simmail.interfaces import IFolder
from simmail.mailstore import loading, reading
from simmail.mailstore.filing import SYSTEM_MASK, Filed, Restated
from simmail.mailstore.flags import MOST_KEYWORDS, SYSTEM, canonical_all, is_keyword, microseconds
from simmail.mailstore.index import Snapshot
from simmail.mailstore.loading import Head, Loaded
from simmail.mailstore.maildir import Row, path_of
from simmail.mailstore.records import FolderChange
from simmail.mailstore.state import FolderState
from simmail.mailstore.transfer import Source, Transferred, transfer

if TYPE_CHECKING:
    from simmail.mailstore.mailstore import MailStore

T = TypeVar("T")

#: File operations in one slice; those that nobody waits for; changes of flags that are only noted.
SLICE, PLACED, NOTED = 500, 64, 5000
#: Expunged messages remembered, at most.
_MOST_VANISHED = 50_000


@implementer(IFolder)
class Folder(FolderState):
    """
    One folder of the store on disk.

    @ivar directory: below the universe's, None while it is not made.
    """

    def __init__(self, store: MailStore, mailbox: str, name: str) -> None:
        super().__init__(mailbox, name)
        self._store = store
        self.directory: str | None = None
        self.loaded = False
        self.gone = False
        #: Something is not in the index as it is here.
        self.dirty = False
        #: Messages that cannot be told yet: the folder is being loaded, or an earlier one is not known.
        self._early: list[Row] = []
        self._times = (0, 0)
        #: UIDs of messages whose files are not yet where they should be, and whether any were noted on disk.
        self._unplaced: set[int] = set()
        self._noted = False
        self._vanished: list[tuple[int, int]] = []
        self._vanished_from = 1
        self._lock = DeferredLock()

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

    def added(self, rows: Sequence[Row], table: tuple[str, ...]) -> None:
        """The writer has put messages in."""
        if self.gone:
            return
        self._learn(table)
        if self.directory is None:
            self.directory = self._store.layout.directory_of(self.mailbox, self.name)
        if not self.loaded:
            self._early += rows
        elif self._early or rows[0].uid > self.uidnext:
            # Another process may have been before us (or a UID was used up in vain).
            if not self._early:
                self._store.later(self.poll())
            self._early += rows
        else:
            self._append(rows)

    def _append(self, rows: Iterable[Row]) -> None:
        self.dirty = True
        begin = self._rows.uids[-1] + 1 if self._rows.uids else 1
        super()._append(rows)
        if self.loaded:
            self._store.digest_later(self, begin)

    def reset(self) -> None:
        """The folder is gone, or called something else."""
        if self.gone:
            return
        self.gone = True
        self._rows = type(self._rows)()
        self._tell(FolderChange("reset", ()))

    def _tell(self, change: FolderChange) -> None:
        self.dirty = True
        self._store.changed(self)
        super()._tell(change)

    def snapshot(self) -> Snapshot:
        """The folder as it is, for the index."""
        settled = max(self._times) / 1e9 < self._store.seconds() - loading.SETTLED
        return Snapshot(
            self.uidvalidity, self.uidnext, self.highestmodseq, self._times if settled else (0, 0),
            self._vanished_from, list(self._vanished), self._rows.packed())

    # One change at a time

    def require(self) -> None:
        """@raise NotFound: the folder is gone."""
        if self.gone:
            raise NotFound(f"folder {self.name} of {self.mailbox} is gone")

    @asynccontextmanager
    async def _changing(self) -> AsyncIterator[None]:
        await self._lock.acquire()
        try:
            self.require()
            yield
        finally:
            self._lock.release()

    @property
    def busy(self) -> bool:
        """Whether a change is under way."""
        return bool(self._lock.locked)

    def _did(self, restated: Restated) -> None:
        if restated.before == self._times:
            self._times = restated.after
        self.highestmodseq = max(self.highestmodseq, restated.modseq)

    async def _in_slices(
        self, uids: Iterable[int], todo: Callable[[Sequence[int]], list[T]], do: Callable[[list[T]], Any],
        size: int = SLICE,
    ) -> None:
        """
        Do something in slices; once more for messages whose files another program has renamed.

        @param todo: what is to be done for UIDs, as the state is now.
        @param do: does a slice; Deferred of the UIDs whose files were not there.
        """
        ordered = sorted(set(uids))
        try:
            lost = await self._slices(ordered, todo, do, size)
            if lost:
                await self._look()
                await self._slices(lost, todo, do, size)
        except Unavailable:
            # A slice may be half done.
            await self._look()
            raise

    async def _slices(
        self, uids: Sequence[int], todo: Callable[[Sequence[int]], list[T]], do: Callable[[list[T]], Any], size: int
    ) -> list[int]:
        lost: list[int] = []
        for begin in range(0, len(uids), size):
            items = todo(uids[begin:begin + size])
            if items:
                lost += await do(items)
        return lost

    # Flags

    def flag(
        self, uids: Iterable[int], flags: Iterable[str], mode: str, unchangedsince: int | None = None,
        origin: object = None,
    ) -> Deferred[tuple[list[int], list[int]]]:
        """Add, remove or set flags; Deferred of (changed, failed)."""
        return Deferred.fromCoroutine(self._flag(uids, flags, mode, unchangedsince, origin))

    async def _flag(
        self, uids: Iterable[int], flags: Iterable[str], mode: str, unchangedsince: int | None, origin: object
    ) -> tuple[list[int], list[int]]:
        if mode not in ("+", "-", "="):
            raise Invalid("mode", "must be +, - or =")
        given, store = canonical_all(flags), self._store
        async with self._changing():
            if mode != "-":
                await self._define(given)
            mask = self._mask(given)
            changed: list[int] = []
            failed: set[int] = set()

            def new_mask(old: int) -> int:
                return old | mask if mode == "+" else old & ~mask if mode == "-" else mask

            def todo(uids: Sequence[int]) -> list[tuple[int, int]]:
                rows, result = self._rows, []
                for at in rows.positions(uids):
                    if unchangedsince is not None and rows.modseqs[at] > unchangedsince:
                        failed.add(rows.uids[at])
                    elif new_mask(rows.masks[at]) != rows.masks[at]:
                        result.append((rows.uids[at], new_mask(rows.masks[at])))
                return result

            async def do(items: list[tuple[int, int]]) -> list[int]:
                lost = await (self._restate if store.shared else self._note)(items, origin)
                changed.extend(uid for uid, _ in items if uid not in lost)
                return lost

            await self._in_slices(uids, todo, do, SLICE if store.shared else NOTED)
            return sorted(changed), sorted(failed.difference(changed))

    async def _define(self, flags: Sequence[str]) -> None:
        keywords = [flag for flag in flags if is_keyword(flag)]
        if all(self._bit(keyword) for keyword in keywords):
            return
        used = 0
        for mask in set(self._rows.masks):
            used |= mask >> len(SYSTEM)
        await self._made()
        enough, table = await self._store.writer.call(
            self._store.filer.define, self.mailbox, self.name, keywords, used)
        self._learn(table)
        if not enough:
            raise Invalid("flags", f"no more than {MOST_KEYWORDS} keywords in one folder")

    async def _made(self) -> None:
        """The folder is there on disk."""
        if self.directory is None:
            self.directory = await self._store.writer.call(self._store.make, self.mailbox, self.name)

    async def _note(self, items: Sequence[tuple[int, int]], origin: object) -> list[int]:
        """Flags of a slice, as (UID, bits), are noted; files are renamed later."""
        modseq = await self._mark(items, 1)
        self.require()
        rows, changed = self._rows, []
        for uid, mask in items:
            at = rows.find(uid)
            if at >= 0:
                rows.restate(at, mask, False)
                rows.modseqs[at] = modseq
                self._unplaced.add(uid)
                changed.append(uid)
        self.highestmodseq = max(self.highestmodseq, modseq)
        if changed:
            self._tell(FolderChange("flags", tuple(changed), modseq, origin))
        return []

    async def _mark(self, items: Iterable[tuple[int, int]], changes: int) -> int:
        groups: dict[int, list[int]] = {}
        for uid, mask in items:
            groups.setdefault(mask, []).append(uid)
        self._noted = True
        modseq: int = await self._store.writer.call(
            self._store.filer.mark, self.mailbox, self.name, list(groups.items()), changes)
        self._store.place_later(self)
        return modseq

    async def _restate(self, items: Sequence[tuple[int, int]], origin: object) -> list[int]:
        """Flags of a slice, as (UID, bits), in the names of files; the UIDs whose files were not there."""
        rows = self._rows
        items = [item for item in items if rows.find(item[0]) >= 0]
        renames = []
        for uid, mask in items:
            at = rows.find(uid)
            renames.append((rows.path(at), path_of(rows.key(at), uid, rows.sizes[at], mask, False)))
        done: Restated = await self._store.writer.call(
            self._store.filer.restate, self.mailbox, self.name, renames, 1)
        self.require()
        rows = self._rows
        lost = {items[at][0] for at in done.failed}
        changed = []
        for uid, mask in items:
            at = rows.find(uid)
            if uid not in lost and at >= 0:
                rows.restate(at, mask, False)
                rows.place(at)
                rows.modseqs[at] = done.modseq
                changed.append(uid)
        self._did(done)
        if changed:
            self._tell(FolderChange("flags", tuple(changed), done.modseq, origin))
        return sorted(lost)

    def take_recent(self) -> Deferred[list[int]]:
        """Deferred of the messages that nobody had opened the folder for; they are not recent any more."""
        return Deferred.fromCoroutine(self._take_recent())

    async def _take_recent(self) -> list[int]:
        async with self._changing():
            taken: list[int] = []

            def todo(uids: Sequence[int]) -> list[tuple[int, int]]:
                rows = self._rows
                return [(uid, rows.masks[at]) for uid, at in zip(uids, map(rows.find, uids))
                        if at >= 0 and rows.recent[at]]

            async def do(items: list[tuple[int, int]]) -> list[int]:
                if not self._store.shared:
                    await self._mark(items, 0)
                self.require()
                rows = self._rows
                uids = []
                for uid, _ in items:
                    at = rows.find(uid)
                    if at >= 0:
                        rows.restate(at, rows.masks[at], False)
                        uids.append(uid)
                self._unplaced.update(uids)
                taken.extend(uids)
                self.dirty = True
                return await self._place(uids) if self._store.shared else []

            await self._in_slices(self._rows.having_recent(), todo, do, SLICE if self._store.shared else NOTED)
            return sorted(taken)

    # Files that are to be renamed

    async def place(self) -> None:
        """
        Files get the names they should have.

        @raise Unavailable: the disk refused; to be asked again.
        """
        if self.gone:
            return
        todo = sorted(self._unplaced)
        # Few at a time: nobody waits for it, but others wait for the disk meanwhile.
        for begin in range(0, len(todo), PLACED):
            async with self._changing():
                lost = await self._place(todo[begin:begin + PLACED])
                if lost:
                    await self._look()
                    await self._place(lost)
        async with self._changing():
            if self._noted and not self._unplaced:
                await self._store.writer.call(self._store.filer.unmark, self.mailbox, self.name)
                self._noted = False

    async def _place(self, uids: Sequence[int]) -> list[int]:
        """A slice of them; the UIDs whose files were not there."""
        rows = self._rows
        moves = [uid for uid, at in zip(uids, map(rows.find, uids)) if at >= 0 and not rows.is_placed(at)]
        if moves:
            renames = [(rows.path(at), rows.new_path(at)) for at in map(rows.find, moves)]
            done: Restated = await self._store.writer.call(
                self._store.filer.restate, self.mailbox, self.name, renames, 0)
            self.require()
            rows = self._rows
            lost = {moves[at] for at in done.failed}
            for uid in moves:
                at = rows.find(uid)
                if uid not in lost and at >= 0:
                    rows.place(at)
            self._did(done)
            self.dirty = True
        else:
            lost = set()
        self._unplaced.difference_update(set(uids) - lost)
        return sorted(lost)

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

    def _vanish(self, uids: Iterable[int], modseq: int) -> None:
        self._vanished += [(modseq, uid) for uid in uids]
        if len(self._vanished) > _MOST_VANISHED:
            dropped = self._vanished[:-_MOST_VANISHED // 2]
            self._vanished = self._vanished[len(dropped):]
            self._vanished_from = dropped[-1][0]

    def vanished(self, since: int) -> Deferred[list[int] | None]:
        """Deferred of the UIDs expunged after a modseq, None when they are not known so far back."""
        return Deferred.fromCoroutine(self._vanished_since(since))

    async def _vanished_since(self, since: int) -> list[int] | None:
        self.require()
        if since < self._vanished_from and self._vanished_from > 1:
            return None
        return sorted(uid for modseq, uid in self._vanished if modseq > since)

    # What others do

    def poll(self) -> Deferred[None]:
        """Deferred: what others changed is noticed."""
        return Deferred.fromCoroutine(self._poll())

    async def _poll(self) -> None:
        async with self._changing():
            await self._look()

    async def _look(self) -> None:
        """Notice what others changed; a change is under way."""
        store = self._store
        directory = self.directory
        if directory is None:
            head: Head = await store.reader.call(loading.head, store.layout, self.mailbox, self.name)
            directory = self.directory = head.directory
        if directory is None:
            return
        self.require()
        try:
            found, table = await store.reader.call(
                loading.look, store.layout, directory, self._rows, self._times, self.uidnext)
        except NotFound:
            store.lost(self)
            raise
        if found is None:
            early, self._early = self._early, []
            self._append(early)
            return
        bumped = 0
        # What our own writer put in is told by the writer; it may be seen here first.
        if found.gone or found.restated or any(self._rows.find(row.uid) < 0 for row in found.added):
            bumped = await store.writer.call(store.filer.bump, self.mailbox, self.name, bool(found.gone))
        self.require()
        self._learn(table)
        self._times = found.times
        early, self._early = self._early, []
        having = {row.uid for row in early}
        self._append(sorted([*early, *(
            row._replace(modseq=bumped) for row in found.added if row.uid not in having)]))
        if found.gone:
            self._rows.remove([self._rows.find(uid) for uid in found.gone])
            self._unplaced.difference_update(found.gone)
            self._vanish(found.gone, bumped)
            self.highestmodseq = max(self.highestmodseq, bumped)
            self._tell(FolderChange("expunged", tuple(found.gone), bumped))
            store.index_expunged(self, found.gone)
        noted = self._restated(found.restated, bumped)
        if noted:
            await self._mark(noted, 0)
        if found.strays:
            await store.adopt(self.mailbox, self.name, found.strays)

    def _restated(self, restated: Sequence[tuple[int, int, bool]], modseq: int) -> list[tuple[int, int]]:
        """Another program has renamed files; what is noted besides has to be noted again."""
        rows, changed, noted = self._rows, [], []
        for uid, mask, in_new in restated:
            at = rows.find(uid)
            if at < 0:
                continue
            ours, before = rows.masks[at], rows.placed[at]
            merged = (mask | (ours & ~before)) & ~(before & ~ours)
            rows.placed[at], rows.in_new[at] = mask, in_new
            if merged != ours:
                rows.modseqs[at] = modseq
                changed.append(uid)
            rows.restate(at, merged, bool(rows.recent[at]) and in_new)
            if rows.is_placed(at):
                self._unplaced.discard(uid)
            else:
                self._unplaced.add(uid)
                noted.append((uid, merged))
        if changed:
            self.highestmodseq = max(self.highestmodseq, modseq)
            self._tell(FolderChange("flags", tuple(changed), modseq))
        return noted

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
