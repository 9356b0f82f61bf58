"""
A folder that changes: one change at a time, each told; and what others do to its files is noticed.

State is in the reactor thread; a change is planned there from the state, done
by the writer as a slice of file operations, and its outcome applied
and told in the reactor thread, in the order the writer did it.  Deliveries
come in between.
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from twisted.internet.defer import Deferred

from simmail.concurrency import Lock, unbroken
from simmail.core.records.folder import FolderChange
from simmail.errors import NotFound, Unavailable
from simmail.mailstore.delivery.changes import Restated
from simmail.mailstore.folder import load
from simmail.mailstore.folder.load import Head
from simmail.mailstore.folder.state import FolderState
from simmail.mailstore.index import update
from simmail.mailstore.maildir.filename import Row
from simmail.mailstore.writer.requests import BumpModseq, MakeStandardFolder, NoteFlags, RenewUidvalidity

if TYPE_CHECKING:
    from simmail.mailstore.mailstore import MailStore

T = TypeVar("T")

#: File operations in one slice, and in the first of those that are begun ahead: the writer need not wait long for it.
SLICE, FIRST = 500, 125
#: Expunged messages remembered, at most.
_MOST_VANISHED = 50_000


class Changing(FolderState):
    """
    What all changes of a folder have in common.

    @ivar lock: held by who changes it.
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
        #: Of the UID file, (0, 0) when it was not seen.
        self._stamp = (0, 0)
        #: UIDs of messages whose files are not yet where they should be, and whether any were noted on disk.
        self._unplaced: set[int] = set()
        self._noted = False
        self._vanished: list[tuple[int, int]] = []
        self._vanished_from = 1
        self.lock = Lock(store.reactor)

    # What the writer did

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

    def reset(self) -> None:
        """The folder is gone, or called something else."""
        if self.gone:
            return
        self.gone = True
        self._rows = type(self._rows)()
        self._tell(FolderChange("reset", ()))

    def _tell(self, change: FolderChange) -> None:
        self.dirty = True
        self._store.changed(self, change)
        super()._tell(change)

    # One change at a time

    def require(self) -> None:
        """@raise NotFound: the folder is gone."""
        if self.gone:
            raise NotFound(f"folder {self.name} of {self.mailbox} is gone")

    @asynccontextmanager
    async def _changing(self) -> AsyncIterator[None]:
        async with self.lock:
            self.require()
            yield

    @property
    def busy(self) -> bool:
        """Whether a change is under way."""
        return bool(self.lock.locked)

    def _did(self, restated: Restated) -> None:
        if restated.before == self._times:
            self._times = restated.after
        self.highestmodseq = max(self.highestmodseq, restated.modseq)

    async def _in_slices(
        self, uids: Iterable[int], todo: Callable[[Sequence[int]], list[T]], do: Callable[[list[T]], Any],
        size: int = 0, ahead: int = 0,
    ) -> None:
        """
        Do something in slices; once more for messages whose files another program has renamed.

        @param todo: what is to be done for UIDs, as the state is now.
        @param do: does a slice; Deferred of the UIDs whose files were not there.
        @param size: of a slice, 0 for the usual one; ahead: slices that are begun while one is being done.
        """
        ordered, size = sorted(set(uids)), size or SLICE
        try:
            lost = await self._slices(ordered, todo, do, size, ahead)
            if lost:
                await self._look()
                await self._slices(lost, todo, do, size, ahead)
        except Unavailable:
            # A slice may be half done.
            await self._look()
            raise

    async def _slices(
        self, uids: Sequence[int], todo: Callable[[Sequence[int]], list[T]], do: Callable[[list[T]], Any], size: int,
        ahead: int,
    ) -> list[int]:
        lost: list[int] = []
        begun: deque[Deferred[list[int]]] = deque()
        begin, count = 0, min(FIRST, size) if ahead else size
        try:
            while begin < len(uids):
                items = todo(uids[begin:begin + count])
                begin, count = begin + count, min(2 * count, size)
                if items:
                    begun.append(Deferred.fromCoroutine(do(items)))
                if len(begun) > ahead:
                    lost += await begun.popleft()
            while begun:
                lost += await begun.popleft()
        except Exception:
            # What was begun is done first.
            for one in begun:
                try:
                    await one
                except Exception:
                    continue
            raise
        return lost

    async def _made(self) -> None:
        """The folder is there on disk."""
        if self.directory is None:
            self.directory = await self._store.writer.call(
                MakeStandardFolder(self._store.at, self.mailbox, self.name))

    # What others do

    def poll(self) -> Deferred[None]:
        """Deferred: what others changed is noticed."""
        return unbroken(self._poll())

    async def _poll(self) -> None:
        async with self._changing():
            await self._look()

    async def _look(self) -> None:
        """Notice what others changed; a change is under way."""
        store = self._store
        directory = self.directory
        if directory is None:
            head: Head = await store.reader.call(load.head, store.layout, self.mailbox, self.name)
            directory = self.directory = head.directory
        if directory is None:
            return
        self.require()
        try:
            found, table, self._stamp = await store.reader.call(
                load.look, store.layout, directory, self._rows,
                load.Seen(self.uidvalidity, self._stamp, self._times), self.uidnext)
        except NotFound as error:
            if isinstance(error, load.Another):
                store.layout.replaced(directory)
            if not self.gone:
                store.lost(self)
                await self._renew()
            raise
        if found is None:
            early, self._early = self._early, []
            self._append(early)
            return
        bumped = 0
        # What our own writer put in is told by the writer; it may be seen here first.
        if found.gone or found.restated or any(self._rows.find(row.uid) < 0 for row in found.added):
            bumped = await store.writer.call(BumpModseq(store.at, self.mailbox, self.name, found.gone))
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
            update.expunged(store, self, found.gone)
        noted = self._restated(found.restated, bumped)
        if noted:
            await self._mark(noted, 0)
        if found.strays:
            await store.adopt(self.mailbox, self.name, found.strays)

    async def _renew(self) -> None:
        """What is here now, or will be, has another UIDVALIDITY than what was told of: it is not the same."""
        await self._store.writer.call(RenewUidvalidity(
            self._store.at, self.mailbox, self.name, self.uidvalidity, self.uidnext, self._stamp[0]))

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

    async def place(self) -> None:
        """Files get the names they should have."""
        raise NotImplementedError

    async def _mark(self, items: Iterable[tuple[int, int]], changes: int) -> int:
        groups: dict[int, list[int]] = {}
        for uid, mask in items:
            groups.setdefault(mask, []).append(uid)
        self._noted = True
        modseq = await self._store.writer.call(
            NoteFlags(self._store.at, self.mailbox, self.name, list(groups.items()), changes))
        self._store.placing.add(self)
        return modseq

    def _vanish(self, uids: Iterable[int], modseq: int) -> None:
        self._vanished += [(modseq, uid) for uid in uids]
        if len(self._vanished) > _MOST_VANISHED:
            dropped = self._vanished[:-_MOST_VANISHED // 2]
            self._vanished = self._vanished[len(dropped):]
            self._vanished_from = dropped[-1][0]
